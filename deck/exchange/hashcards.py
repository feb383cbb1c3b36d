"""hashcards: Markdown decks of `Q:`/`A:` and `C:` cards, and the answers in a SQLite database.

The format is that of hashcards 0.3 (README.md, src/parser.rs and src/types/card.rs of its
repository).  What it refuses a whole collection for, such as a question without an answer, costs
one card here.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from blake3 import blake3

from cards.model import Value
from cards.spans import in_math, math_spans
from deck.exchange.model import (
    ExchangeError,
    ForeignCard,
    ForeignItem,
    ForeignReview,
    ImportSource,
    Losses,
)
from deck.exchange.normalise import MAX_CLOZES, CardDraft, cloze_of, is_too_large, without_clozes
from deck.exchange.source import NoteFolder, holds_marked

DATABASE = "hashcards.db"
_MARKS = re.compile(rb"^[QC]:(?!:)", re.MULTILINE)  # `Q::A` is Obsidian's
_MACRO = re.compile(r"\\[A-Za-z]+")
_FILES_PEEKED = 200


def looks_like(path: Path, head: bytes) -> bool:
    """A folder with its database or with a deck, or a deck."""
    if path.is_dir():
        if (path / DATABASE).is_file():
            return True
        is_vault = (path / ".obsidian").is_dir()
        return not is_vault and holds_marked(path, ".md", _MARKS, _FILES_PEEKED)
    is_deck = path.suffix.lower() in (".md", ".markdown", "") and _MARKS.search(head) is not None
    return path.name == DATABASE or is_deck


def read(path: Path) -> ImportSource:
    """The decks of a folder with their answers, or one deck.  Raises ExchangeError."""
    if path.name == DATABASE and not path.is_dir():
        raise ExchangeError(
            f"{path}: it holds answers, but no cards. Import the folder it lies in, {path.parent}."
        )
    lost = Losses()
    source = NoteFolder(path, lost)
    decks = _Decks(source, answers_in(source.root / DATABASE, lost))
    expected = "A card begins with a line `Q: ...` or `C: ...`."
    bundle = source.bundle("hashcards", decks.cards(), expected)
    decks.report_unknown_answers()
    return bundle


class _Decks:
    """The decks of one import, with their answers and macros."""

    def __init__(self, source: NoteFolder, answers: dict[str, list[ForeignReview]]) -> None:
        self._source, self._lost, self._answers = source, source.lost, answers
        path = source.root / "macros.tex"
        text = source.text(path) if path.is_file() and source.holds(path) else None
        lines = [line.strip().partition(" ") for line in (text or "").split("\n")]
        self._macros = {
            name: body.strip() for name, _, body in lines if body and _MACRO.fullmatch(name)
        }
        self._seen: dict[str, str] = {}
        """Where each hash was met first."""

    def cards(self) -> Iterator[ForeignCard]:
        for path in self._source.notes(".md"):
            text = self._source.text(path)
            if text is None or not _has_card(text.split("\n")):
                continue
            where = self._source.name(path)
            name, first = front_of(text, where, self._lost)
            folders, name = self._source.folders(path), name or path.stem
            folder = folders if folders and folders[-1] == name else (*folders, name)
            drafts = (
                self._draft(found, f"{where}:{found.line}", folder)
                for found in cards_in(text, first, where, self._lost)
            )
            yield from self._source.cards(filter(None, drafts), path)

    def report_unknown_answers(self) -> None:
        if self._source.is_file:
            return  # of one deck, the others' answers are no loss
        left = [reviews for name, reviews in self._answers.items() if name not in self._seen]
        if left:
            what = f"{sum(map(len, left))} answers are to {len(left)} cards that no file has any "
            what += "more: a card's answers are lost in hashcards when its text is edited."
            self._lost.say(DATABASE, what)

    def _draft(self, found: DeckCard, where: str, folder: tuple[str, ...]) -> CardDraft | None:
        if is_too_large(where, found.question + found.answer, self._lost):
            return None
        if len(found.hidden) > MAX_CLOZES:
            what = f"It hides {len(found.hidden)} texts; a card has at most {MAX_CLOZES}."
            self._lost.say(where, what)
            return None
        hashes = found.hashes()
        before = [self._seen.setdefault(each, where) for each in hashes]
        if all(first != where for first in before):
            what = f"This is the card of {before[0]} again: it was read once."
            self._lost.say(where, what)
            return None
        kind, question = "basic", found.question
        if found.hidden:
            kind, question = "cloze", _clozed(found)
        items = [
            ForeignItem(f"/c{number}" if found.hidden else "", tuple(reviews))
            for number, each in enumerate(hashes, 1)
            if (reviews := self._answers.get(each))
        ]
        draft = CardDraft(found.key, where, kind, question, found.answer, "", folder, items=items)
        macros = self._used_macros(question + found.answer)
        draft.fields = {"macros": macros} if macros else {}
        return draft

    def _used_macros(self, text: str) -> dict[str, Value]:
        """The macros that a text names, and those that these name."""
        used: dict[str, Value] = {}
        waiting = [text]
        while waiting:
            for name in set(_MACRO.findall(waiting.pop())):
                if name in self._macros and name[1:] not in used:
                    used[name[1:]] = self._macros[name]
                    waiting.append(self._macros[name])
        return dict(sorted(used.items()))


def _clozed(found: DeckCard) -> str:
    """The text with its hidden parts in the notation of cards."""
    spans, parts, at, text = math_spans(found.question), list[str](), 0, found.question
    for number, (start, end) in enumerate(found.hidden, 1):
        is_math = in_math(spans, start) and in_math(spans, end)
        parts.append(without_clozes(text[at:start]))
        parts.append(cloze_of(number, text[start:end], math=is_math))
        at = end
    return "".join([*parts, without_clozes(text[at:])])


# A deck's text, line by line.

#: White space as Rust's `str::trim` knows it; Python's `strip` takes four more.
_SPACE = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008" + (
    "\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
#: What an answer is that follows a cloze, another answer, or nothing.
_STRAY = {
    "": "This answer has no question above it (a line `Q:`).",
    "C:": "A cloze card takes no answer: the line was left out.",
    "A:": "The card has a second answer: it was left out.",
}


@dataclass(frozen=True, slots=True)
class DeckCard:
    """A question and its answer, or a text without its brackets; `line` is 1-based."""

    line: int
    question: str
    answer: str = ""
    hidden: tuple[tuple[int, int], ...] = ()
    """Of a cloze: where brackets stood, as half-open ranges of characters."""

    @property
    def key(self) -> str:
        """As hashcards names the card in its database; of a cloze, what its parts share."""
        kind = "Cloze" if self.hidden else "Basic"
        return blake3(_encoded(f"{kind}{self.question}{self.answer}")).hexdigest()

    def hashes(self) -> list[str]:
        """The name in the database of each thing that is asked."""
        text, found = self.question, []
        for start, end in self.hidden:
            first = len(_encoded(text[:start]))
            last = first + len(_encoded(text[start:end])) - 1
            places = first.to_bytes(8, "little") + (last & 2**64 - 1).to_bytes(8, "little")
            found.append(blake3(_encoded(f"Cloze{text}") + places).hexdigest())
        return found or [self.key]


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _has_card(lines: list[str]) -> bool:
    return any(line.startswith(("Q:", "C:")) for line in lines)


def front_of(text: str, where: str, lost: Losses) -> tuple[str, int]:
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
        if _has_card(lines[1:closing]):
            return "", 1  # two separators, not a frontmatter
        what = f"Its frontmatter is not TOML ({error}): the deck is called as the file."
        lost.say(f"{where}:1", what)
        return "", closing + 1
    name = found.get("name")
    return (name if isinstance(name, str) else ""), closing + 1


def cards_in(text: str, first: int, where: str, lost: Losses) -> Iterator[DeckCard]:
    """The cards of a deck from line `first` (from 0) on; what is none goes to `lost`."""
    kind, begin, question, answer = "", 0, list[str](), list[str]()
    for number, line in enumerate([*text.split("\n")[first:], "---"], first + 1):
        mark, rest = line[:2], line[2:].strip(_SPACE)
        if mark == "A:" and kind == "Q:":
            kind, answer = "A:", [rest]
        elif mark == "A:":
            lost.say(f"{where}:{number}", _STRAY[kind])
        elif mark in ("Q:", "C:") or line.strip(_SPACE) == "---":
            said, told = ("\n".join(lines).strip(_SPACE) for lines in (question, answer))
            if kind == "A:":
                yield DeckCard(begin, said, told)
            elif kind == "C:" and (found := cloze_in(said, begin)).hidden:
                yield found
            elif kind == "C:":
                what = "This cloze card hides nothing: put what it asks in [brackets]."
                lost.say(f"{where}:{begin}", what)
            elif kind:
                what = "This question has no answer (a line `A:`): it was not read."
                lost.say(f"{where}:{begin}", what)
            kind = mark if mark in ("Q:", "C:") else ""
            begin, question = number, [rest]
        else:
            (answer if kind == "A:" else question).append(line)


def cloze_in(text: str, line: int = 1) -> DeckCard:
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
    return DeckCard(line, "".join(clean), hidden=tuple(hidden))


# The answers: table `reviews` of the database, by the hash of a card.  Its times are the clock's of
# the place where it ran, without a zone: they are read as this machine's.  Its days end at
# midnight, ours later: what counts of an answer is the day on which the card was due again, and its
# interval only where that day cannot be read.

_GRADES = {"forgot": 1, "again": 1, "hard": 2, "good": 3, "easy": 4}
_LARGEST = 2_000_000_000
_LONGEST_VALUE = 10_000
_COLUMNS = {"card_hash", "reviewed_at", "grade", "due_date"}


def answers_in(path: Path, lost: Losses) -> dict[str, list[ForeignReview]]:
    """Every answer, by its card's hash and in the order of time; nothing where there is no file."""
    found: dict[str, list[ForeignReview]] = {}
    unread = 0
    if not path.is_file():
        return found
    if path.stat().st_size > _LARGEST:
        lost.say(DATABASE, "It is larger than 2 GB; the answers were not read.")
        return found
    try:
        with tempfile.TemporaryDirectory() as folder:  # SQLite may write beside what it reads
            for each in (path, path.with_name(f"{DATABASE}-wal")):
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
        lost.say(DATABASE, what)
    if unread:
        lost.say(DATABASE, f"{unread} answers have no time or grade that can be read.")
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


def _review(row: Mapping[str, Any]) -> ForeignReview | None:
    rating = _GRADES.get(str(row["grade"]).lower())
    days, due = 0, None
    with suppress(ValueError, OverflowError):
        days = round(float(row.get("interval_days") or 0))
    with suppress(ValueError):
        due = date.fromisoformat(str(row["due_date"])[:10])
    try:
        said = datetime.fromisoformat(str(row["reviewed_at"]))
        at = said.astimezone()
    except (ValueError, OverflowError, OSError):
        return None
    if rating is None:
        return None
    key = f"{str(row['card_hash'])[:16]}@{said.isoformat()}"
    return ForeignReview(at, rating, days=days if days >= 1 else None, key=key, due=due)
