"""Every figure draws in every format, the same bytes each time, with any names, and within its edges."""

import subprocess
import sys
from xml.etree import ElementTree

import matplotlib
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from report.figures.made_up import METHODS, ODD_MODELS, evaluation, figures

from hinterguesser.report.figures.figure import Figure
from hinterguesser.report.figures.files import data, drawn, save
from hinterguesser.report.figures.style import KNOWN, OTHERS, looks, shortened, styled

KINDS = (
    *("levels", "gold_tau", "multi_single", "multi_single_info_ece", "placebo", "reliability", "risk_coverage"),
    *("label_mass", "unscored"),
)


@pytest.fixture(scope="module")
def one():
    """One dataset, one model, every known method and another."""
    return figures(evaluation(methods=METHODS))


@pytest.fixture(scope="module")
def odd():
    """Names that mean something to matplotlib, markup, terminals or spreadsheets."""
    methods = ("$m$", "_m", "a\\b\x07c")
    return figures(evaluation(models=ODD_MODELS[:2], datasets=("=1+1", "$x$"), methods=methods, dialogues=2))


def test_every_kind_has_a_figure(one):
    assert tuple(one) == KINDS


@pytest.mark.parametrize("name", KINDS)
def test_a_figure_has_the_same_files_on_every_run(one, name, tmp_path):
    first, again = save(one[name], tmp_path / "a"), save(one[name], tmp_path / "b")
    assert [path.name for path in first] == [f"{name}.{ending}" for ending in ("png", "svg", "pdf", "csv")]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]
    heads = [path.read_bytes()[:8] for path in first]
    assert heads[0] == b"\x89PNG\r\n\x1a\n"
    assert heads[1].startswith(b"<?xml")
    assert heads[2].startswith(b"%PDF")


def test_another_process_and_another_style_give_the_same_files(tmp_path):
    script = (
        "import hashlib, matplotlib; matplotlib.rcParams['font.size'] = 20; matplotlib.rcParams['svg.hashsalt'] = 'x'\n"
        "from pathlib import Path\n"
        "from report.figures.made_up import evaluation, figures\n"
        "from hinterguesser.report.figures.files import save\n"
        f"out = Path({str(tmp_path)!r})\n"
        "print([hashlib.sha256(p.read_bytes()).hexdigest() for p in save(figures(evaluation())['levels'], out)])"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True,
            env={"PYTHONPATH": "tests", "PYTHONHASHSEED": seed, "HOME": str(tmp_path), "MPLCONFIGDIR": str(tmp_path)},
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(found) == 1


def test_names_of_any_kind_are_drawn_as_they_are_and_break_nothing(odd, recwarn):
    for figure in odd.values():
        pictures = drawn(figure)
        shape = pictures["svg"].decode()
        ElementTree.fromstring(shape)  # well-formed, so nothing of a name became markup
        assert not any(mark in shape + data(figure) for mark in ("\x07", "\x1b", "\u202e"))
        assert pictures["png"].startswith(b"\x89PNG")
    assert not recwarn.list


def test_a_name_that_a_spreadsheet_would_take_for_a_formula_is_made_harmless(odd):
    assert "\n'=1+1," in data(odd["levels"])
    assert "\n=1+1," not in data(odd["levels"])


def test_everything_drawn_is_within_the_figure_and_nothing_lies_on_the_legend(one):
    for figure in one.values():
        assert_laid_out(figure)


@pytest.mark.slow
def test_so_it_is_with_four_datasets_four_models_long_names_and_nine_methods():
    datasets = ("20q", "guess", "grace", "trickme")
    rows = evaluation(datasets=datasets, models=ODD_MODELS, methods=METHODS, dialogues=2, length=2)
    made = figures(rows)
    for name in ("levels", "risk_coverage", "unscored", "gold_tau-4", "multi_single-4", "placebo-4", "reliability-16"):
        assert_laid_out(made[name])


def assert_laid_out(figure):
    with styled():
        canvas = figure.draw()
        agg = FigureCanvasAgg(canvas)
        agg.draw()
        renderer = agg.get_renderer()
        drawn, (width, height) = canvas.get_tightbbox(renderer), canvas.get_size_inches()
        axes = [ax.get_tightbbox(renderer) for ax in canvas.axes if ax.axison]
        words = [text.get_window_extent(renderer) for text in (canvas._supxlabel, canvas._supylabel) if text]
        legends = [legend.get_window_extent(renderer) for legend in canvas.legends]
    assert min(drawn.x0, drawn.y0) >= -0.01, figure.name
    assert drawn.x1 <= width + 0.01, figure.name
    assert drawn.y1 <= height + 0.01, figure.name
    for legend in legends:
        assert not any(legend.overlaps(other) for other in [*axes, *words]), figure.name
    assert not any(word.padded(-1).overlaps(box) for word in words for box in axes), figure.name


def test_drawing_changes_no_setting_of_matplotlib(one):
    before = dict(matplotlib.rcParams)
    drawn(one["levels"])["svg"].decode()
    assert dict(matplotlib.rcParams) == before


def test_no_two_methods_share_marker_and_line_style():
    others = [f"method {number}" for number in range(len(OTHERS))]
    found = looks([*KNOWN, *others])
    assert len(found) == len(KNOWN) + len(OTHERS)
    assert len({(look.marker, look.line) for look in found.values()}) == len(found)


def test_a_known_method_looks_the_same_whatever_stands_beside_it():
    assert looks(["p_true"])["p_true"] == looks(["mine", "cot_verb", "p_true"])["p_true"]
    assert looks(["b", "a"]) == looks(["a", "b"])


def test_long_names_lose_their_middle_and_names_lose_what_a_terminal_obeys():
    assert shortened("abcdefghij", 7) == "abc…hij"
    assert shortened("a\nb\x1b[31m c") == "a b [31m c"
    assert shortened(None) == shortened("") == "-"
    assert shortened("_x") == "\u200a_x"  # else a legend leaves it out
    assert len(shortened("x" * 500)) == 26


def test_nothing_imports_matplotlib_before_something_is_drawn():
    script = "import sys, hinterguesser.report.figures.catalogue, hinterguesser.report.figures.files; " + (
        "print([name for name in sys.modules if name.split('.')[0] == 'matplotlib'])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_figure_without_numbers_in_its_data_writes_empty_cells():
    figure = Figure("x", "X", "", "", ("a", "b"), ((None, 0.5), ("t", None)), lambda: None)
    assert data(figure) == "a,b\n,0.5\nt,\n"
