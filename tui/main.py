"""`deltadeck`: the entry point, the table of commands, and how a command line is read.

The command line imports neither Textual nor NumPy, and of the commands only the one that is asked
for.  `entry_point` is the process (streams, the garbage collector); `main(argv)` runs one command
in any process.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import sys
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, NoReturn

from tui import VERSION
from tui.commands import UsageError

#: Each command with its module in `tui.commands`, which has the functions `configure_NAME(parser)`
#: and `run_NAME(args) -> exit code`, and with what it does.
_COMMANDS = {
    "study": ("study", "open the app on a folder of cards"),
    "init": ("maintenance", "make a folder a collection, with the starter deck if asked"),
    "add": ("cards", "write a new card"),
    "edit": ("cards", "edit cards in $EDITOR"),
    "show": ("cards", "print cards"),
    "due": ("search", "say what is due, deck by deck"),
    "list": ("search", "list the cards"),
    "search": ("search", "find items"),
    "review": ("review", "record an answer, or take the last one back"),
    "suspend": ("review", "put items aside, or take them up again"),
    "bury": ("review", "put items off until tomorrow"),
    "reset": ("review", "make items new again"),
    "raise": ("review", "take more cards today than the limits allow"),
    "stats": ("stats", "say what was done, what is remembered and what comes"),
    "exam": ("stats", "say what is expected of an exam, and what to study for it"),
    "import": ("exchange", "take cards and histories from Anki and other programs"),
    "optimize": ("stats", "fit the schedule to your own answers"),
    "check": ("formulas", "check a derivation against random inputs"),
    "layers": ("formulas", "list the layers that a card can ask about"),
    "export": ("exchange", "write cards, schedules or the journal for other programs"),
    "serve": ("serve", "open the app in a browser, on this machine"),
    "config": ("config", "show the settings, or change one"),
    "doctor": ("doctor", "say what works here and what is wrong, and repair the journal"),
    "backup": ("maintenance", "keep a copy of journal and settings"),
    "restore": ("maintenance", "list the backups, or take one back"),
    "sync": ("sync", "share cards and reviews with your other computers, by git"),
    "lint": ("lint", "say what is wrong with the cards of a folder, and mend what is safe to mend"),
    "math": ("formulas", "set a LaTeX formula as text"),
    "completion": ("completion", "print the script with which a shell completes commands"),
    "help": ("completion", "say what a command takes, as its --help does"),
}
#: Commands that stay, and collect garbage in their own way.
_LONG = ("study", "serve")
_HELP = ("-h", "--help", "--version")
_WIPE = b"\r\x1b[2K"

_EPILOG = """\
`deltadeck FOLDER` opens the app on FOLDER, `deltadeck` alone on the current one
(a folder with a command's name is written ./study).

exit codes: 0 done, or the answer is correct; 1 warnings, a search that finds
nothing, or it is not correct; 2 bad input, or a card or an answer that cannot be
read
"""


# The process.


def entry_point() -> int:
    """The program.  Loading Textual takes longer than a blink: a line says that the key was heard;
    it is wiped when the app is left."""
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


def wipe() -> None:
    """Take the first line away again; the cursor stands on it."""
    if _is_terminal():
        os.write(1, _WIPE)


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
    except UnicodeEncodeError as error:
        _refuse_bytes(arguments, error)
    except (UsageError, ValueError, OSError) as error:
        return _complain(error)
    return 2


def _run(arguments: list[str]) -> int:
    first = arguments[0] if arguments else ""
    if first in _HELP:
        build_parser(None).parse_args(arguments)
    command, rest = command_first(arguments, _COMMANDS)
    if not command:
        _refuse_unknown(first)
        command = "study"
    parser = command_parser(command)
    words, unknown = _options_first(parser, rest)
    if unknown:
        takes_words = any(not action.option_strings for action in parser._actions)
        hint = "; put -- before a word that begins with a minus and is none" if takes_words else ""
        parser.error(f"there is no option {unknown}{hint}")
    args = parser.parse_args(words)
    with _collecting_seldom(command):
        code: int = _function("run", command)(args)
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
    """Raises UsageError for a word that is nearly a command, and no folder."""
    if not word or word.startswith("-") or "/" in word or os.path.lexists(word):
        return
    if meant := did_you_mean(word):
        raise UsageError(f"There is no command and no folder '{word}'. {meant}")


def did_you_mean(word: str) -> str:
    """A question that names the commands most like `word`; "" where none is like it."""
    from difflib import get_close_matches

    found = get_close_matches(word, _COMMANDS, n=2)
    meant = " or ".join(f"`deltadeck {name}`" for name in found)
    return f"Did you mean {meant}?" if found else ""


def _refuse_bytes(arguments: list[str], error: UnicodeEncodeError) -> None:
    """A path may be any bytes; an id, a search or a text may not.  Any other error is a bug."""
    for word in arguments:
        if any("\ud800" <= sign <= "\udfff" for sign in word):
            _complain(UsageError(f"{word!a} is not text in this locale: give it as UTF-8."))
            return
    raise error


def _complain(error: Exception) -> int:
    """Errors of ours are sentences; a raw OSError gets its place and reason.  A bug stays a bug."""
    from cards.model import CardError
    from cards.text import printable
    from deck.errors import CollectionError, JournalError

    if isinstance(error, UsageError | CardError | CollectionError | JournalError):
        sentence = str(error)
    elif isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        sentence = f"{place}{error.strerror or error}."
    else:
        raise error
    print(f"deltadeck: {printable(sentence)}", file=sys.stderr)
    try:
        sys.stdout.flush()
    except OSError:  # a full disk: what is left unwritten would be tried again at the end
        _forget_output()
    return 2


def _forget_output() -> None:
    with suppress(OSError, ValueError):  # no file stands behind it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# Parsers.


class _Parser(argparse.ArgumentParser):
    """argparse with errors in one sentence and the way out.

    Options are written whole: a shortened one would change its meaning when an option is added.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}. `{self.prog} --help` shows what it takes.\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        """argparse says nothing of help that cannot be written, and that all went well."""
        if file is sys.stdout:
            file.write(message)
        else:
            super()._print_message(message, file)


