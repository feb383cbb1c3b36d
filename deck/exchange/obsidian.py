"""Obsidian spaced repetition."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Literal

from cards.diagnostics import Report
from cards.frontmatter import read_header
from cards.links import Definition, definitions
from cards.model import CardError, Value
from cards.spans import in_math, spans
from deck.exchange.media import Pictures
from deck.exchange.model import (
    Bundle,
    ExchangeError,
    ForeignCard,
    ForeignItem,
    ForeignReview,
    Keys,
    Lost,
    content_key,
    id_from,
)
from deck.exchange.normalise import (
    MAX_CLOZES,
    Draft,
    cloze_of,
    finished,
    is_too_large,
    without_clozes,
)
from deck.exchange.source import Source, holds_marked

# == The plugin's schedule: in a comment behind a card, or in a note's frontmatter.
#
# It keeps when a card is due and after how many days, not the answers.  One of them is certain:
# the
# last, so many days before.  Which rating that had is not; it counts as Good.


COMMENT = re.compile(r"(?<![ \t])[ \t]*+<!--SR:(?P<what>[^<>]{0,5000}?)-->")
#: Stands for a card of several that was not studied yet.
_NEW = "2000-01-01"
_FORMATS = ("%Y-%m-%d", "%d-%m-%Y", "%a %b %d %Y")
_LONGEST = 36500


@dataclass(frozen=True, slots=True)
class Due:
    """When an item is due again, and how many days that is from its last answer."""

    at: datetime
    interval: int | None

    def item(self, suffix: str) -> ForeignItem:
        """The item with its day, and with its last answer where that is known."""
        if self.interval is None:
            return ForeignItem(suffix, due=self.at)
        try:
            at = self.at - timedelta(days=self.interval)
        except OverflowError:
            return ForeignItem(suffix, due=self.at)
        key = f"due {self.at.date()} {self.interval}"
        answer = ForeignReview(at, 3, days=self.interval, key=key, implied=True)
        return ForeignItem(suffix, (answer,), due=self.at)


def taken(text: str) -> tuple[str, list[Due | None], list[str]]:
    """A card's text without its comments, the schedule of each of its items, and what cannot be
    read of it.  None stands for an item that is new."""
    found: list[Due | None] = []
    unread: list[str] = []
    for comment in COMMENT.finditer(text):
        for each in comment["what"].strip().strip("!").split("!"):
            try:
                found.append(_due(each))
            except (ValueError, IndexError, OverflowError):
                unread.append(each[:60])
                found.append(None)
    return COMMENT.sub("", text).strip("\n"), found, unread


def of_note(fields: Mapping[str, object]) -> Due | None:
    """A note's own schedule (`sr-due`, `sr-interval`).  Raises ValueError."""
    due = fields.get("sr-due")
    if due is None:
        return None
    interval = fields.get("sr-interval")
    return Due(_day(str(due)), _days(str(interval)) if interval is not None else None)


def _due(text: str) -> Due | None:
    parts = [part.strip() for part in text.split(",")]
    if parts[0] == "fsrs":
        return Due(_moment(parts[1]), _days(parts[2]))
    if parts[0] == _NEW:
        return None
    return Due(_day(parts[0]), _days(parts[1]))


def _day(text: str) -> datetime:
    """Noon of a day: the day itself in every time zone, and in every setting of its beginning."""
    for form in _FORMATS:
        try:
            day = datetime.strptime(text.strip()[:15], form).date()
        except ValueError:
            continue
        return _local(day)
    raise ValueError(f"no day: {text}")


def _local(day: date) -> datetime:
    return datetime.combine(day, time(12)).astimezone()


