"""One program on a large collection, measured from inside; prints JSON.  Started by scale.py."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from statistics import median
from threading import Event

from deck.collection import AnswerInput, Collection
from deck.fsrs import Rating
from tests.bench.figures import megabytes, times_ms
from tests.bench.large import NOW

#: Of who answers as much as he can; the card files stay as they are.
_SETTINGS = "write_status = false\nnew_per_day = 9999\nreviews_per_day = 9999\n"
#: By the names that Anki's bench gives the like.
SEARCHES = {
    "search_tag_rare": "tag:rare",
    "search_tag_course3": "tag:course3",
    "search_text_jacobian": "jacobian",
    "search_text_miss": "zzzqqq",
    "search_prop_r": "r<0.9",
    "search_is_due": "is:due",
}


def main(root: Path, mode: str, answers: int) -> None:
    found: dict[str, float] = {}
    if mode == "study":
        (root / ".deltadeck" / "config.toml").write_text(_SETTINGS)
    peak = _Peak()
    start = time.perf_counter()
    collection = Collection.open(root, NOW, "desk", at_once=mode != "cold", progress=peak.look)
    found["open_s"] = time.perf_counter() - start
    found["cpu_s"] = sum(os.times()[:4])
    queue = collection.queue(NOW)
    collection.card_of(queue.entries[0].item_id)
    found["first_ms"] = 1000 * (time.perf_counter() - start)
    if mode == "study":
        found |= _answering(collection, answers)
    elif mode == "look":
        found |= _asking(collection) | _looking(collection, root)
    found["rss_mb"], found["peak_mb"] = megabytes("self", "VmRSS"), peak.most
    collection.close()
    print(json.dumps(found))


def _asking(collection: Collection) -> dict[str, float]:
    found = {
        name: _median(lambda text=text: collection.search(text, NOW))  # type: ignore[misc]
        for name, text in SEARCHES.items()
    }
    found["first_stats_s"] = times_ms(lambda: collection.statistics(NOW), 1)[0] / 1000
    found["graphs_ms"] = _median(lambda: collection.statistics(NOW))
    found["deck_tree_ms"] = _median(lambda: collection.decks(NOW))
    return found


def _median(work: Callable[[], object], runs: int = 7) -> float:
    """Milliseconds; of as many runs as Anki's bench takes."""
    return median(times_ms(work, runs))


def _looking(collection: Collection, root: Path) -> dict[str, float]:
    *_, reload = times_ms(lambda: collection.reload(NOW), 2)
    return {"reload_ms": reload, "change_ms": _watched(collection, next(root.rglob("*.md")))}


def _watched(collection: Collection, path: Path) -> float:
    """Milliseconds from a change of a file to the moment when the collection has it."""
    changed = Event()
    watcher = collection.watch(changed.set)
    path.write_text(path.read_text("utf-8") + "\nOne.\n", "utf-8")
    changed.wait(60)  # the first look, which also sees to it that the system listens
    changed.clear()
    start = time.perf_counter()
    path.write_text(path.read_text("utf-8") + "\nMore.\n", "utf-8")
    changed.wait(60)
    took = time.perf_counter() - start
    watcher.stop()
    return 1000 * took


def _answering(collection: Collection, answers: int) -> dict[str, float]:
    """Answers in a row, each on the disk before the next."""
    entries = collection.queue(NOW).entries[:answers]
    start = time.perf_counter()
    for number, entry in enumerate(entries):
        collection.rate(entry.item_id, Rating.GOOD, NOW + timedelta(seconds=number), 3000)
    per_second = len(entries) / (time.perf_counter() - start)
    stream = _streaming(collection, [entry.item_id for entry in entries])
    return {"answers": per_second, "stream": stream, "fsyncs": _bare(collection.root)}


def _streaming(collection: Collection, items: list[str]) -> float:
    """Answers that come faster than the disk: each is given out after the fsync that it is in."""
    given = [AnswerInput(item, Rating.GOOD, 3000) for item in items]
    start = time.perf_counter()
    done = list(collection.rate_each(given, NOW + timedelta(hours=1)))
    return len(done) / (time.perf_counter() - start)


def _bare(folder: Path, count: int = 500) -> float:
    """Lines that the disk takes in a second, with nothing around them."""
    handle = os.open(folder / ".bare", os.O_CREAT | os.O_RDWR | os.O_APPEND)
    start = time.perf_counter()
    for _ in range(count):
        os.write(handle, b"x" * 250)
        os.fsync(handle)
    took = time.perf_counter() - start
    os.close(handle)
    return count / took


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
