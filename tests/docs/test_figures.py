"""The figures in docs/ are those that the documented command makes of the checked-in predictions."""

import csv
from pathlib import Path

import pytest

from hinterguesser.flow.material import gather
from hinterguesser.report.figures.catalogue import evaluation_figures
from hinterguesser.report.figures.files import data

DOCS = Path(__file__).parents[2] / "docs"


def cells(text):
    """The numbers of a table, and its texts by place."""
    rows = list(csv.reader(text.splitlines()))
    return {(at, place): number(cell) for at, row in enumerate(rows) for place, cell in enumerate(row)}


def number(cell):
    try:
        return float(cell)
    except ValueError:
        return float(sum(map(ord, cell)))  # approx compares numbers only


def test_the_data_beside_each_figure_is_made_again():
    material = gather([DOCS / "evaluation" / "predictions.parquet"], show_dialogues=False)
    made = {figure.name: data(figure) for figure in evaluation_figures(material.summary, material.profiles)}
    kept = {path.stem: path.read_text() for path in (DOCS / "figures").glob("*.csv")}
    assert made.keys() == kept.keys()
    for name in made:
        assert cells(made[name]) == pytest.approx(cells(kept[name]), abs=1e-9)
    assert set(made) == {path.stem for path in (DOCS / "figures").glob("*.png")}
    for name in made:
        assert f"(figures/{name}.png)" in (DOCS / "figures.md").read_text()
