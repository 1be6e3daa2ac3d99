"""evaluate over real HTTP: what is asked, what comes out, and going on."""

import json
from pathlib import Path

import pytest
from loopback import Loopback, chat

from hinterguesser.backends.settings import CallSettings
from hinterguesser.errors import UserError
from hinterguesser.flow.evaluate import evaluate, rehearse_evaluate
from hinterguesser.flow.session import Silent
from hinterguesser.flow.source import Source
from hinterguesser.flow.trials import EvaluateSettings

SMALL = Path(__file__).parents[2] / "release" / "small"
PAPER = ("vanilla_verb", "cot_verb", "self_consistency", "p_true", "p_sufficient")


def top(*tokens):
    """Log-probabilities of a first token, as servers send them."""
    listed = [{"token": token, "logprob": logprob, "bytes": None} for token, logprob in tokens]
    return {"content": [{**listed[0], "top_logprobs": listed}]}


def subject(request):
    """A model that says London, is 60 % sure, and labels A three times of four."""
    last = request.body["messages"][-1]["content"]
    if "How confident" in last:
        return chat("### Confidence: \\boxed{60}")
    if "one capital letter" in last:
        answer = chat("A")
        answer["choices"][0]["logprobs"] = top(("A", -0.3), (" A", -3.2), ("B", -1.5))
        return answer
    return chat("\\boxed{London}", count=request.body.get("n", 1))


def settings(**options):
    fields = {"source": Source(SMALL, "guess"), "models": ("m",), "limit": 3, "methods": PAPER, **options}
    return EvaluateSettings(**fields)


def run(out, script=subject, *, keep=True, **options):
    with Loopback(script, keep_requests=keep) as server:
        return evaluate(settings(**options), out, CallSettings(api_base=server.url)), server


def by_method(evaluation, **fields):
    rows = [row for row in evaluation.predictions if all(getattr(row, k) == v for k, v in fields.items())]
    return {row.method: row for row in rows}


def test_every_method_condition_and_target_is_asked_and_comes_out(tmp_path):
    everything = {"conditions": ("multi", "placebo", "single"), "targets": ("answer", "gold"), "samples": 4}
    evaluation, server = run(tmp_path / "eval", **everything)
    turns = {(row.dialogue_id, row.turn) for row in evaluation.predictions}
    assert len(evaluation.predictions) == len(turns) * 5 * 3 * 2
    last = by_method(
        evaluation, dialogue_id="guess-london-united-kingdom-0", turn=1, target="answer", condition="multi"
    )
    assert {name: row.correct for name, row in last.items()} == dict.fromkeys(PAPER, True)
    assert last["vanilla_verb"].confidence == last["cot_verb"].confidence == 0.6
    assert last["self_consistency"].confidence == 1.0
    assert last["p_true"].confidence == pytest.approx(0.778, abs=1e-3)
    gold = by_method(evaluation, dialogue_id="guess-paris-france-0", turn=1, target="gold", condition="multi")
    assert gold["self_consistency"].confidence == 0.0
    assert not evaluation.failed
    lines = (tmp_path / "eval" / "predictions.jsonl").read_text().splitlines()
    assert [json.loads(line)["confidence"] for line in lines] == [row.confidence for row in evaluation.predictions]
    samples = [request for request in server.requests if request.body.get("n", 1) > 1]
    assert len(samples) == len(turns) * 3, "samples are asked for once a turn and condition, in one request"


def test_a_second_run_asks_nothing_and_gives_the_same(tmp_path):
    with Loopback(subject) as server:
        calls = CallSettings(api_base=server.url)
        first = evaluate(settings(samples=4), tmp_path / "eval", calls)
        before, content = server.count, (tmp_path / "eval" / "predictions.jsonl").read_bytes()
        second = evaluate(settings(samples=4), tmp_path / "eval", calls)
        assert server.count == before
    assert first.used.calls > 0
    assert (second.used.calls, second.used.replayed) == (0, first.used.calls + first.used.replayed)
    assert second.predictions == first.predictions
    assert (tmp_path / "eval" / "predictions.jsonl").read_bytes() == content


def test_two_models_are_told_apart(tmp_path):
    evaluation, _ = run(tmp_path / "eval", models=("m", "n"), methods=("vanilla_verb",))
    assert {row.model for row in evaluation.predictions} == {"m", "n"}
    assert {group["by"]["model"] for group in evaluation.summary.groups} == {"m", "n"}


