"""`deltadeck lint`: say what is wrong with the cards of a folder, or with single files; `--fix`
mends what is safe to mend."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cards.model import CardError, Diagnostics, Problem, quoted
from cards.text import fold, printable
from tui.commands import UsageError
from tui.commands.common import (
    add_json,
    gathered,
    open_collection,
    print_error,
    print_json,
    problem_line,
)
from tui.exercises import exercise_problem
from tui.page.layout import finder

if TYPE_CHECKING:
    from cards.lint import Fixed
    from cards.model import Card
    from deck.collection import Collection


def configure_lint(parser: argparse.ArgumentParser) -> None:
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


def run_lint(args: argparse.Namespace) -> int:
    """0 nothing but hints, 1 warnings, 2 a card cannot be read; after --fix, of what is left.
    With --dry-run 1 where something would be changed."""
    paths = [*args.paths, *([args.folder] if args.folder else [])] or [Path()]
    if args.dry_run:
        return _show_fixes(_all_fixes(paths), args.json)
    # Before any is written: of a path that there is not, nothing is.
    fixed, refused = apply_fixes(_all_fixes(paths), args.json) if args.fix else ([], False)
    found = [problem for path in paths for problem in _problems_of(path)]
    if args.json:
        problems = [_problem_dict(problem) for problem in found]
        fixes = [fix.as_dict() for fix in fixed]
        print_json({"fixed": fixes, "problems": problems} if args.fix else problems)
    else:
        _print_problems(found, args.fix)
    if refused or any(problem.severity == "error" for problem in found):
        return 2
    return 1 if any(problem.severity == "warning" for problem in found) else 0


def _print_problems(found: list[Problem], fixing: bool) -> None:
    for problem in gathered(found):
        print(problem_line(problem))
        for row in _excerpt(problem):
            print(f"    {row}")
    if not found:
        rest = "Nothing is left: every" if fixing else "Every"
        print(f"{rest} card reads, and nothing is odd about any.")


def _excerpt(problem: Problem) -> tuple[str, ...]:
    """Of a formula that cannot be read, its line and a caret under the place."""
    formula = problem.message.startswith(("formula:", "exercise: given:", "exercise: find:"))
    if not formula or problem.path is None:
        return ()
    rows = problem.path.read_text("utf-8", errors="replace").splitlines()
    if problem.line > len(rows):
        return ()
    from tui.text import under_caret

    row = rows[problem.line - 1]
    return under_caret(row.lstrip(), problem.column - (len(row) - len(row.lstrip())))


def _problem_dict(problem: Problem) -> dict[str, Any]:
    return {
        "path": str(problem.path) if problem.path else None,
        "line": problem.line,
        "column": problem.column,
        "message": problem.message,
        "hint": problem.hint,
        "severity": problem.severity,
    }


# What is wrong.


def _problems_of(path: Path) -> list[Problem]:
    """Of a folder's cards, or of one file."""
    from cards import read_card

    collection = _collection_at(path)
    checker = CardChecker(collection)
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


def _collection_at(path: Path) -> Collection | None:
    """The one at `path`, or the one around a file; None where a file is in none."""
    if path.is_dir():
        return open_collection(path)[0]
    if not path.exists():
        raise UsageError(f"{path} does not exist: name a card file or a folder of them.")
    around = (folder for folder in path.absolute().parents if (folder / ".deltadeck").is_dir())
    root = next(around, None)
    return open_collection(root)[0] if root else None


class CardChecker:
    """Checks a card's text, formulas, exercise and links, for a collection; or for none, when
    nothing is said about links."""

    def __init__(self, collection: Collection | None) -> None:
        self._root = collection.root if collection else None
        self._called = collection.called if collection else None
        self._tags = frozenset(map(fold, collection.tags() if collection else ()))
        self._macros: Mapping[str, str] = collection.config.macros if collection else {}

    def problems(self, card: Card, path: Path | None) -> list[Problem]:
        """From top to bottom; `path` is how the card's file is called in them."""
        from cards import lint_card

        exercise = exercise_problem(card)
        found = [
            *lint_card(card.source, path, self._macros),
            *([exercise] if exercise else []),
            *self._links(card, path),
        ]
        return sorted(found, key=lambda problem: (problem.line, problem.column))

    def _links(self, card: Card, path: Path | None) -> list[Problem]:
        """Pictures that are missing, and links to cards that nobody wrote yet."""
        from cards.frontmatter import read_header
        from cards.links import find as links_in

        report = Diagnostics(card.source, path)
        try:
            body = read_header(report).body
        except CardError:
            return []
        report.problems.clear()
        find = finder(card.path, self._root)
        for link in links_in(card.source[body:]):
            at, name = body + link.start, link.name.split("#", 1)[0].strip()
            known = not name or fold(name) in self._tags or self._is_card(name)
            if link.kind == "unread":
                hint = "Write ![words](<its file's name>); blanks and brackets are safe there."
                report.warn(at, f"This shows no picture: {quoted(link.name)} is not read.", hint)
            elif link.embed and link.kind != "html" and not known:
                if find(link.name).why.startswith("missing"):
                    hint = "Put the file beside the card, or take the picture out."
                    report.warn(at, f"There is no picture {quoted(name)}.", hint)
            elif link.kind == "wiki" and self._called is not None and not known:
                message = f"No card is called {quoted(name)}."
                report.hint(at, message, "The link leads nowhere until one is.")
        return report.problems

    def _is_card(self, name: str) -> bool:
        return self._called is not None and self._called(name) is not None


