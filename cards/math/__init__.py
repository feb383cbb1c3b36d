"""LaTeX mathematics, set in a terminal's cells.  Pure text in and out, no dependency.

typeset(tex)                 rows joined by newlines
layout(tex)                  the same as a Box, with its baseline and its styles
parse(tex)                   the tree (cards/math/tree.py)
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cards.math.latex.parse import parse
    from cards.math.tree import Macro
    from cards.math.typesetter.box import Box, Mark
    from cards.math.typesetter.typeset import layout, typeset

__all__ = ["Box", "Macro", "Mark", "layout", "parse", "typeset"]

_LAZY = {
    "Box": "cards.math.typesetter.box",
    "Mark": "cards.math.typesetter.box",
    "Macro": "cards.math.tree",
    "parse": "cards.math.latex.parse",
    "layout": "cards.math.typesetter.typeset",
    "typeset": "cards.math.typesetter.typeset",
}


def __getattr__(name: str) -> object:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'cards.math' has no attribute {name!r}")
