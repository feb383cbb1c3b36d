"""Signals that end the app: the terminal is put in order first."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable


def watch_signals(stop: Callable[[int], None]) -> None:
    """Calls `stop` with the number of a SIGTERM or a SIGHUP."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGHUP):
        try:
            loop.add_signal_handler(number, stop, number)
        except (NotImplementedError, RuntimeError, ValueError):
            return  # not on this platform, or not in the main thread
