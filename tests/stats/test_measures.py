"""The numbers of one group: worked by hand, by exact names, and by the laws they keep."""

import numpy as np
import pytest

from hinterguesser.stats.by_entity import auroc_by_entity, mean_by_entity
from hinterguesser.stats.measures import Rows, measure
from hinterguesser.stats.resamples import Draws, bootstrap_intervals
from hinterguesser.stats.significance import sign_flip_test, sign_flip_tests

DESIGNED = [
    *("n", "dialogues", "unscored_share", "accuracy", "info_ece", "info_ece_over_all_bins", "empty_bins", "tau"),
    *("tau_dialogues", "tie_share", "ece", "brier", "auroc", "aurc", "intervals"),
]
NUMBERS = [name for name in DESIGNED if name not in ("unscored_share", "intervals")]


def rng() -> np.random.Generator:
    return np.random.default_rng(3)


def some_rows(seed: int = 0, dialogues: int = 30) -> Rows:
    random = np.random.default_rng(seed)
    lengths = random.integers(1, 9, dialogues)
    dialogue = np.repeat(np.arange(dialogues), lengths)
    turn = np.concatenate([np.arange(1, n + 1) for n in lengths])
    confidence = random.integers(0, 11, len(turn)) / 10
    correct = (random.random(len(turn)) < 0.4).astype(float)
    return Rows(dialogue, dialogue // 2, turn, np.repeat(lengths, lengths), confidence, correct, unscored=3)


def test_one_dialogue_worked_by_hand() -> None:
    # Levels 1/4 .. 1: bins 3, 5, 8, 10; gaps .2, .4, .3, .1.
    rows = Rows(
        dialogue=np.zeros(4, np.int64),
        entity=np.zeros(4, np.int64),
        turn=np.arange(1, 5),
        length=np.full(4, 4),
        confidence=np.array([0.2, 0.4, 0.7, 0.9]),
        correct=np.array([0.0, 0.0, 1.0, 1.0]),
        unscored=1,
    )
    found = measure(rows, rng())
    assert list(found)[: len(DESIGNED)] == DESIGNED
    assert found["n"] == 4
    assert found["dialogues"] == 1
    assert found["unscored_share"] == 1 / 5
    assert found["accuracy"] == 0.5
    assert found["info_ece"] == pytest.approx(0.25, abs=1e-12)
    assert found["info_ece_over_all_bins"] == pytest.approx(0.1, abs=1e-12)
    assert found["empty_bins"] == 6
    assert (found["tau"], found["tau_dialogues"], found["tie_share"]) == (1.0, 1, 0.0)
    assert found["ece"] == pytest.approx(0.25, abs=1e-12)
    assert found["brier"] == pytest.approx((0.04 + 0.16 + 0.09 + 0.01) / 4, abs=1e-12)
    assert found["auroc"] == 1.0
    assert found["aurc"] == pytest.approx((0 + 0 + 1 / 3 + 1 / 2) / 4, abs=1e-12)
    assert set(found["intervals"].values()) == {None}  # one entity: nothing to resample
    assert found["accuracy_by_level"] == [
        {"level": 3, "upper": 0.3, "n": 1, "accuracy": 0.0, "confidence": 0.2},
        {"level": 5, "upper": 0.5, "n": 1, "accuracy": 0.0, "confidence": 0.4},
        {"level": 8, "upper": 0.8, "n": 1, "accuracy": 1.0, "confidence": 0.7},
        {"level": 10, "upper": 1.0, "n": 1, "accuracy": 1.0, "confidence": 0.9},
    ]


def test_without_rows_every_number_is_none_or_0() -> None:
    none = np.zeros(0)
    codes = np.zeros(0, np.int64)
    found = measure(Rows(codes, codes, codes, codes, none, none, unscored=2), rng())
    assert (found["n"], found["dialogues"], found["unscored_share"], found["empty_bins"]) == (0, 0, 1.0, 10)
    assert {found[name] for name in ("accuracy", "info_ece", "tau", "ece", "brier", "auroc", "aurc")} == {None}
    assert found["intervals"] == {}


def test_rows_in_any_order_give_the_same_numbers_and_intervals() -> None:
    rows = some_rows()
    order = np.random.default_rng(1).permutation(len(rows.turn))
    one, other = measure(rows, rng()), measure(rows.where(order), rng())
    assert [one[name] for name in NUMBERS] == pytest.approx([other[name] for name in NUMBERS], abs=1e-12)
    for name, ends in one["intervals"].items():
        assert ends == pytest.approx(other["intervals"][name], abs=1e-12)


def test_an_unscored_row_changes_nothing_but_the_share() -> None:
    rows = some_rows()
    more = Rows(rows.dialogue, rows.entity, rows.turn, rows.length, rows.confidence, rows.correct, rows.unscored + 1)
    one, other = measure(rows, rng()), measure(more, rng())
    assert {name for name in one if one[name] != other[name]} == {"unscored_share"}


def test_reversed_turns_change_the_sign_of_tau_only_among_the_tau_numbers() -> None:
    rows = some_rows()
    turned = Rows(
        rows.dialogue,
        rows.entity,
        rows.length + 1 - rows.turn,
        rows.length,
        rows.confidence,
        rows.correct,
        rows.unscored,
    )
    one, other = measure(rows, rng(), resamples=0), measure(turned, rng(), resamples=0)
    assert one["tau"] == pytest.approx(-other["tau"], abs=1e-12)
    assert one["tie_share"] == other["tie_share"]
    assert one["brier"] == other["brier"]


def test_a_perfect_predictor_scores_0() -> None:
    rows = some_rows()
    perfect = Rows(rows.dialogue, rows.entity, rows.turn, rows.length, rows.correct, rows.correct, 0)
    found = measure(perfect, rng())
    assert [found[name] for name in ("info_ece", "ece", "brier", "within_level_ece")] == [0.0] * 4
    assert (found["auroc"], found["warning"]) == (1.0, None)


def test_a_row_whose_correctness_is_not_known_enters_tau_only() -> None:
    rows = some_rows()
    correct = rows.correct.copy()
    correct[::5] = np.nan
    some = Rows(rows.dialogue, rows.entity, rows.turn, rows.length, rows.confidence, correct, rows.unscored)
    known = ~np.isnan(correct)
    found, whole, part = (measure(each, rng()) for each in (some, rows, rows.where(known)))
    assert (found["tau"], found["unscored_share"]) == (whole["tau"], whole["unscored_share"])
    assert (found["n"], found["brier"], found["info_ece"]) == (part["n"], part["brier"], part["info_ece"])
    assert found["correct_unknown"] == int((~known).sum())


def test_groups_with_the_same_entities_share_resamples_and_do_not_depend_on_each_other() -> None:
    draws = Draws(rng(), 200)
    first, second = measure(some_rows(0), draws), measure(some_rows(1), draws)
    assert measure(some_rows(1), Draws(rng(), 200)) == second
    assert first == measure(some_rows(0), rng(), resamples=200)


def test_shared_resamples_give_the_interval_of_the_mean_its_known_width() -> None:
    values = np.random.default_rng(5).normal(size=400)
    ends = bootstrap_intervals({"m": mean_by_entity(values, range(400))}, Draws(rng(), 4000))["m"]
    assert ends is not None
    assert ends.hi - ends.lo == pytest.approx(2 * 1.96 * values.std() / 20, rel=0.08)


def test_resamples_that_are_too_many_to_keep_are_drawn_block_by_block(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = some_rows()
    statistics = {
        "mean": mean_by_entity(rows.correct, rows.entity),
        "auroc": auroc_by_entity(rows.confidence, rows.correct, rows.entity),
    }
    kept = bootstrap_intervals(statistics, Draws(rng(), 300))
    monkeypatch.setattr("hinterguesser.stats.resamples.CELLS_KEPT", 0)
    anew = bootstrap_intervals(statistics, Draws(rng(), 300))
    assert kept == anew


def test_many_sign_flip_tests_are_the_single_ones() -> None:
    random = np.random.default_rng(8)
    families = [random.normal(0.2, 1, n) for n in (5, 40, 40, 12, 40)] + [np.zeros(0)]
    together = sign_flip_tests(families, rng(), permutations=999)
    alone = [sign_flip_test(means, range(len(means)), rng(), permutations=999) for means in families]
    assert together == alone
    assert together[-1] is None
