"""Anki's packages: `.apkg` (a deck) and `.colpkg` (a whole collection), of all versions.

package.py  the zip archive and its media; the SQLite database: note types, decks, notes, answers
notes.py    a note's sides by its templates, and what cards they are here; the reader itself
html.py     HTML to Markdown
math.py     formulas in that HTML
"""
