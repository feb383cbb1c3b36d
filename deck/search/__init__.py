"""search: one grammar for the command line, the browser and filtered study (docs/search.md).

query.parse(text) -> Query          SearchError names the place; str(query) parses back to its tree
query.expand(query, saved)          puts saved searches (@name) in
sql.find(db, root, query, at, ...)  the items that it means, asked of the index
match.sought(query)                 the letters of a text that it asks for, to be lit up
"""
