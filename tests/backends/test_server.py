"""One request to an OpenAI-compatible server, over real HTTP."""

import asyncio

import pytest
from loopback import Fault, Loopback, Response, chat, completion

from hinterguesser.backends.budget import Ledger
from hinterguesser.backends.resolve import Backends
from hinterguesser.backends.server import OPENAI_BASE, Server
from hinterguesser.backends.settings import CallSettings
from hinterguesser.domain.script import Call, Message, Sampling
from hinterguesser.errors import CallFailed, RunStopped, UserError

KEY = "sk-marked-4f9a0c77e21b"
ASK = (Message("system", "You guess."), Message("user", "Which city?"))


def ask(server, *calls, ledger=None, failures=None, **settings):
    """The outcome of each call (a reply or the exception), made at once."""

    async def run():
        chosen = {"api_base": server.url, "backoff_seconds": 0.005, "timeout_seconds": 5.0, **settings}
        backends = Backends(CallSettings(**chosen), ledger=ledger, on_failed_attempt=failures)
        try:
            backend = backends.of(calls[0].model)
            return await asyncio.gather(*(backend.reply(call) for call in calls), return_exceptions=True)
        finally:
            await backends.close()

    return asyncio.run(run())


@pytest.fixture(autouse=True)
def _no_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def test_messages_go_to_chat_completions_with_every_parameter():
    with Loopback(lambda request: chat("Bogor")) as server:
        sampling = Sampling(0.5, 0.9, 77, ("\n",), 5, 11, True)
        [reply] = ask(server, Call("m", ASK, sampling, sample=2, reuse_prompt=False), reasoning_effort="low")
    [request] = server.requests
    assert reply.text == "Bogor"
    assert request.path == "/v1/chat/completions"
    assert request.headers.get("Authorization") is None
    assert request.body.pop("cache_salt")
    assert request.body == {
        "model": "m",
        "messages": [{"role": "system", "content": "You guess."}, {"role": "user", "content": "Which city?"}],
        "temperature": 0.5,
        "top_p": 0.9,
        "max_tokens": 77,
        "stop": ["\n"],
        "logprobs": True,
        "top_logprobs": 5,
        "seed": 13,
        "response_format": {"type": "json_object"},
        "reasoning_effort": "low",
        "cache_prompt": False,
    }


def test_a_plain_text_goes_to_completions():
    with Loopback(lambda request: completion(" Bogor")) as server:
        [reply] = ask(server, Call("m", "The city is", Sampling(top_logprobs=3)))
    assert reply.text == " Bogor"
    assert server.requests[0].path == "/v1/completions"
    assert server.requests[0].body["prompt"] == "The city is"
    assert server.requests[0].body["logprobs"] == 3


def test_the_name_is_sent_as_the_server_spells_it():
    with Loopback(lambda request: chat("x")) as server:
        ask(server, Call("hosted_vllm/meta/m", ASK))
        ask(server, Call("openai/gpt-oss-20b", ASK))
    assert [request.body["model"] for request in server.requests] == ["meta/m", "openai/gpt-oss-20b"]


def test_the_key_goes_into_the_header_and_nowhere_else(monkeypatch, caplog, capfd):
    monkeypatch.setenv("MY_KEY", KEY)
    said = []

    def script(request):
        if request.number <= 2:
            return Response({"error": {"message": f"bad luck, {KEY}", "type": "x"}}, status=500)
        return Response({"error": {"message": f"Incorrect API key provided: {KEY}."}}, status=401)

    with Loopback(script) as server, caplog.at_level(0):
        [error] = ask(server, Call("m", ASK), api_key_env="MY_KEY", failures=lambda *seen: said.append(seen))
        backend = Backends(CallSettings(api_base=server.url, api_key_env="MY_KEY")).of("m")
    assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    assert isinstance(error, UserError)
    assert "MY_KEY" in str(error)
    assert len(said) == 2
    everything = [
        repr(error),
        repr(error.__cause__),
        repr(error.__context__),
        repr(said),
        caplog.text,
        *capfd.readouterr(),
    ]
    everything += [repr(backend), repr(vars(backend)), backend.endpoint]
    assert not any(KEY in text for text in everything)


