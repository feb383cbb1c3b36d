from __future__ import annotations

from pathlib import Path

import pytest

from tests.deck.sync.given import Fleet, copied, git_environment


@pytest.fixture(autouse=True)
def own_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """git with a home of its own: no settings of this computer's, and a name to commit under."""
    for key, value in git_environment(tmp_path / "home").items():
        monkeypatch.setenv(key, value)


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    """Two computers that have synced once."""
    return copied(tmp_path, "desk", "phone")
