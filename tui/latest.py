"""Work in a thread beside the keys, of which only the newest request counts."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from textual.dom import DOMNode
from textual.worker import get_current_worker

Request = TypeVar("Request")
Result = TypeVar("Result")


def is_mounted(owner: DOMNode) -> bool:
    """Whether what a thread found can still be shown: not while `owner` or the app is leaving.

    The children of a screen that is left go before it does, and its worker is cancelled last.
    """
    return owner.is_running and owner.is_attached and owner.app.return_code is None


class LatestOnly(Generic[Request, Result]):
    """Runs `work` in one worker thread of `owner`, on the newest thing asked.

    While a piece of work runs, later requests replace each other: at most one waits.  `deliver`
    is called on the UI thread, and only with the result of the newest request, so an old result
    never overwrites a newer one.  `ask` returns at once.
    """

    def __init__(
        self, owner: DOMNode, work: Callable[[Request], Result], deliver: Callable[[Result], None]
    ) -> None:
        self._owner = owner
        self._work = work
        self._deliver = deliver
        self._lock = Lock()
        self._waiting: tuple[int, Request] | None = None
        self._newest = 0
        self._running = False

    def ask(self, what: Request) -> None:
        with self._lock:
            self._newest += 1
            self._waiting = (self._newest, what)
            if self._running:
                return
            self._running = True
        self._owner.run_worker(self._drain, thread=True, exit_on_error=True)

    def forget(self) -> None:
        """Drop what waits and whatever is being worked on."""
        with self._lock:
            self._newest += 1
            self._waiting = None

    @property
    def busy(self) -> bool:
        return self._running

    @property
    def waits(self) -> bool:
        """Whether something newer waits behind what is being worked on."""
        return self._waiting is not None

    def _drain(self) -> None:
        while True:
            with self._lock:
                taken, self._waiting = self._waiting, None
                self._running = taken is not None
            if taken is None:
                return
            number, what = taken
            found = self._work(what)
            if get_current_worker().is_cancelled:  # the screen is gone
                return
            self._owner.app.call_from_thread(self._hand_over, number, found)

    def _hand_over(self, number: int, found: Result) -> None:
        if number == self._newest and is_mounted(self._owner):
            self._deliver(found)
