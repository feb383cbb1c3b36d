"""Obsidian vaults with the cards, schedules and reviewed notes of the Spaced Repetition plugin.

A note is read as the plugin reads it (docs/en/flashcards and src/parser.ts of its repository).  The
vault is never changed.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Literal, NamedTuple

from cards.frontmatter import read_header
from cards.links import definitions
from cards.model import CardError, Diagnostics, Value
from cards.spans import in_math, spans
from deck.exchange.model import (
    LONGEST_INTERVAL,
    ForeignCard,
    ForeignItem,
    ForeignReview,
    ImportSource,
    Losses,
    content_key,
    id_from,
)
from deck.exchange.normalise import MAX_CLOZES, CardDraft, cloze_of, is_too_large, without_clozes
from deck.exchange.source import NoteFolder, holds_marked

_MARKS = re.compile(rb"#flashcards\b|<!--SR:|^sr-due:|^\s*-\s+#?flashcards\b", re.MULTILINE)
_FILES_PEEKED = 500


def looks_like(path: Path, head: bytes) -> bool:
    """A vault, a folder with notes of cards, or such a note."""
    if not path.is_dir():
        return path.suffix.lower() in (".md", ".markdown", "") and _MARKS.search(head) is not None
    if (path / "hashcards.db").is_file():
        return False
    return (path / ".obsidian").is_dir() or holds_marked(path, ".md", _MARKS, _FILES_PEEKED)


def read(path: Path) -> ImportSource:
    """The cards of a vault, of a folder in one, or of a note.  Raises ExchangeError."""
    lost = Losses()
    folder = path if path.is_dir() else path.parent
    around = (folder, *folder.absolute().parents)
    vault = next((each for each in around if (each / ".obsidian").is_dir()), None)
    source, settings = NoteFolder(path, lost), settings_of(vault, lost)
    cards = list(_cards(source, settings))
    if answers := sum(len(item.reviews) for card in cards for item in card.items):
        what = f"The plugin keeps no answers: of {answers} schedules the last one is known, as "
        lost.say(path.name, f"{what}Good.")
    tags = ", ".join(f"#{tag}" for tag in settings.tags)
    return source.bundle("obsidian", cards, f"A note with cards holds one of the tags {tags}.")


def _cards(source: NoteFolder, settings: Settings) -> Iterator[ForeignCard]:
    for path in source.notes(".md", ".markdown"):
        where = source.name(path)
        if any(fnmatch(where, pattern) for pattern in settings.ignored):
            continue
        text = source.text(path)
        if text is not None:
            note = Note(where, source.folders(path), text, settings, source.lost)
            yield from source.cards(note.drafts(), path, definitions(text))


# What the plugin was told to look for: its `data.json` in the vault.

_PLUGIN = Path(".obsidian/plugins/obsidian-spaced-repetition/data.json")
_LARGEST = 50_000_000
#: Our fields, and the plugin's names of them.
_SIGNS = {
    "line": "singleLineCardSeparator",
    "line_both": "singleLineReversedCardSeparator",
    "lines": "multilineCardSeparator",
    "lines_both": "multilineReversedCardSeparator",
    "end": "multilineCardEndMarker",
}
_TAG_LISTS = {"tags": "flashcardTags", "review_tags": "tagsToReview"}
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


def settings_of(vault: Path | None, lost: Losses) -> Settings:
    """The vault's settings; the usual ones where there are none that can be read."""
    path = vault / _PLUGIN if vault else None
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
        lost.say(_PLUGIN.as_posix(), what)
        return Settings()
    given: dict[str, Any] = {}
    for field, name in _SIGNS.items():
        sign = told.get(name)
        given[field] = sign.strip() if isinstance(sign, str) else ""
    for field, name in _TAG_LISTS.items():
        value = told.get(name)
        texts = value.split() if isinstance(value, str) else _told_texts(value)
        given[field] = tuple(tag for text in texts if (tag := text.strip().lstrip("#").strip("/")))
    return Settings(
        folders_are_decks=told.get("convertFoldersToDecks") is True,
        ignored=_told_texts(told.get("noteFoldersToIgnore")),
        clozes=_told_clozes(told, lost),
        **{field: value for field, value in given.items() if value},
    )


def _told_clozes(told: Mapping[str, Any], lost: Losses) -> tuple[str, ...]:
    patterns = told.get("clozePatterns")
    if not isinstance(patterns, list):
        return tuple(sign for sign, name in _CLOZES.items() if told.get(name, sign == "=="))
    known = []
    for pattern in _told_texts(patterns):
        if pattern[:2] in _CLOZES:
            known.append(pattern[:2])
        else:
            what = f"Clozes of the form {pattern!r} are not read; those in ==, ** and {{{{ are."
            lost.say(_PLUGIN.as_posix(), what)
    return tuple(dict.fromkeys(known))


