import dataclasses

import pytest

from hinterguesser.replay.exact_match import exact_match, normalised
from hinterguesser.replay.plans import PlanSettings, plan_evidence, rank_distractors
from hinterguesser.replay.questions import Passage, Question, source_order_split


def question(supports=(1, 4), n=6, text="Which river crosses Bogor?"):
    passages = tuple(Passage(f"title {i}", f"text {i}", i in supports, i) for i in range(n))
    return Question("q", text, ("Ciliwung",), passages)


def indexes(plan):
    return [[passage.index for passage in passages] for passages in plan.slices]


def test_supports_and_distractors_are_interleaved_and_dealt_in_turns():
    plan = plan_evidence(question())
    # supports 1, 4; distractors 0, 2, 3, 5 (all alike, so in source order): 1 0 4 2 3 5
    assert indexes(plan) == [[1, 2], [0, 3], [4, 5]]


def test_depth_k_shows_slices_1_to_k_whole():
    plan = plan_evidence(question())
    assert [[p.index for p in plan.shown(depth)] for depth in range(4)] == [
        [],
        [1, 2],
        [1, 2, 0, 3],
        [1, 2, 0, 3, 4, 5],
    ]
    with pytest.raises(ValueError, match=r"0\.\.3"):
        plan.shown(4)


def test_supports_stand_in_source_order_whatever_the_order_of_the_passages():
    record = question()
    turned = dataclasses.replace(record, passages=record.passages[::-1])
    assert indexes(plan_evidence(turned)) == indexes(plan_evidence(record))
    assert plan_evidence(turned).sha256 == plan_evidence(record).sha256


def test_two_passages_leave_the_third_slice_empty_and_marked():
    plan = plan_evidence(question(supports=(0, 1), n=2))
    assert indexes(plan) == [[0], [1], []]
    assert [plan.adds_nothing(depth) for depth in range(4)] == [False, False, False, True]


def test_fewer_distractors_and_other_slices():
    plan = plan_evidence(question(), PlanSettings(slices=2, distractors=1))
    assert indexes(plan) == [[1, 4], [0]]
    assert indexes(plan_evidence(question(), PlanSettings(distractors=0))) == [[1], [4], []]


def test_distractors_with_more_of_the_questions_words_come_first():
    passages = [
        Passage("Rome", "A city.", False, 0),
        Passage("Bogor", "A river crosses it.", False, 1),
        Passage("Rivers", "The river Po.", False, 2),
    ]
    assert [p.index for p in rank_distractors("Which river crosses Bogor?", passages)] == [1, 2, 0]


def test_similarity_is_added_after_both_are_stretched_to_0_1():
    passages = [Passage(f"t{i}", text, False, i) for i, text in enumerate(["river", "none", "none"])]

    def similarity(asked, texts):
        assert len(texts) == 3
        return [-0.1, 0.1, 0.9]

    # overlap 1, 0, 0 plus similarity 0, .2, 1: the first and the last tie, source order decides
    assert [p.index for p in rank_distractors("river", passages, similarity)] == [0, 2, 1]


def test_similarity_of_another_length_is_refused():
    with pytest.raises(ValueError, match="1 values for 4 texts"):
        plan_evidence(question(), similarity=lambda asked, texts: [0.5])


def test_the_hash_depends_on_record_and_settings_and_nothing_else():
    plain = plan_evidence(question()).sha256
    assert plan_evidence(question()).sha256 == plain
    assert len(plain) == 64
    others = [
        plan_evidence(question(text="Another?")).sha256,
        plan_evidence(question(supports=(1, 5))).sha256,
        plan_evidence(question(), PlanSettings(slices=2)).sha256,
        plan_evidence(question(), PlanSettings(ranker="embedding:x")).sha256,
        plan_evidence(dataclasses.replace(question(), answers=("x",))).sha256,
    ]
    assert len({plain, *others}) == 6


def test_a_lone_surrogate_in_a_record_can_be_hashed():
    plan_evidence(question(text="what \ud800?"))


@pytest.mark.parametrize(
    ("answer", "references", "same"),
    [
        ("The Eiffel Tower.", ["Eiffel tower"], True),
        ("U.S.", ["America", "US"], True),
        ("yes", ["Yes"], True),
        ("racecar", ["car"], False),
        ("The", ["A"], False),
        ("the", ["The"], True),
        ("", [""], False),
        ("...", ["!!!"], False),
        ("an  apple", ["Apple"], True),
        ("Athens", ["Thens"], False),
    ],
)
def test_exact_match(answer, references, same):
    assert exact_match(answer, references) is same


def test_no_answer_normalises_to_nothing():
    assert all(normalised(answer) for answer in ["the", "A", "?!", "The An"])


def test_the_split_is_by_source_order_and_rounds_to_the_nearest():
    assert source_order_split(5, 0.5) == ["calibration"] * 3 + ["test"] * 2
    assert source_order_split(3, 0.0) == ["test"] * 3
    assert source_order_split(0, 0.5) == []
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        source_order_split(3, 20)
