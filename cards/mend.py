"""Mends what is wrong with a card's text where only one thing can be meant, and touches no more.

A mend never changes what a card that reads says (its question, its solution, its tags ...): one
that would is left out.  Pure text: who writes the file looks whether it still is what was read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path

from cards.edit import with_field
from cards.frontmatter import Header, read_header
from cards.model import STATUSES, TYPES, Card, CardError, Problem
from cards.outline import Outline
from cards.parse import analyse
from cards.parts import outline_of, parts_of, trimmed
from cards.report import Report
from cards.schema import MAX_ID
from cards.text import fold

_FIELD = re.compile(r"[A-Za-z_][\w-]*[ \t]*:(?=[ \t\r\n])")
_CLOSING = re.compile(r"^---[ \t]*\r?$", re.MULTILINE)
_QUESTION = re.compile(r"^\ufeff? {0,3}#{1,6}[^\w\n]*question[^\w\n]*$", re.I | re.MULTILINE)
_UNFIT = re.compile(r"[^\w.-]+")
#: What may differ between two readings of a card that says the same.
_FREE = {"id", "items", "source", "warnings", "sections", "path"}


@dataclass(frozen=True, slots=True)
class Mended:
    text: str
    done: tuple[str, ...]
    """What was mended, a few words each; empty where the text is as it was."""


def mend(text: str, path: Path, taken: Container[str] = frozenset()) -> Mended:
    """The text of a card file with all mends; `taken` are ids that a missing one may not be."""
    done: list[str] = []

    def missing_id(text: str) -> tuple[str, str] | None:
        return _missing_id(text, path, taken)

    for step in (_opening, _closing, _first_line, missing_id, _names, *_BODY):
        while (found := step(text)) and found[1] not in done and _says_the_same(text, found[0]):
            text = found[0]
            done.append(found[1])
    return Mended(text, tuple(done))


#: A text as it should be, and what was done to it; None where there is nothing to do.
Step = Callable[[str], tuple[str, str] | None]


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


# The frontmatter.


def _head(text: str) -> int:
    return len(text) - len(text.lstrip("\ufeff \t\r\n"))


def _ending(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _opening(text: str) -> tuple[str, str] | None:
    """Fields and a closing `---`, with nothing above them; or a question without any of it."""
    at, ending = _head(text), _ending(text)
    question = _QUESTION.search(text)
    if question is None or text.startswith("---", at):
        return None
    closing = _CLOSING.search(text, at)
    if _FIELD.match(text, at) and closing and closing.start() < question.start():
        return f"{text[:at]}---{ending}{text[at:]}", "put `---` above the frontmatter"
    return None


def _closing(text: str) -> tuple[str, str] | None:
    """A frontmatter that runs into the question."""
    at, question = _head(text), _QUESTION.search(text)
    if question is None or not text.startswith("---", at):
        return None
    if _CLOSING.search(text, at + 3, question.start()):
        return None
    head = text[: question.start()]
    rest = [line for line in head[at + 3 :].splitlines() if line.strip()]
    if not all(line[0] in " \t-#" or _FIELD.match(f"{line}\n") for line in rest):
        return None  # words of the card stand there: where it ends, only its author knows
    return (
        f"{head}---{_ending(text)}{text[question.start() :]}",
        "put `---` below the frontmatter",
    )


def _first_line(text: str) -> tuple[str, str] | None:
    at = _head(text)
    if not text.startswith("---", at) or not text[:at].lstrip("\ufeff"):
        return None
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    return mark + text[at:], "took away what is blank above the frontmatter"


def _missing_id(text: str, path: Path, taken: Container[str]) -> tuple[str, str] | None:
    name, ending = _free_id(path.stem, taken), _ending(text)
    header = _header(text)
    if header is None:
        if text.startswith("---", _head(text)) or not _QUESTION.search(text):
            return None
        mark = "\ufeff" if text.startswith("\ufeff") else ""
        head = f"{mark}---{ending}id: {name}{ending}---{ending}"
        return head + text[len(mark) :], f"put the id `{name}` in a frontmatter"
    found = header.fields.get("id")
    if found is None and not header.flow:
        below = text.index("\n", header.start) + 1 if "\n" in text[header.start :] else None
        if below is None:
            return None
        return f"{text[:below]}id: {name}{ending}{text[below:]}", f"put the id `{name}` in"
    if found is not None and isinstance(found.value, str) and not found.value.strip():
        return with_field(text, "id", name), f"put the id `{name}` in"
    return None


def _free_id(stem: str, taken: Container[str]) -> str:
    """An id from a file's name."""
    plain = unicodedata.normalize("NFC", stem.encode("utf-8", "replace").decode())
    name = _UNFIT.sub("_", plain).strip("._-")[: MAX_ID - 10] or "card"
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free


def _names(text: str) -> tuple[str, str] | None:
    """A type or a status that is read as another spelling of itself."""
    header = _header(text)
    for key, known in (("type", TYPES), ("status", STATUSES)):
        found = header.fields.get(key) if header else None
        if found is None or not isinstance(found.value, str) or found.value in known:
            continue
        if (meant := fold(found.value)) in known:
            return with_field(text, key, meant), f"wrote `{key}: {meant}`"
    return None


def _header(text: str) -> Header | None:
    try:
        return read_header(Report(text, None))
    except CardError:
        return None


# The body.


def _outline(text: str) -> Outline | None:
    header = _header(text)
    return outline_of(Report(text, None), header.body) if header else None


def _tight_rules(text: str) -> tuple[str, str] | None:
    """A separator right under a paragraph gets its blank line."""
    outline = _outline(text)
    if outline is None or not outline.under_text:
        return None
    places = [outline.lines[index].start for index in sorted(outline.under_text)]
    return _inserted(text, places, _ending(text)), "put a blank line above `---`"


def _tight_headings(text: str) -> tuple[str, str] | None:
    outline = _outline(text)
    places = list(_after_signs(text, outline)) if outline else []
    if not places:
        return None
    return _inserted(text, places, " "), "put a space behind the `#` of a heading"


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
    ending = _ending(text)
    rule = f"---{ending}" if blank else f"{ending}---{ending}"
    place = outline.lines[heading.first].start
    return _inserted(text, [place], rule), "put `---` between question and solution"


def _inserted(text: str, places: list[int], piece: str) -> str:
    for at in sorted(places, reverse=True):
        text = text[:at] + piece + text[at:]
    return text


_BODY: tuple[Step, ...] = (_tight_headings, _tight_rules, _rule_between)
