"""LaTeX mathematics, set in a terminal's cells.  Pure text in and out, no dependency.

typeset(tex)                 rows joined by newlines
layout(tex)                  the same as a Box, with its baseline and its styles
parse(tex)                   the tree (cards/math/tree.py)
"""

from cards.math.box import Box, Mark
from cards.math.formula import Macro
from cards.math.parser import parse
from cards.math.typesetting import layout, typeset

__all__ = ["Box", "Macro", "Mark", "layout", "parse", "typeset"]
