"""Model references: `openai/NAME`, or any NAME beside a base_url -> a Model. One transport per endpoint, shared by its models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from agentharness.errors import UserError, closest
from agentharness.model.http import AiohttpTransport
from agentharness.model.openai_chat import OpenAIModel
from agentharness.model.pictures import Picture
from agentharness.model.retry import Policy
from agentharness.model.transport import Transport


class Provider(NamedTuple):
    """A host known by name: the variables for its key and its URL, and where it is by default."""

    key: str
    url: str
    default: str


PROVIDERS = {"openai": Provider("OPENAI_API_KEY", "OPENAI_BASE_URL", "https://api.openai.com/v1")}


class Clients:
    """The transports of a run, one per endpoint (scheme, host, port). Close it after the last call."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], AiohttpTransport] = {}

    def transport(self, base_url: str, proxy: str | None = None) -> Transport:
        parts = urlsplit(base_url)
        key = (f"{parts.scheme}://{parts.netloc}", proxy or "")
        if key not in self._open:
            self._open[key] = AiohttpTransport(proxy=proxy)
        return self._open[key]

    async def close(self) -> None:
        while self._open:
            await self._open.popitem()[1].close()


def open_model(
    ref: str,
    *,
    base_url: str | None = None,
    env: Mapping[str, str],
    key_env: str | None = None,
    picture: Picture | None = None,
    sampling: Mapping[str, Any] | None = None,
    extra: Mapping[str, Any] | None = None,
    policy: Policy | None = None,
    clients: Clients | None = None,
    transport: Transport | None = None,
) -> OpenAIModel:
    """The model that `ref` names; nothing is sent yet.

    `openai/NAME`: key from the variable `key_env` (OPENAI_API_KEY where it is not named), URL from `base_url`, else OPENAI_BASE_URL, else OpenAI's own. With a
    `base_url` any NAME will do, slashes and all, and the key is optional; only a leading `openai/` is taken off. `env`: where keys, URLs and proxies are looked
    up. The transport is `transport`, else one of `clients` (whoever made them closes them), else the model's own, closed with it. Raises UserError.
    """
    prefix, slash, rest = ref.partition("/")
    provider = PROVIDERS.get(prefix) if slash else None
    name = rest if provider else ref
    if not name.strip():
        raise UserError(f"{ref!r} names no model", where="model", hint="openai/NAME")
    if provider is None and not base_url:
        raise _unknown(ref, prefix if slash else "")
    known = provider or PROVIDERS["openai"]
    key_name = key_env or known.key
    key = env.get(key_name, "").strip() or None
    given = base_url or env.get(known.url, "").strip()
    if not key and not given:
        raise UserError(f"{ref} needs a key", where="model", hint=f"set {key_name}, or base_url=URL for a server of your own")
    url = check_url(given or known.default, "base_url" if base_url else known.url)
    owned = transport is None and clients is None
    if transport is None:
        proxy = proxy_for(url, env)
        transport = clients.transport(url, proxy) if clients is not None else AiohttpTransport(proxy=proxy)
    return OpenAIModel(
        name, base_url=url, transport=transport, key=key, key_name=key_name, sampling=sampling, extra=extra, policy=policy, picture=picture, owned=owned
    )


def check_url(url: str, where: str) -> str:
    """The URL without trailing slashes. Raises UserError where it is none for HTTP."""
    url = url.strip().rstrip("/")
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        good = False
    if not good:
        hint = f"http://{url}?" if url and ":/" not in f"{url}/" else "it begins with http:// or https://"
        raise UserError(f"{url!r} is no URL", where=where, hint=hint)
    if parts.query or parts.fragment:
        raise UserError(f"{url!r} has a query or a fragment", where=where, hint="give the URL up to and with /v1")
    if url.endswith("/chat/completions"):
        raise UserError(f"{url!r} is the URL of one call", where=where, hint=url.removesuffix("/chat/completions"))
    return url


def proxy_for(url: str, env: Mapping[str, str]) -> str | None:
    """The HTTP proxy that `env` (http_proxy, https_proxy, all_proxy, no_proxy, in either case) names for the URL, None for a direct way."""
    from urllib.request import proxy_bypass_environment  # type: ignore[attr-defined]

    parts = urlsplit(url)

    def get(name: str) -> str:
        return (env.get(name) or env.get(name.upper()) or "").strip()

    if proxy_bypass_environment(parts.netloc, {"no": get("no_proxy")}):
        return None
    proxy = get(f"{parts.scheme}_proxy") or get("all_proxy")
    if parts.hostname in ("localhost", "127.0.0.1", "::1") or not proxy.startswith(("http://", "https://")):
        return None
    return proxy


def _unknown(ref: str, prefix: str) -> UserError:
    if not prefix:
        return UserError(f"{ref!r} names no provider", where="model", hint=f"openai/{ref}, or base_url=URL for a server of your own")
    return UserError(f"unknown provider {prefix!r}", where="model", hint=f"{closest(prefix, PROVIDERS)}; base_url=URL takes any name")
