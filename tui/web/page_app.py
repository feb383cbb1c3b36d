"""The app behind one page: started by the server, driven through pipes by textual's web driver."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

from tui.app import DeltadeckApp
from tui.theme import Themes


class PageApp(DeltadeckApp):
    """When its page is closed, what was being written is kept as a draft."""

    _asked_to_leave = False

    def exit(self, *args: object, **more: object) -> None:
        self._asked_to_leave = True
        super().exit(*args, **more)  # type: ignore[arg-type]

    def on_exit_app(self) -> None:
        if not self._asked_to_leave:
            self._keep_drafts()


def main(folder: str) -> int:
    gc.disable()
    themes = Themes({"COLORTERM": "truecolor"})
    app = PageApp(Path(folder), theme=themes.first(), live=True, themes=themes)
    app.run()
    app.life.end()
    return app.return_code or 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
