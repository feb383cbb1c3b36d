"""What several commands share: the folder option, opening it, and how things are said."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from cards import Card, Problem
    from deck.collection import Collection


#: Beginnings of what is said of links.
_ABOUT_LINKS = (
    "No card is called", "There is no picture", "The link to", "The embed to", "This link leads out"
)  # fmt: skip
#: So many of a kind are told one by one.
_ALIKE = 3


class UsageError(Exception):
    """Bad input: its text is a sentence that names the place and the way out (exit code 2)."""


def add_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--folder",
        "-C",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="the folder of cards (default: the current one)",
    )


def add_place(parser: argparse.ArgumentParser) -> None:
    """FOLDER, for commands that are about a folder as a whole; `--folder` names it as elsewhere."""
    parser.add_argument(
        "place",
        type=Path,
        nargs="?",
        metavar="FOLDER",
        help="the folder of cards (default: the current one)",
    )
    parser.add_argument("--folder", "-C", type=Path, metavar="DIR", help="the same as FOLDER")


def place_of(args: argparse.Namespace) -> Path:
    """The folder that `add_place` asks for.  Raises UsageError where two are named."""
    if args.place and args.folder:
        raise UsageError("The folder is named twice: give FOLDER, or --folder DIR.")
    return args.place or args.folder or Path()


def whole_number(lowest: int, highest: int) -> Callable[[str], int]:
    """Reads an option's number."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or not lowest <= int(text[:20]) <= highest:
            said = f"{text!r} is not a whole number from {lowest} to {highest}"
            raise argparse.ArgumentTypeError(said)
        return int(text)

    return read


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON for a program to read")


def open_collection(folder: Path) -> Collection:
    """The collection in `folder`; raises CollectionError for what cannot be opened."""
    from deck.collection import Collection
    from tui.clock import now

    return Collection.open(folder, now=now())


def cards_folder(folder: Path) -> Path:
    """`folder` itself, for what needs none of its cards; raises UsageError where it is none."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder: name one of cards with --folder.")
    return folder


def find_card(collection: Collection, card_id: str) -> Card:
    """The card named, by its id or an item's; raises UsageError with the nearest ids."""
    for candidate in (card_id, card_id.rpartition("/")[0]):
        if candidate in collection.cards:
            return collection.cards[candidate]
    import difflib

    near = difflib.get_close_matches(card_id, list(collection.cards), n=3)
    if near:
        hint = f"Did you mean {' or '.join(near)}?"
    elif collection.problems:
        hint = "Some files here cannot be read: `deltadeck lint` says which."
    else:
        hint = "`deltadeck due` lists what the folder holds."
    raise UsageError(f"There is no card '{card_id}' in {collection.root.absolute()}. {hint}")


def report(problems: Iterable[Problem]) -> None:
    """Problems on standard error, a line each."""
    for problem in gathered(problems):
        print(problem_line(problem), file=sys.stderr)


def gathered(problems: Iterable[Problem]) -> list[Problem]:
    """Of many links that are wrong in the same way only the first, with how many more there are:
    a folder may have hundreds for one reason."""
    kinds: dict[object, list[tuple[int, Problem]]] = {}
    for number, problem in enumerate(problems):
        about = next((begin for begin in _ABOUT_LINKS if problem.message.startswith(begin)), number)
        kinds.setdefault(about, []).append((number, problem))
    found: dict[int, Problem] = {}
    for alike in kinds.values():
        if len(alike) <= _ALIKE:
            found |= alike
            continue
        (number, first), files = alike[0], len({each.path for _, each in alike})
        more = f"{len(alike) - 1:,} more links are like it, in {files:,} files"
        said = f"{first.hint} {more}: see `deltadeck lint --json`."
        found[number] = replace(first, hint=said)
    return [found[number] for number in sorted(found)]


def report_odd(card: Card) -> None:
    """What is odd about a card that was just saved, its exercise included."""
    from tui.exercises import exercise_problem

    exercise = exercise_problem(card)
    report([*card.warnings, *([exercise] if exercise else [])])


def refuse_taken(card_id: str, collection: Collection, path: Path | None = None) -> None:
    """Raises UsageError where another file than `path` holds a card of this id."""
    from tui.identity import taken_by

    taken = taken_by(card_id, collection, path)
    if taken is not None:
        raise UsageError(
            f"The id '{card_id}' is taken by {taken}: choose another, "
            f"or `deltadeck edit {card_id}` to change that card."
        )


def problem_line(problem: Problem) -> str:
    from cards.text import printable

    return printable(f"{problem.severity}: {problem}").replace("\n", " ")


def print_json(value: Any) -> None:
    from cards.text import escaped

    print(escaped(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)))


def problem_dict(problem: Problem) -> dict[str, Any]:
    return {
        "path": str(problem.path) if problem.path else None,
        "line": problem.line,
        "column": problem.column,
        "message": problem.message,
        "hint": problem.hint,
        "severity": problem.severity,
    }


def is_dumb() -> bool:
    """Whether the terminal shows no styles, or its user wants none."""
    return bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"


def require_terminal(what: str, instead: str) -> None:
    """Raises UsageError unless both ends are a terminal; `instead` is the way out."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(f"{what} needs a terminal, and this is not one. {instead}")


def read_text(name: str) -> str:
    """The text of a file, or of standard input for "-"; raises UsageError when it is not text."""
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{name} is not UTF-8 text (byte {error.start + 1}): convert it first, for example "
            "with `iconv -f latin1 -t utf-8`."
        ) from error
    except OSError as error:
        raise UsageError(
            f"{name} cannot be read ({error.strerror}): name a text file, or - for standard input."
        ) from error
