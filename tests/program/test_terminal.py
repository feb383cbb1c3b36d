"""The program in its terminal: studied, resized, stopped by a signal or a fault, copied from,
beside other programs; and what it asks the terminal."""

from __future__ import annotations

import base64
import json
import os
import signal
import sys
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.paths import SEED
from tests.program.conftest import Start
from tests.program.shell import ITEM, Shell
from tests.program.terminal import Terminal, environment
from tests.tui.driving import RIGHT, WRONG

ENTER, ESCAPE, F3, F4, COPY, PASTE, SAVE = "\r", "\x1b", "\x1bOR", "\x1bOS", "\x03", "\x16", "\x13"
STOP = "\x1a"
#: What ends a terminal's answer to how it draws frames, and what the program asks last.
ASKED_FRAMES, GAVE_UP = b"\x1b[?2026$p", b"\x1b[?1004l"


def study(app: Terminal) -> None:
    app.see("1 card, about")
    app.press(ENTER)
    app.see("Pooling layer")


def write_mine(app: Terminal) -> None:
    """Open the card's source, and write a word in front of it."""
    study(app)
    app.press("e")
    app.see("this card can be read")
    app.press("mine")
    app.see("mine---", "not saved")


def drafts(home: Path) -> list[str]:
    return [path.read_text() for path in home.glob("data/deltadeck/drafts/*")]


def reviews(folder: Path) -> list[dict[str, object]]:
    files = folder.glob(".deltadeck/journal/*/*.jsonl")
    lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return [line for line in lines if line["kind"] == "review"]


def assert_clean(app: Terminal) -> None:
    """The terminal is as it was: its own screen, cursor, keys, mouse and lines."""
    for mode in ("1049", "1000", "1003", "1006", "2004", "1004"):
        on, off = f"\x1b[?{mode}h".encode(), f"\x1b[?{mode}l".encode()
        assert app.raw.rfind(off) > app.raw.rfind(on), mode
    for on, off in (
        (b"\x1b[?25l", b"\x1b[?25h"),
        (b"\x1b[>", b"\x1b[<u"),
        (b"\x1b[?7l", b"\x1b[?7h"),
    ):
        assert app.raw.rfind(off) > app.raw.rfind(on)
    assert b"Traceback" not in app.raw


def test_a_derivation_checked_and_rated_outlives_a_kill(folder: Path, start: Start) -> None:
    with start() as app:
        study(app)
        app.press("c")
        app.see("the verdict appears here")
        app.press(WRONG)
        app.see("wrong", "expected")
        # Select all, then delete.  Textual runs a binding after the letters that
        # came in the same read, so the test waits for each as a hand at a keyboard would.
        app.press("\x01\x7f")
        app.see("the verdict appears here")
        app.press(RIGHT)
        app.see("✓")
        app.press(ESCAPE)
        app.until(lambda s: "Lab" not in s and ITEM in s, "back on the card")
        app.press(" ")
        app.see("Again", "Hard", "Good", "Easy")
        app.press("4")
        app.until(lambda _: len(reviews(folder)) == 1, "journalled")
        app.signal(signal.SIGKILL)
    [review] = reviews(folder)
    assert (review["item"], review["rating"]) == (ITEM, 4)
    with start() as app:
        app.see("Decks", "Statistical Machine Learning")
        app.until(lambda text: "1 card, about" not in text, "knew that it was answered")
        app.press("q")
        assert app.wait() == 0
    after = (folder / SEED.name).read_text()
    assert after == SEED.read_text().replace("status: to_learn", "status: reviewing")


def test_changes_are_seen_while_it_runs_and_the_next_start_begins_with_the_last_state(
    folder: Path, start: Start, tmp_path: Path
) -> None:
    text, other = SEED.read_text(), Shell(tmp_path)
    with start() as app:
        app.see("1 card, about")
        (folder / "second.md").write_text(text.replace(f"id: {ITEM}", "id: second"))
        app.see("2 cards, about")
        other("suspend", "second", "-C", folder)
        study(app)
        changed = text.replace("Max Pooling layer", "Largest Pooling layer")
        (folder / SEED.name).write_text(changed)
        app.see("Largest Pooling layer")
        app.press(ESCAPE)
        app.see("1 card, about")
        app.press("q")
        assert app.wait() == 0
    (folder / "second.md").unlink()
    options = ("--search", "tag:cnn", "--minutes", "5")
    with Terminal("study", folder, *options, env=environment(tmp_path), columns=100) as app:
        app.see("Largest Pooling layer", "5 m left")  # a session of its own kind opens at once
        app.press(ESCAPE)
        app.see("1 card, about")
        app.press(COPY)
        assert app.wait() == 0
        assert_clean(app)
    assert list(tmp_path.glob("data/deltadeck/backups/*/*.zip"))


