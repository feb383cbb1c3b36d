"""From nodes to boxes: who draws what, and how a row of them is set.

Each kind of node is drawn by a function in a file of its own, registered with `@draws(Kind)`;
a row asks each of its nodes for a box, finds the kinds and the gaps, and sets them side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from cards.math.box import Box
from cards.math.drawing.alphabets import FONT_STYLES, letter
from cards.math.drawing.boxes import EMPTY, blank, hcat, marked, text_box
from cards.math.drawing.setting import Setting, font_of, style_of
from cards.math.drawing.spacing import GAPS, SCRIPT_GAPS, resolve
from cards.math.tree import (
    Arrow,
    Boxed,
    Brace,
    Break,
    Choice,
    Classed,
    Delimited,
    Environment,
    Fraction,
    Node,
    Operator,
    Row,
    Scripts,
    Space,
    Stack,
    Styled,
    Symbol,
    Tag,
    Unknown,
)

N = TypeVar("N")
Drawer = Callable[[Any, Setting], Box]

_DRAWERS: dict[type, Drawer] = {}


def draws(kind: type[N]) -> Callable[[Callable[[N, Setting], Box]], Callable[[N, Setting], Box]]:
    """Register the function that draws nodes of `kind`."""

    def register(drawer: Callable[[N, Setting], Box]) -> Callable[[N, Setting], Box]:
        _DRAWERS[kind] = drawer
        return drawer

    return register


class Part(NamedTuple):
    """A node of a row, drawn."""

    box: Box
    kind: str
    """Of cards/math/spacing.py, or "space" (the box is then as wide as the space)."""
    node: Node | None


_BARS = frozenset({"|", "‖"})


def _height(part: Part) -> int:
    return len(part.box.rows)


class Line(NamedTuple):
    """The parts of a row with the gaps found: `gaps[i]` cells before the i-th."""

    parts: list[Part]
    gaps: list[int]


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


def set_line(row: Row, setting: Setting, before: str | None = None) -> Line:
    """The parts of a row, in the kinds they have among their neighbours, and their gaps."""
    parts = parts_of(row.items, setting)
    if max(map(_height, parts), default=0) > 1:
        for adjust in ADJUSTMENTS:
            parts = adjust(parts, setting)
    kinds = [part.kind for part in parts]
    if "bin" in kinds or not _BARS.isdisjoint([part.box.rows[0] for part in parts]):
        chars = [part.box.rows[0] if len(part.box.rows) == 1 else "" for part in parts]
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
        if tight and "op" not in (last, kind):
            gap = 0
        gap = max(gap, written)
        if last == "inner" and not written and part.box.rows[0] == ".":
            gap = 0
        if gap == 0 and placed and len(part.box.rows) > 1 and _rules_meet(placed[-1].box, part.box):
            gap = 1
        if gap == 0 and last == kind == "fence" and _height(part) > 1 < _height(placed[-1]):
            gap = 1
        placed.append(part if part.kind == kind else Part(part.box, kind, part.node))
        gaps.append(gap)
        last, written, tight = kind, 0, False
    if written:
        placed.append(Part(blank(written), "space", None))
        gaps.append(0)
    return Line(placed, gaps)


def _rules_meet(left: Box, right: Box) -> bool:
    """Whether two rules side by side would look like one."""
    before, after = left.rows[left.baseline], right.rows[right.baseline]
    return before.endswith("─") and after.startswith("─")


def _is_negative(node: Node) -> bool:
    return isinstance(node, Space) and node.em < 0


def parts_of(items: Sequence[Node], setting: Setting) -> list[Part]:
    parts: list[Part] = []
    font = setting.font
    for item in items:
        kind = type(item)
        if kind is Symbol:
            parts.append(Part(glyph(item.char, font), item.kind, item))  # type: ignore[union-attr]
        elif kind is Space:
            parts.append(Part(blank(_cells(item.em, setting)), "space", item))  # type: ignore[union-attr]
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


def _cells(em: float, setting: Setting) -> int:
    """The cells of a space: two to the em, at least one, none for a thin one in a script."""
    if em <= 0 or (setting.script and em < 0.5):
        return 0
    return min(max(1, round(2 * em)), 40)


def kind_of(node: Node, box: Box) -> str:
    """The kind of a drawn node among its neighbours; the first one of spacing.py's table."""
    tall = len(box.rows) > 1
    match node:
        case Symbol():
            return node.kind
        case Operator():
            return "large" if node.large else "op"
        case Scripts():
            if box.rows[0][-2:-1] in ("_", "^") and not tall:
                return "inner"
            return kind_of(node.base, box) if node.base is not None else "ord"
        case Fraction():
            return "fence" if node.left or node.right else "inner" if tall else "ratio"
        case Delimited():
            return "fence"
        case Environment():
            fenced = bool(node.left or node.right) and not tall
            return "fence" if fenced else "inner"
        case Stack() if len(node.base.items) == 1 and isinstance(node.base.items[0], Operator):
            return kind_of(node.base.items[0], box)
        case Stack() | Classed():
            return node.kind
        case Arrow():
            return "rel"
        case Row() if len(node.items) == 1 and isinstance(node.items[0], Fraction):
            return kind_of(node.items[0], box)
        case Unknown():
            return "op"
        case Boxed():
            return "inner" if tall and node.how == "box" else "ord"
        case Brace():
            return "inner" if tall else "ord"
        case Tag() | Break():
            return "ord"
        case _:
            return "ord"