def _told_texts(value: object) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()


# A note: the cards in it, and the note itself where it is reviewed as a whole.

Deck = tuple[str, ...]
Kind = Literal["line", "line_both", "lines", "lines_both", "cloze"]
_BLOCK_ID = re.compile(r"[ \t]\^([A-Za-z0-9-]+)[ \t]*$", re.MULTILINE)


class CardLines(NamedTuple):
    """A card's text; `first` and `last` are the indices of its lines."""

    kind: Kind
    first: int
    last: int
    text: str


class Note:
    """A note's text, read; `where` is its path in the vault, `folders` those it lies in."""

    def __init__(
        self, where: str, folders: tuple[str, ...], text: str, told: Settings, lost: Losses
    ) -> None:
        self._where, self._folders, self._told, self._lost = where, folders, told, lost
        self._front, self._problem, length = _frontmatter(text)
        self._tags = self._listed_tags()
        self._lines = text.split("\n")
        self._lines[:length] = [""] * length

    def drafts(self) -> Iterator[CardDraft]:
        """Its cards, in order; the note itself comes last."""
        found = list(blocks(self._lines, self._told))
        decks = self._decks(found)
        every = self._told.folders_are_decks or any(decks)
        for block, named in zip(found, decks, strict=True):
            # One that was scheduled is a card also without a tag: the plugin did ask it.
            asks = every or _SCHEDULE.search(block.text)
            where = f"{self._where}:{block.first + 1}"
            if asks and not is_too_large(where, block.text, self._lost):
                yield self._card(block, named, where)
        if self._problem and (every or found):
            what = f"Its frontmatter cannot be read: {self._problem} Its tags were left out."
            self._lost.say(f"{self._where}:1", what)
        own = {index for block in found for index in range(block.first, block.last + 1)}
        for index, line in enumerate(self._lines):
            if line.lstrip().startswith(_SCHEDULED) and index not in own:
                what = "This schedule stands behind no card; it was left out."
                self._lost.say(f"{self._where}:{index + 1}", what)
        yield from self._whole()

    def _decks(self, cards: Sequence[CardLines]) -> list[tuple[Deck, ...]]:
        """The decks of each card, the first of them the one it lies in.

        A tag holds for the cards below it, up to the next one; one that stands in a card's own text
        holds for that card alone; and what comes before the first tag belongs to that.
        """
        owner = {n: at for at, card in enumerate(cards) for n in range(card.first, card.last + 1)}
        own: dict[int, tuple[Deck, ...]] = {}
        shared: list[tuple[int, tuple[Deck, ...]]] = []
        if decks := self._named(self._tags):
            shared.append((-1, decks))
        for index, tags in _tags_by_line(self._lines).items():
            decks, number = self._named(tags), owner.get(index)
            alone = all(word.startswith("#") for word in self._lines[index].split())
            if number is not None and alone and cards[number].first == index < cards[number].last:
                number = None  # nothing but tags, above the card's text
            if decks and number is not None:
                own.setdefault(number, decks)
            elif decks:
                shared.append((index, decks))
        first = next(iter([*(decks for _, decks in shared), *own.values()]), ())
        return [
            own.get(number)
            or next((decks for line, decks in reversed(shared) if line <= card.first), first)
            for number, card in enumerate(cards)
        ]

    def _named(self, tags: Iterable[str]) -> tuple[Deck, ...]:
        found = (deck_of(tag, self._told.tags) for tag in tags)
        return tuple(dict.fromkeys(deck for deck in found if deck))

    def _card(self, block: CardLines, decks: tuple[Deck, ...], where: str) -> CardDraft:
        text, due, unread = _without_schedule(block.text)
        for each in unread:
            self._lost.say(where, f"Its schedule {each!r} cannot be read; it is new here.")
        identity = _BLOCK_ID.search(text)
        text = _BLOCK_ID.sub("", text)
        while (tag := _LEADING_TAG.match(text)) and deck_of(tag[1], self._told.tags) is not None:
            text = text[tag.end() :]
        card = card_text(block, text.lstrip(), self._told)
        if card.unread:
            self._lost.say(where, card.unread)
        if (left := len(due) - len(card.suffixes)) > 0:
            what = f"It has {left} schedules more than things to ask; they were left out."
            self._lost.say(where, what)
        key = f"^{identity[1]}" if identity else content_key(card.question)
        draft = CardDraft(key, where, card.type, card.question, card.answer)
        by_folder = self._told.folders_are_decks or not decks
        draft.folder = self._folders if by_folder else decks[0]
        draft.fields = self._fields(["/".join(other) for other in decks[1:]])
        pairs = zip(card.suffixes, due, strict=False)
        draft.items = [each.item(suffix) for suffix, each in pairs if each is not None]
        return draft

    def _whole(self) -> Iterator[CardDraft]:
        """The note, where it has a schedule of its own (`sr-due`, `sr-interval`)."""
        due, interval = self._front.get("sr-due"), self._front.get("sr-interval")
        if due is None:
            return
        try:
            item = Due(_day(str(due)), _days(str(interval)) if interval is not None else None)
        except (ValueError, OverflowError) as error:
            self._lost.say(f"{self._where}:1", f"Its sr-due cannot be read ({error}).")
            return
        title = Path(self._where).stem
        text = _without_schedule("\n".join(self._lines))[0].strip()
        draft = CardDraft(f"note:{self._where}", self._where, "open", title, text)
        draft.wanted_id, draft.folder = id_from(title, "note"), self._folders
        draft.fields, draft.items = self._fields([]), [item.item("")]
        yield draft

    def _fields(self, more: list[str]) -> dict[str, Value]:
        known = (*self._told.tags, *self._told.review_tags)
        own = [tag for tag in self._tags if deck_of(tag, known) is None]
        return {"tags": [*own, *more], "note": self._where}

    def _listed_tags(self) -> list[str]:
        """Those of the frontmatter."""
        found: list[str] = []
        for name in ("tags", "tag"):
            value = self._front.get(name, [])
            parts = re.split(r"[,\s]+", value) if isinstance(value, str) else value
            found += [each.strip().lstrip("#") for each in parts if isinstance(each, str)]
        return [tag for tag in dict.fromkeys(found) if tag]


