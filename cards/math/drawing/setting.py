"""The circumstances in which a part of a formula is drawn: TeX's styles, for cells."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple

Mode = Literal["display", "inline", "line"]

#: Fractions and roots within one another deeper than this are written on one line.
DEEPEST_STACK = 6


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
    stack = setting.stack and depth < DEEPEST_STACK
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
        return setting._replace(stack=setting.depth < DEEPEST_STACK, limits=True, script=0)
    return setting._replace(limits=False)
