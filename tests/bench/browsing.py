"""The browser of a large collection in a real terminal: each key timed until its paint."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from tests.bench.figures import Figure
from tests.bench.keys import Keys

_ROUNDS = 60
_SCROLLING = {
    "a row": ("j",),
    "a page": ("\x1b[6~",),
    "first and last": ("G", "g"),
    "the wheel": ("\x1b[<65;20;15M",),
}
#: Seconds between the letters of somebody who types fast.
_TYPED = 0.08
_SEARCHES = ("softmax", "tag:rare", "is:due", '"chain rule"', "course3 kernel", "r<0.8")


def browsing(keys: Keys, count: int, home: str) -> Iterator[Figure]:
    """From the screen of the decks, and back to it."""
    keys.key("b", "Browse")
    keys.sees(f"{count} items")
    keys.quiet(1.0)
    times = []
    for name, given in _SCROLLING.items():
        took = [keys.painted(given[number % len(given)]) for number in range(_ROUNDS)]
        yield Figure(f"browse {count:,}: {name}, median", statistics.median(took), 20, "ms")
        times += took
    yield _last(f"browse {count:,}: scrolling, p99", times)
    keys.send("/")
    keys.quiet(0.3)
    times = []
    for search in _SEARCHES:
        for letter in (*search, *("\x7f" for _ in search)):
            times.append(keys.painted(letter, _TYPED))
    yield Figure(
        f"browse {count:,}: a letter of a search, median", statistics.median(times), 20, "ms"
    )
    yield _last(f"browse {count:,}: a letter of a search, p99", times)
    keys.send("\x1b")
    keys.quiet(0.3)
    keys.key("\x1b", home)


def _last(name: str, times: list[float]) -> Figure:
    return Figure(name, sorted(times)[int(0.99 * len(times))], 40, "ms")
