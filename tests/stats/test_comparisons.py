"""Predictions by group, condition against condition, and against exact references."""

from typing import Any

import numpy as np
import pytest

from hinterguesser.domain.predictions import Labels, Predictions
from hinterguesser.stats.comparisons import compare_conditions
from hinterguesser.stats.grouping import groups_of, repeated_turns, rows_of, unscored_reasons
from hinterguesser.stats.references import against_references, gold_monotonicity
from hinterguesser.stats.resamples import Draws
from hinterguesser.stats.significance import group_means, holm


def rng() -> np.random.Generator:
    return np.random.default_rng(3)


def predictions(rows: list[dict[str, Any]]) -> Predictions:
    def column(name: str, default: Any = None) -> list[Any]:
        return [row.get(name, default) for row in rows]

    def numbers(name: str) -> np.ndarray:
        return np.array([np.nan if value is None else value for value in column(name)], dtype=float)

    return Predictions(
        dialogue_id=Labels.of(column("dialogue_id")),
        turn=np.array(column("turn"), dtype=np.int64),
        length=np.array(column("length"), dtype=np.int64),
        confidence=numbers("confidence"),
        correct=numbers("correct"),
        labels={name: Labels.of(column(name)) for name in ("dataset", "condition", "method", "target")},
        entity_name=Labels.of(column("entity")),
        unscored_reason=Labels.of(column("unscored_reason")),
    )


def row(dialogue: str, turn: int, confidence: float | None, correct: Any = 0, **other: Any) -> dict[str, Any]:
    named = {"dataset": "d", "condition": "multi", "method": "m", "target": "answer", "entity": dialogue[0]}
    return (
        {"dialogue_id": dialogue, "turn": turn, "length": 3, "confidence": confidence, "correct": correct}
        | named
        | other
    )


def test_the_same_id_in_another_dataset_is_another_dialogue() -> None:
    some = predictions([row("a1", 1, 0.1), row("a1", 1, 0.2, dataset="e")])
    assert len(set(some.dialogue.tolist())) == 2
    assert len(set(some.entity.tolist())) == 1


def test_a_dialogue_without_an_entity_is_its_own() -> None:
    some = predictions([row("a1", 1, 0.1, entity=None), row("b1", 1, 0.2, entity=None), row("c1", 1, 0.2, entity="a")])
    assert len(set(some.entity.tolist())) == 3


def test_groups_come_in_order_of_appearance_and_unscored_reasons_are_counted() -> None:
    some = predictions(
        [
            row("a1", 1, None, method="z", unscored_reason="refused"),
            row("a1", 1, 0.5, method="b"),
            row("a1", 2, None, method="z"),
            row("a1", 3, 0.7, method="z"),
            row("b1", 3, None, method="z", unscored_reason="refused"),
        ]
    )
    groups = groups_of(some, ("method",))
    assert [(group.by, group.rows.tolist()) for group in groups] == [
        ({"method": "z"}, [0, 2, 3, 4]),
        ({"method": "b"}, [1]),
    ]
    assert unscored_reasons(some, groups[0].rows) == {"refused": 2, "no reason given": 1}
    assert rows_of(some, groups[0].rows).unscored == 3


def test_repeated_turns_are_found_inside_a_group_only() -> None:
    group, dialogue, turn = np.array([0, 1, 0, 0]), np.array([7, 7, 7, 8]), np.array([2, 2, 2, 2])
    again, earlier = repeated_turns(group, dialogue, turn)
    assert again.tolist() == [False, False, True, False]
    assert earlier[2] == 0


def placebo_rows() -> list[dict[str, Any]]:
    rows = []
    for at, dialogue in enumerate(("a1", "b1", "b2", "c1")):
        for turn, confidence in enumerate((0.2, 0.5 + at / 20, 0.9), start=1):
            rows.append(row(dialogue, turn, confidence))
            rows.append(row(dialogue, turn, confidence - 0.1 if turn > 1 else 0.2, condition="placebo"))
    return rows


def test_the_placebo_test_takes_turn_i_minus_1_as_the_baseline_and_starts_at_turn_2() -> None:
    rows = placebo_rows()
    rows[2 * 3 + 2 * 2]["confidence"] = None  # dialogue b1, turn 3 of multi: that turn is left out
    found = compare_conditions(predictions(rows), rng(), Draws(rng(), 100))
    [cell] = found.placebo
    assert cell.by == {"dataset": "d", "method": "m", "target": "answer"}
    assert cell.test.rows == 7
    # Entities: a .3, .4; b1 .35; b2 .4, .3; c .45, .25 of informative change.
    changes = [0.35, (0.35 + 0.35) / 2, 0.35]
    assert cell.test.informative.mean == pytest.approx(np.mean(changes), abs=1e-12)
    assert cell.test.difference.mean == pytest.approx(0.1, abs=1e-12)
    ps = [cell.test.informative.p_sign_flip, cell.test.placebo.p_sign_flip, cell.test.difference.p_sign_flip]
    assert ps == [0.25] * 3  # three entities, all up: 2 of 8 patterns
    assert list(cell.adjusted) == holm(ps) == [0.75] * 3
    assert found.tests == 3


