"""One hint after the other: where an answer fails, the mistake by its name, the line itself."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.verdict import Verdict
from tui import cases
from tui.cells import labels
from tui.text import counted

if TYPE_CHECKING:
    from cards.model import Card
    from tui.lab_brief import Brief


@dataclass(frozen=True, slots=True)
class Hint:
    said: str
    tex: str = ""
    """A formula that stands below."""


#: dx[i,j], dL/dx[j]: the left side of a message.
_MESSAGE = re.compile(r"d(\w)(?:\[[^\]]*\])?\s*$|d[A-Za-z]+/d(\w+)\s*(?:\[|$)")
#: An answer that is right on a smaller share is right by chance: that says nothing of it.
_BY_CHANCE = 0.1
_DISPLAY = re.compile(r"\$\$(.+?)\$\$|\\\[(.+?)\\\]", re.DOTALL)


def hints(verdict: Verdict, brief: Brief, card: Card) -> tuple[Hint, ...]:
    """What may be told of a wrong answer, from the least to the most; nothing of other answers."""
    if verdict.verdict in ("correct", "incomplete", "unreadable"):
        return ()
    line = solution(brief, card, cases.asked(verdict))
    every = (Hint(where(verdict)), Hint(mistake(verdict)), line)
    return tuple(hint for hint in every if hint.said)


def where(verdict: Verdict) -> str:
    """Which inputs fail; nothing where that says nothing: nearly all, of no one kind."""
    if not verdict.tried:
        return ""
    if verdict.wrong_when:
        return f"It is wrong only when {'; '.join(verdict.wrong_when)}."
    if verdict.failed == verdict.tried:
        return "It fails on every input, so look at the smallest case."
    right = verdict.tried - verdict.failed
    if right < _BY_CHANCE * verdict.tried:
        return ""
    return f"It is right on {counted(right, 'input')} of {verdict.tried}, of no one kind."


def mistake(verdict: Verdict) -> str:
    """The misconception with its sentence; where there is none, how near the answer is."""
    if verdict.misconception:
        named = f"It looks like this: {verdict.misconception}."
        return f"{named} {verdict.teaching}" if verdict.teaching else named
    return near(verdict)


def near(verdict: Verdict) -> str:
    """How far off the smallest case is, at its most telling cell."""
    shown = verdict.counterexample
    if shown is None or not shown.cells:
        return ""
    cell = shown.cells[0]
    yours, right = labels([[_at(shown.yours, cell), _at(shown.expected, cell)]])[0]
    count = len(shown.cells)
    off = "One entry is" if count == 1 else f"{count} entries are"
    at = ",".join(map(str, cell))
    return f"{off} off in the smallest case: at [{at}] it says {yours}, and {right} is expected."


def solution(brief: Brief, card: Card, left: str) -> Hint:
    """The line of the card's solution, or else a right answer in our notation."""
    tex = solution_line(card.solution, left)
    if tex:
        return Hint("The line of the solution:", tex)
    if brief.answer:
        return Hint(f"A right answer: {brief.answer}")
    rows = [row.strip() for row in card.solution.splitlines() if row.strip()]
    return Hint(f"The solution begins: {rows[0]}" if rows else "")


def solution_line(text: str, read: str = "") -> str:
    """The displayed formula of a solution that is the answer to what `read` answers.

    Told by its looks, from the left side of what was read: dL/dx is the message at x, written
    with a delta or as a derivative of the loss; else it is a derivative of what is above.
    """
    formulas = [" ".join((one or other).split()) for one, other in _DISPLAY.findall(text)]
    left = read.rpartition("\n")[2].partition("=")[0]
    message = _MESSAGE.match(left.strip())
    if message:
        name = re.escape(message[1] or message[2])
        wanted = re.compile(rf"\\delta_(\{{\s*)?\(?{name}\b|partial\s*(\\\w+\s*\{{)?[LEJ]\b")
    else:
        wanted = re.compile(r"\\frac\{\s*\\partial\s*[a-zA-Z]")
    # What is asked for stands left of the "=".
    best = [f for f in formulas if wanted.search(f.partition("=")[0])]
    told = best or [f for f in formulas if "partial" in f or "delta" in f] or formulas
    return told[0] if told else ""


def _at(values: Any, cell: tuple[int, ...]) -> float:
    for index in cell:
        values = values[index]
    number: float = values
    return number
