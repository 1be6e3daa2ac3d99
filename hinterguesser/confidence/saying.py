"""A confidence that a model puts into words."""

from hinterguesser.confidence.statements import verbalized
from hinterguesser.domain.estimate import Confidence, Estimate, Unscored
from hinterguesser.domain.script import Reply


def stated(reply: Reply) -> Estimate:
    """The confidence that `reply` states; one that was cut off states none, since its last digits may be missing."""
    if reply.finish_reason == "length":
        return Unscored("the reply was cut off by the token limit")
    read = verbalized(reply.text)
    return read if isinstance(read, Unscored) else Confidence(read.value)
