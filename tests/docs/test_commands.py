"""Every command and every Python example of README.md and docs/, run in order, page by page.

What needs a model or the Hub talks to servers on the loopback interface. What is only parsed, and why, stands in the
tables below; a line that none of them knows fails. A block ```text shows what the commands before it print; a line
`...` in it stands for any number of lines, and `...` inside a line for anything.
"""

import contextlib
import importlib.util
import io
import os
import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from hinterguesser.cli.main import load, main
from hinterguesser.errors import UserError
from hinterguesser.store import weights

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

PARSED_ONLY = {
    "--batch": "a batch is looked at once a minute; tests/flow/test_batch.py runs them",
    "anthropic/": "tests/backends/test_hosted.py runs this provider",
    "gemini/": "tests/backends/test_hosted.py runs this provider",
    "models get": "fetches a model's weights",
    "models path": "needs a model's weights",
    "quickstart": "needs a model's weights, and has its own test",
}
"""A word (or its beginning, or the first two words) of a command, and why the command's arguments are only parsed."""

SHORTENED = {"evals/all": "half an hour with the small model: one dialogue of each dataset"}
"""A word of a command that gets `--limit 1`, and why."""

OTHER_PROGRAMS = {
    "hf": "logs in to the Hub",
    "pytest": "this is it",
    "vllm": "a server on a GPU",
    "llama-server": "a server",
    "git": "the clone is there",
    "cd": "the clone is there",
}
"""Other programs that pages name and that are not run, and why."""

RUN_IN_A_SHELL = ("cat", "head", "ls", "mkdir", "cp")

SHARED_FILES = {
    ("README.md", "generate", "instruments.csv"): "own-entities.md",
    ("README.md", "metrics", "mine.csv"): "reading-the-numbers.md",
}
"""A file that a page does not show, by page and command: the page that shows it, under the same name."""


@dataclass
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    language: str
    text: str


def blocks(page):
    found, fence = [], None
    for number, line in enumerate(page.read_text().splitlines(), 1):
        mark = re.match(r"\s*(```+)\s*([\w-]*)", line)
        if mark and fence is None:
            fence, held = mark[1], Block(page, number, mark[2], "")
        elif fence and line.strip() == fence:
            found.append(held)
            fence = None
        elif fence:
            held.text += line + "\n"
    assert fence is None, f"{page.name}: a block is not closed"
    return found


def here_documents(text):
    """The files that a block of commands writes, by name, and the commands that are left."""
    files = {}

    def keep(found):
        files[found["name"]] = found["body"]
        return f"cat > {found['name']}"

    pattern = r"^cat > (?P<name>\S+) <<'(?P<end>\w+)'\n(?P<body>.*?)^(?P=end)$"
    return re.sub(pattern, keep, text, flags=re.DOTALL | re.MULTILINE), files


def statements(text):
    """Each command of a block as its words, and the status it is said to end with."""
    for line in text.replace("\\\n", " ").splitlines():
        status = re.search(r"#.*exit status (\d+)", line)
        words = shlex.split(line, comments=True)
        while words:
            end = words.index("&&") if "&&" in words else len(words)
            yield words[:end], int(status[1]) if status else 0
            words = words[end + 1 :]