# Tags of a note and its lines: which say that there are cards, and in which decks they lie.

#: What may stand in a tag, as Obsidian has it: letters and marks of any script, emoji (with the
#: joiners that make one of several), no punctuation but these.
_SIGN = r"[^\s\u2000-\u200b\u200e-\u206f\u2e00-\u2e7f'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\]"
_BODY = rf"(?![\d/-]++(?!{_SIGN}))({_SIGN}++)"
_TAG = re.compile(rf"(?<![^\s(])(?<!\]\()#{_BODY}")
_LEADING_TAG = re.compile(rf"\s*#{_BODY}(?=\s|$)")


def _frontmatter(text: str) -> tuple[dict[str, Value], str, int]:
    """The fields of a note's frontmatter, why they cannot be read, and how many lines it has."""
    lines = text.split("\n")
    is_begun = lines[0].lstrip("\ufeff").rstrip() == "---"
    following = enumerate(lines[1:] if is_begun else (), 1)
    closing = next((n for n, line in following if line.rstrip() == "---"), 0)
    if not closing:
        return {}, "", 0
    try:
        header = read_header(Diagnostics("\n".join(lines[: closing + 1]) + "\n", None))
    except CardError as error:
        return {}, error.problem.message if closing > 1 else "", closing + 1
    return {name: each.value for name, each in header.fields.items()}, "", closing + 1


def deck_of(tag: str, decks: Iterable[str]) -> Deck | None:
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


def _tags_by_line(lines: Sequence[str]) -> dict[int, list[str]]:
    """The tags of a note by their lines, those in code and formulas left out."""
    text, found = "\n".join(lines), dict[int, list[str]]()
    tags = list(_TAG.finditer(text))
    inert = _inert(text) if tags else []
    line = at = 0
    for tag in tags:
        line, at = line + text.count("\n", at, tag.start()), tag.start()
        if not in_math(inert, tag.start() + 1):
            found.setdefault(line, []).append(tag[1])
    return found


# The cards in a note's lines: a question and its answer on one line, or on several up to a blank
# one, or a paragraph with something hidden.  Nothing in code or in a comment is a card.

_FENCE = re.compile(r"(`{3,}|~{3,})")
_ANKI_CLOZE = re.compile(r"\{\{c\d{1,3}::?(?:(?!\{\{)[^\n]){0,5000}?\}\}")
_HIDDEN = {
    "==": re.compile(r"==(?=\S).{1,5000}?=="),
    "**": re.compile(r"\*\*(?=\S).{1,5000}?\*\*"),
    "{{": re.compile(r"\{\{(?:(?!\{\{)[^\n]){1,5000}?\}\}"),
}


