"""What the statistics screen knows, and how it comes to know it: in threads, the newest only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from textual.dom import DOMNode

from tui.key_names import key_for
from tui.newest import NewestOnly
from tui.plots.catalogue import ENTRIES, Entry, Need, makers
from tui.screens.statistics_data import Asked, ways

if TYPE_CHECKING:
    from deck.collection import Collection
    from tui.plots.figure import Figure
    from tui.plots.given import Given, Ways

_COUNTING = "Counting the answers"


class _Job(NamedTuple):
    asked: Asked
    now: datetime
    given: Given | None = None
    """What was counted; None while that is the job."""
    ways: Ways | None = None


class Knowledge:
    """The figures of what was asked last; `changed` is called when there are others.

    An exam's plan and the simulated workload take seconds: they wait until they are needed.
    """

    def __init__(
        self,
        owner: DOMNode,
        collection: Collection,
        changed: Callable[[], None],
        refused: Callable[[str], None],
    ) -> None:
        self.asked = Asked()
        self.figures: dict[str, Figure] = {}
        """By the name of their entry."""
        self.waiting: dict[Need, str] = {"": f"{_COUNTING} …"}
        """What is being computed, in words; "" stands for all that needs nothing more."""
        self._app, self._collection = owner.app, collection
        self._changed = changed
        self._refused = refused
        self._given: Given | None = None
        self._counting = NewestOnly(owner, self._count, self._counted)
        self._planning = NewestOnly(owner, self._plan, self._planned)
        self._simulating = NewestOnly(owner, self._simulate, self._simulated)

    def ask(self, asked: Asked, now: datetime) -> None:
        """Count anew; until that is done, the figures stay as they were."""
        self.asked = asked
        self._planning.forget()
        self._simulating.forget()
        self.waiting = {"": f"{_COUNTING} …"}
        self._counting.ask(_Job(asked, now, ways=ways(partial(key_for, self._app))))

    def need(self, entry: Entry, now: datetime) -> None:
        """Compute what a figure needs beside the rest, where it is not known yet."""
        given = self._given
        if "" in self.waiting or entry.need in self.waiting or given is None:
            return
        job = _Job(self.asked, now, given)
        if entry.need == "exam" and not given.exam:
            self.waiting["exam"] = "Planning …"
            self._planning.ask(job)
        elif entry.need == "workload" and not given.workload:
            self.waiting["workload"] = "Simulating …"
            self._simulating.ask(job)

    # In threads.

    def _count(self, job: _Job) -> Given | str:
        from deck.search.errors import SearchError
        from tui.plots.gather import gather

        makers()  # here loading them holds up no key
        asked = job.asked
        try:
            return gather(
                self._collection,
                job.now,
                asked.reach,
                asked.search,
                asked.course,
                job.ways,
                lambda what, share: self._say("", what, share),
            )
        except SearchError as error:
            # It could be read when it was typed; a saved search may have changed since.
            return str(error)

    def _plan(self, job: _Job) -> Given:
        from tui.plots.gather import with_exam

        assert job.given is not None
        return with_exam(self._collection, job.given, job.now, job.asked.course)

    def _simulate(self, job: _Job) -> Given:
        from tui.plots.gather import with_workload

        assert job.given is not None
        return with_workload(
            self._collection,
            job.given,
            lambda what, share: self._say("workload", what.capitalize(), share),
        )

    def _say(self, need: Need, what: str, share: float) -> None:
        """The screen looks at this while something is waited for."""
        if need in self.waiting:
            self.waiting[need] = f"{what}: {100 * share:.0f} %"

    # On the UI thread.

    def _counted(self, found: Given | str) -> None:
        self.waiting.pop("", None)
        if isinstance(found, str):
            self._refused(found)
        else:
            self._take(found)
        self._changed()

    def _planned(self, found: Given) -> None:
        self.waiting.pop("exam", None)
        if self._given is not None:
            self._take(replace(self._given, exam=found.exam))
        self._changed()

    def _simulated(self, found: Given) -> None:
        self.waiting.pop("workload", None)
        if self._given is not None:
            self._take(replace(self._given, workload=found.workload))
        self._changed()

    def _take(self, given: Given) -> None:
        self._given = given
        known: dict[Need, bool] = {
            "exam": bool(given.exam),
            "workload": bool(given.workload),
        }
        self.figures = {
            entry.name: entry.make(given) for entry in ENTRIES if known.get(entry.need, True)
        }
