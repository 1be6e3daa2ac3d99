import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hinterguesser.domain.entity import Attribute, Entity, EntityList, Wording
from hinterguesser.domain.facts import FactTable
from hinterguesser.errors import UserError
from hinterguesser.store import entities as entities_module
from hinterguesser.store import textfiles
from hinterguesser.store.entities import builtin_list, file_sha256, list_sha256, read_entities, write_entities
from hinterguesser.store.entity_check import MAX_PAIRS, check, count_inseparable


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def names(listed: EntityList) -> list[str]:
    return [entity.name for entity in listed.entities]


def kinds(listed: EntityList) -> list[str]:
    return [finding.kind for finding in check(listed)]


class TestReading:
    def test_a_text_file_is_a_name_a_line(self, tmp_path):
        listed = read_entities(written(tmp_path, "a.txt", "Kettle\n\n  Ladder \n"))
        assert names(listed) == ["Kettle", "Ladder"]
        assert not listed.has_facts

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_byte_order_mark_and_any_line_end(self, tmp_path, end):
        listed = read_entities(written(tmp_path, "a.txt", f"\ufeffKettle{end}Ladder"))
        assert names(listed) == ["Kettle", "Ladder"]

    def test_csv_columns_are_facts_and_an_empty_cell_is_unknown(self, tmp_path):
        text = 'metal,name,aliases,made of\nyes,Kettle,Teapot | Tea kettle|,\n,"Ladder, long",,wood\n'
        listed = read_entities(written(tmp_path, "a.csv", text))
        assert listed.entities == (
            Entity("Kettle", ("Teapot", "Tea kettle"), {"metal": "yes"}),
            Entity("Ladder, long", (), {"made of": "wood"}),
        )

    def test_jsonl_with_null_as_unknown(self, tmp_path):
        row = {"name": "Kettle", "aliases": ["Teapot", "Teapot", "Kettle"], "facts": {"metal": "yes", "size": None}}
        listed = read_entities(written(tmp_path, "a.jsonl", json.dumps(row) + '\n{"name": "Ladder"}\n'))
        assert listed.entities == (Entity("Kettle", ("Teapot",), {"metal": "yes"}), Entity("Ladder"))

    def test_emoji_and_right_to_left_names_stay_as_they_are(self, tmp_path):
        wanted = ["👩‍🚀", "قطة", "Zürich", "東京"]
        assert names(read_entities(written(tmp_path, "a.txt", "\n".join(wanted)))) == wanted

    def test_every_fact_has_words_without_a_wording_file(self, tmp_path):
        listed = read_entities(written(tmp_path, "a.csv", "name,is_alive,found_in\nCat,Yes,homes\nCar,no,\n"))
        table = FactTable(listed)
        said = [(fact.hint.question, fact.hint.answer, fact.statement) for fact in table.facts_of(listed.entities[0])]
        assert said == [
            ("Is it alive?", "Yes.", "It is alive."),
            ("What is its found in?", "Homes.", "Its found in is homes."),
        ]

    def test_wording_file_beside_the_list(self, tmp_path):
        path = written(tmp_path, "a.csv", "name,metal,place\nKettle,yes,kitchen\nLadder,no,shed\n")
        rows = [
            {
                "name": "metal",
                "question": "Is it made of metal?",
                "answer": {"yes": "Yes, it is.", "no": "No, it is not."},
                "statement": {"yes": "It is of metal.", "no": "It is not of metal."},
                "closing": True,
            }
        ]
        written(tmp_path, "a.attributes.jsonl", "\n".join(map(json.dumps, rows)))
        metal, place = read_entities(path).attributes
        assert metal.closing
        assert metal.answer.render("no") == "No, it is not."
        assert (place.name, place.closing) == ("place", False)

    def test_reads_100_000_names(self, tmp_path):
        path = written(tmp_path, "a.txt", "".join(f"Thing number {number}\n" for number in range(100_000)))
        assert len(read_entities(path).entities) == 100_000

    def test_what_is_written_is_read_back_equal(self, tmp_path):
        attribute = Attribute("metal", "Is it metal?", Wording("{value}."), Wording("Metal: {value}."), closing=True)
        listed = EntityList((Entity("Kettle", ("Teapot",), {"metal": "yes"}), Entity("Löffel")), (attribute,))
        write_entities(listed, tmp_path / "a.jsonl")
        assert read_entities(tmp_path / "a.jsonl") == listed


