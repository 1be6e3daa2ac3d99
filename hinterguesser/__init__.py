"""hinterguesser: how sure is a language model while a conversation unfolds?"""

__version__ = "0.1.0"