def probing(logprobs):
    """A model whose label probes come with these log-probabilities (None: without any)."""

    def script(request):
        answer = subject(request)
        if "one capital letter" in request.body["messages"][-1]["content"]:
            answer["choices"][0]["logprobs"] = logprobs
        return answer

    return script


@pytest.mark.parametrize(
    ("logprobs", "reason"),
    [
        (None, "no log-probabilities in reply"),
        (top(("The", -0.1), ("It", -3.0), ("I", -4.0)), "neither label among the 3 likeliest tokens"),
        (
            top(("A", -1.2), ("The", -1.3), ("It", -2.0), ("I", -3.0), ("We", -4.0)),
            "label B not among the 5 likeliest tokens: the confidence lies between 0.943 and 1.000",
        ),
    ],
)
def test_a_probe_that_cannot_be_read_is_unscored_with_the_right_reason(tmp_path, logprobs, reason):
    evaluation, _ = run(tmp_path / "eval", probing(logprobs), methods=("p_true", "p_sufficient"))
    assert {row.unscored_reason for row in evaluation.predictions} == {reason}
    assert {row.confidence for row in evaluation.predictions} == {None}
    assert [group["unscored_share"] for group in evaluation.summary.groups] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I cannot say how confident I am.", "no"),
        ("I'm sorry, but I can't help with that.", "no"),
        ("### Confidence: \\boxed{high}", ""),
    ],
)
def test_a_refusal_is_unscored_and_never_a_number(tmp_path, text, reason):
    def script(request):
        asked = request.body["messages"][-1]["content"]
        return chat(text) if "How confident" in asked else subject(request)

    evaluation, _ = run(tmp_path / "eval", script, methods=("vanilla_verb",))
    assert {row.confidence for row in evaluation.predictions} == {None}
    assert all(reason in row.unscored_reason for row in evaluation.predictions)


def test_an_empty_answer_leaves_nothing_to_judge(tmp_path):
    def script(request):
        asked = request.body["messages"][-1]["content"]
        return chat("") if "boxed{}" in asked else subject(request)

    evaluation, _ = run(tmp_path / "eval", script, methods=("vanilla_verb",), limit=1)
    assert {row.answer for row in evaluation.predictions} == {None}
    assert all(row.unscored_reason.startswith("no answer to judge") for row in evaluation.predictions)


def test_what_cannot_work_is_refused_before_anything_is_asked(tmp_path):
    cases = [
        ({"methods": ("nonsense",)}, "unknown method 'nonsense'"),
        ({"conditions": ("double",)}, "unknown condition 'double'"),
        ({"targets": ("silver",)}, "unknown target 'silver'"),
        ({"methods": ()}, "at least one method"),
        ({"source": Source(SMALL, "chess")}, "chess"),
        ({"source": Source(tmp_path)}, "neither a run folder"),
    ]
    for options, said in cases:
        with pytest.raises(UserError, match=said):
            run(tmp_path / "eval", **options)
    assert not (tmp_path / "eval").exists()


def test_a_dry_run_counts_what_the_real_one_asks(tmp_path):
    options = {"samples": 4, "conditions": ("multi", "placebo"), "targets": ("answer", "gold")}
    with Loopback(subject) as server:
        calls = CallSettings(api_base=server.url, price_in=1.0, price_out=2.0)
        [estimate] = rehearse_evaluate(settings(**options), calls)
        assert server.count == 0
        evaluation = evaluate(settings(**options), tmp_path / "eval", calls)
    assert estimate.calls == pytest.approx(evaluation.used.calls, rel=0.2)
    assert estimate.cost_usd == pytest.approx((estimate.input_tokens + 2 * estimate.output_tokens) / 1e6)


def test_it_works_where_a_loop_is_running_already_as_in_a_notebook(tmp_path):
    import asyncio

    class Counting(Silent):
        total = done = 0

        def start(self, what, total):
            self.total = total

        def advance(self, count=1):
            self.done += count

    progress = Counting()

    async def cell():
        with Loopback(subject) as server:
            calls = CallSettings(api_base=server.url)
            return evaluate(settings(methods=("vanilla_verb",)), tmp_path / "eval", calls, progress)

    evaluation = asyncio.run(cell())
    assert progress.done == progress.total == len(evaluation.predictions)
