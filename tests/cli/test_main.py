import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest

from hinterguesser.cli.main import COMMANDS, load, overview

ROOT = Path(__file__).parents[2]


def hinterguesser(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "hinterguesser", *map(str, arguments)],
        capture_output=True, text=True, timeout=120, env={**os.environ, **environment},
    )  # fmt: skip


HEAVY = ("litellm", "openai", "datasets", "scipy", "sklearn", "matplotlib", "aiohttp", "numpy", "pyarrow", "xllamacpp")


def imported_by(arguments):
    code = (
        "import sys, contextlib, io\n"
        "from hinterguesser.cli.main import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        f"    main({arguments!r})\n"
        "print(' '.join(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return {name.split(".")[0] for name in done.stdout.split()}


@pytest.mark.parametrize("arguments", [["--help"], [], ["--version"], *([name, "--help"] for name in COMMANDS)])
def test_help_imports_nothing_heavy(arguments):
    assert not imported_by(arguments) & set(HEAVY)


def test_the_overview_needs_not_even_click():
    assert "click" not in imported_by(["--help"])


def test_generate_with_the_oracle_imports_no_network_library(tmp_path):
    loaded = imported_by(["generate", "guess", "--limit", "2", "--out", str(tmp_path / "run")])
    assert not loaded & {"litellm", "openai", "datasets", "aiohttp", "xllamacpp", "scipy", "sklearn"}


def test_help_lists_every_command_and_every_command_has_help_with_an_example():
    done = hinterguesser("--help")
    assert done.returncode == 0
    assert done.stdout == overview()
    for name in COMMANDS:
        assert f"  {name} " in done.stdout
        command = load(name)
        commands = [command, *command.commands.values()] if isinstance(command, click.Group) else [command]
        for each in commands:
            text = each.get_help(click.Context(each, info_name=name))
            assert "Example" in text, each.name
            assert f"hinterguesser {name}" in text
            assert "\\b" not in text


def test_every_command_is_in_the_readme():
    readme = (ROOT / "README.md").read_text()
    for name in COMMANDS:
        assert f"hinterguesser {name}" in readme, name


def test_the_version_is_the_packages():
    assert hinterguesser("--version").stdout.startswith("hinterguesser 0.")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["genrate"], "there is no command 'genrate'"),
        (["generate"], "Missing argument 'GAME'"),
        (["generate", "chess", "--out", "x"], "unknown game 'chess'; there are: 20q, guess"),
        (["generate", "20q", "--out", "x", "--max-turns", "0"], "--max-turns"),
        (["generate", "20q", "--out", "x", "--shard", "3/2"], "1 <= I <= N"),
        (["generate", "20q", "--out", "x", "--shard", "two"], "written I/N"),
        (["generate", "20q", "--out", "x", "--hinter", "no-such-model", "--guesser", "y"], "unknown model"),
        (["generate", "20q", "--out", "x", "--hinter", "builtin/nothing", "--guesser", "y"], "builtin/smollm2"),
        (["generate", "20q", "--out", "x", "--guesser", "gguf/nowhere.gguf"], "nowhere.gguf"),
        (["generate", "20q", "--out", "x", "--entities", "none.txt"], "none.txt"),
        (["generate", "20q", "--out", "x", "--prompts", "nowhere"], "no such folder"),
        (["generate", "20q", "--out", "x", "--config-file", "none.toml"], "none.toml"),
        (["derive", "nowhere"], "no such folder"),
        (["build", "nowhere", "--out", "x"], "no such folder"),
        (["evaluate", "nowhere", "--model", "builtin/smollm2", "--out", "x"], "nowhere"),
        (["evaluate", str(ROOT / "release" / "small"), "--model", "no-such", "--out", "x"], "unknown model"),
        (["evaluate", str(ROOT / "release" / "small"), "--model", "builtin/oracle", "--out", "x"], "builtin/oracle"),
        (
            ["evaluate", str(ROOT / "release" / "small"), "--model", "m", "--methods", "x", "--out", "x"],
            "unknown method 'x'; there are: candidate_likelihood, cot_verb, oracle_correct",
        ),
        (["models", "get", "gpt-5"], "gpt-5"),
        (["models", "path", "gpt-5"], "gpt-5"),
    ],
)
def test_a_mistake_gets_one_message_status_2_and_leaves_nothing_behind(tmp_path, arguments, said):
    environment = {**os.environ, "HINTERGUESSER_HOME": str(tmp_path / "home")}
    done = subprocess.run(
        [sys.executable, "-m", "hinterguesser", *arguments],
        capture_output=True, text=True, cwd=tmp_path, timeout=60, env=environment,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.txt", "", "the list is empty"),
        ("blank.txt", "\n \n", "the list is empty"),
        ("twice.txt", "cat\ndog\nCat\n", "'Cat' is there already, line 1"),
        ("alias.csv", "name,aliases\ncat,puss|kitty\ndog,kitty\n", "also stands for 'cat', line 2"),
        ("types.jsonl", '{"name": "cat", "aliases": "puss"}\n', "must be a list of texts"),
        ("number.jsonl", '{"name": 5}\n', '"name" must be a text'),
        ("broken.jsonl", '{"name": "cat"\n', "not JSON"),
        ("list.pdf", "%PDF", "ends in .txt, .csv or .jsonl"),
        ("binary.txt", "a\0b", "binary"),
        ("nofacts.txt", "cat\ndog\n", "has no facts"),
    ],
)
def test_a_bad_list_is_refused_with_its_line_and_the_way_out(tmp_path, name, content, said):
    (tmp_path / name).write_text(content)
    done = hinterguesser("generate", "20q", "--entities", tmp_path / name, "--out", tmp_path / "run")
    assert done.returncode == 2
    assert said in done.stderr
    assert name in done.stderr
    assert not (tmp_path / "run").exists()


