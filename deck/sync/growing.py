"""Journals that grow by what the other side has, under the lock that every answer takes."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path

from deck.files import PRIVATE, sync_folder
from deck.journal import Journal, append_line, journal_files
from deck.repair import Survey
from deck.sync.conflicts import failed
from deck.sync.putting import refuse_links
from deck.sync.repository import Repository
from deck.sync.trees import Change, blob
from deck.sync.union import agreed, event_id, is_event, union


def bring_journals(repository: Repository, journals: Iterable[Change]) -> None:
    """Adds to the journals here what the other side has; takes away no event."""
    todo = [change for change in journals if change.new]
    if not todo:
        return
    with Journal(repository.root / PRIVATE).locked():
        for change in todo:
            path = repository.at(change.path)
            refuse_links(repository, path)
            sides = blob(repository.git, change.old), blob(repository.git, change.new)
            try:
                now = path.read_bytes() if path.exists() else b""
                _grow(path, now, agreed(union(sides[0], now, sides[1]), sides[1]))
            except OSError as error:
                raise failed(path, error) from error


def _grow(path: Path, now: bytes, then: bytes) -> None:
    if then == now:
        return
    if then.startswith(now) and (not now or now.endswith(b"\n")):
        append_line(path, then[len(now) :])
        return
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with draft.open("xb") as file:
            file.write(then)
            file.flush()
            draft.chmod(stat.S_IMODE(path.stat().st_mode))
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    sync_folder(path.parent)


def drop_emptied(repository: Repository, journals: Iterable[Change]) -> None:
    """Removes journal files that the other side took away, where all they hold is elsewhere."""
    gone = [repository.at(c.path) for c in journals if c.new is None]
    gone = [path for path in gone if path.exists()]
    if not gone:
        return
    private = repository.root / PRIVATE
    with Journal(private).locked():
        paths, _ = journal_files(private)
        ids = Survey([path for path in paths if path not in gone]).ids
        for path in gone:
            rows = [row for row in path.read_bytes().split(b"\n") if is_event(row)]
            if all(event_id(row) in ids for row in rows):
                path.unlink()
                sync_folder(path.parent)
