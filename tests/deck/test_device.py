"""The device's name in the journal."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from deck.errors import CollectionError, JournalError
from deck.journal import Journal, kept_device, own_device


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


LEFT = [b"", b"\0" * 20, b"devi", b"../..\xff\n"]


@pytest.mark.parametrize("left", [None, *LEFT])
@pytest.mark.parametrize("which", ["device", "device.copy"])
def test_a_name_outlives_what_a_power_cut_leaves_of_a_file(
    tmp_path: Path, which: str, left: bytes | None
) -> None:
    name, path = own_device(), tmp_path / "user-data" / "deltadeck" / which
    if left is None:
        path.unlink()
    else:
        path.write_bytes(left)
    assert kept_device() == own_device() == name
    assert path.read_text().strip() == name, "and the next power cut costs nothing either"


def test_a_name_is_on_the_disk_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file is synced before it gets its name, and the folder behind it."""
    calls: list[tuple[str, bool]] = []
    sync, link = os.fsync, os.link

    def synced(handle: int) -> None:
        calls.append(("fsync", stat.S_ISDIR(os.fstat(handle).st_mode)))
        sync(handle)

    def linked(source: Path, target: Path) -> None:
        calls.append(("link", False))
        link(source, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "link", linked)
    own_device()
    names = [number for number, call in enumerate(calls) if call[0] == "link"]
    assert names
    for number in names:
        assert ("fsync", False) in calls[:number]
        assert ("fsync", True) in calls[number:]
