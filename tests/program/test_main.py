"""The command line as a whole: help, options, exit codes, and what a start loads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.program.shell import Shell
from tui.commands.arguments import COMMANDS
from tui.commands.parser import command_parser
from tui.main import main


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


def test_help_prints_what_the_option_prints(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("", *COMMANDS):
        words = [command] if command else []
        assert main(["help", *words]) == main([*words, "--help"]) == 0
        printed = capsys.readouterr().out
        half = len(printed) // 2
        assert printed[:half] == printed[half:], command
        assert f"deltadeck {command}".strip() in printed


def test_help_names_the_nearest_of_the_commands(shell: Shell) -> None:
    assert "`deltadeck search`" in shell.refused("help", "serach")
    assert "`deltadeck help`" in shell.refused("help", "zzz")


@pytest.mark.parametrize("before", [["-C", "{}"], ["-C{}"], ["--folder={}"], ["--folder", "{}"]])
def test_folder_and_json_may_stand_before_the_command(
    folder: Path, shell: Shell, before: list[str]
) -> None:
    words = [word.format(folder) for word in before]
    done = shell(*words, "--json", "list")
    assert done.stdout == shell("list", "--folder", str(folder), "--json").stdout
    assert len(json.loads(done.stdout)) > 0


#: What the second start of a command must not load: the app, the engine's arrays, parsers.
HEAVY = "textual numpy markdown_it"
SPARED = {
    "due -C": HEAVY,
    "due --json -C": f"{HEAVY} yaml cards.parse deck.search concurrent.futures subprocess",
    "show ssu_batch4_004 -C": "textual numpy pygments",
    "math x": f"{HEAVY} rich yaml",
}


@pytest.mark.parametrize("line", SPARED)
def test_a_warm_start_loads_no_more_than_its_command_needs(
    folder: Path, shell: Shell, line: str
) -> None:
    for path in folder.rglob("*.md"):
        os.utime(path, (1e9, 1e9))  # what has only just changed is read once more
    assert shell.process("due", "-C", folder).returncode == 0  # the index is made
    words = [*line.split(), *([str(folder)] if line.endswith("-C") else [])]
    code = "import sys; from tui.main import main; main(sys.argv[1:]); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, cwd=ROOT, env=shell.env
    )
    loaded = done.stdout.decode().splitlines()[-1].split()
    assert "tui.main" in loaded
    assert set(SPARED[line].split()) & set(loaded) == set()


def test_a_missing_folder(shell: Shell, tmp_path: Path) -> None:
    for command in ("due", "show x", "check x --answer 1"):
        said = shell.refused(*command.split(), "--folder", tmp_path / "nowhere")
        assert "nowhere" in said
    assert "nowhere" in shell.refused(tmp_path / "nowhere")


def test_no_terminal(shell: Shell, folder: Path) -> None:
    assert "terminal" in shell.refused(folder)


def test_the_current_folder_is_named_whole(shell: Shell) -> None:
    assert f"no card 'x' in {shell.home}. " in shell.refused("show", "x")


def test_an_unknown_option(shell: Shell) -> None:
    assert "--help" in shell.refused("due", "--fast")
