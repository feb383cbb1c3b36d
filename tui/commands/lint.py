"""`deltadeck lint`: say what is wrong with the cards of a folder, or with single files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tui.commands.common import (
    UsageError,
    add_json,
    gathered,
    open_collection,
    print_json,
    problem_dict,
    problem_line,
)

if TYPE_CHECKING:
    from cards import Problem
    from deck.collection import Collection
    from tui.commands.mending import Fix


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        type=Path,
        nargs="*",
        metavar="PATH",
        help="card files or folders (default: the current folder)",
    )
    parser.add_argument("--folder", "-C", type=Path, metavar="DIR", help="the same as a folder")
    parser.add_argument(
        "--fix",
        action="store_true",
        help="mend what is safe: a missing id, separators, the spelling of a type or a heading; "
        "every other byte stays",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="show what --fix would change; write nothing"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """0 nothing but hints, 1 warnings, 2 a card cannot be read; after --fix, of what is left.
    With --dry-run 1 where something would be changed."""
    paths = [*args.paths, *([args.folder] if args.folder else [])] or [Path()]
    if args.dry_run:
        return _dry_run(paths, args.json)
    fixed, refused = _fix(paths, args.json) if args.fix else ([], False)
    found = [problem for path in paths for problem in _lint(path)]
    if args.json:
        problems = [problem_dict(problem) for problem in found]
        fixes = [fix.as_dict() for fix in fixed]
        print_json({"fixed": fixes, "problems": problems} if args.fix else problems)
    else:
        _print(found, args.fix)
    if refused or any(problem.severity == "error" for problem in found):
        return 2
    return 1 if any(problem.severity == "warning" for problem in found) else 0


def _print(found: list[Problem], fixing: bool) -> None:
    for problem in gathered(found):
        print(problem_line(problem))
        for row in _excerpt(problem):
            print(f"    {row}")
    if not found:
        rest = "Nothing is left: every" if fixing else "Every"
        print(f"{rest} card reads, and nothing is odd about any.")


def _fix(paths: list[Path], quiet: bool) -> tuple[list[Fix], bool]:
    from tui.commands.mending import apply

    return apply(_fixes(paths), quiet)


def _fixes(paths: list[Path]) -> list[Fix]:
    """Before any is written: of a path that there is not, nothing is."""
    from tui.commands.mending import fixes

    found: dict[Path, Fix] = {}
    for path in paths:
        collection = _collection(path)
        files = _files(collection) if path.is_dir() and collection else [path]
        found |= {fix.path.absolute(): fix for fix in fixes(files, collection)}
    return list(found.values())


def _files(collection: Collection) -> list[Path]:
    """The files of cards, and those that would be cards if they could be read."""
    from deck.files import is_card_name

    read = [card.path for card in collection.outlines(collection.search("", _now()))]
    unread = [problem.path for problem in collection.problems]
    files = (path for path in (*read, *unread) if path and is_card_name(path.name))
    return sorted({path for path in files if path.is_file()})


def _dry_run(paths: list[Path], as_json: bool) -> int:
    from tui.commands.mending import diff_of

    found = _fixes(paths)
    if as_json:
        print_json({"fixes": [fix.as_dict() | {"diff": diff_of(fix)} for fix in found]})
        return 1 if found else 0
    for fix in found:
        print(diff_of(fix), end="")
    if not found:
        print("There is nothing to mend.")
    return 1 if found else 0


def _collection(path: Path) -> Collection | None:
    """The one at `path`, or the one around a file; None where a file is in none."""
    if path.is_dir():
        return open_collection(path)
    if not path.exists():
        raise UsageError(f"{path} does not exist: name a card file or a folder of them.")
    around = (folder for folder in path.absolute().parents if (folder / ".deltadeck").is_dir())
    root = next(around, None)
    return open_collection(root) if root else None


def _lint(path: Path) -> list[Problem]:
    from cards import CardError, read_card
    from tui.checking import Checker

    collection = _collection(path)
    checker = Checker(collection)
    if path.is_dir() and collection:
        cards = collection.cards.values()
        odd = (problem for card in cards for problem in checker.problems(card, card.path))
        return [*collection.problems, *odd]
    try:
        card = read_card(path, collection.root if collection else None)
    except CardError as error:
        found = [error.problem]
    else:
        found = checker.problems(card, path)
    said = {problem.message for problem in found}
    return [*(each for each in _around(path, collection) if each.message not in said), *found]


def _around(path: Path, collection: Collection | None) -> Iterator[Problem]:
    """What the collection has against a file of it: an id that is another's, two versions."""
    real = path.resolve()
    for problem in collection.problems if collection else ():
        if problem.path and problem.path.name == path.name and problem.path.resolve() == real:
            yield replace(problem, path=path)


def _now() -> datetime:
    from tui.clock import now

    return now()


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
