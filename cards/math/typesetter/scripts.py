r"""Sub- and superscripts, limits and primes; integrals and sized delimiters.

Scripts stand on the baseline in Unicode's small letters where every character has one; else in a
row below or above, the two at the same column, or where all is on one row as x_Q and x^(a/b).  A
tall base carries them at its first and last row.
"""

from __future__ import annotations

from itertools import takewhile
from typing import NamedTuple

from cards.math.tree import (
    Accent,
    Arrow,
    Boxed,
    Brace,
    Classed,
    Delimited,
    Environment,
    Fraction,
    Node,
    Operator,
    Root,
    Row,
    Scripts,
    Stack,
    Styled,
    Symbol,
    Text,
)
from cards.math.typesetter.box import (
    EMPTY,
    Align,
    Box,
    blank,
    bracketed,
    extent,
    fenced,
    hcat,
    is_centred,
    lowered,
    pad,
    raised,
    stretched,
    text_box,
    vcat,
    with_baseline,
)
from cards.math.typesetter.rows import (
    ADJUSTMENTS,
    Part,
    RowStyle,
    core,
    draw,
    draw_row,
    draw_script,
    draws,
    is_word,
)

#: Over, then under.
_SIGNS = {"brace": "⏞⏟", "bracket": "⎴⎵", "paren": "⏜⏝", "line": "⎴⎵", "": "┴┬"}
_PRIMES = {1: "′", 2: "″", 3: "‴", 4: "⁗"}


class ScriptPair(NamedTuple):
    """What stands low and high at a base: drawn, and in small letters where they exist."""

    sub: Box | None
    sup: Box | None
    primes: str
    small_sub: Box | None
    small_sup: Box | None

    @property
    def is_small(self) -> bool:
        """Whether all of it exists in small letters."""
        return bool((self.sub is None or self.small_sub) and (self.sup is None or self.small_sup))


def pair(sub: Box | None, sup: Box | None, primes: str = "") -> ScriptPair:
    return ScriptPair(sub, sup, primes, sub and lowered(sub), sup and raised(sup))


def drawn_pair(node: Scripts, setting: RowStyle) -> ScriptPair:
    """The scripts of `node`, primes told from the rest."""
    rest, primes = node.sup, 0
    if node.sup is not None:
        items = node.sup.items
        primes = sum(1 for _ in takewhile(_is_prime, items))
        if primes:
            rest = Row(items[primes:], node.sup.span) if items[primes:] else None
    signs = _PRIMES.get(primes, "′" * primes)
    drawn = pair(draw_script(node.sub, setting), draw_script(rest, setting), signs)
    return drawn._replace(small_sub=None) if setting.flat and _is_upright_word(node.sub) else drawn


def _is_upright_word(script: Row | None) -> bool:
    """Whether it is upright letters, which nobody reads once they are small: S_prev."""
    match script:
        case Row(items=(Text(parts=(str(text),)),)):
            return len(text) > 2 and text.isalpha()
        case Row(items=(Styled(style="roman", body=Row(items=letters)),)):
            return len(letters) > 2 and all(isinstance(letter, Symbol) for letter in letters)
    return False


def _is_prime(node: Node) -> bool:
    return isinstance(node, Symbol) and node.name == "prime"


@draws(Operator)
def _operator(node: Operator, setting: RowStyle) -> Box:  # noqa: ARG001
    return text_box(node.text)


@draws(Scripts)
def _scripts(node: Scripts, setting: RowStyle) -> Box:
    if isinstance(node.base, Symbol) and node.limits is None:  # nine of ten
        return attach(draw(node.base, setting), drawn_pair(node, setting), setting)
    node = merged(node)
    about = core(node.base)
    if setting.flat and isinstance(about, Brace):
        return labelled(about, node.sup, node.sub, setting)
    base = draw(node.base, setting) if node.base is not None else EMPTY
    scripts = drawn_pair(node, setting)
    always = in_display = False  # whether the base carries them over and under it
    match about:
        case Operator(limits="always") | Brace():
            always = True
        case Operator(limits="display") | Classed(kind="op"):
            in_display = True
    limits = node.limits
    if limits is None:
        limits = always or (setting.limits and in_display)
    if limits and not setting.flat:
        return _over_and_under(_primed(base, scripts), scripts.sub, scripts.sup)
    shown = scripts.primes or any(box and box.width for box in (scripts.sub, scripts.sup))
    if shown and _needs_brackets(node, base, setting.flat):
        base = fenced("(", base, ")")
    # Scripts that do not fit beside such a base stand over and under it after all.
    under = node.limits is None and in_display
    return attach(base, scripts, setting, under, _is_level(node.base))