def test_a_password_in_the_address_is_in_no_endpoint():
    backend = Backends(CallSettings(api_base="http://user:secret@127.0.0.1:1/v1?token=abc")).of("m")
    assert backend.endpoint == "http://127.0.0.1:1/v1"


@pytest.mark.parametrize("base", ["127.0.0.1:8000", "ftp://x/v1", "http://", ""])
def test_a_malformed_address_is_refused(base):
    with pytest.raises(UserError, match="--api-base"):
        Backends(CallSettings(api_base=base)).of("m")


def test_a_named_key_that_is_not_set_is_refused_before_any_call():
    with pytest.raises(UserError, match="NO_SUCH_KEY"):
        Backends(CallSettings(api_base="http://127.0.0.1:1/v1", api_key_env="NO_SUCH_KEY")).of("m")
    with pytest.raises(UserError, match="OPENAI_API_KEY"):
        Backends(CallSettings()).of("openai/gpt-4o-mini")


def test_reasoning_effort_is_part_of_where_a_reply_is_filed():
    plain = Backends(CallSettings(api_base="http://127.0.0.1:1/v1")).of("m")
    low = Backends(CallSettings(api_base="http://127.0.0.1:1/v1", reasoning_effort="low")).of("m")
    assert plain.endpoint != low.endpoint


@pytest.mark.parametrize(
    ("status", "body", "kind", "match"),
    [
        (401, {"error": {"message": "no"}}, UserError, "refuses the key"),
        (403, {"error": {"message": "no"}}, UserError, "refuses the key"),
        (403, {"error": {"message": "input flagged by moderation"}}, CallFailed, "flagged"),
        (
            404,
            {"error": {"message": "The model `m` does not exist", "code": "model_not_found"}},
            UserError,
            "has no model 'm'",
        ),
        (404, {"detail": "Not Found"}, UserError, "/v1"),
        (404, "404 page not found", UserError, "/v1"),
        (400, {"error": {"message": "Model Not Exist", "code": "invalid_model"}}, UserError, "has no model"),
        (
            429,
            {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}},
            RunStopped,
            "quota",
        ),
        (402, {"error": {"message": "Insufficient Balance"}}, RunStopped, "out of money"),
        (400, {"error": {"message": "Your credit balance is too low"}}, RunStopped, "out of money"),
        (400, {"error": {"message": "maximum context length is 8 tokens"}}, CallFailed, "maximum context length is 8"),
        (400, {"object": "error", "message": "bad", "type": "BadRequestError", "code": 400}, CallFailed, "bad"),
        (422, {"detail": [{"msg": "wrong"}]}, CallFailed, "wrong"),
        (302, "", UserError, "elsewhere"),
        (501, "", CallFailed, "501"),
    ],
)
def test_what_no_retry_can_mend_is_named_at_once(status, body, kind, match):
    def script(request):
        return (
            {"data": []}
            if request.path.endswith("/models")
            else Response(body, status=status, headers={"Location": "/x"} if status == 302 else {})
        )

    with Loopback(script) as server:
        [error] = ask(server, Call("m", ASK))
    assert isinstance(error, kind)
    assert match in str(error)
    assert sum(request.path.endswith("completions") for request in server.requests) == 1


def test_a_misspelt_model_is_told_which_there_are():
    def script(request):
        if request.path.endswith("/models"):
            return {"data": [{"id": "right"}, {"id": "other"}]}
        return Response({"error": {"message": "no such model", "code": "model_not_found"}}, status=404)

    with Loopback(script) as server:
        [error] = ask(server, Call("wrong", ASK))
    assert "other, right" in str(error)


def test_nothing_listens_is_named_at_once():
    with Loopback(lambda request: chat("x")) as server:
        pass

    [error] = ask(server, Call("m", ASK))
    assert isinstance(error, UserError)
    assert "cannot be reached" in str(error)


def test_an_error_inside_a_200_counts_with_its_own_status():
    def script(request):
        return {"error": {"message": "slow down", "code": 429}} if request.number == 1 else chat("x")

    with Loopback(script) as server:
        [reply] = ask(server, Call("m", ASK))
    assert reply.text == "x"


