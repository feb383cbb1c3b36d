"""The values of the room: a card, its sections and options, and what can be wrong with one.

Everything here is frozen; a changed card is a new card read from the changed file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from cards.text import place, printable_line

TYPES = ("derivation", "open", "multiple_choice", "basic", "cloze", "reversed", "numeric")
STATUSES = ("to_learn", "learning", "reviewing", "mastered", "suspended")

Severity = Literal["error", "warning", "hint"]
"""An error keeps a card from being read; a hint is said, and nothing fails for it."""
#: Frontmatter values as written: every scalar is the text that stands in the file.
Value = str | list["Value"] | dict[str, "Value"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a card file, and the way out."""

    path: Path | None
    line: int
    """1-based line of the file; 0 where it is the whole of a file or folder."""
    column: int
    """1-based column, in characters; 0 where the line is."""
    message: str
    """What is wrong, as a sentence."""
    hint: str
    """What to do about it, as a sentence."""
    severity: Severity = "error"

    def __str__(self) -> str:
        at = f":{self.line}:{self.column}" if self.line else ""
        return f"{self.path or 'card'}{at}: {self.message} {self.hint}".rstrip()


class CardError(ValueError):
    """A card that cannot be read (or written); `problem` names the place and the way out."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Option:
    """One line of a card's options: `B) text`."""

    letter: str
    text: str
    placeholder: bool
    """True for "N/A", "—" and the like, which fill a form but offer nothing."""


@dataclass(frozen=True, slots=True)
class Section:
    """A titled part of the card, its heading excluded."""

    level: int
    title: str
    body: str
    line: int
    """1-based line of the heading in the file."""


@dataclass(frozen=True, slots=True)
class Item:
    """What is scheduled: a card has one item, or one for each cloze number or direction.

    Ids: `id`, `id/c1` (cloze), `id/r` (reversed).
    """

    id: str
    prompt: str
    """Markdown shown before the reveal."""
    answer: str
    """Markdown shown after it."""


@dataclass(frozen=True, slots=True)
class Card:
    """One card file.  `source` is its text exactly as read."""

    id: str
    question: str
    """Markdown of the question, without its heading, its points and its options."""
    solution: str
    """Markdown of the solution: everything below its heading, sub-sections included."""
    course: str = ""
    tags: tuple[str, ...] = ()
    difficulty: int | None = None
    """1..5, or None where the card gives none."""
    type: str = "basic"
    status: str = "to_learn"
    points: float | None = None
    """From "(5p)" in front of the question."""
    options: tuple[Option, ...] = ()
    correct: str = ""
    """The text after "**Correct Answer:**"."""
    correct_letters: tuple[str, ...] = ()
    """The letters of the right options; empty for a question that is answered in words."""
    tolerance: str = ""
    """Of a numeric card, as written: "5%" or "0.01"."""
    sections: tuple[Section, ...] = ()
    """Every headed part in the order of the file, Question and Solution included."""
    related: tuple[str, ...] = ()
    """Names in [[wikilinks]] under Related Concepts."""
    exercise: Value | None = None
    """The `exercise:` key as written (a mapping, or a text), or None."""
    macros: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """LaTeX commands of this card's own: name, backslash included, to what it stands for."""
    line_breaks: bool | None = None
    """Whether a line break in its text is one on its page; None where its course says."""
    extra: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))
    """Unknown frontmatter keys, kept and shown."""
    items: tuple[Item, ...] = ()
    path: Path | None = None
    """The file, from where the program stands: a collection's folder is the first of it."""
    source: str = field(default="", repr=False)

    @property
    def is_choice(self) -> bool:
        """Whether the learner picks among real options."""
        return any(not option.placeholder for option in self.options)


# What is found wrong with one card while it is read

# A screen shows a few; a hostile card could ask for hundreds of thousands.
MAX_WARNINGS = 100


class Diagnostics:
    """Collects the problems of one text; errors and warnings keep the order of their finding."""

    def __init__(self, text: str, path: Path | None, *, errors_only: bool = False) -> None:
        self.text = text
        self.path = path
        self.errors_only = errors_only
        self.problems: list[Problem] = []

    def warn(self, offset: int, message: str, hint: str) -> None:
        if not self.errors_only and len(self.problems) < MAX_WARNINGS:
            self.problems.append(self.problem(offset, message, hint, "warning"))

    def hint(self, offset: int, message: str, hint: str) -> None:
        """What is worth knowing, and may be as it is meant."""
        if len(self.problems) < MAX_WARNINGS:
            self.problems.append(self.problem(offset, message, hint, "hint"))

    def error(self, offset: int, message: str, hint: str) -> None:
        """An error that still lets the rest of the card be looked at."""
        self.problems.append(self.problem(offset, message, hint, "error"))

    def fatal(self, offset: int, message: str, hint: str) -> CardError:
        """An error after which there is nothing to read, ready to be raised."""
        self.error(offset, message, hint)
        return CardError(self.problems[-1])

    def problem(self, offset: int, message: str, hint: str, severity: Severity) -> Problem:
        line, column = place(self.text, offset)
        message, hint = printable_line(message), printable_line(hint)
        return Problem(self.path, line, column, message, hint, severity)

    def first_error(self) -> Problem | None:
        return next((each for each in self.problems if each.severity == "error"), None)


def quoted(text: str, limit: int = 60) -> str:
    """A user's text inside a message: printable, on one line, shortened."""
    text = printable_line(text)
    return f"`{text if len(text) <= limit else text[: limit - 1] + '…'}`"
