"""Waiting for one batch, however long it takes, and what is said when it was refused."""

import asyncio

from hinterguesser.backends.batch_api import BatchApi, State
from hinterguesser.backends.server import Server
from hinterguesser.errors import UserError
from hinterguesser.store.batches import BatchBook, OpenBatch

_LONGEST_WAIT_SECONDS = 60.0


async def state_at_end(batch: OpenBatch, api: BatchApi, book: BatchBook, poll_seconds: float) -> State | None:
    """How the batch ended; None when the provider has no such batch: it was never submitted, or is gone.

    Raises as `BatchApi.state`.
    """
    if batch.batch_id is None:  # the run was killed while it submitted
        batch.batch_id = await api.find(batch.file_id)
        if batch.batch_id is None:  # the provider may be slow to list it
            await asyncio.sleep(poll_seconds)
            batch.batch_id = await api.find(batch.file_id)
        if batch.batch_id is None:
            return None
        book.save()
    wait = poll_seconds
    while True:
        state = await api.state(batch.batch_id)
        if state is None or state.ended:
            return state
        await asyncio.sleep(wait)
        wait = min(1.5 * wait, max(_LONGEST_WAIT_SECONDS, poll_seconds))


def refusal(server: Server, state: State) -> UserError:
    """What the user is told when the provider did not take a batch."""
    code, message = state.errors[0] if state.errors else ("", "no reason given")
    return UserError(
        f"{server.where} did not take a batch of calls to {server.model!r} ({code or 'failed'}: {message}). None of it "
        "was done; run the same command without --batch to make ordinary calls."
    )
