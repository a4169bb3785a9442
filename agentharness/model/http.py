"""HTTP by aiohttp: one session, no limit on connections, no work per request that can be done once."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any

from agentharness.model.transport import HttpCall, HttpReply, TransportError

if TYPE_CHECKING:
    import aiohttp

KEEP_S = 4.0
"""How long an idle connection is kept: below the 5 s after which uvicorn, under most model servers, closes it, so that a call seldom meets a closed one."""

CONNECT_S = 15.0
"""For a connection, its TLS included: a server that takes longer is not there."""

LARGE = 1 << 20
"""From here on, bytes of a body, it is sent piece by piece, so that the loop is not held."""


class AiohttpTransport:
    """A Transport for one event loop; the session opens with the first call. `proxy`: URL of an HTTP proxy for all calls."""

    def __init__(self, *, proxy: str | None = None) -> None:
        import aiohttp  # noqa: F401  (read while a run is prepared, not while its first thousand calls wait)

        self._proxy = proxy
        self._session: aiohttp.ClientSession | None = None
        self._urls: dict[str, Any] = {}
        self._timeouts: dict[float, Any] = {}
        self._heads: dict[int, tuple[Mapping[str, str], Any]] = {}

    async def send(self, call: HttpCall) -> HttpReply:
        session = self._session
        if session is None:
            session = self._open()
        url = self._urls.get(call.url) or self._url(call.url)
        timeout = self._timeouts.get(call.timeout_s) or self._timeout(call.timeout_s)
        head = self._heads.get(id(call.headers)) or self._head(call.headers)
        body: Any = call.body if len(call.body) < LARGE else BytesIO(call.body)
        try:
            response = await session.request(call.method, url, data=body or None, headers=head[1], timeout=timeout, allow_redirects=False)
            # Read to its end, a body gives its connection back by itself.
            return HttpReply(response.status, await response.read(), response.headers)
        except Exception as error:
            raise _trouble(error) from error

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _open(self) -> aiohttp.ClientSession:
        import aiohttp

        connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=KEEP_S)
        self._session = aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar(), proxy=self._proxy)
        return self._session

    def _url(self, text: str) -> Any:
        from yarl import URL

        return self._urls.setdefault(text, URL(text))

    def _timeout(self, seconds: float) -> Any:
        import aiohttp

        timeout = aiohttp.ClientTimeout(total=seconds, sock_connect=min(CONNECT_S, seconds))
        if len(self._timeouts) < 16:  # the usual ones; what is left of a limit differs each time
            self._timeouts[seconds] = timeout
        return timeout

    def _head(self, headers: Mapping[str, str]) -> tuple[Mapping[str, str], Any]:
        """The headers in aiohttp's form, made once per mapping (each model has one, which is never changed); kept beside it, so that its id stays its own."""
        from multidict import CIMultiDict

        head = (headers, CIMultiDict(headers))
        if len(self._heads) < 256:
            self._heads[id(headers)] = head
        return head


def _trouble(error: Exception) -> Exception:
    """The TransportError for what aiohttp raised; anything else is a bug and stays as it is."""
    import aiohttp

    text = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return TransportError("connect", "no connection in time")
    if isinstance(error, TimeoutError):
        return TransportError("timeout", "no whole answer in time")
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return TransportError("dns", text)
    if isinstance(error, aiohttp.ClientSSLError):
        return TransportError("tls", text)
    if isinstance(error, aiohttp.ClientConnectorError):
        return TransportError("connect", text)
    if isinstance(error, aiohttp.ClientConnectionError | aiohttp.ClientPayloadError | OSError):
        return TransportError("reset", text)
    return TransportError("protocol", text) if isinstance(error, aiohttp.ClientError) else error
