"""The app in a real terminal: starts, screens, keys, the lab, the browser, and how it grows.

A start is held beside the minimal app's, both measured by turns by the tool beside the design.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bench.figures import DELTADECK, Figure, environment, median_ms, printed, spread, tool
from tests.bench.keys import Keys
from tests.bench.large import make
from tests.paths import ROOT, SEED

#: A word of the panel beside the decks: it is there when the counts are.
_COUNTS = "about"


# Starts


def startup_figures() -> Iterator[Figure]:
    """The commands that print, and the app on the starter deck."""
    with _home() as (folder, env):
        printed([*DELTADECK, "init", str(folder), "--starter"], env)
        for option in ("--version", "--help"):
            took = median_ms(lambda option=option: printed([*DELTADECK, option], env))  # type: ignore[misc]
            yield Figure(f"deltadeck {option}, the whole process", took, 80, "ms")
        app = _first_paint("Decks", [*DELTADECK, str(folder)], env)["text:Decks"]
        floor = _first_paint("FRONT", _minimal(), env)["text:FRONT"]
        yield Figure("home of 12 cards / minimal app, to text", app / floor, 1.6, "x")


def opening_figures(count: int = 10_000) -> Iterator[Figure]:
    """The app on a large collection whose index is there."""
    with _warm(count) as (folder, env):
        due = [*DELTADECK, "due", "--json", "--folder", str(folder)]
        took = median_ms(lambda: printed(due, env))
        yield Figure(f"due --json at {count:,}", took, 200 if count <= 10_000 else 400, "ms")
        yield from _starts(count, folder, env)
        if count <= 10_000:
            with Keys([*DELTADECK, str(folder)], env) as keys:
                yield from _screens(keys)


def _starts(count: int, folder: Path, env: dict[str, str]) -> Iterator[Figure]:
    """Ours and the floor by turns, so that both meet the same machine."""
    ours, floors, inks = [], [], []
    for _ in range(3):
        told = _first_paint(_COUNTS, [*DELTADECK, str(folder)], env)
        ours.append(told[f"text:{_COUNTS}"])
        inks.append(told["first_paint"])
        floors.append(_first_paint("FRONT", _minimal(), env)["text:FRONT"])
    floor = statistics.median(floors)
    asked = 1.6 if count <= 10_000 else 1.8
    yield Figure("  the minimal app, until its text is there", floor, 1000, "ms")
    ratio = statistics.median(ours) / floor
    yield Figure(f"home with counts at {count:,} / minimal app", ratio, asked, "x")
    yield Figure("home: until anything is painted", statistics.median(inks), 30, "ms")


def _minimal() -> list[str]:
    return [sys.executable, str(tool("minimal_app.py"))]


def _first_paint(text: str, command: list[str], env: dict[str, str]) -> dict[str, float]:
    """Medians in ms from exec to `text` on the screen, and to anything."""
    timer = [sys.executable, str(tool("first_paint.py")), "--json", "--cells", "3"]
    told = printed([*timer, "--text", text, "--", *command], env)
    return {name: each["median"] for name, each in json.loads(told).items() if each}


@contextmanager
def _home() -> Iterator[tuple[Path, dict[str, str]]]:
    """A folder for a collection, the environment of its program, and the program compiled."""
    rooms = ("cards", "deck", "engine", "tui")
    subprocess.run([sys.executable, "-m", "compileall", "-q", *rooms], cwd=ROOT, check=False)
    with tempfile.TemporaryDirectory() as home:
        yield Path(home) / "deck", environment(home)


@contextmanager
def _warm(count: int) -> Iterator[tuple[Path, dict[str, str]]]:
    """A collection whose index is there."""
    with _home() as (folder, env):
        make(folder, count)
        (folder / ".deltadeck" / "config.toml").write_text("reviews_per_day = 9999\n")
        printed([*DELTADECK, "due", "--folder", str(folder)], env)  # builds the index
        yield folder, env


# Screens and keys

_OPENINGS = 5
_ROUNDS = 100


def _screens(keys: Keys) -> Iterator[Figure]:
    keys.sees(_COUNTS)
    keys.quiet(2.0)
    for key, seen, name in (
        ("b", "Browse", "browse"),
        (",", "Settings", "settings"),
        ("s", "Statistics", "statistics"),
        ("\r", "Reveal", "study"),
    ):
        times = []
        for _ in range(_OPENINGS):
            times.append(keys.key(key, seen))
            keys.quiet(0.3)
            keys.key("\x1b", _COUNTS)
            keys.quiet(0.3)
        yield from spread(f"opening {name}", times, median=60)
        # The first opening imports the screen: that is what a person waits for, too.
        yield Figure(f"opening {name}, the first time", times[0], 150, "ms")
    keys.key("\r", "Reveal")
    keys.quiet(0.5)
    yield from spread("reveal, rate, next card", keys.studying(_ROUNDS), median=12, p99=40)
    keys.send("\x1b")
    keys.quiet(1.0)
    keys.key("\r", "Reveal")
    keys.key("e", "Edit")
    keys.quiet(1.0)
    letters = [keys.changed("abcdefghij"[number % 10]) for number in range(_ROUNDS)]
    yield from spread("a letter typed in the editor", letters, median=12, p99=50)


# The lab

_RIGHT = "dx[i,j] = sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l if (i,j) in Omega(k,l))"
_OVERLAP = "dx[i,j] = delta[k,l] if x[i,j] == max(window(k,l)) else 0"


def lab_figures() -> Iterator[Figure]:
    """On the seed card, from a key to its character, and from a key to the verdict."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "deck"
        folder.mkdir()
        shutil.copy(SEED, folder)
        with Keys([*DELTADECK, str(folder)], environment(home)) as keys:
            for key, text in (("", "1 "), ("\r", "Consider"), ("c", "verdict appears")):
                keys.send(key)
                keys.sees(text)
                keys.rest(1.0)
            echoes = [took for key in _RIGHT if (took := _echo(keys, key))]
            keys.sees("✓ correct")
            verdicts = _verdicts(keys, ")", "✓ correct")
            for written in ("\x7f" * len(_RIGHT), _OVERLAP):
                keys.send(written)
                keys.rest(1.0)
            slower = _verdicts(keys, "0", "share an input")
    yield from spread("lab: a key's character", echoes, median=12, p99=50)
    yield from spread("lab: verdict after a key", verdicts, median=50, p99=150)
    yield from spread("lab: verdict that needs a search", slower, median=150)