def test_a_list_of_which_no_fact_fits_the_game_is_refused_with_the_fact(tmp_path):
    (tmp_path / "colours.csv").write_text("name,colour\nlemon,yellow\ncherry,red\n")
    done = hinterguesser("generate", "20q", "--entities", tmp_path / "colours.csv", "--out", tmp_path / "run")
    assert done.returncode == 2
    assert "no fact of this list makes a legal hint of 20q: 'What is its colour?'" in done.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("pace", ["nan", "inf", "-1", "0"])
def test_a_pace_that_is_no_number_of_bits_is_refused(tmp_path, pace):
    done = hinterguesser("generate", "20q", "--pace", pace, "--out", tmp_path / "run")
    assert done.returncode == 2
    assert "--pace" in done.stderr


def test_a_full_output_is_one_message():
    done = subprocess.run(
        f"{sys.executable} -m hinterguesser --help > /dev/full",
        shell=True, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_hundred_thousand_names_are_fine(tmp_path):
    (tmp_path / "many.txt").write_text("".join(f"name {number}\n" for number in range(100_000)))
    done = hinterguesser("generate", "20q", "--entities", tmp_path / "many.txt", "--out", tmp_path / "run")
    assert done.returncode == 2
    assert "has no facts" in done.stderr


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(tmp_path):
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        done = hinterguesser("generate", "guess", "--out", tmp_path / name, "--seed", seed, "--limit", 30)
        assert done.returncode == 0
    a, b, c = ((tmp_path / name / "dialogues.jsonl").read_bytes() for name in "abc")
    assert a == b
    assert a != c


def test_a_limit_can_be_raised_and_the_run_goes_on(tmp_path):
    for limit in (5, 12):
        assert hinterguesser("generate", "20q", "--out", tmp_path / "a", "--limit", limit).returncode == 0
    assert hinterguesser("generate", "20q", "--out", tmp_path / "b", "--limit", 12).returncode == 0
    assert (tmp_path / "a" / "dialogues.jsonl").read_bytes() == (tmp_path / "b" / "dialogues.jsonl").read_bytes()


def test_shards_together_are_the_whole(tmp_path):
    names = []
    for index in (1, 2, 3):
        out = tmp_path / str(index)
        assert hinterguesser("generate", "20q", "--out", out, "--shard", f"{index}/3").returncode == 0
        names += [json.loads(line)["id"] for line in (out / "dialogues.jsonl").read_text().splitlines()]
    assert hinterguesser("generate", "20q", "--out", tmp_path / "all").returncode == 0
    whole = [json.loads(line)["id"] for line in (tmp_path / "all" / "dialogues.jsonl").read_text().splitlines()]
    assert sorted(names) == sorted(whole)


def test_a_config_file_gives_defaults_and_flags_win(tmp_path):
    flags = ["--config-file", "run.toml", "--seed", "4", "--limit", "2"]
    (tmp_path / "run.toml").write_text('seed = 3\nmax-turns = 7\nout = "from-file"\n')
    run = [sys.executable, "-m", "hinterguesser", "generate", "20q", *flags]
    done = subprocess.run(run, capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert done.returncode == 0, done.stderr
    asked = json.loads((tmp_path / "from-file" / "run.json").read_text())["asked"]
    assert (asked["seed"], asked["max_turns"]) == (4, 7)
    (tmp_path / "run.toml").write_text("sead = 3\n")
    done = subprocess.run(run, capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert done.returncode == 2
    assert "'sead' is no option of this command" in done.stderr


def test_a_folder_of_another_command_is_refused(tmp_path):
    assert hinterguesser("generate", "20q", "--out", tmp_path / "run", "--limit", 2).returncode == 0
    (tmp_path / "run" / "run.json").write_text(
        (tmp_path / "run" / "run.json").read_text().replace('"generate"', '"evaluate"')
    )
    done = hinterguesser("generate", "20q", "--out", tmp_path / "run", "--limit", 2)
    assert done.returncode == 2
    assert "belongs to `hinterguesser evaluate`" in done.stderr


def test_json_goes_to_stdout_alone(tmp_path):
    done = hinterguesser("generate", "20q", "--out", tmp_path / "run", "--limit", 3, "--json")
    assert json.loads(done.stdout)["kept"] == 3
    assert done.stderr == ""


def test_a_reader_that_has_had_enough_ends_the_command_quietly():
    done = subprocess.run(
        f"{sys.executable} -m hinterguesser generate --help | head -n 1",
        shell=True, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.stdout.startswith("Usage")
    assert done.stderr == ""


def test_the_package_declares_what_it_is():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["license"] == "Apache-2.0"
    assert project["scripts"] == {"hinterguesser": "hinterguesser.cli.main:main"}
    capped = [need for need in project["dependencies"] if "," not in need]
    assert all(need.startswith("pyarrow") for need in capped), capped
