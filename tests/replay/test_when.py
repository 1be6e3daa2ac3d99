from hinterguesser.replay.grid import held_out
from hinterguesser.replay.when import when_table, when_to_commit


def test_each_rule_says_when_it_commits_and_what_it_wins(make_traces):
    rows = [
        {"question_id": name, "depth": depth, "confidence": confidence, "correct": correct}
        for name, states in {
            "a": [(0.4, False), (0.8, True), (1.0, True)],
            "b": [(0.9, False), (0.9, True)],
            "c": [(None, True)],
        }.items()
        for depth, (confidence, correct) in enumerate(states)
    ]
    rules = when_to_commit(held_out(make_traces(rows)), cuts=(0.7, 1.0))
    told = [(rule.cut, rule.depth, rule.mean_depth, rule.done.commits, rule.done.right) for rule in rules]
    assert told == [
        (0.7, None, 0.5, 2, 1),
        (1.0, None, 2.0, 1, 1),
        (None, 0, 0.0, 3, 1),
        (None, 1, 2 / 3, 3, 3),
        (None, 2, 1.0, 3, 3),
        (None, None, 2 / 3, 3, 3),
    ]
    table = when_table(rules, "When?", turns=True)
    assert table.heads[1] == "mean turn"
    assert [row[:2] for row in table.rows] == [
        ("when confidence is 70 % or more", "1.5"),
        ("when confidence is 100 % or more", "3.0"),
        ("always at turn 1", "1.0"),
        ("always at turn 2", "1.7"),
        ("always at turn 3", "2.0"),
        ("as soon as it is right (ceiling)", "1.7"),
    ]


def test_a_threshold_that_is_never_reached_has_no_turn(make_traces):
    grid = held_out(make_traces([{"question_id": "q", "depth": 0, "confidence": 0.1, "correct": True}]))
    [rule, *_] = when_to_commit(grid, cuts=(0.5,))
    assert rule.mean_depth is None
    assert when_table([rule], "When?", turns=False).rows[0][1:4] == ("–", "0.0 %", "–")


def test_of_thresholds_that_are_never_reached_one_is_shown(make_traces):
    grid = held_out(make_traces([{"question_id": "q", "depth": 0, "confidence": 0.25, "correct": True}]))
    names = [row[0] for row in when_table(when_to_commit(grid), "When?", turns=False).rows]
    assert [name for name in names if name.startswith("when")] == [
        "when confidence is 10 % or more", "when confidence is 20 % or more", "when confidence is 30 % or more",
    ]  # fmt: skip
