"""Providers through litellm: their own response shapes, over real HTTP to a server that speaks as they do."""

import asyncio
import os

import pytest
from loopback import Loopback, Response, chat

from hinterguesser.backends.resolve import Backends
from hinterguesser.backends.settings import CallSettings
from hinterguesser.domain.script import Call, Message, Sampling, Usage
from hinterguesser.errors import CallFailed, RunStopped, UserError

ANTHROPIC = "anthropic/claude-sonnet-4-5"
GEMINI = "gemini/gemini-2.5-flash"
DEEPSEEK = "deepseek/deepseek-reasoner"
KEYS = {
    "ANTHROPIC_API_KEY": "sk-ant-marked-11aa22bb33",
    "GEMINI_API_KEY": "AIza-marked-44cc55dd66ee",
    "DEEPSEEK_API_KEY": "sk-marked-77ff88gg",
}


def anthropic(text, thinking=None):
    thoughts = [] if thinking is None else [{"type": "thinking", "thinking": thinking, "signature": "x"}]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [*thoughts, {"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 12,
            "cache_read_input_tokens": 8,
            "cache_creation_input_tokens": 0,
            "output_tokens": 5,
        },
    }


def gemini(text, thought):
    return {
        "candidates": [
            {
                "content": {"role": "model", "parts": [{"text": thought, "thought": True}, {"text": text}]},
                "finishReason": "STOP",
                "index": 0,
            }
        ],
        "usageMetadata": {
            "promptTokenCount": 12,
            "candidatesTokenCount": 2,
            "totalTokenCount": 20,
            "thoughtsTokenCount": 6,
            "cachedContentTokenCount": 4,
        },
        "modelVersion": "gemini-2.5-flash",
    }


def ask(server, monkeypatch, model, sampling=Sampling(), failures=None, **settings):  # noqa: B008
    base = server.url.removesuffix("/v1")
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("ANTHROPIC_API_BASE", base)
    monkeypatch.setenv("GEMINI_API_BASE", base)
    monkeypatch.setenv("DEEPSEEK_API_BASE", server.url)

    async def run():
        chosen = {"backoff_seconds": 0.01, "timeout_seconds": 10, "max_attempts": 3, **settings}
        backends = Backends(CallSettings(**chosen), on_failed_attempt=failures)
        try:
            call = Call(model, (Message("system", "You guess."), Message("user", "Which city?")), sampling)
            return await backends.of(model).reply(call)
        finally:
            await backends.close()

    return asyncio.run(run())


def test_anthropic(monkeypatch):
    with Loopback(lambda request: anthropic("Bogor", "rainy")) as server:
        reply = ask(server, monkeypatch, ANTHROPIC, Sampling(seed=1, stop=("X",)))
    assert (reply.text, reply.reasoning, reply.finish_reason) == ("Bogor", "rainy", "stop")
    assert reply.usage == Usage(20, 5, 8)
    assert reply.cost_usd == pytest.approx(12 * 3e-6 + 8 * 0.3e-6 + 5 * 15e-6)
    assert reply.notes == ("seed is not known to this model and was left out",)
    assert server.requests[0].body["temperature"] == 0.0
    assert "top_p" not in server.requests[0].body


def test_gemini(monkeypatch):
    with Loopback(lambda request: gemini("Bogor", "rainy")) as server:
        reply = ask(server, monkeypatch, GEMINI, Sampling(top_logprobs=5))
    assert (reply.text, reply.reasoning, reply.finish_reason) == ("Bogor", "rainy", "stop")
    assert reply.usage == Usage(12, 8, 4)
    assert reply.cost_usd > 0
    assert [note.split()[0] for note in reply.notes] == ["top_logprobs", "logprobs"]


def test_deepseek_with_log_probabilities(monkeypatch):
    content = [
        {
            "token": "A",
            "logprob": -0.1,
            "bytes": None,
            "top_logprobs": [{"token": "A", "logprob": -0.1}, {"token": "B", "logprob": -2.4}],
        }
    ]

    def script(request):
        response = chat("A", reasoning_content="rainy")
        response["choices"][0]["logprobs"] = {"content": content}
        return response

    with Loopback(script) as server:
        reply = ask(server, monkeypatch, DEEPSEEK, Sampling(top_logprobs=2))
    assert (reply.text, reply.reasoning) == ("A", "rainy")
    assert [choice.token for choice in reply.first_token] == ["A", "B"]


def test_what_a_provider_offers_is_known_before_the_first_call(monkeypatch):
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    backends = Backends()
    assert not backends.of(ANTHROPIC).capabilities.logprobs
    assert not backends.of(ANTHROPIC).capabilities.many_samples
    assert backends.of(DEEPSEEK).capabilities.logprobs


def test_a_missing_key_is_named_before_any_call(monkeypatch):
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    with pytest.raises(UserError, match="ANTHROPIC_API_KEY"):
        Backends().of(ANTHROPIC)
    with pytest.raises(UserError, match="GEMINI_API_KEY"):
        Backends().of(GEMINI)


def test_litellm_is_kept_quiet():
    with pytest.raises(UserError):
        Backends().of("nosuchprovider/x")
    import litellm

    assert os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] == "True"
    assert litellm.suppress_debug_info
    assert not litellm.num_retries
    assert litellm.success_callback == litellm.failure_callback == litellm.callbacks == []


@pytest.mark.parametrize(
    ("status", "body", "kind", "requests"),
    [
        (
            401,
            {"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}},
            UserError,
            1,
        ),
        (404, {"type": "error", "error": {"type": "not_found_error", "message": "model: claude-x"}}, UserError, 1),
        (
            400,
            {"type": "error", "error": {"type": "invalid_request_error", "message": "Your credit balance is too low"}},
            RunStopped,
            1,
        ),
        (
            400,
            {"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long"}},
            CallFailed,
            1,
        ),
        (529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, CallFailed, 12),
        (500, {"type": "error", "error": {"type": "api_error", "message": "oops"}}, CallFailed, 3),
    ],
)
def test_a_providers_errors_mean_the_same_as_a_servers(monkeypatch, caplog, capfd, status, body, kind, requests):
    body["error"]["message"] += f" (key {KEYS['ANTHROPIC_API_KEY']})"
    seen = []
    with Loopback(lambda request: Response(body, status)) as server, caplog.at_level(0), pytest.raises(kind) as caught:
        ask(server, monkeypatch, ANTHROPIC, failures=lambda *what: seen.append(what))
    assert server.count == requests
    texts = [
        repr(caught.value),
        repr(caught.value.__cause__),
        getattr(caught.value, "text", ""),
        repr(seen),
        caplog.text,
    ]
    assert not any(KEYS["ANTHROPIC_API_KEY"] in text for text in [*texts, *capfd.readouterr()])


def test_retry_after_is_honoured_through_litellm(monkeypatch):
    seen = []

    def script(request):
        if request.number == 1:
            return Response({"error": {"message": "slow down"}}, 429, {"Retry-After": "0.01"})
        return chat("Bogor")

    with Loopback(script) as server:
        ask(server, monkeypatch, DEEPSEEK, failures=lambda *what: seen.append(what))
    assert [what[2] for what in seen] == [429]
    assert server.count == 2
