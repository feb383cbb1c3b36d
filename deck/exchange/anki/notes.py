"""Anki packages, note by note: one card, or one for each template that asks something else."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from html import escape, unescape
from pathlib import Path
from typing import NamedTuple

from cards.cloze import find
from cards.model import Value
from deck.exchange.anki.html import Converted, escaped, hidden_by, is_said, to_markdown
from deck.exchange.anki.package import (
    COLLECTIONS,
    AnkiCard,
    AnkiCollection,
    AnkiNote,
    NoteType,
    item_of,
    open_package,
)
from deck.exchange.model import ExchangeError, ForeignCard, ImportSource, Losses, OwnCard, id_from
from deck.exchange.normalise import CardDraft, finished, is_too_large

_SUFFIXES = (".apkg", ".colpkg")


def looks_like(path: Path, head: bytes) -> bool:
    """A zip archive that holds a collection, or is damaged and named like one."""
    is_named = path.suffix.lower() in _SUFFIXES
    if not head.startswith(b"PK"):
        return is_named and path.is_file()
    try:
        with zipfile.ZipFile(path) as archive:
            return is_named or any(name in archive.NameToInfo for name in COLLECTIONS)
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return is_named


def read(path: Path) -> ImportSource:
    """Raises ExchangeError for a package that is none, is damaged, or would fill the disk."""
    package, lost = open_package(path), Losses()

    @contextmanager
    def opened() -> Iterator[AnkiCollection]:
        try:
            with closing(AnkiCollection(package.database)) as collection:
                yield collection
        except ExchangeError as error:
            raise ExchangeError(f"{path}: {error}") from error

    def cards() -> Iterator[ForeignCard]:
        with opened() as collection:
            for note in collection.each_note():
                yield from _NoteReader(note, collection, lost).cards()
            if count := collection.orphans():
                what = f"{count:,} answers are to cards that were deleted in Anki; they were left "
                lost.say("the history", f"{what}out.")

    with opened() as collection:
        total, made = collection.notes, collection.modified
    return ImportSource("anki", path.name, total, cards, package.media, lost, made)


# A note's cards.

OWN = "deltadeck:"
"""GUIDs of our own exports begin so."""
_FLAGS = ("", "red", "orange", "green", "blue", "pink", "turquoise", "purple")
#: More HTML than this never becomes a card of at most 1 MB.
_LONGEST = 4_000_000
#: A field no longer than this, such as the "y" of Add Reverse, is a mark, not a text.
_MARK = 3
_EMPTY = "left out, as Anki's Tools > Empty Cards does."
_MARKUP = re.compile(r"<[^<>]*>|\s+")
#: What a value raises that no note of Anki's has; templates may be too deep as well.
_ODD = (TypeError, ValueError, ArithmeticError, AttributeError, LookupError, RecursionError)


class _Shown(NamedTuple):
    """What a card shows."""

    sides: Sides
    front: Converted
    back: Converted

    @property
    def texts(self) -> tuple[str, str]:
        return self.front.text, self.back.text


class _Part(NamedTuple):
    """What no side shows at once."""

    kind: str
    title: str
    """Markdown."""
    made: Converted
    drawn: bool = True
    """Whether a side would show it after a click or without a style."""

    def callout(self) -> str:
        lines = [f"[!{self.kind}]- {self.title}", *self.made.text.split("\n")]
        return "\n".join(f"> {line}".rstrip() for line in lines)


_Made = tuple[ForeignCard, list[_Shown]]


class _NoteReader:
    """Makes the cards of one note."""

    def __init__(self, note: AnkiNote, collection: AnkiCollection, lost: Losses) -> None:
        self._note, self._collection, self._lost = note, collection, lost
        first = note.fields[0][:2000] if note.fields else ""
        words = " ".join(_MARKUP.sub(" ", first).split())[:60]
        self._where = f"note {words!r}" if words else f"note {note.id}"

    def cards(self) -> list[ForeignCard]:
        """Its cards, none where it can have none, which is said."""
        note = self._note
        odd = dict.fromkeys(name for row in note.cards for name in row.odd)
        said = f"Of its schedule this is no number that can be: {', '.join(odd)}." * bool(odd)
        if note.odd:
            said += f" {note.odd:,} of its answers hold what is no number; they were left out."
        if said:
            self._say(said.strip())
        try:
            return list(self._cards())
        except _ODD as error:
            self._say(f"It holds what no note can ({error}); it was left out.")
            return []

    def _cards(self) -> Iterator[ForeignCard]:
        note = self._note
        kind = self._collection.types.get(note.type)
        size = sum(map(len, note.fields))
        if kind is None or not kind.templates:
            self._say("Its note type is missing in the package.")
        elif size > _LONGEST:
            self._say(f"It has {size / 1e6:.1f} MB of text; a card has at most 1 MB. Split it.")
        elif not note.cards:
            self._say("It has no card in Anki; it was left out.")
        else:
            more = (f"field {n}" for n in range(len(kind.fields), len(note.fields)))
            fields = dict(zip((*kind.fields, *more), note.fields, strict=False))
            made = self._cloze(kind, fields) if kind.cloze else self._plain(kind, fields)
            yield from self._whole(list(made), fields, kind)

    def _say(self, *sentences: str) -> None:
        self._lost.say(self._where, *sentences)

    # Kinds of notes.

    def _cloze(self, kind: NoteType, fields: dict[str, str]) -> Iterator[_Made]:
        note = self._note
        if any("{{c" in text and "::image-occlusion:" in text for text in note.fields):
            self._say("It hides parts of a picture, which cards here cannot; left out.")
            return
        _, front, back = kind.templates[0]
        asked = self._converted(cloze_sides(front, back, fields), kind)
        question = re.sub(r"\{\{c(\d+)(?:,\d+)+::", r"{{c\1::", asked.front.text)
        question = re.sub(r"\{\{c0+(?=[1-9]\d*::)", "{{c", question)
        numbers = find(question).numbers
        if not numbers:
            self._say("It is a cloze note whose clozes cannot be read; left out.")
            return
        items = [(f"/c{row.ord + 1}", row) for row in note.cards if row.ord + 1 in numbers]
        for row in note.cards:
            if row.ord + 1 not in numbers:
                self._say(f"Its cloze {row.ord + 1} is gone from the text: {_EMPTY}")
        shown = asked._replace(front=replace(asked.front, text=question))
        if card := self._card(note.guid, "cloze", shown, items, note.cards):
            yield card, [asked]

    def _plain(self, kind: NoteType, fields: dict[str, str]) -> Iterator[_Made]:
        note = self._note
        made: list[tuple[AnkiCard, _Shown]] = []
        for row in note.cards:
            if not 0 <= row.ord < len(kind.templates):
                self._say(f"Its card {row.ord + 1} has no template any more: {_EMPTY}")
                continue
            name, front, back = kind.templates[row.ord]
            both = sides(front, back, fields)
            if both.asks:
                made.append((row, self._converted(both, kind)))
            else:
                self._say(f"Its card {name!r} asks nothing: {_EMPTY}")
        if len(made) == 2 and made[0][1].texts == made[1][1].texts[::-1]:  # mirror images
            (one, shown), (other, turned) = made
            items = [("", one), ("/r", other)]
            if card := self._card(note.guid, "reversed", shown, items, note.cards):
                yield replace(card, apart=self._apart(card, (one, other))), [shown, turned]
            return
        for row, shown in made:
            if card := self._card(self._key(row), "basic", shown, [("", row)], (row,)):
                is_half = len(made) == 2 and row is made[1][0] and card.own is None
                yield replace(card, half_of=note.guid) if is_half else card, [shown]

    def _apart(self, card: ForeignCard, rows: Sequence[AnkiCard]) -> tuple[ForeignCard, ...]:
        """A reversed card as it would be, did its two cards ask different things."""
        if card.own is not None or not card.solution:
            return ()
        texts = (card.question, card.solution), (card.solution, card.question)
        one, two = (
            replace(
                card,
                key=self._key(row),
                wanted_id=id_from(question, f"card_{self._key(row)[:8]}"),
                folder=self._folder(row),
                type="basic",
                question=question,
                solution=solution,
                fields=self._fields((row,)),
                items=(replace(item, suffix=""),),
            )
            for row, item, (question, solution) in zip(rows, card.items, texts, strict=True)
        )
        return one, replace(two, half_of=card.key)

    # One card.

    def _card(
        self,
        key: str,
        kind: str,
        shown: _Shown,
        items: Sequence[tuple[str, AnkiCard]],
        rows: tuple[AnkiCard, ...],
    ) -> ForeignCard | None:
        """The card; `items` are the rows of its items by their suffixes, `rows` all of the note's
        that it stands for."""
        note, (question, solution) = self._note, shown.texts
        draft = CardDraft(
            key=key,
            where=self._where,
            type=kind,
            question=question or "(nothing but the answer)" * bool(solution),
            solution=solution,
            folder=self._folder(rows[0]),
            fields=self._fields(rows),
            items=[item_of(s, row, note.guid, self._collection) for s, row in items],
            media=[*shown.front.media, *shown.back.media],
        )
        if key.startswith(OWN):  # our own export made the note
            draft.wanted_id = key.removeprefix(OWN)
        card = finished(draft, self._lost)
        if card is None:
            return None
        own = None
        if draft.wanted_id:
            names, texts = self._collection.types[note.type].fields, (draft.question, solution)
            tags = {"tags": card.fields.get("tags", [])}
            own = OwnCard(draft.wanted_id, kind, *texts, tags, names=names, html=note.fields)
        return replace(card, own=own, version=note.mod)

    def _key(self, row: AnkiCard) -> str:
        return self._note.guid if row.ord == 0 else f"{self._note.guid}:{row.ord}"

    def _folder(self, row: AnkiCard) -> tuple[str, ...]:
        return self._collection.decks.get(row.odid or row.deck, ("Default",))

    def _fields(self, rows: Sequence[AnkiCard]) -> dict[str, Value]:
        """The course, and the note's tags with its flags: colours have no other place here."""
        course = self._folder(rows[0])[0]
        flags = sorted({row.flags & 7 for row in rows} - {0})
        tags = [*self._note.tags, *(f"flag::{_FLAGS[flag]}" for flag in flags)]
        kept: list[Value] = list(dict.fromkeys(tag.replace("\u3000", "") for tag in tags))
        return {"course": course, "tags": kept} if kept else {"course": course}

    def _converted(self, both: Sides, kind: NoteType) -> _Shown:
        sheet = _sheet(kind)
        shown = _Shown(both, to_markdown(both.front, sheet), to_markdown(both.back, sheet))
        self._say(*dict.fromkeys([*shown.front.lost, *shown.back.lost]))
        return shown

    # What no side shows at once.

    def _whole(
        self, made: list[_Made], fields: dict[str, str], kind: NoteType
    ) -> Iterator[ForeignCard]:
        """The cards with every word of the note's fields: what is hidden in Anki, or shown after a
        click, stands in folded callouts below the solution."""
        told = [text for _, shown in made for each in shown for text in each.texts]
        parts: list[list[_Part]] = []
        for _, shown in made:
            parts.append([])
            hidden = [found for each in shown for side in each[1:] for found in side.hidden]
            for title, clicked in hidden:
                if title and not is_said(clicked.text, told):
                    parts[-1].append(_Part("hint", title, clicked))
                    told.append(clicked.text)
        if made:
            parts[0] += self._beside(made, fields, kind, told)
        for (card, _), more in zip(made, parts, strict=True):
            yield self._with(card, more) if more else card

    def _beside(
        self, made: list[_Made], fields: dict[str, str], kind: NoteType, told: list[str]
    ) -> Iterator[_Part]:
        """What the fields say and nothing that is `told`."""
        every = [each for _, shown in made for each in shown]
        drawn = frozenset[str]().union(*(each.sides.drawn for each in every))
        is_hiding = any(side.hidden for each in every for side in each[1:])
        for name, text in fields.items():
            if not text or (name in drawn and not is_hiding):
                continue
            whole = to_markdown(text, None)
            if not (whole.text or name in drawn):
                self._say(*whole.lost)
            if not whole.text or is_said(whole.text, told):
                continue
            if len(whole.text) <= _MARK and name not in drawn and _only_decides(name, kind):
                continue  # the cards that there are say it
            found = [whole]
            if name in drawn:
                seen = to_markdown(text, _sheet(kind))
                found = [seen, *(more for _, more in seen.hidden)]
            for each in found:
                if each.text and not is_said(each.text, told):
                    yield _Part("info", escaped(name), each, name in drawn)

    def _with(self, card: ForeignCard, parts: list[_Part]) -> ForeignCard:
        bare = not card.solution and card.type == "basic"
        texts = [each.made.text if bare and each.drawn else each.callout() for each in parts]
        solution = "\n\n".join(filter(None, [card.solution, *texts]))
        if is_too_large(self._where, card.question + solution, Losses()):
            titles = ", ".join(repr(each.title) for each in parts)
            self._say(f"What it hides is too long for a card, and was left out: {titles}.")
            return card
        media = tuple(dict.fromkeys([*card.media, *(n for each in parts for n in each.made.media)]))
        self._say(*dict.fromkeys(what for each in parts for what in each.made.lost))
        apart = tuple(
            half if half.half_of else replace(half, solution=solution, media=media)
            for half in card.apart
        )
        return replace(card, solution=solution, media=media, apart=apart)


