"""A transcript is read once: in llama.cpp's own chat template, turn i's tokens are a prefix of turn i + 1's."""

import asyncio
import importlib.util
from pathlib import Path

import pytest

from hinterguesser.confidence.base import Context, Subject
from hinterguesser.domain.script import Call, Sampling
from hinterguesser.errors import UserError
from hinterguesser.flow.source import Source
from hinterguesser.store import weights
from hinterguesser.store.prompts import read_prompts

SMALL = Path(__file__).parents[2] / "release" / "small"
ONE = Sampling(max_tokens=1)

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("xllamacpp") is None, reason="the extra 'local' is not installed"
)


@pytest.mark.parametrize("rendering", ["chat", "plain"])
def test_a_turns_transcript_is_a_prefix_of_the_next_turns_token_by_token(rendering):
    try:
        path = weights.get("smollm2")
    except UserError as error:
        pytest.skip(f"the weights cannot be had: {error}")
    from hinterguesser.backends.gguf import GgufBackend

    model = f"gguf/{path}"
    told = next(iter(Source(SMALL, "guess").kept()))
    hints = tuple(turn.hint for turn in told.turns)
    subject = Subject(model, read_prompts(), rendering)

    async def read():
        backend = GgufBackend(model, context_tokens=4096)
        try:
            before = 0
            for number in range(1, len(hints) + 1):
                call = Context(subject, "guess", told.instruction, hints[:number]).ask("answer", ONE)
                asked = (await backend.reply(call)).usage
                if number > 1:
                    # All of the last turn's transcript comes out of the cache; the last token may be read again.
                    assert asked.cached_tokens >= before - 1, (number, asked, before)
                before = (await backend.reply(transcript_of(call))).usage.input_tokens - opening(rendering)
        finally:
            await backend.close()

    asyncio.run(read())


def transcript_of(call):
    """The call without its last message: only what was said."""
    if isinstance(call.prompt, str):
        return Call(call.model, call.prompt.removesuffix(read_prompts().text("plain/answer")), ONE)
    return Call(call.model, call.prompt[:-1], ONE)


def opening(rendering):
    """Tokens with which the chat template opens the assistant's turn after a transcript."""
    return 3 if rendering == "chat" else 0
