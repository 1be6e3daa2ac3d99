"""The embedded model for real: SmolLM2-135M in this process. Without its weights these tests are skipped."""

import asyncio
import importlib.util
import math
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from hinterguesser.domain.prompts import PromptBook
from hinterguesser.domain.script import Call, Message, Sampling
from hinterguesser.errors import CallFailed, UserError
from hinterguesser.store import weights
from hinterguesser.store.prompts import read_prompts

MODEL = "builtin/smollm2"
FRANCE = "Q: What is the capital of Japan?\nA: Tokyo\nQ: What is the capital of France?\nA:"

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("xllamacpp") is None, reason="the extra 'local' is not installed"
)


@pytest.fixture(scope="session")
def weights_file():
    """The weights, fetched once into the user's cache; skips where they cannot be had."""
    try:
        return weights.get("smollm2")
    except UserError as error:
        pytest.skip(f"the weights of {MODEL} cannot be had: {error}")


@pytest.fixture(scope="module")
def ask(weights_file):
    """Asks one loaded model calls together, and returns the replies."""
    from hinterguesser.backends.gguf import GgufBackend

    backend = GgufBackend(MODEL, context_tokens=2048)

    def together(*calls):
        async def all_of_them():
            return await asyncio.gather(*map(backend.reply, calls))

        return asyncio.run(all_of_them())

    yield together
    asyncio.run(backend.close())


def call(prompt=FRANCE, *, sample=0, reuse_prompt=True, **sampling):
    return Call(MODEL, prompt, Sampling(**({"max_tokens": 8} | sampling)), sample, reuse_prompt)


def chat(*contents, **sampling):
    return call(tuple(Message("user", content) for content in contents), **sampling)


def test_a_plain_text_is_continued_up_to_the_stop(ask):
    [reply] = ask(call(stop=("\n",)))
    assert reply.text.strip() == "Paris"
    assert reply.finish_reason == "stop"
    assert reply.usage.input_tokens > 15
    assert reply.usage.output_tokens
    assert reply.cost_usd == 0.0
    assert reply.first_token == ()
    assert reply.notes == ()


def test_the_token_limit_is_told(ask):
    [reply] = ask(call("Once upon a time", max_tokens=3))
    assert reply.finish_reason == "length"
    assert reply.usage.output_tokens == 3


def test_chat_messages_go_through_the_template(ask):
    [reply] = ask(chat("What is the capital of France?", max_tokens=24))
    assert reply.text
    assert "<|im" not in reply.text
    assert reply.usage.input_tokens > 25  # the template has a system message of its own


def test_the_same_call_gives_the_same_reply(ask):
    first, again = ask(call(max_tokens=20, top_logprobs=20)), ask(call(max_tokens=20, top_logprobs=20))
    assert first[0].text == again[0].text
    assert first[0].first_token[0].logprob == pytest.approx(again[0].first_token[0].logprob, abs=0.02)


@pytest.mark.parametrize("top", [1, 20, 200])
@pytest.mark.parametrize("make", [call, lambda **sampling: chat("Say A or B.", **sampling)], ids=["plain", "chat"])
def test_the_likeliest_first_tokens_come_likeliest_first_and_are_probabilities(ask, make, top):
    [reply] = ask(make(max_tokens=1, top_logprobs=top))
    logprobs = [choice.logprob for choice in reply.first_token]
    assert len(logprobs) == top
    assert logprobs == sorted(logprobs, reverse=True)
    assert sum(map(math.exp, logprobs)) <= 1.0001
    assert reply.text == reply.first_token[0].token


def test_that_the_model_would_end_the_line_is_among_the_candidates(ask):
    [reply] = ask(call(f"{FRANCE} Paris", max_tokens=1, top_logprobs=100))
    assert any(choice.token.startswith("\n") for choice in reply.first_token)


def test_the_prompt_cache_is_used_unless_told_not_to(ask):
    transcript = FRANCE + " Paris\nQ: What is the capital of Italy?\nA:"
    ask(call())
    [cached] = ask(call(transcript, top_logprobs=5, max_tokens=2))
    [fresh] = ask(call(transcript, top_logprobs=5, max_tokens=2, reuse_prompt=False))
    assert cached.usage.cached_tokens >= 15
    assert fresh.usage.cached_tokens == 0
    assert cached.first_token[0].token == fresh.first_token[0].token
    assert cached.first_token[0].logprob == pytest.approx(fresh.first_token[0].logprob, abs=0.1)
    [again] = ask(call(transcript, top_logprobs=5, max_tokens=2, reuse_prompt=False))
    assert again == fresh


