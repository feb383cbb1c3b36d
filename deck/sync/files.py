"""The files of a collection: which of them travel, and how two versions of one become one.

Paths are below the collection's root.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import PurePosixPath
from textwrap import shorten
from typing import Any, NamedTuple

from cards.edit import with_field, with_field_lines
from cards.frontmatter import read_header
from cards.model import Card, CardError, Diagnostics
from cards.parse import parse_card
from deck.files import CONFIG, DATA_DIR
from deck.replay import SUSPENDED

#: What a card shows or plays, or a learner keeps beside it.
_MEDIA = frozenset(
    (
        *(".png", ".jpg", ".jpeg", ".jpe", ".gif", ".svg", ".webp", ".avif", ".bmp", ".tif"),
        *(".tiff", ".ico", ".heic", ".mp3", ".ogg", ".oga", ".opus", ".wav", ".flac", ".m4a"),
        *(".aac", ".mp4", ".m4v", ".webm", ".ogv", ".mov", ".mkv", ".avi", ".pdf", ".djvu"),
        *(".csv", ".tsv", ".tex", ".bib", ".txt", ".css", ".woff", ".woff2"),
    )
)
SETTINGS = f"{DATA_DIR}/{CONFIG}"
CONFLICTS = f"{DATA_DIR}/conflicts"
#: Below `.deltadeck/`, what is of one computer, or set aside.
IGNORED = (
    *("lock", "drafts/", "trash/", "replaced-*/", ".restoring-*/"),
    *("*.aside", "*.torn", "config.toml.[0-9]*", ".*.jsonl.*"),
)


def is_journal(path: str) -> bool:
    return path.startswith(f"{DATA_DIR}/journal/") and path.endswith(".jsonl")


def is_card(path: str) -> bool:
    return path.lower().endswith(".md") and not path.startswith(f"{DATA_DIR}/")


def is_record(path: str) -> bool:
    """Whether it is a version of a card that is still to be chosen from."""
    return path.startswith(f"{CONFLICTS}/")


def is_list(path: str) -> bool:
    """Whether both sides' lines hold where they changed the same ones."""
    return path.removeprefix(f"{DATA_DIR}/") in (".gitignore", ".gitattributes")


def belongs(path: str) -> bool:
    """Whether a file that git does not know yet is added by a sync."""
    parts = PurePosixPath(path).parts
    if is_list(path):
        return True
    if parts[0] != DATA_DIR:
        hidden = any(part.startswith(".") for part in parts)
        return not hidden and PurePosixPath(path).suffix.lower() in {".md", *_MEDIA}
    first, name = parts[1], parts[-1]
    if first == "conflicts":
        return not name.endswith(".deltadeck-tmp")
    hidden = any(part.startswith(".") for part in parts[1:]) or name.endswith((".aside", ".torn"))
    local = first in ("lock", "drafts") or first.startswith("replaced-")
    return not (hidden or local or (name.startswith("config.toml.") and name != CONFIG))


# Cards: merged as text, but for `status:`, which follows the history.

TextMerge = Callable[[bytes, bytes, bytes], bytes | None]
"""Base, ours, theirs to one text; None where both changed the same lines."""
Scheduled = Callable[[Card], str | None]
"""The status that the history of both sides gives a card; None where nobody knows."""


def merge_cards(
    base: bytes, ours: bytes, theirs: bytes, merge: TextMerge, scheduled: Scheduled
) -> bytes | None:
    """The text that has both sides' changes; None where a learner must choose.

    A `status:` that both changed is no reason to ask.  A text that merges and is no card any more,
    though both sides are, is.
    """
    status = _agreed_status(base, ours, theirs, scheduled)
    first, mine, yours = (_with_status(text, status) for text in (base, ours, theirs))
    if mine == yours:
        return mine
    if not base:
        return None
    merged = mine if yours == first else yours if mine == first else merge(first, mine, yours)
    if merged is None:
        return None
    ids = {card_id(ours), card_id(theirs)}
    return merged if None in ids or {card_id(merged)} == ids else None


def with_agreed_status(base: bytes, ours: bytes, theirs: bytes, scheduled: Scheduled) -> bytes:
    """Ours, with the status that both sides come to."""
    return _with_status(ours, _agreed_status(base, ours, theirs, scheduled))


def same_but_status(one: bytes, other: bytes) -> bool:
    """Whether two texts of a card differ at most in the line of `status:`."""
    if one == other:
        return True
    try:
        texts = {with_field_lines(text.decode("utf-8"), "status", "") for text in (one, other)}
    except (CardError, UnicodeDecodeError):
        return False
    return len(texts) == 1


def card_of(data: bytes) -> Card | None:
    with suppress(CardError, UnicodeDecodeError):
        return parse_card(data.decode("utf-8"))
    return None


