"""Faults at every system call of recorded sessions, and what they cost.

    python -m tests.faults [--each N] [--session NAME] [--kind WORDS] [--seed N] [--workers N]

`--each N` tries one fault of N, chosen by the seed.  The last column must be 0: what was
acknowledged is there afterwards, nothing else changed, and what was not acknowledged was said.
"""

from __future__ import annotations

import argparse
import errno
import gc
import os
import random
import shutil
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple

from tests.deck.sync.given import git_environment
from tests.faults.calls import HAPPENS, Call, Decide, Ended, Fate, forked, stopped, unavailable
from tests.faults.power import Recorder, reseal
from tests.faults.sessions import SESSIONS, Facts, Said, facts, judge, play, said

_TAKES_ROOM = (
    *("open", "openat", "creat", "write", "pwrite64", "writev", "fsync", "fdatasync", "ftruncate"),
    *("rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat", "mkdir"),
    *("mkdirat", "fallocate", "copy_file_range", "sendfile"),
)
_NEVER = ("sync", "syncfs")
"""What cannot fail."""
#: States of the disk after a power cut, at each call.
_STATES = 6

Kind = Callable[[Call, int], Fate]
"""What becomes of a call, by its distance from the one at which the fault is."""


def _fails(number: int, where: Callable[[int], bool], names: Sequence[str] = ()) -> Kind:
    def decide(call: Call, distance: int) -> Fate:
        can = call.name not in _NEVER and (not names or call.name in names)
        return Fate(number) if can and where(distance) else HAPPENS

    return decide


def _here(distance: int) -> bool:
    return distance == 0


def _from_here(distance: int) -> bool:
    return distance >= 0


def _short(call: Call, distance: int) -> Fate:
    return Fate(half=True) if distance == 0 and call.writes > 1 else HAPPENS


def _short_then_full(call: Call, distance: int) -> Fate:
    full = distance > 0 and call.name in _TAKES_ROOM
    return Fate(errno.ENOSPC) if full else _short(call, distance)


def _torn(call: Call, distance: int) -> Fate:
    return Fate(half=call.writes > 1, kill=True) if distance == 0 else HAPPENS


KINDS: dict[str, Kind] = {
    "SIGKILL": lambda _, distance: Fate(kill=distance == 0),
    "SIGKILL in a write": _torn,
    "ENOSPC, once": _fails(errno.ENOSPC, _here, _TAKES_ROOM),
    "ENOSPC, from then on": _fails(errno.ENOSPC, _from_here, _TAKES_ROOM),
    "EIO, once": _fails(errno.EIO, _here),
    "EIO, at the next call too": _fails(errno.EIO, lambda distance: distance in (0, 1)),
    "EIO, at the second next too": _fails(errno.EIO, lambda distance: distance in (0, 2)),
    "EIO, from then on": _fails(errno.EIO, _from_here),
    "EROFS, from then on": _fails(errno.EROFS, _from_here),
    "a short write": _short,
    "a short write, then ENOSPC": _short_then_full,
}
POWER = "power cut"
#: Of the calls that only read, which are stopped for these alone.
READING: dict[str, Kind] = {
    "EIO, reading": _fails(errno.EIO, _here),
    "EIO, reading, from then on": _fails(errno.EIO, _from_here),
}
_OF_WRITES = ("SIGKILL in a write", "a short write", "a short write, then ENOSPC")


class Fault(NamedTuple):
    kind: str
    at: int
    """The number of the call; of a power cut, the call that did not happen any more."""
    state: int = 0


class Outcome(NamedTuple):
    session: str
    fault: Fault
    call: str
    lost: str
    """Which law was broken, and how; "" where all hold."""


