"""A collection of version 0.1 opens unchanged: what its commands said there, they say here.

`version_0_1/` was written by that version's commands: cards of four types, settings, and a journal
with an undo, a suspension, a buried item and raised limits; `said.json` is what it printed then.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from deck.index.store import VERSION, index_path
from tests.program.shell import Shell


def read(text: str) -> Any:
    """Another machine's logarithms may differ in their last digits."""
    return json.loads(text, parse_float=lambda digits: round(float(digits), 9))


THERE = Path(__file__).with_name("version_0_1")
SAID: dict[str, Any] = read((THERE / "said.json").read_text("utf-8"))
MOMENT = datetime(2026, 10, 25, 10, tzinfo=UTC)


@pytest.fixture
def old(tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The collection, and the device that wrote its journal."""
    for name in ("tui.commands.lookup.now", "tui.commands.review.clock"):
        monkeypatch.setattr(name, lambda: MOMENT)
    monkeypatch.setenv("XDG_CACHE_HOME", shell.env["XDG_CACHE_HOME"])
    folder = tmp_path / "old"
    shutil.copytree(THERE, folder)
    [device] = (folder / ".deltadeck/journal").iterdir()
    kept = Path(shell.env["XDG_DATA_HOME"], "deltadeck/device")
    kept.parent.mkdir(parents=True)
    kept.write_text(f"{device.name}\n")
    shell.env["TZ"] = "UTC"
    return folder


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("version", [None, VERSION, 7], ids=["no index", "its index", "older"])
def test_it_says_what_it_said(old: Path, shell: Shell, version: int | None) -> None:
    """Its index is used, or made again without a word; here one that says nothing of the cards."""
    before = contents(old)
    if version is not None:
        index_path(old).parent.mkdir(parents=True)
        with closing(sqlite3.connect(index_path(old))) as db:
            db.executescript(f"""CREATE TABLE card (card INTEGER PRIMARY KEY, id TEXT);
                PRAGMA application_id = {0x64656C74}; PRAGMA user_version = {version}""")
    for line, said in SAID.items():
        done = shell(*line.split(), "-C", old)
        found = read(done.stdout)
        if line == "exam --json":  # a plan may bring more than it did then
            for now, then in zip(found, said, strict=True):
                assert now["plan"]["expected"] >= then["plan"]["expected"]
                now["plan"] = then["plan"]
        if line == "stats --json":  # a key that came later
            assert found["checks"].pop("steps") == {}
        assert (done.stderr, found) == ("", said), line
    after = contents(old)
    [grown] = [path for path, data in before.items() if after[path] != data]
    assert after[grown].removeprefix(before[grown]).count(b"\n") == 1
    assert {path.name for path in after.keys() - before.keys()} == {"lock"}
