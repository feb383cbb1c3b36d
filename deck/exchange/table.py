"""Tables: CSV and TSV with a line of names, and Anki's export as text.

How a table is written (encoding, delimiter, quotes, names of columns) is found, not asked.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from cards.cloze import find
from cards.files import open_regular
from cards.model import Value
from cards.text import printable_line
from deck.exchange.anki.html import Converted, to_markdown
from deck.exchange.anki.notes import OWN
from deck.exchange.model import (
    ExchangeError,
    ForeignCard,
    ImportSource,
    Losses,
    OwnCard,
    content_key,
)
from deck.exchange.normalise import ROLES, CardDraft, finished, named, role_of
from deck.exchange.source import NoteFolder, NotTextError, encoding_of

_SUFFIXES = (".csv", ".tsv", ".tab")
#: What our own tables of items and answers have, and one of cards has not.
_NO_CARDS = {"item", "rating", "prompt"}
#: What the header of our own table of cards has, and no other's.
_OURS = {"id", "digest", "items"}


def looks_like(path: Path, head: bytes) -> bool:
    """By its name, or a text whose first line names a question."""
    if path.is_dir():
        return False
    if path.suffix.lower() in _SUFFIXES or head.startswith((b"#separator:", b"#html:")):
        return True
    if path.suffix.lower() not in (".txt", ""):
        return False
    try:
        return bool(dialect_of(path).names)
    except ExchangeError as error:
        # What is read as a table says how to save it; no other reader takes it.
        return isinstance(error.__cause__, NotTextError)


def read(path: Path, columns: tuple[str, ...] = ()) -> ImportSource:
    """The cards of a table, a row each; `columns` are the names of one without a header.

    Raises ExchangeError.
    """
    dialect = dialect_of(path, columns)
    if len(_NO_CARDS & {name.casefold() for name in dialect.names}) > 1:
        raise ExchangeError(
            f"{path}: this is a table of items or answers, not of cards. Export the cards as CSV, "
            "or as JSON with their answers."
        )
    total, folder = max(dialect.lines - dialect.first, 0) + 1, NoteFolder(path, Losses())
    if "guid" in dialect.names and dialect.anki and not columns:
        notes = partial(_notes, path, dialect, folder.lost)
        return ImportSource("anki", path.name, total, notes, folder.media, folder.lost)
    cards = partial(_cards, path, dialect, folder)
    return ImportSource("table", str(path), total, cards, folder.media, folder.lost)


def _notes(path: Path, dialect: Dialect, lost: Losses) -> Iterator[ForeignCard]:
    """The notes of Anki's text export: the first field asks, and the others answer."""
    for line, row in rows(path, dialect, lost):
        where = f"{path.name}:{line}"
        cells = [each for each in zip(dialect.names, row, strict=False) if each[0] != SKIPPED]
        if any(cell.strip() for name, cell in cells if not name):
            what = "It has a column without a name, which was left out: name it, or write - for it."
            lost.say(where, what)
        said = dialect.anki | {name: cell for name, cell in cells if name in _NUMBERED}
        html = [cell for name, cell in cells if name and name not in _NUMBERED]
        made = [
            to_markdown(cell, None) if dialect.is_html else Converted(cell.strip()) for cell in html
        ]
        lost.say(where, *(what for each in made for what in each.lost))
        question, *more = [each.text for each in made] or [""]
        deck = said.get("deck", path.stem).split("::")
        folder = tuple(filter(None, map(str.strip, deck))) or ("Default",)
        key = said.get("guid", "").strip() or content_key(path.name, question)
        tags: list[Value] = list(dict.fromkeys(said.get("tags", "").split()))
        fields: dict[str, Value] = {"course": folder[0], "tags": tags}
        solution = "\n\n".join(filter(None, more))
        kind = "cloze" if find(question).found else "basic"
        own_id = key.removeprefix(OWN) if key.startswith(OWN) else ""
        draft = CardDraft(key, where, kind, question, solution, own_id, folder, fields)
        draft.media = [name for each in made for name in each.media]
        if (card := finished(draft, lost)) is not None:
            own = None
            if own_id:
                told = {"tags": fields["tags"]} if "tags" in said else {}
                as_html = tuple(html) if dialect.is_html else ()
                own = OwnCard(own_id, kind, question, solution, told, html=as_html)
            parts = tuple(filter(None, (question, *more)))
            yield replace(card, parts=parts, bare=not dialect.is_html, own=own)


