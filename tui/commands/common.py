"""What commands share: reading, printing, problems, and the terminal."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cards.text import escaped, printable
from tui.commands import UsageError
from tui.commands.arguments import STDIN
from tui.text import under_caret

if TYPE_CHECKING:
    from cards.model import Problem
    from deck.search.query import SearchError

#: How messages about links begin; of more than a few that are alike, only the first is printed.
_ABOUT_LINKS = (
    "No card is called", "There is no picture", "The link to", "The embed to", "This link leads out"
)  # fmt: skip
_ALIKE = 3


# What is asked for.


def place_of(args: argparse.Namespace) -> Path:
    """FOLDER, or `--folder` in its place.  Raises UsageError where two are named."""
    if args.place and args.folder:
        raise UsageError("The folder is named twice: give FOLDER, or --folder DIR.")
    return args.place or args.folder or Path()


def cards_folder(folder: Path) -> Path:
    """`folder` itself, for what needs none of its cards; raises UsageError where it is none."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder: choose a folder of cards with --folder.")
    return folder


def is_default_session(args: argparse.Namespace) -> bool:
    """Whether nothing is asked but what is due."""
    given = (args.search, args.deck, args.ahead, args.cram, args.minutes, args.limit)
    return not any(given)


def did_you_mean(word: str, known: Sequence[str], most: int = 2) -> str:
    """A question that names what is most like `word`; "" where nothing is like it."""
    from difflib import get_close_matches  # which only a mistake needs

    near = get_close_matches(word, known, n=most)
    return f"Did you mean {' or '.join(near)}?" if near else ""


def search_trouble(error: SearchError) -> str:
    """What is wrong with a search: its line, a caret, and the way out."""
    row = " ".join(error.text.splitlines()) if error.text.strip() else ""
    shown = [error.message, *(under_caret(row, error.column) if row else ()), error.hint]
    return "\n  ".join(shown)


def shell_word(path: Path | str) -> str:
    """As a shell and our own commands read it: what begins with a minus would be an option."""
    from shlex import quote  # which only a command that is told needs

    return quote(f"./{path}" if str(path).startswith("-") else str(path))


# Reading and printing.


def read_text(name: str) -> str:
    """The text of a file, or of standard input for "-"; raises UsageError when it is not text."""
    try:
        data = sys.stdin.buffer.read() if name == STDIN else Path(name).read_bytes()
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


def tell(args: argparse.Namespace, value: Any, *said: str | Iterable[str]) -> None:
    """Print `value` where --json asks for it, else the lines, which may be made only then."""
    if args.json:
        print_json(value)
        return
    for each in said:
        for line in [each] if isinstance(each, str) else each:
            print(line)


def print_json(value: Any) -> None:
    print(escaped(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)))


def print_error(line: str) -> None:
    print(line, file=sys.stderr)


def show_progress(line: str) -> None:
    """A line in the place of the last one, on a terminal's standard error; "" takes it away."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)


def show_share(what: str, share: float) -> None:
    show_progress(f"{share:4.0%} {what}")


@contextmanager
def wiped_progress() -> Iterator[None]:
    """Whatever comes of it, no progress is left on the terminal."""
    try:
        yield
    finally:
        show_progress("")


def print_problems(problems: Iterable[Problem]) -> None:
    """On standard error, a line each."""
    for problem in gathered(problems):
        print_error(problem_line(problem))


def problem_line(problem: Problem) -> str:
    return printable(f"{problem.severity}: {problem}").replace("\n", " ")


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


# The terminal.


def is_styled() -> bool:
    """Whether standard output is a terminal that shows styles, and its user wants them."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and not is_dumb()


def is_dumb() -> bool:
    """Whether the terminal's cursor does not move."""
    return os.environ.get("TERM") == "dumb"


def is_terminal() -> bool:
    """Whether both ends are one."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def columns() -> int | None:
    """Cells in a row of standard output; None of a file or a pipe, which has no width."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def require_terminal(what: str, instead: str) -> None:
    """Raises UsageError unless both ends are a terminal; `instead` is the way out."""
    if not is_terminal():
        raise UsageError(f"{what} needs a terminal, and this is not one. {instead}")