Adjustment = Callable[[list[Part], Setting], list[Part]]

#: What the parts of a row do to one another once all are drawn: delimiters of a given size grow
#: to what stands between them, integrals to what stands after them.
ADJUSTMENTS: list[Adjustment] = []


def bracket_ratios(parts: list[Part], kinds: list[str]) -> tuple[list[Part], list[str]]:
    """Put brackets around a fraction on one line where its neighbours would join it."""
    if "ratio" not in kinds:
        return parts, kinds
    solid = [i for i, kind in enumerate(kinds) if kind != "space" or parts[i].box.width > 1]
    parts, kinds = list(parts), list(kinds)
    for place, index in enumerate(solid):
        if kinds[index] != "ratio":
            continue
        before = solid[place - 1] if place else None
        after = solid[place + 1] if place + 1 < len(solid) else None
        if _joins_before(parts, kinds, before) or _joins_after(parts, kinds, after):
            parts[index] = Part(bracketed(parts[index].box), "fence", parts[index].node)
            kinds[index] = "fence"
    return parts, kinds


def _joins_before(parts: list[Part], kinds: list[str], index: int | None) -> bool:
    if index is None:
        return False
    text = parts[index].box.rows[0]
    if kinds[index] == "ord":
        return text.isdigit() or text.endswith("/")
    return kinds[index] in ("op", "ratio") or isinstance(parts[index].node, Fraction)


def _joins_after(parts: list[Part], kinds: list[str], index: int | None) -> bool:
    if index is None:
        return False
    if kinds[index] == "close":
        return parts[index].box.rows[0].startswith("!")
    return kinds[index] in ("ord", "op", "large", "open", "inner", "fence", "ratio")


def bracketed(box: Box) -> Box:
    return hcat((glyph("(", ""), box, glyph(")", "")))


@draws(Row)
def _row(node: Row, setting: Setting) -> Box:
    return draw_row(node, setting)


@draws(Symbol)
def _symbol(node: Symbol, setting: Setting) -> Box:
    return glyph(node.char, setting.font)


@draws(Styled)
def _styled(node: Styled, setting: Setting) -> Box:
    return draw_row(Row((node,), node.span), setting)


@draws(Choice)
def _choice(node: Choice, setting: Setting) -> Box:
    if setting.script:
        return draw_row(node.script, setting)
    return draw_row(node.display if setting.limits else node.text, setting)


@draws(Classed)
def _classed(node: Classed, setting: Setting) -> Box:
    return draw_row(node.body, setting)


@draws(Space)
def _space(node: Space, setting: Setting) -> Box:
    return blank(_cells(node.em, setting))


@draws(Break)
def _break(node: Break, setting: Setting) -> Box:  # noqa: ARG001
    return blank(2)


@draws(Tag)
def _tag(node: Tag, setting: Setting) -> Box:
    tag = draw_row(node.body, setting)
    return hcat((blank(2), tag)) if setting.flat else tag


@draws(Unknown)
def _unknown(node: Unknown, setting: Setting) -> Box:  # noqa: ARG001
    return text_box(node.name, "warning")
