"""What can stand where the cursor is: commands, options, their values, and what a deck holds."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tui.completing.known import Known

Kind = Literal["words", "more", "files", "folders"]


@dataclass(frozen=True, slots=True)
class Offer:
    kind: Kind
    """Words; words that go on (no blank behind them); or what the shell itself completes."""
    words: tuple[tuple[str, str], ...] = ()
    """Each with what it means, or an empty text."""


NOTHING = Offer("words")
FILES, FOLDERS = Offer("files"), Offer("folders")
#: What a place takes, by the name of its argument.
_FILES = ("file", "files", "paths", "to", "backup")
_FOLDERS = ("folder", "place", "into")
_ITEMS = ("suspend", "bury", "reset", "review", "export")


@dataclass(frozen=True, slots=True)
class _Place:
    action: argparse.Action | None
    """Whose value is typed; None where nothing more may stand."""
    folder: Path
    key: str
    """Of `config`: the setting that is named."""
    words: tuple[str, ...]
    """The positionals before it."""


def offered(words: Sequence[str], current: str) -> Offer:
    """`words` are those behind `deltadeck` that are finished."""
    from tui.arguments import command_first
    from tui.cli import command_parser, commands

    if not words:
        return _first(current, commands())
    command, words = command_first(words, commands())
    if not command:
        return FOLDERS if not current.startswith("-") else NOTHING
    parser = command_parser(command)
    place = _place(parser, words)
    is_value = place.action is not None and bool(place.action.option_strings)
    if not is_value and current.startswith("-") and "--" not in words:
        if "=" in current:
            return _behind_sign(command, parser, place, current)
        return _starting(current, _options(parser))
    return _value(command, place, current)


def _first(current: str, commands: Mapping[str, str]) -> Offer:
    if current.startswith("-"):
        said = {"--help": "what there is", "--version": "which version this is"}
        return _starting(current, said.items())
    found = _starting(current, commands.items())
    return found if found.words else FOLDERS


def _starting(current: str, words: Iterable[tuple[str, str]], kind: Kind = "words") -> Offer:
    return Offer(kind, tuple(each for each in words if each[0].startswith(current)))


def _options(parser: argparse.ArgumentParser) -> Iterable[tuple[str, str]]:
    for action in parser._actions:
        if action.help != argparse.SUPPRESS:
            help_text = (action.help or "").replace("%(default)s", str(action.default))
            yield from ((name, help_text) for name in action.option_strings if name[:2] == "--")


def _place(parser: argparse.ArgumentParser, words: Sequence[str]) -> _Place:
    """Where the next word stands."""
    takes = {name: action for action in parser._actions for name in action.option_strings}
    given, folder, only_words = list[str](), "", False
    option: argparse.Action | None = None
    for word in words:
        if option is not None:
            folder = word if option.dest == "folder" else folder
            option = None
        elif word == "--" and not only_words:
            only_words = True
        elif word.startswith("-") and word != "-" and not only_words:
            name, sign, value = word.partition("=")
            action = takes.get(name)
            if action is not None and action.nargs != 0 and not sign:
                option = action
            elif action is not None and sign and action.dest == "folder":
                folder = value
        else:
            given.append(word)
    if option is None:
        option = _positional(parser, len(given))
    key = given[0] if given else ""
    return _Place(option, Path(folder or ".").expanduser(), key, tuple(given))


def _positional(parser: argparse.ArgumentParser, number: int) -> argparse.Action | None:
    for action in parser._actions:
        if action.option_strings:
            continue
        if number == 0 or action.nargs in ("*", "+"):
            return action
        number -= 1
    return None


def _behind_sign(
    command: str, parser: argparse.ArgumentParser, place: _Place, current: str
) -> Offer:
    """`--deck=Stat`."""
    name, _, value = current.partition("=")
    action = next((each for each in parser._actions if name in each.option_strings), None)
    found = _value(command, _Place(action, place.folder, place.key, place.words), value)
    return Offer(found.kind, tuple((f"{name}={word}", said) for word, said in found.words))


def _value(command: str, place: _Place, current: str) -> Offer:
    action = place.action
    if action is None:
        return NOTHING
    if action.choices:
        return _starting(current, ((str(each), "") for each in action.choices))
    known = Known(place.folder)
    match action.dest:
        case "id":
            return _ids(command, known, current)
        case "query" | "search":
            from tui.completing.query import term

            return term(known, current)
        case "deck":
            return _starting(current, ((deck, "") for deck in known.decks()))
        case "course":
            return _starting(current, ((course, "") for course in known.courses()))
        case "keep" | "take":
            return _starting(current, ((name, "") for name in known.conflicts()))
        case "rating":
            return _starting(current, ((each, "") for each in ("again", "hard", "good", "easy")))
        case "about":
            from tui.cli import commands

            return _starting(current, commands().items())
        case name if name in _FILES:
            return FILES
        case name if name in _FOLDERS:
            return FOLDERS
    from tui.completing.names import named

    words = named(command, action.dest, current, place.key, place.words)
    return _starting(current, words)


def _ids(command: str, known: Known, current: str) -> Offer:
    if command == "edit" and ("/" in current or current.startswith((".", "~"))):
        return FILES
    found, whole = known.ids(current, items=command in _ITEMS)
    return Offer("words" if whole else "more", tuple((each, "") for each in found))
