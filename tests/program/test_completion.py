"""Completion as the shells do it: bash, zsh and fish themselves, where they are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.program.shell import Shell
from tests.program.terminal import environment
from tests.program.typing import Typing
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
def deck(tmp_path: Path, shell: Shell) -> Path:
    """Three cards and an exam's settings, in an index."""
    folder = tmp_path / "deck"
    assert shell("init", folder).returncode == 0
    for name, course in (("pool_one", "Deep Nets"), ("pool_two", "Deep Nets"), ("conv", "Algebra")):
        write(folder, name, CARD.format(name=name, course=course))
    with (folder / ".deltadeck" / "config.toml").open("a") as file:
        file.write('\n[searches]\nhard = "difficulty>=4"\n')
    assert shell("due", "-C", folder).returncode == 0
    return folder


def words(deck: Path, monkeypatch: pytest.MonkeyPatch, shell: Shell, *given: str) -> list[str]:
    monkeypatch.chdir(deck)
    monkeypatch.setenv("XDG_CACHE_HOME", shell.env["XDG_CACHE_HOME"])
    *before, current = given
    return list(offered(before, current).words)


def test_what_is_offered_is_what_may_stand_there(
    deck: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(*given: str) -> list[str]:
        return words(deck, monkeypatch, shell, *given)

    assert ask("sus") == ["suspend"]
    assert "--search" in ask("suspend", "--se")
    assert ask("suspend", "pool") == ["pool_one", "pool_two"]
    assert ask("show", "conv", "p") == ["pool_one", "pool_two"]
    assert ask("study", "--deck", "D") == ["Deep Nets"]
    assert ask("stats", "--course", "A") == ["Algebra"]
    assert ask("stats", "--course=A") == ["--course=Algebra"]
    assert ask("search", "tag:c") == ["tag:cnn"]
    assert ask("search", "is:due -tag:c") == ["is:due -tag:cnn"]
    assert ask("search", "course:de") == ['course:"Deep Nets"']
    assert ask("list", "@") == ["@hard"]
    assert ask("review", "conv", "g") == ["good"]
    assert ask("sync", "--keep", "") == []
    other = deck / ".deltadeck/conflicts/sub/conv.0123abcd.md"
    other.parent.mkdir(parents=True)
    other.touch()
    assert ask("sync", "--keep", "") == ask("sync", "--take", "c") == ["conv.md"]
    assert ask("config", "leech_action", "") == ["mark", "suspend"]
    assert ask("completion", "z") == ["zsh"]
    assert ask("help", "se") == ["search", "serve"]
    assert ask("show", "-C", "/nowhere", "p") == []
    assert ask("-C", "/nowhere", "show", "p") == []
    assert "--search" in ask("--folder", ".", "suspend", "--se")
    assert offered(["check", "conv", "--file"], "").kind == "files"
    assert offered(["init"], "").kind == "folders"


def test_very_many_ids_are_offered_by_how_they_go_on(
    tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(400):
        write(folder, f"card_{number:03}", basic(f"card_{number:03}"))
    assert shell("due", "-C", folder).returncode == 0
    assert words(folder, monkeypatch, shell, "show", "c") == ["card_"]
    assert words(folder, monkeypatch, shell, "show", "card_") == [f"card_{n}" for n in range(4)]
    assert len(words(folder, monkeypatch, shell, "show", "card_1")) == 100


def test_completion_writes_nothing_into_a_folder_that_was_never_opened(
    tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "new"
    (folder / ".deltadeck").mkdir(parents=True)
    write(folder, "one", basic("one"))
    before = sorted(tmp_path.rglob("*"))
    assert words(folder, monkeypatch, shell, "show", "o") == []
    assert sorted(tmp_path.rglob("*")) == before


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
def test_bash_gets_what_it_will_put_in_the_place_of_the_word(
    line: str, candidate: str, put: str
) -> None:
    assert written(split(line, BREAKS), candidate) == put


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_every_script_says_how_it_is_used(shell: Shell, name: str) -> None:
    script = shell("completion", name).stdout
    assert f"deltadeck completion {name}" in script
    assert "bash" in shell.refused("completion", "tcsh")


def program(home: Path) -> dict[str, str]:
    """An environment in which `deltadeck` is the program under test."""
    bin_folder = home / "bin"
    bin_folder.mkdir(parents=True, exist_ok=True)
    command = bin_folder / "deltadeck"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tui "$@"\n')
    command.chmod(0o755)
    root = str(Path(__file__).resolve().parents[2])
    path = f"{bin_folder}{os.pathsep}{os.environ['PATH']}"
    return environment(home) | {"PATH": path, "PYTHONPATH": root, "ZDOTDIR": str(home)}


def needs(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed here")
    return found


def run(command: list[str], deck: Path) -> str:
    done = subprocess.run(
        command, cwd=deck, env=program(deck.parent / "home"), capture_output=True, timeout=60
    )
    assert not done.stderr, done.stderr.decode()
    return done.stdout.decode()


def test_fish_completes(deck: Path) -> None:
    fish = needs("fish")
    asked = {
        "deltadeck susp": ["suspend"],
        "deltadeck show pool": ["pool_one", "pool_two"],
        "deltadeck search \\'is:new tag:c": ["is:new tag:cnn"],
        "deltadeck search tag:c": ["tag:cnn"],
        "deltadeck study --deck De": ["Deep Nets"],
    }
    script = "deltadeck completion fish | source"
    rows = run([fish, "--no-config", "-c", "; ".join([script, *map(_complete, asked)])], deck)
    found = [[row.split(TAB)[0] for row in part.splitlines()] for part in rows.split("==\n")[1:]]
    assert found == list(asked.values())


def _complete(line: str) -> str:
    return f"echo ==; complete -C '{line}'"


@pytest.mark.parametrize("name", ["bash", "zsh"])
def test_bash_and_zsh_complete_at_the_tab(deck: Path, name: str) -> None:
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
    with Typing([needs(name), *options[name], "-i"], deck, program(deck.parent / "home")) as at:
        at.enter("PS1='READY> '; unset PROMPT_COMMAND")
        at.enter(f"source <(deltadeck completion {name}); echo LOA''DED")
        at.see("LOADED")
        for number, (typed, shown) in enumerate(asked.items()):
            at.press(f"{typed}{TAB}#{number}")
            at.see(f"{shown}#{number}")
            at.press(CLEAR)