def test_settings_that_another_program_changes_are_seen_while_it_runs(
    folder: Path, start: Start, tmp_path: Path
) -> None:
    def set_exam(*value: str) -> None:
        course = "Statistical Machine Learning"
        done = other("config", "exam", *value, "--course", course, "-C", folder)
        assert done.returncode == 0

    other, (first, second) = Shell(tmp_path), (date.today() + timedelta(days=n) for n in (40, 50))
    with start() as app:
        app.see("1 card, about")
        set_exam(first.isoformat())
        app.see("p expected")
        app.press("x")
        app.see(f"{first.day} {first:%b %Y}", "if you stop")
        set_exam(second.isoformat())
        app.see(f"{second.day} {second:%b %Y}", "if you stop")
        set_exam("--unset")
        app.until(lambda text: "Decks" in text and "p expected" not in text, "left the exam")
        app.press(",")
        app.see("New items a day")
        other("config", "new_per_day", "123", "-C", folder)
        app.see("123")


def fills(seen: str) -> Callable[[str], bool]:
    return lambda text: seen in text and "Help" in text.splitlines()[-1]


def leave(app: Terminal) -> None:
    app.press(ESCAPE)
    app.until(lambda text: "Lab" not in text and "Reveal" in text, "left the lab")
    app.press(ESCAPE)


def test_every_size_is_filled_and_one_too_small_is_survived(start: Start) -> None:
    with start() as app:
        for go, seen in (
            (study, "Pooling layer"),
            (lambda app: app.press("c"), "the verdict appears here"),
            (leave, "1 card, about"),
            (lambda app: app.press("b"), "1 item"),
        ):
            go(app)
            app.see(seen)
            for rows, columns in ((40, 120), (20, 60)):
                app.resize(rows, columns)
                app.until(fills(seen), f"filled {columns} by {rows}")
            app.resize(12, 50)
            app.see("deltadeck needs 60 by 20")
            app.resize(24, 80)
            app.see(seen)
        app.signal(signal.SIGHUP)
        assert app.wait() == 128 + signal.SIGHUP
        assert_clean(app)


# It ends: by ctrl+c, a signal, a closed window, a fault of its own.


def test_ctrl_c_asks_where_something_would_be_lost(folder: Path, start: Start) -> None:
    with start() as app:
        write_mine(app)
        app.press(COPY)
        app.see("changes that are not saved")
        app.press("l")
        assert app.wait() == 0
        assert_clean(app)
    assert (folder / SEED.name).read_text() == SEED.read_text()


def test_a_signal_names_the_draft_on_a_clean_terminal(start: Start, tmp_path: Path) -> None:
    with start(columns=200) as app:
        write_mine(app)
        app.signal(signal.SIGTERM)
        assert app.wait() == 128 + signal.SIGTERM
        assert app.raw.rindex(b"is kept in") > app.raw.rindex(b"\x1b[?1049l")
        assert_clean(app)
    assert drafts(tmp_path) == ["mine" + SEED.read_text()]


def test_closing_the_window_keeps_the_draft_and_no_process(start: Start, tmp_path: Path) -> None:
    # The kernel sends both: the first ends the program, and the second must not start it anew.
    with start() as app:
        write_mine(app)
        app.hang_up()
        app.signal(signal.SIGHUP)
        app.signal(signal.SIGCONT)
        assert app.process.wait(timeout=30) == 128 + signal.SIGHUP
    assert drafts(tmp_path) == ["mine" + SEED.read_text()]