def blocks(lines: list[str], told: Settings) -> Iterator[CardLines]:
    """The cards of a note's lines, in order."""
    parting: dict[str, Kind] = {told.lines: "lines", told.lines_both: "lines_both"}
    paragraph: list[str] = []
    kind: Kind | None = None
    first = index = 0
    while index <= len(lines):
        line = lines[index].rstrip() if index < len(lines) else ""
        bare = line.strip()
        if line.startswith("<!--") and not line.startswith(_SCHEDULED):
            index = _behind(lines, index, "-->")
            continue
        ends = index == len(lines) or (bare == told.end if told.end else not bare)
        if ends or (not bare and kind is None):
            if kind is not None:
                yield CardLines(kind, first, first + len(paragraph) - 1, "\n".join(paragraph))
            paragraph, kind, index = [], None, index + 1
            continue
        if not paragraph:
            first = index
        if fence := _FENCE.match(bare):
            last = _behind(lines, index + 1, fence[1])
            paragraph += [each.rstrip() for each in lines[index:last]]
            index = last
            continue
        if kind is None and (on_line := _line_kind(line, told)) is not None:
            following = lines[index + 1].strip() if index + 1 < len(lines) else ""
            last = index + following.startswith(_SCHEDULED)
            yield CardLines(on_line, index, last, "\n".join(lines[index : last + 1]))
            paragraph, index = [], last + 1
            continue
        if bare in parting and paragraph and kind in (None, "cloze"):
            kind = parting[bare]
        elif kind is None and any(hidden_in(line, told)):
            kind = "cloze"
        paragraph.append(line)
        index += 1


def _behind(lines: list[str], index: int, sign: str) -> int:
    """The index behind the next line that holds (a fence: begins with) a sign."""
    is_fence = sign[0] in "`~"
    for at in range(index, len(lines)):
        if lines[at].lstrip().startswith(sign) if is_fence else sign in lines[at]:
            return at + 1
    return len(lines)


def _line_kind(line: str, told: Settings) -> Kind | None:
    """Which kind of card a line is: the longer of the two signs counts first."""
    kinds: list[tuple[str, Kind]] = [(told.line, "line"), (told.line_both, "line_both")]
    kinds.sort(key=lambda each: -len(each[0]))
    return next((kind for sign, kind in kinds if _parting(line, sign) < len(line)), None)


def _parting(text: str, sign: str) -> int:
    """Where the sign stands that parts a question from its answer; the text's length for nowhere.

    In code, in a formula and in `{{c1::...}}` it parts nothing, nor before any question.
    """
    at = text.find(sign)
    if at < 0:
        return len(text)
    inert = sorted(_inert(text) + [found.span() for found in _ANKI_CLOZE.finditer(text)])
    while at >= 0 and (in_math(inert, at) or not text[:at].strip()):
        at = text.find(sign, at + len(sign))
    return at if at >= 0 else len(text)


def hidden_in(text: str, told: Settings) -> Iterator[re.Match[str]]:
    """What a text hides, from left to right, each outside of code and formulas."""
    found = [each for sign in told.clozes if sign in text for each in _HIDDEN[sign].finditer(text)]
    inert = _inert(text) if found else []
    end = 0
    for match in sorted(found, key=lambda each: (each.start(), -each.end())):
        if match.start() >= end and not in_math(inert, match.start() + 1):
            end = match.end()
            yield match


def _inert(text: str) -> list[tuple[int, int]]:
    """Where code and formulas stand."""
    return [(span.start, span.end) for span in spans(text)]


# A card's two sides out of its text: question and answer, or a text with hidden parts.

_BULLET = re.compile(r"\s*(?:>\s*)*(?:(?:[-*+]|\d{1,9}[.)])\s+(?:\[.\]\s+)?)?")
#: `1;;text;;hint`; `ash;;text` is the plugin's way to order what is shown.
_INNER = re.compile(
    r"(?:(?P<number>\d{1,3});;|(?P<order>[ash]{1,50});;)?(?P<text>.*?)(?:;;(?P<hint>(?:(?!;;).)*))?",
    re.DOTALL,
)
_ANKI_INNER = re.compile(
    r"c(?P<number>\d{1,3})::?(?P<text>.*?)(?:::(?P<hint>(?:(?!::).)*))?", re.DOTALL
)
_AFTER = re.compile(r"(?:\^\[(?P<hint>[^\]\n]*)\])?(?:\[\^(?P<number>\d{1,3})\])?")


class CardText(NamedTuple):
    """What a card says here, and its items in the order in which the plugin counts them."""

    type: str
    question: str
    answer: str
    suffixes: tuple[str, ...]
    unread: str = ""
    """What of it has no equal here, as a sentence."""


