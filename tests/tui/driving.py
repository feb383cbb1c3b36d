"""Driving the app in a test: a folder of cards, a clock that stands still, and waiting."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from rich.style import Style
from textual.pilot import Pilot
from textual.worker import WorkerCancelled

from tests.tui.quiet import quiet, waiting
from tui.app import DeltadeckApp

RIGHT = "dx[i,j] = sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l if (i,j) in Omega(k,l))"
WRONG = "sum(delta[k,l] for k,l if (i,j) in Omega(k,l))"
UNREADABLE = "sum(detla[k,l]*[(i,j)==argmax(k,l)] for k,l)"

BASIC = """---
id: {id}
course: Pooling
difficulty: 1
type: basic
---

# Question
{question}

---
# Solution
{solution}
"""

CHOICE = """---
id: {id}
course: Choices
type: multiple_choice
---

# Question
Which slope has the maximum?

## Options
A) $0$
B) one
C) two
D) N/A

---
# Solution
**Correct Answer:** B
"""


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.time = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time

    def move(self, **span: float) -> None:
        self.time += timedelta(**span)


def basic(card_id: str, question: str = "Why?", solution: str = "Because.") -> str:
    return BASIC.format(id=card_id, question=question, solution=solution)


def write(folder: Path, card_id: str, text: str) -> Path:
    path = folder / f"{card_id}.md"
    path.write_text(text, encoding="utf-8")
    return path


class Driver:
    """A running app."""

    def __init__(self, app: DeltadeckApp, pilot: Pilot[int], clock: Clock) -> None:
        self.app = app
        self.pilot = pilot
        self.clock = clock

    async def settle(self) -> None:
        """Until nothing is left to do, of threads as well."""
        await quiet()
        while busy := [worker for worker in self.app.workers if not worker.is_finished]:
            for worker in busy:
                with suppress(WorkerCancelled):
                    await worker.wait()
            await quiet()

    async def sees(self, text: str) -> bool:
        """Whether the text is there once all that was asked for is done."""
        await self.rest()
        return text in self.shown()

    async def rest(self) -> None:
        """Until also what waits for a rest of the keys is done."""
        await self.settle()
        while waited := list(waiting(self.app.screen)):
            await asyncio.wait(waited)
            await self.settle()

    async def turn(self) -> None:
        """Until all widgets have dealt with what waits for them now; what follows may come."""
        await self.pilot._wait_for_screen()

    async def press(self, *keys: str) -> None:
        """One after the other; of the keys of a burst, threads have not seen each."""
        for key in keys:
            await self.app._press_keys([key])
            await self.settle()

    async def do(self, keys: str, *seen: str, gone: tuple[str, ...] = (), on: str = "") -> None:
        """Press the keys; then the texts are on the screen or were said, those of `gone` are not
        on the screen, and that is called `on`.

        "slash =is:new␣max enter": behind = stand letters that are typed, ␣ for a blank.
        """
        await self.press(*(key for each in keys.split() for key in _keys_of(each)))
        shown = _flat(self.shown())
        missing = [each for each in seen if _flat(each) not in f"{shown}\n{self.said()}"]
        there = [each for each in gone if _flat(each) in shown]
        assert not missing, f"{missing} after {keys}:\n{self.shown()}\n{self.said()}"
        assert not there, f"{there} after {keys}:\n{self.shown()}"
        assert on in ("", self.screen), f"{self.screen} after {keys}"

    async def home(self) -> None:
        """Back to the decks at once, the cursor on the first, whatever is open or was said."""
        while len(self.app.screen_stack) > 2:
            await self.app.pop_screen()
        self.app.clear_notifications()
        await self.press("home")

    @property
    def screen(self) -> str:
        return type(self.app.screen).__name__

    def shown(self) -> str:
        """The characters of the terminal, line by line."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text for strip in strips)

    def pieces(self) -> list[list[tuple[str, Style]]]:
        """What is drawn in one style each, line by line."""
        strips = self.app.screen._compositor.render_strips()
        return [[(part.text, part.style or Style()) for part in strip] for strip in strips]

    async def picture(self) -> str:
        """The screen as SVG, once all that was asked for is done."""
        await self.rest()
        return self.app.export_screenshot()

    def said(self) -> list[str]:
        """What notifications say."""
        return [note.message for note in self.app._notifications]


def _keys_of(written: str) -> list[str]:
    if not written.startswith("=") or written == "=":
        return [written]
    return ["space" if letter == "␣" else letter for letter in written[1:]]


def _flat(text: str) -> str:
    """Without the edges of boxes, and however its lines are broken."""
    return " ".join(text.replace("│", " ").split())


@asynccontextmanager
async def running(
    folder: Path, size: tuple[int, int] = (100, 30), clock: Clock | None = None
) -> AsyncIterator[Driver]:
    clock = clock or Clock()
    app = DeltadeckApp(folder, clock=clock)
    async with app.run_test(size=size) as pilot:
        driver = Driver(app, pilot, clock)
        await driver.settle()  # the collection is opened behind the first paint
        yield driver


def journal(folder: Path, kind: str) -> list[dict[str, Any]]:
    """The events of a kind that are on the disk."""
    lines = [
        json.loads(line)
        for file in sorted(folder.glob(".deltadeck/journal/*/*.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    return [line for line in lines if line["kind"] == kind]
