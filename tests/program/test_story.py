"""The whole story, in the real program: read, derive, check, reveal, rate, crash, restart."""

from __future__ import annotations

import json
import signal
from pathlib import Path

from tests.paths import SEED
from tests.program.terminal import Terminal, environment

RIGHT = "dx[i,j] = sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l if (i,j) in Omega(k,l))"
ENTER, ESCAPE = "\r", "\x1b"


def reviews(folder: Path) -> list[dict[str, object]]:
    lines = [
        json.loads(line)
        for file in folder.glob(".deltadeck/journal/*/*.jsonl")
        for line in file.read_text().splitlines()
    ]
    return [line for line in lines if line["kind"] == "review"]


def test_a_derivation_is_checked_rated_and_still_scheduled_after_a_kill(
    folder: Path, tmp_path: Path
) -> None:
    env = environment(tmp_path)
    before = SEED.read_text()
    with Terminal(str(folder), env=env) as app:
        app.see("Statistical Machine Learning", "new")
        app.press(ENTER)
        app.see("ssu_batch4_004", "Max Pooling layer")
        app.press("c")
        app.see("Lab")
        app.press("sum(delta[k,l] for k,l if (i,j) in Omega(k,l))")
        app.see("wrong", "expected")
        # To the line's start, then cut to its end.  Textual runs a binding after the letters that
        # came in the same read, so the test waits for each as a hand at a keyboard would.
        app.press("\x01\x0b")
        app.see("the verdict appears here")
        app.press(RIGHT)
        app.see("✓")
        app.press(ESCAPE)
        app.until(lambda s: "Lab" not in s and "ssu_batch4_004" in s, "back on the card")
        app.press(" ")
        app.see("Again", "Hard", "Good", "Easy")
        app.press("4")
        app.until(lambda _: len(reviews(folder)) == 1, "journalled")
        app.signal(signal.SIGKILL)

    [review] = reviews(folder)
    assert review["item"] == "ssu_batch4_004"
    assert review["rating"] == 4

    with Terminal(str(folder), env=env) as app:
        app.see("Statistical Machine Learning")
        app.press("q")
        assert app.wait() == 0
    after = (folder / SEED.name).read_text()
    changed = [
        (old, new)
        for old, new in zip(before.splitlines(), after.splitlines(), strict=True)
        if old != new
    ]
    assert changed == [("status: to_learn", "status: reviewing")]


def test_a_terminal_that_is_closed_leaves_no_process_behind(folder: Path, tmp_path: Path) -> None:
    # The kernel sends both: the first ends the program, and the second must not start it anew.
    with Terminal(str(folder), env=environment(tmp_path)) as app:
        app.see("Statistical Machine Learning")
        app.hang_up()
        app.signal(signal.SIGHUP)
        app.signal(signal.SIGCONT)
        assert app.process.wait(timeout=30) == 128 + signal.SIGHUP
