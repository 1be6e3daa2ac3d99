"""Response shapes of servers and providers, as they send them, read into replies."""

import orjson
import pytest

from hinterguesser.backends.faults import Fault
from hinterguesser.backends.replies import Prices, first_answer_token, load_body, replies_from
from hinterguesser.domain.script import Usage


def at(token, logprob, *top):
    return {
        "token": token,
        "logprob": logprob,
        "bytes": None,
        "top_logprobs": [dict(zip(("token", "logprob"), t, strict=True)) for t in top],
    }


def response(message, *, finish_reason="stop", logprobs=None, usage=None):
    choice = {"index": 0, "message": message, "finish_reason": finish_reason, "logprobs": logprobs}
    return {"choices": [choice], "usage": usage}


OPENAI = response(
    {"role": "assistant", "content": "A", "refusal": None, "annotations": []},
    logprobs={"content": [at("A", -0.1, ("A", -0.1), (" A", -2.5), ("B", -3.0))], "refusal": None},
    usage={
        "prompt_tokens": 1100,
        "completion_tokens": 1,
        "total_tokens": 1101,
        "prompt_tokens_details": {"cached_tokens": 1024, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0},
    },
)
VLLM_REASONING_PARSED = response(
    {"role": "assistant", "content": "\n\nB", "reasoning_content": "is it A? no.", "tool_calls": []},
    logprobs={
        "content": [
            at("<think>", 0.0, ("<think>", 0.0)),
            at("is it A? no.", -0.2, ("is it A? no.", -0.2)),
            at("</think>", 0.0, ("</think>", 0.0)),
            at("\n\n", 0.0, ("\n\n", 0.0)),
            at("B", -0.3, ("A", -1.4), ("B", -0.3)),
        ]
    },
    usage={"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14, "prompt_tokens_details": None},
)
VLLM_NEW_NAME = response({"role": "assistant", "content": "B", "reasoning": "hm", "refusal": None})
VLLM_PLAIN = {
    "choices": [
        {
            "index": 0,
            "text": " Paris",
            "finish_reason": "length",
            "logprobs": {
                "text_offset": [0],
                "token_logprobs": [-0.5],
                "tokens": [" Paris"],
                "top_logprobs": [{" Paris": -0.5, " Lyon": -1.5}],
            },
        }
    ],
    "usage": {"prompt_tokens": 4, "completion_tokens": 1},
}
LLAMACPP = {
    **response(
        {"role": "assistant", "content": "Yes"},
        logprobs={"content": [{"id": 9, **at("Yes", -0.2, ("Yes", -0.2), ("No", None))}]},
        usage={"prompt_tokens": 7, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 5}},
    ),
    "timings": {"prompt_n": 2, "cache_n": 5},
}
LLAMACPP_PLAIN = {
    "choices": [
        {
            "index": 0,
            "text": "A",
            "finish_reason": "length",
            "logprobs": {"content": [at("A", -0.4, ("A", -0.4), ("B", -1.2))]},
        }
    ],
}
OLLAMA = response(
    {"role": "assistant", "content": "<think>\nsmall town\n</think>\n\nBogor"},
    usage={"prompt_tokens": 3, "completion_tokens": 9, "total_tokens": 12},
)
DEEPSEEK = response(
    {"role": "assistant", "content": "Bogor", "reasoning_content": "Rainy, near Jakarta."},
    usage={
        "prompt_tokens": 30,
        "completion_tokens": 12,
        "total_tokens": 42,
        "prompt_cache_hit_tokens": 16,
        "prompt_cache_miss_tokens": 14,
    },
)
MISTRAL = response(
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": [{"type": "text", "text": "so"}]},
            {"type": "text", "text": "Bogor"},
        ],
    }
)

