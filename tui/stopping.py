"""Signals that end the app, or stop it for a while: the terminal is put in order first."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from types import FrameType


def watch_signals(stop: Callable[[int], None]) -> None:
    """Calls `stop` with the number of a SIGTERM or a SIGHUP."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGHUP):
        try:
            loop.add_signal_handler(number, stop, number)
        except (NotImplementedError, RuntimeError, ValueError):
            return  # not on this platform, or not in the main thread
    _resume_only_what_stopped()


def _resume_only_what_stopped() -> None:
    """Let SIGCONT take the terminal again only after SIGTSTP gave it up.

    The kernel sends SIGCONT behind the SIGHUP of a terminal that is closed, and anyone may send
    one: the toolkit would start a second reader and writer, which nothing ends, and the program
    would stay behind without a terminal.
    """
    stops, goes_on = signal.getsignal(signal.SIGTSTP), signal.getsignal(signal.SIGCONT)
    if not callable(stops) or not callable(goes_on):
        return  # a driver without a terminal
    stopped = False

    def on_stop(number: int, frame: FrameType | None) -> None:
        nonlocal stopped
        stopped = True
        stops(number, frame)

    def on_going_on(number: int, frame: FrameType | None) -> None:
        nonlocal stopped
        if stopped:
            stopped = False
            goes_on(number, frame)

    signal.signal(signal.SIGTSTP, on_stop)
    signal.signal(signal.SIGCONT, on_going_on)