def test_a_failed_call_keeps_what_the_server_said():
    with Loopback(lambda request: Response('{"choices": [{"text', status=200)) as server:
        [error] = ask(server, Call("m", ASK), max_attempts=2)
    assert isinstance(error, CallFailed)
    assert error.text == '{"choices": [{"text'
    assert "after 2 attempts" in error.reason


def test_a_prompt_that_is_no_unicode_fails_alone():
    with Loopback(lambda request: chat("x")) as server:
        bad, good = ask(server, Call("m", (Message("user", "\ud800"),)), Call("m", ASK))
    assert isinstance(bad, CallFailed)
    assert good.text == "x"
    assert server.count == 1


def samples(server, count, **settings):
    async def run():
        backends = Backends(CallSettings(api_base=server.url, backoff_seconds=0.005, **settings))
        try:
            backend = backends.of("m")
            return (
                await backend.samples(Call("m", ASK, Sampling(temperature=1.0, seed=1)), count),
                backend,
                backends.ledger.totals,
            )
        finally:
            await backends.close()

    return asyncio.run(run())


def test_samples_come_in_one_request_where_the_server_can():
    with Loopback(lambda request: chat("x", count=request.body.get("n", 1))) as server:
        replies, backend, totals = samples(server, 20)
    assert (len(replies), server.count, totals.calls, totals.requests) == (20, 1, 20, 1)
    assert (totals.input_tokens, totals.output_tokens) == (20, 100)
    assert backend.capabilities.many_samples


def test_samples_come_one_by_one_with_their_own_seeds_where_the_server_knows_no_n():
    with Loopback(lambda request: chat(str(request.body["seed"]))) as server:
        replies, backend, _ = samples(server, 5)
    assert sorted(reply.text for reply in replies) == ["1", "2", "3", "4", "5"]
    assert not backend.capabilities.many_samples


def test_a_hang_ends_with_the_timeout_and_is_tried_again():
    with Loopback(lambda request: Fault("hang") if request.number == 1 else chat("x")) as server:
        [reply] = ask(server, Call("m", ASK), timeout_seconds=0.3)
    assert reply.text == "x"
    assert server.count == 2


def test_totals_say_what_was_used():
    ledger = Ledger()
    with Loopback(lambda request: Response("", status=500) if request.number == 1 else chat("x")) as server:
        ask(server, *(Call("m", ASK, sample=at) for at in range(4)), ledger=ledger, price_in=1.0, price_out=10.0)
    totals = ledger.totals
    assert (totals.calls, totals.requests, totals.failed_requests, totals.failed_calls) == (4, 5, 1, 0)
    assert (totals.input_tokens, totals.output_tokens) == (80, 20)
    assert totals.cost_usd == pytest.approx(4 * (20e-6 + 5 * 10e-6))


def test_what_a_reasoning_model_of_openai_refuses_to_be_told_is_left_out_and_noted(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    call = Call("openai/o3-mini", ASK, Sampling(0.0, 0.9, 50, top_logprobs=5))
    for name in ("o1", "o3-mini", "o4-mini", "gpt-5-mini"):
        server = Server(name, CallSettings(), base=OPENAI_BASE)
        assert not {"temperature", "top_p", "logprobs", "top_logprobs"} & server.body(call, 1).keys()
        assert server.left_out(call) == tuple(
            f"{wish} is not known to this model and was left out" for wish in ("logprobs", "temperature", "top_p")
        )
        assert server.left_out(Call("openai/o1", ASK, Sampling(temperature=1.0))) == (), (
            "1 is what the model does anyway"
        )
    for name in ("gpt-4o-mini", "gpt-5-chat-latest"):
        server = Server(name, CallSettings(), base=OPENAI_BASE)
        assert server.body(call, 1)["temperature"] == 0.0
        assert server.left_out(call) == ()


def test_the_note_on_what_was_left_out_is_on_the_reply(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Loopback(lambda request: chat("x")) as loopback:
        monkeypatch.setattr("hinterguesser.backends.server.OPENAI_BASE", loopback.url)

        async def run():
            server = Server("o3-mini", CallSettings(), base=loopback.url)
            try:
                return await server.ask(Call("openai/o3-mini", ASK, Sampling(0.0)), 1)
            finally:
                await server.close()

        [reply] = asyncio.run(run())
    assert reply.notes == ("temperature is not known to this model and was left out",)
