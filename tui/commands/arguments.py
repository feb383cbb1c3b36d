"""Every command: the module that runs it, what it does, and the arguments that it takes.

Help, completion and mistakes need this file, and none of the commands' modules.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

STDIN = "-"
RATINGS = ("again", "hard", "good", "easy")
SHELLS = ("bash", "zsh", "fish")

Argument = Callable[[argparse._ActionsContainer], object]
"""Adds itself to a parser, or to a group of one."""


class Command(NamedTuple):
    module: str
    """In `tui.commands`; its `run_NAME(args)` returns the exit code."""
    help: str


#: In the order in which help tells them.
COMMANDS = {
    "study": Command("study", "open the app on a folder of cards"),
    "init": Command("maintenance", "make a folder a collection, with the starter deck if asked"),
    "add": Command("cards", "write a new card"),
    "edit": Command("cards", "edit cards in $EDITOR"),
    "show": Command("show", "print cards"),
    "due": Command("search", "show what is due, deck by deck"),
    "list": Command("search", "list the cards"),
    "search": Command("search", "find items"),
    "review": Command("review", "record an answer, or take the last one back"),
    "suspend": Command("review", "suspend or unsuspend items"),
    "bury": Command("review", "put items off until tomorrow"),
    "reset": Command("review", "make items new again"),
    "raise": Command("review", "take more cards today than the limits allow"),
    "stats": Command("stats", "show statistics: past reviews, memory and the forecast"),
    "exam": Command("planning", "show the expected exam result and the plan for it"),
    "import": Command("exchange", "import cards and histories from Anki and other programs"),
    "optimize": Command("planning", "fit the schedule to your own answers"),
    "check": Command("check", "check a derivation against random inputs"),
    "exercise": Command("exercise", "show a card's exercise, or propose one from its text"),
    "layers": Command("check", "list the layers that a card can ask about"),
    "export": Command("exchange", "export cards, schedules or the journal to other programs"),
    "serve": Command("study", "open the app in a browser, on this machine"),
    "config": Command("config", "show the settings, or change one"),
    "doctor": Command("doctor", "check this installation and the collection; repair the journal"),
    "backup": Command("maintenance", "back up the journal and the settings"),
    "restore": Command("maintenance", "list the backups, or restore one"),
    "sync": Command("sync", "share cards and reviews with your other computers, by git"),
    "lint": Command("lint", "report problems in cards, and fix those that are safe to fix"),
    "math": Command("math", "set a LaTeX formula as text"),
    "completion": Command("completion", "print the completion script of a shell"),
    "help": Command("completion", "show the help of a command"),
}


# How an argument is told.


def _argument(*names: str, **settings: Any) -> Argument:
    return lambda parser: parser.add_argument(*names, **settings)


def _word(usage: str, help_text: str, nargs: str | None = "?") -> Argument:
    """`usage` is its name, and how it is called in the help."""
    name, _, metavar = usage.partition(" ")
    return _argument(name, metavar=metavar or None, help=help_text, nargs=nargs)


def _option(
    usage: str, help_text: str, read: Callable[[str], Any] = str, default: Any = None
) -> Argument:
    """`usage` is as in `--width N`."""
    name, metavar = usage.split()
    return _argument(name, metavar=metavar, help=help_text, type=read, default=default)


def _flag(name: str, help_text: str) -> Argument:
    return _argument(name, action="store_true", help=help_text)


def _one_of(*arguments: Argument, required: bool = False) -> Argument:
    """Arguments that exclude each other."""

    def add(parser: argparse._ActionsContainer) -> None:
        group = parser.add_mutually_exclusive_group(required=required)
        for each in arguments:
            each(group)

    return add


# How a value is read.


def _whole_number(lowest: int, highest: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or not lowest <= int(text[:20]) <= highest:
            said = f"{text!r} is not a whole number from {lowest} to {highest}"
            raise argparse.ArgumentTypeError(said)
        return int(text)

    return read


def _path(text: str) -> Path:
    from pathlib import Path  # which `--version` and `--help` need not

    return Path(text)


def seconds(text: str) -> float:
    """How long an answer took.  Raises ArgumentTypeError."""
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found <= 86_400:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0 to 86400")
    return found


def _card_type(parser: argparse._ActionsContainer) -> None:
    from cards.model import TYPES  # which only this one needs

    said = "(default: derivation)"
    parser.add_argument("--type", choices=TYPES, default="derivation", help=said)


# What several commands take.

_EXAMPLE = "a search, such as 'tag:cnn is:due -is:suspended' (quote it for the shell"
_CURRENT = "the folder of cards (default: the current one)"

_json = _flag("--json", "print JSON for a program to read")
_folder = _argument("--folder", "-C", type=_path, default=".", metavar="DIR", help=_CURRENT)
_collection = (_folder, _json)
#: FOLDER, of commands that are about a folder as a whole; `--folder` names it as elsewhere.
_place = (
    _argument("place", type=_path, nargs="?", metavar="FOLDER", help=_CURRENT),
    _argument("--folder", "-C", type=_path, metavar="DIR", help="the same as FOLDER"),
)
_search = _option("--search QUERY", f"{_EXAMPLE})")
_ids_only = _flag("--ids", "only the ids, a line each")
_items = (
    _word("id ID", "a card (all its items), an item, or - for ids on standard input", "*"),
    _search,
    *_collection,
)
#: A session of one's own.
_session = (
    _option("--search QUERY", f"{_EXAMPLE})", default=""),
    _option("--deck DECK", "a course, or 'course › folder' as in `due`"),
    _one_of(
        _option("--ahead N", "reviews of the coming days, which count"),
        _flag("--cram", "practise without changing the schedule"),
    ),
    _option("--minutes N", "end the session after N minutes"),
    _option("--limit N", "at most N cards"),
)


def _cards(more: str = "") -> tuple[Argument, ...]:
    """Cards, where their items do not matter; `more` is what else a word may be."""
    return _word("id ID", f"a card{more}, or - for ids on standard input", "*"), _search


def _query(nargs: str) -> Argument:
    return _word("query QUERY", f"{_EXAMPLE}; put -- before one that begins with a minus)", nargs)


def _language(name: str, const: str, what: str) -> Argument:
    said = f"the answer is {what} (default: detected)"
    return _argument(name, dest="language", action="store_const", const=const, help=said)


# What each command takes.

#: Below the help of a command.
EPILOGS = {
    "check": """\
