"""Styles, the kinds of atoms, and the gaps between them.

The gaps are TeX's (The TeXbook, chapter 18), in whole cells.  To its classes come those that cells
need:

    sign    a plus or minus with nothing before it to add to
    large   an operator such as ∑, which stays off a bracket too
    fence   brackets with what they hold: "open" on its left, "close" on its right
    ratio   a fraction on one line
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from cards.math.tree import (
    Arrow,
    Boxed,
    Brace,
    Classed,
    Delimited,
    Environment,
    Fraction,
    Node,
    Operator,
    Row,
    Scripts,
    Stack,
    Styled,
    Symbol,
    Unknown,
)
from cards.math.typesetter.box import LOWERED_LETTERS, RAISED_LETTERS, Box, hcat, text_box

# The circumstances in which a part is drawn: TeX's styles, for cells

Mode = Literal["display", "inline", "line"]

#: Fractions and roots within one another deeper than this are written on one line.
_DEEPEST_STACK = 6


class Setting(NamedTuple):
    stack: bool
    """Fractions stand on two lines with a rule, roots have a roof."""
    limits: bool
    """Limits stand over and under their operator."""
    script: int = 0
    """1 within a sub- or superscript (no gaps, fractions on one line), 2 within one of that."""
    flat: bool = False
    """Everything on one row."""
    font: str = ""
    """The alphabet of letters: "", "bb", "cal", "scr", "frak"."""
    alone: bool = False
    """The node is the whole formula: no baseline beside it asks for an axis."""
    depth: int = 0
    """How many fractions and roots are around."""


DISPLAY = Setting(stack=True, limits=True)
INLINE = Setting(stack=False, limits=False)
LINE = Setting(stack=False, limits=False, flat=True)

SETTINGS: dict[Mode, Setting] = {"display": DISPLAY, "inline": INLINE, "line": LINE}


@lru_cache(maxsize=256)
def script_of(setting: Setting) -> Setting:
    """That of a sub- or superscript."""
    level = min(setting.script + 1, 2)
    return setting._replace(stack=False, limits=False, script=level, alone=False)


@lru_cache(maxsize=256)
def alone_of(setting: Setting, alone: bool) -> Setting:
    """That of a node which is the whole formula, or of what is in it."""
    return setting._replace(alone=alone)


@lru_cache(maxsize=256)
def text_of(setting: Setting) -> Setting:
    """That of a cell of a matrix: limits beside their operators."""
    return setting._replace(limits=False)


@lru_cache(maxsize=256)
def inner_of(setting: Setting) -> Setting:
    """That of a numerator, a denominator, a radicand."""
    depth = setting.depth + 1
    stack = setting.stack and depth < _DEEPEST_STACK
    return setting._replace(stack=stack, limits=False, depth=depth)


@lru_cache(maxsize=256)
def font_of(setting: Setting, font: str) -> Setting:
    return setting._replace(font=font)


@lru_cache(maxsize=256)
def style_of(setting: Setting, style: str) -> Setting:
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
    """Of cards/math/spacing.py, or "space" (the box is then as wide as the space)."""
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
    """The kind of a drawn node among its neighbours; the first one of spacing.py's table."""
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
        joined = False
        for before in solid[place - 1 : place] if place else ():
            joined = _joins_before(parts[before], kinds[before])
        for after in solid[place + 1 : place + 2]:
            joined = joined or _joins_after(parts[after], kinds[after])
        if joined:
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


def bracketed(box: Box) -> Box:
    return hcat((text_box("("), box, text_box(")")))
