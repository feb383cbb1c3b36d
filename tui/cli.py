"""`deltadeck`: the command line's front door.  It imports neither Textual nor NumPy by itself."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NoReturn

from tui.commands.common import UsageError

_COMMANDS = {
    "study": "open the app on a folder of cards",
    "init": "make a folder a collection, with the starter deck if asked",
    "add": "write a new card",
    "edit": "edit a card in $EDITOR",
    "show": "print a card",
    "due": "say what is due, deck by deck",
    "list": "list the cards",
    "search": "find items",
    "review": "record an answer, or take the last one back",
    "suspend": "put items aside, or take them up again",
    "bury": "put items off until tomorrow",
    "reset": "make items new again",
    "raise": "take more cards today than the limits allow",
    "stats": "say what was done, what is remembered and what comes",
    "exam": "say what is expected of an exam, and what to study for it",
    "import": "take cards and histories from Anki and other programs",
    "optimize": "fit the schedule to your own answers",
    "check": "check a derivation against random inputs",
    "layers": "list the layers that a card can ask about",
    "export": "write cards, schedules or the journal for other programs",
    "serve": "open the app in a browser, on this machine",
    "doctor": "say what works here and what is wrong, and repair the journal",
    "backup": "keep a copy of journal and settings",
    "restore": "list the backups, or take one back",
    "sync": "share cards and reviews with your other computers, by git",
    "lint": "say what is wrong with the cards of a folder",
    "math": "set a LaTeX formula as text",
}

#: Commands whose names are Python's own words.
_MODULES = {"raise": "raise_limits", "import": "import_"}

#: Commands that stay, and have their own ways.
_LONG = ("study", "serve")

_EPILOG = """\
`deltadeck FOLDER` opens the app on FOLDER, `deltadeck` alone on the current one
(a folder with a command's name is written ./study).

exit codes: 0 done, or the answer is correct; 1 warnings, or it is not correct;
2 bad input, or a card or an answer that cannot be read
"""


class _Parser(argparse.ArgumentParser):
    """argparse with errors in one sentence and the way out."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}. `{self.prog} --help` shows what it takes.\n")


def build_parser(command: str | None) -> argparse.ArgumentParser:
    """The parser; only `command`'s own options are built, so that start-up pays for one."""
    parser = _Parser(
        prog="deltadeck",
        description="Study decks in the terminal in which a derivation is checked.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"deltadeck {_version()}")
    # With a name of its own, for argparse would format the usage to find it.
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", title="commands", prog=parser.prog
    )
    for name, help_text in _COMMANDS.items():
        sub = commands.add_parser(name, help=help_text, description=help_text.capitalize() + ".")
        if name == command:
            _module(name).configure(sub)
    return parser


def _module(command: str) -> Any:
    return import_module(f"tui.commands.{_MODULES.get(command, command)}")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code.  The outermost edge for errors of ours."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or not (arguments[0] in _COMMANDS or arguments[0].startswith("-")):
        arguments.insert(0, "study")
    command = arguments[0] if arguments[0] in _COMMANDS else None
    args = build_parser(command).parse_args(arguments)
    try:
        with _collecting_seldom(args.command):
            code: int = _module(args.command).run(args)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader (`head`) left: nothing to say, and nobody to say it to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    except (UsageError, ValueError, OSError) as error:
        return _complain(error)
    return code


@contextmanager
def _collecting_seldom(command: str) -> Iterator[None]:
    """What a command makes mostly lives until it ends; looking for what does not takes its time."""
    before = gc.get_threshold()
    gc.enable()
    if command not in _LONG:
        gc.set_threshold(100_000, 50, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _complain(error: Exception) -> int:
    """Errors of ours are sentences; a raw OSError gets its place and reason.  A bug stays a bug."""
    from cards import CardError
    from deck import CollectionError, JournalError

    if isinstance(error, UsageError | CardError | CollectionError | JournalError):
        sentence = str(error)
    elif isinstance(error, OSError):
        sentence = f"{error.filename or 'deltadeck'}: {error.strerror or error}."
    else:
        raise error
    from cards.text import printable

    print(f"deltadeck: {printable(sentence)}", file=sys.stderr)
    return 2


def _version() -> str:
    from tui.version import VERSION

    return VERSION


if __name__ == "__main__":
    sys.exit(main())
