"""The device's name in the journal."""

from __future__ import annotations

from pathlib import Path

import pytest

from deck.device import own_device
from deck.errors import CollectionError, JournalError
from deck.journal import Journal


def test_a_device_keeps_the_name_that_its_first_write_made() -> None:
    assert own_device() == own_device()


@pytest.mark.parametrize("name", ["", "..", "a/b", "a b", ".hidden", "x" * 65, "a\n"])
def test_a_name_that_is_no_folder_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(CollectionError, match="Use letters"):
        Journal(tmp_path, name)


def test_an_unusable_name_on_the_disk_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "user-data" / "deltadeck" / "device"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"../../\xff\n")
    name = own_device()
    assert path.read_text().strip() == name == own_device()


def test_a_name_that_cannot_be_kept_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "user-data").write_text("a file in the place of a folder")
    with pytest.raises(JournalError, match="device's name"):
        own_device()
