"""Statistics as functions of entity counts agree with the statistics themselves."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hinterguesser.stats import by_entity
from hinterguesser.stats.calibration import adaptive_ece, brier, ece
from hinterguesser.stats.information import info_ece, within_level
from hinterguesser.stats.intervals import EntityStatistic, draw_counts
from hinterguesser.stats.monotonicity import kendall_tau
from hinterguesser.stats.selective import aurc, auroc

Columns = dict[str, Any]


def columns(seed: int, entities: int = 12) -> Columns:
    rng = np.random.default_rng(seed)
    length = rng.integers(2, 7, entities * 2)
    entity = np.repeat(np.arange(entities * 2) % entities, length)
    turn = np.concatenate([np.arange(1, n + 1) for n in length])
    confidence = rng.integers(0, 11, len(turn)) / 10
    correct = rng.random(len(turn)) < 0.5
    return {
        "confidence": confidence,
        "correct": correct,
        "turn": turn,
        "length": np.repeat(length, length),
        "entity": entity,
    }


def pick(rows: Columns, *names: str) -> Columns:
    return {name: rows[name] for name in names}


RANKED = ("confidence", "correct")
LEVELLED = ("confidence", "correct", "turn", "length")
PAIRS: dict[str, tuple[Callable[[Columns], EntityStatistic], Callable[[Columns], float | None]]] = {
    "accuracy": (
        lambda r: by_entity.mean_by_entity(r["correct"], r["entity"]),
        lambda r: float(np.mean(r["correct"])),
    ),
    "brier": (
        lambda r: by_entity.mean_by_entity((r["confidence"] - r["correct"]) ** 2, r["entity"]),
        lambda r: brier(**pick(r, *RANKED)),
    ),
    "info_ece": (
        lambda r: by_entity.info_ece_by_entity(**pick(r, *LEVELLED), entity=r["entity"]),
        lambda r: info_ece(**pick(r, *LEVELLED)).value,
    ),
    "info_ece_over_all_bins": (
        lambda r: by_entity.info_ece_by_entity(**pick(r, *LEVELLED), entity=r["entity"], over_all_bins=True),
        lambda r: info_ece(**pick(r, *LEVELLED)).over_all_bins,
    ),
    "ece": (
        lambda r: by_entity.ece_by_entity(**pick(r, *RANKED), entity=r["entity"]),
        lambda r: ece(**pick(r, *RANKED)),
    ),
    "within_level_ece": (
        lambda r: by_entity.within_level_ece_by_entity(**pick(r, *LEVELLED), entity=r["entity"]),
        lambda r: within_level(**pick(r, *LEVELLED)).ece,
    ),
    "auroc": (
        lambda r: by_entity.auroc_by_entity(**pick(r, *RANKED), entity=r["entity"]),
        lambda r: auroc(**pick(r, *RANKED)),
    ),
    "aurc": (
        lambda r: by_entity.aurc_by_entity(**pick(r, *RANKED), entity=r["entity"]),
        lambda r: aurc(**pick(r, *RANKED)),
    ),
}


def collapsed(statistic: EntityStatistic, counts: np.ndarray) -> np.ndarray:
    result = statistic.of_counts(counts)
    return np.abs(result).sum(axis=1) if statistic.gaps else result


@pytest.mark.parametrize("name", PAIRS)
def test_counting_each_entity_once_gives_the_statistic(name: str) -> None:
    build, direct = PAIRS[name]
    rows = columns(1)
    assert build(rows).value() == pytest.approx(direct(rows), abs=1e-9)


@pytest.mark.parametrize("name", PAIRS)
def test_counting_entities_is_the_same_as_repeating_their_rows(name: str) -> None:
    build, direct = PAIRS[name]
    rows = columns(2)
    counts = draw_counts(12, 25, np.random.default_rng(0))
    expected = []
    for line in counts.astype(int):
        repeat = np.repeat(np.arange(len(rows["turn"])), line[rows["entity"]])
        expected.append(direct({key: values[repeat] for key, values in rows.items()}))
    assert collapsed(build(rows), counts) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("binning", ["width", "mass"])
def test_cuts_of_equal_mass_give_the_statistic_too(binning: Any) -> None:
    rows = columns(3)
    statistic = by_entity.info_ece_by_entity(**pick(rows, *LEVELLED), entity=rows["entity"], binning=binning)
    assert statistic.value() == pytest.approx(info_ece(**pick(rows, *LEVELLED), binning=binning).value, abs=1e-9)
    over_confidence = by_entity.ece_by_entity(**pick(rows, *RANKED), entity=rows["entity"], binning=binning)
    direct = ece if binning == "width" else adaptive_ece
    assert over_confidence.value() == pytest.approx(direct(**pick(rows, *RANKED)), abs=1e-9)


def test_mean_tau_is_a_mean_over_dialogues() -> None:
    rows = columns(4)
    dialogue = np.cumsum(rows["turn"] == 1) - 1
    tau = kendall_tau(dialogue, rows["turn"], rows["confidence"])
    owner = rows["entity"][np.searchsorted(dialogue, tau.dialogues)]
    assert by_entity.mean_by_entity(tau.tau, owner).value() == pytest.approx(tau.mean, abs=1e-12)


@pytest.mark.parametrize("name", PAIRS)
def test_renaming_entities_changes_nothing(name: str) -> None:
    build, _ = PAIRS[name]
    rows = columns(5)
    renamed = rows | {"entity": rows["entity"] * 1000 - 7}
    counts = draw_counts(12, 5, np.random.default_rng(0))
    assert collapsed(build(renamed), counts) == pytest.approx(collapsed(build(rows), counts), abs=1e-12)


@pytest.mark.parametrize("name", sorted(set(PAIRS) - {"accuracy"}))
def test_without_rows_no_statistic_exists(name: str) -> None:
    build, _ = PAIRS[name]
    empty = {key: values[:0] for key, values in columns(6).items()}
    assert build(empty).value() is None


@pytest.mark.parametrize("name", ["auroc", "aurc"])
def test_ranking_statistics_agree_whether_few_or_all_confidences_differ(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_entity, "DENSE_CELLS", 0)
    build, direct = PAIRS[name]
    rows = columns(8, entities=60)
    rows["confidence"] = np.random.default_rng(8).random(len(rows["turn"]))
    assert build(rows).width == len(rows["turn"])
    assert build(rows).value() == pytest.approx(direct(rows), abs=1e-9)
    rows["confidence"] = np.round(rows["confidence"], 1)
    assert build(rows).width == 11
    assert build(rows).value() == pytest.approx(direct(rows), abs=1e-9)


@pytest.mark.parametrize("digits", [1, 9])
def test_auroc_by_pairs_of_entities_is_auroc_by_rows_in_every_resample(
    digits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    build, _ = PAIRS["auroc"]
    rows = columns(9, entities=40)
    rows["confidence"] = np.round(np.random.default_rng(9).random(len(rows["turn"])), digits)
    counts = draw_counts(40, 50, np.random.default_rng(2))
    by_pairs = build(rows)
    monkeypatch.setattr(by_entity, "DENSE_CELLS", 0)
    assert by_pairs.width == 1
    assert by_pairs.of_counts(counts) == pytest.approx(build(rows).of_counts(counts), abs=1e-12)


def test_a_resample_without_both_classes_has_no_auroc() -> None:
    statistic = by_entity.auroc_by_entity([0.5, 0.6], [0, 1], [0, 1])
    assert np.isnan(statistic.of_counts(np.array([[2.0, 0.0], [1.0, 1.0]]))).tolist() == [True, False]


def test_a_difference_of_two_statistics_is_resampled_together() -> None:
    rows = columns(7)
    one = by_entity.info_ece_by_entity(**pick(rows, *LEVELLED), entity=rows["entity"], entities=12)
    other = by_entity.mean_by_entity(rows["correct"], rows["entity"], entities=12)
    counts = draw_counts(12, 9, np.random.default_rng(1))
    found = by_entity.difference(one, other).of_counts(counts)
    assert found == pytest.approx(collapsed(one, counts) - collapsed(other, counts), abs=1e-12)
    nothing = by_entity.difference(one, one)
    assert nothing.of_counts(counts).tolist() == [0.0] * 9


def test_statistics_of_different_entities_are_not_paired() -> None:
    one, other = by_entity.mean_by_entity([1, 2], [0, 1]), by_entity.mean_by_entity([1], [0])
    with pytest.raises(ValueError, match="cannot pair 2 entities with 1"):
        by_entity.difference(one, other)


def test_an_entity_code_beyond_the_entities_is_refused() -> None:
    with pytest.raises(ValueError, match=r"must lie in 0..2"):
        by_entity.mean_by_entity([1.0], [3], entities=3)
    with pytest.raises(ValueError, match="one length"):
        by_entity.mean_by_entity([1.0], [0, 0])
