"""Lights up what a search found: letters of the text, and formulas whole, by their LaTeX.

Works on rows that are laid out: no word goes into another row for it, and no formula is torn.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from tui.page.model import FOLD, Deco, Light, Painting, Row, Source, Span, Thing

#: Styles of letters, and of formulas: a line under each of a fraction's rows would be read as one.
FOUND, LIT = "found", "lit"


class _Piece(NamedTuple):
    """Where a piece of the text is drawn: as a span, or as all that shows a thing."""

    start: int
    end: int
    row: int
    span: int
    thing: Thing | None


def lighted(rows: list[Row], light: Light) -> list[Row]:
    """The rows with `FOUND` and `LIT` among the styles of what is found."""
    text, pieces = _text(rows)
    marks: dict[tuple[int, int], list[tuple[int, int]]] = {}
    things: set[Thing] = set()
    at = 0
    for start, end in light(text):
        while at < len(pieces) and pieces[at].end <= start:
            at += 1
        for piece in pieces[at:]:
            if piece.start >= end:
                break
            if piece.thing is not None:
                things.add(piece.thing)
            else:
                low, high = max(start, piece.start), min(end, piece.end)
                marks.setdefault((piece.row, piece.span), []).append(
                    (low - piece.start, high - piece.start)
                )
    if not marks and not things:
        return rows
    return [_lighted(row, number, marks, things) for number, row in enumerate(rows)]


def hits(rows: Sequence[Row]) -> list[int]:
    """The rows where something is lit up; of a formula its first."""
    found: list[int] = []
    seen: set[Thing] = set()
    for number, row in enumerate(rows):
        for span in row.spans:
            words = span.style.split()
            fresh = span.thing is not None and span.thing not in seen
            if FOUND in words or (LIT in words and fresh):
                found.append(number)
                break
        seen |= {s.thing for s in row.spans if s.thing is not None and LIT in s.style.split()}
    return found


def _text(rows: list[Row]) -> tuple[str, list[_Piece]]:
    """The text as it is read, formulas as their source, and where each piece of it is drawn."""
    parts: list[str] = []
    pieces: list[_Piece] = []
    seen: set[Thing] = set()
    at = 0
    for number, row in enumerate(rows):
        if row.rise:  # above or below a line of text: of its formulas
            continue
        parts.append(row.glue)
        at += len(row.glue)
        for place, span in enumerate(row.spans):
            thing, text = span.thing, span.text
            if thing in seen and isinstance(thing, Source):
                continue
            if isinstance(thing, Deco | Painting) or span.style == FOLD:
                text = " "
            elif isinstance(thing, Source):
                seen.add(thing)
                text = thing.copy
                pieces.append(_Piece(at, at + len(text), number, place, thing))
            else:
                pieces.append(_Piece(at, at + len(text), number, place, None))
            parts.append(text)
            at += len(text)
    return "".join(parts), pieces


def _lighted(
    row: Row, number: int, marks: dict[tuple[int, int], list[tuple[int, int]]], things: set[Thing]
) -> Row:
    spans: list[Span] = []
    fixed = row.fixed
    for place, span in enumerate(row.spans):
        if span.thing is not None and span.thing in things:
            spans.append(span._replace(style=f"{span.style} {LIT}".strip()))
            continue
        cut = _cut(span, marks.get((number, place), []))
        spans += cut
        if place < row.fixed:
            fixed += len(cut) - 1
    return row._replace(spans=tuple(spans), fixed=fixed)


def _cut(span: Span, marked: list[tuple[int, int]]) -> list[Span]:
    if not marked:
        return [span]
    found = span.style + f" {FOUND}" if span.style else FOUND
    if "`" in span.text and "code" in span.style.split():
        return [span._replace(style=found)]  # what closes it depends on all of it
    cuts = sorted({0, len(span.text), *(place for mark in marked for place in mark)})
    starts = dict(marked)
    made, until = [], 0
    for begin, end in pairwise(cuts):
        until = max(until, starts.get(begin, 0))
        style = found if begin < until else span.style
        made.append(span._replace(text=span.text[begin:end], style=style))
    return made
