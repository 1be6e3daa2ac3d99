import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterguesser.adapters import clues as clues_module
from hinterguesser.adapters.base import AdaptOptions
from hinterguesser.adapters.qanta_text import sentence_ends
from hinterguesser.adapters.trickme import PLUGIN
from hinterguesser.domain.dialogue import Dialogue
from hinterguesser.errors import UserError

CLUES = [
    "One of these towers, kept by Wren, is in a play.",
    "Stevenson's family built many of these.",
    "For 10 points, name these towers with lamps.",
]
OPTIONS = AdaptOptions("Name it.")


def offsets(clues: list[str]) -> list[list[int]]:
    found, start = [], 0
    for clue in clues:
        found.append([start, start + len(clue)])
        start += len(clue) + 1
    return found


def question(clues: list[str] = CLUES, **other: Any) -> dict[str, Any]:
    return {
        "text": " ".join(clues),
        "answer": "lighthouses [or light towers]",
        "page": "Wren's_Lighthouse_(tower)",
        "category": "Trash",
        "qanta_id": 41,
        "tokenizations": offsets(clues),
        "first_sentence": clues[0],
        "author_email": "wren@example.org",
        "year": 1999,
        "fold": "adversarial",
        **other,
    }


def written(folder: Path, content: Any, name: str = "trick.json") -> Path:
    path = folder / name
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8")
    return path


def adapted(path: Path, options: AdaptOptions = OPTIONS) -> list[Dialogue]:
    return list(PLUGIN.read(path, options))


def only(folder: Path, record: Any) -> Dialogue:
    [dialogue] = adapted(written(folder, [record]))
    return dialogue


def hints(dialogue: Dialogue) -> list[str]:
    return [turn.hint.answer for turn in dialogue.turns]


class TestDialogues:
    def test_turn_i_adds_sentence_i(self, tmp_path):
        dialogue = only(tmp_path, question())
        assert hints(dialogue) == CLUES
        assert [turn.turn for turn in dialogue.turns] == [1, 2, 3]
        assert (dialogue.id, dialogue.game, dialogue.regime) == ("trickme-41", "trickme", "fully_specified")
        assert (dialogue.kept, dialogue.outcome, dialogue.reason) == (True, "adapted", None)
        assert Dialogue.from_dict(dialogue.to_dict()) == dialogue

    def test_gold_is_the_page_as_it_stands(self, tmp_path):
        assert only(tmp_path, question()).entity.name == "Wren's_Lighthouse_(tower)"

    def test_the_address_of_the_writer_is_kept_nowhere(self, tmp_path):
        path = written(tmp_path, {"questions": [question(), question(page=None)]})
        everything = [dialogue.to_dict() for dialogue in adapted(path)] + list(PLUGIN.annotations(path, OPTIONS))
        assert "example.org" not in json.dumps(everything)

    def test_object_list_lines_and_folder_say_the_same(self, tmp_path):
        rows = [question(), question(qanta_id=42, page="Other")]
        expected = adapted(written(tmp_path, rows, "list.json"))
        lines = "\n".join(map(json.dumps, rows)) + "\n\n"
        assert adapted(written(tmp_path, {"version": "x", "questions": rows}, "object.json")) == expected
        assert adapted(written(tmp_path, "\ufeff" + json.dumps(rows, indent=1), "pretty.json")) == expected
        assert adapted(written(tmp_path, lines, "lines.jsonl")) == expected
        assert adapted(written(tmp_path, lines, "lines_by_another_name.json")) == expected
        folder = tmp_path / "folder"
        folder.mkdir()
        written(folder, [rows[1]], "b.json")
        written(folder, rows[:1], "a.json")
        assert adapted(folder) == expected

    @pytest.mark.parametrize(
        ("record", "reason"),
        [
            (question(page=None), "no_page"),
            (question(page=" "), "no_page"),
            ({key: value for key, value in question().items() if key != "page"}, "no_page"),
            (question(text=""), "no_text"),
            (question(text=None), "no_text"),
            (question(text="(*)"), "no_text"),
            (question(text="a " * 20_000), "long_text"),
            (["a"], "not_a_record"),
        ],
    )
    def test_a_record_that_cannot_be_used_is_rejected_with_a_reason(self, tmp_path, record, reason):
        dialogue = only(tmp_path, record)
        assert (dialogue.kept, dialogue.outcome, dialogue.reason, dialogue.turns) == (False, "rejected", reason, ())
        assert Dialogue.from_dict(dialogue.to_dict()) == dialogue

    def test_a_rejected_record_is_named_by_its_answer_line(self, tmp_path):
        assert only(tmp_path, question(page=None)).entity.name == "lighthouses"

    def test_repeated_records_are_rejected_and_ids_stay_apart(self, tmp_path):
        rows = [question(), question(fold="buzzdev"), question(["Another question.", "Of two clues."])]
        found = adapted(written(tmp_path, rows))
        assert [dialogue.reason for dialogue in found] == [None, "repeated", None]
        assert len({dialogue.id for dialogue in found}) == 3

    def test_records_of_other_shapes(self, tmp_path):
        expo = {"qid": 5, "question": " ".join(CLUES), "answer": "Light_house", "fold": "dev"}
        dialogue = only(tmp_path, expo)
        assert (dialogue.id, dialogue.entity.name, hints(dialogue)) == ("trickme-5", "Light_house", CLUES)

    def test_annotations_keep_the_origin_and_the_answer_line(self, tmp_path):
        path = written(tmp_path, [question(page=None), question(qanta_id=42)])
        [row] = PLUGIN.annotations(path, OPTIONS)
        assert (row["dialogue_id"], row["category"], row["year"], row["fold"]) == (
            "trickme-42",
            "Trash",
            1999,
            "adversarial",
        )
        assert row["answer_line"]["accepted"] == [{"text": "light towers", "condition": None}]


