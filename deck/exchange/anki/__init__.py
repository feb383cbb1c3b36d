"""Anki's packages: `.apkg` (a deck) and `.colpkg` (a whole collection), of all versions.

package.py     the zip archive: which collection is in it, its media; limits
zstd.py        Zstandard streams, with a limit
protobuf.py    the few messages of the newer formats
database.py    a SQLite file that is not trusted
collection.py  the SQLite database: note types, decks, notes, cards, answers
templates.py   a card's two sides out of a note type's templates
html.py        HTML to Markdown (elements.py, blocks.py, inline.py, math.py, shown.py, scan.py)
notes.py       a note -> ForeignCard (mirror.py: of two cards)
revlog.py      answers, due days"""
