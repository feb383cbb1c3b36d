"""How a search may go on, as it is typed: fields, states, tags, decks, courses, saved searches.

It comes out of the index, without opening the collection, in milliseconds; there is nothing where
there is no index to read.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Literal, NamedTuple

Words = Mapping[str, str] | Iterable[str]
"""Words, with their meanings where they have any."""


class Completions(NamedTuple):
    kind: Literal["words", "more", "files", "folders"]
    """Words; words that go on (no blank behind them); or what the shell itself completes."""
    words: Mapping[str, str] = {}


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
        return Completions("words")
    head, word = found["head"], found["word"]
    if word.startswith("@"):
        saved = {f"@{name}": "a saved search" for name in _searches(folder)}
        return _terms("words", head, word, saved)
    fields = {"is": "a state: is:due", **TEXTS, **EVENTS}
    terms = {f"{name}:": said for name, said in fields.items()}
    if len(word) > 1:  # `r` alone is no beginning of much
        terms |= {f"{name}>": said for name, said in NUMBERS.items()}
    return _terms("more", head, word, terms)


def search_help() -> list[tuple[str, str]]:
    """What a search can be made of, and what that finds (docs/search.md)."""
    from deck.search.query import EVENTS, NUMBERS, STATES, TEXTS

    return [
        ("jaco", "a word that begins so; *bian: one of this form"),
        ('"exact words"', "these, next to each other"),
        ("a b, a or b, -a, ( )", "both, one of them, not this, grouped"),
        *((f"{name}:", said) for name, said in TEXTS.items()),
        ("is:", ", ".join(STATES)),
        *((f"{name}<", said) for name, said in NUMBERS.items()),
        *((f"{name}:7", f"{said}, in the last 7 days") for name, said in EVENTS.items()),
        ("@hard", "a search saved in the settings under [searches]"),
    ]


def _field_values(folder: Path, field: str) -> Words:
    from cards.model import STATUSES, TYPES
    from deck.index.words import HAS
    from deck.search.query import ALIASES, STATES

    match ALIASES.get(field, field):
        case "is":
            return STATES
        case "tag":
            return texts(folder, _TAGS)
        case "course":
            return courses(folder)
        case "deck":
            return sorted({name for path in deck_paths(folder) for name in path})
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


_DECKS = "SELECT path FROM deck d WHERE EXISTS (SELECT 1 FROM item i WHERE i.deck = d.deck)"
#: From one tag to the next by the table's own order: as long as there are tags, not cards.
_TAGS = """
WITH RECURSIVE next (tag) AS (
    SELECT min(tag) FROM tag UNION ALL
    SELECT (SELECT min(tag) FROM tag WHERE tag > next.tag) FROM next WHERE next.tag IS NOT NULL
) SELECT tag FROM next WHERE tag IS NOT NULL
"""


def courses(folder: Path) -> list[str]:
    return sorted({path[0] for path in deck_paths(folder) if path})


def deck_paths(folder: Path) -> list[tuple[str, ...]]:
    return [tuple(json.loads(text)) for text in texts(folder, _DECKS)]


def _searches(folder: Path) -> list[str]:
    import tomllib

    try:
        with (folder / ".deltadeck" / "config.toml").open("rb") as file:
            found = tomllib.load(file).get("searches", {})
    except (OSError, ValueError):
        return []
    return sorted(found) if isinstance(found, dict) else []


def texts(folder: Path, sql: str, *given: str) -> list[str]:
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
