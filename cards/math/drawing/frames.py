r"""What is done to a whole row: \boxed, \cancel, \phantom and their like."""

from __future__ import annotations

from cards.math.box import Box
from cards.math.drawing.accents import on_each
from cards.math.drawing.boxes import blank, hcat, pad, text_box, vcat
from cards.math.drawing.rows import draw_row, draws
from cards.math.drawing.setting import Setting
from cards.math.tree import Boxed

#: Combining strokes through each character.
_STROKES = {
    "cancel": "\u0338",
    "bcancel": "\u20e5",
    "xcancel": "\u0338",
    "strike": "\u0336",
}


@draws(Boxed)
def _boxed(node: Boxed, setting: Setting) -> Box:
    box = draw_row(node.body, setting)
    if node.how in _STROKES:
        return on_each(box, _STROKES[node.how])
    match node.how:
        case "box":
            return _framed(box, setting)
        case "phantom":
            return blank(box.width, len(box.rows), box.baseline)
        case "hphantom":
            return blank(box.width)
        case "vphantom":
            return blank(0, len(box.rows), box.baseline)
        case "angle":
            return _annuity(box)
        case "phase":
            return hcat((text_box("∠"), box))
    return box


def _framed(box: Box, setting: Setting) -> Box:
    if setting.flat or setting.script:
        return hcat((text_box("["), box, text_box("]"))) if len(box.rows) == 1 else box
    inside = pad(box, 1, 1)
    line = "─" * inside.width
    sides = Box(("│",) * len(box.rows), 1, box.baseline)
    top = Box((f"┌{line}┐",), inside.width + 2, 0)
    bottom = Box((f"└{line}┘",), inside.width + 2, 0)
    return vcat((top, hcat((sides, inside, sides)), bottom), 1)


def _annuity(box: Box) -> Box:
    r"""\angl: a line over and at the right."""
    side = Box(("⎤", *("⎥",) * (len(box.rows) - 1)), 1, box.baseline)
    return hcat((box, side if len(box.rows) > 1 else text_box("⌉")))
