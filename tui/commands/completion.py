"""`deltadeck completion SHELL` and what the shells' scripts ask it; `deltadeck help`.

The scripts in `shells/` only ask and show (`deltadeck completion --for SHELL -- ...`), so that
what is offered never falls behind the parsers, and card ids come out of the index.

    offered(words, current) -> Completions   the words behind `deltadeck`, and the one that is typed
    split(line, breaks) -> BashLine          bash's line as words, quotes and all
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from os.path import commonprefix
from pathlib import Path
from typing import Any, Literal
from weakref import finalize

from tui.commands import UsageError
from tui.main import build_parser, command_first, command_parser, commands, did_you_mean

SHELLS = ("bash", "zsh", "fish")
#: The meaning behind a word of a list takes no more than a line.
_LONGEST_MEANING = 70
_MOST_IDS = 300

_EPILOG = """\
bash: `source <(deltadeck completion bash)` in ~/.bashrc
zsh:  `source <(deltadeck completion zsh)` in ~/.zshrc
fish: `deltadeck completion fish > ~/.config/fish/completions/deltadeck.fish`
"""

#: Words, each with its meaning or an empty text.
Words = Iterable[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Completions:
    kind: Literal["words", "more", "files", "folders"]
    """Words; words that go on (no blank behind them); or what the shell itself completes."""
    words: tuple[tuple[str, str], ...] = ()


NOTHING, FILES, FOLDERS = Completions("words"), Completions("files"), Completions("folders")
_FILE_ARGUMENTS = ("file", "files", "paths", "to", "backup")
_FOLDER_ARGUMENTS = ("folder", "place", "into")
#: Commands whose ID is an item; elsewhere it is a card.
_OF_ITEMS = ("suspend", "bury", "reset", "review", "export")


def configure_completion(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("shell", nargs="*", metavar="SHELL", help="bash, zsh or fish")
    # What the scripts ask: the words of a line, the one at the cursor last.
    parser.add_argument("--for", dest="asking", choices=SHELLS, help=argparse.SUPPRESS)


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
        rows = [written(line, word) for word, _ in found.words]
    else:
        *words, current = given or [""]
        if shell == "fish":
            current = current[1:] if current[:1] in ("'", '"') else current.replace("\\", "")
        found = offered(words, current)
        told = [(word, " ".join(said.split())) for word, said in found.words if "\t" not in word]
        rows = [f"{word}\t{said[:_LONGEST_MEANING]}" if said else word for word, said in told]
    print(found.kind)
    for row in rows:
        if "\n" not in row:
            print(row)


def configure_help(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "about", nargs="?", metavar="COMMAND", help="the command (default: list them all)"
    )


def run_help(args: argparse.Namespace) -> int:
    """What `deltadeck --help` and `deltadeck COMMAND --help` print."""
    if args.about is not None and args.about not in commands():
        meant = did_you_mean(args.about) or "`deltadeck help` lists them all."
        raise UsageError(f"There is no command '{args.about}'. {meant}")
    (command_parser(args.about) if args.about else build_parser(None)).print_help()
    return 0


# What can stand where the cursor is.


def offered(words: Sequence[str], current: str) -> Completions:
    """`words` are those behind `deltadeck` that are finished."""
    if not words:
        if current.startswith("-"):
            said = {"--help": "what there is", "--version": "which version this is"}
            return _starting(current, said.items())
        found = _starting(current, commands().items())
        return found if found.words else FOLDERS
    command, words = command_first(words, commands())
    if not command:
        return NOTHING if current.startswith("-") else FOLDERS
    parser = command_parser(command)
    action, folder, before = _place(parser, words)
    is_value = action is not None and bool(action.option_strings)
    if is_value or not current.startswith("-") or "--" in words:
        return _value(command, action, folder, before, current)
    name, sign, value = current.partition("=")
    if not sign:
        return _starting(current, _options(parser))
    named = next((each for each in parser._actions if name in each.option_strings), None)
    found = _value(command, named, folder, before, value)
    return Completions(found.kind, tuple((f"{name}={word}", said) for word, said in found.words))


def _starting(current: str, words: Words) -> Completions:
    return Completions("words", tuple(each for each in words if each[0].startswith(current)))


def _plain(words: Iterable[str]) -> Words:
    return ((word, "") for word in words)


def _options(parser: argparse.ArgumentParser) -> Words:
    for action in parser._actions:
        if action.help != argparse.SUPPRESS:
            help_text = (action.help or "").replace("%(default)s", str(action.default))
            yield from ((name, help_text) for name in action.option_strings if name[:2] == "--")


def _place(
    parser: argparse.ArgumentParser, words: Sequence[str]
) -> tuple[argparse.Action | None, Path, list[str]]:
    """Whose value the next word is (None: nothing more may stand there), the folder that the words
    name, and the positionals among them."""
    takes = {name: action for action in parser._actions for name in action.option_strings}
    positionals, folder, only_positionals = list[str](), ".", False
    option: argparse.Action | None = None
    for word in words:
        if option is not None:
            folder = word if option.dest == "folder" else folder
            option = None
        elif word == "--" and not only_positionals:
            only_positionals = True
        elif word.startswith("-") and word != "-" and not only_positionals:
            name, sign, value = word.partition("=")
            action = takes.get(name)
            if action is not None and action.nargs != 0 and not sign:
                option = action
            elif action is not None and sign and action.dest == "folder":
                folder = value
        else:
            positionals.append(word)
    return (
        option or _positional(parser, len(positionals)),
        Path(folder or ".").expanduser(),
        positionals,
    )


def _positional(parser: argparse.ArgumentParser, number: int) -> argparse.Action | None:
    for action in parser._actions:
        if action.option_strings:
            continue
        if number == 0 or action.nargs in ("*", "+"):
            return action
        number -= 1
    return None


def _value(
    command: str, action: argparse.Action | None, folder: Path, before: list[str], current: str
) -> Completions:
    """What an argument of `command` takes; `before` are the positionals before it."""
    if action is None:
        return NOTHING
    if action.choices:
        return _starting(current, _plain(map(str, action.choices)))
    if action.dest in _FILE_ARGUMENTS:
        return FILES
    if action.dest in _FOLDER_ARGUMENTS:
        return FOLDERS
    names = CollectionNames(folder)
    if action.dest == "id":
        return _ids(command, names, current)
    if action.dest in ("query", "search"):
        return _search(names, current)
    return _starting(current, _argument(command, action.dest, names, before, current))


def _ids(command: str, names: CollectionNames, current: str) -> Completions:
    if command == "edit" and ("/" in current or current.startswith((".", "~"))):
        return FILES
    found, whole = names.ids(current, items=command in _OF_ITEMS)
    return Completions("words" if whole else "more", tuple(_plain(found)))


def _argument(
    command: str, argument: str, names: CollectionNames, before: list[str], current: str
) -> Words:
    match command, argument:
        case _, "deck":
            return _plain(names.decks())
        case _, "course":
            return _plain(names.courses())
        case _, "keep" | "take":
            return _plain(names.conflicts())
        case _, "rating":
            return _plain(("again", "hard", "good", "easy"))
        case _, "about":
            return commands().items()
        case "config", "key" | "value":
            from deck.settings import GROUPS, THEME

            settings = [each for group in GROUPS for each in group.settings]
            if argument == "key":
                return sorted((each.key, each.help) for each in settings if each.key != THEME)
            return _plain(next((s.offered for s in settings if s.key == before[0]), ()))
        case "stats", "plot":
            return _figures(current)
        case "export", "format":
            from deck.exchange.export.formats import FORMATS

            return ((each.name, each.title) for each in FORMATS)
        case "import", "format":
            from deck.exchange.readers import READERS

            return _plain(each.name for each in READERS)
        case "layers", "layer":
            from engine.exercise import layers

            return _plain(layers())
        case "completion", "shell" if not before:
            return _plain(SHELLS)
    return ()


def _figures(current: str) -> Words:
    """Names with commas between."""
    from tui.plots.catalogue import ENTRIES

    head = current.rpartition(",")[0]
    for entry in ENTRIES:
        if entry.name not in head.split(","):
            yield (f"{head},{entry.name}" if head else entry.name), entry.title


# A search as it is typed.

#: The last term: what stands before it, its field, and the value so far, perhaps in quotes.
_FIELD = re.compile(r'(?P<head>(?:.*[\s(])?-?)(?P<field>\w+):(?P<value>"[^"]*|[^\s"()]*)\Z', re.S)
_WORD = re.compile(r"(?P<head>(?:.*[\s(])?-?)(?P<word>[@\w]*)\Z", re.S)


def _search(names: CollectionNames, current: str) -> Completions:
    """How the last term of the search `current` may go on; the words hold the whole search."""
    from deck.search.query import EVENTS, NUMBERS, TEXTS

    if found := _FIELD.match(current):
        head = f"{found['head']}{found['field']}:"
        return _terms(head, found["value"], _field_values(names, found["field"].lower()))
    found = _WORD.match(current)
    if found is None:
        return NOTHING
    head, word = found["head"], found["word"]
    if word.startswith("@"):
        return _terms(head, word, ((f"@{name}", "a saved search") for name in names.searches()))
    fields = {"is": "a state: is:due", **TEXTS, **EVENTS}
    terms = [(f"{name}:", said) for name, said in fields.items()]
    if len(word) > 1:  # `r` alone is no beginning of much
        terms += [(f"{name}>", said) for name, said in NUMBERS.items()]
    return Completions("more", _terms(head, word, terms).words)


def _field_values(names: CollectionNames, field: str) -> Words:
    from cards.model import STATUSES, TYPES
    from deck.search.query import ALIASES, STATES
    from deck.search.text import HAS

    match ALIASES.get(field, field):
        case "is":
            return STATES.items()
        case "tag":
            return _plain(names.tags())
        case "course":
            return _plain(names.courses())
        case "deck":
            return _plain(names.deck_names())
        case "type":
            return _plain(TYPES)
        case "status":
            return _plain(STATUSES)
        case "has":
            return _plain(HAS)
    return ()


def _terms(head: str, start: str, values: Words) -> Completions:
    """Values with blanks get the quotes of a search."""
    quoted, bare = start.startswith('"'), start.removeprefix('"').casefold()
    found = []
    for value, said in values:
        if value.casefold().startswith(bare) and '"' not in value:
            needs = quoted or re.search(r"[\s()]", value) is not None
            found.append((f'{head}"{value}"' if needs else f"{head}{value}", said))
    return Completions("words", tuple(found))


# What a collection holds.

_ITEMS = "thing t JOIN item i ON i.item = t.item WHERE t.id >= ? AND t.id < ?"
_CARDS = "card t WHERE t.clash IS NULL AND t.id >= ? AND t.id < ?"
#: From one tag to the next by the table's own order: as long as there are tags, not cards.
_TAGS = """
WITH RECURSIVE next (tag) AS (
    SELECT min(tag) FROM tag UNION ALL
    SELECT (SELECT min(tag) FROM tag WHERE tag > next.tag) FROM next WHERE next.tag IS NOT NULL
) SELECT tag FROM next WHERE tag IS NOT NULL
"""


class CollectionNames:
    """The names in a folder's index, read without opening the collection, in milliseconds; all is
    empty where there is no index to read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def ids(self, start: str, items: bool) -> tuple[list[str], bool]:
        """Ids of items or cards that begin so; of very many, only how they go on, and False."""
        source, between = (_ITEMS if items else _CARDS), (start, start + "\U0010ffff")
        sql = f"SELECT t.id FROM {source} ORDER BY t.id LIMIT {_MOST_IDS + 1}"
        found = [row[0] for row in self._rows(sql, *between) if isinstance(row[0], str)]
        if len(found) <= _MOST_IDS:
            return found, True
        ((last,),) = self._rows(f"SELECT max(t.id) FROM {source}", *between)
        common = commonprefix([found[0], str(last)])  # noqa: RUF071
        if len(common) > len(start):
            return [common], False
        sql = f"SELECT DISTINCT substr(t.id, 1, {len(start) + 1}) FROM {source}"
        return sorted(str(row[0]) for row in self._rows(sql, *between)), False

    def tags(self) -> list[str]:
        return [row[0] for row in self._rows(_TAGS) if isinstance(row[0], str)]

    def courses(self) -> list[str]:
        return sorted({path[0] for path in self._decks() if path})

    def decks(self) -> list[str]:
        """As `--deck` takes them: the names from the course down, with " › " between."""
        found = {path[:end] for path in self._decks() for end in range(1, len(path) + 1)}
        return [" › ".join(path) for path in sorted(found)]

    def deck_names(self) -> list[str]:
        """Every deck's own name, as `deck:` finds it."""
        return sorted({name for path in self._decks() for name in path})

    def conflicts(self) -> list[str]:
        """The files of which there are two versions, as `sync --keep` takes them: the name says
        which, or the path where it does not."""
        from deck.sync.conflicts import conflicts

        found = {conflict.path for conflict in conflicts(self._folder)}
        names = [path.name for path in found]
        return sorted(
            p.name if names.count(p.name) == 1 else str(p.relative_to(self._folder)) for p in found
        )

    def searches(self) -> list[str]:
        import tomllib

        try:
            with (self._folder / ".deltadeck" / "config.toml").open("rb") as file:
                found = tomllib.load(file).get("searches", {})
        except (OSError, ValueError):
            return []
        return sorted(found) if isinstance(found, dict) else []

    def _decks(self) -> Iterator[tuple[str, ...]]:
        sql = "SELECT path FROM deck d WHERE EXISTS (SELECT 1 FROM item i WHERE i.deck = d.deck)"
        return (tuple(json.loads(text)) for (text,) in self._rows(sql))

    def _rows(self, sql: str, *given: str) -> list[Any]:
        if self._db is None:
            return []
        try:
            return self._db.execute(sql, given).fetchall()
        except (sqlite3.Error, UnicodeError):
            return []

    @cached_property
    def _db(self) -> sqlite3.Connection | None:
        """For reading only.  A file that no program has open is not even given a log."""
        from deck.index.store import APPLICATION, VERSION, index_path

        path = index_path(self._folder)
        idle = not path.with_name(f"{path.name}-wal").exists()
        name = f"{path.resolve().as_uri()}?mode=ro{'&immutable=1' if idle else ''}"
        with contextlib.suppress(sqlite3.Error):
            db = sqlite3.connect(name, uri=True, timeout=1)
            finalize(self, db.close)
            marks = ("application_id", "user_version")
            found = [db.execute(f"PRAGMA {mark}").fetchone()[0] for mark in marks]
            return db if found == [APPLICATION, VERSION] else None
        return None


# Bash's line: its words, and how the one at its end is quoted.

_UNSAFE = re.compile(r"[^\w@%+=:,./›-]")


@dataclass(frozen=True, slots=True)
class BashLine:
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
