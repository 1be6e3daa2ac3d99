import pytest
from samples import dialogue

from hinterguesser.domain.dialogue import Hint
from hinterguesser.errors import UserError
from hinterguesser.store.run import RunFolder

HINT = Hint("Is it furry?", "Yes.")


def begin(path, **asked):
    return RunFolder.begin(path, "generate", {"seed": 0, **asked}, {"hinterguesser": "x"})


def tell(name):
    return dialogue(HINT, name=name, id=name)


def never(_):
    return False


def filled(path, *names):
    with begin(path).held() as run:
        run.finished(never)
        for name in names:
            run.add(tell(name))
        run.settle(sorted(names))
    return path


def ids(path):
    return [told.id for told in RunFolder.open(path).dialogues()]


def test_dialogues_stand_in_the_order_of_the_list_whatever_order_they_ended_in(tmp_path):
    assert ids(filled(tmp_path / "a", "c", "a", "b")) == ["a", "b", "c"]
    first = (tmp_path / "a" / "dialogues.jsonl").read_bytes()
    assert (filled(tmp_path / "b", "b", "c", "a") / "dialogues.jsonl").read_bytes() == first


def test_a_run_goes_on_where_it_was(tmp_path):
    path = filled(tmp_path / "run", "b")
    with begin(path).held() as run:
        assert run.finished(never) == {"b"}
        run.add(tell("a"))
        run.settle(["a", "b"])
    assert ids(path) == ["a", "b"]


@pytest.mark.parametrize("left", [1, 20, -1])
def test_a_last_line_that_was_cut_off_is_played_again_and_leaves_no_trace(tmp_path, left):
    whole = (filled(tmp_path / "whole", "a", "b") / "dialogues.jsonl").read_bytes()
    path = filled(tmp_path / "run", "a", "b")
    second = whole.index(b"\n") + 1
    cut = whole[: second + left] if left > 0 else whole[:left]
    (path / "dialogues.jsonl").write_bytes(cut)
    with pytest.raises(UserError, match=r"dialogues.jsonl:2: the line is cut off.*again"):
        ids(path)
    with begin(path).held() as run:
        assert run.finished(never) == {"a"}
        run.add(tell("b"))
        run.settle(["a", "b"])
    assert (path / "dialogues.jsonl").read_bytes() == whole


def test_a_dialogue_to_be_played_again_is_replaced_not_doubled(tmp_path):
    path = filled(tmp_path / "run", "a", "b", "c")
    with begin(path).held() as run:
        assert run.finished(lambda told: told.id == "b") == {"a", "c"}
        run.add(tell("b"))
        run.settle(["a", "b", "c"])
    assert ids(path) == ["a", "b", "c"]


def test_a_line_that_is_no_dialogue_is_named(tmp_path):
    path = filled(tmp_path / "run", "a")
    (path / "dialogues.jsonl").write_bytes(b'{"schema": 1}\n')
    with pytest.raises(UserError, match=r"dialogues.jsonl:1: this line is no dialogue"):
        ids(path)


def test_other_settings_are_refused_and_each_that_differs_is_named(tmp_path):
    filled(tmp_path / "run", "a")
    with pytest.raises(UserError) as error:
        begin(tmp_path / "run", seed=4, pace=2)
    assert "pace: null in the folder, 2 now; seed: 0 in the folder, 4 now" in str(error.value)


def test_a_folder_of_another_command_is_refused(tmp_path):
    filled(tmp_path / "run", "a")
    with pytest.raises(UserError, match="belongs to `hinterguesser generate`"):
        RunFolder.begin(tmp_path / "run", "evaluate", {}, {})


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UserError, match="not empty and holds no run"):
        begin(tmp_path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["notes.txt"]


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "x").write_text("")
    with pytest.raises(UserError, match="this is a file"):
        begin(tmp_path / "x")


def test_two_processes_do_not_work_in_one_folder(tmp_path):
    with begin(tmp_path / "run").held(), pytest.raises(UserError, match="another process is at work"):
        begin(tmp_path / "run")
    begin(tmp_path / "run")


def test_a_folder_without_a_run_is_no_run(tmp_path):
    with pytest.raises(UserError, match="no run folder"):
        RunFolder.open(tmp_path)
    with pytest.raises(UserError, match="no such folder"):
        RunFolder.open(tmp_path / "nowhere")


def test_a_record_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(UserError, match=r"run.json: this is no run's record"):
        RunFolder.open(tmp_path)
