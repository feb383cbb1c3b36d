"""A large collection beside Anki: first start, warm start, the first card, a change, answers.

`ANKI_PYTHON=/path/to/python python -m tests.bench.scale [cards]`: an interpreter of an environment
of its own, into which PyPI's `anki` is installed (it is AGPL: measured, never imported here).
Without it, our figures stand alone.  10,000 cards by default.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.figures import Figure
from tests.bench.large import make
from tests.paths import ROOT, SHARED

#: Answers that are given in a row.
_ANSWERS = 2000


def figures(count: int = 10_000) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as home:
        place, env = Path(home), os.environ | {"XDG_CACHE_HOME": home, "XDG_DATA_HOME": home}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        make(place / "cards", count)
        cold, warm = (_run(place / "cards", mode, env) for mode in ("cold", "warm"))
        anki = _anki(place / "anki.anki2", count)
        size = f"{count:,} cards"
        limit = 4 if count <= 10_000 else 45
        yield Figure(f"{size}: first start", cold["open_s"], limit, "s")
        yield Figure("  the same in seconds of a processor", cold["cpu_s"], 2 * limit, "s")
        yield Figure(f"{size}: memory at first start", cold["peak_mb"], 400, "MB")
        yield Figure(f"{size}: reload, nothing changed", warm["reload_ms"], 1000, "ms")
        yield Figure(f"{size}: a change to one file seen", warm["change_ms"], 1000, "ms")
        opened = anki.get("open_ms", 62) + anki.get("first_card_ms", 30)
        yield Figure(f"{size}: warm open + first card", warm["first_ms"], opened, "ms")
        least = 2 * anki.get("answers_per_s", 2354)
        yield Figure(f"{size}: answers a second", warm["answers"], least, "/s", at_most=False)
        yield Figure(f"{size}: answers a second from a pipe", warm["stream"], least, "/s", False)
        bare = warm["fsyncs"]
        yield Figure(
            "  the bare disk: writes with fsync a second", bare, least, "/s", at_most=False
        )
        peak = anki.get("peak_rss_mb", 274) / 2
        yield Figure(f"{size}: memory while studying", warm["rss_mb"], peak, "MB")


def _run(root: Path, mode: str, env: dict[str, str]) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.bench.large_session", str(root), mode, str(_ANSWERS)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT, env=env)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _anki(path: Path, count: int) -> dict[str, float]:
    python = os.environ.get("ANKI_PYTHON")
    if not python:
        return {}
    bench = SHARED / "bench"
    subprocess.run(
        [python, str(bench / "anki_build.py"), str(count), str(path)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    command = [python, str(bench / "anki_bench.py"), str(path), str(_ANSWERS)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    for figure in figures(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000):
        print(figure, flush=True)
