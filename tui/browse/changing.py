"""Changes of many cards and their undoing, one after the other, in the order of the keys.

They outlive the screen that asked for them: whoever leaves it finds what was begun done, and can
take it back when it is opened again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Protocol, runtime_checkable
from weakref import WeakKeyDictionary, ref

from tui.browse.deeds import Course, Deed, Outcome, done, left, taken_back
from tui.key_names import key_for
from tui.life import Changed

if TYPE_CHECKING:
    from tui.app import DeltadeckApp

#: Seconds between two words of how far it is.
_PAUSE = 0.2


@runtime_checkable
class Hearing(Protocol):
    """A screen that is told how far a change is, and when it has ended."""

    def is_changing(self) -> None: ...

    def changed(self) -> None: ...


class Changing:
    """Of one running app: a thread works while there is something to do."""

    def __init__(self, app: DeltadeckApp) -> None:
        self._of = ref(app)
        self._jobs: deque[Callable[[], None]] = deque()
        self._lock, self._works = Lock(), False
        self._made: list[Deed] = []
        """What can be taken back, the last at the end; only the thread looks at it."""
        self.doing = ""
        """What runs, and how far it is: "putting aside 812 of 2,000"; the thread writes it."""
        self._told = 0.0

    @property
    def _app(self) -> DeltadeckApp:
        app = self._of()
        assert app is not None, "it runs"
        return app

    def do(self, make: Callable[[], Deed]) -> None:
        """Does what `make` says, which is asked in the thread, after all that was asked before."""
        self._put(lambda: self._do(make))

    def undo(self) -> None:
        """Takes the last change back that there is by then."""
        self._put(self._undo)

    def _put(self, job: Callable[[], None]) -> None:
        with self._lock:
            self._jobs.append(job)
            if self._works:
                return
            self._works = True
        # The app's, not the screen's: a screen that is left would end it.
        self._app.run_worker(self._work, thread=True, group="changes", name="changes")

    def _work(self) -> None:
        while (job := self._next()) is not None:
            job()

    def _next(self) -> Callable[[], None] | None:
        with self._lock:
            self._works = bool(self._jobs)
            return self._jobs.popleft() if self._jobs else None

    # In the thread.  It never waits for the app, which may be ending.

    def _do(self, make: Callable[[], Deed]) -> None:
        try:
            deed = make()
        except ValueError as error:
            self._app.call_later(self._ended, "", str(error))
            return
        course = self._run(deed, deed.doing, deed.act(deed.names))
        if course.changed:
            self._made.append(replace(deed, names=tuple(course.changed)))
        self._app.call_later(self._ended, *done(deed, course))

    def _undo(self) -> None:
        if not self._made:
            self._app.call_later(self._app.say, "There is no change to take back.")
            return
        deed = self._made.pop()
        outcomes = deed.back(deed.names[::-1], self._app.clock())
        course = self._run(deed, "taking back", outcomes)
        said, trouble = taken_back(deed, course)
        if (rest := left(deed, course)) is not None:
            self._made.append(rest)
            trouble += f" {key_for(self._app, 'browse.undo')} tries again."
        self._app.call_later(self._ended, said, trouble)

    def _run(self, deed: Deed, doing: str, outcomes: Iterator[Outcome]) -> Course:
        from deck.errors import CollectionError

        course, total = Course(), len(deed.names)
        self._tell(f"{doing} {total:,}" if total > 1 else doing)
        for number, outcome in enumerate(outcomes, 1):
            course.take(outcome)
            self._tell(f"{doing} {number:,} of {total:,}")
        if deed.in_files:
            try:
                self._app.open_collection.reload(self._app.clock())
            except CollectionError as error:
                self._app.call_later(self._app.say, str(error), error=True)
        self.doing = ""
        return course

    def _tell(self, doing: str) -> None:
        self.doing, now = doing, monotonic()
        if now - self._told >= _PAUSE:
            self._told = now
            self._app.call_later(self._hear)

    # Told to the learner.

    def _hear(self) -> None:
        if isinstance(self._app.screen, Hearing):
            self._app.screen.is_changing()

    def _ended(self, said: str, trouble: str) -> None:
        if said:
            self._app.say(said)
        if trouble:
            self._app.say(trouble, error=True)
        if isinstance(self._app.screen, Hearing):
            self._app.screen.changed()
        self._app.post_message(Changed())


#: Kept by no app that has ended.
_OF: WeakKeyDictionary[DeltadeckApp, Changing] = WeakKeyDictionary()


def changing(app: DeltadeckApp) -> Changing:
    """The app's own."""
    return _OF.setdefault(app, Changing(app))
