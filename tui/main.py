"""How one command is run, in any process.  (The program's own process is tui/__main__.py.)

The command line imports neither Textual nor NumPy, and of the commands only the one that is asked
for.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from shlex import quote
from typing import TYPE_CHECKING, cast

from tui import VERSION
from tui.commands import UsageError
from tui.commands.arguments import COMMANDS
from tui.commands.parser import command_first, nearest_commands, parsed, whole_parser

if TYPE_CHECKING:
    from deck.search.query import SearchError

#: The errors whose text is for the learner, by name: to look one up imports nothing.  Any other
#: is a bug, and ends in its traceback.
SENTENCES = frozenset(
    {
        "cards.model.CardError",
        "deck.errors.CollectionError",
        "deck.errors.JournalError",
        "deck.exchange.model.ExchangeError",
        "deck.optimize.OptimizeError",
        "deck.search.query.SearchError",
        "deck.settings.SettingError",
        "deck.sync.git.GitError",
        "engine.exercise.ExerciseError",
        "engine.formula.tree.FormulaError",
        "engine.sandbox.worker.WorkerError",
        "tui.commands.UsageError",
        "tui.drafts.EditorError",
        "tui.session_form.FormError",
    }
)
#: Commands that stay, and collect garbage in their own way.
_LONG = ("study", "serve")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code.  The outermost edge for errors of ours."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        try:
            return _run(arguments)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # The reader (`head`) left: nothing to say, and nobody to say it to.
        _forget_output()
        return 0
    except KeyboardInterrupt:
        return 130
    except SystemExit as done:  # argparse's, for help and for what it refuses
        return done.code if isinstance(done.code, int) else 0
    except UnicodeEncodeError:
        # A path may be any bytes; an id, a search or a text may not.  Any other error is a bug.
        word = next((each for each in arguments if _is_no_text(each)), None)
        if word is None:
            raise
        return _complain(f"{word!a} is not text in this locale: give it as UTF-8.")
    except Exception as error:
        sentence = _sentence(error)
        if sentence is None:
            raise
        return _complain(sentence)


def _run(arguments: list[str]) -> int:
    first = arguments[0] if arguments else ""
    if first == "--version":  # which need not wait for a parser of all commands
        print(f"deltadeck {VERSION}")
        return 0
    if first in ("-h", "--help"):
        whole_parser().parse_args(arguments)
    command, rest = command_first(arguments)
    if not command:
        _refuse_unknown(first)
        command = "study"
    args = parsed(command, rest)
    module = import_module(f"tui.commands.{COMMANDS[command].module}")
    with _collecting_seldom(command):
        code: int = getattr(module, f"run_{command}")(args)
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


def _refuse_unknown(word: str) -> None:
    """Raises UsageError for a word that is neither a command nor there, nor written as a path."""
    if not word or word.startswith("-") or "/" in word or os.path.lexists(word):
        return
    make = f"`deltadeck init {quote(word)} --starter`"
    ways = f"`deltadeck help` lists the commands; {make} makes a folder of cards."
    raise UsageError(
        f"There is no command and no folder '{word}'. {nearest_commands(word) or ways}"
    )


def _is_no_text(word: str) -> bool:
    return any("\ud800" <= sign <= "\udfff" for sign in word)


def _sentence(error: Exception) -> str | None:
    """What the learner reads of an error; None of a bug."""
    names = {f"{each.__module__}.{each.__qualname__}" for each in type(error).__mro__}
    if "deck.search.query.SearchError" in names:
        from tui.commands.common import search_trouble

        return search_trouble(cast("SearchError", error))
    if names & SENTENCES:
        return str(error)
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror or error}."
    return None


def _complain(sentence: str) -> int:
    from cards.text import printable

    print(f"deltadeck: {printable(sentence)}", file=sys.stderr)
    try:
        sys.stdout.flush()
    except OSError:  # a full disk: what is left unwritten would be tried again at the end
        _forget_output()
    return 2


def _forget_output() -> None:
    with suppress(OSError, ValueError):  # no file stands behind it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
