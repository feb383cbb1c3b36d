"""Two parts side by side whose letters would read as one: x² ³√y, not x²³√y."""

from __future__ import annotations

from cards.math.box import Box
from cards.math.drawing.parts import Part
from cards.math.drawing.script_letters import LOWERED_LETTERS, RAISED_LETTERS

_SMALL = LOWERED_LETTERS | RAISED_LETTERS
_INDEX = "".join(RAISED_LETTERS)
#: Blanks, and what delimiters, roots and integrals are drawn with.
_STROKES = frozenset(["", *" ⎛⎜⎝⎞⎟⎠⎡⎢⎣⎤⎥⎦⎧⎪⎨⎩⎫⎬⎭│║╓╖╙╜↑↓↕⇑⇓⇕⟨⟩⎰⎱╱╲_─⌠⎮⌡∮┌┐└┘├┤╭╮╰╯"])
_JOINABLE = frozenset({"ord", "close", "fence", "inner", "ratio"})


def kept_apart(left: Part, right: Part, gap: int) -> int:
    """The cells between two parts, of which `gap` follow from their kinds."""
    if len(right.box.rows) > 1:
        if len(left.box.rows) > 1 and gap < 2 and _meet(left.box, right.box):
            gap += 1
        if gap == 0 and _run_together(left, right):
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


def _run_together(left: Part, right: Part) -> bool:
    """Whether two tall parts without a gap would look like one: their rules, their delimiters."""
    if left.kind == right.kind == "fence" and len(left.box.rows) > 1:
        return True
    return _are_ruled(left.box, right.box)


def _are_ruled(left: Box, right: Box) -> bool:
    return left.rows[left.baseline].endswith("─") and right.rows[right.baseline].startswith("─")
