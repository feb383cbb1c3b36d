"""Hashcards (blake3 from PyPI)."""

from __future__ import annotations

import re
import shutil
import sqlite3
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

from blake3 import blake3

from cards.model import Value
from cards.spans import in_math, math_spans
from deck.exchange.media import Pictures
from deck.exchange.model import (
    Bundle,
    ExchangeError,
    ForeignCard,
    ForeignItem,
    ForeignReview,
    Keys,
    Lost,
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

# == The answers in hashcards' database: table `reviews` of `hashcards.db`, by the hash of a card.
#
# Its times are the clock's of the place where it ran, without a zone: they are read as this
# machine's.  Its days end at midnight, ours later: what counts of an answer is the day on which
# the card was due again, and its interval only where that day cannot be read.  The file is copied
# before it is opened: SQLite may write beside what it reads.


NAME = "hashcards.db"
_GRADES = {"forgot": 1, "again": 1, "hard": 2, "good": 3, "easy": 4}
_LARGEST = 2_000_000_000
_LONGEST_VALUE = 10_000
_COLUMNS = {"card_hash", "reviewed_at", "grade", "due_date"}


def answers(path: Path, lost: list[Lost]) -> dict[str, list[ForeignReview]]:
    """Every answer, by its card's hash and in the order of time; nothing where there is no file."""
    found: dict[str, list[ForeignReview]] = {}
    if not path.is_file():
        return found
    if path.stat().st_size > _LARGEST:
        lost.append(Lost(NAME, "It is larger than 2 GB; the answers were not read."))
        return found
    unread = 0
    try:
        with tempfile.TemporaryDirectory() as folder:
            for each in (path, path.with_name(f"{NAME}-wal")):
                if each.is_file():
                    shutil.copyfile(each, Path(folder, each.name))
            for row in _rows(Path(folder, path.name)):
                review = _review(row)
                if review is None:
                    unread += 1
                else:
                    found.setdefault(str(row["card_hash"]), []).append(review)
    except (sqlite3.Error, OSError, ValueError, OverflowError) as error:
        what = f"It cannot be read ({error}): the cards were read, answers only in part."
        lost.append(Lost(NAME, what))
    if unread:
        lost.append(Lost(NAME, f"{unread} answers have no time or grade that can be read."))
    for reviews in found.values():
        reviews.sort(key=lambda review: review.at)
    return found


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with closing(sqlite3.connect(path)) as base:
        base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        base.text_factory = lambda data: data.decode("utf-8", "replace")
        base.execute("PRAGMA trusted_schema = OFF")
        # A view of that name could be anything.
        tables = base.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        if ("reviews",) not in tables:
            raise ValueError("it has no table `reviews`")
        names = [row[1] for row in base.execute("PRAGMA table_info(reviews)")]
        if missing := _COLUMNS - set(names):
            raise ValueError(f"its table `reviews` has no column {sorted(missing)[0]}")
        wanted = [*sorted(_COLUMNS), *({"interval_days"} & set(names))]
        for row in base.execute(f"SELECT {', '.join(wanted)} FROM reviews"):
            yield dict(zip(wanted, row, strict=True))


def _review(row: dict[str, Any]) -> ForeignReview | None:
    rating = _GRADES.get(str(row["grade"]).lower())
    try:
        said = datetime.fromisoformat(str(row["reviewed_at"]))
        at = said.astimezone()
    except (ValueError, OverflowError, OSError):
        return None
    if rating is None:
        return None
    key = f"{str(row['card_hash'])[:16]}@{said.isoformat()}"
    return ForeignReview(at, rating, days=_days(row), key=key, due=_due(row))


def _days(row: dict[str, Any]) -> int | None:
    try:
        days = round(float(row.get("interval_days") or 0))
    except (ValueError, OverflowError):
        return None
    return days if days >= 1 else None


def _due(row: dict[str, Any]) -> date | None:
    try:
        return date.fromisoformat(str(row["due_date"])[:10])
    except ValueError:
        return None


# == A hashcards deck: `Q:` and `A:`, or `C:` with what is hidden in brackets, line by line.
#
# The format is that of hashcards 0.3 (README.md, src/parser.rs and src/types/card.rs of its
# repository).  What it refuses a whole collection for, such as a question without an answer,
# costs
# one card here.


#: White space as Rust's `str::trim` knows it; Python's `strip` takes four more.
_SPACE = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008" + (
    "\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)


@dataclass(frozen=True, slots=True)
class Basic:
    """A question and its answer; `line` is 1-based."""

    line: int
    question: str
    answer: str

    @property
    def hash(self) -> str:
        """As hashcards names the card in its database."""
        said = f"Basic{self.question}{self.answer}"
        return blake3(said.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Cloze:
    """A text, without its brackets, and where they stood: half-open ranges of characters."""

    line: int
    text: str
    hidden: tuple[tuple[int, int], ...]

    @property
    def family(self) -> str:
        """The hash that all cards of the text share."""
        return blake3(b"Cloze" + self._bytes(self.text)).hexdigest()

    def hash(self, number: int) -> str:
        """The hash of the card for the hidden text `number`, from 0."""
        start, end = self.hidden[number]
        first = len(self._bytes(self.text[:start]))
        last = first + len(self._bytes(self.text[start:end])) - 1
        places = first.to_bytes(8, "little") + (last & 2**64 - 1).to_bytes(8, "little")
        return blake3(b"Cloze" + self._bytes(self.text) + places).hexdigest()

    @staticmethod
    def _bytes(text: str) -> bytes:
        return text.encode("utf-8", "surrogatepass")


@dataclass(slots=True)
class _ParseReading:
    """The card that is being read: a question, its answer, or a cloze."""

    kind: str
    line: int
    lines: list[str]
    answer: list[str] = field(default_factory=list)


def is_deck(text: str) -> bool:
    """Whether a text holds cards."""
    return any(line.startswith(("Q:", "C:")) for line in text.split("\n"))


def front(text: str, where: str, lost: list[Lost]) -> tuple[str, int]:
    """The deck's name in the frontmatter ("" for none), and how many lines that has."""
    lines = text.split("\n")
    if lines[0].lstrip("\ufeff").strip(_SPACE) != "---":
        return "", 0
    closing = next((n for n, line in enumerate(lines[1:], 1) if line.strip(_SPACE) == "---"), 0)
    if not closing:
        return "", 1
    try:
        found = tomllib.loads("\n".join(lines[1:closing]))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        if any(line.startswith(("Q:", "C:")) for line in lines[1:closing]):
            return "", 1  # two separators, not a frontmatter
        what = f"Its frontmatter is not TOML ({error}): the deck is called as the file."
        lost.append(Lost(f"{where}:1", what))
        return "", closing + 1
    name = found.get("name")
    return (name if isinstance(name, str) else ""), closing + 1


def parse_cards(text: str, first: int, where: str, lost: list[Lost]) -> Iterator[Basic | Cloze]:
    """The cards of a deck from line `first` (from 0) on; what is none goes to `lost`."""
    reading: _ParseReading | None = None
    for number, line in enumerate([*text.split("\n")[first:], "---"], first + 1):
        mark = line[:2] if line[:2] in ("Q:", "A:", "C:") else ""
        if not mark and line.strip(_SPACE) != "---":
            if reading is not None:
                (reading.answer if reading.kind == "A:" else reading.lines).append(line)
            continue
        rest = line[2:].strip(_SPACE)
        if mark == "A:":
            if reading is not None and reading.kind == "Q:":
                reading.kind, reading.answer = "A:", [rest]
            else:
                _stray(reading, f"{where}:{number}", lost)
            continue
        if reading is not None:
            yield from _finished(reading, where, lost)
        reading = _ParseReading(mark, number, [rest]) if mark else None


def _stray(reading: _ParseReading | None, where: str, lost: list[Lost]) -> None:
    if reading is None:
        lost.append(Lost(where, "This answer has no question above it (a line `Q:`)."))
    elif reading.kind == "C:":
        lost.append(Lost(where, "A cloze card takes no answer: the line was left out."))
    else:
        lost.append(Lost(where, "The card has a second answer: it was left out."))


def _finished(reading: _ParseReading, where: str, lost: list[Lost]) -> Iterator[Basic | Cloze]:
    text = "\n".join(reading.lines).strip(_SPACE)
    place = f"{where}:{reading.line}"
    if reading.kind == "Q:":
        lost.append(Lost(place, "This question has no answer (a line `A:`): it was not read."))
    elif reading.kind == "A:":
        yield Basic(reading.line, text, "\n".join(reading.answer).strip(_SPACE))
    elif (found := cloze(text, reading.line)).hidden:
        yield found
    else:
        lost.append(Lost(place, "This cloze card hides nothing: put what it asks in [brackets]."))


def cloze(text: str, line: int = 1) -> Cloze:
    """A text with brackets taken apart.

    Brackets of a picture stay, and those behind a backslash, which goes; an opening bracket
    within brackets begins anew.
    """
    clean: list[str] = []
    hidden: list[tuple[int, int]] = []
    start: int | None = None
    picture = escaped = False
    for at, sign in enumerate(text):
        following = text[at + 1 : at + 2]
        if sign in "[]" and (picture or escaped):
            picture = picture and (escaped or sign == "[")
            escaped = False
            clean.append(sign)
        elif sign == "[":
            start = len(clean)
        elif sign == "]":
            if start is not None:
                hidden.append((start, len(clean)))
            start = None
        elif sign == "\\" and not escaped and following in ("[", "]"):
            escaped = True
        else:
            picture = picture or (sign == "!" and following == "[")
            clean.append(sign)
    return Cloze(line, "".join(clean), tuple(hidden))


# == hashcards: Markdown decks, and the answers in the SQLite database beside them.
#
# parse.py     a deck's text -> its cards
# history.py   the database -> answers, by hash


_MARKS = re.compile(rb"^[QC]:(?!:)", re.MULTILINE)  # `Q::A` is Obsidian's
_MACRO = re.compile(r"\\[A-Za-z]+")
#: Files that are looked into to tell what a folder is.
_LOOKS = 200


def looks_like(path: Path, head: bytes) -> bool:
    """A folder with its database or with a deck, or a deck."""
    if path.is_dir():
        if (path / NAME).is_file():
            return True
        is_vault = (path / ".obsidian").is_dir()
        return not is_vault and holds_marked(path, ".md", _MARKS, _LOOKS)
    if path.name == NAME:
        return True
    return path.suffix.lower() in (".md", ".markdown", "") and _MARKS.search(head) is not None


def read(path: Path) -> Bundle:
    """The decks of a folder with their answers, or one deck.  Raises ExchangeError."""
    if path.name == NAME and not path.is_dir():
        raise ExchangeError(
            f"{path}: it holds answers, but no cards. Import the folder it lies in, {path.parent}."
        )
    lost: list[Lost] = []
    source = Source(path, lost)
    reading = _Reading(source, lost)
    cards = list(reading.cards())
    if not cards and not lost:
        raise ExchangeError(
            f"{path}: no card was found. A card begins with a line `Q: ...` or `C: ...`."
        )
    reading.report_unknown()
    return Bundle(
        "hashcards", str(path), len(cards), lambda: iter(cards), reading.pictures.media, lost
    )


class _Reading:
    """One import: what was seen, and where."""

    def __init__(self, source: Source, lost: list[Lost]) -> None:
        self.source, self.lost = source, lost
        self.pictures = Pictures(source)
        self.answers = answers(source.root / NAME, lost)
        self.macros = self._macros()
        self._seen: dict[str, str] = {}
        self._keys = Keys()

    def cards(self) -> Iterator[ForeignCard]:
        for path in self.source.notes(".md"):
            text = self.source.text(path)
            if text is None or not is_deck(text):
                continue
            where = self.source.name(path)
            name, first = front(text, where, self.lost)
            folders = self.source.folders(path)
            name = name or path.stem
            folder = folders if folders and folders[-1] == name else (*folders, name)
            for found in parse_cards(text, first, where, self.lost):
                card = self._card(found, path, folder, f"{where}:{found.line}")
                if card is not None:
                    yield card

    def report_unknown(self) -> None:
        """Says how many answers belong to no card."""
        if self.source.only is not None:
            return  # of one deck, the others' answers are no loss
        left = {name: each for name, each in self.answers.items() if name not in self._seen}
        if left:
            count = sum(map(len, left.values()))
            what = f"{count} answers are to {len(left)} cards that no file has any more: a card's"
            what += " answers are lost in hashcards when its text is edited."
            self.lost.append(Lost(NAME, what))

    def _card(
        self, found: Basic | Cloze, path: Path, folder: tuple[str, ...], where: str
    ) -> ForeignCard | None:
        texts = (found.question, found.answer) if isinstance(found, Basic) else (found.text,)
        if is_too_large(where, "".join(texts), self.lost):
            return None
        if isinstance(found, Cloze) and len(found.hidden) > MAX_CLOZES:
            what = f"It hides {len(found.hidden)} texts; a card has at most {MAX_CLOZES}."
            self.lost.append(Lost(where, what))
            return None
        if isinstance(found, Basic):
            hashes, key, kind = [found.hash], found.hash, "basic"
            question, answer = found.question, found.answer
        else:
            hashes = [found.hash(number) for number in range(len(found.hidden))]
            key, kind, question, answer = found.family, "cloze", _written(found), ""
        if first := self._again(hashes, where):
            self.lost.append(Lost(where, f"This is the card of {first} again: it was read once."))
            return None
        draft = Draft(self._keys.unique(key), where, kind, question, answer, folder=folder)
        draft.items = self._items(kind, hashes)
        self.pictures.put(draft, path)
        draft.fields = self._used_macros(question + answer)
        return finished(draft, self.lost)

    def _again(self, hashes: list[str], where: str) -> str:
        """Where all these were read before, or ""; they count as read now."""
        before = [self._seen.get(each, "") for each in hashes]
        for each in hashes:
            self._seen.setdefault(each, where)
        return before[0] if all(before) else ""

    def _items(self, kind: str, hashes: list[str]) -> list[ForeignItem]:
        items = []
        for number, each in enumerate(hashes, 1):
            reviews: list[ForeignReview] = self.answers.get(each, [])
            if reviews:
                suffix = f"/c{number}" if kind == "cloze" else ""
                items.append(ForeignItem(suffix, tuple(reviews)))
        return items

    def _macros(self) -> dict[str, str]:
        path = self.source.root / "macros.tex"
        text = self.source.text(path) if path.is_file() and self.source.inside(path) else None
        found = {}
        for line in (text or "").split("\n"):
            name, _, body = line.strip().partition(" ")
            if body and _MACRO.fullmatch(name):
                found[name] = body.strip()
        return found

    def _used_macros(self, text: str) -> dict[str, Value]:
        used: dict[str, Value] = {}
        waiting = [text]
        while waiting:
            for name in set(_MACRO.findall(waiting.pop())):
                if name in self.macros and name[1:] not in used:
                    used[name[1:]] = self.macros[name]
                    waiting.append(self.macros[name])
        return {"macros": dict(sorted(used.items()))} if used else {}


def _written(found: Cloze) -> str:
    """The text with its hidden parts in the notation of cards."""
    spans, parts, at = math_spans(found.text), [], 0
    for number, (start, end) in enumerate(found.hidden, 1):
        parts.append(without_clozes(found.text[at:start]))
        math = in_math(spans, start) and in_math(spans, end)
        parts.append(cloze_of(number, found.text[start:end], math=math))
        at = end
    return "".join([*parts, without_clozes(found.text[at:])])
