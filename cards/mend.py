"""Mends what is wrong with a card's text where only one thing can be meant, and touches no more.

A mend never changes what a card that reads says (its question, its solution, its tags ...): one
that would is left out.  Pure text: who writes the file looks whether it still is what was read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path

from cards.mend_header import (
    closing,
    ending_of,
    first_line,
    header_of,
    missing_id,
    names,
    opening,
)
from cards.model import Card, Problem
from cards.outline import Outline
from cards.parse import analyse
from cards.parts import outline_of, parts_of, trimmed
from cards.report import Report

#: More mends than any text needs: each is needed once or twice.
_MOST = 30
#: What may differ between two readings of a card that says the same.
_FREE = {"id", "items", "source", "warnings", "sections", "path"}


@dataclass(frozen=True, slots=True)
class Mended:
    text: str
    done: tuple[str, ...]
    """What was mended, a few words each; empty where the text is as it was."""


#: A text as it should be, and what was done to it; None where there is nothing to do.
Step = Callable[[str], tuple[str, str] | None]


def mend(text: str, path: Path, taken: Container[str] = frozenset()) -> Mended:
    """The text of a card file with all mends; `taken` are ids that a missing one may not be."""

    def name(text: str) -> tuple[str, str] | None:
        return missing_id(text, path, taken)

    steps = (opening, closing, first_line, name, names, *_BODY)
    done: dict[str, None] = {}
    for _ in range(_MOST):  # one mend may make room for another, also for one that was tried before
        found = next((made for step in steps if (made := _mended(step, text))), None)
        if found is None:
            break
        text = found[0]
        done[found[1]] = None
    return Mended(text, tuple(done))


def _mended(step: Step, text: str) -> tuple[str, str] | None:
    """What a step makes of a text, if it helps: it need not be done again, and nothing is lost."""
    found = step(text)
    if found is None or not _says_the_same(text, found[0]):
        return None
    again = step(found[0])
    return None if again and again[1] == found[1] else found


def _says_the_same(before: str, after: str) -> bool:
    """Whether a card that reads still says the same, or one that does not has less against it."""
    was, wrong = analyse(before)
    now, still = analyse(after)
    if was is not None:
        known = {problem.message for problem in wrong}
        same = now is not None and _content(was) == _content(now)
        return same and all(problem.message in known for problem in still)
    if now is not None:
        return True
    errors, left = _errors(wrong), _errors(still)
    # One error may hide another: then it is another one that keeps the card from being read.
    return len(left) < len(errors) or left[0] != errors[0]


def _errors(problems: Iterable[Problem]) -> list[str]:
    return [problem.message for problem in problems if problem.severity == "error"]


def _content(card: Card) -> list[object]:
    return [getattr(card, each.name) for each in fields(Card) if each.name not in _FREE]


# The body.


def _outline(text: str) -> Outline | None:
    header = header_of(text)
    return outline_of(Report(text, None), header.body) if header else None


def _tight_rules(text: str) -> tuple[str, str] | None:
    """A separator right under a paragraph gets its blank line."""
    outline = _outline(text)
    if outline is None or not outline.under_text:
        return None
    places = [outline.lines[index].start for index in outline.under_text]
    pieces = {place: ending_of(text, place) for place in places}
    return _inserted(text, pieces), "put a blank line above `---`"


def _tight_headings(text: str) -> tuple[str, str] | None:
    outline = _outline(text)
    places = list(_after_signs(text, outline)) if outline else []
    if not places:
        return None
    return _inserted(text, dict.fromkeys(places, " ")), "put a space behind the `#` of a heading"


def _after_signs(text: str, outline: Outline) -> Iterator[int]:
    for heading in outline.headings:
        if heading.tight:
            line = outline.lines[heading.first]
            signs = re.compile(r"[ ]{0,3}#+").match(text, line.start)
            if signs:
                yield signs.end()


def _rule_between(text: str) -> tuple[str, str] | None:
    """The separator between question and solution."""
    outline = _outline(text)
    parts = parts_of(outline) if outline else None
    if outline is None or parts is None or parts.question is None or parts.solution is None:
        return None
    if parts.solution.start < parts.question.start or not parts.question:
        return None
    heading = next(h for h in outline.headings if h.last == parts.solution.start - 1)
    words = trimmed(outline, parts.question)
    if any(words.stop <= index < heading.first for index in outline.separators):
        return None
    blank = not outline.lines[heading.first - 1].shown.strip()
    place = outline.lines[heading.first].start
    ending = ending_of(text, place)
    rule = f"---{ending}" if blank else f"{ending}---{ending}"
    return _inserted(text, {place: rule}), "put `---` between question and solution"


def _inserted(text: str, pieces: dict[int, str]) -> str:
    for at, piece in sorted(pieces.items(), reverse=True):
        text = text[:at] + piece + text[at:]
    return text


_BODY: tuple[Step, ...] = (_tight_headings, _tight_rules, _rule_between)
