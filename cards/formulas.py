"""What is wrong with the formulas of a card, each with its place in the file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from cards.frontmatter import read_header
from cards.model import CardError, Problem
from cards.report import Report
from cards.spans import spans

if TYPE_CHECKING:
    from cards.math.formula import Macro

#: In front of every message: it is about mathematics.
FORMULA = "formula: "


def formula_problems(
    text: str, path: Path | None, macros: Mapping[str, str | Macro]
) -> tuple[Problem, ...]:
    """A warning for all that the typesetter cannot read in a card, in the order of the text.

    `macros` are those of the card and its collection; a formula's own hold for later ones.
    """
    from cards.math import parse  # 15 ms, for those who ask

    report = Report(text, path)
    try:
        body = read_header(report).body
    except CardError:
        return ()
    report.problems.clear()
    known = dict(macros)
    shown = text[body:]
    for span in spans(shown):
        if span.math:
            first, last = span.tex
            formula = parse(shown[first:last], known)
            known |= formula.macros
            for problem in formula.problems:
                at = body + first + problem.span[0]
                report.warn(at, FORMULA + problem.message, problem.hint)
    return tuple(report.problems)
