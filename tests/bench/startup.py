"""Start-up: the app beside the least a Textual app can be, and the printing commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.command import DELTADECK
from tests.bench.figures import Figure, median_ms, tool
from tests.paths import ROOT


def figures() -> Iterator[Figure]:
    # A shell that forbids bytecode would time the compiler.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run(
        [sys.executable, "-m", "compileall", "-q", "cards", "deck", "engine", "tui"],
        cwd=ROOT,
        check=False,
    )
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "deck"
        _deltadeck("init", str(folder), "--starter")
        yield Figure(
            "deltadeck --version, the whole process",
            median_ms(lambda: _deltadeck("--version")),
            80,
            "ms",
        )
        yield Figure(
            "deltadeck --help, the whole process", median_ms(lambda: _deltadeck("--help")), 80, "ms"
        )
        app = _first_paint("Decks", *DELTADECK, str(folder))
        floor = _first_paint("FRONT", sys.executable, str(tool("minimal_app.py")))
        yield Figure("home of 12 cards / minimal app, to text", app / floor, 1.6, "x")


def _deltadeck(*arguments: str) -> None:
    subprocess.run([*DELTADECK, *arguments], check=True, capture_output=True, cwd=ROOT)


def _first_paint(text: str, *command: str) -> float:
    """Median ms from exec to `text` on the screen, by the tool beside the design."""
    timer = [
        sys.executable,
        str(tool("first_paint.py")),
        "--json",
        "--text",
        text,
        "--",
        *command,
    ]
    done = subprocess.run(timer, check=True, capture_output=True, text=True, cwd=ROOT)
    return float(json.loads(done.stdout)[f"text:{text}"]["median"])
