"""Asking a model for one JSON object: repaired, checked, asked for again with the error, or given up."""

import dataclasses
import functools
import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from hinterguesser.domain.prompts import PromptBook
from hinterguesser.domain.script import Call, Message, Reply, Script

T = TypeVar("T")

ASKED_AGAIN = 3
"""How often a model is told what is wrong with its reply before the turn counts as failed."""


@dataclasses.dataclass(frozen=True, slots=True)
class Stuck:
    """Nothing usable came: a short reason, and the same in words for asking again."""

    reason: str
    """'malformed', or what the asker's own check calls it ('leak', ...); a dialogue's outcome if it ends with this."""
    error: str
    text: str = ""
    """What the model said last, as it came."""


def ask(
    call: Call,
    schema: Mapping[str, Any],
    accept: Callable[[dict[str, Any]], T | Stuck],
    prompts: PromptBook,
) -> Script[T | Stuck]:
    """What `accept` makes of the model's JSON object.

    A reply that is no such object, or that `accept` finds unusable, is answered with the reason (prompt `again`), up to
    `ASKED_AGAIN` times; after that the result is `Stuck` with the last reason and the raw text.
    """
    asked_again = 0
    while True:
        [reply] = yield [call]
        plain = parse_object(reply, schema)
        outcome = plain if isinstance(plain, Stuck) else accept(plain)
        if not isinstance(outcome, Stuck):
            return outcome
        if asked_again == ASKED_AGAIN:
            return Stuck(outcome.reason, outcome.error, reply.text)
        asked_again += 1
        assert not isinstance(call.prompt, str), "JSON is asked for in chat messages"
        told = (
            *call.prompt,
            Message("assistant", reply.text or "(empty)"),
            Message("user", prompts.render("again", error=outcome.error)),
        )
        call = dataclasses.replace(call, prompt=told)


def parse_object(reply: Reply, schema: Mapping[str, Any]) -> dict[str, Any] | Stuck:
    """The JSON object in `reply`, if it satisfies `schema`; fences, stray text and small slips are repaired."""
    if reply.finish_reason == "length":
        return Stuck("malformed", "the reply was cut off by the token limit; be shorter")
    if not reply.text.strip():
        return Stuck("malformed", "the reply was empty")
    plain = _loads(reply.text)
    if not isinstance(plain, dict):
        return Stuck("malformed", "the reply holds no JSON object")
    error = next(iter(_validator(json.dumps(schema)).iter_errors(plain)), None)
    if error is not None:
        where = "/".join(map(str, error.absolute_path)) or "the object"
        return Stuck("malformed", f"{where}: {error.message}")
    return plain


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        from json_repair import repair_json

        return repair_json(text, return_objects=True)


@functools.lru_cache(maxsize=32)
def _validator(schema: str) -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(schema))
