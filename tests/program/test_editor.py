"""The edit screen of the real program: $EDITOR, and a terminal that goes away."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from tests.program.terminal import Terminal, environment
from tests.tui.driving import basic, write

ENTER, F4, SAVE, ESCAPE = "\r", "\x1bOS", "\x13", "\x1b"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "deck"
    folder.mkdir()
    write(folder, "first", basic("first"))
    return folder


def edit(app: Terminal) -> None:
    app.see("Pooling")
    app.press(ENTER)
    app.see("Why?", "Reveal")
    app.press("e")
    app.see("this card can be read")


def kept(home: Path) -> list[str]:
    return [path.read_text() for path in home.glob("data/deltadeck/drafts/*")]


def test_what_the_learners_own_editor_wrote_is_read_again(folder: Path, tmp_path: Path) -> None:
    script = tmp_path / "append.py"
    script.write_text("import sys; open(sys.argv[1], 'a').write('Added outside.\\n')")
    env = environment(tmp_path) | {"EDITOR": f"{sys.executable} {script}", "VISUAL": ""}
    with Terminal(str(folder), env=env) as app:
        edit(app)
        app.press(F4)
        app.see("Added outside.", "not saved")
        app.press(SAVE)
        app.see("Saved first.md")
    assert (folder / "first.md").read_text() == basic("first") + "Added outside.\n"


def test_a_signal_names_the_draft_on_a_clean_terminal(folder: Path, tmp_path: Path) -> None:
    with Terminal(str(folder), env=environment(tmp_path), columns=200) as app:
        edit(app)
        app.press("mine")
        app.see("mine", "not saved")
        app.signal(signal.SIGTERM)
        assert app.wait() == 128 + signal.SIGTERM
        assert app.raw.rindex(b"is kept in") > app.raw.rindex(b"\x1b[?1049l")
        assert b"Traceback" not in app.raw
    assert kept(tmp_path) == ["mine" + basic("first")]


def test_closing_the_window_keeps_the_draft_and_ends_the_program(
    folder: Path, tmp_path: Path
) -> None:
    with Terminal(str(folder), env=environment(tmp_path)) as app:
        edit(app)
        app.press("mine")
        app.see("mine", "not saved")
        app.hang_up()
        assert app.process.wait(timeout=20) > 0
    assert kept(tmp_path) == ["mine" + basic("first")]