def test_a_fault_loses_no_review_and_no_text(folder: Path, start: Start, tmp_path: Path) -> None:
    """The form of a new card cannot be loaded."""
    broken = tmp_path / "broken"
    broken.mkdir()
    code = "import sys\nsys.modules['tui.screens.forms'] = None\n"
    (broken / "sitecustomize.py").write_text(code)
    paths = [str(broken), *filter(None, [os.environ.get("PYTHONPATH", "")])]
    (folder / "first.md").write_text(SEED.read_text().replace(f"id: {ITEM}", "id: first"))
    with start({"PYTHONPATH": os.pathsep.join(paths)}, columns=200) as app:
        app.see("2 cards, about")
        app.press(ENTER)
        app.see("first", "Pooling layer")
        app.press(" ")
        app.see("1 Again")
        app.press("4")
        app.see(ITEM)
        app.press("e")
        app.see("this card can be read")
        app.press("mine")
        app.see("mine---", "not saved")
        app.press(F3)
        assert app.wait() == 1
        assert_clean(app)
        left = app.raw[app.raw.rindex(b"\x1b[?1049l") :].decode()
        assert "deltadeck stopped because of a fault of its own; your reviews are safe." in left
        assert "is kept in" in left
    [report] = tmp_path.glob("state/deltadeck/**/crash.log")
    assert str(report) in " ".join(left.split())
    assert "tui.screens.forms" in report.read_text()
    assert drafts(tmp_path) == ["mine" + SEED.read_text()]
    assert [review["item"] for review in reviews(folder)] == ["first"]
    assert (folder / SEED.name).read_text() == SEED.read_text()


# It is stopped, and goes on.