def _moment(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    return at if at.tzinfo else at.astimezone()


def _days(text: str) -> int | None:
    days = round(float(text))
    return days if 1 <= days <= _LONGEST else None


# == What the plugin was told to look for: its `data.json` in the vault, or what it does untold.


PLUGIN = Path(".obsidian/plugins/obsidian-spaced-repetition/data.json")
_LARGEST = 50_000_000
#: Opening sign -> the older setting that turns it on.
_CLOZES = {
    "==": "convertHighlightsToClozes",
    "**": "convertBoldTextToClozes",
    "{{": "convertCurlyBracketsToClozes",
}


@dataclass(frozen=True, slots=True)
class Settings:
    """Tags without their `#`; the signs that part a question from its answer."""

    tags: tuple[str, ...] = ("flashcards",)
    review_tags: tuple[str, ...] = ("review",)
    folders_are_decks: bool = False
    ignored: tuple[str, ...] = ()
    """Patterns of paths."""
    line: str = "::"
    line_both: str = ":::"
    lines: str = "?"
    lines_both: str = "??"
    end: str = ""
    """A line that ends a card of several lines; "" for a blank one."""
    clozes: tuple[str, ...] = ("==", "**", "{{")
    """The signs that open what is hidden.  Without settings all that the plugin knows; it turns
    on the first alone, but a vault that uses another has said so in settings we do not see."""
    known: bool = False
    """Whether the vault's own settings were read."""


def vault_of(path: Path) -> Path | None:
    """The vault a folder or note lies in, or None."""
    folder = path if path.is_dir() else path.parent
    for each in (folder, *folder.absolute().parents):
        if (each / ".obsidian").is_dir():
            return each
    return None


def settings_of(vault: Path | None, lost: list[Lost]) -> Settings:
    """The vault's settings; the usual ones where there are none that can be read."""
    path = vault / PLUGIN if vault else None
    if path is None or not path.is_file():
        return Settings()
    try:
        if path.stat().st_size > _LARGEST:
            raise ValueError("it is too large")
        found = json.loads(path.read_text(encoding="utf-8-sig"))
        told = found.get("settings", found) if isinstance(found, dict) else None
        if not isinstance(told, dict):
            raise ValueError("it holds no settings")
    except (OSError, ValueError, RecursionError) as error:
        what = f"The plugin's settings cannot be read ({error}); the usual ones were taken."
        lost.append(Lost(PLUGIN.as_posix(), what))
        return Settings()
    return _read(told, lost)


def _read(told: Mapping[str, Any], lost: list[Lost]) -> Settings:
    usual = Settings(known=True, clozes=_clozes(told, lost))

    def text(name: str, otherwise: str) -> str:
        value = told.get(name)
        return value.strip() if isinstance(value, str) and value.strip() else otherwise

    return replace(
        usual,
        tags=_tags(told.get("flashcardTags"), usual.tags),
        review_tags=_tags(told.get("tagsToReview"), usual.review_tags),
        folders_are_decks=told.get("convertFoldersToDecks") is True,
        ignored=_texts(told.get("noteFoldersToIgnore")),
        line=text("singleLineCardSeparator", usual.line),
        line_both=text("singleLineReversedCardSeparator", usual.line_both),
        lines=text("multilineCardSeparator", usual.lines),
        lines_both=text("multilineReversedCardSeparator", usual.lines_both),
        end=text("multilineCardEndMarker", ""),
    )


def _clozes(told: Mapping[str, Any], lost: list[Lost]) -> tuple[str, ...]:
    patterns = told.get("clozePatterns")
    if not isinstance(patterns, list):
        usual = {"convertHighlightsToClozes": True}
        return tuple(sign for sign, name in _CLOZES.items() if told.get(name, usual.get(name)))
    known = []
    for pattern in _texts(patterns):
        if pattern[:2] in _CLOZES:
            known.append(pattern[:2])
        else:
            what = f"Clozes of the form {pattern!r} are not read; those in ==, ** and {{{{ are."
            lost.append(Lost(PLUGIN.as_posix(), what))
    return tuple(dict.fromkeys(known))


def _tags(value: object, otherwise: tuple[str, ...]) -> tuple[str, ...]:
    texts = value.split() if isinstance(value, str) else _texts(value)
    found = tuple(tag.strip().lstrip("#").strip("/") for tag in texts)
    return tuple(tag for tag in found if tag) or otherwise


def _texts(value: object) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()


# == The cards in a note, as ranges of its lines: what the plugin takes for one, and of which kind.
#
# After the plugin's own reading (docs/en/flashcards and src/parser.ts of its repository): a
# question
# and its answer on one line, or on several up to a blank one, or a paragraph with something
# hidden.
# What stands in a code block or an HTML comment is never a card.


Kind = Literal["line", "line_both", "lines", "lines_both", "cloze"]
SCHEDULE = "<!--SR:"
_FENCE = re.compile(r"(`{3,}|~{3,})")
_BLOCKS_ANKI = re.compile(r"\{\{c\d{1,3}::?(?:(?!\{\{)[^\n]){0,5000}?\}\}")
_HIDDEN = {
    "==": re.compile(r"==(?=\S).{1,5000}?=="),
    "**": re.compile(r"\*\*(?=\S).{1,5000}?\*\*"),
    "{{": re.compile(r"\{\{(?:(?!\{\{)[^\n]){1,5000}?\}\}"),
}


@dataclass(frozen=True, slots=True)
class Block:
    """A card's text; `first` and `last` are the indices of its lines."""

    kind: Kind
    first: int
    last: int
    text: str


@dataclass(slots=True)
class _Paragraph:
    """Lines that belong together, as far as they are read."""

    first: int
    lines: list[str]
    kind: Kind | None = None


def blocks(lines: list[str], settings: Settings) -> Iterator[Block]:
    """The cards of a note's lines, in order."""
    paragraph: _Paragraph | None = None
    index = 0
    while index < len(lines):
        line = lines[index].rstrip()
        bare = line.strip()
        if line.startswith("<!--") and not line.startswith(SCHEDULE):
            index = _behind(lines, index, "-->")
            continue
        ends = bare == settings.end if settings.end else not bare
        if ends or (not bare and (paragraph is None or paragraph.kind is None)):
            yield from _ended(paragraph)
            paragraph, index = None, index + 1
            continue
        if paragraph is None:
            paragraph = _Paragraph(index, [])
        if fence := _FENCE.match(bare):
            last = _behind(lines, index + 1, fence[1]) if index + 1 < len(lines) else len(lines)
            paragraph.lines += [each.rstrip() for each in lines[index:last]]
            index = last
            continue
        kind = _parted(line, settings) if paragraph.kind is None else None
        if kind is not None:
            last = index
            if index + 1 < len(lines) and lines[index + 1].strip().startswith(SCHEDULE):
                last = index + 1
            text = "\n".join(lines[index : last + 1])
            yield Block(kind, index, last, text)
            paragraph, index = None, last + 1
            continue
        _take(paragraph, line, bare, settings)
        index += 1
    yield from _ended(paragraph)


def _take(paragraph: _Paragraph, line: str, bare: str, settings: Settings) -> None:
    parts: dict[str, Kind] = {settings.lines: "lines", settings.lines_both: "lines_both"}
    kind = parts.get(bare)
    if kind and paragraph.lines and paragraph.kind in (None, "cloze"):
        paragraph.kind = kind
    elif paragraph.kind is None and any(True for _ in marks_in(line, settings)):
        paragraph.kind = "cloze"
    paragraph.lines.append(line)


def _ended(paragraph: _Paragraph | None) -> Iterator[Block]:
    if paragraph is None or paragraph.kind is None:
        return
    last = paragraph.first + len(paragraph.lines) - 1
    text = "\n".join(paragraph.lines)
    yield Block(paragraph.kind, paragraph.first, last, text)


def _behind(lines: list[str], index: int, sign: str) -> int:
    """The index behind the next line that holds (a fence: begins with) a sign."""
    fence = sign[0] in "`~"
    for at in range(index, len(lines)):
        if lines[at].lstrip().startswith(sign) if fence else sign in lines[at]:
            return at + 1
    return len(lines)


def _parted(line: str, settings: Settings) -> Kind | None:
    """Which kind of card a line is: the longer of the two signs counts first."""
    kinds: list[tuple[str, Kind]] = [(settings.line, "line"), (settings.line_both, "line_both")]
    kinds.sort(key=lambda each: -len(each[0]))
    return next((kind for sign, kind in kinds if parting(line, sign) < len(line)), None)


def parting(text: str, sign: str) -> int:
    """Where the sign stands that parts a question from its answer; the text's length for nowhere.

    In code, in a formula and in `{{c1::...}}` it parts nothing, nor before any question.
    """
    at = text.find(sign)
    if at < 0:
        return len(text)
    inert = [(span.start, span.end) for span in spans(text)]
    inert = sorted(inert + [found.span() for found in _BLOCKS_ANKI.finditer(text)])
    while at >= 0 and (in_math(inert, at) or not text[:at].strip()):
        at = text.find(sign, at + len(sign))
    return at if at >= 0 else len(text)


def marks_in(text: str, settings: Settings) -> Iterator[re.Match[str]]:
    """What a text hides, from left to right, each outside of code and formulas."""
    found: list[re.Match[str]] = []
    for sign in settings.clozes:
        if sign in text:
            found += _HIDDEN[sign].finditer(text)
    if not found:
        return
    inert = [(span.start, span.end) for span in spans(text)]
    end = 0
    for match in sorted(found, key=lambda each: (each.start(), -each.end())):
        if match.start() >= end and not in_math(inert, match.start() + 1):
            end = match.end()
            yield match


# == A card's two sides out of its text: question and answer, or a text with hidden parts.


_BULLET = re.compile(r"\s*(?:>\s*)*(?:(?:[-*+]|\d{1,9}[.)])\s+(?:\[.\]\s+)?)?")
#: `1;;text;;hint`; `ash;;text` is the plugin's way to order what is shown.
_INNER = re.compile(
    r"(?:(?P<number>\d{1,3});;|(?P<order>[ash]{1,50});;)?(?P<text>.*?)(?:;;(?P<hint>(?:(?!;;).)*))?",
    re.DOTALL,
)
_ANKI = re.compile(r"c(?P<number>\d{1,3})::?(?P<text>.*?)(?:::(?P<hint>(?:(?!::).)*))?", re.DOTALL)
_AFTER = re.compile(r"(?:\^\[(?P<hint>[^\]\n]*)\])?(?:\[\^(?P<number>\d{1,3})\])?")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a card says here, and its items in the order in which the plugin counts them."""

    type: str
    question: str
    answer: str
    suffixes: tuple[str, ...]
    unread: str = ""
    """What of it has no equal here, as a sentence."""


def asked(block: Block, text: str, settings: Settings) -> Asked:
    """The card of a block, whose `text` is bare of tags and schedule."""
    match block.kind:
        case "line" | "line_both":
            both = block.kind == "line_both"
            sign = settings.line_both if both else settings.line
            at = parting(text, sign)
            question = text[_bullet(text) : at].strip()
            return _sides(question, text[at + len(sign) :].strip(), both)
        case "lines" | "lines_both":
            both = block.kind == "lines_both"
            sign = settings.lines_both if both else settings.lines
            lines = text.split("\n")
            at = next((n for n, line in enumerate(lines) if line.strip() == sign), len(lines))
            return _sides("\n".join(lines[:at]), "\n".join(lines[at + 1 :]), both)
        case "cloze":
            return _cloze(text, settings)


def _bullet(text: str) -> int:
    found = _BULLET.match(text)
    return found.end() if found else 0


def _sides(question: str, answer: str, both: bool) -> Asked:
    kind = "reversed" if both else "basic"
    suffixes = ("", "/r") if both else ("",)
    return Asked(kind, question.strip(), answer.strip(), suffixes)


def _cloze(text: str, settings: Settings) -> Asked:
    parts, at, given, unread = [], 0, [], ""
    found = list(marks_in(text, settings))
    for place, match in enumerate(found, 1):
        if match.start() < at:
            continue
        inner = _ANKI.fullmatch(match[0][2:-2]) or _INNER.fullmatch(match[0][2:-2])
        after = _AFTER.match(text, match.end())
        if inner is None or after is None:
            continue
        if inner.groupdict().get("order"):
            unread = "The order in which its hidden parts are shown was left out."
        said = inner["number"] or after["number"]
        number = int(said) if said and 1 <= int(said) <= MAX_CLOZES else min(place, MAX_CLOZES)
        hint = inner["hint"] or after["hint"] or ""
        parts += [without_clozes(text[at : match.start()])]
        parts += [cloze_of(number, inner["text"], hint)]
        given.append(number)
        at = match.end() + len(after[0])
    parts.append(without_clozes(text[at:]))
    suffixes = tuple(f"/c{number}" for number in sorted(set(given)))
    return Asked("cloze", "".join(parts).strip(), "", suffixes, unread)


# == Tags of a note and its lines: which say that there are cards, and in which decks they lie.


#: What may stand in a tag, as Obsidian has it: letters and marks of any script, emoji (with the
#: joiners that make one of several), no punctuation but these.
_SIGN = r"[^\s\u2000-\u200b\u200e-\u206f\u2e00-\u2e7f'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\]"
_BODY = rf"(?![\d/-]++(?!{_SIGN}))({_SIGN}++)"
_TAG = re.compile(rf"(?<![^\s(])(?<!\]\()#{_BODY}")
_LEADING = re.compile(rf"\s*#{_BODY}(?=\s|$)")


@dataclass(frozen=True, slots=True)
class Front:
    """A note's frontmatter; `lines` is how many it has, its two fences included."""

    fields: dict[str, Value]
    lines: int
    problem: str = ""

    @property
    def tags(self) -> list[str]:
        found: list[str] = []
        for name in ("tags", "tag"):
            value = self.fields.get(name, [])
            parts = re.split(r"[,\s]+", value) if isinstance(value, str) else value
            found += [each.strip().lstrip("#") for each in parts if isinstance(each, str)]
        return [tag for tag in dict.fromkeys(found) if tag]


def front(text: str) -> Front:
    """The frontmatter of a note; one that cannot be read is said, and has no fields."""
    lines = text.split("\n")
    if lines[0].lstrip("\ufeff").rstrip() != "---":
        return Front({}, 0)
    closing = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), 0)
    if not closing:
        return Front({}, 0)
    yaml = "\n".join(lines[: closing + 1]) + "\n"
    try:
        header = read_header(Report(yaml, None))
    except CardError as error:
        if closing == 1:
            return Front({}, 2)
        return Front({}, closing + 1, error.problem.message)
    return Front({name: each.value for name, each in header.fields.items()}, closing + 1)