def _primed(base: Box, scripts: ScriptPair) -> Box:
    return hcat((base, text_box(scripts.primes))) if scripts.primes else base


def _over_and_under(base: Box, sub: Box | None, sup: Box | None) -> Box:
    stack = [box for box in (sup, base, sub) if box is not None]
    return vcat(stack, 0 if sup is None else 1) if len(stack) > 1 else base


def attach(
    base: Box, scripts: ScriptPair, setting: RowStyle, under: bool = False, level: bool = False
) -> Box:
    """`base` with its scripts at its right; `under`: a low one that no small letters exist for
    goes under the base instead, and the high one over it; `level`: at the baseline of a base
    that has more rows only for what is set over or under it."""
    if setting.flat and len(base.rows) == 1:
        return _on_one_row(base, scripts)
    if len(base.rows) > 1 and not level:
        return _beside_tall(base, scripts)
    sub, sup, _, small_sub, small_sup = scripts
    high = sup if small_sup is None else None
    low = sub if small_sub is None else None
    base = _primed(base, scripts)
    beside = [box for box in (small_sub, small_sup) if box is not None]
    if high is None and low is None:
        return hcat((base, *beside))
    if under and low is not None:
        return _over_and_under(base, sub, sup)
    if len(base.rows) > 1:
        base = pad(base, right=1)
    middle = beside[0] if beside else blank(0)
    column = [box for box in (high, middle, low) if box is not None]
    return hcat((base, vcat(column, 0 if high is None else 1, "l")))


def _beside_tall(base: Box, scripts: ScriptPair) -> Box:
    """Scripts of a base of several rows: the high one ends at its first row, the low one
    starts at its last; a row further out where that row is the baseline itself."""
    sub, sup, primes, small_sub, small_sup = scripts
    last = len(base.rows) - 1
    # The two are of one size.
    high, low = (small_sup, small_sub) if scripts.is_small else (sup, sub)
    if primes:
        high = hcat((text_box(primes), high)) if high is not None else text_box(primes)
    column = [blank(0)] if high is None else [high]
    out_high = high is not None and high is sup and base.baseline == 0
    out_low = low is not None and low is sub and base.baseline == last
    between = last - 1 + out_high + out_low
    if between:
        column.append(blank(0, between))
    column.append(blank(0) if low is None else low)
    stack = vcat(column, 0, "l")
    baseline = base.baseline + len(column[0].rows) - 1 + out_high
    return hcat((base, with_baseline(stack, baseline)))


def _on_one_row(base: Box, scripts: ScriptPair) -> Box:
    """On one row: small letters first, then x_max and x^(a/b).  A comma is as large as any other,
    so that a script with one stands in brackets."""
    parts, large = [_primed(base, scripts)], []
    sides = (("_", scripts.sub, scripts.small_sub), ("^", scripts.sup, scripts.small_sup))
    for sign, script, small in sides:
        if script is None or not script.width:
            continue
        text = script.rows[0]
        if small is not None and "," not in text:
            parts.append(small)
        else:
            large += [text_box(sign), script if _is_closed(text) else _enclosed(script)]
    return hcat(parts + large)


def _is_closed(text: str) -> bool:
    """Whether a script ends where one sees it end: x_Q, x^(Q), x_[0, n]."""
    ends, inner = text[0] + text[-1], text[1:-1]
    simple = ends == "[]" and inner[:1] not in ("(", "") and not set(inner) & set("[]")
    return simple or is_word(text) or (ends == "()" and is_word(inner))


def _enclosed(script: Box) -> Box:
    """In brackets, other than those that it begins with: max_[(i, j)∈Ω]."""
    text = script.rows[0]
    left, right = "[]" if text.startswith("(") else "()"
    return hcat((text_box(left), script, text_box(right)))


@draws(Stack)
def _stack(node: Stack, setting: RowStyle) -> Box:
    if setting.flat and node.kind == "ord":
        return labelled(node, node.over, node.under, setting)
    base = draw_row(node.base, setting)
    over, under = draw_script(node.over, setting), draw_script(node.under, setting)
    if setting.flat:
        return attach(base, pair(under, over), setting)
    return _over_and_under(base, under, over)


def labelled(node: Brace | Stack, over: Row | None, under: Row | None, setting: RowStyle) -> Box:
    """What has a label over or under it: (a + b ⏞ n), which reads as no power."""
    body = draw_row(node.base, setting)
    if over is None and under is None:
        return body if body.width < 2 else bracketed(body)
    shape = node.shape if isinstance(node, Brace) else ""
    pieces = [body]
    for index, label in enumerate((draw_script(over, setting), draw_script(under, setting))):
        if label is not None:
            here = isinstance(node, Stack) or node.over == (index == 0)
            sign = _SIGNS[shape if here else ""][index]
            pieces += (text_box(f" {sign} "), label)
    return bracketed(hcat(pieces))


