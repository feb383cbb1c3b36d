"""The command line as a part of a pipe: ids in and out, readers that leave, locales, Ctrl+C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.program.shell import Shell
from tests.program.typing import Typing

CARD = """\
---
id: {name}
course: Lineární algebra
tags: [cnn]
---
# Question
Proč {name}? $\\alpha$

---
# Solution
Protože.
"""
NAMES = ("jedna", "dvě", "tři")


@pytest.fixture
def deck(tmp_path: Path) -> Path:
    folder = tmp_path / "deck"
    folder.mkdir()
    for name in NAMES:
        (folder / f"{name}.md").write_text(CARD.format(name=name), "utf-8")
    return folder


def piped(shell: Shell, command: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    """`command` in bash, where `deltadeck` is the program under test."""
    function = f'deltadeck() {{ "{sys.executable}" -m tui "$@"; }}; set -o pipefail; '
    return subprocess.run(
        ["bash", "-c", function + command],
        cwd=ROOT,
        env=shell.env | more,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("source", ["search tag:cnn", "list", "due"])
def test_ids_go_from_one_command_to_another(deck: Path, shell: Shell, source: str) -> None:
    done = piped(
        shell, f"deltadeck {source} --ids -C {deck} | deltadeck suspend - --json -C {deck}"
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert set(json.loads(done.stdout)["items"]) == set(NAMES)


@pytest.mark.parametrize("command", ["bury -", "reset -", "show -", "show --search tag:cnn"])
def test_commands_take_ids_and_searches_alike(deck: Path, shell: Shell, command: str) -> None:
    done = piped(shell, f"printf 'jedna\\r\\n\\n dvě \\n' | deltadeck {command} --json -C {deck}")
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout) is not None


def test_many_cards_are_shown_as_a_list_and_one_as_an_object(deck: Path, shell: Shell) -> None:
    several = json.loads(shell("show", "tři", "jedna", "--json", "-C", deck).stdout)
    assert [card["id"] for card in several] == ["tři", "jedna"]
    assert json.loads(shell("show", "tři", "--json", "-C", deck).stdout)["id"] == "tři"
    one = piped(shell, f"echo tři | deltadeck show - --json -C {deck}")
    assert [card["id"] for card in json.loads(one.stdout)] == ["tři"]


def test_one_unknown_id_of_many_stops_before_anything_is_done(deck: Path, shell: Shell) -> None:
    done = piped(shell, f"printf 'jedna\\nnikdo\\n' | deltadeck suspend - -C {deck}")
    assert (done.returncode, done.stdout) == (2, b"")
    assert shell("search", "is:suspended", "-C", deck).returncode == 1


def test_ids_and_a_text_are_not_both_read_from_the_pipe(deck: Path, shell: Shell) -> None:
    assert "standard input" in shell.refused("edit", "-", "--file", "-", "-C", deck)
    assert "only that one" in shell.refused("edit", *NAMES, "--file", "-", "-C", deck)


def test_an_answer_is_checked_against_several_cards(deck: Path, shell: Shell) -> None:
    for name in ("jedna", "dvě"):
        text = CARD.format(name=name).replace("tags:", "exercise: relu\ntags:")
        (deck / f"{name}.md").write_text(text, "utf-8")
    asked = ("check", "jedna", "dvě", "--answer", "dx[i] = delta[i] * [x[i] > 0]", "-C", deck)
    rows = [json.loads(row) for row in shell(*asked, "--json").stdout.splitlines()]
    assert [(row["card"], row["verdict"]) for row in rows] == [
        ("jedna", "correct"),
        ("dvě", "correct"),
    ]
    assert shell(*asked).stdout.split() == ["jedna", "✓", "correct", "dvě", "✓", "correct"]


@pytest.mark.parametrize("command", ["--help", "list --json", "show --search tag:cnn", "math x"])
def test_a_reader_that_leaves_is_no_error(deck: Path, shell: Shell, command: str) -> None:
    folder = "" if command in ("--help", "math x") else f"-C {deck}"
    done = piped(shell, f"deltadeck {command} {folder} | true")
    assert done.stderr == b""
    assert done.returncode == 0


@pytest.mark.parametrize("command", ["list -C {}", "--help", "--version", "list --help"])
def test_a_full_disk_is_a_sentence(deck: Path, shell: Shell, command: str) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    done = piped(shell, f"deltadeck {command.format(deck)} > /dev/full")
    assert done.returncode == 2
    assert done.stderr == b"deltadeck: No space left on device.\n"


@pytest.mark.parametrize("closed", [">&-", "<&-", "2>&-"])
def test_a_closed_stream_is_no_error(deck: Path, shell: Shell, closed: str) -> None:
    done = piped(shell, f"deltadeck list -C {deck} {closed}")
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("doctor", (0, 1)),
        ("math", (0, 2)),
        ("add", (2,)),
        ("edit jedna", (2,)),
        ("edit jedna --file -", (2,)),
        ("review -", (0,)),
        ("suspend -", (0,)),
        ("check --answer 1 --file -", (2,)),
        ("config --edit", (2,)),
        ("sync --dry-run", (0, 1, 2)),
        ("study", (2,)),
        ("study --plain", (0, 1)),
    ],
)
def test_where_standard_input_is_closed_there_is_nothing_to_read(
    deck: Path, shell: Shell, command: str, code: tuple[int, ...]
) -> None:
    where = "" if command == "math" else f"-C {deck}"
    closed = piped(shell, f"deltadeck {command} {where} <&-")
    assert b"Traceback" not in closed.stderr
    assert closed.returncode in code, closed
    assert b"that is the terminal" not in closed.stderr
    empty = piped(shell, f"deltadeck {command} {where} </dev/null")
    assert (closed.returncode, closed.stdout) == (empty.returncode, empty.stdout)


@pytest.mark.parametrize(
    "locale", [{"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}]
)
def test_what_is_piped_is_utf8_in_every_locale(
    deck: Path, shell: Shell, locale: dict[str, str]
) -> None:
    done = piped(shell, f"deltadeck show --search tag:cnn -C {deck}", **locale)
    assert done.returncode == 0, done.stderr
    assert "Proč tři? α" in done.stdout.decode("utf-8")
    assert b"\x1b" not in done.stdout


def test_an_argument_that_is_no_text_is_refused(deck: Path, shell: Shell) -> None:
    done = piped(shell, f"deltadeck show $'\\xff' -C {deck}")
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    assert b"not text" in done.stderr


def test_a_path_that_is_no_text_is_written_as_its_escape(deck: Path, shell: Shell) -> None:
    odd = os.fsencode(deck) + b"/\xff.md"
    with open(odd, "wb") as file:  # noqa: PTH123
        file.write(CARD.format(name="odd").encode())
    done = piped(shell, f"deltadeck show odd --json -C {deck}")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["path"].endswith("/\udcff.md")


def test_an_interrupt_ends_with_130_and_no_word(deck: Path, shell: Shell) -> None:
    """`review -` waits for a line; Ctrl+C reaches every process of the terminal's job."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tui", "review", "-", "-C", str(deck)],
        cwd=ROOT,
        env=shell.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"jedna good\n")
    process.stdin.flush()
    assert b"jedna" in process.stdout.readline()
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, b"", b"")


