import asyncio

import pytest

from hinterguesser.backends.base import Capabilities
from hinterguesser.domain.script import Call, Reply, Sampling
from hinterguesser.errors import CallFailed, RunStopped
from hinterguesser.flow.desk import Desk
from hinterguesser.store.journal import Journal


class Shop:
    """Backends for any model: one that counts what it is asked."""

    capabilities = Capabilities()
    endpoint = "here"

    def __init__(self):
        self.asked = []

    def of(self, model):
        return self

    async def reply(self, call):
        self.asked.append(call)
        await asyncio.sleep(0.01)
        if call.prompt == "bad":
            raise CallFailed("bad call")
        return Reply(f"{call.prompt}!")


def visit(tmp_path, work):
    shop = Shop()

    async def scenario():
        with Journal(tmp_path / "journal.sqlite") as journal:
            return await work(Desk(shop, journal))

    return asyncio.run(scenario()), shop


def texts(replies):
    return [reply.text for reply in replies]


def test_what_the_journal_has_is_not_asked_again(tmp_path):
    calls = [Call("m", "a"), Call("m", "b")]

    async def work(desk):
        return texts(await desk.ask(calls)), desk.made, desk.replayed

    assert visit(tmp_path, work)[0] == (["a!", "b!"], 2, 0)
    again, shop = visit(tmp_path, work)
    assert again == (["a!", "b!"], 0, 2)
    assert shop.asked == []


@pytest.mark.parametrize(
    "other",
    [
        Call("m2", "a"),
        Call("m", "a", Sampling(temperature=0.5)),
        Call("m", "a", Sampling(seed=1)),
        Call("m", "a", Sampling(top_p=0.9)),
        Call("m", "a", Sampling(max_tokens=1)),
        Call("m", "a", Sampling(stop=("x",))),
        Call("m", "a", Sampling(top_logprobs=3)),
        Call("m", "a", sample=1),
        Call("m", "a", reuse_prompt=False),
    ],
)
def test_whatever_may_change_the_reply_makes_it_another_call(tmp_path, other):
    async def work(desk):
        await desk.ask([Call("m", "a")])
        await desk.ask([other])

    assert len(visit(tmp_path, work)[1].asked) == 2


def test_the_same_call_in_flight_is_made_once(tmp_path):
    async def work(desk):
        first, second = await asyncio.gather(desk.ask([Call("m", "a")]), desk.ask([Call("m", "a")]))
        return texts([*first, *second])

    replies, shop = visit(tmp_path, work)
    assert replies == ["a!", "a!"]
    assert len(shop.asked) == 1


def test_when_one_of_several_calls_fails_the_others_are_kept(tmp_path):
    async def work(desk):
        with pytest.raises(CallFailed):
            await desk.ask([Call("m", "bad"), Call("m", "a")])
        return texts(await desk.ask([Call("m", "a")]))

    replies, shop = visit(tmp_path, work)
    assert replies == ["a!"]
    assert len(shop.asked) == 2


def test_after_a_stop_the_journal_still_answers_but_no_call_is_made(tmp_path):
    async def work(desk):
        await desk.ask([Call("m", "a")])
        desk.stop("enough")
        assert texts(await desk.ask([Call("m", "a")])) == ["a!"]
        with pytest.raises(RunStopped, match="enough"):
            await desk.ask([Call("m", "b")])

    assert len(visit(tmp_path, work)[1].asked) == 1


class Sampler(Shop):
    """A shop that draws several samples in one request."""

    capabilities = Capabilities(many_samples=True)

    async def samples(self, call, count):
        self.asked.append((call, count))
        return [Reply(f"{call.prompt} {call.sample + at}") for at in range(count)]


def test_samples_of_one_request_are_drawn_together_and_filed_one_by_one(tmp_path):
    shop = Sampler()
    calls = [Call("m", "a", sample=number) for number in range(4)]

    async def work(desk):
        drawn = texts(await desk.ask([*calls, Call("m", "b")]))
        again = texts(await desk.ask(calls[::-1]))
        return drawn, again, desk.made, desk.replayed

    async def scenario():
        with Journal(tmp_path / "journal.sqlite") as journal:
            return await work(Desk(shop, journal))

    drawn, again, made, replayed = asyncio.run(scenario())
    assert drawn == ["a 0", "a 1", "a 2", "a 3", "b!"]
    assert again == ["a 3", "a 2", "a 1", "a 0"]
    assert (made, replayed) == (5, 4)
    assert len(shop.asked) == 2
