"""Work beside the app, in threads: its collection, and what only the newest request counts for.

The collection is opened, watched, backed up and closed here, so that no key waits for a disk. What
the first card needs is imported while the learner still looks at the decks: half of the time that a
first card takes are imports.

Python looks for what nothing needs any more while the learner reads, not within a key: of old
objects there are 400,000 once a few screens were opened, and to look through them took 30 ms of
every fifth key. To leave them alone let the program grow by 0.13 MB a card.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from textual.dom import DOMNode
from textual.message import Message
from textual.worker import get_current_worker

from deck.errors import CollectionError
from tui.text import Clock

if TYPE_CHECKING:
    from textual.app import App

    from deck.collection import Collection
    from deck.files import Watcher

#: Seconds that leaving waits for a backup that is being written.
_PATIENCE = 5.0
#: Seconds of the processor, of a sweep from which on what it left is looked through no more.
_LONG: Final = 0.01
#: When so many times what was needed then is taken to stay, all of it is looked through again.
_GROWN: Final = 1.2
_SCREENS = ("study", "edit", "lab")

Request = TypeVar("Request")
Result = TypeVar("Result")


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


# Work of which only the newest counts.


def is_mounted(owner: DOMNode) -> bool:
    """Whether what a thread found can still be shown: not while `owner` or the app is leaving.

    The children of a screen that is left go before it does, and its worker is cancelled last.
    """
    return owner.is_running and owner.is_attached and owner.app.return_code is None


class LatestOnly(Generic[Request, Result]):
    """Runs `work` in one worker thread of `owner`, on the newest thing asked.

    While a piece of work runs, later requests replace each other: at most one waits.  `deliver`
    is called on the UI thread, and only with the result of the newest request, so an old result
    never overwrites a newer one.  `ask` returns at once.
    """

    def __init__(
        self, owner: DOMNode, work: Callable[[Request], Result], deliver: Callable[[Result], None]
    ) -> None:
        self._owner = owner
        self._work = work
        self._deliver = deliver
        self._lock = Lock()
        self._waiting: tuple[int, Request] | None = None
        self._newest = 0
        self._running = False

    def ask(self, what: Request) -> None:
        with self._lock:
            self._newest += 1
            self._waiting = (self._newest, what)
            if self._running:
                return
            self._running = True
        self._owner.run_worker(self._drain, thread=True, exit_on_error=True)

    def forget(self) -> None:
        """Drop what waits and whatever is being worked on."""
        with self._lock:
            self._newest += 1
            self._waiting = None

    @property
    def busy(self) -> bool:
        return self._running

    @property
    def waits(self) -> bool:
        """Whether something newer waits behind what is being worked on."""
        return self._waiting is not None

    def _drain(self) -> None:
        while True:
            with self._lock:
                taken, self._waiting = self._waiting, None
                self._running = taken is not None
            if taken is None:
                return
            number, what = taken
            found = self._work(what)
            if get_current_worker().is_cancelled:  # the screen is gone
                return
            self._owner.app.call_from_thread(self._hand_over, number, found)

    def _hand_over(self, number: int, found: Result) -> None:
        if number == self._newest and is_mounted(self._owner):
            self._deliver(found)


# Between two keys.


def _load_ahead() -> None:
    """What the first card needs; called from a thread."""
    for name in _SCREENS:
        import_module(f"tui.screens.{name}")
    from tui.page.page import PLAIN, pages_of

    # The tables of the Markdown parser and of the typesetter are made when they are first used.
    pages_of(None, "$x_1$", "", PLAIN).lay(80)


_needed = 0
"""How much was left by the last sweep of everything."""


def begin_collecting() -> None:
    """What start-up made stays for now: it is left out of every short sweep."""
    global _needed
    _needed = 0
    gc.freeze()
    gc.set_threshold(20_000, 20, 100)
    gc.enable()


def sweep() -> None:
    """Short, and so for every card: whatever outlived a long one is taken to stay.

    A card in a thousand takes 50 ms: what was taken to stay, and did not, is found then.
    """
    started = time.thread_time()
    gc.collect()
    if not _needed:
        sweep_all()
    elif time.thread_time() - started > _LONG:
        gc.freeze()
        if gc.get_freeze_count() > _GROWN * _needed:
            sweep_all()


def sweep_all() -> None:
    """Long: for when a sitting begins or is over, whose screens were taken to stay."""
    global _needed
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    _needed = gc.get_freeze_count()
