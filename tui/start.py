"""Starts the app in a terminal, and tidies up behind it."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tui.app import DeltadeckApp
from tui.front import wipe
from tui.text import visible
from tui.theme import first_theme, keep_theme
from tui.widgets.painter import painter

if TYPE_CHECKING:
    from deck import Session as Asked


def run(folder: Path, asked: Asked | None = None) -> int:
    """Open the app on a folder, with a session at once where one is `asked`; the exit code."""
    gc.disable()
    app = DeltadeckApp(folder, theme=first_theme(os.environ), asked=asked, live=True)
    app.keep_theme = keep_theme
    app.painter = painter(os.environ)
    app.run()
    wipe()
    app.life.end()
    for sentence in app.kept or ():
        with suppress(OSError):
            sys.stderr.write(f"{visible(sentence)}\n")
    return app.return_code or 0