def test_edit_opens_the_editor_on_the_terminal_for_piped_ids(deck: Path, shell: Shell) -> None:
    script = deck.parent / "editor.py"
    script.write_text(
        "import sys\nassert sys.stdin.isatty()\n"
        "open(sys.argv[1], 'a', encoding='utf-8').write('Jinak.\\n')\n"
    )
    env = shell.env | {
        "EDITOR": f"{sys.executable} {script}",
        "VISUAL": "",
        "PYTHONPATH": str(ROOT),
    }
    command = (
        f"printf 'jedna\\ndvě\\n' | '{sys.executable}' -m tui edit - -C '{deck}'; echo ended $?"
    )
    leader = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    leader += "os.execvp('bash', ['bash', '-c', sys.argv[1]])"
    with Typing([sys.executable, "-c", leader, command], deck, env) as at:
        at.see("ended 0")
    assert (deck / "dvě.md").read_text("utf-8").endswith("Jinak.\n")
    assert (deck / "tři.md").read_text("utf-8").endswith("Protože.\n")


def test_options_stand_before_and_behind(deck: Path, shell: Shell) -> None:
    done = shell("review", "jedna", "--seconds", "3", "good", "-C", deck)
    assert done.returncode == 0, done.stderr
    assert shell("search", "-C", deck, "--ids", "tag:cnn", "is:new").stdout.split() == [
        "dvě",
        "tři",
    ]
    assert shell("search", "--ids", "-C", deck, "--", "-is:new").stdout.split() == ["jedna"]


def test_a_word_that_is_nearly_a_command_is_named(shell: Shell) -> None:
    assert "`deltadeck search`" in shell.refused("serach", "tag:cnn")


#: The program on a disk on which no file can grow beyond a size.
_SMALL = """
import resource, runpy, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)), resource.RLIM_INFINITY))
runpy.run_module("tui", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize("size", [0, 2000, 5000])
def test_on_a_full_disk_a_pipe_says_how_many_answers_were_recorded(
    deck: Path, shell: Shell, size: int
) -> None:
    card = json.loads(shell("list", "--json", "-C", deck).stdout)[0]["id"]
    lines = f"{card} good\n".encode() * 50
    done = subprocess.run(
        [sys.executable, "-c", _SMALL, str(size), "review", "-", "-C", str(deck)],
        input=lines, capture_output=True, cwd=shell.home, env=shell.env, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    said, printed = done.stderr.decode(), done.stdout.decode().splitlines()
    journal = list((deck / ".deltadeck").rglob("*.jsonl"))
    whole = [line for path in journal for line in path.read_text("utf-8").splitlines(True)]
    found = sum('"kind":"review"' in line and line.endswith("\n") for line in whole)
    assert found == len(printed)
    assert (found > 0) == (size > 0)
    assert (f"{found} of 50 answers were recorded" if found else "nothing was recorded") in said
