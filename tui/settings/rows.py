"""A setting's row: what it is called, its value, and whose that is."""

from __future__ import annotations

from textual.content import Content

from deck.settings import THEME, Setting
from tui.text import one_line

_LABEL, _VALUE = 22, 22


def row_of(setting: Setting, value: str, is_own: bool, is_course: bool) -> Content:
    """`is_own`: it is set here; `is_course`: here is a course, not the collection."""
    return Content.assemble(
        f"  {setting.label}".ljust(_LABEL),
        ((one_line(value) or "–").ljust(_VALUE), "bold" if is_own else ""),
        ("" if is_own else _from(setting, value, is_course), "dim"),
    )


def _from(setting: Setting, value: str, is_course: bool) -> str:
    """Where a value comes from that is not set here."""
    if setting.key == THEME:
        return "as the terminal"
    if setting.scope == "course":
        return "not set"
    return "as the collection" if is_course and value else "default"
