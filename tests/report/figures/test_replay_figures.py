"""Figures of a replay: their data are the replay's numbers, and they draw."""

import csv
import io
import random

import numpy as np
import pytest

from hinterguesser.flow.replay import replay, request
from hinterguesser.report.figures.catalogue import replay_figures
from hinterguesser.report.figures.files import data, drawn, save
from hinterguesser.store.traces import write_traces

NAMES = ["accuracy_cost", "risk_by_depth", "ece_by_depth", "transitions"]


def rows(questions, depths=4, split=True, datasets=("d", "e"), models=("m",)):
    """Confidence that means what it says; one state in ten is unscored."""
    rng = random.Random(0)
    for model in models:
        for dataset in datasets:
            for number in range(questions):
                for depth in range(depths):
                    confidence = round(min(1.0, 0.2 * depth + rng.random() * 0.4), 2)
                    row = {"question_id": f"{dataset}{number}", "depth": depth, "dataset": dataset, "model": model}
                    row |= {"correct": rng.random() < confidence, "answer": f"{rng.random()}"}
                    row["confidence"] = None if rng.random() < 0.1 else confidence
                    yield row | ({"split": "calibration" if number % 2 else "test"} if split else {})


def replayed(tmp_path, **how):
    path = tmp_path / "traces.jsonl"
    write_traces(rows(how.pop("questions", 60), **how), path)
    return replay(request([path], resamples=50))


def records(figure):
    return list(csv.DictReader(io.StringIO(data(figure))))


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    found = replayed(tmp_path_factory.mktemp("traces"))
    return found, {figure.name: figure for figure in replay_figures(found)}


def test_there_is_a_figure_of_each_kind_and_it_has_the_same_files_on_every_run(both, tmp_path):
    found, made = both
    assert list(made) == NAMES
    for first, again in zip(made.values(), replay_figures(found), strict=True):
        one, two = save(first, tmp_path / "a"), save(again, tmp_path / "b")
        assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]


def test_marks_are_the_accounts_with_their_intervals(both):
    found, made = both
    accounts = {(row["dataset"], row["controller"]): row for row in found.details()["accounts"]}
    marks = [row for row in records(made["accuracy_cost"]) if row["threshold"] == ""]
    assert len(marks) == len(accounts)
    for row in marks:
        account = accounts[row["dataset"], row["controller"]]
        ends = account["intervals"]["overall_accuracy"]
        names = ("mean_retrievals", "overall_accuracy", "overall_accuracy_lo", "overall_accuracy_hi", "n")
        wanted = [account["mean_retrievals"], account["overall_accuracy"], *ends, account["n"]]
        assert [float(row[name]) for name in names] == pytest.approx(wanted)


def test_the_gate_as_it_was_set_lies_on_its_line(both):
    _, made = both
    found = records(made["accuracy_cost"])
    for dataset in "de":
        for controller in ("raw_gated", "calibrated_gated"):
            own = [row for row in found if (row["dataset"], row["controller"]) == (dataset, controller)]
            line = {(row["mean_retrievals"], row["overall_accuracy"]) for row in own if row["threshold"]}
            [mark] = [row for row in own if not row["threshold"]]
            assert (mark["mean_retrievals"], mark["overall_accuracy"]) in line


def test_errors_by_depth_are_those_of_the_replay_and_have_intervals(both):
    found, made = both
    depths = {at["depth"]: at for at in found.details()["depths"]}
    shown = records(made["ece_by_depth"])
    assert [(row["depth"], row["confidence"]) for row in shown] == [
        (str(depth), kind) for depth in range(4) for kind in ("raw", "calibrated")
    ]
    for row in shown:
        at = depths[int(row["depth"])]
        assert float(row["ece"]) == at[row["confidence"]]
        assert float(row["unscored_share"]) == at["unscored_share"] > 0
        assert 0 <= float(row["ece_lo"]) <= float(row["ece"])
        assert float(row["ece_lo"]) < float(row["ece_hi"])


def test_transitions_are_shares_of_the_counts(both):
    found, made = both
    moves = {move["depth"]: move for move in found.to_dict()["transitions"]}
    for row in records(made["transitions"]):
        move = moves[int(row["depth"])]
        assert float(row["share"]) == move[row["transition"].replace(" ", "_")] / move["n"]
        assert float(row["share_lo"]) <= float(row["share"]) <= float(row["share_hi"])


def test_the_risk_of_all_is_the_share_of_wrong_answers_among_scored_states(both):
    found, made = both
    test = found.traces
    last = [row for row in records(made["risk_by_depth"]) if row["coverage"] == "1.0" and "raw" in row["dataset"]]
    assert len(last) == 8  # two datasets, four depths
    assert np.isclose(sum(int(row["risk_n"]) for row in last), _scored_test_states(test))


def _scored_test_states(traces):
    from hinterguesser.replay.grid import held_out

    return int(held_out(traces).scored.sum())


def test_without_calibration_only_raw_confidence_is_drawn(tmp_path):
    made = {figure.name: figure for figure in replay_figures(replayed(tmp_path, split=False, datasets=("d",)))}
    assert {row["confidence"] for row in records(made["ece_by_depth"])} == {"raw"}
    assert {row["dataset"] for row in records(made["risk_by_depth"])} == {"d, raw"}


def test_of_many_depths_the_first_the_last_and_three_between_have_a_curve(tmp_path):
    made = {figure.name: figure for figure in replay_figures(replayed(tmp_path, depths=12, split=False, questions=20))}
    assert {int(row["depth"]) for row in records(made["risk_by_depth"])} == {0, 3, 6, 8, 11}


def test_a_single_depth_has_no_transitions_and_odd_names_draw(tmp_path):
    found = replayed(tmp_path, depths=1, models=("$a$_<b>\\",), datasets=("x\x1b\n", "_y"), questions=8)
    made = {figure.name: figure for figure in replay_figures(found)}
    assert list(made) == NAMES[:3]
    assert all(drawn(figure)["png"].startswith(b"\x89PNG") for figure in made.values())


def test_captions_say_how_many_states_and_what_share_is_unscored(both):
    assert all("N = 240 states" in f.caption and "unscored" in f.caption for f in both[1].values())
