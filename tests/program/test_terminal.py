"""The program in its terminal: resized, stopped by a signal or a fault, copied from."""

from __future__ import annotations

import base64
import os
import signal
import sys
from pathlib import Path

import pytest

from tests.paths import SEED
from tests.program.terminal import Terminal, environment
from tests.tui.driving import basic, write

ENTER, ESCAPE, F3, COPY, PASTE = "\r", "\x1b", "\x1bOR", "\x03", "\x16"
#: Keys from home, and what is there then at every size.
SCREENS = {
    "study": (ENTER, "Pooling layer"),
    "lab": (ENTER + "c", "the verdict appears here"),
    "browse": ("b", "1 item"),
}
SIZES = [(40, 120), (20, 60), (24, 80)]


def open_on(app: Terminal, screen: str) -> str:
    """Go there from home, key by key, as a hand does; what is seen there."""
    keys, seen = SCREENS[screen]
    app.see("1 card, about")
    for key in keys:
        app.press(key)
        app.see("Pooling layer" if key == ENTER else seen)
    return seen


@pytest.mark.parametrize("screen", SCREENS)
def test_every_size_is_filled_and_one_too_small_is_survived(
    folder: Path, tmp_path: Path, screen: str
) -> None:
    with Terminal(str(folder), env=environment(tmp_path)) as app:
        seen = open_on(app, screen)

        def fills(text: str) -> bool:
            return seen in text and "Back" in text.splitlines()[-1]

        for rows, columns in SIZES:
            app.resize(rows, columns)
            app.until(fills, f"filled {columns} by {rows}")
            app.resize(12, 50)
            app.see("deltadeck needs 60 by 20")
        app.resize(24, 80)
        app.until(fills, "came back")
        number = signal.SIGHUP if screen == "browse" else signal.SIGTERM
        app.signal(number)
        assert app.wait() == 128 + number
        assert_clean(app)


def assert_clean(app: Terminal) -> None:
    """The terminal is as it was: its own screen, cursor, keys, mouse and lines."""
    for mode in ("1049", "1000", "1003", "1006", "2004", "1004"):
        on, off = f"\x1b[?{mode}h".encode(), f"\x1b[?{mode}l".encode()
        assert app.raw.rfind(off) > app.raw.rfind(on), mode
    assert app.raw.rfind(b"\x1b[?25h") > app.raw.rfind(b"\x1b[?25l")
    assert app.raw.rfind(b"\x1b[<u") > app.raw.rfind(b"\x1b[>")
    assert app.raw.rfind(b"\x1b[?7h") > app.raw.rfind(b"\x1b[?7l")
    assert b"Traceback" not in app.raw


def faulty(home: Path) -> dict[str, str]:
    """An environment in which the form of a new card cannot be loaded: a fault of the program."""
    broken = home / "broken"
    broken.mkdir()
    (broken / "sitecustomize.py").write_text(
        "import sys\nsys.modules['tui.screens.forms'] = None\n"
    )
    paths = [str(broken), *filter(None, [os.environ.get("PYTHONPATH", "")])]
    return environment(home) | {
        "PYTHONPATH": os.pathsep.join(paths),
        "XDG_STATE_HOME": str(home / "state"),
    }


def test_a_fault_leaves_a_clean_terminal_a_report_and_the_text_that_was_being_written(
    folder: Path, tmp_path: Path
) -> None:
    with Terminal(str(folder), env=faulty(tmp_path), columns=200) as app:
        open_on(app, "study")
        app.press("e")
        app.see("this card can be read")
        app.press("mine")
        app.see("mine---")
        app.press(F3)
        assert app.wait() == 1
        assert_clean(app)
        left = app.raw[app.raw.rindex(b"\x1b[?1049l") :].decode()
        assert "deltadeck stopped because of a fault of its own; your reviews are safe." in left
        assert "is kept in" in left
    [report] = tmp_path.glob("state/deltadeck/**/crash.log")
    assert str(report) in " ".join(left.split())
    assert "tui.screens.forms" in report.read_text()
    [draft] = tmp_path.glob("data/deltadeck/drafts/*")
    assert draft.read_text() == "mine" + SEED.read_text()
    assert (folder / SEED.name).read_text() == SEED.read_text()


