"""Anki packages, note by note: one card, or one for each template that asks something else."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache
from html import escape, unescape
from pathlib import Path
from typing import NamedTuple

from cards.cloze import find
from cards.model import Value
from deck.exchange.anki.collection import AnkiCollection, AnkiNote, Answer, NoteType, Row, item_of
from deck.exchange.anki.html import Converted, escaped, hidden_by, is_said, to_markdown
from deck.exchange.anki.package import COLLECTIONS, open_package
from deck.exchange.model import (
    ExchangeError,
    ForeignCard,
    ForeignItem,
    ImportSource,
    Lost,
    OwnCard,
    id_from,
)
from deck.exchange.normalise import Draft, finished, is_too_large

_SUFFIXES = (".apkg", ".colpkg")


def looks_like(path: Path, head: bytes) -> bool:
    """A zip archive that holds a collection, or is damaged and named like one."""
    named = path.suffix.lower() in _SUFFIXES
    if not head.startswith(b"PK"):
        return named and path.is_file()
    try:
        with zipfile.ZipFile(path) as archive:
            return named or any(name in archive.NameToInfo for name in COLLECTIONS)
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return named


def read(path: Path) -> ImportSource:
    """Raises ExchangeError for a package that is none, is damaged, or would fill the disk."""
    package = open_package(path)
    lost: list[Lost] = []

    def opened() -> AnkiCollection:
        try:
            return AnkiCollection(package.database)
        except ExchangeError as error:
            raise ExchangeError(f"{path}: {error}") from error

    def cards() -> Iterator[ForeignCard]:
        with closing(opened()) as collection:
            try:
                yield from NoteReader(collection, lost).cards()
            except ExchangeError as error:
                raise ExchangeError(f"{path}: {error}") from error

    with closing(opened()) as collection:
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
_Pair = tuple[Row, tuple[Answer, ...]]


class _Shown(NamedTuple):
    """What a card shows."""

    sides: Sides
    front: Converted
    back: Converted


class _Part(NamedTuple):
    """What no side shows at once."""

    kind: str
    title: str
    """Markdown."""
    made: Converted
    drawn: bool = True
    """Whether a side would show it after a click or without a style."""


_Made = tuple[ForeignCard, list[_Shown]]
#: What a value raises that no note of Anki's has; templates may be too deep as well.
_ODD = (TypeError, ValueError, ArithmeticError, AttributeError, LookupError, RecursionError)


class NoteReader:
    """Reads the notes of a collection."""

    def __init__(self, collection: AnkiCollection, lost: list[Lost]) -> None:
        self._collection, self._lost = collection, lost

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

    def _cards_of(self, note: AnkiNote) -> Iterator[ForeignCard]:
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
        names = [*kind.fields, *(f"field {n}" for n in range(len(kind.fields), len(note.fields)))]
        fields = dict(zip(names, note.fields, strict=False))
        if not note.cards:
            self._say(where, "It has no card in Anki; it was left out.")
            return
        of_kind = self._cloze if kind.cloze else self._plain
        made = list(of_kind(note, kind, fields, where))
        yield from self._whole(made, fields, kind, where)

    # What no side shows at once.

    def _whole(
        self, made: list[_Made], fields: dict[str, str], kind: NoteType, where: str
    ) -> Iterator[ForeignCard]:
        """The cards with every word of the note's fields: what is hidden in Anki, or shown after a
        click, stands in folded callouts below the solution."""
        every = [each for _, shown in made for each in shown]
        drawn = frozenset[str]().union(*(each.sides.drawn for each in every))
        is_hiding = any(side.hidden for each in every for side in each[1:])
        told = [side.text for each in every for side in each[1:]]
        unsure = [
            name for name, text in fields.items() if text and (is_hiding or name not in drawn)
        ]
        parts: list[list[_Part]] = []
        for _, shown in made:
            clicked = [
                _Part("hint", *each) for pair in shown for s in pair[1:] for each in s.hidden
            ]
            parts.append([])
            for part in clicked:
                if part.title and not is_said(part.made.text, told):
                    parts[-1].append(part)
                    told.append(part.made.text)
        for name in unsure if made else ():
            whole = to_markdown(fields[name], None)
            for what in whole.lost if not (whole.text or name in drawn) else ():
                self._say(where, what)
            if not whole.text or is_said(whole.text, told):
                continue
            if len(whole.text) <= _MARK and name not in drawn and _only_decides(name, kind):
                continue  # the cards that there are say it
            found = [whole]
            if name in drawn:
                seen = to_markdown(fields[name], _sheet(kind))
                found = [seen, *(more for _, more in seen.hidden)]
            title = escaped(name)
            news = [each for each in found if each.text and not is_said(each.text, told)]
            parts[0] += [_Part("info", title, each, name in drawn) for each in news]
        for (card, _), more in zip(made, parts, strict=True):
            yield self._with(card, more, where) if more else card

    def _with(self, card: ForeignCard, parts: list[_Part], where: str) -> ForeignCard:
        bare = not card.solution and card.type == "basic"
        texts = [each.made.text if bare and each.drawn else _callout(each) for each in parts]
        solution = "\n\n".join(filter(None, [card.solution, *texts]))
        if is_too_large(where, card.question + solution, []):
            titles = ", ".join(repr(each.title) for each in parts)
            self._say(where, f"What it hides is too long for a card, and was left out: {titles}.")
            return card
        media = dict.fromkeys([*card.media, *(name for each in parts for name in each.made.media)])
        for what in dict.fromkeys(what for each in parts for what in each.made.lost):
            self._say(where, what)
        apart = tuple(
            replace(half, solution=solution, media=tuple(media)) if not half.half_of else half
            for half in card.apart
        )
        return replace(card, solution=solution, media=tuple(media), apart=apart)

    # Kinds of notes.

    def _cloze(
        self, note: AnkiNote, kind: NoteType, fields: dict[str, str], where: str
    ) -> Iterator[_Made]:
        if any("{{c" in text and "::image-occlusion:" in text for text in note.fields):
            self._say(where, "It hides parts of a picture, which cards here cannot; left out.")
            return
        _, front, back = kind.templates[0]
        asked = self._converted(cloze_sides(front, back, fields), kind, where)
        question = re.sub(r"\{\{c(\d+)(?:,\d+)+::", r"{{c\1::", asked.front.text)
        question = re.sub(r"\{\{c0+(?=[1-9]\d*::)", "{{c", question)
        numbers = find(question).numbers
        if not numbers:
            self._say(where, "It is a cloze note whose clozes cannot be read; left out.")
            return
        items = [
            item_of(f"/c{row.ord + 1}", row, answers, note.guid, self._collection)
            for row, answers in note.cards
            if row.ord + 1 in numbers
        ]
        for row, _ in note.cards:
            if row.ord + 1 not in numbers:
                self._say(where, f"Its cloze {row.ord + 1} is gone from the text: {_EMPTY}")
        texts = question, asked.back.text
        for card in self._card(note, note.guid, "cloze", texts, items, note.cards, asked, where):
            yield card, [asked]

    def _plain(
        self, note: AnkiNote, kind: NoteType, fields: dict[str, str], where: str
    ) -> Iterator[_Made]:
        made: list[tuple[_Pair, _Shown]] = []
        for pair in note.cards:
            number = pair[0].ord
            if not 0 <= number < len(kind.templates):
                self._say(where, f"Its card {number + 1} has no template any more: {_EMPTY}")
                continue
            name, front, back = kind.templates[number]
            if asks(front, fields):
                made.append((pair, self._converted(sides(front, back, fields), kind, where)))
            else:
                self._say(where, f"Its card {name!r} asks nothing: {_EMPTY}")
        if len(made) == 2 and mirrored(made[0][1][1:], made[1][1][1:]):
            items = [
                item_of(suffix, *pair, note.guid, self._collection)
                for suffix, (pair, _) in zip(("", "/r"), made, strict=True)
            ]
            texts = made[0][1].front.text, made[0][1].back.text
            for card in self._card(
                note, note.guid, "reversed", texts, items, note.cards, made[0][1], where
            ):
                apart = self._apart(note, card, [pair for pair, _ in made])
                yield replace(card, apart=apart), [shown for _, shown in made]
            return
        for pair, both in made:
            items = [item_of("", *pair, note.guid, self._collection)]
            texts = both.front.text, both.back.text
            for card in self._card(
                note, _key(note, pair), "basic", texts, items, (pair,), both, where
            ):
                is_half = len(made) == 2 and pair is made[1][0] and card.own is None
                yield replace(card, half_of=note.guid) if is_half else card, [both]

    def _apart(
        self, note: AnkiNote, card: ForeignCard, pairs: list[_Pair]
    ) -> tuple[ForeignCard, ...]:
        if card.own is not None or not card.solution:
            return ()
        keys = [_key(note, pair) for pair in pairs]
        folders = [self._folder(row) for row, _ in pairs]
        fields = [self._fields(note, f, (p,)) for f, p in zip(folders, pairs, strict=True)]
        return halves(card, keys, folders, fields)

    # One card.

    def _card(
        self,
        note: AnkiNote,
        key: str,
        kind: str,
        texts: tuple[str, str],
        items: list[ForeignItem],
        pairs: tuple[_Pair, ...],
        shown: _Shown,
        where: str,
    ) -> Iterator[ForeignCard]:
        folder = self._folder(pairs[0][0])
        media = [*shown.front.media, *shown.back.media]
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
        if key.startswith(OWN):  # our own export made the note
            draft.wanted_id = key.removeprefix(OWN)
        card = finished(draft, self._lost)
        if card is None:
            return
        own = None
        if draft.wanted_id:
            names = self._collection.types[note.type].fields
            texts = draft.question, draft.solution
            tags = {"tags": card.fields.get("tags", [])}
            own = OwnCard(draft.wanted_id, kind, *texts, tags, names=names, html=note.fields)
        yield replace(card, own=own, version=note.mod)

    def _folder(self, row: Row) -> tuple[str, ...]:
        return self._collection.decks.get(row.odid or row.deck, ("Default",))

    def _fields(
        self, note: AnkiNote, folder: tuple[str, ...], pairs: tuple[_Pair, ...]
    ) -> dict[str, Value]:
        """The course, and the note's tags with its flags: colours have no other place here."""
        flags = sorted({row.flags & 7 for row, _ in pairs} - {0})
        tags = [*note.tags, *(f"flag::{_FLAGS[flag]}" for flag in flags)]
        kept: list[Value] = list(dict.fromkeys(tag.replace("\u3000", "") for tag in tags))
        return {"course": folder[0], "tags": kept} if kept else {"course": folder[0]}

    def _converted(self, both: Sides, kind: NoteType, where: str) -> _Shown:
        sheet = _sheet(kind)
        shown = _Shown(both, to_markdown(both.front, sheet), to_markdown(both.back, sheet))
        for what in dict.fromkeys([*shown.front.lost, *shown.back.lost]):
            self._say(where, what)
        return shown

    def _say(self, where: str, what: str) -> None:
        self._lost.append(Lost(where, what))


