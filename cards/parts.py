"""The parts of a card, as ranges of lines and as Markdown."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from cards.model import Section
from cards.outline import MAX_LINES, STRUCTURE, Heading, Outline, scan
from cards.report import Report
from cards.text import place, printable, split_lines

_STRUCTURE = re.compile(
    r"^ {0,3}#{1,6}[ \t]*[*_]*(?:question|solution)[*_: \t]*$", re.IGNORECASE | re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Parts:
    """Ranges of line indices; None where the card has no such part."""

    question: range | None
    solution: range | None
    options: range | None


def outline_of(report: Report, body: int) -> Outline:
    """The outline of a text's body, with the line numbers of the whole file."""
    text = report.text
    lines = split_lines(text, body, place(text, body)[0], MAX_LINES)
    for _ in STRUCTURE:
        cut = len(lines) > MAX_LINES and "\n" in lines[-1].shown
        if not cut or not (found := _STRUCTURE.search(text, lines[-1].start)):
            break
        # Question and solution are found wherever they stand.
        rest, at = lines.pop(), found.start()
        if at > rest.start:
            lines.append(rest._replace(end=at - 1, shown=printable(text[rest.start : at - 1])))
        lines += split_lines(text, at, place(text, at)[0], MAX_LINES)
    return scan(lines)


def parts_of(outline: Outline) -> Parts:
    """Where question, options and solution stand; the solution may come first."""
    question = next((h for h in outline.headings if h.name == "question"), None)
    solutions = [h for h in outline.headings if h.name == "solution"]
    after = [h for h in solutions if question is None or h.first > question.first]
    solution = next(iter(after or solutions), None)

    def extent(heading: Heading | None, other: Heading | None) -> range | None:
        if heading is None:
            return None
        ends = other is not None and other.first > heading.first
        return range(heading.last + 1, other.first if other and ends else len(outline.lines))

    asked = extent(question, solution)
    return Parts(asked, extent(solution, question), _options_in(outline, asked))


def _options_in(outline: Outline, asked: range | None) -> range | None:
    for heading in outline.headings:
        if asked and heading.first in asked and heading.name == "options":
            end = own_part(outline, heading).stop
            after = [s for s in outline.separators if heading.last < s]
            return range(heading.last + 1, min([end, *after]))
    return None


def own_part(outline: Outline, heading: Heading) -> range:
    """The lines below a heading, up to the next one of any level."""
    following = bisect_right(outline.headings, heading.last, key=lambda h: h.first)
    stop = len(outline.lines)
    if following < len(outline.headings):
        stop = outline.headings[following].first
    return range(heading.last + 1, stop)


def trimmed(outline: Outline, lines: range) -> range:
    """The lines without blank ones and separators at their ends."""

    def bare(index: int) -> bool:
        return index in outline.separators or not outline.lines[index].shown.strip()

    start, stop = lines.start, lines.stop
    while stop > start and bare(stop - 1):
        stop -= 1
    while start < stop and bare(start):
        start += 1
    return range(start, stop)


def markdown(outline: Outline, lines: range) -> str:
    """Some lines as printable Markdown, with bare ends.

    A separator right under a paragraph gets its blank line: a Markdown parser would make a
    heading of the two.
    """
    shown: list[str] = []
    for index in trimmed(outline, lines):
        shown += [""] if index in outline.under_text else []
        shown.append(outline.lines[index].shown)
    return "\n".join(shown).rstrip()


def question_markdown(outline: Outline, parts: Parts, intro: list[str]) -> str:
    """The question without its options; what introduces them in words stays."""
    asked = parts.question
    if asked is None or parts.options is None:
        return markdown(outline, asked) if asked else ""
    heading = next(h for h in outline.headings if h.last == parts.options.start - 1)
    pieces = [markdown(outline, range(asked.start, heading.first)), "\n".join(intro).strip()]
    pieces.append(markdown(outline, range(parts.options.stop, asked.stop)))
    return "\n\n".join(piece for piece in pieces if piece)


def sections_of(outline: Outline) -> tuple[Section, ...]:
    """Every headed part in the order of the file, each without the parts below it."""
    ends = [heading.first for heading in outline.headings[1:]] + [len(outline.lines)]
    return tuple(
        Section(
            heading.level,
            heading.title,
            markdown(outline, range(heading.last + 1, end)),
            outline.lines[heading.first].number,
        )
        for heading, end in zip(outline.headings, ends, strict=False)
    )
