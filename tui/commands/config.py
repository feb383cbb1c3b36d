"""`deltadeck config [KEY [VALUE]]`: show the settings, get, set or unset one, or edit the file."""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from deck.config import TEMPLATE, settings_text, usable_config
from deck.errors import CollectionError
from deck.files import CONFIG, DATA_DIR, make_private
from deck.settings import (
    TABLES,
    SettingError,
    SettingValue,
    keys_of,
    place_of,
    put_settings,
    read_value,
    set_value,
    standing,
    toml_text,
    write_setting,
)
from tui.commands import UsageError
from tui.commands.common import (
    cards_folder,
    did_you_mean,
    print_error,
    print_problems,
    tell,
)
from tui.text import now, shortened, visible_line

if TYPE_CHECKING:
    from cards.model import Problem
    from deck.config import Config


def run_config(args: argparse.Namespace) -> int:
    path = cards_folder(args.folder) / DATA_DIR / CONFIG
    if args.edit and (args.key or args.json or args.course):
        raise UsageError("--edit opens the whole file: it takes no key, no --course and no --json.")
    if args.unset and args.key is None:
        raise UsageError("Name what to unset: `deltadeck config KEY --unset`.")
    if args.unset and args.value is not None:
        raise UsageError("A value and --unset exclude each other.")
    if args.edit:
        _edit(path)
        return _tell_wrong(_read(path).wrong)
    is_change = args.value is not None or args.unset
    config, written, wrong = _read(path)
    if wrong and not is_change:
        raise CollectionError(wrong[0])
    course = _course(args, config)
    if args.key is not None:
        _refuse_unknown(args.key, course)
    if is_change:
        _set(path, args, course, written)
        config, written, wrong = _read(path)
    found = standing(config, written, course)
    if args.key is None:
        tell(args, [_as_dict(each, course) for each in found], *_rows(found, course))
        return 0
    one = next((each for each in found if each.key == args.key), None)
    _print_one(args, one, course)
    if args.key == "exam" and args.value is not None and one:
        day = str(one.value)  # one that is over is taken: the statistics may be asked about it
        if day < now().date().isoformat():
            print_error(f"deltadeck: {day} is over: nothing is planned for this exam.")
    return _tell_wrong(wrong)


class _Read(NamedTuple):
    """What a file of settings says."""

    config: Config
    written: dict[str, Any]
    wrong: list[Problem]
    """Values that no setting takes: until they are mended, nothing else can be done."""


def _read(path: Path) -> _Read:
    """Raises CollectionError where the file cannot be read, or is not TOML."""
    text = settings_text(path)
    config, problems = usable_config(text, path)
    wrong = [problem for problem in problems if problem.severity == "error"]
    return _Read(config, tomllib.loads(text), wrong)


def _tell_wrong(wrong: list[Problem]) -> int:
    """The exit code after a change: 1 where something else is still wrong."""
    print_problems(wrong)
    return 1 if wrong else 0


def _course(args: argparse.Namespace, config: Config) -> str:
    if args.course is None or args.course in config.courses:
        return args.course or ""
    from tui.commands.lookup import find_course, open_collection  # settings need no cards

    collection, moment = open_collection(args.folder)
    return find_course(collection, args.course, moment)


def _refuse_unknown(key: str, course: str) -> None:
    """Raises UsageError with near names for a key that there is not."""
    known = keys_of(course)
    if key in known:
        return
    if not course and any(key.startswith(f"{name}.") and key != f"{name}." for name in TABLES):
        return
    if not course and key in keys_of("-"):
        raise UsageError(f"{key} is a course's: name it with --course COURSE.")
    if course and key in keys_of(""):
        raise UsageError(f"{key} is the collection's: leave out --course.")
    hint = did_you_mean(key, known) or f"Known: {', '.join(known)}."
    raise UsageError(f"There is no setting '{key}'. {hint}")


def _set(path: Path, args: argparse.Namespace, course: str, written: dict[str, Any]) -> None:
    """Raises UsageError for what the setting does not take; the file is as it was."""
    name, table = place_of(args.key, written, course)
    if args.unset:
        write_setting(path, name, None, table)
        return
    try:
        value = read_value(args.key, args.value)
    except SettingError as error:
        raise UsageError(f"{args.key} cannot be '{args.value}': {error}") from error
    before = _text(path) or ""
    try:
        after = set_value(before.removeprefix("\ufeff"), name, value, table)
    except ValueError as error:
        raise UsageError(f"{path} cannot be changed: {error}.") from error
    _refuse_worse(path, after, before, args.key)
    write_setting(path, name, value, table)


def _rows(found: list[SettingValue], course: str) -> list[str]:
    width = max(len(each.key) for each in found)
    return [
        f"{visible_line(each.key):{width}}  "
        f"{shortened(visible_line(toml_text(each.value)), 40):40}  {_source(each, course)}"
        for each in found
    ]


def _print_one(args: argparse.Namespace, found: SettingValue | None, course: str) -> None:
    """The one setting; of a name that was never given, or is given no more, nothing."""
    one = found or SettingValue(args.key, None, "default")
    said = toml_text(one.value)
    if args.value is not None or args.unset:
        said = f"{visible_line(args.key)} = {visible_line(said)} ({_source(one, course)})"
    elif found is None and not args.json:
        raise UsageError(f"There is no {args.key}: `deltadeck config` lists the settings.")
    tell(args, _as_dict(one, course), said)


def _source(each: SettingValue, course: str) -> str:
    return course if each.source == "course" else each.source


def _as_dict(each: SettingValue, course: str) -> dict[str, Any]:
    """The keys are stable."""
    return {"key": each.key, "value": each.value, "source": each.source, "course": course or None}


# The whole file.


def _edit(path: Path) -> None:
    """Opens the file in $EDITOR, and saves it once it reads; else the draft is named.

    Raises UsageError where nothing was saved.
    """
    from tui.commands.cards import save_draft, take_terminal
    from tui.drafts import edit_draft

    take_terminal("`deltadeck config KEY VALUE` sets a single one.")
    seen = _text(path)

    def save(text: str) -> None:
        _refuse_worse(path, text, seen or "")
        if _text(path) != seen:
            raise UsageError("The file changed while it was edited: nothing was written over it.")
        try:
            make_private(path.parent)
            put_settings(path, text)
        except OSError as error:
            raise UsageError(f"{path} cannot be written ({error.strerror}).") from error
        print(f"Saved {path}." if text != (seen or "") else "Nothing changed.")

    save_draft(edit_draft(TEMPLATE if seen is None else seen, path.name), save)


def _text(path: Path) -> str | None:
    """None where there is no file.  One that is no text is edited as far as it is."""
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}).") from error


def _refuse_worse(path: Path, text: str, before: str, key: str = "") -> None:
    """Raises where settings are not TOML, or hold something wrong that was not there before."""
    config, problems = usable_config(text.removeprefix("\ufeff"), path)
    try:
        known = {problem.message for problem in usable_config(before.removeprefix("\ufeff"))[1]}
    except CollectionError:
        known = set()
    news = [problem for problem in problems if problem.message not in known]
    if news:
        raise CollectionError(news[0])
    if key.startswith("searches."):
        from deck.search.match import read_search

        read_search(config.searches[key.removeprefix("searches.")], config.searches)
    if key.startswith("keys."):
        # The app is loaded to know its keys: only who changes one waits for it.
        from tui.keymap import known_keys, read_keys

        keys = tomllib.loads(text.removeprefix("\ufeff")).get("keys", {})
        if problems_of_keys := read_keys(keys, known_keys()).problems:
            raise UsageError(problems_of_keys[0])
