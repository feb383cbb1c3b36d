"""What the first card needs, loaded while the learner still looks at the decks."""

from __future__ import annotations

from importlib import import_module

_SCREENS = ("study", "edit", "lab")


def warm_up() -> None:
    """Called from a thread.  Half of the time that a first card takes are imports."""
    for name in _SCREENS:
        import_module(f"tui.screens.{name}")
    from tui.card_pages import pages_of
    from tui.reading import PLAIN

    # The tables of the Markdown parser and of the typesetter are made when they are first used.
    pages_of(None, "$x_1$", "", PLAIN).lay(80)
