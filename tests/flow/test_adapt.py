import json

import pytest
from loopback import Loopback, chat
from quiz_packets import CLUES, PASSWORD, folder, packets, published_zip, tossup

from hinterguesser.backends.settings import CallSettings
from hinterguesser.errors import UserError
from hinterguesser.flow.adapt import adapt
from hinterguesser.flow.derive import DeriveSettings, derive
from hinterguesser.flow.evaluate import evaluate
from hinterguesser.flow.source import Source
from hinterguesser.flow.trials import EvaluateSettings
from hinterguesser.store.release import build
from hinterguesser.store.run import RunFolder


@pytest.fixture
def grace(tmp_path):
    """A run of made-up packets: four questions, and one record without an answer."""
    files = packets() | {"packet11_buzzpoints.json": [tossup(5, answer="")]}
    outcome = adapt("grace", published_zip(tmp_path / "published.zip", files), tmp_path / "run", password=PASSWORD)
    return outcome, tmp_path / "run"


def told(path):
    return list(RunFolder.open(path).dialogues())


def test_every_record_is_kept_or_rejected_with_its_reason(grace):
    outcome, run = grace
    assert (outcome.records, outcome.kept, dict(outcome.rejected)) == (5, 4, {"no_answer": 1})
    first, *_, last = told(run)
    assert [turn.hint.answer for turn in first.turns] == CLUES
    assert (first.regime, first.kept, last.reason) == ("fully_specified", True, "no_answer")


def test_the_password_is_kept_nowhere(grace):
    _, run = grace
    assert not any(PASSWORD.encode() in file.read_bytes() for file in run.rglob("*") if file.is_file())


def test_buzzes_stand_beside_the_dialogues(grace):
    _, run = grace
    rows = [json.loads(line) for line in (run / "annotations.jsonl").read_text().splitlines()]
    assert [row["dialogue_id"] for row in rows] == [one.id for one in told(run) if one.kept]
    assert rows[0]["buzzes"][0] == {"team": "H2", "is_model": False, "correct": False, "word": 4, "turn": 1}
    assert rows[0]["answer_line"]["rejected"]


def test_the_same_command_again_keeps_what_was_derived(grace, tmp_path):
    outcome, run = grace
    derive(run)
    before = (run / "dialogues.jsonl").read_bytes()
    assert adapt("grace", tmp_path / "published.zip", run, password=PASSWORD) == outcome
    assert (run / "dialogues.jsonl").read_bytes() == before
    with pytest.raises(UserError, match="granularity"):
        adapt("grace", tmp_path / "published.zip", run, password=PASSWORD, granularity="characters:100")


def test_clues_get_summaries_and_no_placebos(grace):
    _, run = grace
    derived = derive(run)
    assert (derived.dialogues, derived.placebos.total(), derived.missing) == (4, 0, ())
    turns = told(run)[0].turns
    assert [turn.summary for turn in turns] == [" ".join(CLUES[:number]) for number in (1, 2, 3)]
    assert all(turn.placebo is None for turn in turns)
    with pytest.raises(UserError, match="no placebos; leave out --placebo"):
        derive(run, DeriveSettings(placebo="pool"))


def test_a_model_can_write_the_summaries_and_other_settings_need_redo(grace):
    _, run = grace
    derive(run)
    with Loopback(lambda _: chat('{"summary": "It warns ships."}')) as server:
        calls = CallSettings(api_base=server.url)
        with pytest.raises(UserError, match="--redo"):
            derive(run, DeriveSettings(model="m"), calls)
        derive(run, DeriveSettings(model="m", redo=True), calls)
        made = server.count
        assert {turn.summary for one in told(run) for turn in one.turns} == {"It warns ships."}
        derive(run, DeriveSettings(model="m"), calls)
        assert server.count == made


def test_adapted_runs_are_evaluated_and_built_like_any_other(grace, tmp_path):
    _, run = grace
    derive(run)
    with Loopback(lambda _: chat(r"\boxed{lighthouse}")) as server:
        settings = EvaluateSettings(Source(run), "m", methods=("vanilla_verb",), conditions=("multi", "single"))
        evaluation = evaluate(settings, tmp_path / "eval", CallSettings(api_base=server.url))
    assert {row.dataset for row in evaluation.predictions} == {"grace"}
    assert {row.correct for row in evaluation.predictions} == {True}
    configs = build([RunFolder.open(run)], tmp_path / "release", "1.0.0")
    assert [(one.name, one.dialogues, one.licence) for one in configs] == [
        ("grace", 4, None),
        ("grace_rejected", 1, None),
    ]
    assert list(Source(tmp_path / "release", "grace").kept()) == [one for one in told(run) if one.kept]


def test_a_source_at_fault_leaves_no_folder(tmp_path):
    for path, said in (
        (tmp_path / "none.zip", "no such file"),
        (folder(tmp_path / "a", {"packet1_x.json": [tossup(answer="")]}), "no record becomes a dialogue"),
    ):
        with pytest.raises(UserError, match=said):
            adapt("grace", path, tmp_path / "run")
    with pytest.raises(UserError, match="unknown source dataset 'squad'; there are: grace, trickme"):
        adapt("squad", tmp_path, tmp_path / "run")
    assert not (tmp_path / "run").exists()
