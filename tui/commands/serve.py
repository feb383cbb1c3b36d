"""`deltadeck serve`: the app in a browser, on this machine."""

from __future__ import annotations

import argparse
import asyncio
import secrets
import signal
from typing import TYPE_CHECKING

from tui.commands import UsageError
from tui.commands.common import place_of

if TYPE_CHECKING:
    from tui.web import DeckServer


def run_serve(args: argparse.Namespace) -> int:
    folder = place_of(args)
    if not folder.is_dir():
        raise UsageError(
            f"{folder} is not a folder: `deltadeck init {folder} --starter` makes one."
        )
    try:
        from tui.web import DeckServer, is_loopback
    except ImportError as error:
        raise UsageError(
            f"{error.name} is not installed: `pip install 'deltadeck[web]'` brings what "
            "a browser needs."
        ) from error
    token = "" if is_loopback(args.host) and not args.token else secrets.token_urlsafe(24)
    return asyncio.run(_serve(DeckServer(folder, args.host, args.port, token, _say_address)))


def _say_address(address: str) -> None:
    print(f"deltadeck is at {address}\nCtrl+C ends it.", flush=True)


async def _serve(server: DeckServer) -> int:
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)
    try:
        runner = await server.serving()
    except OSError as error:
        raise UsageError(
            f"{server.host}:{server.port} cannot be used: {error.strerror}. "
            "Another --port may be free; --port 0 finds one."
        ) from error
    await ended.wait()
    await runner.cleanup()
    return 0
