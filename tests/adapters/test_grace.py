import json
import re
import zipfile
from pathlib import Path

import pytest
from quiz_packets import CLUES, PASSWORD, folder, packets, published_zip, tossup

from hinterguesser.adapters import archives
from hinterguesser.adapters.base import AdaptOptions
from hinterguesser.adapters.grace import PLUGIN, read_tossups
from hinterguesser.domain.dialogue import Dialogue
from hinterguesser.errors import UserError

OPTIONS = AdaptOptions("Name it.", password=PASSWORD)


def adapted(path: Path, options: AdaptOptions = OPTIONS) -> list[Dialogue]:
    return list(PLUGIN.read(path, options))


def only(tmp_path: Path, record: object) -> Dialogue:
    [dialogue] = adapted(folder(tmp_path, {"packet1_buzzpoints.json": [record]}))
    return dialogue


class TestDialogues:
    def test_folder_zip_and_single_packet_say_the_same(self, tmp_path):
        from_folder = adapted(folder(tmp_path / "unpacked", packets()))
        assert adapted(published_zip(tmp_path / "published.zip")) == from_folder
        one = tmp_path / "unpacked" / "[public]buzzpoints" / "packet3_buzzpoints.json"
        assert adapted(one) == [from_folder[2]]

    def test_a_question_is_known_by_packet_and_index(self, tmp_path):
        ids = [dialogue.id for dialogue in adapted(published_zip(tmp_path / "published.zip"))]
        assert ids == ["grace-1-exh-1", "grace-1-exh-2", "grace-3-128", "grace-10-128"]

    def test_an_index_may_be_a_text_or_a_number(self, tmp_path):
        tossups = list(read_tossups(folder(tmp_path, {"packet2_x.json": [tossup("9"), tossup(9), tossup(None)]})))
        assert [one.index for one in tossups] == ["9", "9", "record-3"]

    def test_turn_i_adds_clue_i(self, tmp_path):
        dialogue = only(tmp_path, tossup())
        assert [(turn.turn, turn.hint.question, turn.hint.answer) for turn in dialogue.turns] == [
            (number, "", clue) for number, clue in enumerate(CLUES, start=1)
        ]
        assert (dialogue.regime, dialogue.game, dialogue.instruction) == ("fully_specified", "grace", "Name it.")
        assert (dialogue.kept, dialogue.outcome, dialogue.reason) == (True, "adapted", None)
        assert {(turn.guess, turn.guess_correct, turn.n_candidates) for turn in dialogue.turns} == {(None, None, None)}
        assert Dialogue.from_dict(dialogue.to_dict()) == dialogue

    def test_only_what_is_right_at_any_time_is_an_alias(self, tmp_path):
        entity = only(tmp_path, tossup()).entity
        assert (entity.name, entity.aliases) == ("lighthouse", ("light tower",))

    def test_clues_of_characters(self, tmp_path):
        path = folder(tmp_path, {"packet1_buzzpoints.json": [tossup()]})
        [dialogue] = adapted(path, AdaptOptions("", granularity="characters:50"))
        heard = ""
        for turn in dialogue.turns:
            heard = f"{heard} {turn.hint.answer}".strip()
            assert len(heard) <= 50 * turn.turn
        assert heard == " ".join(CLUES)

    def test_buzzes_stand_beside_the_dialogue_with_the_clue_they_came_in(self, tmp_path):
        broken = [{"3": "[H2, -]"}, {"999": "[H2, +]"}, {"x": "[H2, +]"}, "H2", {"4": "H2 +"}, {"5": ["[M3, +]"]}]
        path = folder(
            tmp_path, {"packet1_buzzpoints.json": [tossup(), tossup(8, position=broken, question="A b. C d e f g.")]}
        )
        first, second = PLUGIN.annotations(path, OPTIONS)
        assert [(buzz["team"], buzz["correct"], buzz["word"], buzz["turn"]) for buzz in first["buzzes"]] == [
            ("H2", False, 4, 1),
            ("M1", True, 18, 2),
            ("H12", True, 38, 3),
        ]
        assert [buzz["team"] for buzz in second["buzzes"]] == ["H2", "M3"]
        assert (first["buzzes_unread"], second["buzzes_unread"]) == (0, 4)
        assert first["dialogue_id"] == "grace-1-7"
        assert (first["packet"], first["index"], first["category"]) == (1, "7", "Literature")
        assert first["answer_line"]["accepted"][1] == {"text": "beacon", "condition": "until “lamps” is read"}

    @pytest.mark.parametrize(
        ("record", "reason"),
        [
            (tossup(answer=""), "no_answer"),
            (tossup(answer=None), "no_answer"),
            (tossup(answer="[or beacon]"), "no_answer"),
            (tossup(question="  \n "), "no_text"),
            (tossup(question=["a"]), "no_text"),
            (tossup(question="a " * 20_000), "long_text"),
            ("a tossup", "not_a_record"),
            (None, "not_a_record"),
        ],
    )
    def test_a_record_that_cannot_be_used_is_rejected_with_a_reason(self, tmp_path, record, reason):
        dialogue = only(tmp_path, record)
        assert (dialogue.kept, dialogue.outcome, dialogue.reason, dialogue.turns) == (False, "rejected", reason, ())
        assert list(PLUGIN.annotations(tmp_path, OPTIONS)) == []
        assert Dialogue.from_dict(dialogue.to_dict()) == dialogue

    def test_the_same_record_again_is_rejected_but_another_under_its_index_is_not(self, tmp_path):
        rows = [tossup(), tossup(), tossup(question="Quite another question. With two clues.")]
        found = adapted(folder(tmp_path, {"packet1_buzzpoints.json": rows}))
        assert [dialogue.reason for dialogue in found] == [None, "repeated", None]
        assert len({dialogue.id for dialogue in found}) == 3

    def test_lone_surrogates_are_replaced(self, tmp_path):
        dialogue = only(tmp_path, tossup(question="A clue \ud800 here. And one there.", answer="ox \udfff"))
        assert dialogue.turns[0].hint.answer == "A clue \ufffd here."
        json.dumps(dialogue.to_dict(), ensure_ascii=False).encode()


