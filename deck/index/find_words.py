"""Words of a search in the grammar of SQLite's full text."""

from __future__ import annotations

import sqlite3

from deck.search.words import glob, patterns, words

_VOCABULARY = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, words, row)"


def word_query(db: sqlite3.Connection, text: str, column: str | None = None) -> str | None:
    """Words that begin so (or have this form), all of them.

    "" where none has; None where the text has no letter, so that only the cards can tell.
    """
    wanted = patterns(text)
    if not wanted:
        return None
    parts = []
    for pattern in wanted:
        begin = pattern.rstrip("*")
        if "*" not in begin:
            parts.append(f'"{begin}"*')
            continue
        known = _known(db, pattern)
        if not known:
            return ""
        parts.append("(" + " OR ".join(f'"{term}"' for term in known) + ")")
    query = " AND ".join(parts)
    return f"{column} : ({query})" if column else query


def phrase_query(text: str) -> str | None:
    """Whole words next to each other; None where the text has no letter."""
    wanted = words(text)
    return f'"{" ".join(wanted)}"' if wanted else None


def _known(db: sqlite3.Connection, pattern: str) -> list[str]:
    """The words of all cards that have this form."""
    db.execute(_VOCABULARY)
    form = glob(pattern)
    return [term for (term,) in db.execute("SELECT term FROM vocabulary") if form.fullmatch(term)]
