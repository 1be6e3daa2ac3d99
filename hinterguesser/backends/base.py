"""What a way to reach a model must offer."""

from dataclasses import dataclass
from typing import Literal, Protocol

from hinterguesser.domain.script import Call, Reply

Rendering = Literal["chat", "plain"]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a model offers, known before the first call is paid."""

    rendering: Rendering = "chat"
    """'plain': the model follows a plain text with worked examples better than its chat template."""
    logprobs: bool = False
    """Whether log-probabilities of the first answer token can be had."""
    max_top_logprobs: int = 0
    """How many alternatives per token at most."""
    many_samples: bool = False
    """Whether several samples can be asked for in one request."""
    seeds: bool = False
    json_object: bool = False


class Backend(Protocol):
    """One way to reach one model. Retries, limits and budget are inside; what comes out is final."""

    capabilities: Capabilities
    endpoint: str
    """Where the model is, without secrets, e.g. 'http://127.0.0.1:8000/v1' or 'in-process'.

    Part of the journal's key, so whatever is set for the model as a whole and changes its replies is in here too.
    """

    async def reply(self, call: Call) -> Reply:
        """The model's reply to `call`.

        Raises:
            CallFailed: no usable reply after all retries.
            RunStopped: the budget is used up, or nothing gets through any more.
            UserError: the model does not exist, the key is wrong, a needed package is missing.
        """
        ...

    async def close(self) -> None:
        """Let go of connections and threads."""
        ...


class SamplingBackend(Backend, Protocol):
    """A backend that may draw several samples in one request; `capabilities.many_samples` says whether it pays."""

    async def samples(self, call: Call, count: int) -> list[Reply]:
        """`count` independent replies to `call`: those to its samples `call.sample`, `call.sample + 1`, and so on.

        Raises as `reply` does; what a caller files in the journal, it files under each sample's own key.
        """
        ...