def card_text(block: CardLines, text: str, told: Settings) -> CardText:
    """The card of a block, whose `text` is bare of tags and schedule."""
    if block.kind == "cloze":
        return _cloze_text(text, told)
    is_both = block.kind in ("line_both", "lines_both")
    if block.kind in ("line", "line_both"):
        sign = told.line_both if is_both else told.line
        at, bullet = _parting(text, sign), _BULLET.match(text)
        question, answer = text[bullet.end() if bullet else 0 : at], text[at + len(sign) :]
    else:
        sign = told.lines_both if is_both else told.lines
        lines = text.split("\n")
        at = next((n for n, line in enumerate(lines) if line.strip() == sign), len(lines))
        question, answer = "\n".join(lines[:at]), "\n".join(lines[at + 1 :])
    kind, suffixes = ("reversed", ("", "/r")) if is_both else ("basic", ("",))
    return CardText(kind, question.strip(), answer.strip(), suffixes)


def _cloze_text(text: str, told: Settings) -> CardText:
    parts, numbers, at, unread = list[str](), set[int](), 0, ""
    for place, match in enumerate(hidden_in(text, told), 1):
        inner = _ANKI_INNER.fullmatch(match[0][2:-2]) or _INNER.fullmatch(match[0][2:-2])
        after = _AFTER.match(text, match.end())
        if match.start() < at or inner is None or after is None:
            continue
        if inner.groupdict().get("order"):
            unread = "The order in which its hidden parts are shown was left out."
        said = int(inner["number"] or after["number"] or 0)
        number = said if 1 <= said <= MAX_CLOZES else min(place, MAX_CLOZES)
        hint = inner["hint"] or after["hint"] or ""
        parts += [without_clozes(text[at : match.start()]), cloze_of(number, inner["text"], hint)]
        numbers.add(number)
        at = match.end() + len(after[0])
    question = "".join([*parts, without_clozes(text[at:])]).strip()
    return CardText("cloze", question, "", tuple(f"/c{n}" for n in sorted(numbers)), unread)


# Schedules: in a comment behind a card, or in a note's frontmatter.  They say when a card is due
# and after how many days, not the answers.  One of them is certain: the last, so many days before.
# Which rating that had is not; it counts as Good.

_SCHEDULED = "<!--SR:"
_SCHEDULE = re.compile(r"(?<![ \t])[ \t]*+<!--SR:(?P<what>[^<>]{0,5000}?)-->")
#: Stands for a card of several that was not studied yet.
_NEW = "2000-01-01"
_DAY_FORMATS = ("%Y-%m-%d", "%d-%m-%Y", "%a %b %d %Y")


class Due(NamedTuple):
    """When an item is due again, and how many days that is from its last answer."""

    at: datetime
    interval: int | None

    def item(self, suffix: str) -> ForeignItem:
        """The item with its day, and with its last answer where that is known."""
        try:
            at = self.at - timedelta(days=self.interval or 0)
        except OverflowError:
            at = self.at
        if at == self.at:
            return ForeignItem(suffix, due=self.at)
        key = f"due {self.at.date()} {self.interval}"
        answer = ForeignReview(at, 3, days=self.interval, key=key, implied=True)
        return ForeignItem(suffix, (answer,), due=self.at)


def _without_schedule(text: str) -> tuple[str, list[Due | None], list[str]]:
    """A card's text without its comments, the schedule of each of its items, and what cannot be
    read of it.  None stands for an item that is new."""
    found: list[Due | None] = []
    unread: list[str] = []
    for comment in _SCHEDULE.finditer(text):
        for each in comment["what"].strip().strip("!").split("!"):
            try:
                found.append(_due(each))
            except (ValueError, IndexError, OverflowError):
                unread.append(each[:60])
                found.append(None)
    return _SCHEDULE.sub("", text).strip("\n"), found, unread


def _due(text: str) -> Due | None:
    parts = [part.strip() for part in text.split(",")]
    if parts[0] == "fsrs":
        at = datetime.fromisoformat(parts[1])
        return Due(at if at.tzinfo else at.astimezone(), _days(parts[2]))
    return None if parts[0] == _NEW else Due(_day(parts[0]), _days(parts[1]))


def _day(text: str) -> datetime:
    """Noon of a day: the day itself in every time zone, and in every setting of its beginning."""
    for form in _DAY_FORMATS:
        with suppress(ValueError):
            day = datetime.strptime(text.strip()[:15], form).date()
            return datetime.combine(day, time(12)).astimezone()
    raise ValueError(f"no day: {text}")


def _days(text: str) -> int | None:
    days = round(float(text))
    return days if 1 <= days <= LONGEST_INTERVAL else None
