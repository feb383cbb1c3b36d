"""`deltadeck completion SHELL` and what the shells' scripts ask it; `deltadeck help`.

The scripts in `shells/` only ask and show (`deltadeck completion --for SHELL -- ...`), so that
what is offered never falls behind the parsers, and card ids come out of the index.  A tab waits for
this file: it imports what a word may be only where that word is asked for.
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from os.path import commonprefix
from pathlib import Path
from typing import Literal, NamedTuple

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

#: The meaning behind a word of a list takes no more than a line.
_LONGEST_MEANING = 70
_MOST_IDS = 300

Words = Mapping[str, str] | Iterable[str]
"""Words, with their meanings where they have any."""


class Completions(NamedTuple):
    kind: Literal["words", "more", "files", "folders"]
    """Words; words that go on (no blank behind them); or what the shell itself completes."""
    words: Mapping[str, str] = {}


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
            paths = _deck_paths(folder)
            found = {path[:end] for path in paths for end in range(1, len(path) + 1)}
            return [" › ".join(path) for path in sorted(found)]
        case _, "course":
            return _courses(folder)
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


# A search as it is typed.

#: The last term: what stands before it, its field, and the value so far, perhaps in quotes.
_FIELD = re.compile(r'(?P<head>(?:.*[\s(])?-?)(?P<field>\w+):(?P<value>"[^"]*|[^\s"()]*)\Z', re.S)
_WORD = re.compile(r"(?P<head>(?:.*[\s(])?-?)(?P<word>[@\w]*)\Z", re.S)


def search_terms(folder: Path, current: str) -> Completions:
    """How the last term of the search `current` may go on; the words hold the whole search."""
    from deck.search.query import EVENTS, NUMBERS, TEXTS

    if found := _FIELD.match(current):
        head = f"{found['head']}{found['field']}:"
        return _terms("words", head, found["value"], _field_values(folder, found["field"].lower()))
    found = _WORD.match(current)
    if found is None:
        return _starting(current, ())
    head, word = found["head"], found["word"]
    if word.startswith("@"):
        saved = {f"@{name}": "a saved search" for name in _searches(folder)}
        return _terms("words", head, word, saved)
    fields = {"is": "a state: is:due", **TEXTS, **EVENTS}
    terms = {f"{name}:": said for name, said in fields.items()}
    if len(word) > 1:  # `r` alone is no beginning of much
        terms |= {f"{name}>": said for name, said in NUMBERS.items()}
    return _terms("more", head, word, terms)


def _field_values(folder: Path, field: str) -> Words:
    from cards.model import STATUSES, TYPES
    from deck.index.words import HAS
    from deck.search.query import ALIASES, STATES

    match ALIASES.get(field, field):
        case "is":
            return STATES
        case "tag":
            return _texts(folder, _TAGS)
        case "course":
            return _courses(folder)
        case "deck":
            return sorted({name for path in _deck_paths(folder) for name in path})
        case "type":
            return TYPES
        case "status":
            return STATUSES
        case "has":
            return HAS
    return ()


def _terms(kind: Literal["words", "more"], head: str, start: str, values: Words) -> Completions:
    """Values with blanks get the quotes of a search."""
    told = values if isinstance(values, Mapping) else dict.fromkeys(values, "")
    quoted, bare = start.startswith('"'), start.removeprefix('"').casefold()
    found = {}
    for value, said in told.items():
        if value.casefold().startswith(bare) and '"' not in value:
            needs = quoted or re.search(r"[\s()]", value) is not None
            found[f'{head}"{value}"' if needs else f"{head}{value}"] = said
    return Completions(kind, found)


# What a collection holds, read from its index without opening it, in milliseconds; nothing where
# there is no index to read.

_ITEMS = "thing t JOIN item i ON i.item = t.item WHERE t.id >= ? AND t.id < ?"
_CARDS = "card t WHERE t.clash IS NULL AND t.id >= ? AND t.id < ?"
_DECKS = "SELECT path FROM deck d WHERE EXISTS (SELECT 1 FROM item i WHERE i.deck = d.deck)"
#: From one tag to the next by the table's own order: as long as there are tags, not cards.
_TAGS = """
WITH RECURSIVE next (tag) AS (
    SELECT min(tag) FROM tag UNION ALL
    SELECT (SELECT min(tag) FROM tag WHERE tag > next.tag) FROM next WHERE next.tag IS NOT NULL
) SELECT tag FROM next WHERE tag IS NOT NULL
"""


def _ids(folder: Path, start: str, source: str) -> Completions:
    """Ids of items or cards that begin so; of very many, only how they go on."""
    between = (start, start + "\U0010ffff")
    sql = f"SELECT t.id FROM {source} ORDER BY t.id LIMIT {_MOST_IDS + 1}"
    found = _texts(folder, sql, *between)
    if len(found) <= _MOST_IDS:
        return _starting(start, found)
    last = _texts(folder, f"SELECT max(t.id) FROM {source}", *between)
    common = commonprefix([found[0], *last])  # noqa: RUF071
    if len(common) > len(start):
        return Completions("more", {common: ""})
    sql = f"SELECT DISTINCT substr(t.id, 1, {len(start) + 1}) FROM {source}"
    return Completions("more", dict.fromkeys(sorted(_texts(folder, sql, *between)), ""))


def _courses(folder: Path) -> list[str]:
    return sorted({path[0] for path in _deck_paths(folder) if path})


def _deck_paths(folder: Path) -> list[tuple[str, ...]]:
    return [tuple(json.loads(text)) for text in _texts(folder, _DECKS)]


def _conflicts(folder: Path) -> list[str]:
    """The files of which there are two versions, as `sync --keep` takes them: the name says which,
    or the path where it does not."""
    from deck.sync.conflicts import conflicts

    found = {conflict.path for conflict in conflicts(folder)}
    names = [path.name for path in found]
    return sorted(p.name if names.count(p.name) == 1 else str(p.relative_to(folder)) for p in found)


def _searches(folder: Path) -> list[str]:
    import tomllib

    try:
        with (folder / ".deltadeck" / "config.toml").open("rb") as file:
            found = tomllib.load(file).get("searches", {})
    except (OSError, ValueError):
        return []
    return sorted(found) if isinstance(found, dict) else []


def _texts(folder: Path, sql: str, *given: str) -> list[str]:
    """The first column of a query, for reading only.  A file that no program has open is not even
    given a log."""
    from deck.index.store import APPLICATION, VERSION, index_path

    path = index_path(folder)
    idle = not path.with_name(f"{path.name}-wal").exists()
    name = f"{path.resolve().as_uri()}?mode=ro{'&immutable=1' if idle else ''}"
    marks = ("application_id", "user_version")
    with (
        suppress(sqlite3.Error, UnicodeError),
        closing(sqlite3.connect(name, uri=True, timeout=1)) as db,
    ):
        if [db.execute(f"PRAGMA {mark}").fetchone()[0] for mark in marks] == [APPLICATION, VERSION]:
            return [row[0] for row in db.execute(sql, given) if isinstance(row[0], str)]
    return []


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
