"""Where nothing confines a function, it is run only after a yes to what is open to it.

Such machines are made by a filter in the kernel (`tests/engine/sandbox/without.py`).
"""

from __future__ import annotations

import json
import platform
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.sandbox import without
from tests.engine.sandbox.test_confine import FUNCTION
from tests.program.apart import Apart
from tests.program.shell import ITEM
from tests.program.terminal import Terminal, environment

pytestmark = pytest.mark.skipif(platform.system() != "Linux", reason="the filter is Linux's")

RAN = "def backward(x, delta): open({!r}, 'a').close(); return x"
NOTHING = "landlock,seccomp"
CHECK = ("check", ITEM, "-C")


@pytest.fixture
def trace() -> Iterator[Path]:
    """A file that a function makes where it runs unconfined, also as nobody."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name) / "ran"


@pytest.fixture
def runs(trace: Path) -> str:
    """An answer that leaves the trace."""
    return RAN.format(str(trace))


@pytest.fixture(scope="module", params=[NOTHING])
def _apart(request: pytest.FixtureRequest) -> Iterator[Apart]:
    apart = Apart(without.command(request.param, "-m", "tests.program.apart"), Path())
    yield apart
    apart.end()


@pytest.fixture
def piped(_apart: Apart, tmp_path: Path) -> Apart:
    """The program in pipes, on a machine that lacks something."""
    _apart.home = tmp_path
    return _apart


def terminal(home: Path, *arguments: str | Path, lacks: str = NOTHING) -> Terminal:
    command = without.command(lacks, "-m", "tui")
    return Terminal(*arguments, env=environment(home), command=command, columns=200)


@pytest.mark.parametrize("_apart", ["seccomp", NOTHING], indirect=True)
def test_without_a_terminal_it_is_refused_with_the_way_out(
    piped: Apart, folder: Path, trace: Path, runs: str
) -> None:
    for how in ((), ("--json",)):
        done = piped(*CHECK, folder, "--answer", runs, *how)
        assert (done.returncode, done.stdout) == (2, "")
        for words in ("The function was not run", "using the network", "--unconfined"):
            assert words in done.stderr
    assert not trace.exists()


def test_of_many_answers_the_functions_are_not_run_nor_in_a_plain_sitting_but_by_an_option(
    piped: Apart, folder: Path, tmp_path: Path, trace: Path, runs: str
) -> None:
    answers = tmp_path / "answers"
    answers.mkdir()
    (answers / "a.py").write_text(runs)
    (answers / "b.txt").write_text("sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l)")
    (answers / "c.py").write_text(FUNCTION)
    done = piped(*CHECK, folder, "--file", answers)
    rows = done.stdout.splitlines()
    assert [row.split()[0] for row in rows] == ["a.py", "b.txt", "c.py"]
    assert ["was not run" in row for row in rows] == [True, False, True]
    assert "correct" in rows[1]
    assert done.returncode == 2
    done = piped("study", folder, "--plain", stdin=f"c {runs}\nq\n")
    assert done.returncode == 0
    assert "reading files" in done.stdout
    assert "`deltadeck check`, which asks" in done.stdout
    assert not trace.exists()
    done = piped(*CHECK, folder, "--json", "--unconfined", "--answer", runs)
    assert json.loads(done.stdout)["verdict"] == "wrong"
    assert trace.exists()


@pytest.mark.parametrize(("said", "lacks"), [("\x04", NOTHING), ("yes, but\r", "seccomp")])
def test_all_but_a_yes_is_a_no_and_each_function_is_asked_about_anew(
    folder: Path, tmp_path: Path, said: str, lacks: str
) -> None:
    answers = tmp_path / "answers"
    answers.mkdir()
    for name in ("a.py", "b.py"):
        (answers / name).write_text(FUNCTION)
    with terminal(tmp_path, *CHECK, folder, "--file", answers, lacks=lacks) as at:
        at.see("a.py:", "using the network", "environment", "Run it all the same? [y/N]")
        at.press("y\r")
        at.see("a.py  ✓ correct", "b.py:")
        at.press(said)
        assert at.wait() == 2
        assert "The function was not run" in at.text()
        assert at.text().count("✓ correct") == 1
        assert "Traceback" not in at.text()


def test_the_lab_runs_none_by_itself_and_asks_each_time(
    folder: Path, tmp_path: Path, trace: Path, runs: str
) -> None:
    command = without.command(NOTHING, "-m", "tui")
    with Terminal(folder, env=environment(tmp_path), command=command) as app:
        app.see("Study")
        app.press("\r")
        app.see("Reveal")
        app.press("c")
        app.see("Notation")
        app.press(f"\x1b[200~{runs}\x1b[201~")
        app.see("It was not run: this computer lacks a full sandbox.", "f5 asks")
        assert not trace.exists()
        for no in ("n", "\x1b", "\r\x1b"):
            app.press("\x13")
            app.see("reading files", "environment", "Run this function all the same?")
            app.press(no)
            app.until(lambda screen: "all the same?" not in screen, "was answered")
            app.see("It was not run")
        assert not trace.exists()
        app.press("\x13")
        app.see("Run this function all the same?")
        app.press("y")
        app.see("✗ wrong", "ran in a sandbox")
        assert trace.exists()
        trace.unlink()
        app.press(" ")
        app.see("It was not run")
        app.press("\x1b")
        app.see("Reveal")
        assert not trace.exists()
