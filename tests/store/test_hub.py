"""push, and reading back, against a Hub on the loopback interface, by the real huggingface_hub and datasets clients."""

import io
import json
import os
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from loopback import Loopback, chat
from loopback_hub import READ_ONLY, TOKEN, File, LoopbackHub, Repo
from samples import dialogue

from hinterguesser.domain.dialogue import Hint
from hinterguesser.store.release import build, read_config
from hinterguesser.store.run import RunFolder
from hinterguesser.store.splits import read_splits

NAMES = ["wolf", "eel", "owl", "عقاب", "🦦 otter", "crab", "elk", "asp"]


def a_run(path, *told, **asked):
    command = "adapt" if "source" in asked else "generate"
    with RunFolder.begin(path, command, asked or {"game": "20q"}, {}).held() as run:
        run.finished(lambda _: False)
        for one in told:
            run.add(one)
        run.settle([one.id for one in told])
    return RunFolder.open(path)


def told(game, name, **other):
    hints = [Hint(f"Is it {word}?", "Yes.") for word in ("furry", "small")]
    return dialogue(*hints, name=name, id=f"{game}-{name}", game=game, **other)


def a_release(path, game="20q", version="1.0.0", splits="calibration=0.4,test=0.6", names=NAMES):
    played = [told(game, name) for name in names]
    rejected = told(game, "ape", kept=False, outcome="leak")
    build([a_run(path / "run", *played, rejected, game=game)], path / "release", version, read_splits(splits))
    return path / "release"


class Bench:
    """A Hub, a repository's name, and ways to run the clients."""

    def __init__(self, hub, folder):
        self.hub = hub
        self.name = "ada/hints"
        self.folder = folder
        (folder / "empty").mkdir()

    @property
    def repo(self):
        return self.hub.repos[self.name]

    def run(self, *arguments, code=None, token=TOKEN):
        """The command line, or Python code, in a process of its own: the clients read HF_ENDPOINT when imported."""
        left = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HUGGING"))}
        started = ["-m", "hinterguesser"] if code is None else ["-c", code]
        return subprocess.run(
            [sys.executable, *started, *map(str, arguments)],
            capture_output=True, text=True, timeout=120, cwd=self.folder / "empty",
            env={**left, **self.hub.environment(self.folder / "home", token)},
        )  # fmt: skip

    def push(self, release, *options, token=TOKEN, status=0, repo=None):
        done = self.run("push", release, "--repo", repo or self.name, *options, token=token)
        assert done.returncode == status, done.stderr
        assert "Traceback" not in done.stderr
        for secret in (TOKEN, READ_ONLY, "hf_wrong0token"):
            assert secret not in done.stdout + done.stderr
        return done.stdout if status == 0 else done.stderr

    def loaded(self, *parts):
        """Rows as `datasets.load_dataset` gives them, for each (config, split, revision); config alone will do."""
        whole = [(*part, *("test", None)[len(part) - 1 :]) for part in parts]
        done = self.run(self.name, json.dumps(whole), code=LOAD)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def nothing_is_seen(self):
        """Whether nothing that anybody can see was pushed."""
        there = self.hub.repos.get(self.name)
        return there is None or (len(there.commits) == 1 and not there.tags)


@pytest.fixture
def bench(tmp_path):
    with LoopbackHub() as hub:
        yield Bench(hub, tmp_path)


LOAD = """
import json, sys, datasets
for config, split, revision in (asked := json.loads(sys.argv[2])):
    rows = datasets.load_dataset(sys.argv[1], config, split=split, revision=revision)
    asked[asked.index([config, split, revision])] = [dict(row) for row in rows]
print(json.dumps(asked))
"""


def rows_of(release, config, split="test"):
    return [one.to_dict() for one in read_config(release, config, split)]


