"""What a LaTeX command of one's own may be called; without the parser, for who reads settings."""

from __future__ import annotations

import re


def macro_name(key: str) -> str:
    r"""A command's name with its backslash, from "R" or "\R"; empty where it is none."""
    name = "\\" + key.strip().removeprefix("\\")
    return name if re.fullmatch(r"\\([A-Za-z]{1,60}|[^A-Za-z\s])", name) else ""
