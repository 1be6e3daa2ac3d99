"""The rules, one file a game. Pure."""

BUILTIN = {
    "20q": "hinterguesser.games.twenty_questions",
    "guess": "hinterguesser.games.guess_city",
}
"""Games that ship, by name; nothing is imported until one is asked for."""
