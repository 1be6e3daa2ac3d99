"""Limits: how many at once, how many a minute, and what a busy server changes."""

import asyncio

import pytest

from hinterguesser.backends.limits import Bucket, Limiter
from hinterguesser.domain.script import Usage

SEEN = Usage(100, 10)


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


def test_no_more_at_once_than_the_ceiling():
    async def run():
        limiter, most = Limiter(3), 0

        async def one():
            nonlocal most
            ticket = await limiter.enter(0, 0)
            most = max(most, limiter.active)
            await asyncio.sleep(0)
            limiter.leave(ticket, SEEN)

        await asyncio.gather(*(one() for _ in range(50)))
        return most, limiter.active

    assert asyncio.run(run()) == (3, 0)


def test_who_waits_longest_goes_first_but_a_retry_goes_before():
    async def run():
        limiter, order = Limiter(1), []
        first = await limiter.enter(0, 0)

        async def one(name, again=False):
            ticket = await limiter.enter(0, 0, again=again)
            order.append(name)
            limiter.leave(ticket, SEEN)

        tasks = [asyncio.create_task(one(name)) for name in "abc"]
        await asyncio.sleep(0)
        tasks.append(asyncio.create_task(one("again", again=True)))
        await asyncio.sleep(0)
        limiter.leave(first, SEEN)
        await asyncio.gather(*tasks)
        return order

    assert asyncio.run(run()) == ["again", "a", "b", "c"]


@pytest.mark.parametrize("granted", [False, True])
def test_a_cancelled_wait_leaks_no_place(granted):
    async def run():
        limiter = Limiter(1)
        first = await limiter.enter(0, 0)
        waiting = asyncio.create_task(limiter.enter(0, 0))
        await asyncio.sleep(0)
        if granted:  # leave is given and the task cancelled before it can take it
            limiter.leave(first, SEEN)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        if not granted:
            limiter.leave(first, SEEN)
        ticket = await asyncio.wait_for(limiter.enter(0, 0), 1)
        limiter.leave(ticket, SEEN)
        return limiter.active

    assert asyncio.run(run()) == 0


def test_concurrency_is_cut_once_a_round_and_climbs_back():
    async def run():
        clock = Clock()
        limiter = Limiter(100, clock=clock)
        round_one = [await limiter.enter(0, 0) for _ in range(100)]
        clock.now += 1
        for ticket in round_one:  # all are told at once: one signal, not a hundred
            limiter.slow_down(ticket, 0.0)
            limiter.leave(ticket)
        after_cut = limiter.allowed
        successes = 0
        while limiter.allowed < 100 and successes < 1000:
            clock.now += 0.01
            limiter.leave(await limiter.enter(0, 0), SEEN)
            successes += 1
        return after_cut, successes

    after_cut, successes = asyncio.run(run())
    assert after_cut == 70
    assert successes < 1000


def test_cuts_never_go_below_one():
    async def run():
        clock = Clock()
        limiter = Limiter(4, clock=clock)
        for _ in range(50):
            clock.now += 1
            ticket = await limiter.enter(0, 0)
            limiter.slow_down(ticket, 0.0)
            limiter.leave(ticket)
        return limiter.allowed

    assert asyncio.run(run()) == 1


def test_a_pause_holds_for_everybody_and_ends():
    async def run():
        limiter = Limiter(10, max_pause_seconds=0.05)
        ticket = await limiter.enter(0, 0)
        limiter.slow_down(ticket, 3600.0)  # an hour is asked for: the pause is capped, the next request is told again
        limiter.leave(ticket)
        waiting = [asyncio.create_task(limiter.enter(0, 0)) for _ in range(5)]
        await asyncio.sleep(0)
        before = [task.done() for task in waiting]
        await asyncio.wait_for(asyncio.gather(*waiting), 5)
        return before

    assert asyncio.run(run()) == [False] * 5


def test_a_bucket_allows_its_rate_over_time():
    bucket, now, taken = Bucket(600, 0.0), 0.0, 0
    while now < 60.0:
        wait = bucket.wait_seconds(1, now)
        if wait > 0:
            now += wait
            continue
        bucket.take(1)
        taken += 1
    assert 600 <= taken <= 600 + 600 * 5 / 60 + 1


def test_an_amount_above_the_burst_goes_once_the_bucket_is_full_and_is_paid_back():
    bucket = Bucket(60, 0.0)  # one a second, five saved up
    assert bucket.wait_seconds(20, 0.0) == 0
    bucket.take(20)
    assert bucket.wait_seconds(1, 0.0) == pytest.approx(16)


def test_output_is_reserved_from_what_was_seen_not_from_the_maximum():
    async def run():
        clock = Clock()
        limiter = Limiter(100, output_tpm=60_000, clock=clock)
        for _ in range(100):
            clock.now += 1
            limiter.leave(await limiter.enter(400, 4096), Usage(100, 10))
        return (await limiter.enter(400, 4096)).output_tokens

    assert asyncio.run(run()) == pytest.approx(10, abs=2)


def test_input_is_reserved_from_the_length_of_the_prompt_as_it_was_counted():
    async def run():
        clock = Clock()
        limiter = Limiter(100, input_tpm=600_000, clock=clock)
        for _ in range(100):
            clock.now += 1
            limiter.leave(await limiter.enter(400, 10), Usage(200, 10))
        return (await limiter.enter(1000, 10)).input_tokens

    assert asyncio.run(run()) == pytest.approx(500, rel=0.05)


def rounds(limiter, clock, latency_seconds, count):
    async def run():
        for _ in range(count):
            tickets = [await limiter.enter(0, 0) for _ in range(limiter.allowed)]
            clock.now += latency_seconds
            for ticket in tickets:
                limiter.leave(ticket, SEEN)
        return limiter.allowed

    return asyncio.run(run())


def test_rising_latency_cuts_concurrency_but_not_for_good():
    clock = Clock()
    limiter = Limiter(64, clock=clock)
    assert rounds(limiter, clock, 0.5, 10) == 64
    assert rounds(limiter, clock, 10.0, 3) < 64
    assert rounds(limiter, clock, 10.0, 300) == 64  # prompts have simply grown: the new latency becomes the usual one
    assert rounds(limiter, clock, 0.5, 10) == 64


def test_a_slow_start_is_no_reason_to_cut():
    clock = Clock()
    limiter = Limiter(64, clock=clock)
    assert rounds(limiter, clock, 30.0, 20) == 64