def _key(note: AnkiNote, pair: _Pair) -> str:
    return note.guid if pair[0].ord == 0 else f"{note.guid}:{pair[0].ord}"


def _odd(note: AnkiNote) -> str:
    """What of its schedule cannot be read."""
    columns = dict.fromkeys(name for row, _ in note.cards for name in row.odd)
    said = f"Of its schedule this is no number that can be: {', '.join(columns)}." * bool(columns)
    if note.odd:
        said += f" {note.odd:,} of its answers hold what is no number; they were left out."
    return said.strip()


def _where(note: AnkiNote) -> str:
    first = note.fields[0][:2000] if note.fields else ""
    words = " ".join(_MARKUP.sub(" ", first).split())[:60]
    return f"note {words!r}" if words else f"note {note.id}"


def _callout(part: _Part) -> str:
    lines = [f"[!{part.kind}]- {part.title}", *part.made.text.split("\n")]
    return "\n".join(f"> {line}".rstrip() for line in lines)


@lru_cache(maxsize=64)
def _sheet(kind: NoteType) -> frozenset[str]:
    """What the style sheets of a note type hide."""
    return hidden_by(kind.css + "".join(styles(side) for t in kind.templates for side in t[1:]))


def _only_decides(name: str, kind: NoteType) -> bool:
    """Whether templates depend on a field, and none of them shows it."""
    sides = [side for template in kind.templates for side in template[1:]]
    shows = re.compile(rf"(?:\{{\{{|:)\s*{re.escape(name)}\s*\}}\}}")
    return any(name in decide(side) for side in sides) and not any(map(shows.search, sides))


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


