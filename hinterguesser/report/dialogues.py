"""A dialogue as text, with the confidences a model had turn by turn."""

from collections.abc import Sequence

from hinterguesser.domain.dialogue import Dialogue
from hinterguesser.domain.prediction import Prediction
from hinterguesser.report.tables import MISSING, percent, table


def with_confidences(dialogue: Dialogue, predictions: Sequence[Prediction]) -> str:
    """Each turn's hint, then the model's own answer and every method's confidence in it."""
    own = [row for row in predictions if row.dialogue_id == dialogue.id and row.condition == "multi"]
    methods = list(dict.fromkeys(row.method for row in own))
    lines = [f"{dialogue.game}: {dialogue.entity.name}", ""]
    lines += [
        f"{turn.turn:>3}. {turn.hint.question} {turn.hint.answer}".replace(".  ", ". ") for turn in dialogue.turns
    ]
    rows = []
    for turn in dialogue.turns:
        here = {row.method: row for row in own if row.turn == turn.turn}
        any_row = next(iter(here.values()), None)
        answer = any_row.answer if any_row else None
        rows.append(
            (
                str(turn.turn),
                (answer or MISSING)[:40],
                {True: "yes", False: "no", None: MISSING}[any_row.correct if any_row else None],
                MISSING if turn.n_candidates is None else str(turn.n_candidates),
                *(percent(here[name].confidence if name in here else None) for name in methods),
            )
        )
    header = ("turn", "the model's answer", "right", "still fit", *methods)
    return "\n".join([*lines, "", table(header, rows, text_columns=2)])