def deck_of(tag: str, decks: Iterable[str]) -> tuple[str, ...] | None:
    """The deck that a tag names: the folders below a flashcard tag, or that tag alone.

    None for a tag that is about something else.
    """
    tag = unicodedata.normalize("NFC", tag)
    for deck in (unicodedata.normalize("NFC", deck) for deck in decks):
        if tag.casefold() == deck.casefold():
            return (deck.rpartition("/")[2],)
        if tag.casefold().startswith(deck.casefold() + "/"):
            return tuple(part for part in tag[len(deck) + 1 :].split("/") if part) or (deck,)
    return None


def by_line(lines: Sequence[str]) -> dict[int, list[str]]:
    """The tags of a note by their lines, those in code and formulas left out."""
    text, found = "\n".join(lines), dict[int, list[str]]()
    tags = list(_TAG.finditer(text))
    inert = [(span.start, span.end) for span in spans(text)] if tags else []
    line = at = 0
    for tag in tags:
        line, at = line + text.count("\n", at, tag.start()), tag.start()
        if not in_math(inert, tag.start() + 1):
            found.setdefault(line, []).append(tag[1])
    return found


def bare(text: str, decks: Iterable[str]) -> str:
    """A card's text without the flashcard tags at its beginning."""
    decks = tuple(decks)
    while (found := _LEADING.match(text)) and deck_of(found[1], decks) is not None:
        text = text[found.end() :]
    return text.lstrip("\n").lstrip() if found is None else text.lstrip()


