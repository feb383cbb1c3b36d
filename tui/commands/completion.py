"""`deltadeck completion SHELL`: what a shell offers while a command is typed; and `help`."""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os.path import commonprefix
from pathlib import Path
from typing import Any, Literal
from weakref import finalize

from tui.commands.common import UsageError
from tui.main import build_parser, command_first, command_parser, commands, near

# == `deltadeck completion SHELL`: the script with which a shell completes commands.


SHELLS = ("bash", "zsh", "fish")
#: Behind a word in a list, its meaning takes no more than a line.
_LONGEST = 70

_EPILOG = """\
bash: `source <(deltadeck completion bash)` in ~/.bashrc
zsh:  `source <(deltadeck completion zsh)` in ~/.zshrc
fish: `deltadeck completion fish > ~/.config/fish/completions/deltadeck.fish`
"""


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
    """A line for the kind of what is offered, and a line for each."""

    if shell == "bash":
        _answer_bash(given)
        return
    *words, current = given or [""]
    if shell == "fish":
        current = current[1:] if current[:1] in ("'", '"') else current.replace("\\", "")
    found = offered(words, current)
    print(found.kind)
    for word, said in found.words:
        meaning = " ".join(said.split())[:_LONGEST]
        if "\n" not in word and "\t" not in word:
            print(f"{word}\t{meaning}" if meaning else word)


def _answer_bash(given: list[str]) -> None:

    text, breaks = (*given, "", "")[:2]
    line = split(text, breaks)
    found = offered(line.words[1:], line.current)
    print(found.kind)
    for word, _ in found.words:
        if "\n" not in word:
            print(written(line, word))


def configure_help(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "about", nargs="?", metavar="COMMAND", help="the command (default: list them all)"
    )


def run_help(args: argparse.Namespace) -> int:
    """What `deltadeck --help` and `deltadeck COMMAND --help` print."""
    if args.about is not None and args.about not in commands():
        meant = near(args.about) or "`deltadeck help` lists them all."
        raise UsageError(f"There is no command '{args.about}'. {meant}")
    (command_parser(args.about) if args.about else build_parser(None)).print_help()
    return 0


# == What a deck holds, as its index has it: read without opening the collection, in milliseconds.


#: So many ids are offered; of more, how they go on.
_MOST = 300
_LAST = "\U0010ffff"
_ITEMS = "thing t JOIN item i ON i.item = t.item WHERE t.id >= ? AND t.id < ?"
_CARDS = "card t WHERE t.clash IS NULL AND t.id >= ? AND t.id < ?"
#: From one tag to the next by the table's own order: as long as there are tags, not cards.
_TAGS = """
WITH RECURSIVE next (tag) AS (
    SELECT min(tag) FROM tag UNION ALL
    SELECT (SELECT min(tag) FROM tag WHERE tag > next.tag) FROM next WHERE next.tag IS NOT NULL
) SELECT tag FROM next WHERE tag IS NOT NULL
"""


class Known:
    """Of the collection in `folder`; everything is empty where there is none to read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def ids(self, start: str, items: bool) -> tuple[list[str], bool]:
        """Ids of items or cards that begin so; of very many, only how they go on, and False."""
        source, between = (_ITEMS if items else _CARDS), (start, start + _LAST)
        rows = self._rows(f"SELECT t.id FROM {source} ORDER BY t.id LIMIT {_MOST + 1}", *between)
        found = [row[0] for row in rows if isinstance(row[0], str)]
        if len(found) <= _MOST:
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
        return sorted({names[0] for names in self._paths() if names})

    def decks(self) -> list[str]:
        """As `--deck` takes them: the names from the course down, with " › " between."""
        found = {names[:end] for names in self._paths() for end in range(1, len(names) + 1)}
        return [" › ".join(names) for names in sorted(found)]

    def deck_names(self) -> list[str]:
        """Every deck's own name, as `deck:` finds it."""
        return sorted({name for names in self._paths() for name in names})

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

    def _paths(self) -> Iterator[tuple[str, ...]]:
        sql = "SELECT path FROM deck d WHERE EXISTS (SELECT 1 FROM item i WHERE i.deck = d.deck)"
        for (text,) in self._rows(sql):
            yield tuple(json.loads(text))

    def _rows(self, sql: str, *given: str) -> list[Any]:
        if self._db is None:
            return []
        try:
            return self._db.execute(sql, given).fetchall()
        except (sqlite3.Error, UnicodeError):
            return []

    @cached_property
    def _db(self) -> sqlite3.Connection | None:
        from deck.index.store import index_path

        with contextlib.suppress(sqlite3.Error):
            found = _opened(index_path(self._folder))
            if found is not None:
                finalize(self, found.close)
            return found
        return None


def _opened(path: Path) -> sqlite3.Connection | None:
    """For reading only.  A file that no program has open is not even given a log."""
    from deck.index.store import APPLICATION, VERSION

    idle = not path.with_name(f"{path.name}-wal").exists()
    name = f"{path.resolve().as_uri()}?mode=ro{'&immutable=1' if idle else ''}"
    db = sqlite3.connect(name, uri=True, timeout=1)
    marks = [
        db.execute(f"PRAGMA {mark}").fetchone()[0] for mark in ("application_id", "user_version")
    ]
    if marks == [APPLICATION, VERSION]:
        return db
    db.close()
    return None


# == A line of bash as it is typed: its words, and how the one at its end is quoted.


_UNSAFE = re.compile(r"[^\w@%+=:,./›-]")


