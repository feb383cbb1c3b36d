"""How large the house is, and how many files four everyday paths pass: `make paths`.

Of each path the files of the product in which a function ran, the first time that it is walked;
what only happens when a module is imported does not count.  `-v` lists them, and the circles of
imports (lazy ones and those for types only count) and the class names that two rooms share.
Nested classes count as others do.
"""

from __future__ import annotations

import ast
import asyncio
import os
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

import grimp

from cards import read_card
from deck import Collection
from engine import check, exercise_for
from tests.deck.exchange.packages import Made, package
from tests.paths import ROOT, SEED
from tests.tui.driving import basic, running, write

_ROOMS: Final = ("cards", "deck", "engine", "tui")
_OWN: Final = tuple(f"{ROOT / room}{os.sep}" for room in _ROOMS)
#: Imports, and what screens do by the clock: they run beside a path.
_NO_PART: Final = ("<module>", "_tick", "watch_folder")
_NOW: Final = datetime(2026, 11, 21, 12, 0).astimezone()


# The house


def house(verbose: bool) -> Iterator[str]:
    """Files, lines, imports in functions; class names that stand twice; circles of imports."""
    for room in (*_ROOMS, "tests"):
        texts = _texts(room)
        inner: set[ast.stmt] = set()
        for text in texts.values():
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    every = ast.walk(node)
                    inner |= {
                        each for each in every if isinstance(each, ast.Import | ast.ImportFrom)
                    }
        lines = sum(text.count("\n") for text in texts.values())
        yield f"{room:8}{len(texts):4} files {lines:7,} lines {len(inner):4} imports in functions"
    within, between = shared_names()
    yield f"{len(within)} class names stand twice in one room"
    yield from (f"    {name}: {', '.join(places)}" for name, places in within.items())
    yield f"{len(between)} class names stand in several rooms"
    yield from (f"    {name}: {', '.join(places)}" for name, places in between.items() if verbose)
    circles = _circles()
    yield f"{len(circles)} circles of imports, of {sum(map(len, circles))} modules"
    yield from (f"    {' '.join(sorted(circle))}" for circle in circles if verbose)


def shared_names() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Class names with their places: those that stand twice in a room, and in several rooms."""
    places: dict[str, list[str]] = {}
    for room in _ROOMS:
        for path, text in _texts(room).items():
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.ClassDef):
                    places.setdefault(node.name, []).append(path)
    within: dict[str, list[str]] = {}
    between: dict[str, list[str]] = {}
    for name, files in places.items():
        rooms = {file.partition("/")[0] for file in files}
        if len(rooms) < len(files):
            within[name] = files
        if len(rooms) > 1:
            between[name] = files
    return within, between


def _texts(room: str) -> dict[str, str]:
    """Of each file its text."""
    paths = sorted((ROOT / room).rglob("*.py"))
    return {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths}


def _circles() -> list[frozenset[str]]:
    """The modules that reach each other."""
    graph = grimp.build_graph(*_ROOMS)
    reached: dict[str, set[str]] = {}
    for module in graph.modules:
        found, waiting = set[str](), [module]
        while waiting:
            new = graph.find_modules_directly_imported_by(waiting.pop()) - found
            found |= new
            waiting += new
        reached[module] = found
    around = {
        frozenset(other for other in others if module in reached[other])
        for module, others in reached.items()
    }
    return sorted(around - {frozenset()}, key=sorted)


# The paths


@dataclass
class Passed:
    """The files and functions that ran."""

    files: Counter[str] = field(default_factory=Counter)
    functions: set[CodeType] = field(default_factory=set)
    changes: int = 0


@contextmanager
def passing(until: object = None) -> Iterator[Passed]:
    """What runs within, in every thread begun meanwhile too, up to the first call of `until`."""
    found, last, ended = Passed(), "", False
    aside: Counter[int] = Counter()  # of each thread, how many of the frames are no part of it

    def seen(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal last, ended
        code, thread = frame.f_code, threading.get_ident()
        ours = code.co_filename.startswith(_OWN)
        if ours and code.co_name in _NO_PART:
            aside[thread] += (event == "call") - (event == "return")
        ended = ended or (event == "c_call" and until is not None and argument is until)
        if event == "call" and ours and not (ended or aside[thread]):
            found.files[str(Path(code.co_filename).relative_to(ROOT))] += 1
            found.functions.add(code)
            found.changes += code.co_filename != last
            last = code.co_filename

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
            await app.rest()
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


def main() -> None:
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
            ("a wrong answer to max pooling to its verdict", _judged("max-pool", _POOLED), 28),
            ("a wrong answer to a card's message", _judged(_SOFTMAX, "p[k] + [k == t]"), None),
        )
    verbose = "-v" in sys.argv
    print(*house(verbose), sep="\n")
    for what, found, asked in paths:
        most = f" (at most {asked})" if asked else ""
        print(
            f"{what}: {len(found.files)} files{most}, {len(found.functions)} functions, "
            f"{found.changes} changes of file"
        )
        for file, count in sorted(found.files.items()) if verbose else ():
            print(f"    {count:6} {file}")


if __name__ == "__main__":
    main()
