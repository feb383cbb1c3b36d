"""A small collection with a past, made and exported once, and copies of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from deck.collection import Collection
from tests.deck.exchange.exporting import AT, exported, make


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The collection of `exporting.make` in `cards`, and its exports beside it: never changed."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME"):
            patch.setenv(name, str(folder / name))
        deck = make(folder / "cards")
        for ending in ("apkg", "csv", "html", "json"):
            exported(deck, folder / f"all.{ending}")
    return folder


@pytest.fixture
def deck(made: Path, root: Path) -> Collection:
    """A copy of the collection, at `root`."""
    shutil.copytree(made / "cards", root, dirs_exist_ok=True)
    return Collection.open(root, AT, "desk")


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Another collection, which an import makes."""
    return tmp_path / "other"
