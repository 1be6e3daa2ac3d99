"""From a model's name to a way to reach it. Cheap to import: what a backend needs is imported when it is named."""

from typing import TYPE_CHECKING

from hinterguesser.backends.budget import Ledger
from hinterguesser.backends.settings import CallSettings
from hinterguesser.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable

    from hinterguesser.backends.base import Backend
    from hinterguesser.backends.batch import Batched
    from hinterguesser.backends.limits import Limiter
    from hinterguesser.backends.retries import Breaker
    from hinterguesser.backends.stack import Client, OnFailedAttempt, Stack
    from hinterguesser.store.batches import BatchBook

BUILTIN_MODELS = ("smollm2", "gemma3-270m")
"""Models that run in this process under `builtin/NAME`."""
_HOW_TO_NAME = (
    "a model is named builtin/smollm2, gguf/PATH, PROVIDER/NAME as litellm spells it (openai/gpt-4o-mini, "
    "anthropic/claude-sonnet-4-5, gemini/gemini-2.5-flash), or NAME with --api-base URL"
)


class Backends:
    """The backends of one run: one ledger, and one limiter for each (endpoint, model)."""

    def __init__(
        self,
        settings: CallSettings | None = None,
        *,
        ledger: Ledger | None = None,
        on_failed_attempt: "OnFailedAttempt | None" = None,
        book: "BatchBook | None" = None,
        notice: "Callable[[str], None]" = lambda _: None,
    ) -> None:
        """Reach models as `settings` say.

        Args:
            settings: limits, retries, budget, address.
            ledger: counts what is used; by default one of this run's own.
            on_failed_attempt: told of each attempt that brought nothing.
            book: where open batches are written down; without it no batch is submitted.
            notice: told, in words for the user and once, what is done otherwise than asked for.
        """
        self.settings = settings or CallSettings()
        self.ledger = ledger or Ledger(self.settings.max_cost_usd, self.settings.max_tokens_total)
        self._tell = on_failed_attempt
        self._book = book
        self._notice = notice
        self._noticed: set[str] = set()
        self._batched: list[Batched] = []
        self._by_name: dict[str, Backend] = {}
        self._guards: dict[tuple[str, str], tuple[Limiter, Breaker]] = {}

    def of(self, model: str) -> "Backend":
        """The backend for `model`, made at first use.

        Raises:
            UserError: there is no such model, its key is not set, a package is missing, or a cost cap is set and its
                price is not known.
        """
        backend = self._by_name.get(model)
        if backend is None:
            backend = self._by_name[model] = self._make(model)
        return backend

    def stop(self, why: str) -> None:
        """Wait for no batch any more; they go on where they are. Ordinary calls come to their end."""
        for backend in self._batched:
            backend.stop(why)

    async def close(self) -> None:
        """Let go of all connections."""
        for backend in self._by_name.values():
            await backend.close()
        self._by_name.clear()
        self._batched.clear()

    def _make(self, model: str) -> "Backend":
        kind, slash, name = model.partition("/")
        if kind in ("builtin", "gguf") and slash:
            return self._in_process(model, kind, name)
        offered = self._from_package(model, kind) if slash else None
        if offered is not None:
            self._no_batches(f"models named {kind}/")
            return offered
        if not model.strip() or (not slash and self.settings.api_base is None):
            raise UserError(f"unknown model {model!r}: {_HOW_TO_NAME}")
        if self.settings.api_base is not None:
            return self._server(name if kind == "hosted_vllm" else model, model, self.settings.api_base)
        if kind == "openai":
            from hinterguesser.backends.server import OPENAI_BASE

            return self._server(name, model, OPENAI_BASE)
        from hinterguesser.backends.hosted import Hosted
        from hinterguesser.backends.prices import prices_of

        hosted = Hosted(model, self.settings, prices=prices_of(model, self.settings))
        self._no_batches(hosted.where)
        return self._stack(hosted, model)

    def _in_process(self, model: str, kind: str, name: str) -> "Backend":
        if model == "builtin/oracle":
            raise UserError("builtin/oracle plays from a fact table; here a model is needed, e.g. builtin/smollm2")
        if kind == "builtin" and name not in BUILTIN_MODELS:
            known = ", ".join(f"builtin/{known}" for known in BUILTIN_MODELS)
            raise UserError(f"unknown model {model!r}; built in are {known} (and builtin/oracle as a player)")
        from hinterguesser.backends.gguf import GgufBackend

        backend = self._metered(GgufBackend(model))
        self._no_batches("a model in this process")
        return backend

    def _metered(self, backend: "Backend") -> "Backend":
        from hinterguesser.backends.stack import Metered

        return Metered(backend, self.ledger)

    def _from_package(self, model: str, kind: str) -> "Backend | None":
        """The backend that another package offers for names that begin with `kind`/, if one does.

        Its `PLUGIN` is called with the model's name and the settings, and gives a `Backend`.
        """
        from importlib.metadata import entry_points

        for point in entry_points(group="hinterguesser.backends", name=kind):
            loaded = point.load()
            return self._metered(getattr(loaded, "PLUGIN", loaded)(model, self.settings))
        return None

    def _server(self, name: str, model: str, base: str) -> "Backend":
        from hinterguesser.backends.prices import prices_of
        from hinterguesser.backends.server import Server

        settings = self.settings
        ordinary = self._stack(Server(name, settings, base=base, prices=prices_of(model, settings)), name)
        if not settings.batch or self._book is None:
            return ordinary
        from hinterguesser.backends.batch import Batched

        batched = Batched(
            ordinary,
            Server(name, settings, base=base, prices=prices_of(model, settings, batch=True)),
            settings,
            ledger=self.ledger,
            book=self._book,
            notice=self._say_once,
            on_failed_attempt=self._tell,
        )
        self._batched.append(batched)
        return batched

    def _no_batches(self, what: str) -> None:
        if self.settings.batch:
            self._say_once(f"--batch: {what} offers no batch API that is known here; it gets ordinary calls")

    def _say_once(self, text: str) -> None:
        if text not in self._noticed:
            self._noticed.add(text)
            self._notice(text)

    def _stack(self, client: "Client", name: str) -> "Stack":
        from hinterguesser.backends.limits import Limiter
        from hinterguesser.backends.retries import Breaker
        from hinterguesser.backends.stack import Stack

        settings = self.settings
        guards = self._guards.get((client.where, name))
        if guards is None:
            limiter = Limiter(
                settings.concurrency,
                rpm=settings.rpm,
                input_tpm=settings.input_tpm,
                output_tpm=settings.output_tpm,
                max_pause_seconds=settings.max_backoff_seconds,
            )
            guards = limiter, Breaker(f"{name} at {client.where}", settings.give_up_after_seconds)
            self._guards[client.where, name] = guards
        return Stack(
            client,
            settings,
            ledger=self.ledger,
            limiter=guards[0],
            breaker=guards[1],
            on_failed_attempt=self._tell,
        )


def resolve(
    model: str,
    settings: CallSettings | None = None,
    *,
    ledger: Ledger | None = None,
    on_failed_attempt: "OnFailedAttempt | None" = None,
) -> "Backend":
    """The backend for one model; a run with several takes `Backends`, which shares limits and budget between them.

    Raises:
        UserError: as `Backends.of`.
    """
    return Backends(settings, ledger=ledger, on_failed_attempt=on_failed_attempt).of(model)
