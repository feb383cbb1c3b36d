"""Keeps a collection up to date with its folder while a program runs."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from deck.errors import CollectionError
from deck.walk import has_way_out, is_card_name

#: Milliseconds: changes that follow each other so closely are taken up together ...
_TOGETHER = 200
#: ... and after so many at the latest the system's list of changes is looked at.
_STEP = 100
_ROUND = 1000
#: Where the system cannot watch (too many folders, some network disks), a walk now and then: the
#: share of the time that walking may take, and the shortest pause in seconds.
_SHARE, _PAUSE = 0.05, 2.0

Seen = Callable[[Iterable[Path] | None], None]
"""Takes up a change of these card files, or (None) of whatever changed."""


class Watcher:
    """Watches `root` from a thread of its own until `stop`; begins with a look at everything."""

    def __init__(self, root: Path, seen: Seen) -> None:
        self._root = root
        self._seen = seen
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch the cards", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Returns when the last change was taken up."""
        self._stop.set()
        if self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                if has_way_out(self._root):  # the system would watch all that is out there
                    self._look_now_and_then()
                else:
                    self._listen()
            except (OSError, RuntimeError):  # a RuntimeError of the library: the system refused
                self._look_now_and_then()

    def _listen(self) -> None:
        """Until `stop`, or until another folder stands where this one was: a disk that came back,
        a fresh clone.  The system would go on to report the folder that is gone."""
        from watchfiles import watch  # 40 ms, and only where a program stays open

        real, looked = Path(os.path.realpath(self._root)), False
        folder = real.stat()
        for changes in watch(
            real,
            watch_filter=None,
            debounce=_TOGETHER,
            step=_STEP,
            rust_timeout=_ROUND,
            yield_on_timeout=True,
            stop_event=self._stop,
            raise_interrupt=False,
            ignore_permission_denied=True,
        ):
            if not os.path.samestat(self._root.stat(), folder):
                return
            if not looked:  # what changed before the system listened
                looked = True
                self._take_up(None)
            paths = [Path(path).relative_to(real) for _, path in changes]
            if paths:
                self._take_up(self._files(real, paths))

    def _files(self, real: Path, paths: list[Path]) -> list[Path] | None:
        """The card files among `paths`; None where a folder may be."""
        shown = [path for path in paths if not _is_hidden(path)]
        if any(not is_card_name(path.name) and not (real / path).is_file() for path in shown):
            return None  # also for what is gone, and may have been a folder
        return [self._root / path for path in shown if is_card_name(path.name)]

    def _look_now_and_then(self) -> None:
        start = time.monotonic()
        self._take_up(None)
        took = time.monotonic() - start
        self._stop.wait(max(_PAUSE, took / _SHARE))

    def _take_up(self, paths: list[Path] | None) -> None:
        try:
            self._seen(paths)
        except CollectionError:
            return  # the folder is gone for now: the program says so where it is asked to do more


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
