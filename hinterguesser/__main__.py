"""`python -m hinterguesser` is `hinterguesser`."""

from hinterguesser.cli.main import main

if __name__ == "__main__":
    main()
