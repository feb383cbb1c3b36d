"""The app on a large warm collection: first paint beside the minimal app's, keys, screens.

`python -m tests.bench.opening [cards]`; 10,000 by default.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from tests.bench.browsing import browsing
from tests.bench.command import DELTADECK
from tests.bench.figures import Figure, median_ms, tool
from tests.bench.keys import Keys
from tests.bench.large import make
from tests.paths import ROOT

#: A word of the panel beside the decks: it is there when the counts are.
_COUNTS = "about"
_ROUNDS = 100


def figures(count: int = 10_000) -> Iterator[Figure]:
    with _warm(count) as (folder, env):
        due = [*DELTADECK, "due", "--json", "--folder", str(folder)]
        limit = 200 if count <= 10_000 else 400
        yield Figure(f"due --json at {count:,}", median_ms(lambda: _run(due, env)), limit, "ms")
        yield from _first_paint(count, folder, env)
        if count <= 10_000:
            yield from _keys(folder, env)


def browsing_figures(count: int = 10_000) -> Iterator[Figure]:
    tool("first_paint.py")
    with _warm(count) as (folder, env), Keys([*DELTADECK, str(folder)], env) as keys:
        keys.sees(_COUNTS)
        keys.quiet(2.0)
        yield from browsing(keys, count, _COUNTS)


@contextmanager
def _warm(count: int) -> Iterator[tuple[Path, dict[str, str]]]:
    """A collection whose index is there, and an environment with a home of its own."""
    # A shell that forbids bytecode would time the compiler.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    rooms = ("cards", "deck", "engine", "tui")
    subprocess.run([sys.executable, "-m", "compileall", "-q", *rooms], cwd=ROOT, check=False)
    with tempfile.TemporaryDirectory() as home:
        folder, env = Path(home) / "deck", environment(home)
        make(folder, count)
        (folder / ".deltadeck" / "config.toml").write_text("reviews_per_day = 9999\n")
        _run([*DELTADECK, "due", "--folder", str(folder)], env)  # builds the index
        yield folder, env


def environment(home: str) -> dict[str, str]:
    names = ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
    return {**os.environ, **dict.fromkeys(names, home), "PYTHONPATH": str(ROOT)}


def _run(command: list[str], env: dict[str, str]) -> None:
    subprocess.run(command, check=True, capture_output=True, env=env)


def _first_paint(count: int, folder: Path, env: dict[str, str]) -> Iterator[Figure]:
    """Ours and the floor by turns, so that both meet the same machine."""
    ours, floors, inks = [], [], []
    for _ in range(3):
        told = _timed(_COUNTS, [*DELTADECK, str(folder)], env)
        floor = _timed("FRONT", [sys.executable, str(tool("minimal_app.py"))], env)
        ours.append(told[f"text:{_COUNTS}"])
        inks.append(told["first_paint"])
        floors.append(floor["text:FRONT"])
    ratio = statistics.median(ours) / statistics.median(floors)
    asked = 1.6 if count <= 10_000 else 1.8
    yield Figure(
        "  the minimal app, until its text is there", statistics.median(floors), 1000, "ms"
    )
    yield Figure(f"home with counts at {count:,} / minimal app", ratio, asked, "x")
    yield Figure("home: until anything is painted", statistics.median(inks), 30, "ms")


def _timed(text: str, command: list[str], env: dict[str, str]) -> dict[str, float]:
    """Medians in ms, by the tool beside the design."""
    timer = [sys.executable, str(tool("first_paint.py")), "--json", "--cells", "3"]
    done = subprocess.run(
        [*timer, "--text", text, "--", *command],
        check=True,
        capture_output=True,
        text=True,
        env=env,
    )
    return {name: each["median"] for name, each in json.loads(done.stdout).items() if each}


def _keys(folder: Path, env: dict[str, str]) -> Iterator[Figure]:
    with Keys([*DELTADECK, str(folder)], env) as keys:
        keys.sees(_COUNTS)
        keys.quiet(2.0)
        for key, seen, back, name in (
            ("b", "Browse", "\x1b", "browse"),
            (",", "Settings", "\x1b", "settings"),
            ("s", "Statistics", "\x1b", "statistics"),
            ("\r", "Reveal", "\x1b", "study"),
        ):
            yield from keys.opening(name, key, seen, back, _COUNTS)
        keys.key("\r", "Reveal")
        keys.quiet(0.5)
        yield from _percentiles("reveal, rate, next card", keys.studying(_ROUNDS), 12, 40)
        keys.send("\x1b")
        keys.quiet(1.0)
        keys.key("\r", "Reveal")
        keys.key("e", "Edit")
        keys.quiet(1.0)
        yield from _percentiles("a letter typed in the editor", keys.typing(_ROUNDS), 12, 50)


def _percentiles(name: str, times: list[float], median: float, p99: float) -> Iterator[Figure]:
    times = sorted(times)
    yield Figure(f"{name}, median", statistics.median(times), median, "ms")
    yield Figure(f"{name}, p99", times[int(0.99 * len(times))], p99, "ms")


if __name__ == "__main__":
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    for figure in chain(figures(size), browsing_figures(size)):
        print(figure, flush=True)
