"""`deltadeck serve`: the app in a browser, on this machine."""

from __future__ import annotations

import argparse
import asyncio
import secrets
import signal
from typing import TYPE_CHECKING

from tui.commands import UsageError
from tui.commands.common import add_place, place_of, whole_number

if TYPE_CHECKING:
    from tui.web.server import DeckServer


def configure_serve(parser: argparse.ArgumentParser) -> None:
    add_place(parser)
    parser.add_argument(
        "--host",
        default="localhost",
        metavar="HOST",
        help="the name or address to answer at (default: %(default)s); another than "
        "this machine's own asks every page for a token",
    )
    parser.add_argument(
        "--port",
        type=whole_number(0, 65535),
        default=8000,
        metavar="PORT",
        help="0 takes a free one (default: %(default)s)",
    )
    parser.add_argument(
        "--token",
        action="store_true",
        help="ask for a token here too, where others use the machine",
    )


def run_serve(args: argparse.Namespace) -> int:
    folder = place_of(args)
    if not folder.is_dir():
        raise UsageError(
            f"{folder} is no folder: `deltadeck init {folder} --starter` makes one of cards."
        )
    try:
        from tui.web.server import DeckServer, is_loopback
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