exit codes: 0 correct; 1 not correct; 2 not read, or an unknown card or option; of several cards or
answers, the highest. A verdict, "not read" too, goes to standard output; an error in the command
goes to standard error, and standard output stays empty. An answer that takes longer than 10 s (more
with --trials) counts as not read; the others go on.
""",
    "completion": """\
bash: `source <(deltadeck completion bash)` in ~/.bashrc
zsh:  `source <(deltadeck completion zsh)` in ~/.zshrc
fish: `deltadeck completion fish > ~/.config/fish/completions/deltadeck.fish`
""",
}

ARGUMENTS: dict[str, tuple[Argument, ...]] = {
    "study": (
        *_place,
        _flag(
            "--plain", "in lines of text, for screen readers, pipes and scripts: nothing is drawn"
        ),
        *_session,
    ),
    "init": (
        _argument("folder", type=_path, metavar="FOLDER", help="created if it does not exist"),
        _flag("--starter", "add the starter deck"),
        _json,
    ),
    "add": (
        _card_type,
        _option("--id ID", "the card's id (default: made from the time)"),
        _option("--course COURSE", "the course it belongs to", default=""),
        _option("--tags TAG,...", "tags, separated by commas", default=""),
        _option("--file FILE", "take the whole card from FILE (- for standard input), no editor"),
        *_collection,
    ),
    "edit": (
        *_cards(" or its file (also one that cannot be read)"),
        _option(
            "--file FILE",
            "take the new text of one card from FILE (- for standard input), no editor",
        ),
        *_collection,
    ),
    "show": (
        *_cards(),
        _flag("--question", "leave the solution out"),
        _flag("--source", "print the Markdown as it is written"),
        _option("--width N", "cells in a row (default: the terminal's)", _whole_number(10, 10_000)),
        *_collection,
    ),
    "due": (
        _one_of(_flag("--list", "name the items, in study order"), _ids_only),
        *_session,
        *_collection,
    ),
    "list": (_query("*"), _ids_only, *_collection),
    "search": (_query("+"), _ids_only, *_collection),
    "review": (
        _word(
            "id",
            "the item's id, or its card's where it has only one; - reads lines of "
            "`ID RATING [SECONDS]` from standard input, and prints each once it is on the disk",
        ),
        _word("rating", f"1 to 4, or {', '.join(RATINGS)}"),
        _option("--seconds N", "how long the answer took", seconds, 0.0),
        _flag("--undo", "undo the last answer, or the last one to ID"),
        *_collection,
    ),
    "suspend": (*_items, _flag("--off", "unsuspend them")),
    "bury": (
        *_items,
        _option(
            "--days N",
            "for N study days (default: 1)",
            _whole_number(1, 3650),
        ),
        _flag("--off", "unbury them"),
    ),
    "reset": _items,
    "raise": (
        _option("--new N", "N more new cards", default="0"),
        _option("--reviews N", "N more reviews", default="0"),
        _option("--deck DECK", "only this course, which has limits of its own (default: all)"),
        *_collection,
    ),
    "stats": (
        _query("*"),
        _option("--plot NAME,...", "only these figures (docs/exams-and-statistics.md lists them)"),
        _option("--course COURSE", "only one course"),
        _one_of(
            _argument(
                "--span",
                choices=("month", "quarter", "year", "all"),
                help="how far back, and ahead (default: year)",
            ),
            _option("--days N", "the same, as a number of days", _whole_number(1, 36_500)),
        ),
        *_collection,
    ),
    "exam": (
        _word("course COURSE", "the course (default: all that have an exam)"),
        _flag("--plan", "list the days with their items"),
        *_collection,
    ),
    "import": (
        _word(
            "files FILE",
            "a package, file or folder of another program, or - for standard input; the format "
            "is detected",
            "+",
        ),
        _option("--into FOLDER", "put the cards below this folder of the deck", default=""),
        _flag("--dry-run", "show what would happen; write nothing"),
        _option("--format F", "the format, if it is detected wrongly"),
        _option(
            "--columns NAMES",
            "the columns of a table without a header, such as front,back,-,tags (- skips one)",
        ),
        *_collection,
    ),
    "optimize": (
        _one_of(
            _flag("--apply", "use the new parameters, if they are better"),
            _flag("--workload", "show the workload of each desired retention instead"),
        ),
        _flag("--reschedule", "also compute all due dates again"),
        *_collection,
    ),
    "check": (
        *_cards(),
        _one_of(
            _option("--answer TEXT", "the backward message you derived"),
            _option(
                "--file FILE",
                "a file that holds it, - for standard input, or a folder: a line for each answer",
            ),
            required=True,
        ),
        _one_of(
            _language("--formula", "formula", "an index formula"),
            _language("--latex", "latex", "LaTeX"),
            _language("--numpy", "function", "a NumPy function"),
        ),
        _option("--seed N", "of the random inputs (default: 0)", _whole_number(0, 10**18 - 1), 0),
        _option(
            "--trials N", "how many inputs to try (default: 300)", _whole_number(1, 100_000), 300
        ),
        _flag(
            "--unconfined",
            "run a function without asking, even where nothing keeps it from your files",
        ),
        *_collection,
    ),
    "exercise": (
        *_cards(),
        _flag("--write", "write the proposed exercise into the card"),
        *_collection,
    ),
    "layers": (_word("layer LAYER", "only this one, with all that an answer may use"), _json),
    "export": (
        _word(
            "id WHAT", "a card, an item, or - for ids on standard input (default: everything)", "*"
        ),
        _option("--to FILE", "the file to write (default, or -: standard output)", _path),
        _search,
        _option(
            "--format FORMAT",
            "apkg, json, csv (cards), items (CSV), html, journal (CSV); default: by the "
            "file's ending",
        ),
        _flag("--force", "overwrite an existing file"),
        *_collection,
    ),
    "serve": (
        *_place,
        _option(
            "--host HOST",
            "the name or address to listen on (default: %(default)s); any but this machine's "
            "own requires a token",
            default="localhost",
        ),
        _option(
            "--port PORT",
            "0 picks a free one (default: %(default)s)",
            _whole_number(0, 65535),
            8000,
        ),
        _flag("--token", "require a token on this machine too, if others use it"),
    ),
    "config": (
        _word("key KEY", "one setting, also searches.NAME (default: all)"),
        _word("value VALUE", "its new value"),
        _one_of(
            _flag("--unset", "remove it, so that the default applies"),
            _flag("--edit", "edit the file in $EDITOR; it is saved if it is valid"),
        ),
        _option("--course COURSE", "settings of one course"),
        *_collection,
    ),
    "doctor": (
        _flag("--repair", "set invalid lines of the journal aside; rebuild a wrong index"),
        *_place,
        _json,
    ),
    "backup": _collection,
    "restore": (
        _word(
            "backup N|FILE", "a backup by its number in the list, or its file (default: list them)"
        ),
        _flag(
            "--missing",
            "restore only answers that the journal lacks; change nothing else",
        ),
        *_collection,
    ),
    "sync": (
        *_place,
        _option("--remote R", "the remote's name, or the address that becomes `origin`"),
        _argument("--message", "-m", metavar="M", help="the commit message"),
        _flag("--dry-run", "show what would be done; only fetch"),
        _flag("--init", "make the folder a git repository"),
        # A flag and an option: one with an optional value would take FOLDER for it.
        _argument(
            "--class",
            dest="in_class",
            action="store_true",
            help="the cards are a clone of a teacher's repository: take changes, send none",
        ),
        _option(
            "--reviews ADDRESS", "a repository of your own for the reviews, apart from the cards"
        ),
        _one_of(
            _option("--keep CARD", "resolve a conflict: keep the version in the file"),
            _option("--take CARD", "resolve a conflict: take the other version"),
        ),
        _json,
    ),
    "lint": (
        _argument(
            "paths",
            type=_path,
            nargs="*",
            metavar="PATH",
            help="card files or folders (default: the current folder)",
        ),
        _argument("--folder", "-C", type=_path, metavar="DIR", help="the same as a folder"),
        _flag(
            "--fix",
            "fix what is safe to fix: a missing id, separators, the spelling of a type or a "
            "heading; every other byte stays",
        ),
        _flag("--dry-run", "show what --fix would change; write nothing"),
        _flag("--solutions", "also try the solution of each card that has an exercise against it"),
        _json,
    ),
    "math": (
        _argument(
            "tex",
            nargs="?",
            default=STDIN,
            metavar="TEX",
            help="the LaTeX, quoted for the shell; - or nothing for standard input "
            "(put -- before a formula that begins with a minus)",
        ),
        _one_of(
            _flag("--inline", "as within a line of text: a/b"),
            _flag("--line", "everything on one row"),
        ),
        _option(
            "--width N",
            "break lines at N cells (default: the terminal's)",
            _whole_number(1, 10_000),
        ),
        _json,
    ),
    "completion": (
        _word("shell SHELL", "bash, zsh or fish", "*"),
        # What the scripts ask: the words of a line, the one at the cursor last.
        _argument("--for", dest="asking", choices=SHELLS, help=argparse.SUPPRESS),
    ),
    "help": (_word("about COMMAND", "the command (default: list them all)"),),
}