@lru_cache(maxsize=64)
def _sheet(kind: NoteType) -> frozenset[str]:
    """What the style sheets of a note type hide."""
    found = [each for t in kind.templates for side in t[1:] for each in _STYLE.finditer(side)]
    return hidden_by(kind.css + "".join(each[0] for each in found if each[1].lower() == "style"))


def _only_decides(name: str, kind: NoteType) -> bool:
    """Whether templates depend on a field, and none of them shows it."""
    sides = [side for template in kind.templates for side in template[1:]]
    shows = re.compile(rf"(?:\{{\{{|:)\s*{re.escape(name)}\s*\}}\}}")
    decides = any(name == found.strip() for side in sides for found in _CONDITION.findall(side))
    return decides and not any(map(shows.search, sides))


# A card's two sides as HTML: a note type's templates with a note's fields put in.  The language is
# Anki's: `{{Field}}`, `{{filter:Field}}`, `{{#Field}}...{{/Field}}`, `{{^Field}}`, `{{FrontSide}}`.
# A template is read once, into pieces; a field's own text is never read as one.

_TAG = re.compile(r"(<!--.*?(?:-->|\Z))|\{\{([^{}]*)\}\}", re.DOTALL)
_ANSWER = re.compile(r"<hr\b[^<>]{0,500}?\bid\s{0,9}=\s{0,9}[\"']?answer\b[^<>]{0,500}>", re.I)
#: In place of the rule above the answer: no template or field has it.
_RULE = "\0answer\0"
#: Tags that draw nothing by themselves.
_UNSEEN = re.compile(r"<!--.*?(?:-->|\Z)|<(?!img\b|audio\b|video\b)[^<>]*>", re.DOTALL | re.I)
#: What was typed is compared with the field, which is what the back shows here.
_TYPED = re.compile(r"\{\{\s*+type:(?:nc:)?")
_STYLE = re.compile(r"<(style|script)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
#: All that a field holds which is empty to Anki (rslib/src/template.rs), and a space of HTML's.
_NOTHING = re.compile(r"(?:</?(?:br|div) ?/?>|&nbsp;|\s)*+", re.IGNORECASE)
_CONDITION = re.compile(r"\{\{\s*+[#^]([^{}]*+)\}\}")
_FURIGANA = re.compile(r" ?([^ >\]\[]{1,100}+)\[(?!sound:)([^\]]{1,500})\]")
#: Of what a template may hold beside fields: known to Anki, and nothing for a card here.
_SPECIAL = frozenset({"Tags", "Type", "Deck", "Subdeck", "Card", "CardFlag", "CardID"})
FRONT = "FrontSide"

Node = str | tuple[str, tuple[str, ...]] | tuple[str, str, tuple["Node", ...]]
"""Text; (field, filters); ("#" or "^", field, nodes)."""


@dataclass(frozen=True, slots=True)
class Sides:
    """A card's sides."""

    front: str
    back: str
    """Without the front that many templates repeat above the answer."""
    drawn: frozenset[str] = frozenset()
    """The fields that either shows whole, or hides behind a click or a style."""
    asks: bool = True
    """Whether the front shows a field that holds something: to Anki, a card without is empty."""


def sides(front: str, back: str, fields: Mapping[str, str]) -> Sides:
    """The two sides of a card; what is typed is not drawn, and hints are in `<details>`."""
    drawn: dict[str, bool] = {}
    asked = _render(_read(front), fields, drawn)
    asks = any(_holds(name, fields) for name in drawn)
    shown = _render(_read(_ANSWER.sub(_RULE, _TYPED.sub("{{", back))), fields, drawn)
    return Sides(asked, _behind_front(shown, asked), _whole(drawn), asks)


def _whole(drawn: Mapping[str, bool]) -> frozenset[str]:
    return frozenset(name for name, whole in drawn.items() if whole)


def _behind_front(back: str, front: str) -> str:
    """The back without the front that stands above the rule; all of it where that is more."""
    above, _, below = back.partition(_RULE)
    below = below.replace(_RULE, "<hr>")
    seen = _seen(above)
    if not seen or seen == _seen(front):
        return below if _RULE in back else above
    return f"{above}<hr>{below}" if _seen(below) else above


def _seen(html: str) -> str:
    """What is to be seen of it, in a form that tells whether two are the same."""
    return "".join(unescape(_UNSEEN.sub("", html)).split())


def cloze_sides(front: str, back: str, fields: Mapping[str, str]) -> Sides:
    """The text with its clozes, and what the back shows beside it."""
    drawn: dict[str, bool] = {}
    asked = _render(_read(front), fields, drawn)
    shown = _render(_read(_without_clozes(back)), fields, drawn)
    return Sides(asked, shown, _whole(drawn))


@lru_cache(maxsize=256)
def _without_clozes(template: str) -> str:
    """A cloze's answer is its text, shown: here it is the card's own business."""
    return re.sub(r"\{\{\s*(?:[\w-]+:)*cloze:[^{}]*\}\}", "", _ANSWER.sub("", template))


@lru_cache(maxsize=1024)
def _read(template: str) -> tuple[Node, ...]:
    """A template that is wrong is read as far as it makes sense."""
    template = _STYLE.sub("", template)
    stack: list[tuple[str, str, list[Node]]] = [("", "", [])]
    at = 0
    for found in _TAG.finditer(template):
        stack[-1][2].append(template[at : found.start()])
        at = found.end()
        if found[1]:
            continue
        name = found[2].strip()
        sign = name[0] if name[:1] in ("#", "^", "/", "=") else ""
        name = name.removeprefix(sign).strip()
        if sign in ("#", "^"):
            stack.append((sign, name, []))
        elif sign == "/":
            if len(stack) > 1 and stack[-1][1] == name:
                kind, field, nodes = stack.pop()
                stack[-1][2].append((kind, field, tuple(nodes)))
        elif not sign and name:
            *filters, field = name.split(":")
            stack[-1][2].append((field.strip(), tuple(filters)))
    stack[-1][2].append(template[at:])
    while len(stack) > 1:
        kind, field, nodes = stack.pop()
        stack[-1][2].append((kind, field, tuple(nodes)))
    return tuple(stack[0][2])


def _render(nodes: tuple[Node, ...], fields: Mapping[str, str], drawn: dict[str, bool]) -> str:
    """What is drawn; `drawn` takes the fields in it, and whether it shows them whole."""
    parts: list[str] = []
    for node in nodes:
        if isinstance(node, str):
            parts.append(node)
        elif len(node) == 2:
            text = _field(node[0], node[1], fields)
            drawn[node[0]] = drawn.get(node[0], False) or text == fields.get(node[0])
            is_hint = "hint" in map(str.strip, node[1]) and "cloze" not in node[1]
            if is_hint and _NOTHING.fullmatch(text) is None:
                text = f"<details><summary>{escape(node[0])}</summary>{text}</details>"
            parts.append(text)
        elif (node[0] == "#") is _holds(node[1], fields):
            parts.append(_render(node[2], fields, drawn))
    return "".join(parts)


def _holds(field: str, fields: Mapping[str, str]) -> bool:
    is_cloze = re.fullmatch(r"c\d+", field) is not None
    return is_cloze or _NOTHING.fullmatch(fields.get(field, "")) is None


def _field(name: str, filters: tuple[str, ...], fields: Mapping[str, str]) -> str:
    if name == FRONT or (name in _SPECIAL and name not in fields):
        return ""
    text = fields.get(name, "")
    for each in reversed(filters):
        kind = each.strip().partition(" ")[0]
        if kind in ("type", "tts", "tts-voices"):
            return ""  # what is typed or spoken is not drawn
        if kind in ("furigana", "kanji", "kana"):
            shown = {"furigana": r"\1(\2)", "kanji": r"\1", "kana": r"\2"}[kind]
            text = _FURIGANA.sub(shown, text)
    return text
