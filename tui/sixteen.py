"""Themes of the terminal's own sixteen colours, on its own background.

They are for terminals that have no more (the Linux console), for NO_COLOR, where nothing of the
colours is left but all else has to tell the same, and for whoever likes the colours of the
terminal.  Where they are shown, `:ansi` holds in the style sheets: what a background tells
elsewhere is told there by reverse video, bold, or a sign.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.theme import SIXTEEN_DARK, SIXTEEN_LIGHT

if TYPE_CHECKING:
    from textual.theme import Theme

#: Of numbers in a grid, from small to large; and the share of the theme's colour in the last.
SHADES, _DEEPEST = 5, 0.45
_BOTH = {
    **{f"{role}-muted": "ansi_default" for role in ("primary", "warning", "error", "success")},
    **{f"shade{step}": "" for step in range(SHADES + 1)},
    **{"shade0": "dim", "shade1": "dim"},
    "ansi-background": "ansi_default",
    "ansi-foreground": "ansi_default",
    "block-cursor-background": "ansi_default",
    "block-cursor-foreground": "ansi_default",
    "block-cursor-text-style": "reverse",
    "block-cursor-blurred-text-style": "reverse",
    "input-cursor-background": "ansi_default",
    "input-cursor-foreground": "ansi_default",
    "input-cursor-text-style": "reverse",
    "input-selection-background": "ansi_cyan",
    "input-selection-foreground": "ansi_black",
    "screen-selection-background": "ansi_cyan",
    "screen-selection-foreground": "ansi_black",
    "scrollbar-background": "ansi_default",
    "scrollbar-background-hover": "ansi_default",
    "scrollbar-background-active": "ansi_default",
    "footer-key-foreground": "ansi_default",
}


def shades(theme: Theme) -> dict[str, str]:
    """Styles of numbers in a grid: `$shade0` to `$shade5`, grounds of the theme's colour, deeper
    for the larger ones; and `$lit`, for one that stands out.  The sixteen have their own."""
    from textual.color import Color

    colour = Color.parse(theme.primary)
    grounds = (colour.with_alpha(_DEEPEST * step / SHADES).hex for step in range(1, SHADES + 1))
    lit = {"lit": f"auto on {theme.success or theme.secondary or theme.primary}"}
    return {"shade0": "", **lit} | {f"shade{n}": f"on {each}" for n, each in enumerate(grounds, 1)}


def sixteen() -> tuple[Theme, Theme]:
    """For a dark background the bright colours, which are read there; for a light one the deep."""
    from textual.theme import Theme

    dark = Theme(
        name=SIXTEEN_DARK,
        ansi=True,
        dark=True,
        primary="ansi_bright_cyan",
        secondary="ansi_cyan",
        warning="ansi_bright_yellow",
        error="ansi_bright_red",
        success="ansi_bright_green",
        accent="ansi_bright_magenta",
        foreground="ansi_default",
        background="ansi_default",
        variables={
            **_BOTH,
            "lit": "reverse ansi_bright_green",
            "border": "ansi_bright_cyan",
            "border-blurred": "ansi_bright_black",
            "scrollbar": "ansi_bright_black",
            "scrollbar-hover": "ansi_bright_cyan",
            "scrollbar-active": "ansi_bright_cyan",
        },
    )
    light = Theme(
        name=SIXTEEN_LIGHT,
        ansi=True,
        dark=False,
        primary="ansi_blue",
        secondary="ansi_cyan",
        warning="ansi_magenta",
        error="ansi_red",
        success="ansi_green",
        accent="ansi_magenta",
        foreground="ansi_default",
        background="ansi_default",
        variables={
            **_BOTH,
            "lit": "reverse ansi_green",
            "border": "ansi_blue",
            "border-blurred": "ansi_bright_black",
            "scrollbar": "ansi_bright_black",
            "scrollbar-hover": "ansi_blue",
            "scrollbar-active": "ansi_blue",
        },
    )
    return dark, light