@dataclass
class Reader:
    """Someone who pastes a page, block by block, in a folder of their own."""

    page: Path
    folder: Path
    model_url: str
    hub: object
    published: dict
    patch: pytest.MonkeyPatch
    printed: str = ""
    """By the last block of commands."""
    unchecked: bool = False
    """Whether a command of the last block was not run as it stands, so that what it prints cannot be compared."""

    @property
    def name(self):
        return str(self.page.relative_to(ROOT))

    def follow(self, block):
        if block.language in ("", "bash", "console", "sh"):
            self.paste(block)
        elif block.language == "python":
            self.printed = self.process([sys.executable, "-c", block.text])
            self.unchecked = False
        elif block.language == "text":
            if not self.unchecked and not shows(block.text, self.printed):
                raise AssertionError(f"it printed:\n{self.printed}")
        else:
            assert block.language in ("json", "csv", "toml", "bibtex"), f"what is a block of {block.language!r}?"

    def paste(self, block):
        self.printed, self.unchecked = "", False
        text, files = here_documents(block.text)
        for words, status in statements(text):
            if words[0] == "cat" and words[1:2] == [">"]:
                path = self.folder / words[2]
                path.write_text(files[words[2]])
            elif words[0] == "hinterguesser":
                self.run(words[1:], status)
            elif words[0] == "pip":
                self.install(words)
            elif words[0] == "export":
                name, _, value = words[1].partition("=")
                self.patch.setenv(name, value)
            elif words[0] in RUN_IN_A_SHELL:
                self.printed += self.process(words)
            else:
                assert words[0] in OTHER_PROGRAMS, f"how is {words} to be tested?"
                self.unchecked = True

    def run(self, words, status):
        start = " ".join(words[:2])
        if any(start.startswith(mark) or any(word.startswith(mark) for word in words) for mark in PARSED_ONLY):
            self.unchecked = True
            return parse(words)
        self.unchecked |= "builtin/smollm2" in words  # another model stands in for it
        redirected = words.index(">") if ">" in words else len(words)
        words, target = words[:redirected], words[redirected + 1 :]
        self.provide(words)
        words = self.addressed(words)
        if "ada/hints" in words:
            out, ended = self.to_hub(words)
        else:
            out, ended = in_this_process(words)
        assert ended == status, f"hinterguesser {shlex.join(words)}: exit status {ended}\n{out}"
        if target:
            (self.folder / target[0]).write_text(out)
        else:
            self.printed += out
        return None

    def addressed(self, words):
        """The same command, talking to loopback servers."""
        words = ["ada/hints" if word == "USER/NAME" else word for word in words]
        words = [self.model_url if word == "http://localhost:8000/v1" else word for word in words]
        if words[-1] == "--password" or ("--password" in words and words[words.index("--password") + 1][:1] == "-"):
            words.insert(words.index("--password") + 1, "fogfog")
        asks = any(word in ("builtin/smollm2", "NAME") for word in words)
        if asks and "--dry-run" not in words and "--api-base" not in words:
            words = ["small" if word == "builtin/smollm2" else word for word in words]
            words += ["--api-base", self.model_url]
        if words[0] == "evaluate" and SHORTENED.keys() & set(words):
            words += ["--limit", "1"]
        return words

    def provide(self, words):
        """Make the files that the page takes for granted: what others publish, and what another page shows."""
        for word in words:
            path = self.folder / word
            if word in self.published and not path.exists():
                self.published[word](path)
            if (self.name, words[0], word) == ("README.md", "replay", "traces.csv"):
                self.published["traces"](path)
            elsewhere = SHARED_FILES.get((self.name, words[0], word))
            if elsewhere is not None:
                shown = [here_documents(block.text)[1] for block in blocks(ROOT / "docs" / elsewhere)]
                path.write_text(next(files[word] for files in shown if word in files))

    def to_hub(self, words):
        environment = self.hub.environment(self.folder / ".hub")
        done = subprocess.run(
            [sys.executable, "-m", "hinterguesser", *words],
            capture_output=True, text=True, timeout=120, env={**os.environ, **environment},
        )  # fmt: skip
        return done.stdout + done.stderr, done.returncode

    def process(self, words):
        environment = {**self.hub.environment(self.folder / ".hub"), "HF_HUB_OFFLINE": "1"}
        done = subprocess.run(words, capture_output=True, text=True, timeout=120, env={**os.environ, **environment})
        assert done.returncode == 0, done.stderr
        return done.stdout

    def install(self, words):
        """What `pip install` comes to: of this package, that its extras exist; of another, its entry points."""
        for what in (word for word in words[2:] if not word.startswith("-")):
            path, _, extra = what.rstrip("]").partition("[")
            if path in (".", "hinterguesser"):
                extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
                assert not extra or extra in extras, f"there is no extra {extra!r}"
            else:
                self.install_package(self.folder / path)

    def install_package(self, path):
        project = tomllib.loads((path / "pyproject.toml").read_text())["project"]
        lines = [f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"]
        metadata = path / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(lines[0])
        groups = [
            f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
            for group, points in project["entry-points"].items()
        ]
        (metadata / "entry_points.txt").write_text("\n".join(groups))
        self.patch.syspath_prepend(str(path))
        self.patch.setenv("PYTHONPATH", str(path))


def in_this_process(words):
    """What the command prints on stdout and stderr, and its exit status."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out), pytest.raises(SystemExit) as ended:
        main(words)
    return out.getvalue(), ended.value.code or 0


def parse(words):
    """Read the arguments as click would before it runs the command; a renamed option fails."""
    command, name, rest = load(words[0]), words[0], words[1:]
    if isinstance(command, click.Group):
        command, name, rest = command.commands[rest[0]], rest[0], rest[1:]
    command.make_context(name, list(rest))


def _as_pattern(line):
    return re.escape(line).replace(r"\ \.\.\.\ ", r"\ (?:.*\ )?").replace(r"\.\.\.", ".*")


def shows(shown, printed):
    """Whether what a page shows is what was printed, but for `...`."""
    lines = [" ".join(line.split()) for line in shown.strip().splitlines()]
    pattern = r"\n".join(r"(?:.*\n)*?.*" if line == "..." else _as_pattern(line) for line in lines)
    said = "\n".join(" ".join(line.split()) for line in printed.splitlines())
    return re.search(rf"^{pattern}$", said, re.MULTILINE) is not None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_says_to_type_works_and_prints_what_it_shows(
    page, tmp_path, monkeypatch, model_server, hub, published
):
    for name in ("release", "entity_lists", "prompts", "docs"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-key")
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    monkeypatch.setattr("hinterguesser.backends.server.OPENAI_BASE", model_server.url)
    monkeypatch.setenv("COLUMNS", "120")
    reader = Reader(page, tmp_path, model_server.url, hub, published, monkeypatch)
    for block in blocks(page):
        try:
            reader.follow(block)
        except Exception as error:
            raise AssertionError(f"{reader.name}:{block.line}: {error}") from error


def test_what_is_shown_is_compared_but_for_dots():
    assert shows("a\n...\nd", "a\nb\nc\nd\n")
    assert shows("kept 5 of ...", "x\nkept 5 of 9\n")
    assert shows("a   b", "a b")
    assert shows("a ... d", "a b c d")
    assert shows("a ... d", "a d")
    assert not shows("a\nc", "a\nb\nc")
    assert not shows("kept 5", "kept 55")


def test_a_renamed_option_is_found(tmp_path):
    parse(["models", "get", "smollm2"])
    with pytest.raises(click.NoSuchOption):
        parse(["quickstart", "--outt", "x"])


def test_the_small_model_itself_takes_what_the_readme_asks_of_it(tmp_path, monkeypatch):
    """The pages run with another model in its place, which answers at once; here is the one that they name."""
    if importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("the extra 'local' is not installed")
    try:
        weights.get("smollm2")
    except UserError as error:
        pytest.skip(f"the weights of builtin/smollm2 cannot be had: {error}")
    [words] = [
        words
        for block in blocks(ROOT / "README.md")
        for words, _ in statements(here_documents(block.text)[0])
        if words[:2] == ["hinterguesser", "evaluate"] and "builtin/smollm2" in words and "evals/smollm2" in words
    ]
    monkeypatch.chdir(tmp_path)
    words[2] = str(ROOT / "release" / "small")
    out, status = in_this_process([*words[1:], "--config", "guess", "--limit", "1"])
    assert status == 0, out
    assert "vanilla_verb" in out
