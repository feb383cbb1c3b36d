"""From nodes to boxes: styles, the kinds of atoms, the gaps between them, and how a row is set.

Each kind of node is drawn by one function, registered with `@draws(Kind)`; a row asks each of its
nodes for a box, finds the kinds and the gaps, and sets them side by side.  The gaps are TeX's (The
TeXbook, chapter 18), in whole cells.  To its classes come those that cells need:

    sign    a plus or minus with nothing before it to add to
    large   an operator such as ∑, which stays off a bracket too
    fence   brackets with what they hold: "open" on its left, "close" on its right
    ratio   a fraction on one line
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeVar

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
    Text,
    Unknown,
)
from cards.math.typesetter.box import (
    EMPTY,
    FONT_STYLES,
    LETTERED,
    LOWERED_LETTERS,
    RAISED_LETTERS,
    SLASHES,
    Box,
    blank,
    bracketed,
    char_width,
    hcat,
    letter,
    marked,
    reach,
    stretched,
    text_box,
)

# The circumstances in which a part is drawn: TeX's styles, for cells

Mode = Literal["display", "inline", "line"]

#: Fractions and roots within one another deeper than this are written on one line.
_DEEPEST_STACK = 6
#: In a line of text, a matrix of more places than these takes rows of its own.
_MOST_PLACES = 9


class RowStyle(NamedTuple):
    stack: bool
    """Fractions stand on two lines with a rule, roots have a roof."""
    limits: bool
    """Limits stand over and under their operator."""
    script: int = 0
    """1 within a sub- or superscript (no gaps, fractions on one line), 2 within one of that."""
    flat: bool = False
    """Everything on one row, but for large matrices."""
    places: int | None = None
    """How many places a matrix on one row has at most; None: any number."""
    font: str = ""
    """The alphabet of letters: "", "bb", "cal", "scr", "frak"."""
    alone: bool = False
    """The node is the whole formula: no baseline beside it asks for an axis."""
    depth: int = 0
    """How many fractions and roots are around."""


DISPLAY = RowStyle(stack=True, limits=True)
INLINE = RowStyle(stack=False, limits=False, flat=True, places=_MOST_PLACES)
LINE = RowStyle(stack=False, limits=False, flat=True)

SETTINGS: dict[Mode, RowStyle] = {"display": DISPLAY, "inline": INLINE, "line": LINE}


@lru_cache(maxsize=256)
def script_of(setting: RowStyle) -> RowStyle:
    """That of a sub- or superscript."""
    level = min(setting.script + 1, 2)
    return setting._replace(stack=False, limits=False, script=level, places=None, alone=False)


@lru_cache(maxsize=256)
def alone_of(setting: RowStyle, alone: bool) -> RowStyle:
    """That of a node which is the whole formula, or of what is in it."""
    return setting._replace(alone=alone)


@lru_cache(maxsize=256)
def text_of(setting: RowStyle) -> RowStyle:
    """That of a cell of a matrix: limits beside their operators."""
    return setting._replace(limits=False)


@lru_cache(maxsize=256)
def inner_of(setting: RowStyle) -> RowStyle:
    """That of a numerator, a denominator, a radicand."""
    depth = setting.depth + 1
    stack = setting.stack and depth < _DEEPEST_STACK
    return setting._replace(stack=stack, limits=False, depth=depth)


@lru_cache(maxsize=256)
def font_of(setting: RowStyle, font: str) -> RowStyle:
    return setting._replace(font=font)


@lru_cache(maxsize=256)
def style_of(setting: RowStyle, style: str) -> RowStyle:
    r"""After \displaystyle, \textstyle, \scriptstyle: what cells can follow of them."""
    if setting.flat:
        return setting
    if style in ("script", "scriptscript"):
        level = 1 if style == "script" else 2
        return script_of(setting)._replace(script=level)
    if style == "display":
        return setting._replace(stack=setting.depth < _DEEPEST_STACK, limits=True, script=0)
    return setting._replace(limits=False)


# What a row is made of once its nodes are drawn


class Part(NamedTuple):
    """A node of a row, drawn."""

    box: Box
    kind: str
    """One of the table below, or "space" (the box is then as wide as the space)."""
    node: Node | None


class PlacedRow(NamedTuple):
    """The parts of a row with the gaps found: `gaps[i]` cells before the i-th."""

    parts: list[Part]
    gaps: list[int]


_OPENING = frozenset("([{⟨⌈⌊")
_CLOSING = frozenset(")]}⟩⌉⌋")


def core(node: Node | None) -> Node | None:
    """What a style or a group of one is about."""
    while isinstance(node, Styled | Row):
        items = node.body.items if isinstance(node, Styled) else node.items
        if len(items) != 1:
            return node
        node = items[0]
    return node


def kind_of_symbol(node: Symbol) -> str:
    r"""\big( opens, though TeX calls it ordinary."""
    if node.size and node.kind == "ord":
        return "open" if node.char in _OPENING else "close" if node.char in _CLOSING else "ord"
    return node.kind


def kind_of(node: Node, box: Box) -> str:
    """The kind of a drawn node among its neighbours."""
    tall = len(box.rows) > 1
    match node:
        case Symbol():
            return kind_of_symbol(node)
        case Operator():
            return "large" if node.large else "op"
        case Scripts():
            if isinstance(core(node.base), Fraction):
                return "fence"
            return kind_of(node.base, box) if node.base is not None else "ord"
        case Fraction():
            fenced = node.left or node.right or (not tall and not node.rule)
            return "fence" if fenced else "inner" if tall else "ratio"
        case Delimited():
            return "fence"
        case Environment():
            fenced = bool(node.left or node.right) and not tall
            return "fence" if fenced else "inner"
        case Stack() if len(node.base.items) == 1 and isinstance(node.base.items[0], Operator):
            return kind_of(node.base.items[0], box)
        case Classed(kind="op", body=body):
            large = any(isinstance(item, Operator) and item.large for item in body.items)
            return "large" if large else "op"
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
        case _:
            return "ord"


# Gaps

#: Kinds after which + is a sign: nothing, and all that has no value to add to.
_BEFORE_SIGN = frozenset({None, "open", "bin", "op", "large", "rel", "punct", "sign"})
#: Kinds before which a + cannot add.
_AFTER_SIGN = frozenset({"rel", "close", "punct"})

_TABLE = """
        ord op large bin rel open close punct inner fence ratio sign
ord     0 1 1 1 1 0 0 0 1 0 1 0
op      1 1 1 1 1 0 0 0 1 0 1 1
large   1 1 1 1 1 1 0 0 1 1 1 1
bin     1 1 1 1 1 1 1 1 1 1 1 1
rel     1 1 1 1 0 1 0 0 1 1 1 1
open    0 0 0 0 0 0 0 0 0 0 0 0
close   0 1 1 1 1 0 0 0 1 0 1 0
punct   1 1 1 1 1 1 0 0 1 1 1 1
inner   1 1 1 1 1 1 0 0 1 1 1 1
fence   0 1 1 1 1 0 0 0 1 0 1 0
ratio   1 1 1 1 1 1 0 0 1 1 1 1
sign    0 0 0 0 1 0 0 0 1 0 0 0
"""
_LINES = _TABLE.strip().splitlines()
GAPS: dict[tuple[str, str], int] = {
    (left, right): int(gap)
    for left, *gaps in map(str.split, _LINES[1:])
    for right, gap in zip(_LINES[0].split(), gaps, strict=True)
}
_WORDS = frozenset({"op", "large"})
#: Within scripts only operators keep off what they work on.
SCRIPT_GAPS: dict[tuple[str, str], int] = {
    (left, right): gap
    if {left, right} & _WORDS and {left, right} <= {*_WORDS, "ord", "ratio"}
    else 0
    for (left, right), gap in GAPS.items()
}
#: On one row a script's letters are as large as others, and so are the gaps after commas.
_FLAT_SCRIPT_GAPS = {
    pair: GAPS[pair] if pair[0] == "punct" else gap for pair, gap in SCRIPT_GAPS.items()
}


def resolve(kinds: Sequence[str], chars: Sequence[str], before: str | None) -> list[str]:
    """The kinds of a row with signs told from operators, and opening bars from closing ones.

    `chars[i]` is the character of the i-th atom, "" for what is none; `before` the kind of what
    precedes the row.  The kind "space" is passed over.
    """
    resolved: list[str] = []
    last: str | None = before
    last_bin = -1
    open_bars: list[str] = []
    for index, kind in enumerate(kinds):
        if kind == "bin":
            if last in _BEFORE_SIGN:
                kind = "sign"
            else:
                last_bin = index
        elif kind == "ord" and chars[index] in ("|", "‖"):
            kind = _bar(chars[index], last, open_bars)
        elif last == "bin" and kind in _AFTER_SIGN and last_bin >= 0:
            resolved[last_bin] = "ord"
        resolved.append(kind)
        if kind != "space":
            last = kind
    return resolved


def _bar(char: str, last: str | None, open_bars: list[str]) -> str:
    """Whether a bar opens, closes, or neither can be told."""
    if open_bars and open_bars[-1] == char and last not in _BEFORE_SIGN:
        open_bars.pop()
        return "close"
    if last in _BEFORE_SIGN:
        open_bars.append(char)
        return "open"
    return "ord"


# Two parts side by side whose letters would read as one: x² ³√y, not x²³√y

_SMALL = LOWERED_LETTERS | RAISED_LETTERS
_INDEX = "".join(RAISED_LETTERS)
#: Blanks, and what delimiters, roots and integrals are drawn with.
_STROKES = frozenset(["", *" ⎛⎜⎝⎞⎟⎠⎡⎢⎣⎤⎥⎦⎧⎪⎨⎩⎫⎬⎭│║╓╖╙╜↑↓↕⇑⇓⇕⟨⟩⎰⎱╱╲_─⌠⎮⌡∮┌┐└┘├┤╭╮╰╯"])
_BRACKETS = frozenset("()[]{}⟨⟩|‖")
#: What no script without brackets goes on with: f_θ(x).
_ENDING = frozenset("([{⟨⌈⌊/")
_JOINABLE = frozenset({"ord", "close", "fence", "inner", "ratio"})


def kept_apart(left: Part, right: Part, gap: int) -> int:
    """The cells between two parts, of which `gap` follow from their kinds."""
    if len(right.box.rows) > 1:
        tall = len(left.box.rows) > 1
        if tall and gap < 2 and _meet(left.box, right.box):
            gap += 1
        # Without a gap their delimiters, or their rules, would look like one.
        fences = tall and left.kind == right.kind == "fence"
        if gap == 0 and (fences or _are_ruled(left.box, right.box)):
            gap = 1
    if gap == 0 and left.kind in _JOINABLE:
        return int(_joins(left.box, right.box))
    return gap


def _joins(left: Box, right: Box) -> bool:
    """Whether the index of a root or a script before its base would join what precedes it."""
    row = right.rows[right.baseline]
    if row[:1] not in _SMALL:
        return False
    if row.lstrip(_INDEX).startswith("√"):
        return True
    last = left.rows[left.baseline][-1:]
    letters = LOWERED_LETTERS if row[0] in LOWERED_LETTERS else RAISED_LETTERS
    return last.isdecimal() or last in letters


def is_word(text: str) -> bool:
    """Whether a script needs no brackets: one sign, or letters and digits of full size."""
    shown = text if text.isalnum() else "".join(filter(char_width, text))
    if len(shown) == 1:
        return shown not in _BRACKETS
    return shown.isalnum() and _SMALL.isdisjoint(shown)


def _runs_on(left: Box, right: Box, kind: str) -> bool:
    """Whether a script without brackets, x_Q, would join what stands on its other side."""
    row, after = left.rows[left.baseline], right.rows[right.baseline][:1]
    if after in ("_", "^"):
        return True
    start = max(row.rfind("_"), row.rfind("^")) + 1
    if not start or not is_word(row[start:]):
        return False
    return kind not in ("close", "punct") and after not in _ENDING


def _meet(left: Box, right: Box) -> bool:
    """Whether letters stand at the edges of both on a row above or below the baseline: an index
    hanging from the left one beside a denominator.  Two fractions are told by their rules."""
    if _are_ruled(left, right):
        return False
    shift = right.baseline - left.baseline
    for number, row in enumerate(left.rows):
        other = number + shift
        if other == right.baseline or not 0 <= other < len(right.rows):
            continue
        if row[-1:] not in _STROKES and right.rows[other][:1] not in _STROKES:
            return True
    return False


def _are_ruled(left: Box, right: Box) -> bool:
    return left.rows[left.baseline].endswith("─") and right.rows[right.baseline].startswith("─")


# Fractions on one line among their neighbours: (1/2)x, not 1/2x


def bracket_ratios(parts: list[Part], kinds: list[str]) -> tuple[list[Part], list[str]]:
    """Put brackets around a fraction on one line where its neighbours would join it."""
    if "ratio" not in kinds:
        return parts, kinds
    solid = [i for i, kind in enumerate(kinds) if kind != "space" or parts[i].box.width > 1]
    parts, kinds = list(parts), list(kinds)
    for place, index in enumerate(solid):
        if kinds[index] != "ratio":
            continue
        before, after = solid[max(place - 1, 0) : place], solid[place + 1 : place + 2]
        joined = any(_joins_before(parts[other], kinds[other]) for other in before)
        if joined or any(_joins_after(parts[other], kinds[other]) for other in after):
            parts[index] = Part(bracketed(parts[index].box), "fence", parts[index].node)
            kinds[index] = "fence"
    return parts, kinds


def _joins_before(part: Part, kind: str) -> bool:
    if kind == "ord":
        text = part.box.rows[0]
        return text.isdigit() or text.endswith("/")
    return kind in ("op", "ratio") or isinstance(part.node, Fraction)


def _joins_after(part: Part, kind: str) -> bool:
    if kind == "close":
        return part.box.rows[0].startswith("!")
    return kind in ("ord", "op", "large", "open", "inner", "fence", "ratio")


# Drawing: nodes to parts, parts to a line

N = TypeVar("N")
Drawer = Callable[[Any, RowStyle], Box]

_DRAWERS: dict[type, Drawer] = {}
_BARS = frozenset({"|", "‖"})


def draws(kind: type[N]) -> Callable[[Callable[[N, RowStyle], Box]], Callable[[N, RowStyle], Box]]:
    """Register the function that draws nodes of `kind`."""

    def register(drawer: Callable[[N, RowStyle], Box]) -> Callable[[N, RowStyle], Box]:
        _DRAWERS[kind] = drawer
        return drawer

    return register


#: The multiplication dot as a character that every font has.
_DRAWN_AS = {"⋅": "·"}


@lru_cache(maxsize=4096)
def glyph(char: str, font: str) -> Box:
    return text_box(letter(char, font) if font else _DRAWN_AS.get(char, char))


def draw(node: Node, setting: RowStyle) -> Box:
    return _DRAWERS[type(node)](node, setting)


def draw_row(row: Row, setting: RowStyle, before: str | None = None) -> Box:
    """A row on one line; `before` is the kind of what precedes it, if anything does."""
    items = row.items
    if not items:
        return EMPTY
    if len(items) == 1 and before is None and isinstance(items[0], Symbol):
        return glyph(items[0].char, setting.font)
    line = set_line(row, setting, before)
    return hcat([part.box for part in line.parts], line.gaps) if line.parts else EMPTY


def draw_script(row: Row | None, setting: RowStyle) -> Box | None:
    """A row in the style of a sub- or superscript, if there is one."""
    return draw_row(row, script_of(setting)) if row is not None else None


def set_line(row: Row, setting: RowStyle, before: str | None = None) -> PlacedRow:
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
    parts: Sequence[Part], kinds: Sequence[str], setting: RowStyle, before: str | None
) -> PlacedRow:
    """Put the gaps in: the larger of what the kinds ask for and what the author wrote."""
    table = GAPS
    if setting.script:
        table = _FLAT_SCRIPT_GAPS if setting.flat else SCRIPT_GAPS
    placed: list[Part] = []
    gaps: list[int] = []
    last, written, tight = before, 0, False
    shown: Box | None = None
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
        if gap == 0 and setting.flat and shown and part.box.width:
            gap = int(_runs_on(shown, part.box, kind))
        placed.append(part if part.kind == kind else Part(part.box, kind, part.node))
        gaps.append(gap)
        last, written, tight = kind, 0, False
        shown = part.box if part.box.width else shown
    if written:
        placed.append(Part(blank(written), "space", None))
        gaps.append(0)
    return PlacedRow(placed, gaps)


def _char(node: Node | None) -> str:
    """The character that a symbol is, with scripts or without."""
    if isinstance(node, Scripts):
        node = node.base
    return node.char if isinstance(node, Symbol) else ""


def parts_of(items: Sequence[Node], setting: RowStyle) -> list[Part]:
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
            if kind is Operator or (kind is Scripts and type(item.base) is Operator):  # type: ignore[union-attr]
                item = _joined_to_arg(item, parts)  # type: ignore[arg-type]
            box = _DRAWERS[kind](item, setting)
            parts.append(Part(box, kind_of(item, box), item))
    return parts


def _joined_to_arg(node: Operator | Scripts, parts: list[Part]) -> Operator | Scripts:
    r"""\max after \arg as the one operator "arg max", whose "arg" is taken off the parts."""
    operator = node.base if isinstance(node, Scripts) else node
    if not isinstance(operator, Operator) or operator.large or operator.limits != "display":
        return node
    at = len(parts) - 1
    while at >= 0 and parts[at].kind == "space" and parts[at].box.width < 2:
        at -= 1
    first = parts[at].node if at >= 0 else None
    if not (isinstance(first, Operator) and first.text == "arg"):
        return node
    del parts[at:]
    both = operator._replace(text=f"arg {operator.text}")
    return node._replace(base=both) if isinstance(node, Scripts) else both


def _styled_parts(node: Styled, setting: RowStyle) -> list[Part]:
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


def _cells_of(em: float, setting: RowStyle) -> int:
    """The cells of a space: two to the em, at least one, none for a thin one in a script."""
    if em <= 0 or (setting.script and em < 0.5):
        return 0
    return min(max(1, round(2 * em)), 40)


Adjustment = Callable[[list[Part], RowStyle], list[Part]]

#: What the parts of a row do to one another once all are drawn: delimiters of a given size grow
#: to what stands between them, integrals to what stands after them.
ADJUSTMENTS: list[Adjustment] = []


# Nodes that are drawn in a line or two


@draws(Row)
def _row(node: Row, setting: RowStyle) -> Box:
    return draw_row(node, setting)


@draws(Symbol)
def _symbol(node: Symbol, setting: RowStyle) -> Box:
    return glyph(node.char, setting.font)


@draws(Styled)
def _styled(node: Styled, setting: RowStyle) -> Box:
    return draw_row(Row((node,), node.span), setting)


@draws(Choice)
def _choice(node: Choice, setting: RowStyle) -> Box:
    if setting.script:
        return draw_row(node.scriptscript if setting.script > 1 else node.script, setting)
    return draw_row(node.display if setting.limits else node.text, setting)


@draws(Space)
def _space(node: Space, setting: RowStyle) -> Box:
    return blank(_cells_of(node.em, setting))


@draws(Break)
def _break(_node: Break, _setting: RowStyle) -> Box:
    return blank(2)


@draws(Tag)
def _tag(node: Tag, setting: RowStyle) -> Box:
    tag = draw_row(node.body, setting)
    return hcat((blank(2), tag)) if setting.flat else tag


@draws(Unknown)
def _unknown(node: Unknown, _setting: RowStyle) -> Box:
    return text_box(node.name, "warning")


@draws(Text)
def _text(node: Text, setting: RowStyle) -> Box:
    inner = text_of(font_of(setting, "") if setting.font else setting)
    boxes = [text_box(p) if isinstance(p, str) else draw(p, inner) for p in node.parts]
    box = hcat(boxes) if boxes else EMPTY
    for style in FONT_STYLES.get(node.font, ()):
        box = marked(box, style)
    return box


@draws(Delimited)
def _delimited(node: Delimited, setting: RowStyle) -> Box:
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


def middle_gap(middle: str, setting: RowStyle) -> int:
    r"""The cells on both sides of \middle|, which reads as a relation; a slash does not."""
    return 0 if setting.script or middle in SLASHES else 1


def holds_grid(parts: tuple[Row, ...]) -> bool:
    items = parts[0].items if parts else ()
    return len(parts) == 1 and len(items) == 1 and isinstance(items[0], Environment)
