"""Splits by entity: drawn by a hash of its name, so that an entity never changes sides between versions."""

import re
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256

from hinterguesser.domain.spelling import normalise
from hinterguesser.errors import UserError

TEST = "test"
CALIBRATION = "calibration"

_NAME = re.compile(r"[a-z]{1,20}")
_WAY_OUT = "write shares that add up to 1, for instance calibration=0.3,test=0.7"


@dataclass(frozen=True, slots=True)
class Splits:
    """Names of the splits and their shares, which add up to 1.

    The splits divide the interval from 0 to 1 in the order of their names, so when a share grows, entities move over
    one border only and all others stay where they are.
    """

    shares: tuple[tuple[str, Fraction], ...] = ((TEST, Fraction(1)),)

    def of(self, entity: str) -> str:
        """The split that the entity of this name belongs to, in every config and every version."""
        digest = sha256(normalise(entity).encode("utf-8", "backslashreplace")).digest()
        point = Fraction(int.from_bytes(digest[:8]), 2**64)
        upto = Fraction(0)
        for name, share in self.shares:
            upto += share
            if point < upto:
                return name
        return self.shares[-1][0]

    def to_dict(self) -> dict[str, float]:
        """Share by split, for a release's provenance."""
        return {name: float(share) for name, share in self.shares}


def read_splits(text: str | None) -> Splits:
    """The splits that `--splits` asks for, e.g. 'calibration=0.3,test=0.7'; None: all `test`.

    Raises:
        UserError: not such a list, no split called `test`, or shares that do not add up to 1.
    """
    if text is None:
        return Splits()
    shares: dict[str, Fraction] = {}
    for part in text.split(","):
        name, _, share = (piece.strip() for piece in part.partition("="))
        if not _NAME.fullmatch(name) or not re.fullmatch(r"[01]|[01]?\.\d{1,9}", share) or Fraction(share) == 0:
            raise UserError(f"--splits: {part.strip()!r} is no NAME=SHARE with a share between 0 and 1; {_WAY_OUT}")
        if name in shares:
            raise UserError(f"--splits: {name!r} stands there twice; {_WAY_OUT}")
        shares[name] = Fraction(share)
    if TEST not in shares:
        raise UserError(f"--splits: one split must be called {TEST!r}, which is what `evaluate` reads; {_WAY_OUT}")
    if sum(shares.values()) != 1:
        raise UserError(f"--splits: the shares add up to {float(sum(shares.values())):g}; {_WAY_OUT}")
    return Splits(tuple(sorted(shares.items())))
