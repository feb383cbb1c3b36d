"""`deltadeck lint`: say what is wrong with the cards of a folder, or with single files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tui.commands.common import (
    UsageError,
    open_collection,
    print_json,
    problem_dict,
    problem_line,
)
from tui.commands.common import add_json as _add_json

if TYPE_CHECKING:
    from cards import Problem


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", type=Path, nargs="*", help="card files or folders (default: the current folder)"
    )
    parser.add_argument("--folder", "-C", type=Path, metavar="DIR", help="the same as a folder")
    _add_json(parser)


def run(args: argparse.Namespace) -> int:
    """0 nothing but hints, 1 warnings, 2 a card cannot be read."""
    paths = list(args.paths) + ([args.folder] if args.folder else [])
    found = [problem for path in paths or [Path()] for problem in _lint(path)]
    if args.json:
        print_json([problem_dict(problem) for problem in found])
    else:
        for problem in found:
            print(problem_line(problem))
            for row in _excerpt(problem):
                print(f"    {row}")
        if not found:
            print("Every card reads, and nothing is odd about any.")
    if any(problem.severity == "error" for problem in found):
        return 2
    return 1 if any(problem.severity == "warning" for problem in found) else 0


def _lint(path: Path) -> list[Problem]:
    from cards import CardError, read_card
    from tui.checking import Checker

    if path.is_dir():
        collection = open_collection(path)
        checker = Checker(collection)
        cards = collection.cards.values()
        odd = (problem for card in cards for problem in checker.problems(card, card.path))
        return [*collection.problems, *odd]
    if not path.exists():
        raise UsageError(f"{path} does not exist: name a card file or a folder of them.")
    try:
        card = read_card(path)
    except CardError as error:
        return [error.problem]
    around = (folder for folder in path.absolute().parents if (folder / ".deltadeck").is_dir())
    root = next(around, None)
    return Checker(open_collection(root) if root else None).problems(card, path)


def _excerpt(problem: Problem) -> tuple[str, ...]:
    """Of a formula that cannot be read, its line and a caret under the place."""
    formula = problem.message.startswith(("formula:", "exercise: given:", "exercise: find:"))
    if not formula or problem.path is None:
        return ()
    rows = problem.path.read_text("utf-8", errors="replace").splitlines()
    if problem.line > len(rows):
        return ()
    from tui.report import under_caret

    row = rows[problem.line - 1]
    return under_caret(row.lstrip(), problem.column - (len(row) - len(row.lstrip())))
