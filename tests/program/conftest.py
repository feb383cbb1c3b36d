"""A folder with the seed card, also with a cloze beside it; a shell, and the app in a terminal."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

import pytest

from tests.paths import SEED
from tests.program.shell import CLOZE, Shell
from tests.program.terminal import Terminal, environment
from tui.commands import doctor

_functions = doctor.functions


@cache
def _tried() -> list[doctor.DoctorLine]:
    return list(_functions())


@pytest.fixture(autouse=True)
def _confinement_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not by each `doctor` of the tests."""
    monkeypatch.setattr(doctor, "functions", _tried)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "home")


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    folder = tmp_path / "deck"
    folder.mkdir()
    return folder


@pytest.fixture
def folder(empty: Path) -> Path:
    shutil.copy(SEED, empty)
    return empty


@pytest.fixture
def bare(empty: Path, shell: Shell) -> Shell:
    """The shell at an empty folder."""
    return Shell(shell.home, empty)


@pytest.fixture
def seed(folder: Path, shell: Shell) -> Shell:
    """The shell at the seed card."""
    return Shell(shell.home, folder)


@pytest.fixture
def deck(folder: Path, shell: Shell) -> Shell:
    """The shell at the seed card, and at a cloze of two items."""
    (folder / "pair.md").write_text(CLOZE.format("{{c1::One}}, {{c2::two}}"))
    return Shell(shell.home, folder)


class Start:
    """Starts the app on the folder, in a terminal, with settings beside the usual environment."""

    def __init__(self, folder: Path, home: Path) -> None:
        self._folder, self._home = folder, home

    def __call__(
        self, env: Mapping[str, str] = MappingProxyType({}), columns: int = 80
    ) -> Terminal:
        whole = {**environment(self._home), **env}
        return Terminal(self._folder, env=whole, columns=columns)


@pytest.fixture
def start(folder: Path, tmp_path: Path) -> Start:
    return Start(folder, tmp_path)
