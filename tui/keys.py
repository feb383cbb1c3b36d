"""The keys that the learner chose, while the app runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.command import Provider

    from tui.app import DeltadeckApp


def palette() -> type[Provider]:
    """Loaded when it is opened."""
    from tui.palette import Commands

    return Commands


class OwnKeys:
    """`[keys]` of config.toml as it was last taken up."""

    def __init__(self) -> None:
        self._table: Any = None

    def take(self, app: DeltadeckApp) -> None:
        """Bind what config.toml says now; what it cannot say is told, and stays as it was."""
        table = app.open_collection.config.extra.get("keys")
        if table == self._table:
            return
        self._table = table
        from tui.keymap import known_keys, read_keys

        keys = read_keys(table or {}, known_keys())
        app.set_keymap(dict(keys.keymap))
        for problem in keys.problems:
            app.say(f"config.toml, [keys]: {problem}", error=True)
