"""A folder with the seed card, and a shell with a home of its own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.paths import SEED
from tests.program.shell import Shell


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "home")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "deck"
    folder.mkdir()
    shutil.copy(SEED, folder)
    return folder
