"""Bundles of a foreign program, its files, and what a collection is after one is taken."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from deck.collection import Collection
from deck.exchange.model import ForeignCard, ForeignItem, ForeignReview, ImportSource
from deck.exchange.plan import Plan, Summary, take
from deck.exchange.readers import reader_of
from tests.deck.given import NOON

CARD = ForeignCard("k1", "why", ("Networks", "Pooling"), "basic", "Why?", "Because.")
#: What a file of each format is called.
FILES = {
    "hashcards": "a.md",
    "json": "a.json",
    "obsidian": "a.md",
    "org": "a.org",
    "table": "a.csv",
}


def saved(folder: Path, program: str, content: str | bytes, name: str = "") -> Path:
    path = folder / (name or FILES[program])
    path.parent.mkdir(parents=True, exist_ok=True)
    is_text = isinstance(content, str)
    path.write_bytes(content.encode("utf-8", "surrogatepass") if is_text else content)  # type: ignore[union-attr,arg-type]
    return path


def source(path: Path, program: str | None = None) -> ImportSource:
    """What the reader of a file's format, or of the one that is named, finds in it."""
    return reader_of(path, program).load().read(path)


def read(path: Path, program: str | None = None) -> tuple[list[ForeignCard], ImportSource]:
    found = source(path, program)
    return list(found.cards()), found


def bundle(
    *cards: ForeignCard, media: dict[str, bytes] | None = None, made: int = 0, program: str = "anki"
) -> ImportSource:
    opened = {name: (lambda data=data: io.BytesIO(data)) for name, data in (media or {}).items()}
    return ImportSource(program, "a.apkg", len(cards), lambda: iter(cards), opened, made=made)


def taken(
    root: Path,
    *cards: ForeignCard,
    media: dict[str, bytes] | None = None,
    device: str = "desk",
    made: int = 0,
    now: datetime = NOON,
) -> Summary:
    collection = Collection.open(root, now, device)
    return take(Plan(bundle(*cards, media=media, made=made), collection, now))


def answers(*days: tuple[int, int, int]) -> tuple[ForeignReview, ...]:
    """(days ago, rating, days until the next), oldest first."""
    return tuple(
        ForeignReview(NOON - timedelta(days=ago), rating, 4000, ivl, key=f"r{ago}")
        for ago, rating, ivl in days
    )


def learnt(*days: tuple[int, int, int], **more: object) -> ForeignCard:
    item = ForeignItem(reviews=answers(*days), **more)  # type: ignore[arg-type]
    return replace(CARD, items=(item,))


def tree(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file() and path.name != "lock")
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def standing(root: Path) -> dict[str, object]:
    collection = Collection.open(root, NOON)
    return {item: (collection.state(item), collection.is_suspended(item))
            for item in collection.cards}  # fmt: skip
