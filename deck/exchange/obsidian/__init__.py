"""Obsidian vaults with the Spaced Repetition plugin's cards, schedules and reviewed notes.

settings.py   what the vault told the plugin
note.py       a note -> its cards
tags.py       a note's frontmatter and tags
blocks.py     a note's lines -> which of them are cards
decks.py      the decks they lie in
asked.py      a card's text -> question and answer, or what it hides
schedule.py   the comments behind cards -> when they are due

The vault is read, never changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from cards.links import Definition, definitions
from deck.exchange.bundle import Bundle, ExchangeError, ForeignCard, Lost
from deck.exchange.draft import Draft, finished
from deck.exchange.naming import Keys
from deck.exchange.obsidian.note import Note
from deck.exchange.obsidian.settings import settings_of, vault_of
from deck.exchange.peek import holds_marked
from deck.exchange.pictures import Pictures
from deck.exchange.source import Source

_MARKS = re.compile(rb"#flashcards\b|<!--SR:|^sr-due:|^\s*-\s+#?flashcards\b", re.MULTILINE)
_LOOKS = 500


def looks_like(path: Path, head: bytes) -> bool:
    """A vault, a folder with notes of cards, or such a note."""
    if not path.is_dir():
        return path.suffix.lower() in (".md", ".markdown", "") and _MARKS.search(head) is not None
    if (path / "hashcards.db").is_file():
        return False
    if (path / ".obsidian").is_dir():
        return True
    return holds_marked(path, ".md", _MARKS, _LOOKS)


def read(path: Path) -> Bundle:
    """The cards of a vault, of a folder in one, or of a note.  Raises ExchangeError."""
    lost: list[Lost] = []
    reading = _Reading(path, lost)
    cards = list(reading.cards())
    if answers := sum(len(item.reviews) for card in cards for item in card.items):
        what = (
            f"The plugin keeps no answers: of {answers} schedules the last one is known, as Good."
        )
        lost.append(Lost(path.name, what))
    if not cards and not lost:
        raise ExchangeError(
            f"{path}: no card was found. A note with cards holds one of the tags "
            f"{', '.join(f'#{tag}' for tag in reading.settings.tags)}."
        )
    return Bundle(
        "obsidian", str(path), len(cards), lambda: iter(cards), reading.pictures.media, lost
    )


class _Reading:
    """One import."""

    def __init__(self, path: Path, lost: list[Lost]) -> None:
        self.lost = lost
        self.source = Source(path, lost)
        self.settings = settings_of(vault_of(path), lost)
        self.pictures = Pictures(self.source)
        self._keys = Keys()

    def cards(self) -> Iterator[ForeignCard]:
        for path in self.source.notes(".md", ".markdown"):
            where = self.source.name(path)
            if any(fnmatch(where, pattern) for pattern in self.settings.ignored):
                continue
            text = self.source.text(path)
            if text is None:
                continue
            note = Note(where, self.source.folders(path), text, self.settings, self.lost)
            known = definitions(text)
            for draft in note.drafts():
                card = self._finished(draft, path, known)
                if card is not None:
                    yield card

    def _finished(
        self, draft: Draft, path: Path, known: dict[str, Definition]
    ) -> ForeignCard | None:
        """The card with its pictures and a key of its own."""
        self.pictures.put(draft, path, known)
        draft.key = self._keys.unique(draft.key)
        return finished(draft, self.lost)
