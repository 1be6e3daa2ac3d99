"""What people did on the questions of an adapted run: who was right by which turn."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hinterguesser.errors import UserError
from hinterguesser.store.textfiles import json_objects

ANNOTATIONS_FILE = "annotations.jsonl"


@dataclass(frozen=True, slots=True)
class HumanBuzzes:
    """The human teams that tried a question."""

    right_by_turn: Mapping[int, int]
    """Turn to how many human teams were right in that very turn."""
    teams: int
    """Human teams that tried at all."""

    def share(self, turn: int, teams: int | None) -> float:
        """The share of teams that were right by `turn`, among `teams` (None: those that tried)."""
        right = sum(count for at, count in self.right_by_turn.items() if at <= turn)
        among = self.teams if teams is None else teams
        return min(1.0, right / among) if among else 0.0


def read_buzzes(path: Path) -> dict[str, HumanBuzzes]:
    """Human buzzes by dialogue id, from a run folder of `adapt grace` or its `annotations.jsonl`.

    Raises:
        UserError: there is no such file, or a line of it holds no buzzes.
    """
    file = path / ANNOTATIONS_FILE if path.is_dir() else path
    found: dict[str, HumanBuzzes] = {}
    for place, row in json_objects(file):
        try:
            people = [buzz for buzz in row["buzzes"] if not buzz["is_model"]]
            right: dict[int, int] = {}
            for team in {buzz["team"] for buzz in people if buzz["correct"]}:
                first = min(int(buzz["turn"]) for buzz in people if buzz["team"] == team and buzz["correct"])
                right[first] = right.get(first, 0) + 1
            found[row["dialogue_id"]] = HumanBuzzes(right, len({buzz["team"] for buzz in people}))
        except (KeyError, TypeError, ValueError):
            place.fail("no buzzes in this line; give the run folder that `hinterguesser adapt grace` filled")
    if not found:
        raise UserError(f"{file}: nothing in it; give the run folder that `hinterguesser adapt grace` filled")
    return found
