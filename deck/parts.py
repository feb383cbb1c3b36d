"""The parts of a collection, and what holds them together: index, cards, journal, settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from cards.model import Problem
from deck.clock import future_problems
from deck.config import Config
from deck.days import study_day
from deck.errors import CollectionError
from deck.follow import Follower
from deck.history import History
from deck.index.place import index_path
from deck.index.progress import Progress
from deck.index.store import Store
from deck.journal import Journal
from deck.library import Library
from deck.place import CONFIG, PRIVATE
from deck.settings import read_config


class Parts:
    """Call `pick_up` first, and wrap questions to the index in `store.ask`."""

    def __init__(self, folder: Path, device: str | None) -> None:
        self.root = folder
        self.config = Config()
        self.store = Store(index_path(folder))
        self.library = Library(folder, self.store)
        self.journal = Journal(folder / PRIVATE, device)
        self.history = History(self.store, folder / PRIVATE, self.config)
        self.follower = Follower(self.library)
        self.store.refill = self._refill
        self._config_problems: tuple[Problem, ...] = ()
        self._clock_problems: tuple[Problem, ...] = ()
        self._open_choices: tuple[Problem, ...] = ()

    @property
    def problems(self) -> tuple[Problem, ...]:
        ours = (
            *self._config_problems,
            *self._clock_problems,
            *self._open_choices,
            *self.follower.problems,
        )
        return (*ours, *self.library.problems, *self.history.problems)

    def start(self, now: datetime, at_once: bool, progress: Progress) -> None:
        known = self.store.ask(lambda: self.store.noted("scanned")) and self.root.is_dir()
        if at_once and known:
            self._read_rest(now, progress)
        else:
            self.reload(now, progress)

    def reload(self, now: datetime, progress: Progress) -> bool:
        """Reads again what changed on the disk; whether a card did.

        Raises:
            CollectionError: folder or settings cannot be used; every schedule stays as it was.
        """
        with self.store.workers:
            changed = self.library.scan(progress)
            self.store.ask(lambda: self.store.note("scanned", "1"))
            self.follower.forget()
            self._read_rest(now, progress)
        return changed

    def _read_rest(self, now: datetime, progress: Progress) -> None:
        """Settings and journal."""
        config, self._config_problems = read_config(self.root / PRIVATE / CONFIG)
        self.config = config
        self._open_choices = _open_choices(self.root)
        self.history.set_config(config, progress)
        self.history.refresh(progress)
        today = study_day(now, config.rollover)
        self._clock_problems = future_problems(self.history, today, self.root / PRIVATE)

    def _refill(self) -> None:
        self.library.scan()
        self.history.refresh()

    def look(self, paths: Iterable[Path] | None) -> bool:
        """Takes up a change of these card files (None: of all); whether anything is news."""
        news = self.library.scan() if paths is None else self.library.scan_files(paths)
        before, self._open_choices = self._open_choices, _open_choices(self.root)
        return news or before != self._open_choices or not self.history.is_current()

    def telling(self, changed: Callable[[], None]) -> Callable[[Iterable[Path] | None], None]:
        """`look`, for who calls `changed` where there is news."""

        def seen(paths: Iterable[Path] | None) -> None:
            if self.look(paths):
                changed()

        return seen

    def pick_up(self) -> None:
        """Takes up what other programs and devices wrote."""
        if not self.history.is_current():
            self.history.refresh()

    def glance(self) -> None:
        """`pick_up`, looking only where programs write."""
        if not self.history.seems_current():
            self.history.refresh()

    def bring_up(self) -> None:
        """Lets the index know all that was done, and the tally of answers with it."""
        from deck.index.sight import bring_up

        self.pick_up()
        self.history.flush()
        self.store.ask(lambda: bring_up(self.store, self.config))

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Nobody else writes into the journal meanwhile, and all that is there is known."""
        with self.journal.locked():
            self.glance()
            yield

    def known(self, take: Callable[[], None]) -> None:
        """Lets the index know of what is in the journal: where it cannot, it hears of it later."""
        with suppress(CollectionError):
            take()

    def flush(self) -> None:
        """Lets the index learn what is new, where it can."""
        with suppress(CollectionError):
            self.history.flush()


def _open_choices(root: Path) -> tuple[Problem, ...]:
    """What a sync left to be chosen, card by card; most collections have no such folder."""
    if not (root / PRIVATE / "conflicts").is_dir():
        return ()
    from deck.sync.conflicts import problems

    return tuple(problems(root))
