"""A folder with the seed card, also with a cloze beside it, and a shell with a home of its own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.paths import SEED
from tests.program.shell import CLOZE, Shell


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "home")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "deck"
    folder.mkdir()
    shutil.copy(SEED, folder)
    return folder


@pytest.fixture
def deck(folder: Path) -> Path:
    """The seed card, and a cloze of two items."""
    (folder / "pair.md").write_text(CLOZE.format("{{c1::One}}, {{c2::two}}"))
    return folder


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    folder = tmp_path / "empty"
    folder.mkdir()
    return folder