def _cards(path: Path, dialect: Dialect, folder: NoteFolder) -> Iterator[ForeignCard]:
    line_of, lost = dict[str, int](), folder.lost
    is_ours = set(dialect.names) >= _OURS
    for line, row in rows(path, dialect, lost):
        where = f"{path.name}:{line}"
        values = _values(row, dialect, where, lost)
        ids = (str(value) for name, value in values.items() if role_of(name) == "id")
        card_id = printable_line(next(ids, ""))
        # In other programs' tables a number is a row's, in every table from 1.
        may_be_ours = bool(card_id) and (is_ours or not card_id.isdigit())
        own = drafted_row(values, where, Losses(), is_ours) if may_be_ours else None
        if is_ours:
            del values["digest"]
        draft = named(values, path.stem, where, lost)
        if draft.key in line_of and draft.wanted_id:
            what = f"The id {draft.key[:40]!r} stands in line {line_of[draft.key]} as well; "
            lost.say(where, f"{what}it was read as another card.")
        line_of.setdefault(draft.key, line)
        draft.key = folder.unique(draft.key)
        before = len(lost)
        folder.put_media(draft, path)
        if own is not None:  # of a card that is here, its pictures are
            own, lost[before:] = replace(own, lost=tuple(lost[before:])), []
        if (card := finished(draft, lost)) is not None:
            yield replace(card, own=own)


def _values(row: list[str], dialect: Dialect, where: str, lost: Losses) -> dict[str, Value]:
    """A row's cells by the names of their columns."""
    values: dict[str, Value] = {}
    for name, cell in zip(dialect.names, row, strict=False):
        if name == SKIPPED:
            continue
        while name in values:
            name += " "  # two columns of one name: the later joins the earlier, or is kept beside
        if dialect.is_html and role_of(name) in ("question", "answer"):
            made = to_markdown(cell, None)
            cell = made.text
            lost.say(where, *made.lost)
        values[name] = cell
    told = {name: dialect.anki.get(name, "") for name in ("deck", "notetype", "tags")}
    return values | {n: value for n, value in told.items() if value and n not in values}


def rows(path: Path, dialect: Dialect, lost: Losses) -> Iterator[tuple[int, list[str]]]:
    """The rows that say something and fit the columns, each with the number of its first line."""
    with path.open(encoding=dialect.encoding, newline="", errors="replace") as file:
        number, ended = 0, False

        def counted() -> Iterator[str]:
            """A row that is finished does not ask for another line: one that did is still open."""
            nonlocal number, ended
            for line in file:
                number += 1
                yield line
            ended = True

        lines = counted()
        for _ in range(dialect.first):
            next(lines, None)
        reader = dialect.reader(lines)
        while True:
            first = number + 1
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                what = f"The row cannot be read ({error}): what follows it was not read."
                lost.say(f"{path.name}:{first}", f"{what} Is a quote never closed?")
                return
            if ended:
                what = f"A quote that opens here is never closed: {number - first + 1} lines "
                lost.say(f"{path.name}:{first}", f"{what}were not read. Close it.")
                return
            if any(cell.strip() for cell in row[len(dialect.names) :]):
                what = f"The row has {len(row)} cells, for {len(dialect.names)} columns with names"
                what += f": it was not read. A cell that holds {dialect.delimiter!r} needs quotes."
                lost.say(f"{path.name}:{first}", what)
            elif any(cell.strip() for cell in row):
                yield first, row


# How a table is written.

LARGEST = 2_000_000_000
_CHUNK = 1 << 20
_SAMPLE = 200_000
_DELIMITERS = {"tab": "\t", "comma": ",", "semicolon": ";", "space": " ", "pipe": "|", "colon": ":"}
_SIGNS = ("\t", ",", ";", "|")
#: Columns that Anki's export tells by their number.
_NUMBERED = ("guid", "notetype", "deck", "tags")
#: A quote behind a backslash within a cell, and one that is written twice.
_ESCAPED = re.compile(r'\\"(?![,;\t|\r\n"]|\Z)')
_DOUBLED = re.compile(r'[^\\,;\t|\r\n]""')
#: A cell may be this long before a row of it is given up.
MAX_CELL = 64_000_000
#: The name of a column that is left out, as `columns_of` reads it.
SKIPPED = "\0"


