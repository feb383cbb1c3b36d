"""Files of cards by names that other systems and other hands give: capitals, a minus in front."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.program.shell import Shell
from tests.tui.driving import running

BARE = "# Question\nWhy?\n# Solution\nBecause.\n"
NAMES = ("LOUD.MD", "Mixed.Md", "-dash.md", "-C.md")


@pytest.fixture
def bare(shell: Shell) -> Path:
    """The current folder of the shell; none of its cards can be read yet."""
    for name in NAMES:
        (shell.home / name).write_text(BARE)
    return shell.home


def test_a_folder_is_mended_whatever_its_files_are_called(bare: Path, shell: Shell) -> None:
    assert shell("lint", "--fix").returncode == 0
    assert shell("list", "--ids").stdout.split() == ["C", "dash", "LOUD", "Mixed"]
    text = (bare / "LOUD.MD").read_text()
    done = shell("edit", "LOUD.MD", "--file", "-", stdin=text.replace("Why", "How").encode())
    assert (done.returncode, done.stderr) == (0, "")
    assert "How?" in (bare / "LOUD.MD").read_text()


def test_the_doctor_s_commands_can_be_typed_as_they_are(bare: Path, shell: Shell) -> None:
    (bare / "-C.md").write_text("---\nid: [half\n---\n" + BARE)
    found = json.loads(shell("doctor", "--json").stdout)["findings"]
    commands = {Path(each["name"].split(":")[0]).name: each["command"] for each in found}
    for name in NAMES:
        command, good = commands[name], f"---\nid: half\n---\n{BARE}".replace("# S", "\n---\n# S")
        words = [*shlex.split(command)[1:], *(["--file", "-"] if name == "-C.md" else [])]
        done = shell(*words, stdin=good.encode())
        assert done.returncode == 0, (command, done)
    assert len(shell("list", "--ids").stdout.split()) == len(NAMES)


async def test_the_app_opens_what_it_lists_as_a_problem(tmp_path: Path) -> None:
    (tmp_path / "HALF.MD").write_text("---\nid: [half\n---\n", encoding="utf-8")
    async with running(tmp_path) as app:
        await app.press("p", "enter")
        assert app.screen == "EditScreen"