def test_calls_of_one_turn_read_the_transcript_once(ask):
    prompts = read_prompts()
    hint = prompts.render("plain/hint", question="Which continent is the city in?", answer="Asia.")
    turn = prompts.text("plain/preamble_guess") + hint
    fields = {"candidate": "Tokyo", "option_a": "True", "option_b": "False"}
    ask(call(turn + prompts.text("plain/answer")))
    replies = ask(
        call(turn + prompts.render("plain/vanilla_verb", candidate="Tokyo"), max_tokens=1),
        call(turn + prompts.render("plain/p_true", **fields), max_tokens=1),
        call(turn + prompts.render("plain/p_sufficient", **fields), max_tokens=1),
    )
    for reply in replies:
        assert reply.usage.input_tokens - reply.usage.cached_tokens < 60


def test_seeds_hold_and_samples_differ(ask):
    drawn = {"temperature": 1.0, "max_tokens": 12}
    story = "Once upon a time"
    one, same, other, sample = ask(
        call(story, seed=7, **drawn),
        call(story, seed=7, **drawn),
        call(story, seed=8, **drawn),
        call(story, seed=7, sample=1, **drawn),
    )
    assert one.text == same.text
    assert len({one.text, other.text, sample.text}) == 3


def test_text_in_any_script_comes_back_whole(ask):
    [reply] = ask(call("Repeat: 😀😃😄😁😆\nRepeat: 😀😃😄😁😆\nRepeat: 😀😃😄", max_tokens=12, top_logprobs=20))
    assert reply.text.encode()
    assert "😁" in reply.text
    assert "\ufffd" not in reply.text
    assert sum(math.exp(choice.logprob) for choice in reply.first_token) <= 1.0001


def test_a_prompt_with_a_lone_surrogate_is_answered(ask):
    [reply] = ask(call("caf\ud800 au"))
    assert reply.text


def test_json_mode_gives_json_in_few_tokens(ask):
    import json

    [reply] = ask(
        chat('Reply with a JSON object with the keys "name" and "country" for Paris.', max_tokens=64, json_object=True)
    )
    assert isinstance(json.loads(reply.text), dict)
    assert "\n" not in reply.text


def test_a_prompt_longer_than_the_context_fails_with_both_numbers(ask):
    with pytest.raises(CallFailed, match=r"the prompt has 30\d\d tokens, more than the model's context of 2048"):
        ask(call("word " * 3000))
    assert ask(call(stop=("\n",)))[0].text.strip() == "Paris"


def test_many_at_once_get_their_own_replies(ask):
    capitals = {"Japan": "Tokyo", "Italy": "Rome", "Germany": "Berlin", "Russia": "Moscow", "Spain": "Madrid"}
    replies = ask(*(call(FRANCE.replace("France", land), stop=("\n",)) for land in capitals))
    assert [reply.text.strip() for reply in replies] == list(capitals.values())


def test_a_cancelled_call_ends_soon(weights_file):
    from hinterguesser.backends.gguf import GgufBackend

    async def main():
        backend = GgufBackend(MODEL, context_tokens=4096)
        await backend.reply(call(max_tokens=1))
        task = asyncio.create_task(backend.reply(call("Once upon a time", max_tokens=3000, temperature=1.0, seed=1)))
        await asyncio.sleep(0.3)
        task.cancel()
        begun = time.monotonic()
        with pytest.raises(asyncio.CancelledError):
            await task
        await backend.close()
        return time.monotonic() - begun

    assert asyncio.run(main()) < 40


def test_the_worked_examples_make_the_labels_likely(ask):
    prompts: PromptBook = read_prompts()
    hints = [("Which continent is the city in?", "Europe."), ("What is the city best known for?", "The Eiffel Tower.")]
    turn = prompts.text("plain/preamble_guess") + "".join(
        prompts.render("plain/hint", question=question, answer=answer) for question, answer in hints
    )
    [answer] = ask(call(turn + prompts.text("plain/answer"), stop=("\n",)))
    assert answer.text.strip() == "Paris"
    fields = {"candidate": "Paris", "option_a": "True", "option_b": "False"}
    [said, label] = ask(
        call(turn + prompts.render("plain/vanilla_verb", candidate="Paris"), stop=("\n",)),
        call(turn + prompts.render("plain/p_true", **fields), max_tokens=1, top_logprobs=100),
    )
    assert said.text.strip().removesuffix("%").isdigit()
    mass = sum(math.exp(choice.logprob) for choice in label.first_token if choice.token.strip() in ("A", "B"))
    assert mass > 0.6


