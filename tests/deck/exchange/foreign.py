"""What the tests of imports are given: cards of a foreign program, its files, and one import."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from deck.collection import Collection
from deck.exchange.model import ForeignCard, ForeignItem, ForeignReview, ImportSource
from deck.exchange.plan import Plan, Summary, take
from deck.exchange.readers import reader_of
from deck.replay import Review
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


def cases(name: str) -> list[tuple[str, str]]:
    """What is read, and behind `=>` what it becomes; a line with a point stands between two."""
    text = (Path(__file__).parent / "conversions" / f"{name}.txt").read_text("utf-8")
    _, *found = text.removesuffix("\n").split("\n.\n")
    return [(before, after) for before, _, after in (each.partition("\n=>\n") for each in found)]


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


def take_in(
    root: Path,
    found: Path | ImportSource,
    now: datetime = NOON,
    device: str = "desk",
    into: str = "",
) -> Summary:
    """An import as the command does it, into a collection that may be none yet."""
    root.mkdir(exist_ok=True)
    found = source(found) if isinstance(found, Path) else found
    return take(Plan(found, Collection.open(root, now, device), now, into))


def imported(path: Path, root: Path) -> tuple[Collection, Summary]:
    """The collection at `root` after an import, and what was done."""
    done = take_in(root, path)
    return Collection.open(root, NOON, "desk"), done


def bundle(
    *cards: ForeignCard, media: dict[str, bytes] | None = None, made: int = 0
) -> ImportSource:
    opened = {name: (lambda data=data: io.BytesIO(data)) for name, data in (media or {}).items()}
    return ImportSource("anki", "a.apkg", len(cards), lambda: iter(cards), opened, made=made)


def taken(
    root: Path,
    *cards: ForeignCard,
    media: dict[str, bytes] | None = None,
    device: str = "desk",
    made: int = 0,
    now: datetime = NOON,
) -> Summary:
    return take_in(root, bundle(*cards, media=media, made=made), now, device)


def answers(*days: tuple[int, int, int]) -> tuple[ForeignReview, ...]:
    """(days ago, rating, days until the next), oldest first."""
    return tuple(
        ForeignReview(NOON - timedelta(days=ago), rating, 4000, ivl, key=f"r{ago}")
        for ago, rating, ivl in days
    )


def learnt(*days: tuple[int, int, int], **more: object) -> ForeignCard:
    item = ForeignItem(reviews=answers(*days), **more)  # type: ignore[arg-type]
    return replace(CARD, items=(item,))


def reviewed(deck: Collection | Path, item: str = "why") -> Review:
    """Where an item in review stands."""
    deck = Collection.open(deck, NOON) if isinstance(deck, Path) else deck
    state = deck.state(item)
    assert isinstance(state, Review)
    return state


def tree(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file() and path.name != "lock")
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def standing(root: Path) -> dict[str, object]:
    deck = Collection.open(root, NOON)
    return {item: (deck.state(item), deck.is_suspended(item)) for item in deck.cards}