def test_a_pushed_release_comes_back_equal_through_datasets_and_through_load(bench, tmp_path):
    release = a_release(tmp_path)
    said = bench.push(release)
    assert f"{bench.hub.url}/datasets/{bench.name}" in said
    assert "tag v1.0.0" in said
    assert bench.repo.private
    assert len(bench.repo.commits) == 2
    assert bench.repo.tags == {"v1.0.0": bench.repo.commits[1].oid}
    [split] = json.loads((release / "provenance.json").read_text())["configs"]["20q_rejected"]["splits"]
    test, calibration, rejected = bench.loaded(("20q",), ("20q", "calibration"), ("20q_rejected", split))
    assert test == rows_of(release, "20q")
    assert calibration == rows_of(release, "20q", "calibration")
    assert [row["reason"] for row in rejected] == ["leak"]
    code = (
        "import hinterguesser, json\n"
        f"told = hinterguesser.load({bench.name!r}, '20q', split='calibration', revision='v1.0.0')\n"
        "print(json.dumps([one.to_dict() for one in told]))"
    )
    done = bench.run(code=code)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == rows_of(release, "20q", "calibration")


def test_evaluate_reads_a_dataset_on_the_hub_and_goes_on_there(bench, tmp_path):
    release = a_release(tmp_path)
    bench.push(release)

    def model(request):
        return chat(r"### Confidence: \boxed{80}" if b"Confidence" in request.raw else r"\boxed{wolf}")

    with Loopback(model) as server:
        asked = ("evaluate", bench.name, "--config", "20q", "--model", "m", "--api-base", server.url,
                 "--methods", "vanilla_verb", "--out", tmp_path / "eval", "--json")  # fmt: skip
        done = bench.run(*asked)
        assert done.returncode == 0, done.stderr
        made = server.count
        assert json.loads(done.stdout)["groups"][0]["dialogues"] == len(rows_of(release, "20q"))
        assert bench.run(*asked).returncode == 0
        assert server.count == made


def test_what_was_pushed_before_is_not_sent_again(bench, tmp_path):
    release = a_release(tmp_path)
    bench.push(release)
    sent = bench.hub.received
    assert "tag v1.0.0" in bench.push(release)
    assert bench.hub.received == sent
    assert len(bench.repo.commits) == 2


def test_other_rows_under_the_same_version_are_refused_and_a_new_version_is_fine(bench, tmp_path):
    bench.push(a_release(tmp_path / "one"))
    other = a_release(tmp_path / "two", names=NAMES[:5])
    assert "version 1.0.0 is there already, with other rows" in bench.push(other, status=2)
    assert len(bench.repo.commits) == 2
    bench.push(a_release(tmp_path / "three", names=NAMES[:5], version="1.1.0"))
    assert list(bench.repo.tags) == ["v1.0.0", "v1.1.0"]


def test_a_repository_keeps_its_other_datasets_and_old_rows_of_ours_go(bench, tmp_path):
    first = a_release(tmp_path / "a")
    bench.push(first)
    repo = bench.repo
    card = repo.newest["README.md"].content.decode()
    card = card.replace("configs:\n", "configs:\n- config_name: mine\n  data_files: mine/*.parquet\n", 1)
    written = io.BytesIO()
    pq.write_table(pa.table({"x": [1]}), written)
    mine = File(written.getvalue(), large=True)
    by_hand = {"README.md": File(card.encode(), large=False), "mine/a.parquet": mine}
    repo.commit("by hand", {**repo.newest, **by_hand})

    second = a_release(tmp_path / "b", game="guess", version="1.1.0")
    assert "left as they are: 20q, 20q_rejected, mine" in bench.push(second)
    expected = [rows_of(first, "20q"), rows_of(second, "guess"), [{"x": 1}]]
    assert bench.loaded(("20q",), ("guess",), ("mine", "train")) == expected

    third = a_release(tmp_path / "c", version="2.0.0", splits="test=1")
    assert "removed  data/20q/calibration-00000-of-00001.parquet" in bench.push(third)
    assert "data/20q/calibration-00000-of-00001.parquet" not in repo.newest
    expected = [rows_of(third, "20q"), rows_of(first, "20q", "calibration"), rows_of(second, "guess")]
    assert bench.loaded(("20q",), ("20q", "calibration", "v1.0.0"), ("guess",)) == expected
    provenance = json.loads(repo.newest["provenance.json"].content)
    assert provenance["configs"]["guess"]["version"] == "1.1.0"
    assert "version" not in provenance["configs"]["20q"]