class TestFiles:
    @pytest.mark.parametrize(
        ("content", "message"),
        [(None, "cannot be read"), (b"", "no GGUF file"), (b"PK\x03\x04", "no GGUF file")],
        ids=["absent", "empty", "zip"],
    )
    def test_what_is_no_model_is_refused_at_once(self, tmp_path, content, message):
        from hinterguesser.backends.gguf import GgufBackend

        path = tmp_path / "model.gguf"
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(UserError, match=message):
            GgufBackend(f"gguf/{path}")

    def test_a_folder_is_refused(self, tmp_path):
        from hinterguesser.backends.gguf import GgufBackend

        with pytest.raises(UserError, match="cannot be read"):
            GgufBackend(f"gguf/{tmp_path}")

    @pytest.mark.parametrize("kept", [4, 30_000, 3_000_000], ids=["magic", "header", "half"])
    def test_a_cut_file_is_a_clear_message_and_no_crash(self, tmp_path, weights_file, kept, capfd):
        from hinterguesser.backends.gguf import GgufBackend

        path = tmp_path / "cut.gguf"
        with weights_file.open("rb") as whole:
            path.write_bytes(whole.read(kept))

        async def main():
            backend = GgufBackend(f"gguf/{path}")
            try:
                await backend.reply(call())
            finally:
                await backend.close()

        with pytest.raises(UserError, match=r"cut\.gguf: llama\.cpp cannot load this file"):
            asyncio.run(main())
        assert capfd.readouterr() == ("", "")

    def test_any_gguf_file_is_a_chat_model(self, weights_file):
        from hinterguesser.backends.gguf import GgufBackend

        backend = GgufBackend(f"gguf/{weights_file}")
        assert backend.capabilities.rendering == "chat"
        assert backend.endpoint.startswith("in-process/")
        assert GgufBackend(MODEL).capabilities.rendering == "plain"

    def test_another_file_is_another_endpoint(self, tmp_path):
        from hinterguesser.backends.gguf import GgufBackend

        ends = []
        for content in (b"GGUFa", b"GGUFb", b"GGUFa"):
            (tmp_path / "model.gguf").write_bytes(content)
            ends.append(GgufBackend(f"gguf/{tmp_path / 'model.gguf'}").endpoint)
        assert ends[0] == ends[2] != ends[1]


def test_a_missing_package_tells_the_install_command(monkeypatch):
    from hinterguesser.backends import gguf

    monkeypatch.setattr(gguf.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"pip install 'hinterguesser\[local\]'"):
        gguf.GgufBackend(MODEL)


def run_script(body, **options):
    script = textwrap.dedent(
        """
        import asyncio
        from hinterguesser.backends.gguf import GgufBackend
        from hinterguesser.domain.script import Call, Sampling
        backend = GgufBackend("builtin/smollm2")
        def ask(tokens):
            return backend.reply(Call("m", "Once upon a time", Sampling(max_tokens=tokens, temperature=1.0, seed=1)))
        """
    ) + textwrap.dedent(body)
    root = str(Path(__file__).resolve().parents[2])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))}
    return subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        **options,
    )


@pytest.mark.parametrize(
    "body",
    [
        "print('never loaded')",
        "asyncio.run(ask(2)); print('never closed')",
        "asyncio.run(ask(2)); asyncio.run(backend.close()); print('closed')",
        "asyncio.run(ask(2)); del backend; print('let go of')",
        """
        async def main():
            asyncio.create_task(ask(3000))
            await asyncio.sleep(1.5)
            print('left under way')
        asyncio.run(main())
        """,
    ],
)
def test_the_interpreter_ends_quietly(weights_file, body):
    process = run_script(body)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert len(out.splitlines()) == 1
    assert err == ""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_ends_it_within_seconds(weights_file):
    process = run_script(
        """
        async def main():
            await ask(1)
            print("begun", flush=True)
            await ask(5000)
        asyncio.run(main())
        """
    )
    assert process.stdout.readline() == "begun\n"
    time.sleep(0.5)
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert time.monotonic() - begun < 40
    assert err.rstrip().endswith("KeyboardInterrupt")
