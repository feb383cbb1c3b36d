"""`deltadeck completion SHELL` and what the shells' scripts ask it; `deltadeck help`.

The scripts in `shells/` only ask and show (`deltadeck completion --for SHELL -- ...`), so that
what is offered never falls behind the parsers, and card ids come out of the index.  A tab waits for
this file: it imports what a word may be only where that word is asked for.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from os.path import commonprefix
from pathlib import Path
from typing import NamedTuple

from tui.commands import UsageError
from tui.commands.arguments import COMMANDS, RATINGS, SHELLS
from tui.commands.parser import (
    SortedWords,
    command_first,
    command_parser,
    nearest_commands,
    options_of,
    sort_words,
    whole_parser,
)
from tui.search_completion import Completions, Words, courses, deck_paths, search_terms, texts

#: The meaning behind a word of a list takes no more than a line.
_LONGEST_MEANING = 70
_MOST_IDS = 300

FOLDERS = Completions("folders")
#: Commands whose ID is an item; elsewhere it is a card.
_OF_ITEMS = ("suspend", "bury", "reset", "review", "export")


def run_completion(args: argparse.Namespace) -> int:
    if args.asking:
        _answer(args.asking, args.shell)
        return 0
    if len(args.shell) != 1 or args.shell[0] not in SHELLS:
        raise UsageError("Name your shell: `deltadeck completion bash`, zsh or fish.")
    script = Path(__file__).with_name("shells") / f"deltadeck.{args.shell[0]}"
    print(script.read_text("utf-8"), end="")
    return 0


def _answer(shell: str, given: list[str]) -> None:
    """Print the kind of what is offered, and a line for each word."""
    if shell == "bash":
        line = split(*(*given, "", "")[:2])
        found = offered(line.words[1:], line.current)
        rows = [written(line, word) for word in found.words]
    else:
        *words, current = given or [""]
        if shell == "fish":
            current = current[1:] if current[:1] in ("'", '"') else current.replace("\\", "")
        found = offered(words, current)
        told = {word: " ".join(said.split()) for word, said in found.words.items()}
        rows = [
            f"{word}\t{said[:_LONGEST_MEANING]}" if said else word
            for word, said in told.items()
            if "\t" not in word
        ]
    print("\n".join([found.kind, *(row for row in rows if "\n" not in row)]))


def run_help(args: argparse.Namespace) -> int:
    """What `deltadeck --help` and `deltadeck COMMAND --help` print."""
    if args.about is not None and args.about not in COMMANDS:
        meant = nearest_commands(args.about) or "`deltadeck help` lists them all."
        raise UsageError(f"There is no command '{args.about}'. {meant}")
    (command_parser(args.about) if args.about else whole_parser()).print_help()
    return 0


# What can stand where the cursor is.


def offered(words: Sequence[str], current: str) -> Completions:
    """`words` are those behind `deltadeck` that are finished."""
    commands = {name: command.help for name, command in COMMANDS.items()}
    command, rest = command_first(words)
    if not words and current.startswith("-"):
        return _starting(current, {"--help": "what there is", "--version": "which version this is"})
    if not words and (found := _starting(current, commands)).words:
        return found
    if not command:
        return _starting(current, ()) if current.startswith("-") else FOLDERS
    parser = command_parser(command)
    line = sort_words(parser, rest)
    action, folder = _next_argument(parser, line), Path(line.folder or ".").expanduser()
    is_value = action is not None and bool(action.option_strings)
    if is_value or not current.startswith("-") or "--" in rest:
        return _value(command, action, folder, line.positionals, current)
    name, sign, value = current.partition("=")
    options = options_of(parser)
    if not sign:
        told = {
            name: action.help.replace("%(default)s", str(action.default))
            for name, action in options.items()
            if action.help and action.help != argparse.SUPPRESS and name.startswith("--")
        }
        return _starting(current, told)
    found = _value(command, options.get(name), folder, line.positionals, value)
    return Completions(found.kind, {f"{name}={word}": said for word, said in found.words.items()})


def _starting(current: str, words: Words) -> Completions:
    told = words if isinstance(words, Mapping) else dict.fromkeys(words, "")
    return Completions("words", {word: s for word, s in told.items() if word.startswith(current)})


def _next_argument(parser: argparse.ArgumentParser, line: SortedWords) -> argparse.Action | None:
    """Whose value the next word is; None where nothing more may stand there."""
    waiting = [action for action in parser._actions if not action.option_strings]
    number = len(line.positionals)
    while waiting and number and waiting[0].nargs not in ("*", "+"):
        del waiting[0]
        number -= 1
    return line.waiting or next(iter(waiting), None)


def _value(
    command: str, action: argparse.Action | None, folder: Path, before: list[str], current: str
) -> Completions:
    """What an argument of `command` takes; `before` are the positionals before it."""
    match command, action.dest if action else "":
        case _ if action and action.choices:
            return _starting(current, map(str, action.choices))
        case _, "file" | "files" | "paths" | "to" | "backup":
            return Completions("files")
        case _, "folder" | "place" | "into":
            return FOLDERS
        case "edit", "id" if "/" in current or current.startswith((".", "~")):
            return Completions("files")
        case _, "id":
            return _ids(folder, current, _ITEMS if command in _OF_ITEMS else _CARDS)
        case _, "query" | "search":
            return search_terms(folder, current)
        case "stats", "plot":  # names with commas between
            return _starting(current, _plots(current[: current.rfind(",") + 1]))
        case "config", "key" | "value":
            return _starting(current, _settings(before))
        case "completion", "shell" if before:
            return _starting(current, ())
        case _, what:
            return _starting(current, _listed(command, what, folder))


def _listed(command: str, what: str, folder: Path) -> Words:
    """All that the argument `what` of a command may be, where that is a list; else nothing."""
    match command, what:
        case _, "deck":  # the names from the course down, as `--deck` takes them
            paths = deck_paths(folder)
            found = {path[:end] for path in paths for end in range(1, len(path) + 1)}
            return [" › ".join(path) for path in sorted(found)]
        case _, "course":
            return courses(folder)
        case _, "keep" | "take":
            return _conflicts(folder)
        case _, "rating":
            return RATINGS
        case _, "shell":
            return SHELLS
        case _, "about":
            return {name: command.help for name, command in COMMANDS.items()}
        case "export", "format":
            from deck.exchange.export.formats import FORMATS

            return {each.name: each.title for each in FORMATS}
        case "import", "format":
            from deck.exchange.readers import READERS

            return [each.name for each in READERS]
        case "layers", "layer":
            from engine.registry import layers

            return layers()
    return ()


def _plots(head: str) -> Words:
    """The figures that may stand behind `head`, which names some of them."""
    from tui.plots.catalogue import ENTRIES

    left = (each for each in ENTRIES if each.name not in head.split(","))
    return {head + each.name: each.title for each in left}


def _settings(before: list[str]) -> Words:
    """Their names, or what the one that stands `before` may be."""
    from deck.settings import GROUPS, THEME

    settings = {each.key: each for group in GROUPS.values() for each in group}
    if before:
        return settings[before[0]].offered if before[0] in settings else ()
    return {key: settings[key].help for key in sorted(settings) if key != THEME}


# What a collection holds, read from its index without opening it, in milliseconds; nothing where
# there is no index to read.

_ITEMS = "thing t JOIN item i ON i.item = t.item WHERE t.id >= ? AND t.id < ?"
_CARDS = "card t WHERE t.clash IS NULL AND t.id >= ? AND t.id < ?"


def _ids(folder: Path, start: str, source: str) -> Completions:
    """Ids of items or cards that begin so; of very many, only how they go on."""
    between = (start, start + "\U0010ffff")
    sql = f"SELECT t.id FROM {source} ORDER BY t.id LIMIT {_MOST_IDS + 1}"
    found = texts(folder, sql, *between)
    if len(found) <= _MOST_IDS:
        return _starting(start, found)
    last = texts(folder, f"SELECT max(t.id) FROM {source}", *between)
    common = commonprefix([found[0], *last])  # noqa: RUF071
    if len(common) > len(start):
        return Completions("more", {common: ""})
    sql = f"SELECT DISTINCT substr(t.id, 1, {len(start) + 1}) FROM {source}"
    return Completions("more", dict.fromkeys(sorted(texts(folder, sql, *between)), ""))


def _conflicts(folder: Path) -> list[str]:
    """The files of which there are two versions, as `sync --keep` takes them: the name says which,
    or the path where it does not."""
    from deck.sync.conflicts import conflicts

    found = {conflict.path for conflict in conflicts(folder)}
    names = [path.name for path in found]
    return sorted(p.name if names.count(p.name) == 1 else str(p.relative_to(folder)) for p in found)


# Bash's line: its words, and how the one at its end is quoted.

_UNSAFE = re.compile(r"[^\w@%+=:,./›-]")


class BashLine(NamedTuple):
    words: tuple[str, ...]
    """Those that are finished, without their quotes."""
    current: str
    """The one at the end, without its quotes."""
    quote: str
    """The quote that is still open in it, or empty."""
    replaced: int
    """How many characters of `current` stand before what the shell will replace."""


def split(line: str, breaks: str) -> BashLine:
    """`line` up to the cursor; at the signs `breaks` (COMP_WORDBREAKS) readline begins anew."""
    words, current, quote = list[str](), "", ""
    begun, escaped, replaced = False, False, 0
    for sign in line:
        if escaped:
            current, escaped = current + sign, False
        elif sign == "\\" and quote != "'":
            escaped = begun = True
        elif quote:
            current, quote = (current, "") if sign == quote else (current + sign, quote)
        elif sign in "'\"":
            quote, begun, replaced = sign, True, len(current)
        elif sign in " \t\n":
            if begun:
                words.append(current)
            current, begun, replaced = "", False, 0
        else:
            current, begun = current + sign, True
            replaced = len(current) if sign in breaks else replaced
    return BashLine(tuple(words), current, quote, replaced)


def written(line: BashLine, candidate: str) -> str:
    """What bash puts in the place of the word: without what stays, escaped where nothing quotes."""
    rest = candidate[line.replaced :]
    return rest if line.quote else _UNSAFE.sub(lambda found: f"\\{found[0]}", rest)