def card_id(data: bytes) -> str | None:
    """The id of the card; None of a text that is none."""
    card = card_of(data)
    return card.id if card else None


def written_id(data: bytes) -> str | None:
    """The id in the frontmatter, also of a card that is broken below; None of another text."""
    return (_field(data, "id") or "").strip() or None


def _field(data: bytes, name: str) -> str | None:
    try:
        field = read_header(Diagnostics(data.decode("utf-8"), None)).fields.get(name)
    except (CardError, UnicodeDecodeError):
        return None
    return field.value if field and isinstance(field.value, str) else None


def _agreed_status(base: bytes, ours: bytes, theirs: bytes, scheduled: Scheduled) -> str | None:
    """The one that both sides come to; None where one of them has no such line."""
    first, mine, yours = (_field(text, "status") for text in (base, ours, theirs))
    if mine is None or yours is None or mine == yours:
        return mine if mine == yours else None
    if first in (mine, yours):
        return yours if mine == first else mine
    if SUSPENDED in (mine, yours):  # the learner's word; the schedule never changes it
        return SUSPENDED
    card = card_of(ours)
    return (scheduled(card) if card else None) or mine


def _with_status(data: bytes, status: str | None) -> bytes:
    if status is None or _field(data, "status") in (None, status):
        return data
    with suppress(CardError):
        return with_field(data.decode("utf-8"), "status", status).encode("utf-8")
    return data


# Settings: merged key by key, as two settings that stand side by side are changed on two computers
# without any conflict.

Key = tuple[str, ...]
Times = Callable[[Key], tuple[int, int]]
"""When a key was set on our side and on theirs, in seconds since 1970."""


class TomlValue(NamedTuple):
    """A value, and its words, in which 1, 1.0 and true are not the same."""

    shown: str
    value: Any


def merge_settings(
    base: bytes, ours: bytes, theirs: bytes, merge: TextMerge, times: Times, said: list[str]
) -> bytes | None:
    """The settings with both sides' changes; None where one side is no TOML, or has a table where
    the other has a value.

    Of a key that both changed, the value that was set later stands, and `said` gets a sentence; of
    two that were set at once, the same one on every computer.  Comments and order are those of
    git's merge where that says the same, else ours.
    """
    first, mine, yours = (read_settings(text) for text in (base, ours, theirs))
    if first is None or mine is None or yours is None:
        return None
    wanted, chosen = dict(mine), list[str]()
    for key in sorted(first.keys() | yours.keys()):
        before, stands, there = first.get(key), mine.get(key), yours.get(key)
        if there in (before, stands):
            continue
        if stands == before:
            stands = there
        else:
            ranked = sorted(zip(times(key), map(_shown, (stands, there)), (0, 1), strict=True))
            (_, old, _), (_, new, which) = ranked
            old, new = (shorten(each, 60, placeholder=" ...") for each in (old, new))
            chosen.append(f"{'.'.join(key)}: {new} stands, as it was set later than {old}.")
            stands = there if which else stands
        wanted.pop(key, None)
        if stands is not None:
            wanted[key] = stands
    for text in (merge(base, ours, theirs) if base else None, _written(ours, mine, wanted)):
        if text is not None and read_settings(text) == wanted:
            said += chosen
            return text
    return None


def read_settings(data: bytes) -> dict[Key, TomlValue] | None:
    """By key; None of what is no TOML."""
    found: dict[Key, TomlValue] = {}

    def walk(table: Mapping[str, Any], above: Key) -> None:
        for name, value in table.items():
            if isinstance(value, dict) and value:
                walk(value, (*above, name))
            else:
                shown = json.dumps(value, ensure_ascii=False, default=str)
                found[(*above, name)] = TomlValue(shown, value)

    try:
        walk(tomllib.loads(data.decode("utf-8-sig")), ())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        return None
    return found


def _shown(setting: TomlValue | None) -> str:
    return setting.shown if setting else "the usual value"


def _written(ours: bytes, mine: dict[Key, TomlValue], wanted: dict[Key, TomlValue]) -> bytes | None:
    """Our text with what is wanted in it; None where a key is a value here and a table there."""
    import tomlkit  # 25 ms: only who merges settings pays for it
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(ours.decode("utf-8-sig"))
        # What goes, goes first: a table may come in its place.
        for key in sorted(mine.keys() | wanted.keys(), key=lambda key: (key in wanted, key)):
            if mine.get(key) == wanted.get(key):
                continue
            table: Any = document
            for part in key[:-1]:
                table = table.setdefault(part, tomlkit.table())
            if key in wanted:
                table[key[-1]] = wanted[key].value
            else:
                del table[key[-1]]
        return tomlkit.dumps(document).encode("utf-8")
    except (TOMLKitError, KeyError, TypeError, AttributeError, ValueError):
        return None
