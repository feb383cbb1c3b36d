"""One program on a large collection, measured from inside; prints JSON.  Started by scale.py."""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from deck import Collection, Rating
from deck.answering import Given
from tests.bench.large import NOW

_MEGABYTE = 1024


def main(root: Path, mode: str, answers: int) -> None:
    found: dict[str, float] = {}
    start = time.perf_counter()
    collection = Collection.open(root, NOW, "desk", at_once=mode == "warm")
    found["open_s"] = time.perf_counter() - start
    found["cpu_s"] = sum(os.times()[:4])
    queue = collection.queue(NOW)
    collection.card_of(queue.entries[0].item_id)
    found["first_ms"] = 1000 * (time.perf_counter() - start)
    if mode == "warm":
        found |= _looking(collection, root) | _answering(collection, answers)
    found["rss_mb"] = _resident()
    found["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _MEGABYTE
    collection.close()
    print(json.dumps(found))


def _looking(collection: Collection, root: Path) -> dict[str, float]:
    collection.reload(NOW)
    start = time.perf_counter()
    collection.reload(NOW)
    reload = time.perf_counter() - start
    path = next(root.rglob("*.md"))
    path.write_text(path.read_text("utf-8") + "\nMore.\n", "utf-8")
    start = time.perf_counter()
    collection.reload(NOW)  # the slow way; the watcher looks at the one file only
    return {"reload_ms": 1000 * reload, "change_ms": 1000 * (time.perf_counter() - start)}


def _answering(collection: Collection, answers: int) -> dict[str, float]:
    """Answers in a row, each on the disk before the next; the card files stay as they are."""
    collection.config = replace(
        collection.config, write_status=False, new_per_day=99_999, reviews_per_day=99_999
    )
    entries = collection.queue(NOW).entries[:answers]
    start = time.perf_counter()
    for number, entry in enumerate(entries):
        collection.rate(entry.item_id, Rating.GOOD, NOW + timedelta(seconds=number), 3000)
    per_second = len(entries) / (time.perf_counter() - start)
    stream = _streaming(collection, [entry.item_id for entry in entries])
    return {"answers": per_second, "stream": stream, "fsyncs": _bare(collection.root)}


def _streaming(collection: Collection, items: list[str]) -> float:
    """Answers that come faster than the disk: each is given out after the fsync that it is in."""
    given = [Given(item, Rating.GOOD, 3000) for item in items]
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


def _resident() -> float:
    text = Path("/proc/self/status").read_text("ascii")
    line = next(each for each in text.splitlines() if each.startswith("VmRSS"))
    return int(line.split()[1]) / _MEGABYTE


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
