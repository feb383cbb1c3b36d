"""The real program beside other programs: it sees their changes, and keeps a backup."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT, SEED
from tests.program.terminal import Terminal, environment

ENTER, ESCAPE = "\r", "\x1b"


def write(folder: Path, name: str) -> None:
    text = SEED.read_text().replace("id: ssu_batch4_004", f"id: {name}")
    (folder / f"{name}.md").write_text(text)


def test_changes_are_seen_while_it_runs_and_the_next_start_begins_with_the_last_state(
    folder: Path, tmp_path: Path
) -> None:
    env = environment(tmp_path)
    with Terminal(str(folder), env=env) as app:
        app.see("1 card, about")
        write(folder, "second")
        app.see("2 cards, about")
        subprocess.run(
            [sys.executable, "-m", "tui", "suspend", "second", "-C", str(folder)],
            cwd=ROOT, env=env, check=True, capture_output=True,
        )  # fmt: skip
        app.see("1 card, about")
        app.press(ENTER)
        app.see("ssu_batch4_004", "Max Pooling layer")
        card = folder / SEED.name
        card.write_text(card.read_text().replace("Max Pooling layer", "Largest Pooling layer"))
        app.see("Largest Pooling layer")
        app.press(ESCAPE)
        app.see("1 card, about")
        app.press("q")
        assert app.wait() == 0
    (folder / "second.md").unlink()
    with Terminal(str(folder), env=env) as app:
        app.see("1 card, about")
        app.press(ENTER)  # what home shows at once is not yet the collection
        app.see("Largest Pooling layer")
        app.press("q")
        app.see("1 card, about")
        app.press("q")
        assert app.wait() == 0
        assert b"Traceback" not in app.raw
    assert list(tmp_path.glob("data/deltadeck/backups/*/*.zip"))


@pytest.mark.parametrize(
    ("options", "seen"),
    [(["--cram"], "cram · 1 of 1"), (["--search", "tag:cnn", "--minutes", "5"], "5 m left")],
)
def test_a_session_of_its_own_kind_opens_at_once(
    folder: Path, tmp_path: Path, options: list[str], seen: str
) -> None:
    with Terminal("study", str(folder), *options, env=environment(tmp_path), columns=100) as app:
        app.see("Max Pooling layer", seen)
        app.press(ESCAPE)
        app.see("1 card, about")
