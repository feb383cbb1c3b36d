"""Tables: CSV and TSV with a line of names, and Anki's export as text.

dialect.py   encoding, delimiter, quoting, the names of the columns: found, not asked
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from cards.cloze import find
from cards.model import Value
from deck.exchange.anki.html import to_markdown
from deck.exchange.anki.notes import OWN
from deck.exchange.anki.shown import Converted
from deck.exchange.bundle import Bundle, ExchangeError, ForeignCard, Lost, Own
from deck.exchange.draft import Draft, finished
from deck.exchange.encoding import NotTextError
from deck.exchange.named import named, role_of
from deck.exchange.naming import Keys, content_key
from deck.exchange.pictures import Pictures
from deck.exchange.source import Source
from deck.exchange.table.dialect import SKIPPED, Dialect, dialect_of
from deck.exchange.table.own import is_ours, own_of

_SUFFIXES = (".csv", ".tsv", ".tab")
_SIDES = ("question", "answer")
#: What our own tables of items and answers have, and one of cards has not.
_NO_CARDS = {"item", "rating", "prompt"}


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


def read(path: Path, columns: tuple[str, ...] = ()) -> Bundle:
    """The cards of a table, a row each; `columns` are the names of one without a header.

    Raises ExchangeError.
    """
    lost: list[Lost] = []
    dialect = dialect_of(path, columns)
    if len(_NO_CARDS & {name.casefold() for name in dialect.names}) > 1:
        raise ExchangeError(
            f"{path}: this is a table of items or answers, not of cards. Export the cards as CSV, "
            "or as JSON with their answers."
        )
    total = max(dialect.lines - dialect.first, 0) + 1
    pictures = Pictures(Source(path, lost))
    if "guid" in dialect.names and dialect.anki and not columns:
        notes = partial(_notes, path, dialect, lost)
        return Bundle("anki", path.name, total, notes, pictures.media, lost)
    cards = partial(_cards, path, dialect, pictures, lost)
    return Bundle("table", str(path), total, cards, pictures.media, lost)


def _notes(path: Path, dialect: Dialect, lost: list[Lost]) -> Iterator[ForeignCard]:
    """The notes of Anki's text export: the first field asks, and the others answer."""
    special, html = ("guid", "notetype", "deck", "tags"), _is_html(dialect)
    for line, row in rows(path, dialect, lost):
        where = f"{path.name}:{line}"
        named_cells = [each for each in zip(dialect.names, row, strict=False) if each[0] != SKIPPED]
        if any(cell.strip() for name, cell in named_cells if not name):
            what = "It has a column without a name, which was left out: name it, or write - for it."
            lost.append(Lost(where, what))
        said = dialect.anki | {name: cell for name, cell in named_cells if name in special}
        made = [
            to_markdown(cell, None) if html else Converted(cell.strip())
            for name, cell in named_cells
            if name and name not in special
        ]
        lost += [Lost(where, sentence) for each in made for sentence in each.lost]
        parts = [each.text for each in made]
        deck = said.get("deck", path.stem).split("::")
        folder = tuple(filter(None, map(str.strip, deck))) or ("Default",)
        key = said.get("guid", "").strip() or content_key(path.name, "".join(parts[:1]))
        fields: dict[str, Value] = {"course": folder[0]}
        if tags := said.get("tags", "").split():
            fields["tags"] = list(dict.fromkeys(tags))
        question, solution = "".join(parts[:1]), "\n\n".join(filter(None, parts[1:]))
        kind = "cloze" if find(question).found else "basic"
        draft = Draft(key, where, kind, question, solution, "", folder, fields)
        draft.media = [name for each in made for name in each.media]
        if key.startswith(OWN):
            draft.wanted_id = key.removeprefix(OWN)
        if (card := finished(draft, lost)) is not None:
            own = None
            if draft.wanted_id:
                cells = tuple(cell for name, cell in named_cells if name and name not in special)
                told = {"tags": fields.get("tags", [])} if "tags" in said else {}
                own = Own(draft.wanted_id, kind, question, solution, told, html=cells * html)
            yield replace(card, parts=tuple(filter(None, parts)), bare=not html, own=own)


def _is_html(dialect: Dialect) -> bool:
    return dialect.anki.get("html", "").strip().casefold() == "true"


def _cards(
    path: Path, dialect: Dialect, pictures: Pictures, lost: list[Lost]
) -> Iterator[ForeignCard]:
    keys, lines_of, ours = Keys(), dict[str, int](), is_ours(dialect.names)
    for line, row in rows(path, dialect, lost):
        where = f"{path.name}:{line}"
        values = _values(row, dialect, where, lost)
        own = own_of(values, where, ours)
        if ours:
            del values["digest"]
        draft = named(values, path.stem, where, lost)
        if draft.key in lines_of and draft.wanted_id:
            what = f"The id {draft.key[:40]!r} stands in line {lines_of[draft.key]} as well; "
            lost.append(Lost(where, f"{what}it was read as another card."))
        lines_of.setdefault(draft.key, line)
        draft.key = keys.unique(draft.key)
        before = len(lost)
        pictures.put(draft, path)
        if own is not None:  # of a card that is here, its pictures are
            own, lost[before:] = replace(own, lost=tuple(lost[before:])), []
        card = finished(draft, lost)
        if card is not None:
            yield replace(card, own=own)


def _values(row: list[str], dialect: Dialect, where: str, lost: list[Lost]) -> dict[str, Value]:
    """A row's cells by the names of their columns."""
    html = _is_html(dialect)
    values: dict[str, Value] = {}
    for name, cell in zip(dialect.names, row, strict=False):
        if name == SKIPPED:
            continue
        while name in values:
            name += " "  # two columns of one name: the later joins the earlier, or is kept beside
        values[name] = _plain(cell, where, lost) if html and role_of(name) in _SIDES else cell
    for name in ("deck", "notetype", "tags"):
        if told := dialect.anki.get(name):
            values.setdefault(name, told)
    return values


def _plain(cell: str, where: str, lost: list[Lost]) -> str:
    """A cell of Anki's as Markdown."""
    made = to_markdown(cell, None)
    lost += [Lost(where, sentence) for sentence in made.lost]
    return made.text


def rows(path: Path, dialect: Dialect, lost: list[Lost]) -> Iterator[tuple[int, list[str]]]:
    """The rows that say something and fit the columns, each with the number of its first line."""
    with path.open(encoding=dialect.encoding, newline="", errors="replace") as file:
        lines = _Lines(file)
        for _ in range(dialect.first):
            next(lines, None)
        reader = dialect.reader(lines)
        while True:
            first = lines.number + 1
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                what = f"The row cannot be read ({error}): what follows it was not read."
                lost.append(Lost(f"{path.name}:{first}", f"{what} Is a quote never closed?"))
                return
            if lines.ended:
                what = f"A quote that opens here is never closed: {lines.number - first + 1} lines "
                lost.append(Lost(f"{path.name}:{first}", f"{what}were not read. Close it."))
                return
            if any(cell.strip() for cell in row[len(dialect.names) :]):
                what = f"The row has {len(row)} cells, for {len(dialect.names)} columns with names"
                what += f": it was not read. A cell that holds {dialect.delimiter!r} needs quotes."
                lost.append(Lost(f"{path.name}:{first}", what))
            elif any(cell.strip() for cell in row):
                yield first, row


class _Lines:
    """A file's lines, counted; `ended` once more were asked for than there are.

    A row that is finished does not ask for another line: one that did is still open.
    """

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self.number = 0
        self.ended = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        try:
            line = next(self._lines)
        except StopIteration:
            self.ended = True
            raise
        self.number += 1
        return line
