"""When the lab asks: at each key, or after a pause; and what it says meanwhile."""

from __future__ import annotations

from collections.abc import Callable

from textual.dom import DOMNode
from textual.timer import Timer

from tui.lab_work import Asked, Found, checked
from tui.newest import NewestOnly

#: A function is run when nothing was typed for so long.
PAUSE_SECONDS = 0.3
#: After so long without an answer of the engine, the screen says that it is still at it.
SLOW_SECONDS = 0.4


class Asking:
    """Asks the helper process about the newest text; `hear` gets its answer, on the UI thread."""

    def __init__(
        self, owner: DOMNode, hear: Callable[[Found], None], slow: Callable[[], None]
    ) -> None:
        self._owner = owner
        self._slow = slow
        self._pause: Timer | None = None
        self._waiting: Timer | None = None
        self._newest: NewestOnly[Asked, Found] = NewestOnly(
            owner, lambda asked: checked(asked, lambda: self._newest.waits), hear
        )

    @property
    def busy(self) -> bool:
        return self._newest.busy

    @property
    def paused(self) -> bool:
        """Whether it waits for a pause of typing."""
        return self._pause is not None

    def now(self, asked: Asked) -> None:
        self._stop()
        self._newest.ask(asked)
        self._waiting = self._owner.set_timer(SLOW_SECONDS, self._say_if_slow)

    def after_pause(self, ask: Callable[[], None]) -> None:
        """Forget what is asked now; call `ask` once nothing was typed for a while."""
        self._stop()
        self._newest.forget()
        self._pause = self._owner.set_timer(PAUSE_SECONDS, ask)

    def _stop(self) -> None:
        for timer in (self._pause, self._waiting):
            if timer is not None:
                timer.stop()
        self._pause = self._waiting = None

    def _say_if_slow(self) -> None:
        if self.busy:
            self._slow()
