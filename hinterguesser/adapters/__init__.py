"""Source datasets, one file each."""

BUILTIN = {
    "grace": "hinterguesser.adapters.grace",
    "trickme": "hinterguesser.adapters.trickme",
}
"""Adapters that ship, by name; nothing is imported until one is asked for."""

QUESTIONS = {
    "hotpotqa": "hinterguesser.adapters.hotpotqa",
    "musique": "hinterguesser.adapters.musique",
}
"""Datasets of questions with passages, for `collect`; likewise."""