class TestOffsets:
    def clues_of(self, folder: Path, text: str, tokenizations: Any) -> list[str]:
        return hints(only(folder, question(text=text, tokenizations=tokenizations)))

    def test_misread_letters_shift_the_offsets(self, tmp_path):
        clean = ["Ms. Brontë and Mr. Müller saw “it” — at last.", "Then Zoë left.", "Name this café."]
        misread = " ".join(clean).encode().decode("cp1252", errors="ignore")
        found = self.clues_of(tmp_path, misread, offsets(clean))
        assert [clue[:5] for clue in found] == ["Ms. B", "Then ", "Name "]
        assert " ".join(found) == misread

    @pytest.mark.parametrize("drift", [-4, -3, -2, -1, 1, 2])
    def test_small_drift_is_repaired(self, tmp_path, drift):
        moved = [[start, end + drift] for start, end in offsets(CLUES)]
        moved = [[0, moved[0][1]], [moved[0][1], moved[1][1]], [moved[1][1], moved[2][1]]]
        assert self.clues_of(tmp_path, " ".join(CLUES), moved) == CLUES

    def test_the_last_clue_reaches_to_the_end(self, tmp_path):
        cut = offsets(CLUES)
        cut[2][1] -= 9
        assert self.clues_of(tmp_path, " ".join(CLUES), cut) == CLUES

    def test_gaps_belong_to_the_clue_after_them(self, tmp_path):
        gaps = [[0, len(CLUES[0])], [len(CLUES[0]) + 7, len(" ".join(CLUES[:2]))], [120, 130]]
        assert self.clues_of(tmp_path, " ".join(CLUES), gaps) == CLUES

    def test_pieces_of_three_characters_or_fewer_are_merged(self, tmp_path):
        text = 'He calls it "a light. Then he sleeps." For 10 points, name it.'
        ends = [text.index(" Then"), text.index('" For'), text.index(" For"), len(text)]
        pairs = [[start, end] for start, end in zip([0, *ends], ends, strict=False)]
        assert self.clues_of(tmp_path, text, pairs) == [
            'He calls it "a light.',
            'Then he sleeps."',
            "For 10 points, name it.",
        ]

    def test_the_power_mark_is_no_text(self, tmp_path):
        text = "A tower is (*) lit here. Name ( * ) it now.(*)"
        assert self.clues_of(tmp_path, text, [[0, 24], [25, 46]]) == ["A tower is lit here.", "Name it now."]

    def test_no_break_spaces_are_blanks_even_misread(self, tmp_path):
        text = "A tower is\u00a0lit. \u00c2\u00a0Name it.\u00c2\u00a0"
        assert self.clues_of(tmp_path, text, [[0, 15], [18, 26]]) == ["A tower is lit.", "Name it."]

    @pytest.mark.parametrize(
        "broken",
        [
            None,
            [],
            "x",
            [[0]],
            [[5, 2]],
            [[0, 20], [10, 30]],
            [[-3, 5]],
            [[0, 9**20]],
            [["0", "5"]],
            [[0, 1.5]],
            [[True, 5]],
        ],
    )
    def test_offsets_that_cannot_be_used_are_replaced_by_the_splitter(self, tmp_path, broken):
        assert self.clues_of(tmp_path, " ".join(CLUES), broken) == CLUES

    def test_characters_instead_of_sentences(self, tmp_path):
        [dialogue] = adapted(written(tmp_path, [question()]), AdaptOptions("", granularity="characters:40"))
        assert " ".join(hints(dialogue)) == " ".join(CLUES)
        assert max(map(len, hints(dialogue))) <= 40 + 9

    @given(
        st.text(st.sampled_from(list('ab. ?"Ã©Â\u00a0(*)')), max_size=60),
        st.lists(st.integers(0, 70), max_size=8),
    )
    def test_any_offsets_leave_every_letter_once(self, text, ends):
        ordered = sorted(ends)
        pairs = [[start, end] for start, end in zip([0, *ordered], ordered, strict=False)]
        found = sentence_ends(text, pairs)
        if found is not None:
            joined = "".join(clues_module.pieces(text, found))
            assert re.sub(r"\s", "", joined) == re.sub(r"\s", "", text)


