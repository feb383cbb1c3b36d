"""The app in a browser, on textual-serve: a process of the app for each open page.

Any web page that a browser shows may send requests to the loopback address, and open websockets
there.  So the host that a request names, and the page that it comes from, must be ours: the first
keeps out names that were made to point here (DNS rebinding), the second pages of other sites.
Elsewhere than on this machine only who has the token may open the page.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import shlex
import signal
import sys
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp_jinja2
from aiohttp import web
from aiohttp.typedefs import Handler
from textual_serve.server import Server, to_int

from tui.screens.base import WIDTH

_COOKIE: Final = "deltadeck"
_FONT_SIZE: Final = 16
_ROOM: Final = 2  # columns beyond the narrowest that the app is drawn for


def serve(folder: Path, host: str, port: int, guarded: bool, ready: Callable[[str], None]) -> None:
    """Serves until Ctrl+C; elsewhere than on this machine, or where `guarded`, with a token.

    Raises OSError where the port cannot be had.
    """
    token = "" if is_loopback(host) and not guarded else secrets.token_urlsafe(24)
    asyncio.run(_serve(DeckServer(folder, host, port, token, ready)))


async def _serve(server: DeckServer) -> None:
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)
    runner = await server.serving()
    await ended.wait()
    await runner.cleanup()


class DeckServer(Server):
    """Serves the app on `folder`.  `ready` is called with the address once it answers.

    `host` is what is bound; `token` is asked for unless it is empty.
    """

    def __init__(
        self, folder: Path, host: str, port: int, token: str, ready: Callable[[str], None]
    ) -> None:
        command = [sys.executable, "-m", "tui.start", str(folder.absolute())]
        super().__init__(
            shlex.join(command),
            host=host,
            port=port,
            title="deltadeck",
            templates_path=Path(__file__).with_name("templates"),
        )
        self._token = token
        self._ready = ready

    def initialize_logging(self) -> None:
        """Faults alone: what the pages do is nobody's business."""
        logging.basicConfig(level=logging.WARNING, format="%(message)s")

    async def on_startup(self, app: web.Application) -> None:
        """Nothing is printed before the port is ours; `serving` says it then."""

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(self._guarded)
        return app

    async def serving(self) -> web.AppRunner:
        """Binds the port and answers; raises OSError where it cannot be had."""
        self.initialize_logging()
        runner = web.AppRunner(await self._make_app(), shutdown_timeout=1)
        await runner.setup()
        site = web.TCPSite(runner, self.host, self.port)
        try:
            await site.start()
        except OSError:
            await runner.cleanup()
            raise
        self.port = self.port or int(runner.addresses[0][1])
        host = f"[{self.host}]" if ":" in self.host else self.host
        asked = f"?token={self._token}" if self._token else ""
        self._ready(f"http://{host}:{self.port}/{asked}")
        return runner

    @aiohttp_jinja2.template("app_index.html")
    async def handle_index(self, request: web.Request) -> dict[str, Any]:
        """The page; its addresses are relative, so that any name of this machine works."""
        size = to_int(request.query.get("fontsize", ""), _FONT_SIZE)
        return {
            "font_size": min(max(size, 6), 72),
            "columns": WIDTH + _ROOM,
            "websocket_path": str(request.app.router["websocket"].url_for()),
            "config": {"static": {"url": "/static/"}},
            "application": {"name": self.title},
        }

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if refusal := self._refusal(request):
            return web.Response(status=403, text=f"{refusal}\n")
        if self._token and request.path == "/" and "token" in request.query:
            # Out of the address bar, the history and the links that others see.
            kept = web.HTTPFound(request.rel_url.without_query_params("token"))
            kept.set_cookie(_COOKIE, self._token, httponly=True, samesite="Strict")
            raise kept
        answer = await handler(request)
        if not answer.prepared:
            _harden(answer, request.host)
        return answer

    def _refusal(self, request: web.Request) -> str:
        """Why a request is not answered, as a sentence; empty where it is."""
        named = urlsplit(f"//{request.host}").hostname or ""
        if is_loopback(self.host) and not is_loopback(named):
            return f"This page answers as localhost only, not as {named!r}."
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != request.host:
            return "Another page asked for this: deltadeck answers its own pages only."
        given = (request.query.get("token", ""), request.cookies.get(_COOKIE, ""))
        wanted = self._token.encode()
        if wanted and not any(secrets.compare_digest(one.encode(), wanted) for one in given):
            return "The token is missing or wrong: open the address that `deltadeck serve` printed."
        return ""


def _harden(answer: web.StreamResponse, host: str) -> None:
    """The page fetches from here alone, and stands in no frame of another.

    `host` is the one asked for, which was found to be ours: not every browser takes 'self' for
    websockets too.
    """
    answer.headers["Content-Security-Policy"] = (
        f"default-src 'self' data:; connect-src 'self' ws://{host} wss://{host}; "
        "frame-ancestors 'none'; "
        "script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'"
    )
    answer.headers["X-Content-Type-Options"] = "nosniff"
    answer.headers["Referrer-Policy"] = "no-referrer"


def is_loopback(host: str) -> bool:
    """Whether a name or an address is this machine's own."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
