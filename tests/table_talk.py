"""A scripted server for model players: it plays both roles, and what happens is decided by the entity's number.

Entities are called `Thing <number>`. The Hinter's hints carry the number in other words, so that the Guesser's side of
the script knows which dialogue it is in without ever being told the secret.
"""

import json
import re
import sqlite3
from pathlib import Path
from typing import Any

from loopback import Request, Response, chat

from hinterguesser.store.journal_care import export_journal

KINDS = ("solved", "exhausted", "leak", "malformed")


def kind_of(number: int) -> str:
    return KINDS[number % len(KINDS)]


def expected(number: int) -> tuple[str, str | None]:
    """Outcome and reason of the dialogue about `Thing <number>`."""
    kind = kind_of(number)
    return kind, {"solved": None, "exhausted": "not_converged"}.get(kind, kind)


def entity_list(count: int) -> str:
    return "".join(f"Thing {number}\n" for number in range(count))


def in_journal(path: Path) -> set[str]:
    """The requests whose replies are on disk, as the server saw them; the file is whole."""
    if not path.exists():
        return set()
    with sqlite3.connect(path) as journal:
        assert journal.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    return {_as_sent(entry["model"], entry["call"]) for entry in export_journal(path) if entry["kind"] == "reply"}


def _as_sent(model: str, call: dict[str, Any]) -> str:
    body = {"model": model, "messages": call["prompt"], "response_format": {"type": "json_object"}}
    body |= {name: call[name] for name in ("temperature", "max_tokens", "seed", "top_p")}
    return json.dumps(body, sort_keys=True)


class TableTalk:
    """Answers each request by what it says; the same request always gets the same answer."""

    def __init__(self, delay_seconds: float = 0.0) -> None:
        self.delay_seconds = delay_seconds
        self.asked: list[str] = []
        """Every request as canonical JSON, in the order of arrival."""

    def __call__(self, request: Request) -> dict[str, Any] | Response:
        self.asked.append(json.dumps(request.body, sort_keys=True))
        words = "\n".join(message["content"] for message in request.body["messages"])
        said = self._hint(words) if "You are the Hinter" in words else self._guess(words)
        if self.delay_seconds:
            return Response(chat(said), delay_seconds=self.delay_seconds)
        return chat(said)

    def _hint(self, words: str) -> str:
        secret = re.search(r"The secret: Thing (\d+)", words)
        assert secret is not None, words
        number = int(secret[1])
        turn = len(re.findall(r"^\d+\. ", words, re.MULTILINE)) + 1
        if kind_of(number) == "leak" and turn == 2:
            return json.dumps({"question": f"Is it called Thing {number}?", "answer": "Yes."})
        return json.dumps({"question": f"Is it filed as item {number} on page {turn}?", "answer": "Yes."})

    def _guess(self, words: str) -> str:
        assert "Thing" not in words, "the Guesser was told the secret"
        pages = re.findall(r"filed as item (\d+) on page (\d+)", words)
        number, turn = int(pages[-1][0]), int(pages[-1][1])
        if kind_of(number) == "malformed" and turn == 3:
            return "I would rather not say."
        solved = kind_of(number) == "solved" and turn >= 2 + number % 3
        guess = f"thing {number}" if solved else "Nothing"
        return json.dumps({"guess": guess, "unique": solved, "alternatives": [] if solved else ["Something"]})
