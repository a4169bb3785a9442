from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from agentharness.errors import UserError
from agentharness.model.refs import Clients, check_url, open_model, proxy_for
from agentharness.model.transport import HttpCall, HttpReply
from agentharness.types.model import Message, Model, Request

KEY = {"OPENAI_API_KEY": "sk-1"}


def test_the_room_costs_no_heavy_import() -> None:
    code = "import sys, agentharness.model.refs; print([m for m in ('aiohttp', 'tenacity', 'PIL', 'email', 'urllib.request') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]).stdout == "[]\n"


class Last:
    """A transport that keeps the last call."""

    call: HttpCall

    async def send(self, call: HttpCall) -> HttpReply:
        self.call = call
        return HttpReply(200, b'{"choices": [{"message": {"content": "ok"}}]}')

    async def close(self) -> None: ...


@pytest.mark.parametrize(
    ("ref", "base_url", "env", "name", "url"),
    [
        ("openai/gpt-x", None, KEY, "gpt-x", "https://api.openai.com/v1"),
        ("openai/gpt-x", None, {**KEY, "OPENAI_BASE_URL": "https://proxy.test/v1/"}, "gpt-x", "https://proxy.test/v1"),
        ("openai/gpt-x", None, {"OPENAI_BASE_URL": "http://localhost:8000/v1"}, "gpt-x", "http://localhost:8000/v1"),
        ("openai/gpt-x", "http://localhost:1/v1//", {}, "gpt-x", "http://localhost:1/v1"),
        ("openai/openai/gpt-x", "http://localhost:1/v1", {}, "openai/gpt-x", "http://localhost:1/v1"),
        ("Qwen/Qwen3-8B", "http://localhost:1", {}, "Qwen/Qwen3-8B", "http://localhost:1"),
        ("gpt-x", "https://h.test/api/v3", KEY, "gpt-x", "https://h.test/api/v3"),
    ],
)
def test_references(ref: str, base_url: str | None, env: Mapping[str, str], name: str, url: str) -> None:
    model = open_model(ref, base_url=base_url, env=env)
    assert (model.name, model.base_url) == (name, url)


@pytest.mark.parametrize(("env", "want"), [(KEY, "Bearer sk-1"), ({"OPENAI_API_KEY": " sk-1\n"}, "Bearer sk-1"), ({}, None), ({"OPENAI_API_KEY": " "}, None)])
async def test_the_key_is_optional_beside_a_url(env: Mapping[str, str], want: str | None) -> None:
    last = Last()
    model: Model = open_model("m", base_url="http://h/v1", env=env, transport=last)
    await model.complete(Request([Message({"role": "user", "content": "a"})]))
    assert last.call.headers.get("authorization") == want


@pytest.mark.parametrize(
    ("ref", "base_url", "env", "line"),
    [
        ("openai/gpt-x", None, {}, "model: openai/gpt-x needs a key (set OPENAI_API_KEY, or base_url=URL for a server of your own)"),
        ("opnai/gpt-x", None, KEY, "model: unknown provider 'opnai' (did you mean 'openai'?; base_url=URL takes any name)"),
        ("Qwen/Qwen3-8B", None, KEY, "model: unknown provider 'Qwen' (known: openai; base_url=URL takes any name)"),
        ("gpt-x", None, KEY, "model: 'gpt-x' names no provider (openai/gpt-x, or base_url=URL for a server of your own)"),
        ("openai/", None, KEY, "model: 'openai/' names no model (openai/NAME)"),
        ("", "http://h/v1", KEY, "model: '' names no model (openai/NAME)"),
        ("m", "localhost:8000/v1", {}, "base_url: 'localhost:8000/v1' is no URL (http://localhost:8000/v1?)"),
        ("m", "ftp://h/v1", {}, "base_url: 'ftp://h/v1' is no URL (it begins with http:// or https://)"),
        ("m", "http://", {}, "base_url: 'http:' is no URL (it begins with http:// or https://)"),
        ("openai/m", None, {"OPENAI_BASE_URL": "h"}, "OPENAI_BASE_URL: 'h' is no URL (http://h?)"),
        ("m", "http://h:99999/v1", {}, "base_url: 'http://h:99999/v1' is no URL (it begins with http:// or https://)"),
        ("m", "http://h/v1?a=1", {}, "base_url: 'http://h/v1?a=1' has a query or a fragment (give the URL up to and with /v1)"),
        ("m", "http://h/v1/chat/completions", {}, "base_url: 'http://h/v1/chat/completions' is the URL of one call (http://h/v1)"),
    ],
)
def test_mistakes(ref: str, base_url: str | None, env: Mapping[str, str], line: str) -> None:
    with pytest.raises(UserError) as caught:
        open_model(ref, base_url=base_url, env=env)
    assert caught.value.line() == line


async def test_one_transport_per_endpoint() -> None:
    clients = Clients()
    one, two = clients.transport("http://h:1/v1"), clients.transport("http://h:1/v2")
    assert one is two
    assert clients.transport("http://h:2/v1") is not one
    open_model("m", base_url="http://h:1/v1", env={}, clients=clients)
    await clients.close()
    assert clients.transport("http://h:1/v1") is not one


@pytest.mark.parametrize(
    ("url", "env", "want"),
    [
        ("https://api.test/v1", {}, None),
        ("https://api.test/v1", {"HTTPS_PROXY": "http://p:3128"}, "http://p:3128"),
        ("https://api.test/v1", {"https_proxy": "http://p:3128", "no_proxy": "api.test"}, None),
        ("https://api.test/v1", {"https_proxy": "http://p:3128", "NO_PROXY": "*"}, None),
        ("https://api.test/v1", {"http_proxy": "http://p:3128"}, None),
        ("https://api.test/v1", {"all_proxy": "http://p:3128"}, "http://p:3128"),
        ("https://api.test/v1", {"all_proxy": "socks5://p:3128"}, None),
        ("http://127.0.0.1:8000/v1", {"http_proxy": "http://p:3128"}, None),
    ],
)
def test_proxies(url: str, env: Mapping[str, str], want: str | None) -> None:
    assert proxy_for(url, env) == want


def test_a_url_is_kept_but_for_its_slashes() -> None:
    assert check_url(" https://h.test/openai/v1/// ", "base_url") == "https://h.test/openai/v1"