# Bases.  In print a script's height tells `(a/b)²` from a squared numerator and `(√x)²` from a
# longer root; rows of cells do not, so that such a base gets brackets

#: Of \cancel and its like: what leaves the base as it is.
_SEEN_THROUGH = frozenset({"cancel", "bcancel", "xcancel", "strike", "smash", "lap"})


def _is_level(node: Node | None) -> bool:
    """Whether what is over or under a base is set at it, so that scripts stand on its own row."""
    node = core(node)
    if isinstance(node, Classed):
        node = core(node.body)
    return isinstance(node, Accent | Arrow | Brace | Stack)


def merged(node: Scripts) -> Scripts:
    """`{x_i}^2` as `x_i^2`: a symbol's scripts in one node, where their places are free."""
    inner = node.base
    while isinstance(inner, Row) and len(inner.items) == 1:
        inner = inner.items[0]
    if not isinstance(inner, Scripts) or inner is node.base or inner.limits is not None:
        return node
    if not isinstance(core(inner.base), Symbol) or not _are_free(inner, node):
        return node
    primes = inner.sup.items if inner.sup else ()
    sup = Row((*primes, *(node.sup.items if node.sup else ())), node.span)
    return Scripts(
        inner.base, inner.sub or node.sub, sup if sup.items else None, node.limits, node.span
    )


def _needs_brackets(node: Scripts, box: Box, flat: bool) -> bool:
    """Whether the base of `node`, drawn as `box`, could lose a script to one of its parts."""
    base = core(node.base)
    last = _last(base)
    if isinstance(last, Scripts) and not _are_free(last, node):
        return True
    return _is_open(base, box, flat)


def _last(node: Node | None) -> Node | None:
    """What stands right before the scripts of a node: {ax^2}^3 is not ax²³."""
    while True:
        match node := core(node):
            case Row(items=(*_, last)):
                node = last
            case Accent(base=body) | Stack(base=body):
                node = body
            case Boxed(how=how, body=body) if how in _SEEN_THROUGH:
                node = body
            case _:
                return node


def _is_open(node: Node | None, box: Box, flat: bool) -> bool:
    tall = len(box.rows) > 1
    match core(node):
        case Fraction(rule=rule, right=right):
            return not right and (rule or not flat)
        case Root():
            return True
        case Row(items=items):
            return tall and bool(items) and not _closes(items[-1])
        case Environment(right=right, columns=columns):
            return tall and not right and not columns.endswith(("|", ":"))
        case Delimited(left="", right="", parts=parts):
            return tall or _is_open(parts[0], box, flat)
        case Boxed(how=how, body=body):
            return how in _SEEN_THROUGH and _is_open(body, box, flat)
        case Classed(kind=kind, body=body):
            return (kind != "op" or len(body.items) == 1) and _is_open(body, box, flat)
        case Stack(base=body):
            return isinstance(core(body), Fraction | Root | Environment)
        case Accent(base=body):
            return len(box.rows) > 2 or isinstance(core(body), Fraction | Root)
        case Scripts():
            return tall
    return False


def _closes(node: Node) -> bool:
    """Whether a bracket ends what a row ends with."""
    last = core(node)
    while isinstance(last, Scripts):
        last = core(last.base)
    if isinstance(last, Symbol):
        return last.kind == "close" or last.char in ("|", "‖")
    return isinstance(last, Delimited | Environment | Fraction) and bool(last.right)


def _are_free(inner: Scripts, outer: Scripts) -> bool:
    """Whether the places of the outer scripts are free at the inner ones; primes leave theirs."""
    high = inner.sup is not None and not all(map(_is_prime, inner.sup.items))
    return not (high and outer.sup is not None) and (inner.sub is None or outer.sub is None)


# \sideset: scripts at the four corners of an operator, all of one size


@draws(Classed)
def _classed(node: Classed, setting: RowStyle) -> Box:
    items = node.body.items
    # An operator with scripts that stand at nothing, before or after it.
    alone = sum(isinstance(item, Scripts) and item.base is None for item in items)
    has_corners = alone == len(items) - 1 > 0 and any(isinstance(i, Operator) for i in items)
    if node.kind != "op" or not has_corners:
        return draw_row(node.body, setting)
    pairs = [drawn_pair(i, setting) if isinstance(i, Scripts) else None for i in items]
    small = all(pair is None or pair.is_small for pair in pairs)
    boxes: list[Box] = []
    align: Align = "r"
    for item, pair in zip(items, pairs, strict=True):
        if pair is None:
            boxes.append(draw(item, setting))
            align = "l"
        elif small or setting.flat:
            boxes.append(attach(EMPTY, pair, setting))
        else:  # the high one a row over the baseline, the low one a row under it
            high = hcat([text_box(pair.primes), pair.sup or EMPTY])
            boxes.append(vcat((high, blank(0), pair.sub or EMPTY), 1, align))
    return hcat(boxes)