@dataclass
class Stage:
    """A folder in which a session is played again and again."""

    base: Path
    name: str
    recorder: Recorder = field(init=False)
    known: list[Facts] = field(default_factory=list)
    """Before the first act and after each, without a fault."""
    told: list[Said] = field(default_factory=list)
    """What was said before each call."""
    reads: list[Call] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.session, self.folder = SESSIONS[self.name], self.base / "play"
        self._given = self.base / "given"
        for folder in (self.folder, self._given):
            shutil.rmtree(folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        os.environ.update(_environment(self.folder))
        made = forked(partial(_caught, lambda: self.session.begin(self.folder)))
        assert made.code == 0, made.said
        shutil.copytree(self.folder, self._given, symlinks=True)
        self._record()

    def _record(self) -> None:
        self._set()
        self.recorder = Recorder(self.folder)
        self.known.append(facts(self.folder))
        heard = 0

        def look(call: Call, messages: list[Any]) -> Fate:
            nonlocal heard
            for message in messages[heard:]:
                assert message[0] not in ("refused", "fell"), message
                if message[0] == "done":
                    self.known.append(facts(self.folder))
            heard = len(messages)
            self.told.append(said(messages))
            self.recorder.look(call)
            return HAPPENS

        done = self._played(look)
        assert done.said[-1][0] == "closed", done.said[-1]
        for name in done.said[-1][1]:  # what is loaded here is not loaded by each fork
            with suppress(ImportError):
                import_module(name)
        look(Call("end", "", 0, 0), done.said)
        self.known[-1] = facts(self.folder)
        assert len(self.known) == len(self.session.acts) + 1, done
        self.recorder.close()
        self._set()
        self._played(self._note_read, reads=True)

    def _note_read(self, call: Call, _: list[Any]) -> Fate:
        self.reads += [call] if call.reads else []
        return HAPPENS

    def _set(self) -> None:
        shutil.rmtree(self.folder)
        shutil.copytree(self._given, self.folder, symlinks=True)
        reseal(self.folder)

    def _played(self, decide: Decide, reads: bool = False) -> Ended:
        return stopped(partial(play, self.session.acts, self.folder), self.folder, decide, reads)

    def faults(self) -> Iterator[Fault]:
        """All that are tried: at each call each kind; two of them at a call of git's, and at a
        write between others into the index's log."""
        for at, call in enumerate(self.recorder.calls):
            found = [Fault(POWER, at, state) for state in range(_STATES if at else 0)]
            for kind, decide in KINDS.items() if call.name != "end" else ():
                if decide(call, 0) != HAPPENS and (call.writes > 1 or kind not in _OF_WRITES):
                    found.append(Fault(kind, at))
            around = {each[:2] for each in self.recorder.calls[max(at - 1, 0) : at + 2]}
            if ".git/" in call.path or (len(around) == 1 and call.path.endswith("-wal")):
                found = random.Random(at).sample(found, min(2, len(found)))
            yield from found
        for at, call in enumerate(self.reads):
            if self.session.reads and ".git" not in call.path:
                yield from (Fault(kind, at) for kind in READING)

    def tried(self, fault: Fault) -> Outcome:
        call = (self.reads if fault.kind in READING else self.recorder.calls)[fault.at]
        try:
            told = self._cut(fault) if fault.kind == POWER else self._failed(fault)
            laws = partial(judge, self.session, self.folder, told, self.known)
            judged = forked(partial(_caught, laws))
            lost = "" if judged.code == 0 else judged.said[-1]
        except (AssertionError, TimeoutError) as error:
            lost = f"{error}"
        return Outcome(self.name, fault, f"{call.name} {call.path}", lost)

    def _cut(self, fault: Fault) -> Said:
        disk = self.recorder.state(fault.at, fault.state)
        shutil.rmtree(self.folder)
        self.folder.mkdir()
        disk.put()
        return self.told[fault.at]

    def _failed(self, fault: Fault) -> Said:
        self._set()
        number, heard, decide = 0, 0, (KINDS | READING)[fault.kind]
        reads = fault.kind in READING

        def chosen(call: Call, messages: list[Any]) -> Fate:
            nonlocal number, heard
            if len(messages) > heard and (refused := said(messages).refused):
                there, before = facts(self.folder).events, self.known[said(messages).done].events
                is_before = refused[1] == 0 or "are as before" in refused[0]
                assert there == before or not is_before, f"{refused[0]} But: {there - before}"
            heard = len(messages)
            if call.reads != reads:
                return HAPPENS
            number += 1
            return decide(call, number - 1 - fault.at)

        done = self._played(chosen, reads)
        told = said(done.said)
        if not done.killed:
            assert done.code == 0, told.fell
            assert told.refused or done.said[-1][0] == "closed"
        return told


def _caught(work: Callable[[], object], says: Connection) -> None:
    """A law that is broken in a process of its own is said."""
    try:
        work()
    except BaseException:
        says.send(traceback.format_exc(limit=-6))
        raise


def _environment(folder: Path) -> dict[str, str]:
    own = {f"XDG_{name}_HOME": str(folder / "own" / name.lower()) for name in _XDG}
    return own | git_environment(folder / "own" / "home") | {"TZ": "UTC"}


_XDG = ("CACHE", "DATA", "CONFIG", "STATE")


# Many of them.


@dataclass
class Toll:
    """What many faults came to."""

    tried: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By session and kind."""
    lost: list[Outcome] = field(default_factory=list)

    def table(self) -> Iterator[str]:
        sessions, kinds = list(SESSIONS), [*KINDS, POWER, *READING]
        width = max(map(len, kinds))
        yield f"{'':{width}}  " + "  ".join(f"{name:>7}" for name in sessions) + "     all"
        for kind in kinds:
            row = [self.tried[name, kind] for name in sessions]
            yield f"{kind:{width}}  " + "  ".join(f"{n:7,}" for n in row) + f"  {sum(row):6,}"
        yield f"{self.tried.total():,} faults, {len(self.lost):,} lost"


def _work(
    base: Path,
    names: Sequence[str],
    kind: str,
    each: int,
    seed: int,
    share: tuple[int, int],
    says: Connection,
) -> None:
    os.environ["TMPDIR"] = tempfile.tempdir = str(base)
    for name in names:
        stage = Stage(base, name)
        gc.freeze()
        for number, fault in enumerate(stage.faults()):
            is_mine = number % share[1] == share[0] and kind in fault.kind
            if is_mine and random.Random(f"{seed} {name} {fault}").random() < 1 / each:
                says.send(stage.tried(fault))


def tried(names: Sequence[str], kind: str, each: int, seed: int, workers: int) -> Iterator[Outcome]:
    """Faults, as they are tried; each worker has a folder in memory where there is one."""
    room, fork = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None, get_context("fork")
    with tempfile.TemporaryDirectory(prefix="faults-", dir=room) as folder:
        children, open_ = [], []
        for number in range(workers):
            hears, says = fork.Pipe(duplex=False)
            base = Path(folder, str(number))
            given = (base, names, kind, each, seed, (number, workers), says)
            children.append(fork.Process(target=_work, args=given))
            children[-1].start()
            says.close()
            open_.append(hears)
        while open_:
            for ready in [each for each in open_ if each in wait(open_)]:
                try:
                    outcome: Outcome = ready.recv()
                    yield outcome
                except EOFError:
                    open_.remove(ready)
        for child in children:
            child.join()
            assert child.exitcode == 0, "a worker fell"


def main() -> int:
    asks = argparse.ArgumentParser(prog="tests.faults", description=__doc__)
    asks.add_argument("--each", type=int, default=1)
    asks.add_argument("--session", default="")
    asks.add_argument("--seed", type=int, default=2026)
    asks.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    asks.add_argument("--kind", default="")
    asks.add_argument("--progress", action="store_true")
    given = asks.parse_args()
    if why := unavailable():
        print(why)
        return 77
    toll = Toll()
    names = [name for name in SESSIONS if given.session in name]
    for outcome in tried(names, given.kind, given.each, given.seed, given.workers):
        toll.tried[outcome.session, outcome.fault.kind] += 1
        if given.progress and toll.tried.total() % 500 == 0:
            print(f"{toll.tried.total():,} faults, {outcome.session}", file=sys.stderr)
        if outcome.lost:
            toll.lost.append(outcome)
            print(f"LOST: {outcome.session}, {outcome.fault}, at {outcome.call}:")
            print(outcome.lost, flush=True)
    print(*toll.table(), sep="\n")
    return 1 if toll.lost else 0


if __name__ == "__main__":
    sys.exit(main())
