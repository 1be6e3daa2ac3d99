import numpy as np
import pytest

from hinterguesser.errors import UserError
from hinterguesser.replay.calibrators import Platt, fit_calibrator, fit_map, log_odds
from hinterguesser.replay.grid import Calibration, held_out


def pool_adjacent_violators(confidence, correct):
    """Distinct confidences and their isotonic means, by merging neighbours until none falls."""
    blocks = []
    for value in sorted(set(confidence)):
        inside = [y for c, y in zip(confidence, correct, strict=True) if c == value]
        blocks.append([[value], sum(inside), len(inside)])
        while len(blocks) > 1 and blocks[-2][1] / blocks[-2][2] > blocks[-1][1] / blocks[-1][2]:
            values, total, n = blocks.pop()
            blocks[-1] = [blocks[-1][0] + values, blocks[-1][1] + total, blocks[-1][2] + n]
    return {value: total / n for values, total, n in blocks for value in values}


@pytest.mark.parametrize("seed", range(50))
def test_the_isotonic_map_equals_pooling_adjacent_violators(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 60))
    confidence = rng.integers(0, rng.choice([3, 11, 101]), n) / 100
    correct = rng.random(n) < confidence
    pooled = pool_adjacent_violators(confidence.tolist(), correct.tolist())
    mapped = fit_map("isotonic", confidence, correct)(np.array(list(pooled)))
    assert mapped == pytest.approx(list(pooled.values()))


def test_the_isotonic_map_is_clipped_at_its_ends_and_leaves_unscored_states_alone():
    mapped = fit_map("isotonic", np.array([0.4, 0.6]), np.array([False, True]))
    assert mapped(np.array([0.0, 0.4, 0.5, 1.0])).tolist() == [0.0, 0.0, 0.5, 1.0]
    assert np.isnan(mapped(np.array([np.nan]))).all()


def rows_of(split, depths, n=60, model="m", dataset="a", seed=0):
    rng = np.random.default_rng(seed)
    return [
        {
            "question_id": f"{split}{q}{dataset}",
            "depth": depth,
            "confidence": float(rng.integers(0, 11) / 10),
            "correct": bool(rng.random() < 0.2 + 0.2 * depth),
            "model": model,
            "dataset": dataset,
            "split": split,
        }
        for q in range(n)
        for depth in range(depths)
    ]


def test_only_calibration_traces_of_depth_0_shape_the_default_map(make_traces):
    base = rows_of("calibration", 2) + rows_of("test", 2)
    other = [{**row, "correct": not row["correct"]} if row["split"] == "test" or row["depth"] else row for row in base]
    grids = [held_out(make_traces(rows)) for rows in (base, other)]
    fitted = [fit_calibrator("isotonic", Calibration(make_traces(rows))) for rows in (base, other)]
    assert np.array_equal(fitted[0].apply(grids[0]), fitted[1].apply(grids[0]))


def test_test_records_cannot_be_fitted_on(make_traces):
    traces = make_traces(rows_of("test", 1))
    with pytest.raises(TypeError, match="must not be fitted on"):
        fit_calibrator("isotonic", held_out(traces))
    assert len(Calibration(traces).grid) == 0


def test_per_depth_maps_differ_and_a_deeper_depth_uses_the_last(make_traces):
    traces = make_traces(rows_of("calibration", 2, n=400) + rows_of("test", 3, n=5))
    calibrated = fit_calibrator("isotonic_per_depth", Calibration(traces)).apply(held_out(traces))
    grid = held_out(traces)
    by_depth = [np.nanmean(calibrated[:, depth]) for depth in range(3)]
    assert by_depth[1] > by_depth[0] + 0.1
    last = fit_map("isotonic", Calibration(traces).grid.confidence[:, 1], Calibration(traces).grid.correct[:, 1])
    assert np.allclose(calibrated[:, 2], last(grid.confidence[:, 2]))


def test_per_dataset_maps_cover_only_their_datasets(make_traces):
    traces = make_traces(rows_of("calibration", 1) + rows_of("test", 1) + rows_of("test", 1, dataset="b"))
    pooled = fit_calibrator("isotonic", Calibration(traces))
    each = fit_calibrator("isotonic_per_dataset", Calibration(traces))
    assert [pooled.covers(0, 0), pooled.covers(0, 1)] == [True, True]
    assert [each.covers(0, 0), each.covers(0, 1)] == [True, False]


def test_platt_agrees_with_an_independent_optimiser():
    from scipy.optimize import minimize

    rng = np.random.default_rng(1)
    confidence = rng.integers(0, 101, 500) / 100
    correct = rng.random(500) < 0.2 + 0.5 * confidence
    right = correct.sum()
    target = np.where(correct, (right + 1) / (right + 2), 1 / (500 - right + 2))

    def loss(beta):
        z = beta[0] * confidence + beta[1]
        return np.logaddexp(0, z).sum() - (target * z).sum()

    best = minimize(loss, [0.0, 0.0], tol=1e-12).x
    fitted = fit_map("platt", confidence, correct)
    assert isinstance(fitted, Platt)
    assert (fitted.slope, fitted.offset) == pytest.approx(tuple(best), abs=1e-3)


@pytest.mark.parametrize("kind", ["isotonic", "platt", "temperature", "identity"])
@pytest.mark.parametrize("answers", [[True], [False], [True, True], [False, True]])
def test_every_map_stays_in_0_1_on_few_and_separated_states(kind, answers):
    confidence = np.linspace(0, 1, len(answers))
    mapped = fit_map(kind, confidence, np.array(answers))(np.linspace(0, 1, 21))
    assert ((mapped >= 0) & (mapped <= 1)).all()


def test_temperature_finds_the_one_that_made_the_data():
    rng = np.random.default_rng(2)
    confidence = rng.uniform(0.05, 0.95, 20_000)
    correct = rng.random(20_000) < 1 / (1 + np.exp(-log_odds(confidence) / 2))
    assert fit_map("temperature", confidence, correct).temperature == pytest.approx(2, rel=0.1)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", ["isotonic", "platt", "temperature", "identity"])
def test_unscored_states_stay_unscored_without_a_warning(kind):
    mapped = fit_map(kind, np.array([0.2, 0.8, 0.9]), np.array([False, True, False]))
    assert np.isnan(mapped(np.array([np.nan, 0.5]))).tolist() == [True, False]


def test_the_identity_changes_nothing(make_traces):
    traces = make_traces(rows_of("calibration", 1) + rows_of("test", 2))
    grid = held_out(traces)
    assert np.array_equal(fit_calibrator("identity", Calibration(traces)).apply(grid), grid.confidence)


@pytest.mark.parametrize("name", ["isotonics", "", "_per_depth", "isotonic_per_model"])
def test_an_unknown_calibrator_is_refused_with_the_known_ones(make_traces, name):
    with pytest.raises(UserError, match="known: isotonic, isotonic_per_depth"):
        fit_calibrator(name, Calibration(make_traces(rows_of("calibration", 1))))
