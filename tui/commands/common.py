"""What commands share: options, the cards and items that are named, searches, and printing."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui.commands import UsageError

if TYPE_CHECKING:
    from datetime import datetime

    from cards.model import Card, Problem
    from deck.collection import Collection
    from deck.queue import Session as SessionRequest

STDIN = "-"
_EXAMPLE = "a search, such as 'tag:cnn is:due -is:suspended' (quote it for the shell"
#: Of an option, whose value may begin with a minus.
SEARCH_HELP = f"{_EXAMPLE})"
#: A sentence names this many of a card's items.
_NAMED = 6
#: How messages about links begin; of more than a few that are alike, only the first is printed.
_ABOUT_LINKS = (
    "No card is called", "There is no picture", "The link to", "The embed to", "This link leads out"
)  # fmt: skip
_ALIKE = 3


# Options.


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


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON for a program to read")


def add_cards(parser: argparse.ArgumentParser, more: str = "") -> None:
    """Cards, where their items do not matter; `more` is what else a word may be."""
    help_text = f"a card{more}, or - for ids on standard input"
    parser.add_argument("id", nargs="*", metavar="ID", help=help_text)
    parser.add_argument("--search", metavar="QUERY", help=SEARCH_HELP)


def add_query(parser: argparse.ArgumentParser, nargs: str = "*") -> None:
    help_text = f"{_EXAMPLE}; put -- before one that begins with a minus)"
    parser.add_argument("query", nargs=nargs, metavar="QUERY", help=help_text)


def whole_number(lowest: int, highest: int) -> Callable[[str], int]:
    """Reads an option's number."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or not lowest <= int(text[:20]) <= highest:
            said = f"{text!r} is not a whole number from {lowest} to {highest}"
            raise argparse.ArgumentTypeError(said)
        return int(text)

    return read


# The collection, and what is named of it.


def open_collection(folder: Path) -> tuple[Collection, datetime]:
    """The collection in `folder`, and the present moment; raises CollectionError."""
    from deck.collection import Collection
    from tui.text import now

    moment = now()
    return Collection.open(folder, now=moment), moment


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
    hint = did_you_mean(card_id, list(collection.cards), 3)
    if not hint and collection.problems:
        hint = "Some files here cannot be read: `deltadeck lint` says which."
    hint = hint or "`deltadeck due` lists what the folder holds."
    raise UsageError(f"There is no card '{card_id}' in {collection.root.absolute()}. {hint}")


def did_you_mean(word: str, known: Sequence[str], most: int = 2) -> str:
    """A question that names what is most like `word`; "" where nothing is like it."""
    from difflib import get_close_matches

    near = get_close_matches(word, known, n=most)
    return f"Did you mean {' or '.join(near)}?" if near else ""


def items_of(collection: Collection, name: str) -> list[str]:
    """The items of a card, or the one item that is named.

    Raises:
        UsageError: it names neither, with near ids.  An item that its card does not have is never
            taken for the card: an answer would land on another item.
    """
    if collection.has_item(name):
        return [name]
    card = find_card(collection, name)
    items = [item.id for item in card.items]
    if card.id != name:
        raise UsageError(f"There is no item '{name}': {card.id} has {listed(items)}.")
    return items


def listed(items: Sequence[str]) -> str:
    """Some of them, and how many more there are."""
    more = len(items) - _NAMED
    return ", ".join(items[:_NAMED]) + (f", and {more} more" if more > 0 else "")


def chosen_items(args: argparse.Namespace, collection: Collection, now: datetime) -> list[str]:
    """The items that are meant, each once.  Raises UsageError for one that there is not."""
    items = [item for name in named_ids(args) for item in items_of(collection, name)]
    if args.search is not None:
        items += search_items(collection, args.search, now)
    return list(dict.fromkeys(items))


def chosen_cards(args: argparse.Namespace, collection: Collection, now: datetime) -> list[str]:
    """The ids of the cards that are meant, each once; an item means its card.

    Raises:
        UsageError: none is named or found, or one is that there is not.
    """
    ids = [find_card(collection, name).id for name in named_ids(args)]
    if args.search is not None:
        items = search_items(collection, args.search, now)
        ids += [card.id for card in collection.outlines(items)]
    if not ids:
        raise UsageError("No card is found: `deltadeck list` names those that there are.")
    return list(dict.fromkeys(ids))


def is_one(args: argparse.Namespace) -> bool:
    """Whether a single card is named, not as many as a pipe or a search holds."""
    return len(args.id) == 1 and args.id[0] != STDIN and args.search is None


def named_ids(args: argparse.Namespace) -> list[str]:
    """What is named, standard input read.  Raises UsageError where nothing is."""
    if not args.id and args.search is None:
        raise UsageError("Name cards, give - to read ids from standard input, or use --search.")
    if args.id.count(STDIN) and getattr(args, "file", None) == STDIN:
        raise UsageError("Ids and a text cannot both come from standard input: name a file.")
    return [name for given in args.id for name in (_stdin_ids() if given == STDIN else [given])]


