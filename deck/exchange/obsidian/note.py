"""One note: the cards in it, and the note itself where it is reviewed as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from cards.model import Value
from deck.exchange.bundle import ForeignItem, Lost
from deck.exchange.draft import Draft, is_too_large
from deck.exchange.naming import content_key, id_from
from deck.exchange.obsidian import schedule, tags
from deck.exchange.obsidian.asked import Asked, asked
from deck.exchange.obsidian.blocks import SCHEDULE, Block, blocks
from deck.exchange.obsidian.decks import Decks
from deck.exchange.obsidian.settings import Settings

_BLOCK_ID = re.compile(r"[ \t]\^([A-Za-z0-9-]+)[ \t]*$", re.MULTILINE)


class Note:
    """A note's text, read; `where` is its path in the vault, `folders` those it lies in."""

    def __init__(
        self, where: str, folders: tuple[str, ...], text: str, told: Settings, lost: list[Lost]
    ) -> None:
        self.where, self.folders, self.told, self.lost = where, folders, told, lost
        self.front = tags.front(text)
        self.lines = text.split("\n")
        self.lines[: self.front.lines] = [""] * self.front.lines

    def drafts(self) -> Iterator[Draft]:
        """Its cards, in order; the note itself comes last."""
        found = list(blocks(self.lines, self.told))
        decks = Decks(self.front.tags, self.lines, found, self.told)
        every = self.told.folders_are_decks or bool(decks.named)
        for number, block in enumerate(found):
            # One that was scheduled is a card also without a tag: the plugin did ask it.
            asks = every or schedule.COMMENT.search(block.text)
            where = f"{self.where}:{block.first + 1}"
            if asks and not is_too_large(where, block.text, self.lost):
                yield self._card(block, decks.of(number, block))
        self._report(found, every)
        yield from self._whole()

    def _card(self, block: Block, decks: tuple[tuple[str, ...], ...]) -> Draft:
        where = f"{self.where}:{block.first + 1}"
        text, due, unread = schedule.taken(block.text)
        for each in unread:
            self.lost.append(Lost(where, f"Its schedule {each!r} cannot be read; it is new here."))
        identity = _BLOCK_ID.search(text)
        said = asked(block, tags.bare(_BLOCK_ID.sub("", text), self.told.tags), self.told)
        if said.unread:
            self.lost.append(Lost(where, said.unread))
        key = f"^{identity[1]}" if identity else content_key(said.question)
        folder, others = self.folders, decks[1:]
        if decks and not self.told.folders_are_decks:
            folder = decks[0]
        draft = Draft(key, where, said.type, said.question, said.answer, folder=folder)
        draft.fields = self._fields(["/".join(other) for other in others])
        draft.items = self._items(said, due, where)
        return draft

    def _items(self, said: Asked, due: list[schedule.Due | None], where: str) -> list[ForeignItem]:
        if len(due) > len(said.suffixes):
            left = len(due) - len(said.suffixes)
            what = f"It has {left} schedules more than things to ask; they were left out."
            self.lost.append(Lost(where, what))
        pairs = zip(said.suffixes, due, strict=False)
        return [each.item(suffix) for suffix, each in pairs if each is not None]

    def _fields(self, more: list[str]) -> dict[str, Value]:
        known = (*self.told.tags, *self.told.review_tags)
        own = [tag for tag in self.front.tags if tags.deck_of(tag, known) is None]
        return {"tags": [*own, *more], "note": self.where}

    def _report(self, found: list[Block], every: bool) -> None:
        if self.front.problem and (every or found):
            what = f"Its frontmatter cannot be read: {self.front.problem} Its tags were left out."
            self.lost.append(Lost(f"{self.where}:1", what))
        own = {index for block in found for index in range(block.first, block.last + 1)}
        for index, line in enumerate(self.lines):
            if line.lstrip().startswith(SCHEDULE) and index not in own:
                what = "This schedule stands behind no card; it was left out."
                self.lost.append(Lost(f"{self.where}:{index + 1}", what))

    def _whole(self) -> Iterator[Draft]:
        try:
            due = schedule.of_note(self.front.fields)
        except (ValueError, OverflowError) as error:
            self.lost.append(Lost(f"{self.where}:1", f"Its sr-due cannot be read ({error})."))
            return
        if due is None:
            return
        title = Path(self.where).stem
        text = schedule.taken("\n".join(self.lines))[0].strip()
        draft = Draft(f"note:{self.where}", self.where, "open", title, text, folder=self.folders)
        draft.wanted_id = id_from(title, "note")
        draft.fields, draft.items = self._fields([]), [due.item("")]
        yield draft
