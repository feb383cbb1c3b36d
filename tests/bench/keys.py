"""Keys in a real terminal, each timed until its paint, by the tool beside the design."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any, Self

from tests.bench.figures import megabytes, tool

#: Seconds without output after which the next key is sent.
_QUIET = 0.05


class Keys:
    """A program on a pty."""

    def __init__(self, command: list[str], env: dict[str, str]) -> None:
        more = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        self.terminal = _tool().Terminal(command, 100, 30, {**env, **more})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.terminal.close()

    def until(self, met: Callable[[str], bool], seconds: float = 30) -> float:
        """The moment at which what `met` asks for was read."""
        limit = time.perf_counter() + seconds
        while self.terminal.read(limit - time.perf_counter()) is not None:
            for stamp in self.terminal.replay():
                if met("\n".join(self.terminal.screen.display)):
                    return float(stamp)
        raise AssertionError(self.terminal.text())

    def sees(self, text: str) -> None:
        if text not in self.terminal.text():
            self.until(lambda screen: text in screen)

    def quiet(self, seconds: float = _QUIET) -> None:
        while self.terminal.read(seconds) is not None:
            self.terminal.text()

    def rest(self, seconds: float) -> None:
        """Takes what the program writes for so long; a stopwatch is never quiet."""
        limit = time.perf_counter() + seconds
        while (left := limit - time.perf_counter()) > 0:
            if self.terminal.read(left) is not None:
                self.terminal.text()

    def send(self, key: str) -> None:
        self.terminal.send(key.encode())

    def key(self, key: str, seen: str) -> float:
        """Milliseconds from a key until its text is there."""
        return self.timed(key, lambda screen: seen in screen)

    def timed(self, key: str, met: Callable[[str], bool]) -> float:
        sent = time.perf_counter()
        self.send(key)
        took = (self.until(met) - sent) * 1000
        self.quiet()
        return took

    def changed(self, key: str) -> float:
        """Milliseconds from a key until the screen is another."""
        return self.timed(key, partial(str.__ne__, self.terminal.text()))

    def painted(self, key: str, gap: float = 0.1) -> float:
        """Milliseconds from a key until the terminal gets anything; `gap` seconds behind the last
        output, or behind the last key where there was none."""
        limit = time.perf_counter() + 10 * gap
        while time.perf_counter() < limit and self.terminal.read(gap) is not None:
            self.terminal.text()
        sent = time.perf_counter()
        self.send(key)
        stamp = self.terminal.read(5)
        return ((stamp or time.perf_counter()) - sent) * 1000

    def studying(self, cards: int) -> list[float]:
        """Times of the keys that reveal and rate so many cards."""

        def place(screen: str) -> str:  # the line that names the card
            return screen.split("\n")[0].rpartition("·")[0]

        times = []
        for _ in range(cards):
            before = place(self.terminal.text())
            times.append(self.key(" ", "Again"))
            times.append(self.timed("3", lambda screen: place(screen) != before))  # noqa: B023
        return times

    def resident(self) -> float:
        """Megabytes of the program's own process."""
        return megabytes(self.terminal.pid, "VmRSS")


def _tool() -> Any:
    spec = spec_from_file_location("first_paint", tool("first_paint.py"))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["first_paint"] = module
    spec.loader.exec_module(module)
    return module
