"""search: one grammar for the command line, the browser and filtered study (docs/search.md).

query.parse(text) -> Query          SearchError names the place; str(query) parses back to its tree
query.expand(query, saved)          puts saved searches (@name) in
match.matches(query, found, at)     whether one item is meant: what every index must keep
sql.find(db, root, query, at, ...)  the same of all items, asked of the index
"""
