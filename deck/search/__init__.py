"""search: one grammar for the command line, the browser and filtered study (docs/search.md).

parse.parse(text) -> Query        SearchError names the place; str(query) parses back to its tree
saved.expand(query, saved)        puts saved searches (@name) in
match.matches(query, found, at)   whether one item is meant: what every index must keep
"""
