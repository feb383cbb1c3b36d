"""Sub- and superscripts, limits and primes.

On the baseline in Unicode's small letters where every character has one; else in a row below or
above, the two at the same column.  A tall base carries them at its first and last row.
"""

from __future__ import annotations

from typing import NamedTuple

from cards.math.box import Box
from cards.math.drawing.bases import is_level, merged, needs_brackets
from cards.math.drawing.boxes import EMPTY, blank, hcat, pad, text_box, vcat
from cards.math.drawing.delimiters import fenced
from cards.math.drawing.kinds import core
from cards.math.drawing.ratios import bracketed
from cards.math.drawing.rows import draw, draw_row, draws
from cards.math.drawing.script_letters import lowered, raised
from cards.math.drawing.setting import Setting, script_of
from cards.math.tree import Brace, Classed, Node, Operator, Row, Scripts, Stack, Symbol

_BRACKETS = frozenset("()[]{}⟨⟩|‖")
#: Over, then under.
_SIGNS = {"brace": "⏞⏟", "bracket": "⎴⎵", "paren": "⏜⏝", "line": "⎴⎵", "": "┴┬"}
_PRIMES = {1: "′", 2: "″", 3: "‴", 4: "⁗"}


class Pair(NamedTuple):
    """What stands low and high at a base: drawn, and in small letters where they exist."""

    sub: Box | None
    sup: Box | None
    primes: str
    small_sub: Box | None
    small_sup: Box | None


def pair(sub: Box | None, sup: Box | None, primes: str = "") -> Pair:
    return Pair(sub, sup, primes, sub and lowered(sub), sup and raised(sup))


def drawn_pair(node: Scripts, setting: Setting) -> Pair:
    """The scripts of `node`, primes told from the rest."""
    small = script_of(setting)
    primes, rest = _split_primes(node.sup)
    sub = draw_row(node.sub, small) if node.sub is not None else None
    sup = draw_row(rest, small) if rest is not None else None
    return pair(sub, sup, primes)


def _split_primes(sup: Row | None) -> tuple[str, Row | None]:
    if sup is None:
        return "", None
    count = 0
    for item in sup.items:
        if not (isinstance(item, Symbol) and item.name == "prime"):
            break
        count += 1
    if not count:
        return "", sup
    rest = sup.items[count:]
    return _PRIMES.get(count, "′" * count), Row(rest, sup.span) if rest else None


@draws(Operator)
def _operator(node: Operator, setting: Setting) -> Box:  # noqa: ARG001
    return text_box(node.text)


@draws(Scripts)
def _scripts(node: Scripts, setting: Setting) -> Box:
    if isinstance(node.base, Symbol) and node.limits is None:  # nine of ten
        return attach(draw(node.base, setting), drawn_pair(node, setting), setting)
    node = merged(node)
    braced = core(node.base)
    if setting.flat and isinstance(braced, Brace):
        return labelled(braced, node.sup, node.sub, setting)
    base = draw(node.base, setting) if node.base is not None else EMPTY
    scripts = drawn_pair(node, setting)
    if takes_limits(node, setting):
        primed = hcat((base, text_box(scripts.primes))) if scripts.primes else base
        return _over_and_under(primed, scripts.sub, scripts.sup)
    if needs_brackets(node, base, setting.flat) and not _is_empty(scripts):
        base = fenced("(", base, ")")
    return attach(base, scripts, setting, _may_stand_under(node), is_level(node.base))


def _is_empty(scripts: Pair) -> bool:
    return not (scripts.primes or any(box and box.width for box in (scripts.sub, scripts.sup)))


def takes_limits(node: Scripts, setting: Setting) -> bool:
    """Whether the scripts stand over and under their base."""
    if setting.flat:
        return False
    if node.limits is not None:
        return node.limits
    base = core(node.base)
    if isinstance(base, Brace):
        return True
    if isinstance(base, Operator) and base.limits == "always":
        return True
    return setting.limits and _has_limits_in_display(base)


def _has_limits_in_display(base: Node | None) -> bool:
    if isinstance(base, Operator):
        return base.limits == "display"
    return isinstance(base, Classed) and base.kind == "op"


def _may_stand_under(node: Scripts) -> bool:
    """Whether scripts that do not fit beside the base stand over and under it after all."""
    return node.limits is None and _has_limits_in_display(core(node.base))


def _over_and_under(base: Box, sub: Box | None, sup: Box | None) -> Box:
    stack = [box for box in (sup, base, sub) if box is not None]
    return vcat(stack, 0 if sup is None else 1) if len(stack) > 1 else base


def attach(
    base: Box, scripts: Pair, setting: Setting, under: bool = False, level: bool = False
) -> Box:
    """`base` with its scripts at its right; `under`: a low one that no small letters exist for
    goes under the base instead, and the high one over it; `level`: at the baseline of a base
    that has more rows only for what is set over or under it."""
    if setting.flat:
        return _on_one_row(base, scripts)
    if len(base.rows) > 1 and not level:
        return _beside_tall(base, scripts)
    sub, sup, primes, small_sub, small_sup = scripts
    high = sup if small_sup is None else None
    low = sub if small_sub is None else None
    if primes:
        base = hcat((base, text_box(primes)))
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


def _beside_tall(base: Box, scripts: Pair) -> Box:
    """Scripts of a base of several rows: the high one ends at its first row, the low one
    starts at its last; a row further out where that row is the baseline itself."""
    sub, sup, primes, small_sub, small_sup = scripts
    last = len(base.rows) - 1
    # The two are of one size.
    small = (sub is None or small_sub is not None) and (sup is None or small_sup is not None)
    high, low = (small_sup, small_sub) if small else (sup, sub)
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
    return hcat((base, Box(stack.rows, stack.width, baseline, stack.marks)))


def _on_one_row(base: Box, scripts: Pair) -> Box:
    """In one-line mode: small letters, else x_(max) and x^(a/b)."""
    parts = [base]
    if scripts.primes:
        parts.append(text_box(scripts.primes))
    if scripts.sub is not None and scripts.sub.width:
        parts.append(scripts.small_sub or _written("_", scripts.sub))
    if scripts.sup is not None and scripts.sup.width:
        parts.append(scripts.small_sup or _written("^", scripts.sup))
    return hcat(parts)


def _written(sign: str, script: Box) -> Box:
    text = script.rows[0]
    if len(text) == 1 and text not in _BRACKETS:
        return hcat((text_box(sign), script))
    return hcat((text_box(sign + "("), script, text_box(")")))


@draws(Stack)
def _stack(node: Stack, setting: Setting) -> Box:
    if setting.flat and node.kind == "ord":
        return labelled(node, node.over, node.under, setting)
    base = draw_row(node.base, setting)
    small = script_of(setting)
    over = draw_row(node.over, small) if node.over is not None else None
    under = draw_row(node.under, small) if node.under is not None else None
    if setting.flat:
        return attach(base, pair(under, over), setting)
    return _over_and_under(base, under, over)


def labelled(node: Brace | Stack, over: Row | None, under: Row | None, setting: Setting) -> Box:
    """What has a label over or under it: (a + b ⏞ n), which reads as no power."""
    body = draw_row(node.base, setting)
    if over is None and under is None:
        return body if body.width < 2 else bracketed(body)
    shape = node.shape if isinstance(node, Brace) else ""
    pieces = [body]
    for index, label in enumerate((over, under)):
        if label is not None:
            here = isinstance(node, Stack) or node.over == (index == 0)
            sign = _SIGNS[shape if here else ""][index]
            pieces += (text_box(f" {sign} "), draw_row(label, script_of(setting)))
    return bracketed(hcat(pieces))
