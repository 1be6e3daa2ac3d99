import json
import zipfile
from pathlib import Path

import pytest

from hinterguesser.adapters.lists import IMPORTERS, import_geonames, import_kaggle, import_lmrl
from hinterguesser.domain.entity import Entity
from hinterguesser.errors import UserError
from hinterguesser.store.entities import read_entities, write_entities


def written(folder: Path, name: str, content: object) -> Path:
    path = folder / name
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8")
    return path


def noted(imported, kind: str) -> list[str]:
    return [note.name for note in imported.notes if note.kind == kind]


def survives(imported, folder: Path) -> None:
    """What an importer makes must be a list that the program reads back without a complaint."""
    write_entities(imported.listed, folder / "imported.jsonl")
    assert read_entities(folder / "imported.jsonl").entities == imported.listed.entities


class TestLmrl:
    OBJECTS = {"Tools": ["Tongs;Tong;Pair of tongs", "Ladder"], "Clothes": ["Mitten;Mittens", "ladder"]}

    def test_variants_are_aliases_and_categories_facts(self, tmp_path):
        imported = import_lmrl(written(tmp_path, "objects.json", self.OBJECTS))
        assert imported.listed.entities == (
            Entity("Tongs", ("Tong", "Pair of tongs"), {"category": "Tools"}),
            Entity("Ladder", (), {"category": "Tools"}),
            Entity("Mitten", ("Mittens",), {"category": "Clothes"}),
        )
        assert imported.counts() == {"variants": 2, "case_collision": 1}
        survives(imported, tmp_path)

    def test_the_python_file_is_parsed_and_never_run(self, tmp_path):
        mark = tmp_path / "was_run"
        source = f"import no_such_module\nopen({str(mark)!r}, 'w')\nDEFAULT_OBJECT_DICT = {self.OBJECTS!r}\n"
        imported = import_lmrl(written(tmp_path, "data.py", source))
        assert len(imported.listed.entities) == 3
        assert not mark.exists()

    CITIES = (
        "Rank City Country Population \n"
        "1; Lagos; Nigeria; 9,000,000\n"
        "2; Kinshaha; Congo; 2,664,000\n"
        "3; Bern; Switzerland; 134,000\n"
        "4; Bern; Nowhere; 1,000\n"
        "5; \n"
        "6; Oslo; Norway; 1,823,00"
    )

    def test_cities_with_header_misspelt_names_and_cut_rows(self, tmp_path):
        aliases = written(tmp_path, "other.json", {"Bérn": ["Berne", "Berne"], "Oslo": ["Christiania"], "Riga": ["R"]})
        imported = import_lmrl(written(tmp_path, "cities.txt", self.CITIES), aliases)
        assert [(entity.name, entity.aliases) for entity in imported.listed.entities] == [
            ("Lagos, Nigeria", ("Lagos",)),
            ("Kinshasa, Congo", ("Kinshasa",)),
            ("Bern, Switzerland", ()),
            ("Bern, Nowhere", ()),
            ("Oslo, Norway", ("Oslo", "Christiania")),
        ]
        assert noted(imported, "misspelt") == ["Kinshaha"]
        assert noted(imported, "cut_row") == ["5;", "Oslo"]
        assert noted(imported, "unused_aliases") == ["riga"]
        assert set(noted(imported, "shared_alias")) == {"Bern, Switzerland", "Bern, Nowhere"}
        assert imported.listed.entities[0].facts == {"country": "Nigeria"}
        survives(imported, tmp_path)

    def test_aliases_from_the_python_file(self, tmp_path):
        aliases = written(tmp_path, "names.py", 'names_dict = {"Oslo": ["Christiania"], "Oslo": ["Kristiania"]}')
        imported = import_lmrl(written(tmp_path, "cities.txt", self.CITIES), aliases)
        assert imported.listed.entities[-1].aliases == ("Oslo", "Kristiania")
        with pytest.raises(UserError, match="only read for cities"):
            import_lmrl(written(tmp_path, "objects.json", self.OBJECTS), aliases)


class TestKaggle:
    GROUPS = [
        {
            "category": "things",
            "words": [
                {"keyword": "Ceiling Lamp", "alts": ["lamp"]},
                {"keyword": "Ceiling lamp", "alts": []},
                {"keyword": "Desk", "alts": ["Desks", "lamp"]},
                {"keyword": "Desk"},
                {"keyword": " ", "alts": []},
            ],
        },
        {"category": "landmark", "words": [{"keyword": "mount saint lias", "alts": ["desk"]}]},
        {"category": "city", "words": [{"keyword": "springfeld", "alts": []}, {"keyword": "springfield", "alts": []}]},
    ]

    def test_collisions_duplicates_and_misspelt_names_are_reported(self, tmp_path):
        imported = import_kaggle(written(tmp_path, "keywords.json", self.GROUPS))
        assert [(entity.name, entity.aliases) for entity in imported.listed.entities] == [
            ("Ceiling Lamp", ()),
            ("Desk", ("Desks",)),
            ("mount saint elias", ()),
            ("springfeld", ()),
            ("springfield", ()),
        ]
        assert noted(imported, "case_collision") == ["Ceiling lamp"]
        assert noted(imported, "duplicate") == ["Desk"]
        assert noted(imported, "blank_name") == [""]
        assert noted(imported, "misspelt") == ["mount saint lias"]
        assert noted(imported, "near_names") == ["springfield"]
        assert noted(imported, "shared_alias") == ["Ceiling Lamp", "Desk", "mount saint elias"]
        survives(imported, tmp_path)

    def test_control_characters_are_taken_out(self, tmp_path):
        groups = [{"category": "a\x00b", "words": [{"keyword": "Lamp\x07\ud800", "alts": ["light\x1b"]}]}]
        imported = import_kaggle(written(tmp_path, "keywords.json", groups))
        assert imported.listed.entities == (Entity("Lamp \ufffd", ("light",), {"category": "a b"}),)
        survives(imported, tmp_path)

    def test_the_python_file(self, tmp_path):
        source = f'"""List."""\n\nKEYWORDS_JSON = """\n{json.dumps(self.GROUPS)}\n"""\n'
        assert len(import_kaggle(written(tmp_path, "keywords.py", source)).listed.entities) == 5


