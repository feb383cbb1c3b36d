"""One program on a large collection, measured from inside; prints JSON.  Started by scale.py.

What this file names is imported before the clock starts; what the program imports later counts.
"""

from __future__ import annotations

import gc
import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from threading import Event, Semaphore

from deck.collection import Collection
from deck.config import read_config
from deck.events import Suspended
from deck.fsrs import Rating
from deck.index.schedule import fold_key
from deck.index.store import index_path
from deck.recording import AnswerInput
from deck.study_day import Local
from tests.bench.figures import megabytes, times_ms
from tui.study.session import bury, reset

Found = dict[str, float]

#: The limits of a day are out of the way: Anki takes no higher ones.
SETTINGS = "new_per_day = 9999\nreviews_per_day = 9999\n"
#: Ours and Anki's.
SEARCHES = {
    **{text: text for text in ("tag:rare", "tag:course3", "jacobian", "zzzqqq", "is:due")},
    "r<0.9": "prop:r<0.9",
}
_NOW = datetime.now(Local())
_RUNS = 7
#: Answers in a block, and answers by call-back that are under way.
_TOGETHER, _UNDER_WAY = 100, 8


def main(root: Path, mode: str, count: int) -> None:
    gc.disable()  # as every command of the program
    peak, start = _Peak(), time.perf_counter()
    at_once = mode != "cold"
    collection = Collection.open(root, _NOW, "desk", at_once=at_once, progress=peak.look)
    found = {"open_ms": _since(start), "cpu_s": sum(os.times()[:4]), "peak_mb": peak.most}
    if mode == "changed":
        found["folded_ms"] = _folded(root, start)
    due = [entry.item_id for entry in collection.queue(_NOW).entries]
    for item in due[:1]:
        collection.card_of(item)
    found["first_ms"] = _since(start)
    items = _asked(collection, due)
    match mode:
        case "statistics":
            found["first_statistics"] = times_ms(lambda: collection.statistics(_NOW), 1)[0]
        case "look":
            found |= _looking(collection)
        case "study":
            found |= _studying(collection, items, count) | _changing(collection, items)
        case "answer":
            _answering(collection, items, count)
        case "bulk":
            found |= _bulk(collection, count)
    found["rss_mb"] = megabytes("self", "VmRSS")
    collection.close()
    print(json.dumps(found))


def _asked(collection: Collection, due: list[str]) -> Iterator[str]:
    """What is due, in its order, then others; and again where there are few."""
    yield from cycle(dict.fromkeys([*due, *collection.search("", _NOW)[:1000]]))


def _since(start: float) -> float:
    return 1000 * (time.perf_counter() - start)


def _median(work: Callable[[], object]) -> float:
    return median(times_ms(work, _RUNS))


def _folded(root: Path, start: float) -> float:
    """Milliseconds until the index has every schedule by the settings of now."""
    wanted = fold_key(read_config(root / ".deltadeck" / "config.toml")[0])
    with closing(sqlite3.connect(index_path(root))) as database:
        asked = "SELECT value FROM meta WHERE name IN ('fold', 'behind')"
        while database.execute(asked).fetchall() != [(wanted,)]:
            time.sleep(0.01)
            assert _since(start) < 120_000, "nothing was folded anew"
    return _since(start)


def _looking(collection: Collection) -> Found:
    first = times_ms(lambda: collection.decks(_NOW), 1)[0]
    works: dict[str, Callable[[], object]] = {
        "statistics": lambda: collection.statistics(_NOW),
        "tree": lambda: collection.decks(_NOW),
        "reload": lambda: collection.reload(_NOW),
    }
    for text in SEARCHES:
        works[f"search {text}"] = lambda text=text: collection.search(text, _NOW)  # type: ignore[misc]
    found = {name: _median(work) for name, work in works.items()}
    found["change"] = _watched(collection, next(collection.root.rglob("*.md")))
    return found | {"first_tree": first, "due": len(collection.search("is:due", _NOW))}


def _watched(collection: Collection, path: Path) -> float:
    """Milliseconds from a change of a file to the moment when the collection has it."""
    changed = Event()
    watcher = collection.watch(changed.set)

    def change() -> None:
        changed.clear()
        path.write_text(path.read_text("utf-8") + "\nMore.\n", "utf-8")
        changed.wait(60)

    change()  # the first look, which also sees to it that the system listens
    took = _median(change)
    watcher.stop()
    return took


