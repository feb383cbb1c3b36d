"""search: one grammar for the command line, the browser and filtered study (docs/search.md).

parse(text) -> Query        SearchError names the place; str(query) parses back to the same tree
expand(query, saved)        puts saved searches (@name) in
matches(query, found, at)   whether one item is meant: the definition that every index must keep
"""

from deck.search.errors import SearchError
from deck.search.match import Found, Moment, matches
from deck.search.parse import parse
from deck.search.saved import expand
from deck.search.tree import Query

__all__ = ["Found", "Moment", "Query", "SearchError", "expand", "matches", "parse"]
