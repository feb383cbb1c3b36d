"""org-fc: headings of Org files that are tagged `fc`, with their schedules.

outline.py   a file -> its headings, with tags, properties, drawers
sides.py     a heading -> question and answer; holes.py  what a cloze card hides
markup.py    Org's blocks as Markdown, inline.py what stands within a line
review.py    schedules and answers
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from deck.exchange.bundle import Bundle, ExchangeError, ForeignCard, ForeignItem, Lost
from deck.exchange.draft import Draft, finished, is_too_large
from deck.exchange.naming import Keys, content_key
from deck.exchange.org import review
from deck.exchange.org.outline import Heading, outline
from deck.exchange.org.sides import TYPES, said
from deck.exchange.peek import holds_marked
from deck.exchange.pictures import Pictures
from deck.exchange.source import Source

_MARKS = re.compile(rb"^\*+[ \t].*:fc:|^[ \t]*:FC_TYPE:", re.MULTILINE)
_OWN_TAGS = {"fc", "suspended", "noheading", "notitle", "fc-demo"}
_LOOKS = 500


def looks_like(path: Path, head: bytes) -> bool:
    """A folder with Org files of cards, or such a file."""
    if not path.is_dir():
        return path.suffix.lower() in (".org", "") and _MARKS.search(head) is not None
    return holds_marked(path, ".org", _MARKS, _LOOKS)


def read(path: Path) -> Bundle:
    """The cards of a folder's Org files, or of one.  Raises ExchangeError."""
    lost: list[Lost] = []
    reading = _Reading(path, lost)
    cards = list(reading.cards())
    if reading.implied:
        what = f"Without org-fc's table of answers: of {reading.implied} schedules the last one is "
        lost.append(Lost(path.name, f"{what}known, as Good. Put org-fc-reviews.tsv beside them."))
    if not cards and not lost:
        raise ExchangeError(f"{path}: no card was found. A card is a heading with the tag :fc:.")
    return Bundle("org", str(path), len(cards), lambda: iter(cards), reading.pictures.media, lost)


class _Reading:
    """One import."""

    def __init__(self, path: Path, lost: list[Lost]) -> None:
        self.lost = lost
        self.source = Source(path, lost)
        self.pictures = Pictures(self.source)
        self.implied = 0
        self._keys = Keys()
        self._answers = self._read_answers()

    def cards(self) -> Iterator[ForeignCard]:
        for path in self.source.notes(".org"):
            text = self.source.text(path)
            if text is None:
                continue
            where = self.source.name(path)
            folder = (*self.source.folders(path), path.stem)
            for heading in outline(text).all():
                if "fc" in heading.tags:
                    card = self._card(heading, path, folder, f"{where}:{heading.line}")
                    if card is not None:
                        yield card

    def _read_answers(self) -> review.Answers:
        found: review.Answers = {}
        for path in self.source.files():
            if path.suffix.lower() == ".tsv" and "review" in path.name.casefold():
                text = self.source.text(path)
                more, unread = review.answers_of(text or "")
                found.update(more)
                if unread:
                    what = f"{unread} of its lines are no answers of org-fc; they were left out."
                    self.lost.append(Lost(self.source.name(path), what))
        return found

    def _card(
        self, heading: Heading, path: Path, folder: tuple[str, ...], where: str
    ) -> ForeignCard | None:
        name = heading.properties.get("FC_TYPE", "normal").casefold()
        kind = TYPES.get(name)
        if kind is None:
            what = f"Cards of the type {name!r} are not read; {', '.join(TYPES)} are."
            self.lost.append(Lost(where, what))
            return None
        if heading.open:
            what = f"Its drawer :{heading.open}: is never closed (:END:): what follows is not read."
            self.lost.append(Lost(where, what))
        shown = heading.properties.get("FC_CLOZE_TYPE", "deletion").casefold()
        if kind == "cloze" and shown != "deletion":
            what = f"Its holes are of the type {shown!r}; here each is asked with the others shown."
            self.lost.append(Lost(where, what))
        if is_too_large(
            where, "\n".join(line for h in heading.all() for line in h.body), self.lost
        ):
            return None
        card = said(heading, kind)
        self.lost += [Lost(where, sentence) for sentence in card.lost]
        if kind == "cloze" and not card.positions:
            self.lost.append(Lost(where, "This cloze card has no hole: put {{ }} round a text."))
            return None
        key = heading.properties.get("ID") or content_key(card.question)
        draft = Draft(self._keys.unique(key), where, kind, card.question, card.answer)
        tags = dict.fromkeys((*heading.inherited, *heading.tags))
        draft.fields = {"tags": [tag for tag in tags if tag not in _OWN_TAGS]}
        draft.folder = folder
        draft.items = list(self._items(heading, card.positions, where))
        self.pictures.put(draft, path)
        return finished(draft, self.lost)

    def _items(
        self, heading: Heading, positions: dict[str, str], where: str
    ) -> Iterator[ForeignItem]:
        rows, unread = review.rows(heading.drawers.get("REVIEW_DATA", []))
        for line in unread:
            self.lost.append(Lost(where, f"Its schedule {line!r} cannot be read."))
        by_name = {row.position: row for row in rows}
        suspended = "suspended" in (*heading.inherited, *heading.tags)
        for suffix, name in {suffix: name for name, suffix in positions.items()}.items():
            answers = self._answers.get((heading.properties.get("ID", ""), name), [])
            item = review.item(suffix, by_name.pop(name, None), answers)
            self.implied += bool(item.reviews and not answers)
            if item.reviews or item.due or suspended:
                yield replace(item, suspended=suspended)
        for name, row in by_name.items():
            if row.interval is not None:
                what = f"Its schedule for the position {name!r} belongs to nothing that it asks."
                self.lost.append(Lost(where, what))
