"""`deltadeck stats`: the figures as text, plain where nobody looks at colours."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program.shell import Shell
from tests.tui.studied import make


@pytest.fixture
def studied(tmp_path: Path) -> Path:
    folder = tmp_path / "study"
    folder.mkdir()
    make(folder, 12)
    return folder


def test_figures_are_chosen_by_name_and_printed_plain(studied: Path, shell: Shell) -> None:
    said = shell("stats", "--plot", "buttons,added", "--span", "all", "-C", studied).stdout
    assert "\x1b" not in said
    assert "Answer buttons" in said
    assert "12 cards were added" in said
    assert "True retention" not in said
    assert max(map(len, said.splitlines())) < 80
    assert "There are forecast, calendar" in shell.refused("stats", "--plot", "x", "-C", studied)
    assert "there is Control, Machine Learning" in shell.refused(
        "stats", "--course", "x", "-C", studied
    )


def test_without_utf_8_they_are_ascii(studied: Path, shell: Shell) -> None:
    shell.env |= {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    said = shell("stats", "-C", studied).stdout
    assert said.isascii()
    assert "##" in said
    assert "You gave" in said
