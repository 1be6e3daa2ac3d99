"""Hinters and Guessers, and the dialogue they play. Pure."""