class TestFilesAtFault:
    def fails(self, path: Path, password: str | None = PASSWORD) -> str:
        with pytest.raises(UserError) as caught:
            list(PLUGIN.read(path, AdaptOptions("", password=password)))
        message = str(caught.value)
        assert str(path) in message
        assert PASSWORD not in message
        return message

    def test_password(self, tmp_path):
        path = published_zip(tmp_path / "published.zip")
        assert "give the password" in self.fails(path, None)
        assert "give the password" in self.fails(path, "")
        for wrong in ("secret", "fogfogg", "fög", "\ud800"):
            message = self.fails(path, wrong)
            assert "the password is wrong" in message
            assert wrong not in message

    def test_a_password_is_not_shown_with_the_options(self):
        assert PASSWORD not in repr(OPTIONS)

    def test_every_wrong_password_is_told_even_if_its_check_byte_fits(self, tmp_path):
        path = published_zip(tmp_path / "published.zip")
        for number in range(300):
            assert "the password is wrong" in self.fails(path, f"wrong{number}")

    @pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.99])
    def test_truncated(self, tmp_path, share):
        path = published_zip(tmp_path / "published.zip")
        path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
        assert "no zip archive, or cut off" in self.fails(path)

    def test_damaged_in_the_middle(self, tmp_path):
        path = published_zip(tmp_path / "published.zip")
        raw = bytearray(path.read_bytes())
        raw[150:200] = b"x" * 50
        path.write_bytes(raw)
        assert "damaged" in self.fails(path)

    @pytest.mark.parametrize(
        "name",
        [
            "../packet1_x.json",
            "/tmp/packet1_x.json",
            "a/../../packet1_x.json",
            "..\\packet1_x.json",
            "C:\\packet1_x.json",
        ],
    )
    def test_a_member_that_leads_outside(self, tmp_path, name):
        path = tmp_path / "inside" / "published.zip"
        path.parent.mkdir()
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(zipfile.ZipInfo(name), "[]")
        assert "leads outside of the archive" in self.fails(path)
        assert sorted(tmp_path.rglob("*")) == [path.parent, path]

    def test_a_bomb(self, tmp_path):
        path = tmp_path / "published.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("packet1_x.json", b" " * 20_000_000)
        assert "too much to be a question packet" in self.fails(path)

    def test_many_members(self, tmp_path, monkeypatch):
        monkeypatch.setattr(archives, "MAX_MEMBERS", 2)
        assert "at most 2" in self.fails(published_zip(tmp_path / "published.zip"))

    def test_another_encryption(self, tmp_path):
        path = published_zip(tmp_path / "published.zip")
        path.write_bytes(re.sub(rb"(?<=\x14\x00\x01\x08)\x08\x00", b"\x63\x00", path.read_bytes()))
        assert "unpack the archive with another tool" in self.fails(path)

    def test_packets_at_fault(self, tmp_path):
        cases = {
            "csv": (b"tossup_index,question\n1,A clue\n", ":1: not JSON"),
            "object": (b'{"a": 1}', ":1: a packet is a JSON list"),
            "cut": (b'[\n{"tossup_index": 1,\n"quest', ":3: not JSON"),
            "latin": ('[\n"é"]'.encode("latin-1"), ":2: not UTF-8"),
            "deep": (b"[" * 200_000, "usable JSON"),
            "empty": (b"", ":1: not JSON"),
        }
        for name, (raw, message) in cases.items():
            path = tmp_path / name / "packet1_buzzpoints.json"
            path.parent.mkdir()
            path.write_bytes(raw)
            assert message in self.fails(path)

    def test_no_packets_or_one_twice(self, tmp_path):
        assert "no question packets in it" in self.fails(folder(tmp_path / "none", {"readme.json": []}))
        twice = folder(tmp_path / "twice", {"packet1_a.json": [tossup()], "packet1_b.json": [tossup()]})
        assert "packet 1 is there twice" in self.fails(twice)

    def test_no_such_file_and_another_kind(self, tmp_path):
        assert "no such file or folder" in self.fails(tmp_path / "no.zip")
        other = tmp_path / "a.csv"
        other.write_text("a")
        assert "neither a .zip nor a packet file" in self.fails(other)

    def test_unknown_granularity(self, tmp_path):
        with pytest.raises(UserError, match="granularity must be"):
            adapted(folder(tmp_path, packets()), AdaptOptions("", granularity="word"))