def geonames_row(name: str, code: str, population: object, **other: str) -> str:
    cells = ["1", name, other.get("ascii", name), other.get("alternates", ""), other.get("latitude", "10.5"), "20.1"]
    cells += [
        "P",
        other.get("feature", "PPL"),
        code,
        "",
        "01",
        "",
        "",
        "",
        str(population),
        "",
        "5",
        "X/Y",
        "2020-01-01",
    ]
    return "\t".join(cells)


class TestGeonames:
    TABLE = "\n".join(
        [
            geonames_row("Smallville", "US", 20_000),
            geonames_row(
                "Łodżia",
                "PL",
                3_000_000,
                ascii="Lodzia",
                feature="PPLC",
                alternates="LOD,Lodschia,ロッジャ,https://x.org,Lodzia",
            ),
            geonames_row("Smallville", "US", 90_000, latitude="-3"),
            geonames_row("Nowhere", "", 16_000),
            "cut\toff",
            geonames_row("Wrong", "US", "many"),
        ]
    )

    def test_cities_come_largest_first_with_facts(self, tmp_path):
        imported = import_geonames(written(tmp_path, "cities15000.txt", self.TABLE))
        assert [entity.name for entity in imported.listed.entities] == [
            "Łodżia, Poland",
            "Smallville, United States",
            "Nowhere",
        ]
        first, second, _ = imported.listed.entities
        assert first.aliases == ("Łodżia", "Lodschia")
        assert first.facts == {
            "country": "Poland",
            "a_capital_city": "yes",
            "north_of_the_equator": "yes",
            "home_to_more_than_a_million_people": "yes",
        }
        assert (second.facts["north_of_the_equator"], second.facts["a_capital_city"]) == ("no", "no")
        assert noted(imported, "duplicate") == ["Smallville, United States"]
        assert len(noted(imported, "cut_row")) == 2
        survives(imported, tmp_path)

    def test_limit_and_zip(self, tmp_path):
        with zipfile.ZipFile(tmp_path / "cities.zip", "w") as archive:
            archive.writestr("cities15000.txt", self.TABLE)
            archive.writestr("readme.txt", "about")
        assert len(import_geonames(tmp_path / "cities.zip", limit=1).listed.entities) == 1

    def test_a_zip_without_a_table(self, tmp_path):
        with zipfile.ZipFile(tmp_path / "cities.zip", "w") as archive:
            archive.writestr("readme.txt", "about")
        with pytest.raises(UserError, match="0 tables in the archive"):
            import_geonames(tmp_path / "cities.zip")


BAD = {
    "lmrl": [
        ("a.json", "[]", "no object from names to lists"),
        ("a.json", "{}", "no object from names to lists"),
        ("a.json", '{"a": "b"}', "there must be a list of texts"),
        ("a.json", '{"a": [1]}', "there must be a list of texts"),
        ("a.json", "Tongs\n", "a.json:1: not JSON"),
        ("a.py", "x = 1", "no DEFAULT_OBJECT_DICT in it"),
        ("a.py", "DEFAULT_OBJECT_DICT = make()", "DEFAULT_OBJECT_DICT cannot be read"),
        ("a.py", "DEFAULT_OBJECT_DICT = (", "DEFAULT_OBJECT_DICT cannot be read"),
        ("a.txt", "Rank City\n", "a.txt:1: no names in it"),
    ],
    "kaggle": [
        ("a.json", "{}", "no list of categories"),
        ("a.json", '["a"]', "no list of categories"),
        ("a.json", '[{"category": "a"}]', "has no list 'words'"),
        ("a.json", '[{"category": "a", "words": ["b"]}]', "a word is no object with 'keyword'"),
        ("a.json", "[]", "no names in it"),
        ("a.py", 'KEYWORDS_JSON = "["', "not JSON"),
    ],
    "geonames": [
        ("a.txt", "name,country\nOslo,Norway\n", "a.txt:1: no GeoNames table"),
        ("a.txt", "", "no names in it"),
        ("a.zip", "x", "no zip archive"),
    ],
}


@pytest.mark.parametrize(("source", "name", "content", "message"), [(s, *case) for s in BAD for case in BAD[s]])
def test_bad_files_are_refused_with_a_reason(tmp_path, source, name, content, message):
    path = written(tmp_path, name, content)
    with pytest.raises(UserError) as caught:
        IMPORTERS[source](path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("source", IMPORTERS)
def test_missing_files(tmp_path, source):
    with pytest.raises(UserError, match="no such file or folder"):
        IMPORTERS[source](tmp_path / "no.txt")
    with pytest.raises(UserError):
        IMPORTERS[source](tmp_path)
