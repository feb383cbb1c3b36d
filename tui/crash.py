"""What is left on the terminal when the app stops on a fault."""

from __future__ import annotations

import sys

from rich.text import Text

from tui.text import visible


def plain(sentence: str) -> Text:
    """For the terminal after the app has gone: brackets in a path are not markup."""
    return Text(visible(sentence))


def note_crash() -> str:
    import traceback

    from platformdirs import user_log_path

    try:
        log = user_log_path("deltadeck", ensure_exists=True) / "crash.log"
        log.write_text(traceback.format_exc(), encoding="utf-8")
        where = f"What happened is written in {log}."
    except OSError:
        where = f"It was: {sys.exc_info()[1]!r}."
    return f"deltadeck stopped because of a fault of its own; your reviews are safe. {where}"
