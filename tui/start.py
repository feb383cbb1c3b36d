"""Start the app: in a terminal, or behind one page of a browser (`python -m tui.start FOLDER`,
driven by the server through pipes); and tidy up behind it."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tui.app import DeltadeckApp
from tui.painter import painter
from tui.terminal import TerminalDriver
from tui.text import visible
from tui.theme import Themes

if TYPE_CHECKING:
    from deck.queue import SessionRequest


def run(folder: Path, asked: SessionRequest | None = None) -> int:
    """Open the app on a folder, with a session at once where one is `asked`; the exit code."""
    # A thread that reads or counts gives way to a key, and a paint to the thread that writes it.
    sys.setswitchinterval(0.001)
    if not os.environ.get("NO_COLOR", "colours"):
        del os.environ["NO_COLOR"]  # empty, it asks for nothing; the toolkit would heed it
    themes = Themes(os.environ)
    app = DeltadeckApp(
        folder,
        theme=themes.first(),
        asked=asked,
        live=True,
        themes=themes,
        driver=None if "TEXTUAL_DRIVER" in os.environ else TerminalDriver,
    )
    app.painter = painter(os.environ)
    app.environment = os.environ
    app.run()
    if os.isatty(1):  # the line that tui/__main__.py wrote; the cursor stands on it
        os.write(1, b"\r\x1b[2K")
    app.life.end()
    for sentence in app.kept or ():
        with suppress(OSError):
            sys.stderr.write(f"{visible(sentence)}\n")
    return app.return_code or 0


class PageApp(DeltadeckApp):
    """When its page is closed, what was being written is kept as a draft."""

    _asked_to_leave = False

    def exit(self, *args: object, **more: object) -> None:
        self._asked_to_leave = True
        super().exit(*args, **more)  # type: ignore[arg-type]

    def on_exit_app(self) -> None:
        if not self._asked_to_leave:
            self._keep_drafts()


def run_page(folder: Path) -> int:
    gc.disable()
    themes = Themes({"COLORTERM": "truecolor"})
    app = PageApp(folder, theme=themes.first(), live=True, themes=themes)
    app.run()
    app.life.end()
    return app.return_code or 0


if __name__ == "__main__":
    sys.exit(run_page(Path(sys.argv[1])))
