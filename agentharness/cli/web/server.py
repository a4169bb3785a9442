"""A small server on the loopback interface for one person's page. A random word in the address is the key; nothing leaves the machine."""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from aiohttp import web
from anyio import to_thread

from agentharness.cli.web.desk import Desk
from agentharness.corpus.assets import Assets
from agentharness.errors import EpisodeError, UserError
from agentharness.types.move import Action

PAGE = Path(__file__).parent / "page"
FILES = {"": ("index.html", "text/html"), "play.css": ("play.css", "text/css"), "play.js": ("play.js", "text/javascript")}
WAIT_S = 20.0
"""At most so long a request for news is held."""
_MOST = 1 << 20
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


class Server:
    """Serves one desk. `title`: what the page calls the task."""

    def __init__(self, desk: Desk, assets: Assets, title: str, about: str) -> None:
        self.desk, self.token, self.port = desk, secrets.token_urlsafe(24), 0
        self._assets, self._title, self._about = assets, title, about
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/{self.token}/"

    async def start(self, port: int) -> None:
        """Listens; port 0 takes a free one. Raises UserError where the port is taken."""
        app = web.Application(client_max_size=_MOST)
        app.router.add_get("/{token}/news", self._guarded(self._news))
        app.router.add_get("/{token}/picture/{name}", self._guarded(self._picture))
        app.router.add_post("/{token}/act", self._guarded(self._act))
        app.router.add_post("/{token}/stop", self._guarded(self._stop))
        app.router.add_get("/{token}/{file:[a-z.]*}", self._guarded(self._file))
        self._runner = web.AppRunner(app, handle_signals=False, access_log=None, shutdown_timeout=0.5)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port)
        try:
            await site.start()
        except OSError as e:
            raise UserError(f"cannot listen on port {port}: {e.strerror}", where="port", hint="leave it out for a free one") from None
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Answers no more."""
        if self._runner is not None:
            await self._runner.cleanup()

    def _guarded(self, handler: Callable[[web.Request], Awaitable[web.Response]]) -> Callable[[web.Request], Awaitable[web.Response]]:
        """Only who knows the token is answered, by the name that the machine has for itself, and never a page of another origin."""

        async def guarded(request: web.Request) -> web.Response:
            own = {f"127.0.0.1:{self.port}", f"localhost:{self.port}"}
            token = hmac.compare_digest(request.match_info["token"].encode(), self.token.encode())
            origin = request.headers.get("Origin", "").removeprefix("http://")
            if not token or request.host not in own or (origin and origin not in own):
                return web.Response(status=404, text="not found", headers=HEADERS)
            response = await handler(request)
            response.headers.update(HEADERS)
            return response

        return guarded

    async def _file(self, request: web.Request) -> web.Response:
        found = FILES.get(request.match_info["file"])
        if found is None:
            return web.Response(status=404, text="not found")
        return web.Response(text=(PAGE / found[0]).read_text(encoding="utf-8"), content_type=found[1], charset="utf-8")

    async def _news(self, request: web.Request) -> web.Response:
        try:
            after, turn = int(request.query.get("after", "0")), int(request.query.get("turn", "-1"))
        except ValueError:
            return web.Response(status=400, text="after and turn are whole numbers")
        news = await self.desk.news(after, turn, WAIT_S)
        return _json({**news, "title": self._title, "about": self._about})

    async def _picture(self, request: web.Request) -> web.Response:
        part = self.desk.pictures.get(request.match_info["name"])
        if part is None:
            return web.Response(status=404, text="no such picture")
        try:
            mime, data = await to_thread.run_sync(self._assets.render, part)
        except EpisodeError as e:
            return web.Response(status=404, text=e.message)
        return web.Response(body=data, content_type=mime)

    async def _act(self, request: web.Request) -> web.Response:
        try:
            said = json.loads(await request.read(), parse_constant=_no_constant)
            turn, name, args = said["turn"], said["name"], said["args"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return web.Response(status=400, text="an action is {turn, name, args}")
        if type(turn) is not int or not isinstance(name, str) or not isinstance(args, dict):
            return web.Response(status=400, text="an action is {turn, name, args}")
        return _json({"taken": self.desk.act(turn, Action(name, args))})

    async def _stop(self, _: web.Request) -> web.Response:
        return _json({"taken": self.desk.act(0, None)})


def _json(value: Any) -> web.Response:
    # The browser's parser is strict: what it cannot read is a text.
    return web.json_response(value, dumps=lambda v: json.dumps(_strict(v), allow_nan=False))


def _strict(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _strict(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(v) for v in value]
    return str(value) if isinstance(value, float) and (value != value or abs(value) == float("inf")) else value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
