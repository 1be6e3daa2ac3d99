"""Predictions as columns: what statistics are taken of, a million rows at a time."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hinterguesser.domain.prediction import Prediction

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]

LABELS = ("dataset", "model", "condition", "method", "target")
"""The columns that tell groups apart unless others are asked for, in the order of the tables."""

ORACLE_CORRECT, ORACLE_SUFFICIENT = REFERENCES = ("oracle_correct", "oracle_sufficient")
"""Methods that are no model's: what is exactly known where a certificate says how many entities fit."""


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """A column of texts."""

    codes: IntArray
    """Shape (n,): places in `names`; -1 where the row has no text."""
    names: Sequence[str]
    """The distinct texts, in order of first appearance."""

    @classmethod
    def of(cls, texts: Iterable[str | None]) -> Self:
        """Number the distinct texts."""
        numbers: dict[str | None, int] = {None: -1}
        codes = np.fromiter((numbers.setdefault(text, len(numbers) - 1) for text in texts), dtype=np.int64)
        return cls(codes, tuple(name for name in numbers if name is not None))

    @classmethod
    def joined(cls, columns: Sequence["Labels | None"], sizes: Sequence[int]) -> Self:
        """One column after the other; one of `sizes[i]` rows without a text where `columns[i]` is None."""
        numbers: dict[str, int] = {}
        codes = []
        for column, size in zip(columns, sizes, strict=True):
            if column is None:
                codes.append(np.full(size, -1, dtype=np.int64))
            else:
                anew = [numbers.setdefault(name, len(numbers)) for name in column.names]
                codes.append(np.array([*anew, -1], dtype=np.int64)[column.codes])  # code -1 takes the last
        return cls(np.concatenate(codes), tuple(numbers))

    def name(self, code: int) -> str | None:
        """The text that a code stands for."""
        return None if code < 0 else self.names[code]

    def code(self, name: str) -> int:
        """The code of a text; -2 where no row has it."""
        return self.names.index(name) if name in self.names else -2


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """Rows as columns, each of shape (n,), in the order of their source."""

    dialogue_id: Labels
    turn: IntArray
    length: IntArray
    confidence: FloatArray
    """In [0, 1]; nan where unscored."""
    correct: FloatArray
    """1 or 0; nan where there is no answer that could be right."""
    labels: Mapping[str, Labels] = field(default_factory=dict)
    """Columns that tell groups apart, by name: those of `LABELS` that are known, and any others asked for."""
    entity_name: Labels | None = None
    unscored_reason: Labels | None = None
    label_mass: FloatArray | None = None
    """What both labels of a label probe had together, in [0, 1]; nan where there is none."""
    dialogue: IntArray = field(init=False)
    """One code a dialogue. The same id in another dataset is another dialogue."""
    entity: IntArray = field(init=False)
    """One code an entity; a dialogue whose entity is not known is an entity of its own."""
    scored: NDArray[np.bool_] = field(init=False)
    """Where there is a confidence."""

    def __post_init__(self) -> None:
        """Work out what is asked for again and again."""
        object.__setattr__(self, "dialogue", self._dialogues())
        object.__setattr__(self, "entity", self._entities())
        object.__setattr__(self, "scored", ~np.isnan(self.confidence))

    @classmethod
    def of(cls, rows: Sequence[Prediction]) -> Self:
        """The columns of `rows`."""

        def numbers(name: str) -> FloatArray:
            values = (getattr(row, name) for row in rows)
            return np.fromiter((np.nan if value is None else value for value in values), np.float64, len(rows))

        return cls(
            dialogue_id=Labels.of(row.dialogue_id for row in rows),
            turn=np.fromiter((row.turn for row in rows), np.int64, len(rows)),
            length=np.fromiter((row.length for row in rows), np.int64, len(rows)),
            confidence=numbers("confidence"),
            correct=numbers("correct"),
            labels={name: Labels.of(getattr(row, name) for row in rows) for name in LABELS},
            entity_name=Labels.of(row.entity for row in rows),
            unscored_reason=Labels.of(row.unscored_reason for row in rows),
            label_mass=numbers("label_mass"),
        )

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The rows of all parts, in order; a column that a part lacks has no texts there.

        Entities are known by name where a part has names; dialogues of the other parts are entities of their own.
        """
        if len(parts) == 1:
            return parts[0]

        def texts(columns: Sequence[Labels | None]) -> Labels | None:
            return None if all(column is None for column in columns) else Labels.joined(columns, sizes)

        sizes = [len(part) for part in parts]
        names = [name for name in LABELS if any(name in part.labels for part in parts)]
        masses = [np.full(len(part), np.nan) if part.label_mass is None else part.label_mass for part in parts]
        return cls(
            dialogue_id=Labels.joined([part.dialogue_id for part in parts], sizes),
            turn=np.concatenate([part.turn for part in parts]),
            length=np.concatenate([part.length for part in parts]),
            confidence=np.concatenate([part.confidence for part in parts]),
            correct=np.concatenate([part.correct for part in parts]),
            labels={name: Labels.joined([part.labels.get(name) for part in parts], sizes) for name in names},
            entity_name=texts([part.entity_name for part in parts]),
            unscored_reason=texts([part.unscored_reason for part in parts]),
            label_mass=np.concatenate(masses),
        )

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.turn)

    def _dialogues(self) -> IntArray:
        dataset = self.labels.get("dataset")
        if dataset is None or (len(dataset.names) <= 1 and (len(self) == 0 or dataset.codes.min() >= 0)):
            return self.dialogue_id.codes
        return self.dialogue_id.codes * (len(dataset.names) + 1) + dataset.codes + 1

    def _entities(self) -> IntArray:
        if self.entity_name is None:
            return self.dialogue
        codes = self.entity_name.codes
        return codes if (codes >= 0).all() else np.where(codes >= 0, codes, len(self.entity_name.names) + self.dialogue)
