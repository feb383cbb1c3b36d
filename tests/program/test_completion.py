"""Completion as the shells do it: bash, zsh and fish themselves, where they are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.program.shell import Shell
from tests.program.terminal import Terminal, environment
from tests.tui.driving import basic, write
from tui.commands.completion import offered, split, written

BREAKS = " \t\n\"'><=;|&(:"
TAB, CLEAR = "\t", "\x15"
CARD = """\
---
id: {name}
course: {course}
tags: [cnn, "nn::{name}"]
---
# Question
Why?

---
# Solution
Because.
"""


@pytest.fixture
def deck(empty: Path, shell: Shell) -> Path:
    """Three cards and a saved search, in an index."""
    assert shell("init", empty).returncode == 0
    for name, course in (("pool_one", "Deep Nets"), ("pool_two", "Deep Nets"), ("conv", "Algebra")):
        write(empty, name, CARD.format(name=name, course=course))
    with (empty / ".deltadeck" / "config.toml").open("a") as file:
        file.write('\n[searches]\nhard = "difficulty>=4"\n')
    assert shell("due", "-C", empty).returncode == 0
    return empty


@pytest.fixture
def here(empty: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the deck, with the shell's index."""
    monkeypatch.chdir(empty)
    monkeypatch.setenv("XDG_CACHE_HOME", shell.env["XDG_CACHE_HOME"])


@pytest.mark.usefixtures("deck", "here")
@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["sus"], ["suspend"]),
        (["suspend", "--se"], ["--search"]),
        (["suspend", "pool"], ["pool_one", "pool_two"]),
        (["show", "conv", "p"], ["pool_one", "pool_two"]),
        (["study", "--deck", "D"], ["Deep Nets"]),
        (["stats", "--course", "A"], ["Algebra"]),
        (["stats", "--course=A"], ["--course=Algebra"]),
        (["stats", "--plot", "hours,but"], ["hours,buttons"]),
        (["search", "tag:c"], ["tag:cnn"]),
        (["search", "is:due -tag:c"], ["is:due -tag:cnn"]),
        (["search", "course:de"], ['course:"Deep Nets"']),
        (["list", "@"], ["@hard"]),
        (["review", "conv", "g"], ["good"]),
        (["sync", "--keep", ""], []),
        (["config", "leech_action", ""], ["mark", "suspend"]),
        (["completion", "z"], ["zsh"]),
        (["help", "se"], ["search", "serve"]),
        (["show", "-C", "/nowhere", "p"], []),
        (["-C", "/nowhere", "show", "p"], []),
        (["--folder", ".", "suspend", "--se"], ["--search"]),
    ],
)
def test_what_is_offered_is_what_may_stand_there(words: list[str], found: list[str]) -> None:
    *before, current = words
    assert list(offered(before, current).words) == found


@pytest.mark.usefixtures("here")
def test_files_folders_and_versions_of_cards_are_offered_where_they_are_meant(deck: Path) -> None:
    assert offered(["check", "conv", "--file"], "").kind == "files"
    assert offered(["init"], "").kind == "folders"
    other = deck / ".deltadeck/conflicts/sub/conv.0123abcd.md"
    other.parent.mkdir(parents=True)
    other.touch()
    for option in ("--keep", "--take"):
        assert list(offered(["sync", option], "").words) == ["conv.md"]


@pytest.mark.usefixtures("here")
def test_very_many_ids_are_offered_by_how_they_go_on(empty: Path, shell: Shell) -> None:
    for number in range(400):
        write(empty, f"card_{number:03}", basic(f"card_{number:03}"))
    assert shell("due", "-C", empty).returncode == 0
    assert list(offered(["show"], "c").words) == ["card_"]
    assert list(offered(["show"], "card_").words) == [f"card_{n}" for n in range(4)]
    assert len(offered(["show"], "card_1").words) == 100