def stopped_and_back(app: Terminal) -> None:
    """It stops, leaves a clean terminal, and goes on when it is called back."""
    # The last that is written: what came before it may be read a moment earlier.
    app.until(lambda _: GAVE_UP in app.raw, "gave the terminal up")
    _, status = os.waitpid(app.process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    assert_clean(app)
    app.signal(signal.SIGCONT)
    # Asked once it reads again: a key that came before might go with the change of modes.
    app.until(lambda _: app.raw.rfind(ASKED_FRAMES) > app.raw.rfind(b"\x1b[?1049l"), "back")
    app.raw = b""


def test_a_stop_leads_to_the_shell_and_back(folder: Path, start: Start, tmp_path: Path) -> None:
    """In the source, the learner's own editor is such a program, too."""
    script = tmp_path / "append.py"
    script.write_text("import sys; open(sys.argv[1], 'a').write('Added outside.\\n')")
    with start({"EDITOR": f"{sys.executable} {script}", "VISUAL": ""}) as app:
        study(app)
        app.press(STOP)
        stopped_and_back(app)
        app.press("?")
        app.see("Keys here")
        app.press(STOP)
        stopped_and_back(app)
        app.press(ESCAPE)
        app.until(lambda text: "Keys here" not in text, "left the dialog")
        app.press("e")
        app.see("this card can be read")
        app.press(F4)
        app.see("not saved")
        app.press(SAVE)
        app.see(f"Saved {SEED.name}")
        assert (folder / SEED.name).read_text() == SEED.read_text() + "Added outside.\n"
        app.press("e")
        app.see("this card can be read")
        app.press("mine")
        app.see("mine---")
        app.raw = b""
        app.signal(signal.SIGTSTP)
        stopped_and_back(app)
        app.press(" too")
        app.see("mine too---")


#: Early and late in a frame, and at each call of the write that ends it.
MOMENTS = [*(f"start:{2**power}" for power in range(8)), *(f"end:{calls}" for calls in range(12))]


@pytest.mark.parametrize(
    "moments", [MOMENTS[::5], pytest.param(MOMENTS, marks=pytest.mark.long)], ids=len
)
@pytest.mark.parametrize("more", [(), (signal.SIGTSTP,), (signal.SIGCONT,)])
def test_it_is_stopped_once_whatever_it_does_meanwhile_and_not_where_it_is_called_back_before(
    tmp_path: Path, more: tuple[signal.Signals, ...], moments: list[str]
) -> None:
    """It gets the signals as it paints, in a terminal that takes whole frames."""
    given = ",".join(str(int(number)) for number in (signal.SIGTSTP, *more))
    command = (sys.executable, "-m", "tests.program.interrupted")
    with Terminal(given, *moments, env=environment(tmp_path), command=command) as app:
        app.until(lambda _: ASKED_FRAMES in app.raw, "asked")
        app.press("\x1b[?2026;2$y")
        app.see("Painted 0 times.")
        for number in range(1, len(moments) + 1):
            app.raw = b""
            app.press("x")
            if signal.SIGCONT not in more:
                stopped_and_back(app)
            app.see(f"Painted {number} times.")


def test_it_takes_the_terminal_in_the_foreground_again(folder: Path, tmp_path: Path) -> None:
    env = environment(tmp_path) | {"PS1": "shell> "}
    with Terminal(env=env, command=("sh", "-i", "-m")) as app:
        app.see("shell>")
        app.press(f"{sys.executable} -m tui '{folder}'\n")
        app.see("1 card, about")
        app.press(STOP)
        app.until(lambda _: GAVE_UP in app.raw, "gave the terminal up")
        app.raw = b""
        running = f"jobs > '{tmp_path}/jobs'; grep -q Running '{tmp_path}/jobs'"
        app.press(f"\nbg; while {running}; do :; done; echo stop''ped\n")
        app.until(lambda _: b"stopped" in app.raw, "stopped in the background")
        assert b"\x1b[?1049h" not in app.raw
        app.press("fg\n")
        app.until(lambda _: ASKED_FRAMES in app.raw, "back")
        app.press("?")
        app.see("Keys here")


# What it copies, and what it asks its terminal.


def test_what_the_mouse_was_drawn_over_is_copied_and_pasted(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the desk has a clipboard: two programs and the file that they share."""
    tools, held = tmp_path / "bin", tmp_path / "clipboard"
    tools.mkdir()
    for name, body in (("wl-copy", f'cat > "{held}"'), ("wl-paste", f'cat "{held}"')):
        (tools / name).write_text(f"#!/bin/sh\n{body}\n")
        (tools / name).chmod(0o755)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    for name in ("SSH_CONNECTION", "SSH_TTY"):
        monkeypatch.delenv(name, raising=False)
    with start({"WAYLAND_DISPLAY": "wayland-0", "PATH": path}) as app:
        study(app)
        rows = app.see("Reveal").splitlines()
        y = next(n for n, row in enumerate(rows, 1) if "Pooling layer" in row)
        x = rows[y - 1].index("Pooling layer") + 1
        app.press(f"\x1b[<0;{x};{y}M\x1b[<32;{x + 7};{y}M\x1b[<0;{x + 7};{y}m")
        app.press(COPY)
        app.see("Copied")
        copied = base64.b64encode(b"Pooling")
        app.until(lambda _: b"\x1b]52;c;" + copied in app.raw, "told the terminal")
        app.until(lambda _: held.is_file() and held.read_text() == "Pooling", "told the system")
        held.write_text("from elsewhere ")
        app.press("e")
        app.see("this card can be read")
        app.press(PASTE)
        app.see("from elsewhere ---")
        app.press("\x1b[200~and [more]\x1b[201~")
        app.see("from elsewhere and [more]---")


WHITE = "\x1b]11;rgb:ffff/ffff/ffff\x1b\\"
QUESTION = b"\x1b]11;?"


def is_light(app: Terminal) -> bool:
    """By the background of the middle of the screen."""
    colour = app.screen.buffer[12][70].bg
    return colour != "default" and int(colour[:2], 16) > 127


def test_it_turns_light_with_its_terminal_and_takes_no_answer_for_keys(start: Start) -> None:
    with start() as app:
        app.see("1 card, about")
        assert not is_light(app)
        app.until(lambda _: QUESTION in app.raw, "asked")
        app.press(WHITE)
        app.until(lambda _: is_light(app), "light")
        app.press("e")  # whatever is typed next to it is a key; the answer is none
        app.press("\x1b[?997;1n")
        app.until(lambda _: not is_light(app), "told that it is dark now")
        write_mine(app)
        app.press(f"ab{WHITE}cd")
        app.see("mineabcd---")
        app.until(lambda _: is_light(app), "light again")
        app.press(COPY)
        app.see("changes that are not saved")
        app.press("l")
        assert app.wait() == 0
        assert b"\x1b[?2031l" in app.raw
    with start() as app:
        app.until(lambda _: is_light(app), "light from the start")


def test_few_colours_are_the_terminals_own_and_no_color_leaves_none(start: Start) -> None:
    with start({"TERM": "linux", "COLORTERM": ""}) as app:
        app.see("1 card, about")
        assert QUESTION not in app.raw
        assert app.screen.buffer[12][70].bg == "default"
        assert b"[38;" not in app.raw
        assert b";38;" not in app.raw
    with start({"NO_COLOR": "1"}) as app:
        app.see("1 card, about")
        cells = [cell for row in app.screen.buffer.values() for cell in row.values()]
        assert {(cell.fg, cell.bg) for cell in cells} == {("default", "default")}
        assert any(cell.reverse for cell in cells)
    with start({"TERM": "dumb"}) as app:
        app.see("--plain`")
        assert app.process.wait(30) == 2
        assert b"\x1b" not in app.raw
