"""Drawing a card: the seed card from its Markdown to rows, and its rows again for another width."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import cycle

from cards import read_card
from cards.parse import analyse
from tests.bench.figures import Figure, median_ms, times_ms
from tests.hostile import FAMILY, card
from tests.paths import SEED
from tui.page.page import PLAIN, Page, pages_of
from tui.page.read import read


def figures() -> Iterator[Figure]:
    seed = read_card(SEED)
    text = f"{seed.question}\n\n---\n\n{seed.solution}"
    drawn = median_ms(lambda: Page(read(text)).at(80))
    yield Figure("seed card, read and laid out", drawn, 10, "ms")
    page = Page(read(text))
    # More widths than a page keeps: each is laid out anew, the formulas broken anew where too wide.
    widths = cycle(range(60, 100, 7))
    yield Figure(
        "seed card, laid out for another width", median_ms(lambda: page.at(next(widths))), 3, "ms"
    )
    slowest = max((_drawn(made(900_000)), name) for name, made in FAMILY.items())
    yield Figure(f"hostile cards, drawn: {slowest[1]}", slowest[0], 100, "ms")
    slowest = max((_parsed(card(made(900_000))), name) for name, made in FAMILY.items())
    yield Figure(f"hostile cards, read: {slowest[1]}", slowest[0], 100, "ms")
    long = Page(read("\n\n".join([text] * 100)))
    yield Figure(
        "100 times as long, for another width", median_ms(lambda: long.at(next(widths))), 300, "ms"
    )


def _drawn(text: str) -> float:
    """The processor time that a key waits for a page, the less of two."""
    return min(times_ms(lambda: pages_of(None, text, text, PLAIN).lay(114), 2, time.process_time))


def _parsed(text: str) -> float:
    return min(times_ms(lambda: analyse(text), 2, time.process_time))
