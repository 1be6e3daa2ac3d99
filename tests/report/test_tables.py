"""Tables: the paper's layout, numbers that are the summary's, and names from outside that do no harm."""

import csv
import io
import itertools
import json
import re

import numpy as np
import pytest

from hinterguesser.domain.prediction import Prediction
from hinterguesser.domain.predictions import Predictions
from hinterguesser.flow.metrics import MetricsSettings, summarise
from hinterguesser.report.paper_tables import paper_tables, write_tables
from hinterguesser.report.sheets import Cell, Sheet, latex_escaped, spreadsheet_safe
from hinterguesser.report.tables import evaluation_table, table

MODELS = ("small", '=HYPERLINK("x")_50%&$#')


def rows(models=MODELS):
    rng = np.random.default_rng(0)
    made = []
    for dataset, model, condition, dialogue in itertools.product(
        ("20q", "guess"), models, ("multi", "placebo", "single"), range(20)
    ):
        for turn in range(1, 5):
            right = bool(rng.random() < turn / 5)
            for method, target in itertools.product(
                ("vanilla_verb", "p_sufficient", "oracle_correct", "oracle_sufficient"), ("answer", "gold")
            ):
                # p_sufficient rises with information and falls after a placebo; vanilla_verb only counts turns.
                seen = turn - (condition == "placebo" and method != "vanilla_verb")
                confidence = {"oracle_correct": 2.0 ** (seen - 4), "oracle_sufficient": float(seen == 4)}.get(
                    method, seen / 5 + float(rng.random()) / 10
                )
                made.append(
                    Prediction(
                        dataset=dataset, dialogue_id=f"{dataset}-{dialogue}", entity=f"e{dialogue}", turn=turn,
                        length=4, condition=condition, method=method, target=target, model=model, answer="x",
                        correct=right, confidence=confidence, unscored_reason=None, p_raw=None, p_normalised=None,
                        label_mass=None,
                    )
                )  # fmt: skip
    return made


@pytest.fixture(scope="module")
def summary():
    return summarise(Predictions.of(rows()), MetricsSettings(resamples=100))


@pytest.fixture(scope="module")
def sheets(summary):
    return {sheet.name: sheet for sheet in paper_tables(summary)}


def test_all_tables_are_there(sheets):
    assert list(sheets) == ["groups", "table2", "table3", "multi_single", "gold_tau", "references"]


def test_table_2_has_an_accuracy_row_a_model_and_infoece_and_tau_a_dataset(sheets, summary):
    sheet = sheets["table2"]
    assert sheet.heads == (
        "model", "method", "20q InfoECE", "20q tau", "20q N", "20q unscored",
        "guess InfoECE", "guess tau", "guess N", "guess unscored",
    )  # fmt: skip
    names = [(row[0].text, row[1].text) for row in sheet.rows]
    assert names[0] == ("small", "accuracy")
    assert [method for _, method in names[1:5]] == [
        "vanilla_verb",
        "p_sufficient",
        "oracle_correct",
        "oracle_sufficient",
    ]
    assert names[5] == (MODELS[1], "accuracy")
    [group] = [
        group for group in summary.groups
        if list(group["by"].values()) == ["guess", "small", "multi", "p_sufficient", "answer"]
    ]  # fmt: skip
    cells = sheet.rows[2][6:]
    low, high = group["intervals"]["info_ece"]
    assert cells[0].text == f"{100 * group['info_ece']:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"
    assert cells[1].text.startswith(f"{100 * group['tau']:.1f} % [")
    assert (cells[2].text, cells[3].text) == (str(group["n"]), "0.0 %")
    [accuracy] = [row for row in summary.accuracy if list(row["by"].values()) == ["guess", "small", "multi"]]
    assert sheet.rows[0][6].text.startswith(f"{100 * accuracy['accuracy']:.1f} % [")


def test_the_best_of_a_models_methods_is_bold_and_exact_references_do_not_compete(sheets, summary):
    for name, choose, column in (("info_ece", min, 2), ("tau", max, 3)):
        values = {
            group["by"]["method"]: group[name]
            for group in summary.groups
            if (group["by"]["dataset"], group["by"]["model"], group["by"]["condition"], group["by"]["target"])
            == ("20q", "small", "multi", "answer")
        }
        bold = [row[1].text for row in sheets["table2"].rows[1:5] if row[column].best]
        best = choose(values["vanilla_verb"], values["p_sufficient"])
        assert bold == [method for method in ("vanilla_verb", "p_sufficient") if values[method] == best]


def test_table_3_says_the_change_in_points_and_marks_what_holm_leaves(sheets, summary):
    sheet = sheets["table3"]
    assert sheet.heads[2:7] == ("20q conf i-1", "20q placebo", "20q conf i", "20q i less placebo", "20q N")
    assert [row[1].text for row in sheet.rows] == ["vanilla_verb", "p_sufficient"] * 2
    tests = {tuple(row["by"].values()): row for row in summary.placebo_tests}
    for line, method in ((0, "vanilla_verb"), (1, "p_sufficient")):
        test = tests["20q", "small", method, "answer"]
        previous, placebo, informative = sheet.rows[line][2:5]
        assert previous.text == f"{100 * test['previous']:.1f} %"
        for cell, mean, change in (
            (placebo, test["placebo"], test["placebo_change"]),
            (informative, test["informative"], test["informative_change"]),
        ):
            assert cell.text == f"{100 * mean:.1f} % ({100 * change['mean']:+.1f})"
            assert cell.significant == (change["p_holm"] < 0.05)
    # What only counts turns rises after a placebo too; what follows information does not.
    assert sheet.rows[0][3].significant
    assert not sheet.rows[1][3].significant
    assert sheet.rows[1][4].significant


