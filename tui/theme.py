"""Which theme the app opens with, and keeping the one that was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

DARK, LIGHT = "textual-dark", "textual-light"
_LONGEST = 100


def first_theme(environment: Mapping[str, str]) -> str:
    """`TEXTUAL_THEME`, else the one chosen last, else what suits the terminal's background."""
    return environment.get("TEXTUAL_THEME", "") or kept_theme() or terminal_theme(environment)


def terminal_theme(environment: Mapping[str, str]) -> str:
    """Light where the terminal says that its background is (COLORFGBG), dark otherwise."""
    background = environment.get("COLORFGBG", "").rpartition(";")[2]
    return LIGHT if background in ("7", "15") else DARK


def kept_theme() -> str:
    """The name that was chosen last; empty where none was, or it cannot be read."""
    try:
        with _file().open(encoding="utf-8") as file:
            return file.read(_LONGEST).strip()
    except (OSError, ValueError):
        return ""


def keep_theme(name: str) -> str:
    """Keep a choice for the next start; returns why it could not be, in a sentence."""
    path = _file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{name}\n", encoding="utf-8")
    except OSError as error:
        return f"The theme could not be kept in {path}: {error.strerror or error}."
    return ""


def _file() -> Path:
    from platformdirs import user_state_path

    return user_state_path("deltadeck") / "theme"
