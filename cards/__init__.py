"""cards: what does this card say?  Text to `Card` and back.

It reads and writes text, walks no folders, keeps no state, and imports nothing of ours.

    parse_card(text, path=None) -> Card      raises CardError (a ValueError) with its `.problem`
    read_card(path) -> Card                  the same from a file; also for unreadable files
    told(card, item) -> (str, str)           question and answer after a reveal, a cloze filled in
    lint_card(text, path=None, macros=None)  what is odd about a card that reads, its formulas too
    set_field(path, key, value, seen)        changes one frontmatter line, losslessly and atomically
    replace_section(path, title, body, seen) changes one section's body, the same way
    save_card(path, text, seen)              writes a whole card, the same way
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cards.cloze import told
    from cards.edit import replace_section, save_card, set_field
    from cards.lint import lint_card
    from cards.model import Card, CardError, Item, Option, Problem, Section
    from cards.parse import parse_card, read_card

__all__ = [
    "Card",
    "CardError",
    "Item",
    "Option",
    "Problem",
    "Section",
    "lint_card",
    "parse_card",
    "read_card",
    "replace_section",
    "save_card",
    "set_field",
    "told",
]

# The parser brings PyYAML with it (about 15 ms): whoever only needs the types does not pay.
_LAZY = {
    **dict.fromkeys(("Card", "CardError", "Item", "Option", "Problem", "Section"), "cards.model"),
    "parse_card": "cards.parse",
    "read_card": "cards.parse",
    "lint_card": "cards.lint",
    "set_field": "cards.edit",
    "replace_section": "cards.edit",
    "save_card": "cards.edit",
    "told": "cards.cloze",
}


def __getattr__(name: str) -> object:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'cards' has no attribute {name!r}")
