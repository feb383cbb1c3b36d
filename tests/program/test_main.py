"""The command line as a whole: help, options, exit codes, and what a start loads."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from pkgutil import resolve_name

import pytest

import cards
import deck as deck_room
import engine
from cards.model import Problem
from tests.paths import ROOT
from tests.program.shell import ITEM, Shell
from tui.commands.arguments import COMMANDS
from tui.commands.parser import command_parser
from tui.main import SENTENCES, main


def test_version_is_that_of_the_distribution(shell: Shell) -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert shell("--version").stdout == f"deltadeck {declared}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_an_option_is_written_whole(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    options = {name for each in command_parser(command)._actions for name in each.option_strings}
    shortened = {name[:end] for name in options for end in range(3, len(name))} - options
    for word in sorted(word for word in shortened if word.startswith("--")):
        for written in ([word], [f"{word}=x"]):
            assert main([command, *written]) == 2, written
            assert f"no option {word}" in capsys.readouterr().err


def test_help_is_that_of_the_option(capsys: pytest.CaptureFixture[str], shell: Shell) -> None:
    for command in ("", *COMMANDS):
        words = [command] if command else []
        assert main(["help", *words]) == main([*words, "--help"]) == 0
        printed = capsys.readouterr().out
        half = len(printed) // 2
        assert printed[:half] == printed[half:], command
        assert f"deltadeck {command}".strip() in printed
    assert "`deltadeck search`" in shell.refused("help", "serach")
    assert "`deltadeck help`" in shell.refused("help", "zzz")


@pytest.mark.parametrize("before", ["-C {}", "-C{}", "--folder={}", "--folder {}"])
def test_folder_and_json_may_come_first(folder: Path, shell: Shell, before: str) -> None:
    done = shell(*before.format(folder).split(), "--json", "list")
    assert done.stdout == shell("list", "--folder", folder, "--json").stdout
    assert ITEM in done.stdout


def test_options_stand_anywhere_and_what_is_none_is_named(deck: Shell, shell: Shell) -> None:
    assert deck("review", ITEM, "--seconds", "3", "good").returncode == 0
    found = deck("search", "--ids", "tag:cnn", "is:new or", "type:cloze").stdout
    assert found.split() == ["pair/c1", "pair/c2"]
    found = deck("search", "--ids", "--", "-is:new").stdout
    assert found.split() == [ITEM]
    found = deck("due", "--ids", "--search", "-type:cloze").stdout
    assert found.split() == []
    for command in ("search", "list", "stats --json"):
        said = deck.refused(*command.split(), "-is:suspended")
        assert "no option -is:suspended; put -- before" in said
    said = shell.refused("due", "--fast")
    assert "--help" in said
    assert "put --" not in said
    assert "expected one argument" in deck.refused("due", "--search", "--json")
    assert "`deltadeck search`" in shell.refused("serach", "tag:cnn")
    said = shell.refused("frobnicate")
    assert "There is no command and no folder 'frobnicate'." in said
    assert "`deltadeck help`" in said
    assert "`deltadeck init frobnicate --starter`" in said


#: What the second start of a command must not load: the app, the engine's arrays, parsers.
HEAVY = "textual numpy markdown_it"
SPARED = {
    "due -C": HEAVY,
    "due --json -C": f"{HEAVY} yaml cards.parse deck.search concurrent.futures subprocess",
    "list --ids -C": f"{HEAVY} rich yaml",
    "show ssu_batch4_004 -C": "textual numpy pygments",
    "math x": f"{HEAVY} rich yaml deck.collection",
    "help show": f"{HEAVY} rich deck cards.model tui.commands.show",
    "completion --for zsh -- show -": f"{HEAVY} rich deck cards.model tui.commands.show",
}


@pytest.mark.parametrize("line", SPARED)
def test_a_start_loads_what_it_needs(folder: Path, shell: Shell, line: str) -> None:
    for path in folder.rglob("*.md"):
        os.utime(path, (1e9, 1e9))  # what has only just changed is read once more
    assert shell("due", "-C", folder).returncode == 0  # the index is made
    words = [*line.split(), *([str(folder)] if line.endswith("-C") else [])]
    code = "import sys; from tui.main import main; main(sys.argv[1:]); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, cwd=ROOT, env=shell.env
    )
    loaded = done.stdout.decode().splitlines()[-1].split()
    assert "tui.main" in loaded
    assert set(SPARED[line].split()) & set(loaded) == set()


@pytest.mark.parametrize("name", sorted(SENTENCES))
def test_an_error_of_ours_ends_a_command_with_its_sentence(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kind = resolve_name(name)
    own: tuple[object, ...] = {
        "CardError": (Problem(None, 1, 1, "It failed.", ""),),
        "CollectionError": (Problem(None, 1, 1, "It failed.", ""),),
        "FormulaError": ("It failed.", "", 1, 1),
        "GitError": (("push",), 1, "It failed."),
        "SearchError": ("It failed.", "", 1),
    }.get(kind.__name__, ("It failed.",))

    def run_due(_: object) -> int:
        raise kind(*own)

    monkeypatch.setattr("tui.commands.search.run_due", run_due)
    assert main(["due"]) == 2
    assert "It failed." in capsys.readouterr().err


def test_any_other_error_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    def run_due(_: object) -> int:
        raise ValueError("It failed.")

    monkeypatch.setattr("tui.commands.search.run_due", run_due)
    with pytest.raises(ValueError, match=r"It failed\."):
        main(["due"])


def test_what_a_room_says_that_it_raises_is_a_sentence() -> None:
    rooms = {"cards": cards, "deck": deck_room, "engine": engine}
    public = {
        f"{kind.__module__}.{kind.__qualname__}"
        for room in rooms.values()
        for kind in (getattr(room, name) for name in room.__all__ if name.endswith("Error"))
    }
    assert public <= SENTENCES


def test_a_missing_folder_or_terminal_is_a_sentence(shell: Shell, folder: Path) -> None:
    for command in ("due", "show x", "check x --answer 1"):
        assert "nowhere" in shell.refused(*command.split(), "--folder", "nowhere")
    assert "nowhere" in shell.refused("./nowhere")
    assert "needs a terminal" in shell.refused(folder)
    assert f"no card 'x' in {shell.home}. `deltadeck list`" in shell.refused("show", "x")
