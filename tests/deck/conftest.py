from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_user_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The device's name is kept in the test's own folder, not in the user's."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "user-data"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "cards"
    folder.mkdir()
    return folder