@pytest.mark.usefixtures("here")
def test_completion_writes_nothing_into_a_folder_that_was_never_opened(empty: Path) -> None:
    (empty / ".deltadeck").mkdir(parents=True)
    write(empty, "one", basic("one"))
    before = sorted(empty.parent.rglob("*"))
    assert not offered(["show"], "o").words
    assert sorted(empty.parent.rglob("*")) == before


@pytest.mark.parametrize(
    ("line", "candidate", "put"),
    [
        ("deltadeck study --deck De", "Deep Nets", r"Deep\ Nets"),
        ("deltadeck study --deck 'De", "Deep Nets", "Deep Nets"),
        ("deltadeck study --deck=De", "--deck=Deep Nets", r"Deep\ Nets"),
        ("deltadeck search tag:c", "tag:cnn", "cnn"),
        ("deltadeck search 'is:due tag:c", "is:due tag:cnn", "is:due tag:cnn"),
        (r"deltadeck search is:due\ tag:c", "is:due tag:cnn", "cnn"),
    ],
)
def test_bash_gets_what_it_will_put_there(line: str, candidate: str, put: str) -> None:
    assert written(split(line, BREAKS), candidate) == put


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_every_script_says_how_it_is_used(shell: Shell, name: str) -> None:
    assert f"deltadeck completion {name}" in shell("completion", name).stdout
    assert "bash" in shell.refused("completion", "tcsh")


def program(home: Path) -> dict[str, str]:
    """An environment in which `deltadeck` is the program under test."""
    command = home / "bin" / "deltadeck"
    command.parent.mkdir(parents=True, exist_ok=True)
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tui "$@"\n')
    command.chmod(0o755)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    return environment(home) | {"PATH": path, "PYTHONPATH": str(ROOT), "ZDOTDIR": str(home)}


def needs(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed here")
    return found


def test_fish_completes(deck: Path, shell: Shell) -> None:
    asked = {
        "deltadeck susp": ["suspend"],
        "deltadeck show pool": ["pool_one", "pool_two"],
        "deltadeck search \\'is:new tag:c": ["is:new tag:cnn"],
        "deltadeck search tag:c": ["tag:cnn"],
        "deltadeck study --deck De": ["Deep Nets"],
    }
    lines = [f"echo ==; complete -C '{line}'" for line in asked]
    script = "; ".join(["deltadeck completion fish | source", *lines])
    command = [needs("fish"), "--no-config", "-c", script]
    done = subprocess.run(
        command, cwd=deck, env=program(shell.home), capture_output=True, timeout=60
    )
    assert not done.stderr, done.stderr.decode()
    parts = done.stdout.decode().split("==\n")[1:]
    found = [[row.split(TAB)[0] for row in part.splitlines()] for part in parts]
    assert found == list(asked.values())


@pytest.mark.parametrize("name", ["bash", "zsh"])
def test_bash_and_zsh_complete_at_the_tab(deck: Path, shell: Shell, name: str) -> None:
    asked = {
        "deltadeck susp": "deltadeck suspend ",
        "deltadeck show pool_o": "deltadeck show pool_one ",
        "deltadeck search 'is:new tag:c": "deltadeck search 'is:new tag:cnn' ",
        "deltadeck search tag:c": "deltadeck search tag:cnn ",
        "deltadeck study --deck De": "deltadeck study --deck Deep\\ Nets ",
        "deltadeck search ta": "deltadeck search tag:",
        "deltadeck show -C .. x": "deltadeck show -C .. x",
    }
    options = {"bash": ["--norc", "--noprofile"], "zsh": ["-f"]}
    command = [needs(name), *options[name], "-i"]
    env = program(shell.home)
    with Terminal(env=env, folder=deck, command=command, rows=30, columns=100) as at:
        at.press("PS1='READY> '; unset PROMPT_COMMAND\r")
        at.press(f"source <(deltadeck completion {name}); echo LOA''DED\r")
        at.see("LOADED")
        for number, (typed, shown) in enumerate(asked.items()):
            at.press(f"{typed}{TAB}#{number}")
            at.see(f"{shown}#{number}")
            at.press(CLEAR)
