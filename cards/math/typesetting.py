"""The face of the typesetter: LaTeX in, a box or plain rows out."""

from __future__ import annotations

from collections.abc import Mapping

from cards.math.box import Box
from cards.math.drawing.lines import layout_formula
from cards.math.drawing.setting import Mode
from cards.math.formula import Macro
from cards.math.parser import parse


def layout(
    tex: str,
    display: bool = True,
    width: int | None = None,
    macros: Mapping[str, str | Macro] | None = None,
    mode: Mode | None = None,
) -> Box:
    r"""`tex` drawn: every row exactly `width` cells of the box, marks for what is styled.

    display: as an equation of its own; else as within a line of text.  `mode` says it in full:
        "display", "inline" or "line" (everything on one row: a/b, √(x), [a, b; c, d]).
    width: where lines are broken if they can be; what cannot be broken stays wider.
    macros: the user's own, name to body, as `parse` takes them.

    Never raises: what cannot be read is drawn as far as it can, and `parse` says what it was.
    """
    formula = parse(tex, macros)
    return layout_formula(formula, mode or ("display" if display else "inline"), width)


def typeset(
    tex: str,
    display: bool = True,
    width: int | None = None,
    macros: Mapping[str, str | Macro] | None = None,
    mode: Mode | None = None,
) -> str:
    """`layout(...)` as text: its rows joined by newlines, without blanks at their ends."""
    return "\n".join(row.rstrip(" ") for row in layout(tex, display, width, macros, mode).rows)
