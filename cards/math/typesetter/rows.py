"""From nodes to boxes: who draws what, how a row is set, and the delimiters around one.

Each kind of node is drawn by one function, registered with `@draws(Kind)`; a row asks each of its
nodes for a box, finds the kinds and the gaps, and sets them side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from cards.math.tree import (
    Break,
    Choice,
    Delimited,
    Environment,
    Node,
    Row,
    Scripts,
    Space,
    Styled,
    Symbol,
    Tag,
    Text,
    Unknown,
)
from cards.math.typesetter.box import (
    EMPTY,
    FONT_STYLES,
    LETTERED,
    Box,
    blank,
    extent,
    hcat,
    letter,
    marked,
    pad,
    text_box,
)
from cards.math.typesetter.spacing import (
    GAPS,
    SCRIPT_GAPS,
    Part,
    PlacedRow,
    Setting,
    bracket_ratios,
    font_of,
    kept_apart,
    kind_of,
    kind_of_symbol,
    resolve,
    script_of,
    style_of,
    text_of,
)

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


def draw_script(row: Row | None, setting: Setting) -> Box | None:
    """A row in the style of a sub- or superscript, if there is one."""
    return draw_row(row, script_of(setting)) if row is not None else None


def set_line(row: Row, setting: Setting, before: str | None = None) -> PlacedRow:
    """The parts of a row, in the kinds they have among their neighbours, and their gaps."""
    parts = parts_of(row.items, setting)
    if any(len(part.box.rows) > 1 for part in parts):
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
) -> PlacedRow:
    """Put the gaps in: the larger of what the kinds ask for and what the author wrote."""
    table = SCRIPT_GAPS if setting.script else GAPS
    placed: list[Part] = []
    gaps: list[int] = []
    last, written, tight = before, 0, False
    for part, kind in zip(parts, kinds, strict=True):
        if kind == "space":
            written += part.box.width
            tight = tight or (isinstance(part.node, Space) and part.node.em < 0)
            continue
        gap = table[last, kind] if last else 0
        if (tight and "op" not in (last, kind)) or (last == "inner" and part.box.rows[0] == "."):
            gap = 0
        gap = max(gap, written)
        if gap < 2 and placed:
            gap = kept_apart(placed[-1], part, gap)
        placed.append(part if part.kind == kind else Part(part.box, kind, part.node))
        gaps.append(gap)
        last, written, tight = kind, 0, False
        # An index such as x_Q would run on into what follows.
        if kind in _SCRIPTED and len(part.box.rows) == 1 and part.box.rows[0][-2:-1] in ("_", "^"):
            last = "inner"
    if written:
        placed.append(Part(blank(written), "space", None))
        gaps.append(0)
    return PlacedRow(placed, gaps)


def _char(node: Node | None) -> str:
    """The character that a symbol is, with scripts or without."""
    if isinstance(node, Scripts):
        node = node.base
    return node.char if isinstance(node, Symbol) else ""


def parts_of(items: Sequence[Node], setting: Setting) -> list[Part]:
    parts: list[Part] = []
    font = setting.font
    for item in items:
        kind = type(item)
        if kind is Symbol:
            parts.append(Part(glyph(item.char, font), kind_of_symbol(item), item))  # type: ignore[arg-type,union-attr]
        elif kind is Space:
            parts.append(Part(blank(_cells_of(item.em, setting)), "space", item))  # type: ignore[union-attr]
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
        else:
            setting = font_of(setting, style if style in LETTERED else "")
    parts = parts_of(node.body.items, setting)
    for one in styles:
        parts = [Part(marked(box, one), kind, inner) for box, kind, inner in parts]
    return parts


def _cells_of(em: float, setting: Setting) -> int:
    """The cells of a space: two to the em, at least one, none for a thin one in a script."""
    if em <= 0 or (setting.script and em < 0.5):
        return 0
    return min(max(1, round(2 * em)), 40)


Adjustment = Callable[[list[Part], Setting], list[Part]]

#: What the parts of a row do to one another once all are drawn: delimiters of a given size grow
#: to what stands between them, integrals to what stands after them.
ADJUSTMENTS: list[Adjustment] = []


# Nodes that are drawn in a line or two


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
        return draw_row(node.scriptscript if setting.script > 1 else node.script, setting)
    return draw_row(node.display if setting.limits else node.text, setting)


@draws(Space)
def _space(node: Space, setting: Setting) -> Box:
    return blank(_cells_of(node.em, setting))


@draws(Break)
def _break(_node: Break, _setting: Setting) -> Box:
    return blank(2)


@draws(Tag)
def _tag(node: Tag, setting: Setting) -> Box:
    tag = draw_row(node.body, setting)
    return hcat((blank(2), tag)) if setting.flat else tag


@draws(Unknown)
def _unknown(node: Unknown, _setting: Setting) -> Box:
    return text_box(node.name, "warning")


@draws(Text)
def _text(node: Text, setting: Setting) -> Box:
    inner = text_of(font_of(setting, "") if setting.font else setting)
    boxes = [text_box(p) if isinstance(p, str) else draw(p, inner) for p in node.parts]
    box = hcat(boxes) if boxes else EMPTY
    for style in FONT_STYLES.get(node.font, ()):
        box = marked(box, style)
    return box


# Delimiters as high as what they hold: \left( \right), matrices

#: Top, middle and bottom piece (one, repeated middle, one).
_PIECES = {
    "(": "⎛⎜⎝", ")": "⎞⎟⎠", "[": "⎡⎢⎣", "]": "⎤⎥⎦",
    "⌈": "⎡⎢⎢", "⌉": "⎤⎥⎥", "⌊": "⎢⎢⎣", "⌋": "⎥⎥⎦",
    "|": "│││", "∣": "│││", "‖": "║║║", "∥": "║║║",
    "↑": "↑││", "↓": "││↓", "↕": "↑│↓", "⇑": "⇑║║", "⇓": "║║⇓", "⇕": "⇑║⇓",
    "⟦": "╓║╙", "⟧": "╖║╜", "⟮": "⎛⎜⎝", "⟯": "⎞⎟⎠", "⎰": "⎰⎪⎱", "⎱": "⎱⎪⎰",
    "⌜": "⌜  ", "⌝": "⌝  ", "⌞": "  ⌞", "⌟": "  ⌟",
}  # fmt: skip
#: Those with a point, which belongs on the axis: top, extension, point, bottom.
_BRACES = {"{": "⎧⎪⎨⎩", "}": "⎫⎪⎬⎭"}
_ANGLES = {"⟨": "⟨", "<": "⟨", "⟩": "⟩", ">": "⟩"}
_SLASHES = {"/": "╱", "\\": "╲", "∖": "╲"}
#: An angle or a slash higher than this is drawn at its middle only.
_HIGHEST_SLANT = 9


def is_centred(char: str) -> bool:
    """Whether a delimiter has a point or a middle that belongs on the axis."""
    return char in _BRACES or char in _ANGLES or char in _SLASHES


@lru_cache(maxsize=1024)
def stretched(char: str, above: int, below: int) -> Box:
    """The delimiter over `above` rows over the baseline and `below` under it."""
    if not char:
        return EMPTY
    height = above + 1 + below
    if height == 1:
        return text_box(_ANGLES.get(char, char))
    if char in _PIECES:
        top, middle, bottom = tuple(_PIECES[char])
        return Box((top, *(middle * (height - 2)), bottom), 1, above)
    if char in _BRACES:
        top, extension, point, bottom = tuple(_BRACES[char])
        above, below = max(above, 1), max(below, 1)
        rows = (top, *(extension * (above - 1)), point, *(extension * (below - 1)), bottom)
        return Box(rows, 1, above)
    if char in _SLASHES and height <= _HIGHEST_SLANT:
        stroke, columns = _SLASHES[char], range(height)
        rows = tuple(" " * c + stroke + " " * (height - 1 - c) for c in columns)
        return Box(rows[::-1] if stroke == "╱" else rows, height, above)
    reach = max(above, below)
    if char in _ANGLES and 2 * reach + 1 <= _HIGHEST_SLANT:
        return _angle(_ANGLES[char], reach)
    return pad(text_box(_ANGLES.get(char) or _SLASHES.get(char, char)), above=above, below=below)


def _angle(point: str, reach: int) -> Box:
    """Strokes that meet in a point on the axis, a cell further at each row."""
    upper, lower = ("╱", "╲") if point == "⟨" else ("╲", "╱")
    columns = [abs(row) for row in range(-reach, reach + 1)]
    if point == "⟩":
        columns = [reach - column for column in columns]
    strokes = [*upper * reach, point, *lower * reach]
    rows = tuple(
        " " * column + stroke + " " * (reach - column)
        for column, stroke in zip(columns, strokes, strict=True)
    )
    return Box(rows, reach + 1, reach)


def fenced(left: str, body: Box, right: str, padding: int = 0) -> Box:
    """`body` between delimiters as high as it; `padding` blank cells inside tall ones."""
    if not (left or right):
        return body
    if len(body.rows) == 1:
        return hcat((stretched(left, 0, 0), body, stretched(right, 0, 0)))
    above, below = reach((left, right), (body,))
    gaps = (0, padding if left else 0, padding if right else 0)
    return hcat((stretched(left, above, below), body, stretched(right, above, below)), gaps)


def reach(delimiters: Sequence[str], boxes: Sequence[Box]) -> tuple[int, int]:
    above, below = extent(boxes)
    if any(map(is_centred, delimiters)):
        above = below = max(above, below)
    return above, below


@draws(Delimited)
def _delimited(node: Delimited, setting: Setting) -> Box:
    if holds_grid(node.parts):
        grid = node.parts[0].items[0]
        if isinstance(grid, Environment) and not (grid.left or grid.right):
            return draw(grid._replace(left=node.left, right=node.right), setting)
    boxes = [draw_row(part, setting) for part in node.parts]
    above, below = reach((node.left, *node.middles, node.right), boxes)
    pieces, gaps = [stretched(node.left, above, below), boxes[0]], [0, 0]
    for middle, box in zip(node.middles, boxes[1:], strict=True):
        pieces += (stretched(middle, above, below), box)
        gaps += [middle_gap(middle, setting)] * 2
    return hcat([*pieces, stretched(node.right, above, below)], [*gaps, 0])


def middle_gap(middle: str, setting: Setting) -> int:
    r"""The cells on both sides of \middle|, which reads as a relation; a slash does not."""
    return 0 if setting.script or middle in _SLASHES else 1


def holds_grid(parts: tuple[Row, ...]) -> bool:
    items = parts[0].items if parts else ()
    return len(parts) == 1 and len(items) == 1 and isinstance(items[0], Environment)
