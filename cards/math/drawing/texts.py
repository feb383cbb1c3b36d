r"""\text{...}: words as they are, formulas in them set in text style."""

from __future__ import annotations

from cards.math.box import Box
from cards.math.drawing.alphabets import FONT_STYLES
from cards.math.drawing.boxes import EMPTY, hcat, marked, text_box
from cards.math.drawing.rows import draw, draws
from cards.math.drawing.setting import Setting, font_of, text_of
from cards.math.tree import Text


@draws(Text)
def _text(node: Text, setting: Setting) -> Box:
    inner = text_of(font_of(setting, "") if setting.font else setting)
    boxes = [text_box(p) if isinstance(p, str) else draw(p, inner) for p in node.parts]
    box = hcat(boxes) if boxes else EMPTY
    for style in FONT_STYLES.get(node.font, ()):
        box = marked(box, style)
    return box