@dataclass(frozen=True, slots=True)
class Dialect:
    """What `csv.reader` is told, and what each column is called."""

    encoding: str
    delimiter: str
    escaped: bool
    """Quotes within a cell stand behind a backslash, not twice."""
    names: tuple[str, ...]
    """Of the columns; "" for one that has none."""
    first: int
    """The index of the first line of data."""
    lines: int
    """How many lines the file has, about."""
    anki: dict[str, str] = field(default_factory=dict)
    """The `#name:value` lines of Anki's text export."""

    @property
    def is_html(self) -> bool:
        """Whether the cells of Anki's export hold HTML."""
        return self.anki.get("html", "").strip().casefold() == "true"

    def reader(self, lines: Iterator[str]) -> Iterator[list[str]]:
        csv.field_size_limit(max(csv.field_size_limit(), MAX_CELL))
        escape = "\\" if self.escaped else None
        return csv.reader(
            lines, delimiter=self.delimiter, doublequote=not self.escaped, escapechar=escape
        )


def columns_of(text: str) -> tuple[str, ...]:
    """The columns of a table without a header, as `--columns` names them.  Raises ExchangeError."""
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in ("", "-", "_") and not role_of(name):
            known = ", ".join(["front", "back", *ROLES])
            raise ExchangeError(
                f"There is no column {name!a}: known are {known}; - skips a column."
            )
    if not any(role_of(name) == "question" for name in names):
        raise ExchangeError(f"--columns {text}: no column is the question (or front).")
    return tuple(name if role_of(name) else SKIPPED for name in names)


def dialect_of(path: Path, columns: tuple[str, ...] = ()) -> Dialect:
    """How the table at `path` is written; `columns` are the names of one without a header.

    Raises:
        ExchangeError: it is no table, or no column is named as the question.
    """
    encoding, breaks = _encoding(path)
    with path.open(encoding=encoding, newline="", errors="replace") as file:
        sample = file.read(_SAMPLE)
    lines = sample.splitlines(keepends=True)
    anki, first = _anki(lines)
    told = ""
    if first < len(lines) and lines[first].strip().casefold().startswith("sep="):  # Excel's
        first, told = first + 1, lines[first].strip()[4:5]
    named = anki.get("separator", "")
    told = _DELIMITERS.get(named.casefold(), named) or told
    if len(told) > 1 or told in ('"', "\r", "\n"):
        raise ExchangeError(f"{path}: its line #separator names no single sign: {told!a}.")
    escaped = bool(_ESCAPED.search(sample)) and not _DOUBLED.search(sample)
    if anki:
        row, _ = _first_row(lines[first:], told or "\t")
        names = _anki_names(anki, told or "\t", len(row) or 2)
        if columns:
            numbered = {anki.get(f"{name} column", "").strip() for name in _NUMBERED}
            more = enumerate(names[len(columns) :], len(columns) + 1)
            names = (*columns, *(name if str(n) in numbered else "" for n, name in more))
        return Dialect(encoding, told or "\t", escaped, names, first, breaks, anki)
    while first < len(lines) and not lines[first].strip(" \t\r\n,;|"):
        first += 1
    if columns:
        told = told or _parting(lines[first:], len(columns))
        row = [cell for cell in _first_row(lines[first:], told)[0] if cell.strip()]
        if all(map(role_of, row)) and any(role_of(cell) == "question" for cell in row):
            what = "this line names the columns itself: leave out --columns, or take it away."
            raise ExchangeError(f"{path}:{first + 1}: {what}")
        return Dialect(encoding, told, escaped, columns, first, breaks)
    delimiter, names, used = _header(lines[first:], told)
    if not any(role_of(name) == "question" for name in names):
        shown = ", ".join(repr(name[:30]) for name in names[:8]) or "nothing"
        raise ExchangeError(
            f"{path}:{first + 1}: no column is called `question` (or front, prompt, term); found "
            f"{shown}. Write the names of the columns in the first line (question, answer, tags, "
            "...), or name them with --columns."
        )
    return Dialect(encoding, delimiter, escaped, names, first + used, breaks)


