"""20q: things of common knowledge; a hint is a yes/no question with its answer."""

import re

from hinterguesser.domain.dialogue import Hint
from hinterguesser.games.base import Game, question_fault

_OPEN = re.compile(r"^\W*(what|which|who|whom|whose|when|where|why|how)\b", re.IGNORECASE)
_YES_NO = re.compile(r"^\W*(yes|no)\b", re.IGNORECASE)


def _rule(hint: Hint) -> str | None:
    if _OPEN.match(hint.question):
        return "the question must be one that is answered with yes or no"
    if not _YES_NO.match(hint.answer):
        return "the answer must begin with yes or no"
    return question_fault(hint)


PLUGIN = Game(name="20q", rule=_rule)