def sides(front: str, back: str, fields: Mapping[str, str]) -> Sides:
    """The two sides of a card; what is typed is not drawn, and hints are in `<details>`."""
    drawn: set[str] = set()
    asked = _render(_read(front), fields, drawn)
    shown = _render(_read(_ANSWER.sub(_RULE, _TYPED.sub("{{", back))), fields, drawn)
    return Sides(asked, _behind_front(shown, asked), frozenset(drawn))


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


def asks(front: str, fields: Mapping[str, str]) -> bool:
    """Whether the front shows a field that holds something: to Anki, a card without is empty."""
    return _asks(_read(front), fields)


def _asks(nodes: tuple[Node, ...], fields: Mapping[str, str]) -> bool:
    for node in nodes:
        if isinstance(node, str):
            continue
        if len(node) == 2:
            if _holds(node[0], fields):
                return True
        elif (node[0] == "#") is _holds(node[1], fields) and _asks(node[2], fields):
            return True
    return False


def cloze_sides(front: str, back: str, fields: Mapping[str, str]) -> Sides:
    """The text with its clozes, and what the back shows beside it."""
    drawn: set[str] = set()
    asked = _render(_read(front), fields, drawn)
    shown = _render(_read(_without_clozes(back)), fields, drawn)
    return Sides(asked, shown, frozenset(drawn))


