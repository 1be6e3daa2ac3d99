"""From a model's name to a backend."""

import asyncio
import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

from hinterguesser.backends.base import Capabilities
from hinterguesser.backends.resolve import Backends, resolve
from hinterguesser.backends.settings import CallSettings
from hinterguesser.domain.script import Call, Reply, Usage
from hinterguesser.errors import UserError


def test_importing_resolve_is_cheap():
    code = "import sys, hinterguesser.backends.resolve; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"aiohttp", "litellm", "openai", "xllamacpp", "tenacity", "asyncio", "orjson", "sqlite3"}
    assert not heavy & set(loaded)


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("builtin/oracle", "fact table"),
        ("builtin/nothing", "builtin/smollm2"),
        ("gpt-4o-mini", "PROVIDER/NAME"),
        ("", "PROVIDER/NAME"),
        ("  ", "PROVIDER/NAME"),
        ("nosuchprovider/x", "PROVIDER/MODEL"),
    ],
)
def test_an_unknown_name_is_told_how_names_are_spelled(name, match):
    with pytest.raises(UserError, match=match):
        resolve(name)


class Parrot:
    """A backend of another package."""

    capabilities = Capabilities()
    endpoint = "parrot"

    def __init__(self, model, settings):
        self.model = model

    async def reply(self, call):
        return Reply(call.prompt, usage=Usage(1, 1))

    async def close(self):
        pass


def test_another_package_may_offer_a_backend(monkeypatch):
    point = EntryPoint("parrot", f"{__name__}:Parrot", "hinterguesser.backends")
    monkeypatch.setattr(EntryPoint, "load", lambda self: Parrot)
    monkeypatch.setattr(
        "importlib.metadata.entry_points", lambda **wanted: [point] if wanted["name"] == "parrot" else []
    )
    backends = Backends()
    reply = asyncio.run(backends.of("parrot/green").reply(Call("parrot/green", "hello")))
    assert reply.text == "hello"
    assert (backends.ledger.totals.calls, backends.ledger.totals.input_tokens) == (1, 1)


def test_one_name_has_one_backend_and_two_spellings_share_their_limits():
    backends = Backends(CallSettings(api_base="http://127.0.0.1:1/v1"))
    assert backends.of("m") is backends.of("m")
    one, other = backends.of("m"), backends.of("hosted_vllm/m")
    assert one is not other
    assert one._limiter is other._limiter
    assert backends.of("n")._limiter is not one._limiter
