"""`deltadeck math`: LaTeX set as text."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cards.math import layout, parse
from cards.math.tree import Row, Unknown
from cards.text import place, printable
from tui.commands import UsageError
from tui.commands.arguments import STDIN
from tui.commands.common import columns, is_styled, print_error, read_text, tell
from tui.text import under_caret

if TYPE_CHECKING:
    from cards.math import Box
    from cards.math.tree import Formula, Span
    from cards.math.typesetter.rows import Mode

#: Problems of a formula that are told one by one.
_MOST_PROBLEMS = 5


def run_math(args: argparse.Namespace) -> int:
    """0 read whole, 1 read but for commands that are not known, 2 not read whole."""
    formula = parse(_tex(args.tex))
    mode: Mode = "inline" if args.inline else "line" if args.line else "display"
    box = layout(formula.source, mode=mode, width=args.width or columns())
    tell(args, _formula_dict(formula, box), _picture(box))
    if not args.json:
        _print_problems(formula)
    unknown = set(_unknown_commands(formula.body))
    if any(problem.span not in unknown for problem in formula.problems):
        return 2
    return 1 if formula.problems else 0


def _tex(name: str) -> str:
    if name != STDIN:
        return name
    if sys.stdin.isatty():
        raise UsageError(
            "There is no formula: write it as an argument, '\\frac{a}{b}', or pipe it."
        )
    return read_text(STDIN).removeprefix("\ufeff").strip("\n")


def _picture(box: Box) -> str:
    """The rows; on a terminal with bold, colours and warnings."""
    if not is_styled() or not box.marks:
        return "\n".join(row.rstrip(" ") for row in box.rows)
    from tui.page.model import Source, rows_of  # and Rich, which a pipe needs not
    from tui.page.output import painted

    return "\n".join(painted(row).rstrip(" ") for row in rows_of(box, "", Source("")))


def _unknown_commands(node: Row | tuple[Any, ...]) -> Iterator[Span]:
    """The places of the commands that are not known."""
    if isinstance(node, Unknown):
        yield node.span
    for part in node.items if isinstance(node, Row) else node:
        if isinstance(part, Row | tuple):
            yield from _unknown_commands(part)


def _print_problems(formula: Formula) -> None:
    """Each problem on standard error: the sentence, the source with a caret, the way out."""
    for problem in formula.problems[:_MOST_PROBLEMS]:
        line, column = place(formula.source, problem.span[0])
        rows = formula.source.splitlines() or [""]
        row = rows[min(line, len(rows)) - 1]
        shown = [problem.message, *under_caret(row, column), problem.hint]
        print_error(printable("\n  ".join(shown)))
    more = len(formula.problems) - _MOST_PROBLEMS
    if more > 0:
        print_error(f"and {more} more.")


def _formula_dict(formula: Formula, box: Box) -> dict[str, Any]:
    """The picture as plain data; the keys are stable."""
    return {
        "source": formula.source,
        "rows": list(box.rows),
        "width": box.width,
        "baseline": box.baseline,
        "marks": [mark._asdict() for mark in box.marks],
        "problems": [
            {"message": each.message, "hint": each.hint, "start": each.span[0], "end": each.span[1]}
            for each in formula.problems
        ],
    }
