"""Text to `Card`: the frontmatter, the outline, and what stands in each part."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from cards.checks import check_items, check_options, check_structure
from cards.files import read_text, refuse_large_text
from cards.frontmatter import read_header
from cards.items import items_of
from cards.links import related
from cards.model import Card, CardError, Problem
from cards.options import Found, correct_letters, read_correct, read_options, take_points
from cards.outline import Outline
from cards.parts import (
    Parts,
    markdown,
    outline_of,
    own_part,
    parts_of,
    question_markdown,
    sections_of,
)
from cards.report import Report
from cards.schema import Schema, convert
from cards.text import one_line


@lru_cache(maxsize=4)  # an answer's file is read before, saved, and read for the index
def parse_card(text: str, path: Path | None = None) -> Card:
    """The card in `text`.  Raises CardError for the first thing that keeps it from being read."""
    card, problems = analyse(text, path)
    if card is None:
        raise CardError(next(each for each in problems if each.severity == "error"))
    return card


def read_card(path: Path, root: Path | None = None) -> Card:
    """The card in a file.  Raises CardError, also where the file cannot be read."""
    path = Path(path)
    return parse_card(read_text(path, root), path)


def analyse(text: str, path: Path | None = None) -> tuple[Card | None, tuple[Problem, ...]]:
    """The card, or None where it has errors, and all that is wrong with it, from top to bottom."""
    report = Report(text, path)
    card = None
    try:
        refuse_large_text(report)
        card = _read(report)
    except CardError as error:
        if error.problem not in report.problems:
            report.problems.append(error.problem)
    problems = tuple(sorted(report.problems, key=lambda p: (p.line, p.column)))
    if card is None or report.first_error():
        return None, problems
    return replace(card, warnings=problems) if problems else card, problems


def _read(report: Report) -> Card | None:
    header = read_header(report)
    schema = convert(header, report)
    outline = outline_of(report, header.body)
    parts = parts_of(outline)
    check_structure(outline, parts, schema, header, report)
    if parts.question is None or report.first_error():
        return None
    found = read_options(outline, parts.options or range(0))
    answered = read_correct(outline, parts.solution or range(0))
    card = _card(outline, parts, schema, found, answered[0] if answered else "")
    check_options(card, found, answered[1] if answered else None, outline, report)
    check_items(card, outline.lines[parts.question.start - 1].start, header, report)
    if report.first_error():
        return None
    items = items_of(card.id, card.type, card.question, card.solution)
    return replace(card, items=items, path=report.path, source=report.text)


def _card(outline: Outline, parts: Parts, schema: Schema, found: Found, answered: str) -> Card:
    points, question = take_points(question_markdown(outline, parts, found.intro))
    options = tuple(found.options)
    correct = schema.answer or answered
    real = {option.letter for option in options if not option.placeholder}
    named = correct_letters(correct, options) if real else ()
    return Card(
        id=schema.id,
        question=question,
        solution=markdown(outline, parts.solution) if parts.solution else "",
        course=schema.course,
        tags=schema.tags,
        difficulty=schema.difficulty,
        type=schema.type,
        status=schema.status,
        points=points,
        options=options,
        correct=correct,
        correct_letters=tuple(letter for letter in named if letter in real),
        tolerance=schema.tolerance,
        sections=sections_of(outline),
        related=_related(outline),
        exercise=schema.exercise,
        macros=MappingProxyType(schema.macros),
        line_breaks=schema.line_breaks,
        extra=MappingProxyType(schema.extra),
    )


def _related(outline: Outline) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for heading in outline.headings:
        if heading.name.startswith("related"):
            found = related(outline, own_part(outline, heading))
            names |= dict.fromkeys(one_line(name) for name in found)
    return tuple(names)