def _encoding(path: Path) -> tuple[str, int]:
    breaks = 0

    def chunks() -> Iterator[bytes]:
        nonlocal breaks
        with open_regular(path) as file:
            while chunk := file.read(_CHUNK):
                breaks += chunk.count(b"\n")
                yield chunk

    try:
        if path.stat().st_size > LARGEST:
            raise ExchangeError(f"{path}: it is larger than 2 GB. Split it.")
        return encoding_of(chunks()), breaks
    except NotTextError as error:
        raise ExchangeError(f"{path}: {error}") from error
    except (OSError, ValueError) as error:
        if isinstance(error, ExchangeError):
            raise
        raise ExchangeError(f"{path}: it cannot be read: {error}.") from error


def _anki(lines: list[str]) -> tuple[dict[str, str], int]:
    """The `#name:value` lines at the beginning, and how many they are."""
    found: dict[str, str] = {}
    for index, line in enumerate(lines):
        name, colon, value = line.rstrip("\r\n").removeprefix("#").partition(":")
        if not line.startswith("#") or not colon:
            return (found, index) if "separator" in found or "html" in found else ({}, 0)
        found[name.strip().casefold()] = value
    return found, len(lines)


def _first_row(lines: list[str], delimiter: str) -> tuple[list[str], int]:
    """Its cells, and how many lines it takes; none where it cannot be read."""
    reader = csv.reader(iter(lines), delimiter=delimiter)
    try:
        return next(reader, []), reader.line_num
    except csv.Error:
        return [], 0


def _header(lines: list[str], told: str) -> tuple[str, tuple[str, ...], int]:
    """The sign by which the first row has most names that are known; how many lines it takes."""
    found = []
    for sign in (told,) if told else _SIGNS:
        cells, used = _first_row(lines, sign)
        names = tuple(name.lstrip("\ufeff").strip() for name in cells)
        found.append((sign, names, used))
    return max(found, key=lambda each: (sum(map(bool, map(role_of, each[1]))), len(each[1])))


def _parting(lines: list[str], count: int) -> str:
    """The sign by which most rows have `count` cells; of equal ones, that parts most rows."""

    def rank(sign: str) -> tuple[int, int]:
        try:
            widths = [len(row) for row in csv.reader(iter(lines), delimiter=sign)]
        except csv.Error:
            return 0, 0
        return widths.count(count), sum(width > 1 for width in widths)

    return max(_SIGNS, key=rank)


def _anki_names(anki: dict[str, str], delimiter: str, count: int) -> tuple[str, ...]:
    """The columns of Anki's export: some are told by number, the others are a note's fields."""
    names = [""] * count
    if columns := anki.get("columns"):
        names = (_first_row([columns], delimiter)[0] + names)[: max(count, 1)]
    for name in _NUMBERED:
        number = anki.get(f"{name} column", "").strip()
        if number.isdigit() and 1 <= int(number) <= count:
            names[int(number) - 1] = name
    free = [at for at, name in enumerate(names) if not name]
    taken = {role_of(name) for name in names}
    for role, at in zip((r for r in ("question", "answer") if r not in taken), free, strict=False):
        names[at] = role
    # Further fields of the note stand below its answer.
    return tuple(name or "back" for name in names)


# Rows whose id may be a card's of the collection.


def drafted_row(
    values: Mapping[str, Value], where: str, lost: Losses, is_ours: bool = True
) -> OwnCard:
    """A row as a card's texts; the right answer is compared by itself."""
    kept = {n: v for n, v in values.items() if n != "digest" and role_of(n) != "correct"}
    draft = named(kept, "", where, lost)
    correct = next((value for name, value in values.items() if role_of(name) == "correct"), "")
    fields = {**draft.fields, **({"correct": correct} if correct else {})}
    digest = str(values.get("digest", "")) if is_ours else ""
    texts = (draft.question, draft.solution)
    return OwnCard(draft.wanted_id, draft.type, *texts, fields, digest, tuple(values), is_ours)
