"""A dialogue: the turns about one entity, and how it ended. Schema version 1."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hinterguesser.domain.entity import Entity

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Hint:
    """One question and its answer, given by the Hinter. A clue of a quiz question has an empty `question`."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Guess:
    """What the Guesser says after a hint: its best guess, and the uniqueness probe."""

    guess: str
    unique: bool
    """Whether no other answer fits any more, as the Guesser sees it."""
    alternatives: tuple[str, ...] = ()
    """Other answers that still fit, as far as the Guesser can name them."""


@dataclass(frozen=True, slots=True)
class Placebo:
    """An uninformative hint that stands where a turn's hint stood."""

    hint: Hint
    kind: str
    """'pool' (from the fixed list), 'redundant' (a true fact that all candidates share) or 'model'."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Hint, guess and probe; what `derive` adds is None until then."""

    turn: int
    hint: Hint
    guess: Guess | None
    """None where nobody guessed: clues of a quiz question."""
    guess_correct: bool | None
    n_candidates: int | None = None
    """How many entities of the fact table still fit all hints so far; None without a certificate."""
    placebo: Placebo | None = None
    summary: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """As one entry of a dialogue's `turns`."""
        guess, placebo = self.guess, self.placebo
        return {
            "turn": self.turn,
            "question": self.hint.question,
            "answer": self.hint.answer,
            "guess": guess.guess if guess else None,
            "guess_correct": self.guess_correct,
            "unique": guess.unique if guess else None,
            "alternatives": list(guess.alternatives) if guess else [],
            "n_candidates": self.n_candidates,
            "placebo_question": placebo.hint.question if placebo else None,
            "placebo_answer": placebo.hint.answer if placebo else None,
            "placebo_kind": placebo.kind if placebo else None,
            "summary": self.summary,
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> "Turn":
        """The turn that `to_dict` wrote."""
        guess = None
        if plain["guess"] is not None:
            guess = Guess(plain["guess"], plain["unique"], tuple(plain["alternatives"]))
        placebo = None
        if plain.get("placebo_kind") is not None:
            placebo = Placebo(Hint(plain["placebo_question"], plain["placebo_answer"]), plain["placebo_kind"])
        return cls(
            turn=plain["turn"],
            hint=Hint(plain["question"], plain["answer"]),
            guess=guess,
            guess_correct=plain["guess_correct"],
            n_candidates=plain["n_candidates"],
            placebo=placebo,
            summary=plain.get("summary"),
        )


@dataclass(frozen=True, slots=True)
class Failure:
    """The move that ended a dialogue before its time, kept whole so that it can be diagnosed."""

    turn: int
    stage: str
    """'hint' or 'guess'."""
    error: str
    text: str
    """What the model said last, as it came."""

    def to_dict(self) -> dict[str, Any]:
        """As a plain dict."""
        return {"turn": self.turn, "stage": self.stage, "error": self.error, "text": self.text}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> "Failure":
        """The failure that `to_dict` wrote."""
        return cls(plain["turn"], plain["stage"], plain["error"], plain["text"])


@dataclass(frozen=True, slots=True)
class Dialogue:
    """The turns about one entity, and the outcome."""

    id: str
    game: str
    regime: str
    """'under_specified' (hints narrow many answers down) or 'fully_specified' (clues to one hard question)."""
    entity: Entity
    instruction: str
    outcome: str
    """'solved', or why not: see `hinterguesser.derive.keep`."""
    kept: bool
    reason: str | None
    """Why it was filtered out; None when kept."""
    turns: tuple[Turn, ...]
    hinter: str
    guesser: str
    seed: int
    cost_usd: float | None = 0.0
    """None: at least one call's price is not known."""
    failure: Failure | None = None

    @property
    def length(self) -> int:
        """L, the number of turns."""
        return len(self.turns)

    def to_dict(self) -> dict[str, Any]:
        """As one line of dialogues.jsonl. `failure` is there only when there is one."""
        plain: dict[str, Any] = {
            "schema": SCHEMA,
            "id": self.id,
            "game": self.game,
            "regime": self.regime,
            "entity": self.entity.to_dict(),
            "instruction": self.instruction,
            "outcome": self.outcome,
            "kept": self.kept,
            "reason": self.reason,
            "turns": [turn.to_dict() for turn in self.turns],
            "hinter": self.hinter,
            "guesser": self.guesser,
            "seed": self.seed,
            "cost_usd": self.cost_usd,
        }
        if self.failure is not None:
            plain["failure"] = self.failure.to_dict()
        return plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> "Dialogue":
        """The dialogue that `to_dict` wrote.

        Raises:
            ValueError: a schema version this program does not know.
        """
        if plain["schema"] != SCHEMA:
            raise ValueError(f"schema version {plain['schema']!r} is not known; this program reads {SCHEMA}")
        failure = plain.get("failure")
        return cls(
            id=plain["id"],
            game=plain["game"],
            regime=plain["regime"],
            entity=Entity(plain["entity"]["name"], tuple(plain["entity"]["aliases"])),
            instruction=plain["instruction"],
            outcome=plain["outcome"],
            kept=plain["kept"],
            reason=plain["reason"],
            turns=tuple(Turn.from_dict(turn) for turn in plain["turns"]),
            hinter=plain["hinter"],
            guesser=plain["guesser"],
            seed=plain["seed"],
            cost_usd=plain["cost_usd"],
            failure=Failure.from_dict(failure) if failure else None,
        )
