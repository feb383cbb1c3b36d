r"""LaTeX as MathML: the formulas of a page that asks nobody for anything.

`mathml(formula, display)` writes the tree that `cards.math` reads, in the elements of MathML Core
(and `menclose`-like things by style), which every browser draws by itself.
"""

from __future__ import annotations

from cards.math.tree import Formula
from deck.exchange.export.mathml.elements import Setting, element
from deck.exchange.export.mathml.nodes import row

__all__ = ["mathml"]


def mathml(formula: Formula, display: bool) -> str:
    """The `<math>` element of a formula, in a block of its own or within a line."""
    inner = row(formula.body, Setting(display))
    return element("math", inner, display="block") if display else element("math", inner)