def test_rows_whose_source_states_no_licence_stay_here_unless_they_are_included(bench, tmp_path):
    quiz = [told("grace", name, regime="fully_specified") for name in NAMES]
    source = {"source": "grace", "origin": "GRACE", "licence": None, "granularity": "sentence"}
    runs = [a_run(tmp_path / "a", told("20q", "wolf"), game="20q"), a_run(tmp_path / "b", *quiz, **source)]
    release = tmp_path / "release"
    build(runs, release, "1.0.0")
    asked_before = len(bench.hub.requests)
    said = bench.push(release, "--dry-run")
    assert "grace: its source states no licence" in said
    assert "data/grace" not in said
    assert len(bench.hub.requests) == asked_before
    bench.push(release)
    assert not any("grace" in name for name in bench.repo.newest)
    card = bench.repo.newest["README.md"].content.decode()
    assert 'config_name: "grace"' not in card
    assert "hinterguesser adapt grace" in card
    for name in ("provenance.json", "croissant.json"):
        assert b"grace" not in bench.repo.newest[name].content
    everything = f"{bench.name}-all"
    bench.push(release, "--include", "grace", "--public", repo=everything)
    assert not bench.hub.repos[everything].private
    assert "data/grace/test-00000-of-00001.parquet" in bench.hub.repos[everything].newest
    assert "has no such dataset" in bench.push(release, "--include", "trickme", status=2)
    build(runs[1:], tmp_path / "only", "1.0.0")
    assert "nothing in it may be uploaded" in bench.push(tmp_path / "only", status=2, repo="ada/none")
    assert "ada/none" not in bench.hub.repos


@pytest.mark.parametrize(
    ("token", "said"),
    [
        (None, "no token to push with; log in with `hf auth login`, or set HF_TOKEN"),
        ("hf_wrong0token", "(HTTP 401"),
        (READ_ONLY, "your token has no permission for this"),
    ],
)
def test_without_the_right_token_there_is_one_message_and_nothing_is_made(bench, tmp_path, token, said):
    assert said in bench.push(a_release(tmp_path), token=token, status=2)
    assert bench.name not in bench.hub.repos


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ({"method": "POST", "path": "/preupload/", "status": 401}, "HTTP 401"),
        ({"method": "POST", "path": "/preupload/", "status": 403}, "no permission"),
        ({"method": "POST", "path": "/preupload/", "status": 404}, "no such dataset"),
        ({"method": "PUT", "path": "/large/", "status": 403}, "no permission"),
        ({"method": "POST", "path": "/commit/", "status": 403, "message": f"no: {TOKEN}"}, "no permission"),
        ({"method": "POST", "path": "/commit/", "status": 413}, "too large"),
        ({"method": "POST", "path": "/commit/", "status": 429, "Retry_After": "7200"}, "wait some minutes"),
        ({"method": "POST", "path": "/repos/create", "status": 409, "message": "quota"}, "no such dataset"),
    ],
    ids=lambda fault: f"{fault['path']}-{fault['status']}" if isinstance(fault, dict) else "",
)
def test_when_the_hub_refuses_nothing_is_half_pushed_and_the_second_run_succeeds(bench, tmp_path, fault, said):
    release = a_release(tmp_path)
    bench.hub.fail(**fault)
    assert said in bench.push(release, status=2)
    assert bench.nothing_is_seen()
    sent = bench.hub.received
    bench.push(release)
    assert len(bench.repo.commits) == 2
    assert list(bench.repo.tags) == ["v1.0.0"]
    if "/commit/" in fault["path"]:
        assert bench.hub.received == sent, "what was uploaded before is not sent again"