class TestHubCopy:
    def rows(self, mode: str) -> list[dict[str, Any]]:
        base = question()
        base.update(full_question=base["text"], raw_answer=base["answer"], answer=base["page"], sentence_idx=-1)
        if mode == "sentences":
            return [
                {**base, "text": clue, "sentence_idx": number, "id": f"41-sentence-{number}"}
                for number, clue in enumerate(CLUES)
            ]
        return [{**base, "id": f"41-{mode}", "text": CLUES[0] if mode == "first" else base["text"]}]

    def parquet(self, folder: Path, rows: list[dict[str, Any]]) -> Path:
        path = folder / "adversarial-00000-of-00001.parquet"
        pq.write_table(pa.Table.from_pylist(rows), path)
        return path

    @pytest.mark.parametrize("mode", ["full", "first"])
    def test_the_whole_question_is_read_in_every_mode(self, tmp_path, mode):
        for path in (self.parquet(tmp_path, self.rows(mode)), written(tmp_path, self.rows(mode))):
            [dialogue] = adapted(path)
            assert (hints(dialogue), dialogue.entity.name) == (CLUES, "Wren's_Lighthouse_(tower)")

    def test_isolated_sentences_make_one_dialogue(self, tmp_path):
        found = adapted(self.parquet(tmp_path, self.rows("sentences")))
        assert [dialogue.reason for dialogue in found] == [None, "repeated", "repeated"]
        assert hints(found[0]) == CLUES

    def test_without_page_the_answer_is_the_page(self, tmp_path):
        rows = [{key: value for key, value in row.items() if key != "page"} for row in self.rows("full")]
        [dialogue] = adapted(self.parquet(tmp_path, rows))
        assert dialogue.entity.name == "Wren's_Lighthouse_(tower)"

    def test_damaged_parquet(self, tmp_path):
        path = self.parquet(tmp_path, self.rows("full"))
        raw = path.read_bytes()
        for content in (raw[: len(raw) // 2], b"PAR1", b"", raw[:40] + b"x" * 300 + raw[340:]):
            path.write_bytes(content)
            with pytest.raises(UserError, match="download it again"):
                adapted(path)

    def test_parquet_of_another_kind(self, tmp_path):
        with pytest.raises(UserError, match="no column 'text'"):
            adapted(self.parquet(tmp_path, [{"a": 1}]))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", "id,text\n1,A clue\n", "a.json:1: not JSON"),
        ("a.json", '[{"text": "A clue",\n"pa', "a.json:2: not JSON"),
        ("a.json", "", "a.json:1: the file is empty"),
        ("a.json", "[]", "a.json:1: the list of questions is empty"),
        ("a.json", '{"items": []}', "neither a list of questions nor an object with a list 'questions'"),
        ("a.json", '{"questions": {}}', "neither a list of questions"),
        ("a.json", "[" * 200_000, "usable JSON"),
        ("a.jsonl", '{"text": "A"}\n{"te', "a.jsonl:2: not JSON"),
        ("a.json.gz", "x", "unpack it first"),
    ],
)
def test_files_at_fault(tmp_path, name, content, message):
    with pytest.raises(UserError) as caught:
        adapted(written(tmp_path, content, name))
    assert message in str(caught.value)


def test_paths_at_fault(tmp_path):
    with pytest.raises(UserError, match="no such file or folder"):
        adapted(tmp_path / "no.json")
    with pytest.raises(UserError, match=r"no \.json, \.jsonl or \.parquet file in it"):
        adapted(tmp_path)
    (tmp_path / "a.json").write_bytes(b'["caf\xe9"]')
    with pytest.raises(UserError, match=r"a\.json:1: not UTF-8"):
        adapted(tmp_path)
