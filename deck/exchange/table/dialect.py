"""How a table is written: its encoding, what parts its cells, and where its names are."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cards.files import open_regular
from deck.exchange.bundle import ExchangeError
from deck.exchange.encoding import NotTextError, encoding_of
from deck.exchange.named import ROLES, role_of

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
    first, told = _separator(lines, first)
    told = _DELIMITERS.get(anki.get("separator", "").casefold(), anki.get("separator", "")) or told
    if len(told) > 1 or told in ('"', "\r", "\n"):
        raise ExchangeError(f"{path}: its line #separator names no single sign: {told!a}.")
    escaped = bool(_ESCAPED.search(sample)) and not _DOUBLED.search(sample)
    if anki:
        row = _row(lines[first:], told or "\t")
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
        row = [cell for cell in _row(lines[first:], told) if cell.strip()]
        if all(map(role_of, row)) and any(role_of(cell) == "question" for cell in row):
            what = "this line names the columns itself: leave out --columns, or take it away."
            raise ExchangeError(f"{path}:{first + 1}: {what}")
        return Dialect(encoding, told, escaped, columns, first, breaks)
    delimiter, names, used = _header(lines[first:], told)
    if not any(role_of(name) == "question" for name in names):
        raise _nameless(path, first + 1, names)
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


def _separator(lines: list[str], first: int) -> tuple[int, str]:
    """Excel's line `sep=;`."""
    if first < len(lines) and lines[first].strip().casefold().startswith("sep="):
        return first + 1, lines[first].strip()[4:5]
    return first, ""


def _row(lines: list[str], delimiter: str) -> list[str]:
    try:
        return next(csv.reader(iter(lines), delimiter=delimiter), [])
    except csv.Error:
        return []


def _header(lines: list[str], told: str) -> tuple[str, tuple[str, ...], int]:
    """The sign by which the first row has most names that are known; how many lines it takes."""
    best: tuple[tuple[int, int], str, tuple[str, ...], int] | None = None
    for sign in (told,) if told else _SIGNS:
        reader = csv.reader(iter(lines), delimiter=sign)
        try:
            names = tuple(name.lstrip("\ufeff").strip() for name in next(reader, []))
        except csv.Error:
            continue
        rank = (sum(bool(role_of(name)) for name in names), len(names))
        if best is None or rank > best[0]:
            best = rank, sign, names, reader.line_num
    return best[1:] if best else (",", (), 0)


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
        names = (_row([columns], delimiter) + names)[: max(count, 1)]
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


def _nameless(path: Path, line: int, names: tuple[str, ...]) -> ExchangeError:
    shown = ", ".join(repr(name[:30]) for name in names[:8]) or "nothing"
    return ExchangeError(
        f"{path}:{line}: no column is called `question` (or front, prompt, term); found {shown}. "
        "Write the names of the columns in the first line (question, answer, tags, ...), or name "
        "them with --columns."
    )
