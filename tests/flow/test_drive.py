import asyncio

import pytest

from hinterguesser.domain.script import Call, Reply
from hinterguesser.errors import CallFailed, RunStopped
from hinterguesser.flow.drive import drive


def asking(name, steps):
    """Asks one call a step and returns how many replies it got."""
    heard = 0
    for step in range(steps):
        heard += len((yield [Call("m", f"{name} {step}")]))
    return heard


def driven(items, ask, *, at_once=4, stopping=lambda: None):
    results = {}

    async def ended(key, result):
        results[key] = result

    asyncio.run(drive(items, ask, ended, at_once=at_once, stopping=stopping))
    return results


async def echo(calls):
    await asyncio.sleep(0)
    return [Reply(call.prompt) for call in calls]


def test_every_script_ends_once_with_its_own_result():
    assert driven([(n, asking(n, n)) for n in range(20)], echo) == {n: n for n in range(20)}


def test_no_more_scripts_are_under_way_than_allowed_and_none_waits_for_another():
    under_way, most, order = set(), [], []

    async def ask(calls):
        name = calls[0].prompt.split()[0]
        under_way.add(name)
        most.append(len(under_way))
        # The first script is slow; with a barrier per step the others would be held up by it.
        await asyncio.sleep(0.2 if name == "0" else 0)
        under_way.discard(name)
        order.append(name)
        return [Reply("")]

    driven([(n, asking(n, 2)) for n in range(9)], ask, at_once=3)
    assert max(most) == 3
    assert order[:16].count("0") == 0


def test_scripts_are_taken_one_by_one_so_that_a_list_of_any_length_needs_little_memory():
    alive = 0
    most = 0

    def many():
        nonlocal alive, most
        for n in range(1000):
            alive += 1
            most = max(most, alive)
            yield n, asking(n, 1)

    async def ended(key, result):
        nonlocal alive
        alive -= 1

    asyncio.run(drive(many(), echo, ended, at_once=5))
    assert most <= 6


def test_a_failed_call_ends_its_own_script_only():
    async def ask(calls):
        if calls[0].prompt == "3 1":
            raise CallFailed("no luck")
        return await echo(calls)

    results = driven([(n, asking(n, 2)) for n in range(6)], ask)
    assert isinstance(results.pop(3), CallFailed)
    assert set(results.values()) == {2}


def test_a_stop_lets_replies_in_flight_come_home_and_starts_nothing_new():
    asked, answered = [], []

    async def ask(calls):
        if len(asked) >= 4:
            raise RunStopped("enough")
        asked.append(calls[0].prompt)
        await asyncio.sleep(0.05)
        answered.append(calls[0].prompt)
        return [Reply("")]

    with pytest.raises(RunStopped, match="enough"):
        driven([(n, asking(n, 3)) for n in range(50)], ask)
    assert sorted(asked) == sorted(answered) == ["0 0", "1 0", "2 0", "3 0"]


def test_scripts_without_calls_hear_of_a_stop_too():
    done = []

    async def ended(key, result):
        done.append(key)

    with pytest.raises(RunStopped, match="time to go"):
        asyncio.run(
            drive(
                ((n, asking(n, 0)) for n in range(1000)),
                echo,
                ended,
                at_once=1,
                stopping=lambda: "time to go" if len(done) == 7 else None,
            )
        )
    assert done == list(range(7))


def test_a_bug_in_a_script_is_not_swallowed():
    def broken():
        yield [Call("m", "x")]
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        driven([(1, broken()), (2, asking(2, 3))], echo)


def test_interrupting_cancels_what_is_under_way():
    async def forever(calls):
        await asyncio.sleep(3600)

    async def ended(key, result):
        raise AssertionError("nothing can end")

    async def scenario():
        task = asyncio.create_task(drive([(1, asking(1, 1))], forever, ended, at_once=2))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scenario())
