"""`deltadeck`: the entry point, and how one command is run.

The command line imports neither Textual nor NumPy, and of the commands only the one that is asked
for.  `entry_point` is the process (streams, the garbage collector); `main(argv)` runs one command
in any process.
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


# The process.


def entry_point() -> int:
    """The program.  Loading Textual takes longer than a blink: a line says that the key was heard;
    `tui.start` wipes it when the app is left."""
    if _opens_the_app(sys.argv[1:]) and _is_terminal():
        os.write(1, b"deltadeck \xe2\x80\xa6\r")
    _speak_utf8()
    gc.disable()  # what is imported stays
    try:
        code = main()
    except KeyboardInterrupt:  # before there was anything to interrupt
        return 130
    gc.freeze()  # what is left goes with the process: Python need not look through it three times
    return code


def _opens_the_app(arguments: list[str]) -> bool:
    """A first guess, without the parser: where it is unsure, nothing is said."""
    folders = [each for each in arguments if each != "study"]
    return all(not each.startswith("-") and os.path.isdir(each) for each in folders)  # noqa: PTH112


def _is_terminal() -> bool:
    """Whether both ends are a terminal that can wipe a line."""
    return os.environ.get("TERM", "dumb") != "dumb" and os.isatty(0) and os.isatty(1)


def _speak_utf8() -> None:
    """Write UTF-8 into pipes and files whatever the locale says, and never fail to.

    A terminal gets what it reads.  A name that is no text (a file's may be any bytes) is written
    as its escape, which in JSON means the same name.  A stream that is closed swallows all, and
    has nothing to read.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
            continue
        as_it_is = stream.isatty() or "PYTHONIOENCODING" in os.environ
        encoding = stream.encoding if as_it_is else "utf-8"
        if (encoding, "backslashreplace") != (stream.encoding, stream.errors):
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


# One command.


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