def _echo(keys: Keys, key: str) -> float | None:
    """Milliseconds from a key to its character; a blank changes nothing to be seen."""
    if key != " ":
        return keys.changed(key)
    keys.send(" ")
    keys.quiet()
    return None


def _verdicts(keys: Keys, key: str, said: str) -> list[float]:
    """Milliseconds from the last key of an answer to its verdict, again and again."""
    found = []
    for _ in range(40):
        keys.timed("\x7f", lambda now: said not in now)
        found.append(keys.key(key, said))
    return found


# The browser

_SCROLLING = {
    "a row": ("j",),
    "a page": ("\x1b[6~",),
    "first and last": ("G", "g"),
    "the wheel": ("\x1b[<65;20;15M",),
}
#: Seconds between the letters of somebody who types fast.
_TYPED = 0.08
_SEARCHES = ("softmax", "tag:rare", "is:due", '"chain rule"', "course3 kernel", "r<0.8")


def browsing_figures(count: int = 10_000) -> Iterator[Figure]:
    """Each key timed until its paint."""
    tool("first_paint.py")
    with _warm(count) as (folder, env), Keys([*DELTADECK, str(folder)], env) as keys:
        keys.sees(_COUNTS)
        keys.quiet(2.0)
        keys.key("b", "Browse")
        keys.sees(f"{count} items")
        keys.quiet(1.0)
        times = []
        for name, given in _SCROLLING.items():
            took = [keys.painted(given[number % len(given)]) for number in range(60)]
            yield from spread(f"browse {count:,}: {name}", took, median=20)
            times += took
        yield from spread(f"browse {count:,}: scrolling", times, p99=40)
        keys.send("/")
        keys.quiet(0.3)
        letters = [key for search in _SEARCHES for key in (*search, *["\x7f"] * len(search))]
        times = [keys.painted(key, _TYPED) for key in letters]
        yield from spread(f"browse {count:,}: a letter of a search", times, median=20, p99=40)


#: Bulk changes: key, what is written into the line that it opens, and what is said at the end.
_BULK = {
    "suspend": ("s", "", "items suspended"),
    "unsuspend": ("s", "", "items unsuspended"),
    "reset": ("R", "", "items new again"),
    "undo of the reset": ("u", "", "items new again"),
    "tag": ("t", "exam -rare", "cards tagged"),
    "undo of the tags": ("u", "", "cards tagged"),
    "move": ("m", "elsewhere", "cards moved"),
    "undo of the move": ("u", "", "cards moved"),
}


def bulk_figures(count: int = 10_000) -> Iterator[Figure]:
    """Changes of a tenth of the cards, from the key until it is said that they are done."""
    tool("first_paint.py")
    with _warm(count) as (folder, env), Keys([*DELTADECK, str(folder)], env) as keys:
        keys.sees(_COUNTS)
        keys.quiet(2.0)
        keys.key("b", "Browse")
        _written(keys, "/", "course:course3")
        chosen = count // 10
        keys.key("\r", f"{chosen} items")
        keys.quiet(1.0)
        keys.key("*", "marked")
        for name, (key, text, said) in _BULK.items():
            keys.rest(7.0)  # what was said of the last one is gone
            if text:
                _written(keys, key, text)
            took = keys.key("\r" if text else key, said)
            yield Figure(f"a bulk change in browse, a card: {name}", took / chosen, 1, "ms")


def _written(keys: Keys, key: str, text: str) -> None:
    """Opens a line with a key and writes into it."""
    keys.send(key)
    keys.quiet(0.3)
    keys.send(text)
    keys.quiet(0.3)


# Memory

#: Cards that fill what is kept of the last ones, before the counting begins.
_BEFORE = 100
#: Paints all of the screen anew, before and after: what that takes is no growth.
_F12 = "\x1b[24~"
#: Seconds without output after which a key is done.
_QUIET = 0.015


def memory_figures(cards: int = 2000) -> Iterator[Figure]:
    """How much the program grows while so many cards are studied in one run.

    Ahead of time, since no study day brings as many.
    """
    tool("first_paint.py")
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "deck"
        make(folder, cards + 400)
        words = ["study", "--ahead", "365", "--limit", str(_BEFORE + cards + 50), str(folder)]
        with Keys([*DELTADECK, *words], environment(home)) as keys:
            keys.sees("Reveal")
            keys.rest(3.0)
            _study(keys, _BEFORE)
            keys.key(_F12, f"{_BEFORE + 1} of")
            start = keys.resident()
            _study(keys, cards)
            keys.key(_F12, f"{_BEFORE + cards + 1} of")
            grown = keys.resident() - start
    yield Figure(f"memory grown over {cards:,} cards", grown, 10, "MB")


def _study(keys: Keys, cards: int) -> None:
    """Reveals and rates; nobody looks at the screen meanwhile."""
    for number in range(2 * cards):
        keys.send("3" if number % 2 else " ")
        keys.terminal.read(2)
        while keys.terminal.read(_QUIET) is not None:
            pass
        keys.terminal.pending.clear()
    keys.quiet(0.5)