def _stdin_ids() -> list[str]:
    """One id a line, as `search --ids` prints them."""
    if sys.stdin.isatty():
        raise UsageError("- reads ids from standard input, and that is the terminal: pipe them in.")
    try:
        text = sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError("Standard input is not UTF-8 text: give ids, one a line.") from error
    return [line.strip() for line in text.split("\n") if line.strip()]


def find_course(collection: Collection, name: str, now: datetime) -> str:
    """The course that is called `name`; case does not count.

    Raises:
        UsageError: no card and no setting is of such a course.
    """
    decks = [deck.name for deck in collection.decks(now) if not deck.depth]
    courses = sorted({*decks, *collection.config.courses})
    if name in courses:
        return name
    found = [course for course in courses if course.casefold() == name.strip().casefold()]
    if found:
        return found[0]
    there = ", ".join(courses) or "none yet"
    raise UsageError(
        f"There is no course '{name}' in {collection.root.absolute()}: there is {there}."
    )


def find_deck(collection: Collection, name: str | None, now: datetime) -> str | None:
    """The key of the deck that is called `name`: its whole key, or its own name where only one
    deck has it; case does not count.

    Raises:
        UsageError: there is none, or there are several.
    """
    if name is None:
        return None
    decks = collection.decks(now)
    wanted = " › ".join(part.strip() for part in name.replace(">", "›").split("›")).casefold()
    exact = [deck.key for deck in decks if deck.key.casefold() == wanted]
    found = exact or [deck.key for deck in decks if deck.name.casefold() == wanted]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"Several decks are called '{name}': name one of {', '.join(found)}.")
    near = did_you_mean(name, [key for deck in decks for key in (deck.key, deck.name)])
    hint = near or "`deltadeck due` lists the decks."
    raise UsageError(f"There is no deck '{name}'. {hint}")


# Searches.


def search_items(collection: Collection, query: str, now: datetime) -> list[str]:
    """The items that a search means.  Raises UsageError."""
    with reading_search():
        return collection.search(query, now)


@contextmanager
def reading_search() -> Iterator[None]:
    """A search that cannot be read is bad input: its line, a caret, and the way out."""
    from deck.search.query import SearchError

    try:
        yield
    except SearchError as error:
        from tui.text import under_caret

        row = " ".join(error.text.splitlines()) if error.text.strip() else ""
        shown = [error.message, *(under_caret(row, error.column) if row else ()), error.hint]
        raise UsageError("\n  ".join(shown)) from error


# A session of one's own, of `study` and `due`.


def add_session(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--search", metavar="QUERY", default="", help=SEARCH_HELP)
    parser.add_argument("--deck", metavar="DECK", help="a course, or 'course › folder' as in `due`")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--ahead", metavar="N", help="reviews of the coming days, which count")
    kind.add_argument("--cram", action="store_true", help="practise; the schedule stays as it is")
    parser.add_argument("--minutes", metavar="N", help="of so many minutes")
    parser.add_argument("--limit", metavar="N", help="of so many cards at most")


def is_default_session(args: argparse.Namespace) -> bool:
    """Whether nothing is asked but what is due."""
    given = (args.search, args.deck, args.ahead, args.cram, args.minutes, args.limit)
    return not any(given)


def session_request(args: argparse.Namespace, deck: str | None) -> SessionRequest:
    """Raises UsageError where a number is none."""
    from tui.session_form import Form, FormError, read_form

    kind = "cram" if args.cram else "ahead" if args.ahead is not None else "study"
    form = Form(kind, args.search, args.ahead or "", args.minutes or "", args.limit or "")
    try:
        return read_form(form, deck, ("--ahead", "--minutes", "--limit"))
    except FormError as error:
        raise UsageError(str(error)) from error


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


def print_json(value: Any) -> None:
    from cards.text import escaped

    print(escaped(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)))


def print_error(line: str) -> None:
    print(line, file=sys.stderr)


def report(problems: Iterable[Problem]) -> None:
    """Problems on standard error, a line each."""
    for problem in gathered(problems):
        print_error(problem_line(problem))


def problem_line(problem: Problem) -> str:
    from cards.text import printable

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


def show_progress(line: str) -> None:
    """A line in the place of the last one, on a terminal's standard error; "" takes it away."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)


def is_styled() -> bool:
    """Whether standard output is a terminal that shows styles, and its user wants them."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and not is_dumb()


def is_dumb() -> bool:
    """Whether the terminal's cursor does not move."""
    return os.environ.get("TERM") == "dumb"


def require_terminal(what: str, instead: str) -> None:
    """Raises UsageError unless both ends are a terminal; `instead` is the way out."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(f"{what} needs a terminal, and this is not one. {instead}")