SHAPES = {
    # name: (response, text, reasoning, first token and its likeliest rival, usage)
    "openai": (OPENAI, "A", None, ("A", " A"), Usage(1100, 1, 1024)),
    "vllm, reasoning parsed": (VLLM_REASONING_PARSED, "\n\nB", "is it A? no.", ("B", "A"), Usage(9, 5, None)),
    "vllm, newer name": (VLLM_NEW_NAME, "B", "hm", None, Usage()),
    "vllm, plain": (VLLM_PLAIN, " Paris", None, (" Paris", " Lyon"), Usage(4, 1, None)),
    "llama.cpp": (LLAMACPP, "Yes", None, ("Yes",), Usage(7, 1, 5)),
    "llama.cpp, plain": (LLAMACPP_PLAIN, "A", None, ("A", "B"), Usage()),
    "ollama": (OLLAMA, "Bogor", "small town", None, Usage(3, 9, None)),
    "deepseek": (DEEPSEEK, "Bogor", "Rainy, near Jakarta.", None, Usage(30, 12, 16)),
    "mistral": (MISTRAL, "Bogor", "so", None, Usage()),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_each_dialect_is_read(shape):
    sent, text, reasoning, first, usage = SHAPES[shape]
    [reply] = replies_from(orjson.loads(orjson.dumps(sent)))
    assert (reply.text, reply.reasoning, reply.usage) == (text, reasoning, usage)
    assert tuple(choice.token for choice in reply.first_token)[:2] == (first or ())


@pytest.mark.parametrize(
    ("content", "finish", "text", "reasoning", "cut"),
    [
        ("<think>a</think>B", "stop", "B", "a", False),
        ("<think>a and a", "length", "", "a and a", True),
        ("a</think>\n\nB", "stop", "B", "a", False),
        ('The tag "<think>" opens reasoning.', "stop", 'The tag "<think>" opens reasoning.', None, False),
        ("I think so.", "stop", "I think so.", None, False),
    ],
)
def test_reasoning_is_parted_from_the_answer(content, finish, text, reasoning, cut):
    [reply] = replies_from(response({"content": content}, finish_reason=finish))
    assert (reply.text, reply.reasoning, reply.finish_reason) == (text, reasoning, finish)
    assert any("cut off" in note for note in reply.notes) == cut


def test_separate_reasoning_that_ate_the_whole_reply_is_noted():
    [reply] = replies_from(response({"content": None, "reasoning_content": "hm, "}, finish_reason="length"))
    assert reply.text == ""
    assert reply.notes == ("reasoning cut off by the token limit",)


def test_a_think_block_in_the_text_moves_the_first_answer_token():
    tokens = [at(token, -0.1, (token, -0.1), ("x", -5)) for token in ("<think>", "A", " or B", "</think>", "\n", "B")]
    [reply] = replies_from(response({"content": "<think>A or B</think>\nB"}, logprobs={"content": tokens}))
    assert [choice.token for choice in reply.first_token] == ["B", "x"]


def test_log_probabilities_of_cut_off_reasoning_are_not_an_answers():
    tokens = [at(token, -0.1) for token in ("<think>", "A", " or", " perhaps", " B", ", let me", " see", " what is")]
    content = "".join(token["token"] for token in tokens)
    [reply] = replies_from(response({"content": content}, finish_reason="length", logprobs={"content": tokens}))
    assert (reply.text, reply.first_token) == ("", ())


def test_candidates_are_sorted_and_the_chosen_token_is_among_them():
    first, _ = first_answer_token({"content": [at("C", -4.0, ("B", -1.0), ("A", -0.5))]}, "C")
    assert [(choice.token, choice.logprob) for choice in first] == [("A", -0.5), ("B", -1.0), ("C", -4.0)]


def test_one_token_of_white_space_keeps_its_candidates_and_several_do_not():
    """Whoever follows what a model would write must see that it would end the line."""
    end = at("\n", -0.1, (",", -3.0))
    assert [choice.token for choice in first_answer_token({"content": [end]}, "")[0]] == ["\n", ","]
    assert first_answer_token({"content": [end, end]}, "")[0] == ()


def test_an_answer_that_only_mentions_a_closing_tag_keeps_its_first_token():
    tokens = [at(token, -0.1) for token in ("Use", " `", "</think>", "` to", " close")]
    [reply] = replies_from(response({"content": "Use `</think>` to close"}, logprobs={"content": tokens}))
    assert reply.first_token[0].token == "Use"


def test_lone_surrogates_are_replaced_once_and_pairs_joined():
    plain, notes = load_body(
        b'{"choices":[{"message":{"content":"x\\ud800y \\ud83d\\ude00"},"finish_reason":"stop"}]}', "application/json"
    )
    [reply] = replies_from(plain, notes)
    assert reply.text == "x\ufffdy \U0001f600"
    assert reply.notes == ("lone surrogates replaced",)
    reply.text.encode()


def test_broken_utf8_is_replaced_and_noted():
    plain, notes = load_body(b'{"choices":[{"message":{"content":"caf\xe9"}}]}', "application/json")
    [reply] = replies_from(plain, notes)
    assert reply.text == "caf\ufffd"
    assert reply.notes == ("invalid UTF-8 replaced",)


@pytest.mark.parametrize(
    "body", [b"", b"  \n", b'{"choices": [{"mess', b"<html>busy</html>", b"[]", b"null", b'"text"']
)
def test_what_is_no_response_is_a_fault_that_is_tried_again(body):
    with pytest.raises(Fault) as caught:
        load_body(body, "text/html")
    assert caught.value.retry


@pytest.mark.parametrize(
    "plain",
    [{}, {"choices": []}, {"choices": None}, {"choices": [{}]}, {"choices": [None]}, {"choices": [{"message": None}]}],
)
def test_a_response_without_a_message_is_a_fault_that_is_tried_again(plain):
    with pytest.raises(Fault) as caught:
        replies_from(plain)
    assert caught.value.retry


def test_an_empty_answer_is_an_answer():
    [reply] = replies_from(response({"content": ""}, finish_reason="content_filter"))
    assert (reply.text, reply.finish_reason) == ("", "content_filter")


def test_tokens_and_cost_of_several_samples_add_up():
    choices = [{"index": at, "message": {"content": str(at)}, "finish_reason": "stop"} for at in (2, 0, 1)]
    usage = {"prompt_tokens": 100, "completion_tokens": 8, "prompt_tokens_details": {"cached_tokens": 40}}
    replies = replies_from({"choices": choices, "usage": usage}, prices=Prices(1e-3, 2e-3, 5e-4))
    assert [reply.text for reply in replies] == ["0", "1", "2"]
    assert sum(reply.usage.input_tokens for reply in replies) == 100
    assert sum(reply.usage.output_tokens for reply in replies) == 8
    assert sum(reply.cost_usd for reply in replies) == pytest.approx(60e-3 + 40 * 5e-4 + 8 * 2e-3)


@pytest.mark.parametrize(
    "usage", [None, {}, {"prompt_tokens": None}, {"prompt_tokens": "7"}, {"prompt_tokens": -1}, "many", []]
)
def test_strange_usage_is_unknown_usage(usage):
    assert replies_from(response({"content": "x"}, usage=usage))[0].usage == Usage()


@pytest.mark.parametrize(
    "logprobs", ["x", [], {"content": None}, {"content": [1, None]}, {"content": [{"token": None}]}, {"tokens": "ab"}]
)
def test_strange_log_probabilities_are_none(logprobs):
    assert replies_from(response({"content": "x"}, logprobs=logprobs))[0].first_token == ()
