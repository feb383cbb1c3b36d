"""What is written behind a command, in the order that its parser reads without going wrong.

argparse gives positionals away as soon as an option stands among them: `review ID --seconds 3 good`
and `search tag:cnn --ids is:due` would be errors.  Options first, as GNU's getopt sorts them, reads
everything; what stands behind `--` is never an option.  `--folder DIR` and `--json`, which most
commands take, may stand before the command, as git and cargo have it.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Container, Sequence

#: No option of ours is called so: it is a value.
_NUMBER = re.compile(r"-\.?\d.*")


def command_first(words: Sequence[str], commands: Container[str]) -> tuple[str, list[str]]:
    """The command that is named, or "", and the other words."""
    at = 0
    while at < len(words) and (taken := _before_command(words[at])):
        at += taken
    if at < len(words) and words[at] in commands:
        return words[at], [*words[:at], *words[at + 1 :]]
    return "", list(words)


def _before_command(word: str) -> int:
    """How many words an option takes that may stand there; 0 where `word` is none."""
    if word in ("-C", "--folder"):
        return 2
    return int(word == "--json" or word.startswith(("-C", "--folder=")))


def sorted_for(parser: argparse.ArgumentParser, words: Sequence[str]) -> tuple[list[str], str]:
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
            if _is_value_of(word, value, takes):
                options[-1] = f"{word}={value}"
            else:
                options.append(value)
    marked = ["--"] if any(word[:1] == "-" for word in rest) else []
    return [*options, *marked, *rest], unknown


def _is_value_of(word: str, value: str, takes: dict[str, argparse.Action]) -> bool:
    """Whether argparse would take a value that begins with a minus for an option, and it is none:
    a search, as in `--search -is:new`."""
    return word.startswith("--") and _is_option(value) and not _is_known(value, takes)


def _is_known(word: str, takes: dict[str, argparse.Action]) -> bool:
    name = word.partition("=")[0]
    if name in takes:
        return True
    short = takes.get(word[:2])  # with its value behind it, as in -Ccards
    return short is not None and short.nargs != 0


def _is_option(word: str) -> bool:
    return word.startswith("-") and word != "-" and not _NUMBER.fullmatch(word)


def _takes_next(word: str, following: str, takes: dict[str, argparse.Action]) -> bool:
    """Whether the next word is the option's value; an unknown one is the parser's to refuse."""
    action = takes.get(word)
    if action is None or action.nargs == 0 or "=" in word:
        return False
    return action.nargs is None or not _is_option(following)
