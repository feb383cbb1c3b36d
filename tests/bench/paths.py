"""How many files four everyday paths pass: `make paths`.

Of each path the files of the product in which a function ran, the first time that it is walked;
what only happens when a module is imported does not count.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from types import FrameType
from typing import Any, Final

from cards import read_card
from deck import Collection
from engine import check, exercise_for
from tests.deck.exchange.packages import Made, package
from tests.paths import ROOT, SEED
from tests.tui.driving import basic, running, write

_OWN: Final = tuple(f"{ROOT / room}{os.sep}" for room in ("cards", "deck", "engine", "tui"))
_NOW: Final = datetime(2026, 11, 21, 12, 0).astimezone()


class Passed:
    """The files and functions that ran, until `until` is called."""

    def __init__(self) -> None:
        self.files: dict[str, int] = {}
        self.functions: set[object] = set()
        self.changes = 0
        self.ended = False
        self._last = ""

    def note(self, frame: FrameType, event: str, until: object) -> None:
        if self.ended:
            return
        if event == "c_call":
            self.ended = until is not None
            return
        name = frame.f_code.co_filename
        if name.startswith(_OWN) and frame.f_code.co_flags & inspect.CO_OPTIMIZED:  # a function
            short = str(Path(name).relative_to(ROOT))
            self.files[short] = self.files.get(short, 0) + 1
            self.functions.add(frame.f_code)
            self.changes += short != self._last
            self._last = short


@contextmanager
def passing(until: object = None) -> Iterator[Passed]:
    """What runs within, in every thread begun meanwhile too, up to the first call of `until`."""
    found = Passed()

    def seen(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" or (event == "c_call" and until is not None and argument is until):
            found.note(frame, event, until)

    threading.setprofile(seen)
    sys.setprofile(seen)
    try:
        yield found
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def _rated(folder: Path) -> Passed:
    async def key() -> Passed:
        for number in range(4):
            write(folder, f"card{number}", basic(f"card{number}"))
        async with running(folder) as app:
            await app.press("enter")
            await app.press("space", "3", "space")  # the first answer also names the device
            with passing(until=os.fsync) as found:
                await app.press("3")
        return found

    return asyncio.run(key())


def _painted(folder: Path) -> Passed:
    from tui.page.page import PLAIN, pages_of
    from tui.widgets.card_page import CardPage

    async def page() -> Passed:
        write(folder, "card", basic("card"))
        async with running(folder) as app:
            await app.press("enter")
            await app.settle()
            for timer in (each for screen in app.app.screen_stack for each in screen._timers):
                timer.pause()  # clocks and watches are no part of the page
            with passing() as found:
                card = read_card(SEED)
                shown = pages_of(card, card.question, card.solution, PLAIN)
                app.app.screen.query_one(CardPage).show_pages(shown)
                await app.pilot.pause()
                app.shown()
        return found

    return asyncio.run(page())


def _imported(folder: Path) -> Passed:
    from deck.exchange.plan import Plan, take
    from deck.exchange.readers import reader_of

    made = package(folder / "a.apkg", [Made("note", ["Why?", "<b>So</b> \\(x\\)."])])
    deck = Collection.init(folder / "deck", _NOW)
    with passing() as found:
        take(Plan(reader_of(made).load().read(made), deck, _NOW))
    deck.close()
    return found


def _judged(exercise: object, answer: str) -> Passed:
    asked = exercise_for(exercise, (), "derivation")
    assert asked is not None
    with passing() as found:
        check(answer, asked)
    return found


_SOFTMAX: Final = {
    "given": "p[k] = exp(z[k]) / sum(exp(z[m]) for m)\nL = -log(p[t])",
    "find": "dL/dz[k]",
}
_POOLED: Final = "sum(2 * delta[k,l] * [(i,j) == argmax(k,l)] for k,l)"


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ |= {
            f"XDG_{what}_HOME": str(folder / what) for what in ("DATA", "CACHE", "CONFIG")
        }
        places = [folder / str(number) for number in range(3)]
        for place in places:
            place.mkdir()
        paths = (
            ("the key `3` to the fsync of its line", _rated(places[0]), 12),
            ("a card's file to its painted page", _painted(places[1]), 30),
            ("a note of Anki to a card", _imported(places[2]), 22),
            ("a wrong answer to max pooling to its verdict", _judged("max-pool", _POOLED), None),
            ("a wrong answer to a card's message", _judged(_SOFTMAX, "p[k] + [k == t]"), None),
        )
    for what, found, asked in paths:
        most = f" (at most {asked})" if asked else ""
        print(
            f"{what}: {len(found.files)} files{most}, {len(found.functions)} functions, "
            f"{found.changes} changes of file"
        )
        if "-v" in sys.argv:
            print(
                *(f"    {count:6} {file}" for file, count in sorted(found.files.items())), sep="\n"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
