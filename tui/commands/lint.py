"""`deltadeck lint`: say what is wrong with the cards of a folder, or with single files; `--fix`
mends what is safe to mend."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from difflib import unified_diff
from pathlib import Path
from typing import Any

from cards.files import leads_out, read_text, write_text
from cards.lint import Fixed, fix
from cards.model import Card, CardError, Problem
from cards.parse import analyse, read_card
from cards.text import printable
from deck.collection import Collection
from deck.files import is_card_name
from tui.commands import UsageError
from tui.commands.common import gathered, print_error, problem_line, tell
from tui.commands.exercise import solution_problem
from tui.commands.lookup import open_collection
from tui.exercises import CardChecker
from tui.text import now, under_caret

_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def run_lint(args: argparse.Namespace) -> int:
    """0 nothing but hints, 1 warnings, 2 a card cannot be read; after --fix, of what is left.
    With --dry-run 1 where something would be changed."""
    paths = [*args.paths, *([args.folder] if args.folder else [])] or [Path()]
    if args.dry_run:
        return _show_fixes(args, _all_fixes(paths))
    # Before any is written: of a path that there is not, nothing is.
    fixed, refused = apply_fixes(_all_fixes(paths), args.json) if args.fix else ([], False)
    found = [problem for path in paths for problem in _problems_of(path, args.solutions)]
    problems = [asdict(each) | {"path": str(each.path) if each.path else None} for each in found]
    fixes = [fix.as_dict() for fix in fixed]
    value = {"fixed": fixes, "problems": problems} if args.fix else problems
    tell(args, value, _problem_rows(found, args.fix))
    if refused or any(problem.severity == "error" for problem in found):
        return 2
    return 1 if any(problem.severity == "warning" for problem in found) else 0


def _problem_rows(found: list[Problem], fixing: bool) -> Iterator[str]:
    for problem in gathered(found):
        yield problem_line(problem)
        yield from (f"    {row}" for row in _excerpt(problem))
    if not found:
        rest = "Nothing is left: every" if fixing else "Every"
        yield f"{rest} card reads, and nothing is odd about any."


def _excerpt(problem: Problem) -> tuple[str, ...]:
    """Of a formula that cannot be read, its line and a caret under the place."""
    formula = problem.message.startswith(
        ("formula:", "exercise: given:", "exercise: find:", "solution:")
    )
    if not formula or problem.path is None:
        return ()
    rows = problem.path.read_text("utf-8", errors="replace").splitlines()
    if problem.line > len(rows):
        return ()
    row = rows[problem.line - 1]
    return under_caret(row.lstrip(), problem.column - (len(row) - len(row.lstrip())))


# What is wrong.


def _problems_of(path: Path, solutions: bool) -> list[Problem]:
    """Of a folder's cards, or of one file; with `solutions`, those are tried."""
    collection = _collection_at(path)
    checker = CardChecker(collection)
    if path.is_dir() and collection:
        cards = collection.cards.values()
        odd = (p for card in cards for p in _odd(card, card.path, checker, solutions))
        return [*collection.problems, *odd]
    try:
        card = read_card(path, collection.root if collection else None)
    except CardError as error:
        found = [error.problem]
    else:
        found = _odd(card, path, checker, solutions)
    said = {problem.message for problem in found}
    return [*(each for each in _around(path, collection) if each.message not in said), *found]


def _odd(card: Card, path: Path | None, checker: CardChecker, solutions: bool) -> list[Problem]:
    found = checker.problems(card.source, path)
    tried = solution_problem(card, path) if solutions else None
    return [*found, *([tried] if tried else [])]


def _around(path: Path, collection: Collection | None) -> Iterator[Problem]:
    """What the collection has against a file of it: an id that is another's, two versions."""
    real = path.resolve()
    for problem in collection.problems if collection else ():
        if problem.path and problem.path.name == path.name and problem.path.resolve() == real:
            yield replace(problem, path=path)


def _collection_at(path: Path) -> Collection | None:
    """The one at `path`, or the one around a file; None where a file is in none."""
    if path.is_dir():
        return open_collection(path)[0]
    if not path.exists():
        raise UsageError(f"{path} does not exist: name a card file or a folder of them.")
    around = (folder for folder in path.absolute().parents if (folder / ".deltadeck").is_dir())
    root = next(around, None)
    return open_collection(root)[0] if root else None


# What can be mended.


@dataclass(frozen=True, slots=True)
class Fix:
    path: Path
    before: str
    mended: Fixed
    root: Path | None  # of the collection

    def as_dict(self) -> dict[str, Any]:
        return {"path": str(self.path), "mended": list(self.mended.done)}

    def diff(self) -> str:
        """Unified, as `patch` reads it: a line ends with a line feed, and with nothing else."""
        name = str(self.path)
        name += "\t" if " " in name else ""  # tells `patch` where the name ends
        before, after = (_LINE.findall(text) for text in (self.before, self.mended.text))
        rows = unified_diff(before, after, name, name)
        return "".join(
            row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows
        )


def _all_fixes(paths: list[Path]) -> list[Fix]:
    found: dict[Path, Fix] = {}
    for path in paths:
        collection = _collection_at(path)
        files = _card_files(collection) if path.is_dir() and collection else [path]
        found |= {fix.path.absolute(): fix for fix in fixes(files, collection)}
    return list(found.values())


def _card_files(collection: Collection) -> list[Path]:
    """The files of cards, and those that would be cards if they could be read."""
    read = [card.path for card in collection.outlines(collection.search("", now()))]
    unread = [problem.path for problem in collection.problems]
    files = (path for path in (*read, *unread) if path and is_card_name(path.name))
    return sorted({path for path in files if path.is_file()})


def fixes(paths: Iterable[Path], collection: Collection | None) -> Iterator[Fix]:
    """What can be mended in these files; nothing is written.  No two get the same id, and a file
    is mended once, where it is, however many links lead to it."""
    taken = set(collection.cards) if collection else set[str]()
    root = collection.root if collection else None
    seen = set[Path]()
    for named in paths:
        real = named.resolve()
        if real in seen or (root and leads_out(named, root)):
            continue
        seen.add(real)
        path = real if named.is_symlink() else named  # `patch` refuses a link
        try:
            before = read_text(path, root)
        except CardError:
            continue  # linting says why
        mended = fix(before, path, taken)
        if mended.done:
            card, _ = analyse(mended.text)
            taken |= {card.id} if card else set()
            yield Fix(path, before, mended, root)


def apply_fixes(found: Iterable[Fix], quiet: bool) -> tuple[list[Fix], bool]:
    """Writes them, each file whole or not at all: those that were, and whether one was refused."""
    done, refused = list[Fix](), False
    for each in found:
        try:
            write_text(each.path, each.mended.text, each.before, root=each.root)
        except CardError as error:
            print_error(problem_line(error.problem))
            refused = True
            continue
        done.append(each)
        if not quiet:
            print(printable(f"{each.path}: {', '.join(each.mended.done)}."))
    return done, refused


def _show_fixes(args: argparse.Namespace, found: list[Fix]) -> int:
    if found and not args.json:
        diffs = "".join(fix.diff() for fix in found)
        print(printable(diffs) if sys.stdout.isatty() else diffs, end="")
    else:
        value = {"fixes": [fix.as_dict() | {"diff": fix.diff()} for fix in found]}
        tell(args, value, "There is nothing to mend.")
    return 1 if found else 0
