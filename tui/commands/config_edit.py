"""Settings in $EDITOR, and what a whole file of them must be to be saved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tui.commands.common import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from deck.settings import Value


def edit(path: Path) -> None:
    """Opens the file in $EDITOR, and saves it once it reads; else the draft is named.

    Raises UsageError where nothing was saved.
    """
    from deck.config import TEMPLATE
    from tui.commands.editing import edit_draft, save_text, take_terminal

    take_terminal("`deltadeck config KEY VALUE` sets a single one.")
    seen = _text(path)
    draft = edit_draft(TEMPLATE if seen is None else seen, path.name)

    def save(text: str) -> None:
        _refuse_odd(path, text, seen or "")
        _save(path, text, seen)
        print(f"Saved {path}." if text != (seen or "") else "Nothing changed.")

    save_text(draft, save)


def _text(path: Path) -> str | None:
    """None where there is no file.  One that is no text is edited as far as it is."""
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}).") from error


def _save(path: Path, text: str, seen: str | None) -> None:
    from deck.files import make_private
    from deck.settings import put_settings

    if _text(path) != seen:
        raise UsageError("The file changed while it was edited: nothing was written over it.")
    try:
        make_private(path.parent)
        put_settings(path, text)
    except OSError as error:
        raise UsageError(f"{path} cannot be written ({error.strerror}).") from error


def refuse(path: Path, key: str, name: str, value: Value, table: tuple[str, ...]) -> None:
    """Raises UsageError or CollectionError where the file with this value would be worse."""
    from deck.settings import set_value

    before = _text(path) or ""
    try:
        after = set_value(before.removeprefix("\ufeff"), name, value, table)
    except ValueError as error:
        raise UsageError(f"{path} cannot be changed: {error}.") from error
    _refuse_odd(path, after, before, key)


def _refuse_odd(path: Path, text: str, before: str, key: str = "") -> None:
    """Raises where settings do not read, or hold something odd that was not there before."""
    import tomllib

    from deck.config import parse_config

    config, problems = parse_config(text.removeprefix("\ufeff"), path)
    known = _odd_before(path, before)
    news = [problem for problem in problems if problem.message not in known]
    if news:
        raise UsageError(f"{news[0].message} {news[0].hint}")
    table = tomllib.loads(text.removeprefix("\ufeff"))
    if key.startswith("searches."):
        from deck.searching import read_search
        from tui.commands.finding import readable

        with readable():
            read_search(config.searches[key.removeprefix("searches.")], config.searches)
    if key.startswith("keys."):
        _refuse_keys(table)


def _odd_before(path: Path, before: str) -> set[str]:
    from deck.config import parse_config
    from deck.errors import CollectionError

    try:
        return {problem.message for problem in parse_config(before, path)[1]}
    except CollectionError:
        return set()


def _refuse_keys(table: Mapping[str, Any]) -> None:
    """The app is loaded to know its keys: only who changes one waits for it."""
    from tui.keymap import known_keys, read_keys

    if problems := read_keys(table.get("keys", {}), known_keys()).problems:
        raise UsageError(problems[0])
