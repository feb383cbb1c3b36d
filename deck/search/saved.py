"""Saved searches: `@name` stands for a search of the settings' `[searches]`."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from deck.search.errors import SearchError
from deck.search.parse import parse
from deck.search.tree import And, Not, Or, Query, Saved


def expand(query: Query, saved: Mapping[str, str], inside: tuple[str, ...] = ()) -> Query:
    """The query with the saved searches in it.

    Raises:
        SearchError: one is not there, cannot be read, or leads back to itself.
    """
    match query:
        case Saved(name, column):
            return _saved(name, column, saved, inside)
        case Not(part):
            return Not(expand(part, saved, inside))
        case And(parts):
            return And(tuple(expand(part, saved, inside) for part in parts))
        case Or(parts):
            return Or(tuple(expand(part, saved, inside) for part in parts))
    return query


def _saved(name: str, column: int, saved: Mapping[str, str], inside: tuple[str, ...]) -> Query:
    text = saved[inside[-1]] if inside else f"{' ' * (column - 1)}@{name}"
    if name in inside:
        hint = "Take it out of itself, in the settings' [searches]."
        raise SearchError(f"The saved search {name!a} leads back to itself.", hint, column, text)
    if name not in saved:
        close = get_close_matches(name, saved, n=1)
        hint = f"Did you mean @{close[0]}?" if close else "Save it in the settings' [searches]."
        raise SearchError(f"There is no saved search {name!a}.", hint, column, text)
    return expand(parse(saved[name]), saved, (*inside, name))
