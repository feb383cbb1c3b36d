"""The server of the page, on textual-serve: one process of the app for each page that is open."""

from __future__ import annotations

import logging
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import aiohttp_jinja2
from aiohttp import web
from textual_serve.server import Server, to_int

from tui.screens.too_small import WIDTH
from tui.web.guard import Guard, middleware

_FONT_SIZE: Final = 16
_ROOM: Final = 2  # columns beyond the narrowest that the app is drawn for


class DeckServer(Server):
    """Serves the app on `folder`.  `ready` is called with the address once it answers."""

    def __init__(
        self, folder: Path, host: str, port: int, token: str, ready: Callable[[str], None]
    ) -> None:
        command = [sys.executable, "-m", "tui.web.page_app", str(folder.absolute())]
        super().__init__(
            shlex.join(command),
            host=host,
            port=port,
            title="deltadeck",
            templates_path=Path(__file__).with_name("templates"),
        )
        self._guard = Guard(host, token)
        self._ready = ready

    @property
    def address(self) -> str:
        """What to open in a browser."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        asked = f"?token={self._guard.token}" if self._guard.token else ""
        return f"http://{host}:{self.port}/{asked}"

    def initialize_logging(self) -> None:
        """Faults alone: what the pages do is nobody's business."""
        logging.basicConfig(level=logging.WARNING, format="%(message)s")

    async def on_startup(self, app: web.Application) -> None:
        """Nothing is printed before the port is ours; `serve` says it then."""

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(middleware(self._guard))
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
        if not self.port:
            self.port = int(runner.addresses[0][1])
        self._ready(self.address)
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
