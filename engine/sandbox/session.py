"""One learner's function in its confined child, as the app sees it."""

from __future__ import annotations

import os
import signal
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Final

from engine.sandbox.fault import Fault, FunctionError
from engine.sandbox.wire import (
    LARGEST_FAULT,
    LENGTH,
    TOO_LARGE,
    Naming,
    printable,
    read_fault,
    request,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.sandbox.pipes import Pipes

_PLAIN: Final = Naming()
_CRASHED: Final = Fault("crash", "It crashed the process that it ran in.")
_ENDINGS: Final[dict[int, Fault]] = {
    signal.SIGXCPU: Fault("time", "It took too long, and was stopped."),
    TOO_LARGE: Fault("memory", "It took more memory than it may have, and was stopped."),
    **dict.fromkeys((signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL), _CRASHED),
}


@dataclass(frozen=True, slots=True)
class _Asked:
    count: int
    """Of the batch's inputs."""
    shapes: tuple[tuple[int, ...], ...]

    @property
    def size(self) -> int:
        """Bytes of the longest answer that makes sense."""
        return 2 + 8 * self.count * max(map(prod, self.shapes))


class Session:
    """Made by `Worker.session`; good for as many batches as its time allows."""

    def __init__(self, pipes: Pipes, end: Callable[[], int | None]) -> None:
        self._pipes = pipes
        self._end = end
        self._asked: deque[_Asked] = deque()
        self._finished = False
        self._status: int | None = None

    def call(
        self,
        arrays: Mapping[str, NDArray[np.float64]],
        scalars: Mapping[str, object],
        shapes: Sequence[tuple[int, ...]],
        given: int | None = None,
        naming: Naming = _PLAIN,
    ) -> tuple[tuple[int, ...], NDArray[np.float64]]:
        """The function's results on a batch: the shape of one of them, and all, (B, *shape).

        arrays: by name, each (B, ...), passed to the parameters of these names, or else the first
            `given` of them (all) in this order
        naming: what of the arrays is a whole number, and their other names
        scalars: set as globals (kernel, stride, ...); lists arrive as tuples
        shapes: those that one result may have
        Raises FunctionError; the session is of no more use then.
        """
        self.ask(arrays, scalars, shapes, given, naming)
        return self.answer()

    def ask(
        self,
        arrays: Mapping[str, NDArray[np.float64]],
        scalars: Mapping[str, object],
        shapes: Sequence[tuple[int, ...]],
        given: int | None = None,
        naming: Naming = _PLAIN,
    ) -> None:
        """Send a batch as `call` does; `answer` waits for its results.  Raises FunctionError."""
        count = len(arrays) if given is None else given
        payload = request(arrays, scalars, shapes, count, naming)
        self._pipes.send(payload)
        asked = _Asked(next(iter(arrays.values())).shape[0], tuple(shapes))
        self._asked.append(asked)
        self._pipes.room += asked.size

    def answer(self) -> tuple[tuple[int, ...], NDArray[np.float64]]:
        """The results on the batch that was asked longest ago.  Raises FunctionError."""
        import numpy as np

        asked = self._asked.popleft()
        head = self._pipes.receive(1)
        if head == b"R":
            which = self._pipes.receive(1)
            if which and which[0] < len(asked.shapes):
                shape = asked.shapes[which[0]]
                data = self._pipes.receive(8 * asked.count * prod(shape))
                if len(data) == 8 * asked.count * prod(shape):
                    self._pipes.room -= asked.size
                    self._pipes.flooded = 0
                    return shape, np.frombuffer(data, np.float64).reshape(asked.count, *shape)
        elif head == b"E":
            length = self._pipes.receive(LENGTH.size)
            if len(length) == LENGTH.size and LENGTH.unpack(length)[0] <= LARGEST_FAULT:
                raise read_fault(self._pipes.receive(LENGTH.unpack(length)[0]))
        self.finish()
        raise FunctionError(self._why())

    @property
    def printed(self) -> str:
        """What the function printed: its first 8 KB, without what a terminal would obey."""
        text = printable(bytes(self._pipes.printed).decode("utf-8", "replace"))
        return text + "\n…" if self._pipes.dropped else text

    def renew(self, seconds: float) -> None:
        """From now on it may take so many seconds of wall-clock time."""
        self._pipes.deadline = time.monotonic() + seconds

    def finish(self) -> None:
        """End the child; what it printed last is gathered."""
        if not self._finished:
            self._finished = True
            self._status = self._end()
            self._pipes.drain()

    def _why(self) -> Fault:
        if self._status is None:
            return Fault("crash", "The process that it ran in is gone.")
        if os.WIFSIGNALED(self._status):
            broken = Fault("answer", "It broke off its answer.")
            return _ENDINGS.get(os.WTERMSIG(self._status), broken)
        return Fault("crash", "It ended the process that it ran in.")