@pytest.mark.parametrize(
    "fault",
    [
        {"method": "POST", "path": "/commit/", "status": 429, "Retry_After": "0", "times": 2},
        {"method": "POST", "path": "/commit/", "status": 409},
        {"method": "POST", "path": "/commit/", "status": 502, "Retry_After": "0", "times": 2},
        {"method": "POST", "path": "/commit/"},
        {"method": "POST", "path": "/commit/", "when": "after"},
        {"method": "POST", "path": "/repos/create", "when": "after"},
        {"method": "PUT", "path": "/large/"},
        {"method": "GET", "path": "/tree/", "status": 429, "Retry_After": "0"},
        {"method": "POST", "path": "/tag/", "when": "after"},
    ],
    ids=lambda fault: "-".join(str(fault.get(key)) for key in ("path", "status", "when")),
)
def test_limits_and_cut_connections_are_waited_out_in_one_run(bench, tmp_path, fault):
    release = a_release(tmp_path)
    bench.hub.fail(**fault)
    bench.push(release)
    assert len(bench.repo.commits) == 2
    assert bench.repo.tags == {"v1.0.0": bench.repo.commits[1].oid}
    sent = bench.repo.newest["data/20q/test-00000-of-00001.parquet"].content
    assert sent == (release / "data" / "20q" / "test-00000-of-00001.parquet").read_bytes()


def test_what_somebody_commits_in_between_is_kept(bench, tmp_path):
    def somebody():
        bench.repo.commit("notes", {**bench.repo.newest, "notes.txt": File(b"mine", large=False)})

    bench.hub.just_before("POST", "/commit/", somebody)
    bench.push(a_release(tmp_path))
    assert bench.hub.count("POST", f"{bench.name}/commit/") == 2, "the first was refused with 412"
    assert bench.repo.newest["notes.txt"].content == b"mine"
    assert "data/20q/test-00000-of-00001.parquet" in bench.repo.newest


def test_a_missing_tag_is_told_and_made_by_the_second_run(bench, tmp_path):
    release = a_release(tmp_path)
    bench.hub.fail("POST", "/tag/", status=403)
    assert "only the tag v1.0.0 is missing" in bench.push(release, status=2)
    bench.push(release)
    assert len(bench.repo.commits) == 2
    assert list(bench.repo.tags) == ["v1.0.0"]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (None, "no such dataset or revision"),
        ({"method": "HEAD", "path": "/provenance", "status": 401}, "HTTP 401"),
        ({"method": "HEAD", "path": "/provenance", "status": 403}, "HTTP 403"),
        ({"method": "GET", "path": "/data/20q", "status": 403}, "HTTP 403"),
    ],
)
def test_a_dataset_that_cannot_be_read_gets_one_message(bench, tmp_path, fault, said):
    if fault is not None:
        bench.push(a_release(tmp_path))
        bench.hub.fail(**fault, times=99)
    asked = ("evaluate", bench.name, "--model", "m", "--api-base", "http://127.0.0.1:9/v1", "--methods", "vanilla_verb")
    done = bench.run(*asked, "--out", tmp_path / "eval")
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert TOKEN not in done.stderr
    assert not (tmp_path / "eval").exists()


def test_a_download_that_is_cut_in_the_middle_goes_on(bench, tmp_path):
    release = a_release(tmp_path)
    bench.push(release)
    bench.hub.fail("GET", f"{bench.name}/.*/data/20q/test")
    done = bench.run(code=f"import hinterguesser; print(len(hinterguesser.load({bench.name!r}, '20q')))")
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(rows_of(release, "20q"))


def test_a_dataset_of_another_make_is_no_release(bench):
    bench.hub.repos[bench.name] = Repo(private=False, commits=[])
    bench.repo.commit("theirs", {"README.md": File(b"hello", large=False)})
    done = bench.run(code=f"import hinterguesser; hinterguesser.load({bench.name!r})")
    assert "no provenance.json in this dataset" in done.stderr
