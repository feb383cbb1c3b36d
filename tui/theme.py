"""Which theme the app opens with, and the themes of sixteen colours.

The latter are the terminal's own colours on its own background: for terminals that have no more
(the Linux console), for NO_COLOR, where nothing of the colours is left but all else has to tell the
same, and for whoever likes the colours of the terminal. Where they are shown, `:ansi` holds in the
style sheets: what a background tells elsewhere is told there by reverse video, bold, or a sign.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_state_path

if TYPE_CHECKING:
    from textual.theme import Theme

DARK, LIGHT = "textual-dark", "textual-light"
#: Made of the terminal's own sixteen colours.
SIXTEEN_DARK, SIXTEEN_LIGHT = "sixteen-dark", "sixteen-light"
_LONGEST = 100
_MANY = {"truecolor": 1 << 24, "256": 256, "standard": 16}


def colours(environment: Mapping[str, str]) -> int:
    """How many colours the terminal has, as Rich counts them; 0 where NO_COLOR asks for none."""
    if environment.get("NO_COLOR"):
        return 0
    if (asked := environment.get("TEXTUAL_COLOR_SYSTEM", "")) in _MANY:
        return _MANY[asked]
    if environment.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit"):
        return _MANY["truecolor"]
    last = environment.get("TERM", "").strip().lower().rpartition("-")[2]
    return _MANY["256" if last in ("256color", "kitty") else "standard"]


class Themes:
    """Which theme is shown: the one that was chosen, else what suits the terminal.

    What was chosen, and how the terminal looked last, are files of the user's state: one of each
    for terminals with few colours, and one for all others.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self.few = colours(environment) <= _MANY["standard"]
        """Whether only the terminal's own colours can be used."""
        self.suited = ""
        """The theme that was taken because it suits; empty where one was chosen."""

    def first(self) -> str:
        """`TEXTUAL_THEME`, else the one chosen last, else what suits the terminal's background."""
        chosen = self._environment.get("TEXTUAL_THEME", "") or _read(self._file("theme"))
        return chosen or self.follow()

    def follow(self) -> str:
        """What suits the background: as COLORFGBG says, else as the last terminal said, or dark."""
        said = self._environment.get("COLORFGBG", "").rpartition(";")[2]
        # Some say "default" there, which says nothing.
        last = _read(self._file("background"))
        self.suited = self._suiting(said in ("7", "15") if said.isdecimal() else last == "light")
        return self.suited

    def seen(self, light: bool) -> str:
        """The terminal told its background: what suits, or empty where a theme was chosen."""
        now, path = "light" if light else "dark", self._file("background")
        if _read(path) != now:
            _write(path, now)
        if self.suited:
            self.suited = self._suiting(light)
        return self.suited

    def taken(self, name: str) -> str:
        """A theme is shown: kept where it was chosen.  Returns why it could not be."""
        if name == self.suited:
            return ""
        self.suited = ""
        path = self._file("theme")
        trouble = _write(path, name)
        return f"The theme could not be kept in {path}: {trouble}." if trouble else ""

    def forget(self) -> str:
        """No theme is chosen any more: what suits."""
        self._file("theme").unlink(missing_ok=True)
        return self.follow()

    def _suiting(self, light: bool) -> str:
        dark_one, light_one = (SIXTEEN_DARK, SIXTEEN_LIGHT) if self.few else (DARK, LIGHT)
        return light_one if light else dark_one

    def _file(self, name: str) -> Path:
        return user_state_path("deltadeck") / (f"{name}-16" if self.few else name)


def _read(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(_LONGEST).strip()
    except (OSError, ValueError):
        return ""


def _write(path: Path, text: str) -> str:
    """Returns what the system says where it cannot be done."""
    from deck.files import write_whole

    try:
        write_whole(path, f"{text}\n".encode())
    except OSError as error:
        return error.strerror or str(error)
    return ""


# Sixteen colours.


#: Of numbers in a grid, from small to large; and the share of the theme's colour in the last.
SHADES, _DEEPEST = 5, 0.45
#: Of both themes: what is drawn in each colour or style.
_BOTH = {
    "ansi_default": (
        "primary-muted warning-muted error-muted success-muted ansi-background ansi-foreground "
        "block-cursor-background block-cursor-foreground input-cursor-background "
        "input-cursor-foreground scrollbar-background scrollbar-background-hover "
        "scrollbar-background-active footer-key-foreground"
    ),
    "reverse": "block-cursor-text-style block-cursor-blurred-text-style input-cursor-text-style",
    "ansi_cyan": "input-selection-background screen-selection-background",
    "ansi_black": "input-selection-foreground screen-selection-foreground",
    "ansi_bright_black": "border-blurred scrollbar",
    "dim": "shade0 shade1",
    "": "shade2 shade3 shade4 shade5",
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
    dark = _of_sixteen(
        SIXTEEN_DARK, "bright_cyan", "bright_yellow", "bright_red", "bright_green", "bright_magenta"
    )
    light = _of_sixteen(SIXTEEN_LIGHT, "blue", "magenta", "red", "green", "magenta")
    return dark, light


def _of_sixteen(
    name: str, primary: str, warning: str, error: str, success: str, accent: str
) -> Theme:
    from textual.theme import Theme

    return Theme(
        name=name,
        ansi=True,
        dark=name == SIXTEEN_DARK,
        primary=f"ansi_{primary}",
        secondary="ansi_cyan",
        warning=f"ansi_{warning}",
        error=f"ansi_{error}",
        success=f"ansi_{success}",
        accent=f"ansi_{accent}",
        foreground="ansi_default",
        background="ansi_default",
        variables={
            **{name: drawn for drawn, names in _BOTH.items() for name in names.split()},
            "lit": f"reverse ansi_{success}",
            "border": f"ansi_{primary}",
            "scrollbar-hover": f"ansi_{primary}",
            "scrollbar-active": f"ansi_{primary}",
        },
    )
