"""Single-turn summaries: one text that says every hint so far, and nothing else."""

from hinterguesser.domain.dialogue import Dialogue, Hint
from hinterguesser.domain.facts import FactTable


def worded(dialogue: Dialogue, table: FactTable | None) -> list[str]:
    """One summary a turn, without a model: each hint as a statement, in the order given.

    A hint that the fact table knows is said in the table's words; any other is quoted, so that nothing is lost.
    """
    statements = [_statement(turn.hint, table) for turn in dialogue.turns]
    return [" ".join(statements[: number + 1]) for number in range(len(statements))]


def _statement(hint: Hint, table: FactTable | None) -> str:
    fact = table.fact_of(hint) if table else None
    if fact is not None:
        return fact.statement
    if not hint.question:
        return hint.answer
    answer = hint.answer if hint.answer.endswith((".", "!", "?")) else f"{hint.answer}."
    return f'To the question "{hint.question}" the answer is: {answer}'
