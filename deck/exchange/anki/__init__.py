"""Anki's packages: `.apkg` (a deck) and `.colpkg` (a whole collection), of all versions.

package.py     the zip archive: which collection is in it, its media; limits
collection.py  the SQLite database: note types, decks, notes, cards, answers, due days
notes.py       a note's sides by its templates, and what cards they are here; the reader itself
html.py        HTML to Markdown
math.py        formulas in that HTML
"""
