"""The app's collection: opened, watched, backed up and closed in threads, so that no key waits.

What the first card needs is imported while the learner still looks at the decks: half of the time
that a first card takes are imports.
"""

from __future__ import annotations

import threading
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message

from deck.errors import CollectionError
from tui.text import Clock

if TYPE_CHECKING:
    from textual.app import App

    from deck.collection import Collection
    from deck.files import Watcher

#: Seconds that leaving waits for a backup that is being written.
_PATIENCE = 5.0
_SCREENS = ("study", "edit", "lab")


class LeftError(Exception):
    """The learner left while the collection was being read: what was read so far is kept."""


class Changed(Message):
    """Another program changed a card, the journal or the settings."""


class Failed(Message):
    """Something that nobody waits for could not be done."""

    def __init__(self, sentence: str) -> None:
        super().__init__()
        self.sentence = sentence


class CollectionService:
    """Of the collection in `folder`, from its opening to its end."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._folder, self._clock = folder, clock
        self._leaving = threading.Event()
        self._watcher: Watcher | None = None
        self._preparing: threading.Thread | None = None
        self.collection: Collection | None = None
        self.progress: dict[str, tuple[int, int]] = {}
        """Of a first start: "cards", "reviews", "schedules" to how many are done, and of how
        many.  Written by the thread that opens, and read by the screen now and then."""

    def open(self, at_once: bool) -> Collection:
        """Called from a thread.  With `at_once`, `keep` must follow: the cards are the last ones.

        Raises:
            CollectionError: the folder cannot be used.
            LeftError: `leave` was called meanwhile.
        """
        from deck.collection import Collection  # in a thread, behind the first paint

        def heard(what: str, done: int, total: int) -> None:
            if self._leaving.is_set():
                raise LeftError
            self.progress[what] = (done, total)

        opened = Collection.open(self._folder, now=self._clock(), at_once=at_once, progress=heard)
        opened.finish_status()
        self.collection = opened
        return opened

    def keep(self, app: App[int]) -> None:
        """Watches the files from now on, and backs the journal up once; `app` gets messages.

        Messages, and not calls: the thread that watches must never wait for the app, which waits
        for that thread at the end.
        """
        if self.collection is None or self._leaving.is_set():
            return

        def prepare() -> None:
            from deck.backup import back_up

            _load_ahead()
            try:
                back_up(self._folder, self._clock())
            except CollectionError as error:
                app.post_message(Failed(str(error)))

        def changed() -> None:
            app.post_message(Changed())

        self._watcher = self.collection.watch(changed)
        self._preparing = threading.Thread(target=prepare, name="prepare", daemon=True)
        self._preparing.start()

    def leave(self) -> None:
        """What is being read for a first start ends soon; the next start goes on from there."""
        self._leaving.set()

    def end(self) -> None:
        """When the screen is the shell's again: the index learns what is new, and is closed."""
        self.leave()
        if self._watcher is not None:
            self._watcher.stop()
        if self._preparing is not None:
            self._preparing.join(_PATIENCE)
        if self.collection is not None:
            self.collection.close()


def _load_ahead() -> None:
    """What the first card needs; called from a thread."""
    for name in _SCREENS:
        import_module(f"tui.screens.{name}")
    from tui.page.page import PLAIN, pages_of

    # The tables of the Markdown parser and of the typesetter are made when they are first used.
    pages_of(None, "$x_1$", "", PLAIN).lay(80)
