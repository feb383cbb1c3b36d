"""The cards in a note, as ranges of its lines: what the plugin takes for one, and of which kind.

After the plugin's own reading (docs/en/flashcards and src/parser.ts of its repository): a question
and its answer on one line, or on several up to a blank one, or a paragraph with something hidden.
What stands in a code block or an HTML comment is never a card.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from cards.spans import in_math, spans
from deck.exchange.obsidian.settings import Settings

Kind = Literal["line", "line_both", "lines", "lines_both", "cloze"]
SCHEDULE = "<!--SR:"
_FENCE = re.compile(r"(`{3,}|~{3,})")
_ANKI = re.compile(r"\{\{c\d{1,3}::?(?:(?!\{\{)[^\n]){0,5000}?\}\}")
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
    elif paragraph.kind is None and any(True for _ in hidden(line, settings)):
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
    inert = sorted(inert + [found.span() for found in _ANKI.finditer(text)])
    while at >= 0 and (in_math(inert, at) or not text[:at].strip()):
        at = text.find(sign, at + len(sign))
    return at if at >= 0 else len(text)


def hidden(text: str, settings: Settings) -> Iterator[re.Match[str]]:
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
