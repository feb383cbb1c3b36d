"""A large collection beside Anki: starts, the first card, answers, searches, figures, memory.

`ANKI_PYTHON=/path/to/python python -m tests.bench scale[=CARDS]`: an interpreter of an environment
of its own, into which PyPI's `anki` is installed (it is AGPL: measured, never imported here).
Without it, our figures stand beside what it was measured at once.  10,000 cards by default.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.bench.figures import Figure, environment, printed, tool
from tests.bench.large_session import SEARCHES

#: Answers that are given in a row.
_ANSWERS = 2000
#: Warm starts, of which the median counts.
_STARTS = 5
#: Anki 26.9 at 10,000 and at 100,000 cards, where it is not measured in this run.
_ANKI: dict[str, tuple[float, float]] = {
    "open_ms": (63, 62),
    "first_card_ms": (5.9, 30),
    "answers_per_s": (3104, 2354),
    "search_tag_rare": (2.7, 46),
    "search_tag_course3": (3.6, 50),
    "search_text_jacobian": (3.2, 45),
    "search_text_miss": (3.2, 39),
    "search_prop_r": (1.9, 13),
    "search_is_due": (0.5, 4.4),
    "graphs_ms": (13, 126),
    "peak_rss_mb": (126, 274),
}


def figures(count: int = 10_000) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as home:
        place, env = Path(home), environment(home)
        # In a process of its own: a child inherits the peak memory of who starts it.
        printed([sys.executable, "-m", "tests.bench.large", str(place / "cards"), str(count)])
        cold = _run(place / "cards", "cold", env)
        starts = [_run(place / "cards", "warm", env) for _ in range(_STARTS)]
        anki = _anki(place / "anki.anki2", count)
        look = _run(place / "cards", "look", env)
        study = _run(place / "cards", "study", env)
    first = sorted(start["first_ms"] for start in starts)[_STARTS // 2]
    yield from _starting(f"{count:,} cards", cold, first, anki, 4 if count <= 10_000 else 45)
    yield from _asked(f"{count:,} cards", look, anki)
    yield from _answered(f"{count:,} cards", study, anki)


def _starting(
    size: str, cold: dict[str, float], first: float, anki: Mapping[str, float], limit: float
) -> Iterator[Figure]:
    yield Figure(f"{size}: first start", cold["open_s"], limit, "s")
    yield Figure("  the same in seconds of a processor", cold["cpu_s"], 2 * limit, "s")
    yield Figure(f"{size}: memory at first start", cold["peak_mb"], 400, "MB")
    opened = anki["open_ms"] + anki["first_card_ms"]
    yield Figure(f"{size}: warm open + first card", first, opened, "ms")


def _asked(size: str, look: dict[str, float], anki: Mapping[str, float]) -> Iterator[Figure]:
    for name, text in SEARCHES.items():
        yield Figure(f"{size}: search {text}", look[name], anki[name], "ms")
    yield Figure(f"{size}: all statistics", look["graphs_ms"], anki["graphs_ms"], "ms")
    yield Figure("  the first time", look["first_stats_s"], 0.5, "s")
    yield Figure(f"{size}: reload, nothing changed", look["reload_ms"], 1000, "ms")
    yield Figure(f"{size}: a change to one file seen", look["change_ms"], 1000, "ms")


def _answered(size: str, study: dict[str, float], anki: Mapping[str, float]) -> Iterator[Figure]:
    least = 2 * anki["answers_per_s"]
    yield Figure(f"{size}: answers a second, one by one", study["answers"], least, "/s", False)
    yield Figure(f"{size}: answers a second, from a pipe", study["stream"], least, "/s", False)
    yield Figure("  the bare disk: writes with fsync a second", study["fsyncs"], least, "/s", False)
    yield Figure(f"{size}: memory while studying", study["rss_mb"], anki["peak_rss_mb"] / 2, "MB")


def _run(root: Path, mode: str, env: dict[str, str]) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.bench.large_session", str(root), mode, str(_ANSWERS)]
    found: dict[str, float] = json.loads(printed(command, env))
    return found


def _anki(path: Path, count: int) -> dict[str, float]:
    known = {name: pair[count > 10_000] for name, pair in _ANKI.items()}
    python = os.environ.get("ANKI_PYTHON")
    if not python:
        print("scale: ANKI_PYTHON is not set, so Anki's figures are those of docs/performance.md.")
        return known
    printed([python, str(tool("anki_build.py")), str(count), str(path)])
    told = printed([python, str(tool("anki_bench.py")), str(path), str(_ANSWERS)])
    found: dict[str, Any] = json.loads(told)
    # A search is given with the number of cards that it found.
    return {n: found[n][0] if isinstance(found[n], list) else found[n] for n in known}