def _studying(collection: Collection, items: Iterator[str], count: int) -> Found:
    """By turns answers with and without the status line, and the bare disk; then `count` answers
    with it in a row, as in a sitting."""
    found: dict[str, list[float]] = {}
    private = collection.root / ".deltadeck"
    for _ in range(_RUNS):
        found.setdefault("bare", []).append(median(_bare(private / "bare", _TOGETHER)))
        for word in ("true", "false"):
            (private / "config.toml").write_text(f"{SETTINGS}write_status = {word}\n")
            collection.reload(_NOW)
            for name, value in _answering(collection, items, _TOGETHER).items():
                found.setdefault(f"{word}_{name}", []).append(value)
    (private / "config.toml").write_text(SETTINGS)
    collection.reload(_NOW)
    found["stream"] = [_streaming(collection, items, count) for _ in range(_RUNS)]
    collection.decks(_NOW)  # a sitting begins at home, and the index is up to date there
    slowest = _answering(collection, items, count)
    bare = max(_bare(private / "bare", count))
    return {name: median(each) for name, each in found.items()} | {
        "slowest": slowest["slowest"],
        "slowest_cpu": slowest["slowest_cpu"],
        "bare_slowest": bare,
    }


def _answering(collection: Collection, items: Iterator[str], count: int) -> Found:
    """Milliseconds of answers, each awaited, and of an answer with the lines that follow them all;
    microseconds of the processor of an answer, all threads and the index's refresh included."""
    walls, cpus = [], []
    collection.rate(next(items), Rating.GOOD, _NOW, 3000)  # what the first one loads stays loaded
    collection.settle()
    busy, start = time.process_time(), time.perf_counter()
    for item in islice(items, count):
        cpu, wall = time.process_time(), time.perf_counter()
        collection.rate(item, Rating.GOOD, _NOW, 3000)
        walls.append(_since(wall))
        cpus.append(1000 * (time.process_time() - cpu))
    collection.settle()
    whole, busy = _since(start) / count, time.process_time() - busy
    follows = collection.config.write_status
    assert not follows or collection.card_of(item).status != "to_learn", "no line followed"
    found = {"answer": median(walls), "whole": whole, "slowest": max(walls)}
    own, most = 1000 * median(cpus), max(cpus)
    return found | {"cpu_us": 1e6 * busy / count, "own_us": own, "slowest_cpu": most}


def _streaming(collection: Collection, items: Iterator[str], count: int) -> float:
    """Answers a second, eight under way, each acknowledged by a call once it is on the disk; the
    lines that follow them come after."""
    collection.settle()
    under_way = Semaphore(_UNDER_WAY)
    start = time.perf_counter()
    with collection.stream(lambda events: under_way.release(len(events))) as stream:
        for item in islice(items, count):
            under_way.acquire()
            stream.give(AnswerInput(item, Rating.GOOD, 3000), _NOW)
    return count / (time.perf_counter() - start)


def _bare(path: Path, count: int) -> list[float]:
    """Milliseconds of lines that are written and synced, with nothing around them."""
    handle = os.open(path, os.O_CREAT | os.O_RDWR | os.O_APPEND)

    def line() -> None:
        os.write(handle, b"x" * 250)
        os.fsync(handle)

    took = times_ms(line, count)
    os.close(handle)
    return took


def _changing(collection: Collection, items: Iterator[str]) -> Found:
    """Each of what is done to one card, by turns, the card another one each time."""
    works: dict[str, Callable[[], object]] = {
        "tree": lambda: collection.decks(_NOW),
        "undo": lambda: collection.undo(_NOW),
        "bury": lambda: bury(collection, next(items), _NOW),
        "suspend": lambda: collection.suspend(next(items), _NOW),
        "reset": lambda: reset(collection, next(items), _NOW),
    }
    found: dict[str, list[float]] = {}
    for _ in range(_RUNS):
        collection.rate(next(items), Rating.GOOD, _NOW, 3000)
        for name, work in works.items():
            found.setdefault(name, []).extend(times_ms(work, 1))
    return {name: median(times) for name, times in found.items()}


def _bulk(collection: Collection, count: int) -> Found:
    """Milliseconds a card, of `count` cards that are suspended together."""
    items = iter(collection.search("-is:suspended", _NOW))

    def suspend() -> None:
        deeds = ((item, Suspended(True)) for item in islice(items, count))
        assert sum(1 for _ in collection.record_each(deeds, _NOW)) == count

    return {"bulk": _median(suspend) / count}


class _Peak:
    """The most memory that this program and its helpers had at once, where it tells how far it is.

    Not `ru_maxrss`: a program begins with that of the one which started it.
    """

    def __init__(self) -> None:
        self.most = 0.0

    def look(self, what: str, done: int, total: int) -> None:  # noqa: ARG002
        tasks = Path("/proc/self/task").glob("*/children")
        helpers = {pid for each in tasks for pid in each.read_text("ascii").split()}
        now = sum(megabytes(pid, "VmRSS") for pid in helpers)
        self.most = max(self.most, now + megabytes("self", "VmHWM"))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