@dataclass(frozen=True, slots=True)
class Line:
    words: tuple[str, ...]
    """Those that are finished, without their quotes."""
    current: str
    """The one at the end, without its quotes."""
    quote: str
    """The quote that is still open in it, or empty."""
    replaced: int
    """So many signs of `current` stand before what the shell will replace."""


def split(line: str, breaks: str) -> Line:
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
    return Line(tuple(words), current, quote, replaced)


def written(line: Line, candidate: str) -> str:
    """What bash puts in the place of the word: without what stays, escaped where nothing quotes."""
    rest = candidate[line.replaced :]
    return rest if line.quote else _UNSAFE.sub(lambda found: f"\\{found[0]}", rest)


# == Names that the program itself gives: settings, figures, formats, layers.


def named(
    command: str, argument: str, current: str, key: str, words: Sequence[str]
) -> Iterable[tuple[str, str]]:
    """What `argument` of a command takes; `key` is the setting that `config` is about."""
    match command, argument:
        case "config", "key":
            return _settings()
        case "config", "value":
            return ((value, "") for value in _taken(key))
        case "stats", "plot":
            return _figures(current)
        case "export", "format":
            from deck.exchange.export.formats import FORMATS

            return ((each.name, each.title) for each in FORMATS)
        case "import", "format":
            from deck.exchange.readers import READERS

            return ((each.name, "") for each in READERS)
        case "layers", "layer":
            from engine.exercise import layers

            return ((name, "") for name in layers())
        case "completion", "shell" if not words:
            return ((shell, "") for shell in ("bash", "zsh", "fish"))
    return ()


def _settings() -> Iterable[tuple[str, str]]:
    from deck.settings import GROUPS, THEME

    known = {each.key: each.help for group in GROUPS for each in group.settings}
    return ((name, said) for name, said in sorted(known.items()) if name != THEME)


def _taken(key: str) -> Sequence[str]:
    from deck.settings import GROUPS

    found = (each for group in GROUPS for each in group.settings if each.key == key)
    setting = next(found, None)
    return setting.offered if setting else ()


def _figures(current: str) -> Iterable[tuple[str, str]]:
    """Names with commas between."""
    from tui.plots.catalogue import ENTRIES

    head = current.rpartition(",")[0]
    given = head.split(",")
    for entry in ENTRIES:
        if entry.name not in given:
            yield (f"{head},{entry.name}" if head else entry.name), entry.title


# == What can stand where the cursor is: commands, options, their values, and what a deck holds.


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
_TAKE_ITEMS = ("suspend", "bury", "reset", "review", "export")


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
            return _starting(current, commands().items())
        case name if name in _FILES:
            return FILES
        case name if name in _FOLDERS:
            return FOLDERS

    words = named(command, action.dest, current, place.key, place.words)
    return _starting(current, words)


def _ids(command: str, known: Known, current: str) -> Offer:
    if command == "edit" and ("/" in current or current.startswith((".", "~"))):
        return FILES
    found, whole = known.ids(current, items=command in _TAKE_ITEMS)
    return Offer("words" if whole else "more", tuple((each, "") for each in found))


# == A search as it is typed: the names of its fields, and what each may hold here.


#: The last term: what stands before it, its field, and the value so far, perhaps in quotes.
_FIELD = re.compile(r'(?P<head>(?:.*[\s(])?-?)(?P<field>\w+):(?P<value>"[^"]*|[^\s"()]*)\Z', re.S)
_WORD = re.compile(r"(?P<head>(?:.*[\s(])?-?)(?P<word>[@\w]*)\Z", re.S)


def term(known: Known, current: str) -> Offer:
    """How the last term of the search `current` may go on; the words hold the whole search."""
    from deck.search.query import EVENTS, NUMBERS, TEXTS

    if found := _FIELD.match(current):
        field, value = found["field"].lower(), found["value"]
        head = f"{found['head']}{found['field']}:"
        return _among(head, value, _values(known, field))
    found = _WORD.match(current)
    if found is None:
        return NOTHING
    if found["word"].startswith("@"):
        saved = ((f"@{name}", "a saved search") for name in known.searches())
        return _among(found["head"], found["word"], saved)
    fields = {"is": "a state: is:due", **TEXTS, **EVENTS}
    names = [(f"{name}:", said) for name, said in fields.items()]
    if len(found["word"]) > 1:  # `r` alone is no beginning of much
        names += [(f"{name}>", said) for name, said in NUMBERS.items()]
    words = _among(found["head"], found["word"], names).words
    return Offer("more", words)


def _values(known: Known, field: str) -> Iterable[tuple[str, str]]:
    from cards.model import STATUSES, TYPES
    from deck.search.query import ALIASES, STATES
    from deck.search.text import HAS

    match ALIASES.get(field, field):
        case "is":
            return STATES.items()
        case "tag":
            return ((tag, "") for tag in known.tags())
        case "course":
            return ((course, "") for course in known.courses())
        case "deck":
            return ((name, "") for name in known.deck_names())
        case "type":
            return ((name, "") for name in TYPES)
        case "status":
            return ((name, "") for name in STATUSES)
        case "has":
            return ((name, "") for name in HAS)
    return ()


def _among(head: str, start: str, values: Iterable[tuple[str, str]]) -> Offer:
    """Values with blanks get the quotes of a search."""
    quoted, bare = start.startswith('"'), start.removeprefix('"').casefold()
    found = []
    for value, said in values:
        if value.casefold().startswith(bare) and '"' not in value:
            needs = quoted or re.search(r"[\s()]", value) is not None
            found.append((f'{head}"{value}"' if needs else f"{head}{value}", said))
    return Offer("words", tuple(found))