# == Which decks a note's cards lie in: the tags of its frontmatter and of its lines.
#
# A tag holds for the cards below it, up to the next one; one that stands in a card's own text
# holds
# for that card alone; and what comes before the first tag belongs to that.


Deck = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """A line that names decks; `card` is the index of the card whose own they are, or None."""

    line: int
    decks: tuple[Deck, ...]
    card: int | None = None


class Decks:
    """The decks of one note; `lines` is its text below the frontmatter."""

    def __init__(
        self, tags: Iterable[str], lines: Sequence[str], blocks: Sequence[Block], told: Settings
    ) -> None:
        self._tags = told.tags
        self._card_at = {
            index: number
            for number, block in enumerate(blocks)
            for index in range(block.first, block.last + 1)
        }
        self.named: list[Named] = []
        if front := self._decks(tags):
            self.named.append(Named(-1, front))
        for index, found in by_line(lines).items():
            if decks := self._decks(found):
                self.named.append(Named(index, decks, self._owner(index, lines[index], blocks)))

    def of(self, number: int, block: Block) -> tuple[Deck, ...]:
        """The decks of the card `number`, the first of them the one it lies in; () for none."""
        own = [named for named in self.named if named.card == number]
        shared = [named for named in self.named if named.card is None]
        above = [named for named in shared if named.line <= block.first]
        chosen = own or above[-1:] or shared or self.named
        return chosen[0].decks if chosen else ()

    def _decks(self, tags: Iterable[str]) -> tuple[Deck, ...]:
        found = (deck_of(tag, self._tags) for tag in tags)
        return tuple(dict.fromkeys(deck for deck in found if deck))

    def _owner(self, index: int, line: str, blocks: Sequence[Block]) -> int | None:
        """The card whose own a line's tags are: not where they stand alone above its text."""
        number = self._card_at.get(index)
        if number is None:
            return None
        alone = all(word.startswith("#") for word in line.split())
        above = blocks[number].first == index < blocks[number].last
        return None if alone and above else number


