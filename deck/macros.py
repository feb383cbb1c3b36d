"""The `[math]` table of the settings: LaTeX commands that every card may use."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from cards.text import macro_name

MACROS_HINT = "Write `[math.macros]`, and below it a line each, such as `R = '\\mathbb{R}'`."


def read_macros(table: Any) -> tuple[Mapping[str, str], list[str]]:
    """The macros of a `[math]` table, names with their backslash, and what is odd, in sentences."""
    if not isinstance(table, dict):
        return MappingProxyType({}), ["[math] is not a table."]
    odd = [f"There is no setting {key!a} in [math]." for key in table if key != "macros"]
    written = table.get("macros", {})
    if not isinstance(written, dict):
        return MappingProxyType({}), [*odd, "math.macros is not a table."]
    macros: dict[str, str] = {}
    for key, body in written.items():
        name = macro_name(key)
        if name and isinstance(body, str):
            macros[name] = body
        else:
            odd.append(f"The macro {key!a} is not a command's name with a text.")
    return MappingProxyType(macros), odd
