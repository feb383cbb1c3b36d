"""`deltadeck math '\\frac{a}{b}'`: set one formula as text."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tui.commands.common import (
    UsageError,
    add_json,
    is_dumb,
    print_json,
    read_text,
    whole_number,
)

if TYPE_CHECKING:
    from cards.math import Box
    from cards.math.tree import Formula, MathProblem, Row, Span
    from cards.math.typesetter.spacing import Mode

_LONGEST_REPORT = 5


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "tex",
        nargs="?",
        default="-",
        metavar="TEX",
        help="the LaTeX, quoted for the shell; - or nothing for standard input "
        "(put -- before a formula that begins with a minus)",
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--inline", action="store_true", help="as within a line of text: a/b")
    how.add_argument("--line", action="store_true", help="everything on one row")
    parser.add_argument(
        "--width",
        type=whole_number(1, 10_000),
        metavar="N",
        help="break lines at N cells (default: the terminal's)",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """0 read whole, 1 read but for commands that are not known, 2 not read whole."""
    from cards.math import layout, parse

    tex = _tex(args.tex)
    formula = parse(tex)
    mode: Mode = "inline" if args.inline else "line" if args.line else "display"
    box = layout(tex, mode=mode, width=args.width or _terminal_width())
    if args.json:
        print_json(_as_dict(formula, box))
    else:
        print(printed(box, sys.stdout.isatty() and not is_dumb()))
        _complain(formula)
    unknown = set(_unknown(formula.body))
    if any(problem.span not in unknown for problem in formula.problems):
        return 2
    return 1 if formula.problems else 0


def _tex(name: str) -> str:
    if name != "-":
        return name
    if sys.stdin.isatty():
        raise UsageError(
            "There is no formula: write it as an argument, '\\frac{a}{b}', or pipe it."
        )
    return read_text("-").removeprefix("\ufeff").strip("\n")


def _terminal_width() -> int | None:
    """None where the formula goes into a file or a pipe, which has no width."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def printed(box: Box, styled: bool) -> str:
    """The rows; `styled` with bold, colours and warnings as a terminal has them."""
    if not styled or not box.marks:
        return "\n".join(row.rstrip(" ") for row in box.rows)
    from tui.page.ansi import painted
    from tui.page.formula import rows_of
    from tui.page.model import Source

    return "\n".join(painted(row).rstrip(" ") for row in rows_of(box, "", Source("")))


def _unknown(node: Row | tuple[Any, ...]) -> Iterator[Span]:
    """The places of the commands that are not known."""
    from cards.math.tree import Row, Unknown

    if isinstance(node, Unknown):
        yield node.span
    for part in node.items if isinstance(node, Row) else node:
        if isinstance(part, Row | tuple):
            yield from _unknown(part)


def _complain(formula: Formula) -> None:
    """Each problem on standard error: the sentence, the source with a caret, the way out."""
    from cards.text import place, printable
    from tui.report import under_caret

    for problem in formula.problems[:_LONGEST_REPORT]:
        line, column = place(formula.source, problem.span[0])
        rows = formula.source.splitlines() or [""]
        row = rows[min(line, len(rows)) - 1]
        shown = [problem.message, *under_caret(row, column), problem.hint]
        print(printable("\n  ".join(shown)), file=sys.stderr)
    more = len(formula.problems) - _LONGEST_REPORT
    if more > 0:
        print(f"and {more} more.", file=sys.stderr)


def _as_dict(formula: Formula, box: Box) -> dict[str, Any]:
    """The picture as plain data; the keys are stable."""
    return {
        "source": formula.source,
        "rows": list(box.rows),
        "width": box.width,
        "baseline": box.baseline,
        "marks": [mark._asdict() for mark in box.marks],
        "problems": [_problem_dict(problem) for problem in formula.problems],
    }


def _problem_dict(problem: MathProblem) -> dict[str, Any]:
    start, end = problem.span
    return {"message": problem.message, "hint": problem.hint, "start": start, "end": end}