def test_placebo_numbers_agree_with_a_count_by_hand(summary):
    made = {
        (r.condition, r.dialogue_id, r.turn): r.confidence
        for r in rows()
        if (r.dataset, r.model, r.method, r.target) == ("guess", "small", "p_sufficient", "answer")
    }
    changes = [
        np.mean([made["placebo", f"guess-{d}", i] - made["multi", f"guess-{d}", i - 1] for i in (2, 3, 4)])
        for d in range(20)
    ]
    [test] = [
        row for row in summary.placebo_tests if list(row["by"].values()) == ["guess", "small", "p_sufficient", "answer"]
    ]
    assert test["placebo_change"]["mean"] == pytest.approx(np.mean(changes), abs=1e-9)
    assert test["n"] == 60


def test_csv_has_a_record_a_group_with_intervals_n_and_share_and_no_percent(sheets, summary):
    lines = list(csv.DictReader(io.StringIO(sheets["table2"].csv())))
    assert len(lines) == 2 * 2 * 4
    group = next(group for group in summary.groups if group["by"]["condition"] == "multi")
    assert float(lines[0]["info_ece"]) == group["info_ece"]
    assert float(lines[0]["intervals.info_ece.lo"]) == group["intervals"]["info_ece"][0]
    assert lines[0]["n"] == str(group["n"])
    assert lines[0]["unscored_share"] == "0.0"


def test_json_is_the_records(sheets, summary):
    told = json.loads(sheets["table3"].json())
    assert told["rows"] == json.loads(json.dumps(list(summary.placebo_tests)))


def test_names_from_outside_are_harmless_in_latex_csv_and_text(sheets):
    for sheet in sheets.values():
        latex = sheet.latex()
        body = latex[latex.index(r"\begin") :]
        assert not re.search(r"(?<!\\)[%$#_]", body)
        assert r"=HYPERLINK(" in body or sheet.name == "gold_tau" or r"HYPERLINK" in body
        cells = [cell for line in csv.reader(io.StringIO(sheet.csv())) for cell in line]
        assert any(cell.startswith("'=HYPERLINK") for cell in cells)
        assert not any(cell.startswith(("=", "@", "+")) for cell in cells)


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        (r"\input{/etc/passwd}", r"\textbackslash{}input\{/etc/passwd\}"),
        ("a_b^c~d", r"a\_b\textasciicircum{}c\textasciitilde{}d"),
        ("50% & $5 #1", r"50\% \& \$5 \#1"),
        ("a\nb\\\\", r"a b\textbackslash{}\textbackslash{}"),
        ("[x] *y", "{[}x] {*}y"),
        ("<|im_end|>", r"\textless{}\textbar{}im\_end\textbar{}\textgreater{}"),
        ("Zürich – 東京", "Zürich – 東京"),
    ],
)
def test_latex_is_escaped(text, escaped):
    assert latex_escaped(text) == escaped


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "＝1"])
def test_a_formula_gets_an_apostrophe(text):
    assert spreadsheet_safe(text) == f"'{text}"


@pytest.mark.parametrize("text", ["gpt-4o", "", "a=b", "'=1"])
def test_an_ordinary_name_stays(text):
    assert spreadsheet_safe(text) == text


def test_negative_numbers_stay_numbers_in_csv():
    sheet = Sheet("x", "X", ("a",), ((Cell("a"),),), ({"by": {"model": "-m"}, "tau": -0.5},), "note", 1)
    assert sheet.csv() == "model,tau\n'-m,-0.5\n"


def test_no_control_character_reaches_the_terminal():
    shown = table(("model", "n"), [("\x1b[31mred\x07\u202e", "1\r\n2")])
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", shown)


def test_every_table_is_written_in_four_shapes(summary, tmp_path):
    written = write_tables(summary, tmp_path / "tables")
    assert len(written) == 6 * 4
    assert {path.suffix for path in written} == {".txt", ".csv", ".tex", ".json"}
    assert "20q InfoECE" in (tmp_path / "tables" / "table2.txt").read_text()


def test_an_evaluation_of_one_condition_and_no_labels_has_the_tables_it_can_have():
    plain = Predictions.of(
        [row for row in rows(("small",)) if row.condition == "multi" and row.method == "p_sufficient"]
    )
    few = Predictions(
        plain.dialogue_id, plain.turn, plain.length, plain.confidence, plain.correct, {}, plain.entity_name
    )
    names = [sheet.name for sheet in paper_tables(summarise(plain, MetricsSettings(resamples=0)))]
    assert names == ["groups", "table2", "gold_tau"]
    # Without labels there is one group; gold and answer stand on the same turn, so take one of them.
    answer = np.arange(0, len(few), 2)
    one = Predictions.of(
        [
            row
            for row in rows(("small",))
            if (row.condition, row.method, row.target) == ("multi", "p_sufficient", "answer")
        ]
    )
    bare = Predictions(one.dialogue_id, one.turn, one.length, one.confidence, one.correct)
    found = paper_tables(summarise(bare, MetricsSettings(resamples=0)))
    assert [sheet.name for sheet in found] == ["groups", "table2"]
    assert found[1].rows[0][:2] == (Cell("-"), Cell("accuracy"))
    assert len(answer) * 2 == len(few)


def test_the_terminals_table_shows_what_tells_groups_apart(summary):
    shown = evaluation_table(summary.groups).splitlines()
    assert shown[0].split()[:5] == ["dataset", "method", "condition", "model", "target"]
    assert len(shown) == 2 + len(summary.groups) + 4