def build_parser(command: str | None) -> argparse.ArgumentParser:
    """The parser of the whole; only `command`'s own options are built."""
    parser = _Parser(
        prog="deltadeck",
        description="Study decks in the terminal in which a derivation is checked.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"deltadeck {VERSION}")
    # With a name of its own, for argparse would format the usage to find it.
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", title="commands", prog=parser.prog
    )
    for name, (_, help_text) in _COMMANDS.items():
        sub = commands.add_parser(name, help=help_text, description=_sentence(help_text))
        if name == command:
            _function("configure", name)(sub)
    return parser


def command_parser(command: str) -> argparse.ArgumentParser:
    """The parser of one command; start-up pays for no other."""
    parser = _Parser(prog=f"deltadeck {command}", description=_sentence(_COMMANDS[command][1]))
    _function("configure", command)(parser)
    return parser


def commands() -> dict[str, str]:
    """Every command, and what it does, in the order in which they are told."""
    return {name: help_text for name, (_, help_text) in _COMMANDS.items()}


def _sentence(help_text: str) -> str:
    return f"{help_text[:1].upper()}{help_text[1:]}."


def _function(verb: str, command: str) -> Any:
    return getattr(import_module(f"tui.commands.{_COMMANDS[command][0]}"), f"{verb}_{command}")


# The order of words.  argparse gives positionals away as soon as an option stands among them:
# `review ID --seconds 3 good` and `search tag:cnn --ids is:due` would be errors.  Options first, as
# GNU's getopt sorts them, reads everything; what stands behind `--` is never an option.

#: No option of ours is called so: it is a value.
_NUMBER = re.compile(r"-\.?\d.*")


def command_first(words: Sequence[str], commands: Container[str]) -> tuple[str, list[str]]:
    """The command that is named, or "", and the other words.

    `--folder DIR` and `--json`, which most commands take, may stand before the command, as git and
    cargo have it.
    """
    at = 0
    while at < len(words):
        if words[at] in ("-C", "--folder"):
            at += 2
        elif words[at] == "--json" or words[at].startswith(("-C", "--folder=")):
            at += 1
        else:
            break
    if at < len(words) and words[at] in commands:
        return words[at], [*words[:at], *words[at + 1 :]]
    return "", list(words)


def _options_first(parser: argparse.ArgumentParser, words: Sequence[str]) -> tuple[list[str], str]:
    """`words` with the options in front, each with its value, and the first unknown option or "".

    argparse would say of a search that begins with a minus that the search is missing.
    """
    takes = {name: action for action in parser._actions for name in action.option_strings}
    options, rest, waiting, unknown = list[str](), list[str](), list(words), ""
    while waiting:
        word = waiting.pop(0)
        if word == "--":
            rest += waiting
            break
        if not _is_option(word):
            rest.append(word)
            continue
        options.append(word)
        if " " not in word and not _is_known(word, takes):
            unknown = unknown or word
        elif waiting and _takes_next(word, waiting[0], takes):
            value = waiting.pop(0)
            if word.startswith("--") and _is_option(value) and not _is_known(value, takes):
                options[-1] = f"{word}={value}"  # a search, as in `--search -is:new`
            else:
                options.append(value)
    marked = ["--"] if any(word[:1] == "-" for word in rest) else []
    return [*options, *marked, *rest], unknown


def _is_option(word: str) -> bool:
    return word.startswith("-") and word != "-" and not _NUMBER.fullmatch(word)


def _is_known(word: str, takes: dict[str, argparse.Action]) -> bool:
    if word.partition("=")[0] in takes:
        return True
    short = takes.get(word[:2])  # with its value behind it, as in -Ccards
    return short is not None and short.nargs != 0


def _takes_next(word: str, following: str, takes: dict[str, argparse.Action]) -> bool:
    """Whether the next word is the option's value; an unknown one is the parser's to refuse."""
    action = takes.get(word)
    if action is None or action.nargs == 0 or "=" in word:
        return False
    return action.nargs is None or not _is_option(following)