# == One note: the cards in it, and the note itself where it is reviewed as a whole.


_BLOCK_ID = re.compile(r"[ \t]\^([A-Za-z0-9-]+)[ \t]*$", re.MULTILINE)


class Note:
    """A note's text, read; `where` is its path in the vault, `folders` those it lies in."""

    def __init__(
        self, where: str, folders: tuple[str, ...], text: str, told: Settings, lost: list[Lost]
    ) -> None:
        self.where, self.folders, self.told, self.lost = where, folders, told, lost
        self.front = front(text)
        self.lines = text.split("\n")
        self.lines[: self.front.lines] = [""] * self.front.lines

    def drafts(self) -> Iterator[Draft]:
        """Its cards, in order; the note itself comes last."""
        found = list(blocks(self.lines, self.told))
        decks = Decks(self.front.tags, self.lines, found, self.told)
        every = self.told.folders_are_decks or bool(decks.named)
        for number, block in enumerate(found):
            # One that was scheduled is a card also without a tag: the plugin did ask it.
            asks = every or COMMENT.search(block.text)
            where = f"{self.where}:{block.first + 1}"
            if asks and not is_too_large(where, block.text, self.lost):
                yield self._card(block, decks.of(number, block))
        self._report(found, every)
        yield from self._whole()

    def _card(self, block: Block, decks: tuple[tuple[str, ...], ...]) -> Draft:
        where = f"{self.where}:{block.first + 1}"
        text, due, unread = taken(block.text)
        for each in unread:
            self.lost.append(Lost(where, f"Its schedule {each!r} cannot be read; it is new here."))
        identity = _BLOCK_ID.search(text)
        said = asked(block, bare(_BLOCK_ID.sub("", text), self.told.tags), self.told)
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

    def _items(self, said: Asked, due: list[Due | None], where: str) -> list[ForeignItem]:
        if len(due) > len(said.suffixes):
            left = len(due) - len(said.suffixes)
            what = f"It has {left} schedules more than things to ask; they were left out."
            self.lost.append(Lost(where, what))
        pairs = zip(said.suffixes, due, strict=False)
        return [each.item(suffix) for suffix, each in pairs if each is not None]

    def _fields(self, more: list[str]) -> dict[str, Value]:
        known = (*self.told.tags, *self.told.review_tags)
        own = [tag for tag in self.front.tags if deck_of(tag, known) is None]
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
            due = of_note(self.front.fields)
        except (ValueError, OverflowError) as error:
            self.lost.append(Lost(f"{self.where}:1", f"Its sr-due cannot be read ({error})."))
            return
        if due is None:
            return
        title = Path(self.where).stem
        text = taken("\n".join(self.lines))[0].strip()
        draft = Draft(f"note:{self.where}", self.where, "open", title, text, folder=self.folders)
        draft.wanted_id = id_from(title, "note")
        draft.fields, draft.items = self._fields([]), [due.item("")]
        yield draft


# == Obsidian vaults with the Spaced Repetition plugin's cards, schedules and reviewed notes.
#
# settings.py   what the vault told the plugin
# note.py       a note -> its cards
# tags.py       a note's frontmatter and tags
# blocks.py     a note's lines -> which of them are cards
# decks.py      the decks they lie in
# asked.py      a card's text -> question and answer, or what it hides
# schedule.py   the comments behind cards -> when they are due
#
# The vault is read, never changed.


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
