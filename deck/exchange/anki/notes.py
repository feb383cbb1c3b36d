"""A note of Anki's to cards of ours: one, or one for each template that asks something else."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import replace

from cards.cloze import find
from cards.model import Value
from deck.exchange.anki.collection import AnkiCollection
from deck.exchange.anki.html import to_markdown
from deck.exchange.anki.mirror import halves, mirrored
from deck.exchange.anki.revlog import item_of
from deck.exchange.anki.rows import Answer, Note, NoteType, Row
from deck.exchange.anki.shown import Converted
from deck.exchange.anki.templates import Sides, asks, cloze_sides, sides
from deck.exchange.bundle import ExchangeError, ForeignCard, ForeignItem, Lost, Own
from deck.exchange.draft import Draft, finished

_OWN = "deltadeck:"
_FLAGS = ("", "red", "orange", "green", "blue", "pink", "turquoise", "purple")
#: More HTML than this never becomes a card of at most 1 MB.
_LONGEST = 4_000_000
_EMPTY = "left out, as Anki's Tools > Empty Cards does."
_TAG = re.compile(r"<[^<>]*>|\s+")
_Pair = tuple[Row, tuple[Answer, ...]]
#: What a value raises that no note of Anki's has; templates may be too deep as well.
_ODD = (TypeError, ValueError, ArithmeticError, AttributeError, LookupError, RecursionError)


class Reader:
    """Reads the notes of a collection."""

    def __init__(self, collection: AnkiCollection, lost: list[Lost], media: Container[str]) -> None:
        self._collection, self._lost = collection, lost
        self._media = media
        self._told: set[str] = set()

    def cards(self) -> Iterator[ForeignCard]:
        for note in self._collection.each_note():
            if odd := _odd(note):
                self._say(_where(note), odd)
            try:
                made = list(self._cards_of(note))
            except ExchangeError:
                raise
            except _ODD as error:
                self._say(_where(note), f"It holds what no note can ({error}); it was left out.")
                continue
            yield from made
        if count := self._collection.orphans():
            what = f"{count:,} answers are to cards that were deleted in Anki; they were left out."
            self._lost.append(Lost("the history", what))

    def _cards_of(self, note: Note) -> Iterator[ForeignCard]:
        kind = self._collection.types.get(note.type)
        where = _where(note)
        if kind is None or not kind.templates:
            self._say(where, "Its note type is missing in the package.")
            return
        size = sum(map(len, note.fields))
        if size > _LONGEST:
            what = f"It has {size / 1e6:.1f} MB of text; a card has at most 1 MB. Split it."
            self._say(where, what)
            return
        fields = dict(zip(kind.fields, note.fields, strict=False))
        pairs = note.cards
        if not pairs:
            self._say(where, "It has no card in Anki; it was left out.")
            return
        if kind.cloze:
            yield from self._cloze(note, kind, fields, pairs, where)
        else:
            yield from self._plain(note, kind, fields, pairs, where)

    # Kinds of notes.

    def _cloze(
        self,
        note: Note,
        kind: NoteType,
        fields: dict[str, str],
        pairs: tuple[_Pair, ...],
        where: str,
    ) -> Iterator[ForeignCard]:
        if any("{{c" in text and "::image-occlusion:" in text for text in note.fields):
            self._say(where, "It hides parts of a picture, which cards here cannot; left out.")
            return
        _, front, back = kind.templates[0]
        asked = self._converted(cloze_sides(front, back, fields), where)
        question = re.sub(r"\{\{c(\d+)(?:,\d+)+::", r"{{c\1::", asked[0].text)
        question = re.sub(r"\{\{c0+(?=[1-9]\d*::)", "{{c", question)
        numbers = find(question).numbers
        if not numbers:
            self._say(where, "It is a cloze note whose clozes cannot be read; left out.")
            return
        items = [
            item_of(f"/c{row.ord + 1}", row, answers, note.guid, self._collection)
            for row, answers in pairs
            if row.ord + 1 in numbers
        ]
        for row, _ in pairs:
            if row.ord + 1 not in numbers:
                self._say(where, f"Its cloze {row.ord + 1} is gone from the text: {_EMPTY}")
        yield from self._card(note, note.guid, "cloze", (question, asked[1].text), items, pairs,
                              asked, where)  # fmt: skip

    def _plain(
        self,
        note: Note,
        kind: NoteType,
        fields: dict[str, str],
        pairs: tuple[_Pair, ...],
        where: str,
    ) -> Iterator[ForeignCard]:
        made: list[tuple[_Pair, tuple[Converted, Converted]]] = []
        for pair in pairs:
            number = pair[0].ord
            if not 0 <= number < len(kind.templates):
                self._say(where, f"Its card {number + 1} has no template any more: {_EMPTY}")
                continue
            name, front, back = kind.templates[number]
            if asks(front, fields):
                made.append((pair, self._converted(sides(front, back, fields), where)))
            else:
                self._say(where, f"Its card {name!r} asks nothing: {_EMPTY}")
        if len(made) == 2 and mirrored(made[0][1], made[1][1]):
            items = [
                item_of(suffix, *pair, note.guid, self._collection)
                for suffix, (pair, _) in zip(("", "/r"), made, strict=True)
            ]
            texts = made[0][1][0].text, made[0][1][1].text
            for card in self._card(
                note, note.guid, "reversed", texts, items, pairs, made[0][1], where
            ):
                yield replace(card, apart=self._apart(note, card, [pair for pair, _ in made]))
            return
        for pair, both in made:
            items = [item_of("", *pair, note.guid, self._collection)]
            texts = both[0].text, both[1].text
            for card in self._card(
                note, _key(note, pair), "basic", texts, items, (pair,), both, where
            ):
                is_half = len(made) == 2 and pair is made[1][0] and card.own is None
                yield replace(card, half_of=note.guid) if is_half else card

    def _apart(self, note: Note, card: ForeignCard, pairs: list[_Pair]) -> tuple[ForeignCard, ...]:
        if card.own is not None or not card.solution:
            return ()
        keys = [_key(note, pair) for pair in pairs]
        folders = [self._folder(row) for row, _ in pairs]
        fields = [self._fields(note, f, (p,)) for f, p in zip(folders, pairs, strict=True)]
        return halves(card, keys, folders, fields)

    # One card.

    def _card(
        self,
        note: Note,
        key: str,
        kind: str,
        texts: tuple[str, str],
        items: list[ForeignItem],
        pairs: tuple[_Pair, ...],
        converted: tuple[Converted, Converted],
        where: str,
    ) -> Iterator[ForeignCard]:
        folder = self._folder(pairs[0][0])
        media = [name for side in converted for name in side.media]
        for name in media:
            if name not in self._media and name not in self._told:
                self._told.add(name)
                self._say(where, f"{name!r} is not in the package; its place stays empty.")
        draft = Draft(
            key=key,
            where=where,
            type=kind,
            question=texts[0] or "(nothing but the answer)" * bool(texts[1]),
            solution=texts[1],
            folder=folder,
            fields=self._fields(note, folder, pairs),
            items=items,
            media=media,
        )
        if key.startswith(_OWN):  # our own export made the note
            draft.wanted_id = key.removeprefix(_OWN)
        card = finished(draft, self._lost)
        if card is None:
            return
        own = None
        if draft.wanted_id:
            own = Own(draft.wanted_id, kind, draft.question, draft.solution)
        yield replace(card, own=own, version=note.mod)

    def _folder(self, row: Row) -> tuple[str, ...]:
        return self._collection.decks.get(row.odid or row.deck, ("Default",))

    def _fields(
        self, note: Note, folder: tuple[str, ...], pairs: tuple[_Pair, ...]
    ) -> dict[str, Value]:
        """The course, and the note's tags with its flags: colours have no other place here."""
        flags = sorted({row.flags & 7 for row, _ in pairs} - {0})
        tags = [*note.tags, *(f"flag::{_FLAGS[flag]}" for flag in flags)]
        kept: list[Value] = list(dict.fromkeys(tag.replace("\u3000", "") for tag in tags))
        return {"course": folder[0], "tags": kept} if kept else {"course": folder[0]}

    def _converted(self, both: Sides, where: str) -> tuple[Converted, Converted]:
        made = to_markdown(both.front), to_markdown(both.back)
        for what in dict.fromkeys([*made[0].lost, *made[1].lost]):
            self._say(where, what)
        return made

    def _say(self, where: str, what: str) -> None:
        self._lost.append(Lost(where, what))


def _key(note: Note, pair: _Pair) -> str:
    return note.guid if pair[0].ord == 0 else f"{note.guid}:{pair[0].ord}"


def _odd(note: Note) -> str:
    """What of its schedule cannot be read."""
    columns = dict.fromkeys(name for row, _ in note.cards for name in row.odd)
    said = f"Of its schedule this is no number that can be: {', '.join(columns)}." * bool(columns)
    if note.odd:
        said += f" {note.odd:,} of its answers hold what is no number; they were left out."
    return said.strip()


def _where(note: Note) -> str:
    first = note.fields[0][:2000] if note.fields else ""
    words = " ".join(_TAG.sub(" ", first).split())[:60]
    return f"note {words!r}" if words else f"note {note.id}"
