"""The nodes that are drawn in a line or two."""

from __future__ import annotations

from cards.math.box import Box
from cards.math.drawing.boxes import blank, hcat, text_box
from cards.math.drawing.rows import cells_of, draw_row, draws, glyph
from cards.math.drawing.setting import Setting
from cards.math.tree import Break, Choice, Row, Space, Styled, Symbol, Tag, Unknown


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
    return blank(cells_of(node.em, setting))


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
