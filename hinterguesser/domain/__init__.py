"""What the project talks about: frozen dataclasses, to and from plain dicts. Pure."""