# What can be mended.


@dataclass(frozen=True, slots=True)
class Fix:
    path: Path
    before: str
    mended: Fixed
    root: Path | None  # of the collection

    def as_dict(self) -> dict[str, Any]:
        return {"path": str(self.path), "mended": list(self.mended.done)}


def _all_fixes(paths: list[Path]) -> list[Fix]:
    found: dict[Path, Fix] = {}
    for path in paths:
        collection = _collection_at(path)
        files = _card_files(collection) if path.is_dir() and collection else [path]
        found |= {fix.path.absolute(): fix for fix in fixes(files, collection)}
    return list(found.values())


def _card_files(collection: Collection) -> list[Path]:
    """The files of cards, and those that would be cards if they could be read."""
    from deck.files import is_card_name
    from tui.text import now

    read = [card.path for card in collection.outlines(collection.search("", now()))]
    unread = [problem.path for problem in collection.problems]
    files = (path for path in (*read, *unread) if path and is_card_name(path.name))
    return sorted({path for path in files if path.is_file()})


def fixes(paths: Iterable[Path], collection: Collection | None) -> Iterator[Fix]:
    """What can be mended in these files; nothing is written.  No two get the same id, and a file
    is mended once, where it is, however many links lead to it."""
    from cards.files import read_text
    from cards.lint import fix
    from cards.parse import analyse

    taken = set(collection.cards) if collection else set[str]()
    root = collection.root if collection else None
    for path in _real_files(paths, root):
        try:
            before = read_text(path, root)
        except CardError:
            continue  # linting says why
        mended = fix(before, path, taken)
        if mended.done:
            card, _ = analyse(mended.text)
            taken |= {card.id} if card else set()
            yield Fix(path, before, mended, root)


def _real_files(paths: Iterable[Path], root: Path | None) -> Iterator[Path]:
    from cards.files import leads_out

    seen = set[Path]()
    for path in paths:
        real = path.resolve()
        if real not in seen and not (root and leads_out(path, root)):
            seen.add(real)
            # `patch` refuses a link.
            yield real if path.is_symlink() else path


def apply_fixes(found: Iterable[Fix], quiet: bool) -> tuple[list[Fix], bool]:
    """Writes them, each file whole or not at all: those that were, and whether one was refused."""
    from cards.files import write_text

    done, refused = list[Fix](), False
    for fix in found:
        try:
            write_text(fix.path, fix.mended.text, fix.before, root=fix.root)
        except CardError as error:
            print_error(problem_line(error.problem))
            refused = True
            continue
        done.append(fix)
        if not quiet:
            print(printable(f"{fix.path}: {', '.join(fix.mended.done)}."))
    return done, refused


def _show_fixes(found: list[Fix], as_json: bool) -> int:
    if as_json:
        print_json({"fixes": [fix.as_dict() | {"diff": _diff(fix)} for fix in found]})
    for fix in found if not as_json else ():
        print(_diff(fix), end="")
    if not found and not as_json:
        print("There is nothing to mend.")
    return 1 if found else 0


def _diff(fix: Fix) -> str:
    """A unified diff, as `patch` reads it."""
    from difflib import unified_diff

    name = str(fix.path)
    name += "\t" if " " in name else ""  # tells `patch` where the name ends
    before, after = _lines(fix.before), _lines(fix.mended.text)
    text = "".join(
        row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n"
        for row in unified_diff(before, after, name, name)
    )
    return printable(text) if sys.stdout.isatty() else text


def _lines(text: str) -> list[str]:
    """As `patch` counts them: a line ends with a line feed, and with nothing else."""
    pieces = text.split("\n")
    return [f"{piece}\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])
