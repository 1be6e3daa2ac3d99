"""guess: cities; a hint is an open question about the city with its answer."""

from hinterguesser.games.base import Game, question_fault

PLUGIN = Game(name="guess", rule=question_fault)
