"""What an answer is worth: which rating a check, a chosen option, a number or words speak for.

Only ever a suggestion.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final
from unicodedata import normalize

from tui.text import plural, stopwatch

if TYPE_CHECKING:
    from cards.model import Card

AGAIN, HARD, GOOD, EASY = 1, 2, 3, 4
#: A correct derivation at the first try within this many seconds is called easy.
QUICK_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Suggestion:
    rating: int
    """1..4, as the keys."""
    reason: str
    """Short, for the line under the ratings: "correct in 1:50"."""


def from_check(
    outcome: str, seconds: float, slips: int, hints: int = 0, by_hand: bool = False
) -> Suggestion | None:
    """From the last verdict of a lab visit; None where nothing was graded.

    `seconds` is the time since the question was shown, `slips` counts the wrong answers that the
    learner stayed with before the last one, `hints` is how many were asked for; `by_hand` says that
    one input was filled in, and nothing derived.
    """
    if outcome == "correct" and by_hand:
        return Suggestion(HARD, "right by hand, on one input")
    if outcome == "correct" and (slips or hints):
        parts = [f"{slips} wrong"] if slips else []
        parts += [plural(hints, "hint")] if hints else []
        return Suggestion(HARD, f"correct after {' and '.join(parts)}")
    if outcome == "correct":
        rating = EASY if seconds <= QUICK_SECONDS else GOOD
        return Suggestion(rating, f"correct in {stopwatch(seconds)}")
    nearly = ("correct-but-slow", "correct-except-ties", "only-without-overlap", "wrong-step")
    if outcome in nearly:
        return Suggestion(HARD, outcome.replace("-", " "))
    if outcome == "incomplete":
        return Suggestion(AGAIN, "parts are missing")
    return Suggestion(AGAIN, "the derivation failed") if outcome == "wrong" else None


def from_choice(picked: frozenset[str], correct: tuple[str, ...]) -> Suggestion | None:
    """From the options picked before the reveal; None where nothing was picked or is known."""
    if not picked or not correct:
        return None
    if picked == frozenset(correct):
        return Suggestion(GOOD, "the right choice")
    missed = [letter for letter in correct if letter not in picked]
    if not missed:
        return Suggestion(AGAIN, f"only {_were_right(correct)}")
    too = " too" if len(missed) < len(correct) else ""
    return Suggestion(HARD if picked < frozenset(correct) else AGAIN, _were_right(missed) + too)


def _were_right(letters: Sequence[str]) -> str:
    """ "B was right", "A, B and D were right"."""
    *more, last = letters
    return f"{', '.join(more)} and {last} were right" if more else f"{last} was right"


_DECIMAL = r"(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d+)?"
_NUMBER = re.compile(rf"([+-]?{_DECIMAL})(?:\s*/\s*({_DECIMAL}))?\s*(\D*)")
_DECIMALS = re.compile(r"[+-]?\d*[.,](\d+)(?![\d/eE])")
#: Beyond the tolerance, but not by more than so many times: nearly right.
_NEARLY = 10


def read_number(text: str) -> tuple[float, str] | None:
    """A number as one writes it and what stands behind it: `12,5`, `1e3`, `-3/4 m`, `5 %`.

    None where it is not one finite number.
    """
    found = _NUMBER.fullmatch(text.replace("\N{MINUS SIGN}", "-").strip("$ "))
    if found is None:
        return None
    number, under = (float((part or "1").replace(",", ".")) for part in found.group(1, 2))
    value = number / under if under else math.inf
    return (value, found[3].strip()) if math.isfinite(value) else None


@dataclass(frozen=True, slots=True)
class NumericAnswer:
    """The number that a card asks for."""

    written: str
    """With its tolerance: "4.5 ± 0.001"."""
    value: float
    unit: str
    within: float
    """So far from it a number is right.  Where the card says nothing, what rounds to it is, and of
    a whole number nothing else."""

    @classmethod
    def of(cls, card: Card) -> NumericAnswer | None:
        """None where the card asks for none, or its answer is not one."""
        known = read_number(card.correct) if card.type == "numeric" else None
        if known is None:
            return None
        value, unit = known
        if allowed := read_number(card.tolerance):
            share = abs(value) / 100 if allowed[1] == "%" else 1
            return cls(f"{card.correct} ± {card.tolerance}", value, unit, allowed[0] * share)
        places = _DECIMALS.match(card.correct)
        return cls(card.correct, value, unit, 0.5 * 10.0 ** -len(places[1]) if places else 0.0)

    def read(self, typed: str) -> float | None:
        """What was typed, as a number; None where it is none, or has another unit."""
        found = read_number(typed)
        return found[0] if found and found[1] in ("", self.unit) else None

    def judged(self, typed: str) -> Suggestion | None:
        """The rating that it speaks for; None where nothing was typed."""
        number = self.read(typed)
        if number is None:
            return None
        off = abs(number - self.value)
        if off <= self.within + 1e-9 * max(self.within, abs(self.value)):
            return Suggestion(GOOD, "the right number")
        nearly = off <= _NEARLY * self.within
        return Suggestion(HARD if nearly else AGAIN, f"off by {off:.3g}")


# Words, typed where the learner likes to.

#: Characters of the longest solution that is typed.
_LONGEST: Final = 60
#: With more in common, words are nearly right: a slip, and not "decreasing" for "increasing".
_ALIKE: Final = 0.8
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)
_WORDS = re.compile(r"\w+|\W")


@dataclass(frozen=True, slots=True)
class WordAnswer:
    """The words that a card asks for."""

    written: str
    """Without the full stop at its end."""

    @classmethod
    def of(cls, card: Card, answer: str) -> WordAnswer | None:
        """None where what stands above the first heading is not one short line of mere words."""
        line = _HEADING.split(answer, maxsplit=1)[0].strip()
        if card.type not in ("basic", "reversed") or "\n" in line or len(line) > 2 * _LONGEST:
            return None
        from tui.page.model import Paragraph, Span  # who types no words needs no pages
        from tui.page.read import read

        match list(read(line).blocks):
            case [Paragraph(units)] if all(unit.space >= 0 for unit in units):
                parts = [part for unit in units for part in (unit.space, *unit.parts)]
            case _:
                return None
        spans = [Span(" " * part) if isinstance(part, int) else part for part in parts]
        words = [each.text for each in spans if isinstance(each, Span) and "code" not in each.style]
        written = "".join(words).rstrip(".")
        return cls(written) if len(words) == len(spans) and len(written) <= _LONGEST else None

    def read(self, typed: str) -> str | None:
        """What was typed; None where nothing was."""
        return typed.strip() or None

    def judged(self, typed: str) -> Suggestion | None:
        """The rating that it speaks for; None where nothing was typed."""
        if self.read(typed) is None:
            return None
        yours, right = _folded(typed), _folded(self.written)
        if yours == right:
            return Suggestion(GOOD, "the right words")
        nearly = SequenceMatcher(None, yours, right, autojunk=False).ratio() > _ALIKE
        return Suggestion(HARD, "nearly the same") if nearly else Suggestion(AGAIN, "other words")


def _folded(text: str) -> str:
    return " ".join(normalize("NFC", text).casefold().split()).rstrip(".")


def differences(typed: str, written: str) -> Iterator[tuple[str, str]]:
    """Both in pieces, one of each beside the other: the same but for capitals, or what differs.

    Word by word; where a word is nearly another, letter by letter.
    """
    return _pieces(_WORDS.findall(typed), _WORDS.findall(written))


def _pieces(typed: Sequence[str], written: Sequence[str]) -> Iterator[tuple[str, str]]:
    one, other = ([each.casefold() for each in text] for text in (typed, written))
    for kind, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        yours, right = "".join(typed[a:b]), "".join(written[c:d])
        nearly = SequenceMatcher(None, yours, right, autojunk=False).ratio() > 0.5
        if kind == "replace" and nearly:  # of letters, nothing replaced has anything in common
            yield from _pieces(yours, right)
        else:
            yield yours, right
