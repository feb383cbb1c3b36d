"""From nodes to boxes: who draws what, and how a row of them is set.

Each kind of node is drawn by a function in a file of its own, registered with `@draws(Kind)`;
a row asks each of its nodes for a box, finds the kinds and the gaps, and sets them side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from cards.math.box import Box
from cards.math.drawing.alphabets import FONT_STYLES, letter
from cards.math.drawing.boxes import EMPTY, blank, hcat, marked, text_box
from cards.math.drawing.kinds import kind_of, kind_of_symbol
from cards.math.drawing.neighbours import kept_apart
from cards.math.drawing.parts import Line, Part
from cards.math.drawing.ratios import bracket_ratios
from cards.math.drawing.setting import Setting, font_of, style_of
from cards.math.drawing.spacing import GAPS, SCRIPT_GAPS, resolve
from cards.math.tree import Node, Row, Scripts, Space, Styled, Symbol

N = TypeVar("N")
Drawer = Callable[[Any, Setting], Box]

_DRAWERS: dict[type, Drawer] = {}
_BARS = frozenset({"|", "‖"})
#: Kinds after which nothing says that an index is at its end.
_SCRIPTED = frozenset({"ord", "op", "large", "close", "fence"})


def draws(kind: type[N]) -> Callable[[Callable[[N, Setting], Box]], Callable[[N, Setting], Box]]:
    """Register the function that draws nodes of `kind`."""

    def register(drawer: Callable[[N, Setting], Box]) -> Callable[[N, Setting], Box]:
        _DRAWERS[kind] = drawer
        return drawer

    return register


#: The multiplication dot as a character that every font has.
_DRAWN_AS = {"⋅": "·"}


@lru_cache(maxsize=4096)
def glyph(char: str, font: str) -> Box:
    return text_box(letter(char, font) if font else _DRAWN_AS.get(char, char))


def draw(node: Node, setting: Setting) -> Box:
    return _DRAWERS[type(node)](node, setting)


def draw_row(row: Row, setting: Setting, before: str | None = None) -> Box:
    """A row on one line; `before` is the kind of what precedes it, if anything does."""
    items = row.items
    if not items:
        return EMPTY
    if len(items) == 1 and before is None and isinstance(items[0], Symbol):
        return glyph(items[0].char, setting.font)
    line = set_line(row, setting, before)
    return hcat([part.box for part in line.parts], line.gaps) if line.parts else EMPTY


def _height(part: Part) -> int:
    return len(part.box.rows)


def set_line(row: Row, setting: Setting, before: str | None = None) -> Line:
    """The parts of a row, in the kinds they have among their neighbours, and their gaps."""
    parts = parts_of(row.items, setting)
    if max(map(_height, parts), default=0) > 1:
        for adjust in ADJUSTMENTS:
            parts = adjust(parts, setting)
    kinds = [part.kind for part in parts]
    chars = [_char(part.node) for part in parts]
    if "bin" in kinds or not _BARS.isdisjoint(chars):
        kinds = resolve(kinds, chars, before)
    parts, kinds = bracket_ratios(parts, kinds)
    return _spaced(parts, kinds, setting, before)


def _spaced(
    parts: Sequence[Part], kinds: Sequence[str], setting: Setting, before: str | None
) -> Line:
    """Put the gaps in: the larger of what the kinds ask for and what the author wrote."""
    table = SCRIPT_GAPS if setting.script else GAPS
    placed: list[Part] = []
    gaps: list[int] = []
    last, written, tight = before, 0, False
    for part, kind in zip(parts, kinds, strict=True):
        if kind == "space":
            written += part.box.width
            tight = tight or (part.node is not None and _is_negative(part.node))
            continue
        gap = table[last, kind] if last else 0
        if (tight and "op" not in (last, kind)) or (last == "inner" and part.box.rows[0] == "."):
            gap = 0
        gap = max(gap, written)
        if gap < 2 and placed:
            gap = kept_apart(placed[-1], part, gap)
        placed.append(part if part.kind == kind else Part(part.box, kind, part.node))
        gaps.append(gap)
        last = "inner" if kind in _SCRIPTED and _ends_in_written_script(part) else kind
        written, tight = 0, False
    if written:
        placed.append(Part(blank(written), "space", None))
        gaps.append(0)
    return Line(placed, gaps)


def _char(node: Node | None) -> str:
    """The character that a symbol is, with scripts or without."""
    if isinstance(node, Scripts):
        node = node.base
    return node.char if isinstance(node, Symbol) else ""


def _ends_in_written_script(part: Part) -> bool:
    """Whether a part ends in an index such as x_Q, which would run on into what follows."""
    box = part.box
    return len(box.rows) == 1 and box.rows[0][-2:-1] in ("_", "^")


def _is_negative(node: Node) -> bool:
    return isinstance(node, Space) and node.em < 0


def parts_of(items: Sequence[Node], setting: Setting) -> list[Part]:
    parts: list[Part] = []
    font = setting.font
    for item in items:
        kind = type(item)
        if kind is Symbol:
            parts.append(Part(glyph(item.char, font), kind_of_symbol(item), item))  # type: ignore[arg-type,union-attr]
        elif kind is Space:
            parts.append(Part(blank(cells_of(item.em, setting)), "space", item))  # type: ignore[union-attr]
        elif kind is Styled:
            parts += _styled_parts(item, setting)  # type: ignore[arg-type]
        else:
            box = _DRAWERS[kind](item, setting)
            parts.append(Part(box, kind_of(item, box), item))
    return parts


def _styled_parts(node: Styled, setting: Setting) -> list[Part]:
    """A style's parts stand among the neighbours of the style itself."""
    style = node.style
    if style in FONT_STYLES:
        styles: tuple[str, ...] = FONT_STYLES[style]
    elif style.startswith(("color:", "background:")):
        styles = (style,)
    else:
        styles = ()
        if style in ("display", "text", "script", "scriptscript"):
            setting = style_of(setting, style)
        elif style != "size":
            setting = font_of(setting, style)
    parts = parts_of(node.body.items, setting)
    for one in styles:
        parts = [Part(marked(box, one), kind, inner) for box, kind, inner in parts]
    return parts


def cells_of(em: float, setting: Setting) -> int:
    """The cells of a space: two to the em, at least one, none for a thin one in a script."""
    if em <= 0 or (setting.script and em < 0.5):
        return 0
    return min(max(1, round(2 * em)), 40)


Adjustment = Callable[[list[Part], Setting], list[Part]]

#: What the parts of a row do to one another once all are drawn: delimiters of a given size grow
#: to what stands between them, integrals to what stands after them.
ADJUSTMENTS: list[Adjustment] = []