def test_holm_is_over_placebo_tests_and_formats_together_and_references_are_not_tested() -> None:
    rows = placebo_rows()
    rows += [
        {**each, "condition": "single", "confidence": 0.3, "correct": 1}
        for each in rows
        if each["condition"] == "multi"
    ]
    rows += [{**each, "method": "oracle_correct"} for each in rows]
    found = compare_conditions(predictions(rows), rng(), Draws(rng(), 100))
    assert len(found.placebo) == 1
    assert [(each.by.get("method"), each.quantity) for each in found.formats] == [
        ("m", "confidence"),
        (None, "accuracy"),
    ]
    assert found.tests == 5
    assert found.formats[1].difference.change.mean == -1.0
    raw = [c.p_sign_flip for c in (found.placebo[0].test.informative, found.placebo[0].test.placebo)]
    raw += [
        found.placebo[0].test.difference.p_sign_flip,
        *(each.difference.change.p_sign_flip for each in found.formats),
    ]
    assert [*found.placebo[0].adjusted, *(each.adjusted for each in found.formats)] == holm(raw)


def test_the_placebo_test_agrees_with_a_loop_over_dialogues() -> None:
    random = np.random.default_rng(4)
    rows = []
    for at in range(20):
        for condition in ("multi", "placebo"):
            rows += [
                row(
                    f"{at}",
                    t,
                    None if random.random() < 0.1 else float(random.random()),
                    condition=condition,
                    entity=str(at // 2),
                )
                for t in range(1, 4)
            ]
    by_place = {(r["condition"], r["dialogue_id"], r["turn"]): r["confidence"] for r in rows}
    changes, owners = [], []
    for at in range(20):
        moved = []
        for turn in (2, 3):
            three = [by_place[key, f"{at}", t] for key, t in (("multi", turn - 1), ("multi", turn), ("placebo", turn))]
            if None not in three:
                moved.append(three[2] - three[0])
        if moved:
            changes.append(np.mean(moved))
            owners.append(at // 2)
    random.shuffle(rows)
    [cell] = compare_conditions(predictions(rows), rng(), Draws(rng(), 0)).placebo
    assert cell.test.placebo.mean == pytest.approx(group_means(changes, owners)[1].mean(), abs=1e-12)


def test_regret_and_uniqueness_worked_by_hand() -> None:
    rows = [row("a1", 1, 0.6), row("a1", 2, 0.5, correct=1), row("a1", 3, 0.8, correct=1)]
    oracle = [row("a1", turn, q, method="oracle_correct") for turn, q in ((1, 0.25), (2, 0.5), (3, 1.0))]
    unique = [row("a1", turn, u, method="oracle_sufficient") for turn, u in ((1, 0.0), (2, 0.0), (3, 1.0))]
    gold = [row("a1", turn, c, target="gold") for turn, c in ((1, 0.1), (2, 0.2), (3, 0.3))]
    found = against_references(predictions([*rows, *oracle, *unique, *gold]), Draws(rng(), 0))
    answer, of_gold = found
    right, alone = answer["correctness"], answer["uniqueness"]
    assert right["n"] == alone["n"] == 3
    assert right["regret"] == pytest.approx((0.36 - 0.0625 + 0 + 0.04) / 3, abs=1e-12)
    assert right["distance"] == pytest.approx((0.35**2 + 0 + 0.04) / 3, abs=1e-12)
    assert right["brier"] - right["reference_brier"] == pytest.approx(right["regret"], abs=1e-12)
    assert alone["brier"] == alone["regret"] == pytest.approx((0.36 + 0.25 + 0.04) / 3, abs=1e-12)
    assert alone["auroc"] == 1.0
    assert alone["unique_share"] == pytest.approx(1 / 3)
    assert of_gold["correctness"] is None
    assert of_gold["uniqueness"]["auroc"] == 1.0


def test_a_turn_without_a_certificate_does_not_enter_and_without_any_there_is_nothing() -> None:
    rows = [row("a1", 1, 0.6), row("a1", 2, 0.5)]
    assert against_references(predictions(rows), Draws(rng(), 0)) == []
    found = against_references(predictions([*rows, row("a1", 2, 1.0, method="oracle_sufficient")]), Draws(rng(), 0))
    assert found[0]["correctness"] is None
    assert found[0]["uniqueness"]["n"] == 1


def test_gold_tau_stands_beside_the_own_with_their_difference_over_common_dialogues() -> None:
    rows = [row("a1", t, c) for t, c in ((1, 0.3), (2, 0.2), (3, 0.4))]
    rows += [row("a1", t, c, target="gold") for t, c in ((1, 0.1), (2, 0.2), (3, 0.4))]
    rows += [row("b1", t, c, target="gold") for t, c in ((1, 0.5), (2, 0.2))]
    [found] = gold_monotonicity(predictions(rows), Draws(rng(), 100))
    assert found["by"] == {"dataset": "d", "condition": "multi", "method": "m"}
    assert found["tau_gold"] == 0.0  # 1 and -1
    assert found["tau_answer"] == pytest.approx(1 / 3)
    assert found["difference"] == pytest.approx(2 / 3)
