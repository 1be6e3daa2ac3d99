"""The order in which waiting calls are answered, and how the thread ends; without a model."""

import asyncio
import threading
import time

import pytest

from hinterguesser.backends.nearest_first import LITTLE_CHARACTERS, NearestFirst
from hinterguesser.domain.script import Call, Message, Reply

LONG = "x" * (2 * LITTLE_CHARACTERS)


class Echo:
    """Answers with the prompt, in the order it was asked; waits for `go` before the first."""

    def __init__(self):
        self.asked = []
        self.go = threading.Event()

    def __call__(self):
        return self.ask

    def ask(self, call, given_up):
        self.go.wait(10)
        self.asked.append(call.prompt)
        return Reply(str(call.prompt))


async def told(queue, echo, prompts):
    """The order in which `prompts` are answered when all of them wait behind a first call."""
    tasks = [asyncio.create_task(queue.reply(Call("m", prompt))) for prompt in prompts]
    await asyncio.sleep(0.05)
    echo.go.set()
    await asyncio.gather(*tasks)
    queue.stop()
    return echo.asked


def test_the_nearest_prompt_goes_first_whatever_the_order_they_came_in():
    echo = Echo()
    prompts = ["rules. cat:", "rules. dog:", "rules. cat: 1", "rules. dog: 1", "rules. cat: 1, 2"]
    assert asyncio.run(told(NearestFirst(echo), echo, prompts)) == [
        "rules. cat:",
        "rules. cat: 1",
        "rules. cat: 1, 2",
        "rules. dog:",
        "rules. dog: 1",
    ]


def test_equals_go_in_the_order_they_came_in():
    echo = Echo()
    prompts = [f"{number}" for number in range(9)]
    assert asyncio.run(told(NearestFirst(echo), echo, prompts)) == prompts


def test_chat_messages_are_compared_too():
    echo = Echo()
    cat, dog = (Message("user", "cat"),), (Message("user", "dog" + LONG),)
    prompts = [cat, dog, (*cat, Message("assistant", "ok"), Message("user", "more"))]
    assert asyncio.run(told(NearestFirst(echo), echo, prompts)) == [prompts[0], prompts[2], prompts[1]]


def test_two_dialogues_are_not_interleaved_though_each_call_is_made_on_the_last_reply():
    echo = Echo()
    queue = NearestFirst(echo)
    echo.go.set()

    async def dialogue(name):
        for turn in range(6):
            await queue.reply(Call("m", name * LITTLE_CHARACTERS + "." * turn))

    async def both():
        await asyncio.gather(dialogue("ab"), dialogue("cd"))

    asyncio.run(both())
    queue.stop()
    switches = sum(one[0] != other[0] for one, other in zip(echo.asked, echo.asked[1:], strict=False))
    assert len(echo.asked) == 12
    assert switches <= 3


def test_what_starting_or_answering_raises_reaches_the_caller():
    def broken():
        raise ValueError("no model")

    queue = NearestFirst(broken)
    for _ in range(2):
        with pytest.raises(ValueError, match="no model"):
            asyncio.run(queue.reply(Call("m", "x")))
    queue.stop()


def test_a_cancelled_call_is_given_up_and_the_next_is_answered():
    gave_up = threading.Event()

    def ask(call, given_up):
        if call.prompt == "slow":
            given_up.wait(10)
            gave_up.set()
        return Reply(str(call.prompt))

    queue = NearestFirst(lambda: ask)

    async def main():
        slow = asyncio.create_task(queue.reply(Call("m", "slow")))
        waiting = asyncio.create_task(queue.reply(Call("m", "waiting")))
        await asyncio.sleep(0.05)
        waiting.cancel()
        slow.cancel()
        await asyncio.gather(slow, waiting, return_exceptions=True)
        assert slow.cancelled()
        assert waiting.cancelled()
        return (await queue.reply(Call("m", "next"))).text

    assert asyncio.run(main()) == "next"
    assert gave_up.is_set()
    queue.stop()


def test_stopping_gives_up_what_is_under_way_and_what_waits():
    def ask(call, given_up):
        assert given_up.wait(10)
        return Reply("half")

    queue = NearestFirst(lambda: ask)

    async def main():
        tasks = [asyncio.create_task(queue.reply(Call("m", str(number)))) for number in range(3)]
        await asyncio.sleep(0.05)
        begun = time.monotonic()
        await asyncio.to_thread(queue.stop)
        assert time.monotonic() - begun < 9
        return await asyncio.gather(*tasks, return_exceptions=True)

    outcomes = asyncio.run(main())
    assert [type(outcome) for outcome in outcomes[1:]] == [asyncio.CancelledError] * 2
    queue.stop()
    with pytest.raises(RuntimeError, match="closed"):
        asyncio.run(queue.reply(Call("m", "x")))