def test_a_fault_loses_no_review(folder: Path, tmp_path: Path) -> None:
    with Terminal(str(folder), env=faulty(tmp_path)) as app:
        open_on(app, "study")
        app.press(" ")
        app.see("1 Again")
        app.press("4")
        app.see("Nothing is due here now")
        app.press("a")
        assert app.wait() == 1
    with Terminal(str(folder), env=environment(tmp_path)) as app:
        app.see("Decks")
        app.until(lambda text: "1 card, about" not in text, "knew that it was answered")
        app.press("q")
        assert app.wait() == 0


def test_ctrl_c_leaves_and_asks_where_something_would_be_lost(folder: Path, tmp_path: Path) -> None:
    with Terminal(str(folder), env=environment(tmp_path)) as app:
        open_on(app, "study")
        app.press("e")
        app.see("this card can be read")
        app.press("mine")
        app.see("mine---")
        app.press(COPY)
        app.see("changes that are not saved")
        app.press("l")
        assert app.wait() == 0
        assert_clean(app)
    assert (folder / SEED.name).read_text() == SEED.read_text()
    with Terminal(str(folder), env=environment(tmp_path)) as app:
        app.see("1 card, about")
        app.press(COPY)
        assert app.wait() == 0
        assert_clean(app)


def stopped_and_back(app: Terminal) -> None:
    """It stops, leaves a clean terminal, and goes on when it is called back."""
    # The last that is written: what came before it may be read a moment earlier.
    app.until(lambda _: b"\x1b[?1004l" in app.raw, "gave the terminal up")
    _, status = os.waitpid(app.process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    assert_clean(app)
    app.signal(signal.SIGCONT)
    # Asked once it reads again: a key that came before might go with the change of modes.
    app.until(lambda _: app.raw.rfind(b"\x1b[?2026$p") > app.raw.rfind(b"\x1b[?1049l"), "back")


def test_it_is_stopped_and_goes_on_where_one_writes(folder: Path, tmp_path: Path) -> None:
    with Terminal(str(folder), env=environment(tmp_path)) as app:
        open_on(app, "study")
        app.press("e")
        app.see("this card can be read")
        app.press("mine")
        app.see("mine---")
        app.signal(signal.SIGTSTP)
        stopped_and_back(app)
        app.press(" too")
        app.see("mine too---")


def test_a_terminal_whose_cursor_stays_is_told_of_the_plain_session(
    folder: Path, tmp_path: Path
) -> None:
    with Terminal(str(folder), env=environment(tmp_path) | {"TERM": "dumb"}) as app:
        app.see("--plain`")
        assert app.process.wait(30) == 2
        assert b"\x1b" not in app.raw


def test_ctrl_z_leads_to_the_shell_and_back_also_from_a_dialog(
    folder: Path, tmp_path: Path
) -> None:
    with Terminal(str(folder), env=environment(tmp_path)) as app:
        open_on(app, "study")
        app.press("\x1a")
        stopped_and_back(app)
        app.press("?")
        app.see("Keys here")
        app.raw = b""
        app.press("\x1a")
        stopped_and_back(app)
        app.press(ESCAPE)
        app.until(lambda text: "Keys here" not in text, "left the dialog")
        app.press(" ")
        app.see("Again")


#: Early and late in a frame, and at each call of the write that ends it.
MOMENTS = [*(f"start:{2**power}" for power in range(8)), *(f"end:{calls}" for calls in range(12))]


@pytest.mark.parametrize("signals", [(signal.SIGTSTP,), (signal.SIGTSTP, signal.SIGTSTP)], ids=len)
def test_it_is_stopped_once_whatever_it_does_meanwhile(
    tmp_path: Path, signals: tuple[signal.Signals, ...]
) -> None:
    with interrupted(tmp_path, *signals) as app:
        for number in range(1, len(MOMENTS) + 1):
            app.raw = b""
            app.press("x")
            stopped_and_back(app)
            app.see(f"Painted {number} times.")


def test_it_goes_on_where_it_is_called_back_before_it_stopped(tmp_path: Path) -> None:
    with interrupted(tmp_path, signal.SIGTSTP, signal.SIGCONT) as app:
        for number in range(1, len(MOMENTS) + 1):
            app.press("x")
            app.see(f"Painted {number} times.")


def interrupted(home: Path, *signals: signal.Signals) -> Terminal:
    """An app that gets the signals as it paints, in a terminal that takes whole frames."""
    given = ",".join(str(int(number)) for number in signals)
    command = (sys.executable, "-m", "tests.program.interrupted")
    app = Terminal(given, *MOMENTS, env=environment(home), command=command)
    app.until(lambda _: b"\x1b[?2026$p" in app.raw, "asked")
    app.press("\x1b[?2026;2$y")
    app.see("Painted 0 times.")
    return app


def test_it_takes_the_terminal_once_it_is_in_the_foreground_again(
    folder: Path, tmp_path: Path
) -> None:
    env = environment(tmp_path) | {"PS1": "shell> "}
    with Terminal(env=env, command=("sh", "-i", "-m")) as app:
        app.see("shell>")
        app.press(f"{sys.executable} -m tui '{folder}'\n")
        app.see("1 card, about")
        app.press("\x1a")
        app.until(lambda _: b"\x1b[?1004l" in app.raw, "gave the terminal up")
        app.raw = b""
        running = f"jobs > '{tmp_path}/jobs'; grep -q Running '{tmp_path}/jobs'"
        app.press(f"\nbg; while {running}; do :; done; echo stop''ped\n")
        app.until(lambda _: b"stopped" in app.raw, "stopped in the background")
        assert b"\x1b[?1049h" not in app.raw
        app.press("fg\n")
        app.until(lambda _: b"\x1b[?2026$p" in app.raw, "back")
        app.press("?")
        app.see("Keys here")


@pytest.fixture
def desk(tmp_path: Path) -> dict[str, str]:
    """An environment with a clipboard: two programs and the file that they share."""
    tools, held = tmp_path / "bin", tmp_path / "clipboard"
    tools.mkdir()
    for name, body in (("wl-copy", f'cat > "{held}"'), ("wl-paste", f'cat "{held}"')):
        (tools / name).write_text(f"#!/bin/sh\n{body}\n")
        (tools / name).chmod(0o755)
    env = environment(tmp_path)
    env |= {"WAYLAND_DISPLAY": "wayland-0", "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    return {name: value for name, value in env.items() if not name.startswith("SSH_")}


def test_what_the_mouse_was_drawn_over_is_copied_and_pasted(
    tmp_path: Path, desk: dict[str, str]
) -> None:
    folder = tmp_path / "cards"
    folder.mkdir()
    write(folder, "first", basic("first", "Copy these words."))
    with Terminal(str(folder), env=desk) as app:
        app.see("1 card, about")
        app.press(ENTER)
        rows = app.see("Copy these words.", "Reveal").splitlines()
        y = next(n for n, row in enumerate(rows, 1) if "Copy these" in row)
        x = rows[y - 1].index("these") + 1
        app.press(f"\x1b[<0;{x};{y}M\x1b[<32;{x + 5};{y}M\x1b[<0;{x + 5};{y}m")
        app.press(COPY)
        app.see("Copied")
        copied = base64.b64encode(b"these")
        app.until(lambda _: b"\x1b]52;c;" + copied in app.raw, "told the terminal")
        held = tmp_path / "clipboard"
        app.until(lambda _: held.is_file() and held.read_text() == "these", "told the system")
        held.write_text("from elsewhere ")
        app.press("e")
        app.see("this card can be read")
        app.press(PASTE)
        app.see("from elsewhere ---")
        app.press("\x1b[200~and [more]\x1b[201~")
        app.see("from elsewhere and [more]---")