BAD = {
    "empty.txt": ("", "empty.txt:1: the list is empty"),
    "blank.txt": ("\n \n", "blank.txt:1: the list is empty"),
    "twice.txt": ("Kettle\nLadder\nkettle\n", "twice.txt:3: 'kettle' is there already, line 1"),
    "sameid.txt": ("A-Team\nA Team\n", "'A Team' and 'A-Team', line 1, give the same id 'a-team'"),
    "control.txt": ("Kettle\nLad\x07der\n", "control.txt:2: the name holds the unprintable character U+0007"),
    "latin.txt": ("Kettle\nZürich\n".encode("latin-1"), "latin.txt:2: byte 0xfc is not UTF-8"),
    "wide.txt": ("Kettle\n".encode("utf-16"), "wide.txt:1: the file is UTF-16"),
    "binary.txt": (b"Kettle\n\x00\x01\n", "binary.txt:2: the file is binary"),
    "long.txt": ("x" * 1_001, "long.txt:1: the name has 1,001 characters"),
    "longline.txt": ("Kettle\n" + "x" * 1_000_001, "longline.txt:2: the line is longer than"),
    "empty.csv": ("", "empty.csv:1: the list is empty"),
    "header.csv": ("name,metal\n", "header.csv:1: the list is empty"),
    "noname.csv": ("Name;metal\nKettle;yes\n", "noname.csv:1: no column 'name'"),
    "unnamed.csv": ("name,\nKettle,yes\n", "unnamed.csv:1: the name of a column is empty"),
    "columns.csv": ("name,metal,metal\nKettle,yes,no\n", "columns.csv:1: two columns are called 'metal'"),
    "cells.csv": ("name,metal\nKettle,yes\nLadder\n", "cells.csv:3: 1 cells where the header has 2"),
    "blank.csv": ("name,metal\nKettle,yes\n ,no\n", "blank.csv:3: the name is empty"),
    "quote.csv": ('name,metal\nKettle,yes\n"Ladder,no\n', "quote.csv:3: not CSV"),
    "alias.csv": (
        "name,aliases\nKettle,Pot\nPan,pot\n",
        "alias.csv:3: 'pot' also stands for 'Kettle', line 2",
    ),
    "aliasname.csv": ("name,aliases\nKettle,\nPan,kettle\n", "aliasname.csv:3: 'kettle' also stands for 'Kettle'"),
    "text.jsonl": ("Kettle\n", "text.jsonl:1: not JSON"),
    "cut.jsonl": ('{"name": "Kettle"}\n{"name": "Lad', "cut.jsonl:2: not JSON"),
    "list.jsonl": ('["Kettle"]\n', "list.jsonl:1: expected a JSON object"),
    "key.jsonl": ('{"name": "Kettle", "alias": []}\n', "key.jsonl:1: unknown keys ['alias']"),
    "samekey.jsonl": ('{"name": "Kettle", "name": "Pan"}\n', "the key 'name' stands there twice"),
    "noname.jsonl": ('{"facts": {}}\n', 'noname.jsonl:1: "name" is missing'),
    "number.jsonl": ('{"name": 5}\n', 'number.jsonl:1: "name" must be a text, got 5'),
    "null.jsonl": ('{"name": null}\n', '"name" must be a text, got None'),
    "blank.jsonl": ('{"name": " "}\n', 'blank.jsonl:1: "name" is empty'),
    "surrogate.jsonl": ('{"name": "\\ud83d"}\n', "unprintable character U+D83D"),
    "aliases.jsonl": ('{"name": "Kettle", "aliases": "Pot"}\n', 'aliases.jsonl:1: "aliases" must be a list'),
    "aliasblank.jsonl": ('{"name": "Kettle", "aliases": [""]}\n', "an alias of 'Kettle' is empty"),
    "facts.jsonl": ('{"name": "Kettle", "facts": ["metal"]}\n', 'facts.jsonl:1: "facts" must be an object'),
    "bool.jsonl": ('{"name": "Kettle", "facts": {"metal": true}}\n', "the value of 'metal' must be a text, got True"),
    "value.jsonl": ('{"name": "Kettle", "facts": {"metal": ""}}\n', "the value of 'metal' is empty"),
    "attribute.jsonl": ('{"name": "Kettle", "facts": {" ": "x"}}\n', "the name of an attribute is empty"),
    "strip.jsonl": ('{"name": "Kettle", "facts": {"a": "x", "a ": "y"}}\n', "the attribute 'a' stands there twice"),
    "deep.jsonl": ("[" * 100_000, "deep.jsonl:1: not "),
    "case.csv": ("name,metal\nKettle,yes\nLadder,Yes\n", "are both said as 'Is it metal? Yes.'"),
    "list.xlsx": ("Kettle", "a list ends in .txt, .csv or .jsonl, got '.xlsx'"),
    "list": ("Kettle", "got 'no ending'"),
    "a.attributes.jsonl": ("", "words the attributes of a list; give the list itself: a.jsonl"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_names_file_and_line(tmp_path, name):
    content, message = BAD[name]
    with pytest.raises(UserError) as caught:
        read_entities(written(tmp_path, name, content))
    assert message in str(caught.value)
    assert str(tmp_path / name) in str(caught.value)
    assert len(str(caught.value)) < 1_000


class TestFilesAtFault:
    def test_missing_folder_or_device(self, tmp_path):
        for path, message in ((tmp_path / "no.txt", "no such file"), (tmp_path, "this is a folder")):
            with pytest.raises(UserError, match=message):
                read_entities(path)
        os.mkfifo(tmp_path / "pipe.txt")
        with pytest.raises(UserError, match="not a regular file"):
            read_entities(tmp_path / "pipe.txt")

    def test_no_permission(self, tmp_path, monkeypatch):
        path = written(tmp_path, "a.txt", "Kettle")

        def refuse(self):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "read_bytes", refuse)
        with pytest.raises(UserError, match="no permission to read it"):
            read_entities(path)

    def test_too_large(self, tmp_path, monkeypatch):
        monkeypatch.setattr(textfiles, "MAX_FILE_BYTES", 5)
        with pytest.raises(UserError, match="split the file"):
            read_entities(written(tmp_path, "a.txt", "Kettle"))

    def test_not_written_where_it_cannot_be(self, tmp_path):
        with pytest.raises(UserError, match="cannot be written"):
            write_entities(EntityList((Entity("Kettle"),)), tmp_path / "no" / "a.jsonl")
        with pytest.raises(UserError, match="entity lists are written as"):
            write_entities(EntityList((Entity("Kettle"),)), tmp_path / "a.csv")


GOOD_WORDING = {"name": "metal", "question": "Metal?", "answer": "{value}", "statement": "Metal: {value}"}
BAD_WORDINGS = {
    "missing value": ({**GOOD_WORDING, "answer": {"yes": "Yes"}}, "\"answer\" of 'metal' has no text for ['no']"),
    "missing key": ({"name": "metal", "question": "Metal?", "answer": "{value}"}, "missing keys ['statement']"),
    "unknown key": ({**GOOD_WORDING, "close": True}, "unknown keys ['close']"),
    "closing": ({**GOOD_WORDING, "closing": "yes"}, '"closing" must be true or false'),
    "type": ({**GOOD_WORDING, "answer": ["x"]}, '"answer" must be a text with {value}, or an object'),
    "blank": ({**GOOD_WORDING, "question": " "}, '"question" is empty'),
    "placeholder": ({**GOOD_WORDING, "question": "Is {name} metal?"}, "holds {name}, which nothing fills in"),
    "placeholder in a map": (
        {**GOOD_WORDING, "answer": {"yes": "{value}!", "no": "No"}},
        "holds {value}, which nothing fills in",
    ),
    "alike": ({**GOOD_WORDING, "answer": "Who knows."}, "are both said as 'Metal? Who knows.'"),
    "alike as a statement": ({**GOOD_WORDING, "statement": "Who knows."}, "are both said as 'Who knows.'"),
}


@pytest.mark.parametrize("case", BAD_WORDINGS)
def test_bad_wording_names_file_and_line(tmp_path, case):
    row, message = BAD_WORDINGS[case]
    path = written(tmp_path, "a.csv", "name,metal\nKettle,yes\nLadder,no\n")
    wording = written(tmp_path, "a.attributes.jsonl", "\n" + json.dumps(row))
    with pytest.raises(UserError) as caught:
        read_entities(path)
    assert message in str(caught.value)
    assert f"{wording}:2: " in str(caught.value)


def test_an_attribute_worded_twice_is_refused(tmp_path):
    path = written(tmp_path, "a.csv", "name,metal\nKettle,yes\n")
    written(tmp_path, "a.attributes.jsonl", f"{json.dumps(GOOD_WORDING)}\n{json.dumps(GOOD_WORDING)}\n")
    with pytest.raises(UserError, match=r"a.attributes.jsonl:2: 'metal' is worded twice"):
        read_entities(path)


class TestBuiltin:
    def test_lists_are_found_by_game_and_only_so(self, tmp_path, monkeypatch):
        for name in ("20q.jsonl", "20q.attributes.jsonl"):
            written(tmp_path, name, "")
        monkeypatch.setattr(entities_module, "asset_folder", lambda kind: tmp_path / ("" if kind else "no"))
        assert builtin_list("20q") == tmp_path / "20q.jsonl"
        for game in ("20q.attributes", "../20q", "", "chess"):
            with pytest.raises(UserError, match=r"there are: 20q\); give one with --entities FILE"):
                builtin_list(game)

    def test_fingerprints_change_with_list_and_wording(self, tmp_path):
        path = written(tmp_path, "a.csv", "name,metal\nKettle,yes\n")
        assert list_sha256(path) == {"a.csv": file_sha256(path)}
        written(tmp_path, "a.attributes.jsonl", json.dumps(GOOD_WORDING))
        assert list(list_sha256(path)) == ["a.csv", "a.attributes.jsonl"]


class TestCheck:
    def test_a_good_list_has_no_findings(self, tmp_path):
        path = written(tmp_path, "a.csv", "name,metal\nKettle,yes\nLadder,no\n")
        assert check(read_entities(path)) == []

    def test_collisions_that_reading_refuses_are_all_found(self, tmp_path):
        path = written(tmp_path, "a.csv", "name,aliases,metal\nKettle,Pot,yes\nkettle,,no\nPan,pot,\n")
        listed = read_entities(path, allow_collisions=True)
        assert kinds(listed)[:2] == ["duplicate_name", "shared_alias"]
        assert check(listed)[1].entities == ("Kettle", "Pan")

    def test_names_inside_names_but_not_inside_words(self):
        listed = EntityList((Entity("Car"), Entity("Racing car"), Entity("Carpet"), Entity("Tram", ("Street car",))))
        found = [finding.entities for finding in check(listed) if finding.kind == "contained_name"]
        assert found == [("Car", "Racing car"), ("Car", "Tram")]

    def test_hints_that_give_the_name_away(self):
        listed = EntityList(
            (
                Entity("Mexico City", (), {"country": "Mexico"}),
                Entity("Turin", (), {"language": "Turinese"}),
                Entity("Car", (), {"where": "on a carpet"}),
            )
        )
        found = [finding.entities for finding in check(listed) if finding.kind == "leaked_name"]
        assert found == [("Mexico City",), ("Turin",)]

    def test_short_names(self):
        assert "short_name" in kinds(EntityList((Entity("Ox", (), {"alive": "yes"}),)))

    def test_pairs_that_no_fact_tells_apart(self):
        listed = EntityList(
            (
                Entity("Spoon", (), {"metal": "yes", "sharp": "no"}),
                Entity("Knife", (), {"metal": "yes", "sharp": "yes"}),
                Entity("Ladle", (), {"metal": "yes"}),
                Entity("Mystery"),
            )
        )
        found = [(finding.kind, finding.entities) for finding in check(listed)]
        assert ("inseparable", ("Spoon", "Ladle")) in found
        assert ("inseparable", ("Knife", "Ladle")) in found
        assert count_inseparable(listed) == 2
        assert ("no_facts", ("Mystery",)) in found

    def test_attributes_that_separate_nothing(self):
        attribute = Attribute("colour", "Colour?", Wording("{value}"), Wording("{value}"))
        listed = EntityList((Entity("Pan", (), {"real": "yes"}), Entity("Pot", (), {"real": "yes"})), (attribute,))
        assert {"constant_attribute", "unused_attribute", "inseparable"} <= set(kinds(listed))

    def test_many_pairs_are_counted_exactly_and_listed_up_to_a_limit(self):
        count = 2_000
        listed = EntityList(tuple(Entity(f"Thing {n}", (), {"real": "yes"}) for n in range(count)))
        found = check(listed)
        assert sum(finding.kind == "inseparable" for finding in found) == MAX_PAIRS
        assert f"{count * (count - 1) // 2:,} pairs" in found[-1].detail


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.binary(max_size=200), st.sampled_from([".txt", ".csv", ".jsonl"]))
def test_any_bytes_give_a_list_or_one_user_error(tmp_path, content, ending):
    try:
        listed = read_entities(written(tmp_path, f"a{ending}", content))
    except UserError:
        return
    assert listed.entities


_TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), min_size=1, max_size=20).filter(
    lambda text: text.strip() == text
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.dictionaries(_TEXT, st.dictionaries(_TEXT.filter(str.isalnum), st.sampled_from(["yes", "no"])), min_size=1),
)
def test_any_names_and_facts_survive_writing_and_reading(tmp_path, table):
    listed = EntityList(tuple(Entity(name, (), facts) for name, facts in table.items()))
    write_entities(listed, tmp_path / "a.jsonl")
    assert read_entities(tmp_path / "a.jsonl", allow_collisions=True).entities == listed.entities
