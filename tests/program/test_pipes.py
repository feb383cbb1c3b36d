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
from tests.program.terminal import Terminal

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
def deck(empty: Path, shell: Shell) -> Shell:
    for name in NAMES:
        (empty / f"{name}.md").write_text(CARD.format(name=name), "utf-8")
    return Shell(shell.home, empty)


def piped(deck: Shell, command: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    """`command` in bash, where `deltadeck` is the program under test, at the deck."""
    program = f'deltadeck() {{ "{sys.executable}" -m tui -C "{deck.folder}" "$@"; }}'
    return subprocess.run(
        ["bash", "-c", f"{program}; set -o pipefail; {command}"],
        cwd=ROOT,
        env=deck.env | more,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )


def test_ids_go_from_one_command_to_another(deck: Shell) -> None:
    done = piped(deck, "deltadeck list --ids | deltadeck suspend - --json")
    assert (done.returncode, done.stderr) == (0, b"")
    assert set(json.loads(done.stdout)["items"]) == set(NAMES)


def test_commands_take_ids_and_searches_and_say_of_one_card_an_object(deck: Shell) -> None:
    ids = "jedna\r\n\n dvě \n".encode()
    for command in ("bury -", "reset -", "show -", "show --search tag:cnn"):
        assert deck.json(*command.split(), stdin=ids) is not None
    several = deck.json("show", "tři", "jedna")
    assert [card["id"] for card in several] == ["tři", "jedna"]
    assert deck.json("show", "tři")["id"] == "tři"
    one = deck.json("show", "-", stdin="tři\n".encode())
    assert [card["id"] for card in one] == ["tři"]


def test_one_unknown_id_of_many_stops_before_anything_is_done(deck: Shell) -> None:
    deck.refused("suspend", "-", stdin=b"jedna\nnikdo\n")
    assert deck("search", "is:suspended").returncode == 1
    assert "standard input" in deck.refused("edit", "-", "--file", "-")
    assert "only that one" in deck.refused("edit", *NAMES, "--file", "-")


def test_an_answer_is_checked_against_several_cards(deck: Shell) -> None:
    for name in ("jedna", "dvě"):
        text = CARD.format(name=name).replace("tags:", "exercise: relu\ntags:")
        (deck.folder / f"{name}.md").write_text(text, "utf-8")
    asked = (
        "check",
        "jedna",
        "dvě",
        "--answer",
        "dx[i] = delta[i] * [x[i] > 0]",
        "-C",
        deck.folder,
    )
    rows = [json.loads(row) for row in deck(*asked, "--json").stdout.splitlines()]
    found = [(row["card"], row["verdict"]) for row in rows]
    assert found == [("jedna", "correct"), ("dvě", "correct")]
    assert deck(*asked).stdout.split() == ["jedna", "✓", "correct", "dvě", "✓", "correct"]


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        # A reader that leaves is no error.
        ("deltadeck --help | true", 0, ""),
        ("deltadeck list --json | true", 0, ""),
        # Nor is a stream that is closed.
        ("deltadeck list >&-", 0, ""),
        ("deltadeck list <&-", 0, ""),
        # A full disk is a sentence.
        ("deltadeck list > /dev/full", 2, "deltadeck: No space left on device.\n"),
    ],
)
def test_a_lost_output_is_told_once(deck: Shell, line: str, code: int, said: str) -> None:
    if "/dev/full" in line and not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    done = piped(deck, line)
    assert (done.returncode, done.stderr.decode()) == (code, said)


@pytest.mark.parametrize(
    ("command", "code"),
    [
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
def test_an_empty_input_is_nothing_to_read(
    deck: Shell, command: str, code: tuple[int, ...]
) -> None:
    empty = (Shell(deck.home) if command == "math" else deck)(*command.split())
    assert empty.returncode in code, empty
    assert "that is the terminal" not in empty.stderr
    if command in ("review -", "study --plain"):
        closed = piped(deck, f"deltadeck {command} <&-")
        assert (closed.returncode, closed.stdout.decode()) == (empty.returncode, empty.stdout)
        assert b"Traceback" not in closed.stderr


def test_what_is_piped_is_utf8_in_every_locale(deck: Shell) -> None:
    locale = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = piped(deck, "deltadeck show --search tag:cnn", **locale)
    assert done.returncode == 0, done.stderr
    assert "Proč tři? α" in done.stdout.decode("utf-8")
    assert b"\x1b" not in done.stdout


def test_what_is_no_text_is_refused_as_an_id_and_escaped_as_a_path(deck: Shell) -> None:
    done = piped(deck, "deltadeck show $'\\xff'")
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    assert b"not text" in done.stderr
    with open(os.fsencode(deck.folder) + b"/\xff.md", "wb") as file:  # noqa: PTH123
        file.write(CARD.format(name="odd").encode())
    done = piped(deck, "deltadeck show odd --json")
    assert json.loads(done.stdout)["path"].endswith("/\udcff.md")


def test_an_interrupt_ends_with_130_and_no_word(deck: Shell) -> None:
    """`review -` waits for a line; Ctrl+C reaches every process of the terminal's job."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tui", "review", "-", "-C", str(deck.folder)],
        cwd=ROOT,
        env=deck.env,
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


def test_edit_opens_the_editor_on_the_terminal_for_piped_ids(deck: Shell) -> None:
    script = deck.folder.parent / "editor.py"
    script.write_text(
        "import sys\nassert sys.stdin.isatty()\n"
        "open(sys.argv[1], 'a', encoding='utf-8').write('Jinak.\\n')\n"
    )
    env = deck.env | {"EDITOR": f"{sys.executable} {script}", "VISUAL": ""}
    edit = f"'{sys.executable}' -m tui edit - -C '{deck.folder}'"
    command = f"printf 'jedna\\ndvě\\n' | {edit}; echo ended $?"
    with Terminal(env=env, command=("bash", "-c", command)) as at:
        at.see("ended 0")
    assert (deck.folder / "dvě.md").read_text("utf-8").endswith("Jinak.\n")
    assert (deck.folder / "tři.md").read_text("utf-8").endswith("Protože.\n")


#: The program on a disk on which no file can grow beyond a size.
_SMALL = """
import resource, runpy, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)), resource.RLIM_INFINITY))
runpy.run_module("tui", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize("size", [0, 2000])
def test_on_a_full_disk_a_pipe_says_how_many_answers_were_recorded(deck: Shell, size: int) -> None:
    assert deck("list").returncode == 0
    done = subprocess.run(
        [sys.executable, "-c", _SMALL, str(size), "review", "-", "-C", str(deck.folder)],
        input=b"jedna good\n" * 50, capture_output=True, cwd=deck.home, env=deck.env, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    said, printed = done.stderr.decode(), done.stdout.decode().splitlines()
    journal = list((deck.folder / ".deltadeck").rglob("*.jsonl"))
    whole = [line for path in journal for line in path.read_text("utf-8").splitlines(True)]
    found = sum('"kind":"review"' in line and line.endswith("\n") for line in whole)
    assert found == len(printed)
    assert (found > 0) == (size > 0)
    assert (f"{found} of 50 answers were recorded" if found else "nothing was recorded") in said
