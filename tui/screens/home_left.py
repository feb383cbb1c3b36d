"""Cards that were being written when the program ended: home says so, and opens them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from textual import on
from textual.events import ScreenResume

from tui.key_names import key_for
from tui.newest import NewestOnly
from tui.screens.base import DeckScreen
from tui.text import counted

if TYPE_CHECKING:
    from tui.writing.buffer import Left


class HomeLeft(DeckScreen[None]):
    """Nothing is looked for before the collection is open, and then in a thread."""

    def __init__(self) -> None:
        super().__init__()
        self._lefts: tuple[Left, ...] = ()
        self._opened: list[Path] = []
        """Of those, what was opened here: it stands behind the others."""
        self._told = 0
        """Of how many it was said."""
        self._left_asking = NewestOnly(self, self._ask_left, self._show_left)

    @property
    def any_left(self) -> bool:
        return bool(self._lefts)

    def look_for_left(self) -> None:
        self._left_asking.ask(self.deltadeck.open_collection.root)

    @on(ScreenResume)
    def _look_again(self) -> None:
        if self._lefts:
            self.look_for_left()

    def _ask_left(self, root: Path) -> tuple[Left, ...]:
        from tui.writing.buffer import left_in

        return left_in(root)

    def _show_left(self, found: tuple[Left, ...]) -> None:
        self._lefts = tuple(sorted(found, key=lambda left: left.file in self._opened))
        self.refresh_bindings()
        if self.app.screen is self and len(found) != self._told:
            self._told = len(found)
            if found:
                self._say_left(len(found))

    def _say_left(self, count: int) -> None:
        were, it = ("was", "it") if count == 1 else ("were", "one")
        key = key_for(self.app, "home.left")
        left = f"{counted(count, 'card')} {were} being written when the program ended"
        self.deltadeck.say(f"{left}: {key} opens {it}.")

    def action_left(self) -> None:
        """A new card as the draft that it was; what was changed in another one is asked about."""
        from tui.screens.edit import EditScreen

        left, *_ = self._lefts
        self._opened.append(left.file)
        root = self.deltadeck.open_collection.root
        path = root / left.path.relative_to(root.resolve())
        text = None if path.exists() else left.text
        self.app.push_screen(EditScreen(path, text=text))