def decide(template: str) -> set[str]:
    """The fields on which a template's parts depend: `{{#Field}}...{{/Field}}`."""
    return {found[1].strip() for found in _CONDITION.finditer(template)}


def styles(template: str) -> str:
    """The style sheets that stand in a template."""
    return "".join(found[0] for found in _STYLE.finditer(template) if found[1].lower() == "style")


@lru_cache(maxsize=256)
def _without_clozes(template: str) -> str:
    """A cloze's answer is its text, shown: here it is the card's own business."""
    kept = _ANSWER.sub("", template)
    return re.sub(r"\{\{\s*(?:[\w-]+:)*cloze:[^{}]*\}\}", "", kept)


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


def _render(nodes: tuple[Node, ...], fields: Mapping[str, str], drawn: set[str]) -> str:
    """What is drawn, and the names of the fields in it."""
    parts: list[str] = []
    for node in nodes:
        if isinstance(node, str):
            parts.append(node)
        elif len(node) == 2:
            text = _field(node[0], node[1], fields)
            if text == fields.get(node[0]):
                drawn.add(node[0])
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


# Two cards of a note, each the other turned round: one card here, or two.

_Both = tuple[Converted, Converted]


def mirrored(one: _Both, other: _Both) -> bool:
    """Whether the sides of two cards are the same, the other way round."""
    return one[0].text == other[1].text and one[1].text == other[0].text


def halves(
    card: ForeignCard,
    keys: Sequence[str],
    folders: Sequence[tuple[str, ...]],
    fields: Sequence[Mapping[str, Value]],
) -> tuple[ForeignCard, ForeignCard]:
    """A reversed card as it would be, did its two cards ask different things."""
    one, two = (
        replace(
            card,
            key=keys[at],
            wanted_id=id_from(question, f"card_{keys[at][:8]}"),
            folder=folders[at],
            type="basic",
            question=question,
            solution=solution,
            fields=fields[at],
            items=(replace(card.items[at], suffix=""),),
        )
        for at, (question, solution) in enumerate(
            ((card.question, card.solution), (card.solution, card.question))
        )
    )
    return one, replace(two, half_of=card.key)
