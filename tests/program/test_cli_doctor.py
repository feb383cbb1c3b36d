"""What the doctor says of a folder whose answers are missing, or where none can be recorded."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.program.shell import Shell

ITEM = "ssu_batch4_004"


def wrong(shell: Shell, folder: Path) -> list[dict[str, str]]:
    """The findings of folder and journal that are a warning or an error."""
    found = json.loads(shell("doctor", "--json", "-C", folder).stdout)["findings"]
    about = [each for each in found if each["about"] in ("cards", "journal")]
    return [each for each in about if each["status"] in ("warning", "error")]


def as_file(folder: Path) -> None:
    (folder / ".deltadeck").write_text("no folder")


def as_dead_link(folder: Path) -> None:
    (folder / ".deltadeck").symlink_to("nowhere")


def as_second_journal(folder: Path) -> None:
    (folder / ".deltadeck" / "journal (1)").mkdir(parents=True)


def as_stray(folder: Path) -> None:
    path = folder / ".deltadeck" / "journal" / "2026-11.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("")


def as_no_device(folder: Path) -> None:
    path = folder / ".deltadeck" / "journal" / "desk"
    path.parent.mkdir(parents=True)
    path.write_text("no folder")


@pytest.mark.parametrize("make", [as_file, as_dead_link, as_second_journal, as_stray, as_no_device])
def test_each_place_where_reviews_are_missing_is_told_once(
    folder: Path, shell: Shell, make: Callable[[Path], None]
) -> None:
    make(folder)
    (finding,) = wrong(shell, folder)
    assert finding["about"] == "journal"
    assert finding["hint"]


def test_an_unfinished_restore_is_told_once_with_the_command_that_puts_it_back(
    folder: Path, shell: Shell
) -> None:
    (folder / ".deltadeck" / ".restoring-x").mkdir(parents=True)
    (finding,) = wrong(shell, folder)
    assert "`deltadeck doctor --repair`" in finding["hint"]
    assert "`deltadeck doctor --repair`" in shell("due", "-C", folder).stderr
    shell(*shlex.split(finding["command"])[1:])
    assert wrong(shell, folder) == []
