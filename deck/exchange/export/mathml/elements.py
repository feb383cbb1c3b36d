"""Elements as text, and the circumstances in which a part of a formula is written."""

from __future__ import annotations

from html import escape
from typing import NamedTuple


class Setting(NamedTuple):
    display: bool
    """TeX's display style: limits stand over and under their operators."""
    font: str = ""
    """As `cards.math.tree.Styled` names it; "" for italic letters and upright digits."""
    small: bool = False
    """Within a script."""


def script_of(setting: Setting) -> Setting:
    return setting._replace(display=False, small=True)


def inline_of(setting: Setting) -> Setting:
    return setting._replace(display=False)


def element(name: str, inner: str = "", **attributes: str) -> str:
    """`<name key="value">inner</name>`; `inner` is written already, values are escaped here."""
    if not attributes:
        return f"<{name}>{inner}</{name}>"
    written = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items())
    return f"<{name}{written}>{inner}</{name}>"


def grouped(pieces: list[str]) -> str:
    """One element of several."""
    return pieces[0] if len(pieces) == 1 else element("mrow", "".join(pieces))


def operator(char: str, **attributes: str) -> str:
    return element("mo", escape(char), **attributes)


def fence(char: str) -> str:
    """A delimiter as high as what it stands beside; nothing for an invisible one."""
    return operator(char, fence="true", stretchy="true") if char else ""


def space(em: float) -> str:
    return element("mspace", width=f"{em:.4g}em")
