"""How a command line is read: parsers out of the table of commands, and the order of words."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from tui import VERSION
from tui.commands.arguments import ARGUMENTS, COMMANDS, EPILOGS

_EPILOG = """\
`deltadeck FOLDER` opens the app on FOLDER, `deltadeck` alone on the current one
(a folder with a command's name is written ./study).

exit codes: 0 done, or the answer is correct; 1 warnings, a search that finds
nothing, or it is not correct; 2 bad input, or a card or an answer that was asked
for and cannot be read
"""
#: No option of ours is called so: it is a value.
_NUMBER = re.compile(r"-\.?\d.*")


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


def whole_parser() -> argparse.ArgumentParser:
    """Of `--help` and `--version`: it knows the commands, and none of their arguments."""
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
    for name, command in COMMANDS.items():
        commands.add_parser(name, help=command.help)
    return parser


def command_parser(name: str) -> argparse.ArgumentParser:
    """The parser of one command; start-up pays for no other."""
    said, epilog = COMMANDS[name].help, EPILOGS.get(name)
    parser = _Parser(
        prog=f"deltadeck {name}",
        description=f"{said[0].upper()}{said[1:]}.",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter if epilog else argparse.HelpFormatter,
    )
    for add in ARGUMENTS[name]:
        add(parser)
    return parser


class SortedWords(NamedTuple):
    """The words behind a command, up to the end of the line or to the cursor."""

    options: list[str]
    """With their values, as argparse reads them."""
    positionals: list[str]
    waiting: argparse.Action | None
    """The option at the end, whose value is the next word."""
    folder: str
    unknown: str
    """The first option that there is not, or ""."""


def sort_words(parser: argparse.ArgumentParser, words: Sequence[str]) -> SortedWords:
    """What stands behind `--` is never an option."""
    takes, rest = options_of(parser), iter(words)
    options, positionals, folder, unknown = list[str](), list[str](), ".", ""
    waiting: argparse.Action | None = None
    for word in rest:
        if waiting is not None:
            folder = word if waiting.dest == "folder" else folder
            if options[-1].startswith("--") and _is_option(word) and not _is_known(word, takes):
                options[-1] += f"={word}"  # a search, as in `--search -is:new`
            else:
                options.append(word)
            waiting = None
        elif word == "--":
            positionals += rest
        elif not _is_option(word):
            positionals.append(word)
        else:
            options.append(word)
            name, sign, value = word.partition("=")
            action = takes.get(name)
            if action is not None and action.nargs != 0 and not sign:
                waiting = action
            elif action is not None and action.dest == "folder":
                folder = value
            elif " " not in word and not _is_known(word, takes):
                unknown = unknown or word
    return SortedWords(options, positionals, waiting, folder, unknown)


def parsed(command: str, words: Sequence[str]) -> argparse.Namespace:
    """The arguments of a command.  Exits with code 2 and a sentence where they are none.

    argparse gives positionals away as soon as an option stands among them: `review ID --seconds 3
    good` and `search tag:cnn --ids is:due` would be errors.  With the options in front, as GNU's
    getopt sorts them, it reads everything.
    """
    parser = command_parser(command)
    line = sort_words(parser, words)
    if line.unknown:  # argparse would say of a search that begins with a minus that it is missing
        takes_words = any(not action.option_strings for action in parser._actions)
        hint = "; put -- before a word that begins with a minus and is none" if takes_words else ""
        parser.error(f"there is no option {line.unknown}{hint}")
    marked = ["--"] if any(word[:1] == "-" for word in line.positionals) else []
    return parser.parse_args([*line.options, *marked, *line.positionals])


def options_of(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    """Each option, by each of its names."""
    return {name: action for action in parser._actions for name in action.option_strings}


def command_first(words: Sequence[str]) -> tuple[str, list[str]]:
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
    if at < len(words) and words[at] in COMMANDS:
        return words[at], [*words[:at], *words[at + 1 :]]
    return "", list(words)


def nearest_commands(word: str) -> str:
    """A question that names the commands most like `word`; "" where none is like it."""
    from difflib import get_close_matches

    found = get_close_matches(word, COMMANDS, n=2)
    meant = " or ".join(f"`deltadeck {name}`" for name in found)
    return f"Did you mean {meant}?" if found else ""


def _is_option(word: str) -> bool:
    return word.startswith("-") and word != "-" and not _NUMBER.fullmatch(word)


def _is_known(word: str, takes: Mapping[str, argparse.Action]) -> bool:
    if word.partition("=")[0] in takes:
        return True
    short = takes.get(word[:2])  # with its value behind it, as in -Ccards
    return short is not None and short.nargs != 0