# Integrals as high as what they are over: ⌠⎮⌡

#: What stands in the middle of the stretched sign, and how many signs there are.
_MIDDLES = {"∫": ("⎮", 1), "∬": ("⎮", 2), "∭": ("⎮", 3), "⨌": ("⎮", 4), "∮": ("∮", 1)}


def _stretch_integrals(parts: list[Part], setting: RowStyle) -> list[Part]:
    """Redraw the integrals of a display whose operand, or whose limits, need more than a row."""
    if not setting.stack or not setting.limits or not any(map(_integral, parts)):
        return parts
    stretched: list[Part] = []
    # From the right, so that the operand is known: all to the next relation.
    reach = 0
    for part in reversed(parts):
        if sign := _integral(part):
            part = part._replace(box=_drawn(part, sign, reach, setting))
        stretched.append(part)
        apart = part.kind == "rel" or (part.kind == "space" and part.box.width > 1)
        reach = 0 if apart else max(reach, *extent((part.box,)))
    return stretched[::-1]


def _integral(part: Part) -> Operator | None:
    if part.kind != "large":
        return None
    base = core(part.node.base) if isinstance(part.node, Scripts) else part.node
    return base if isinstance(base, Operator) and base.text in _MIDDLES else None


def _drawn(part: Part, sign: Operator, reach: int, setting: RowStyle) -> Box:
    node = part.node
    if not isinstance(node, Scripts):
        return _sign(sign, reach) if reach else part.box
    scripts = drawn_pair(node, setting)
    if node.limits or (scripts.is_small and not reach):
        return part.box
    return attach(_sign(sign, max(reach, 1)), scripts, setting)


def _sign(node: Operator, reach: int) -> Box:
    middle, count = _MIDDLES[node.text]
    stem = "⎮" * count
    rows = ["⌠" * count, *[stem] * (2 * reach - 1), "⌡" * count]
    rows[reach] = middle * count
    return Box(tuple(rows), count, reach)


ADJUSTMENTS.append(_stretch_integrals)


# Sized delimiters, \big( ... \big).  TeX makes them as high as their author says; of cells there
# are too few sizes for that, and what the author meant is to span the content


class _OpenDelimiter(NamedTuple):
    """An opening delimiter that waits for its partner."""

    indexes: list[int]
    """Of itself, and of the bars between the two."""
    boxes: list[Box]
    """The tall ones after it."""


def _grow_sized(parts: list[Part], setting: RowStyle) -> list[Part]:
    """Redraw the sized delimiters: with a partner as high as what is between them, else as the
    whole row."""
    if not any(map(_sized, parts)):
        return parts
    heights: dict[int, tuple[int, int]] = {}
    whole = extent(part.box for part in parts)
    opened: list[_OpenDelimiter] = []
    for index, part in enumerate(parts):
        sized = _sized(part)
        if sized and part.kind == "open":
            opened.append(_OpenDelimiter([index], []))
        elif sized and part.kind == "close" and opened:
            pair = opened.pop()
            between = extent(pair.boxes)
            heights |= dict.fromkeys((*pair.indexes, index), between)
            if opened and sum(between):
                opened[-1].boxes.append(Box(("",) * (sum(between) + 1), 0, between[0]))
        elif sized and opened:
            opened[-1].indexes.append(index)
        elif sized:
            heights[index] = whole
        elif opened and len(part.box.rows) > 1:
            opened[-1].boxes.append(part.box)
    for pair in opened:
        heights |= dict.fromkeys(pair.indexes, whole)
    grown = list(parts)
    for index, (above, below) in heights.items():
        part, symbol = parts[index], _sized(parts[index])
        if symbol is None or not above + below:
            continue
        if is_centred(symbol.char):
            above = below = max(above, below)
        box = stretched(symbol.char, above, below)
        if isinstance(part.node, Scripts):
            box = attach(box, drawn_pair(part.node, setting), setting)
        grown[index] = part._replace(box=box)
    return grown


def _sized(part: Part) -> Symbol | None:
    node = part.node.base if isinstance(part.node, Scripts) else part.node
    return node if isinstance(node, Symbol) and node.size else None


ADJUSTMENTS.append(_grow_sized)
