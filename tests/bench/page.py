"""Drawing a card: the seed card from its Markdown to rows, and its rows again for another width."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle

from cards import read_card
from tests.bench.figures import Figure, median_ms
from tests.paths import SEED
from tui.page.read import read
from tui.page.sheet import Page


def figures() -> Iterator[Figure]:
    card = read_card(SEED)
    text = f"{card.question}\n\n---\n\n{card.solution}"
    drawn = median_ms(lambda: Page(read(text)).at(80))
    yield Figure("seed card, read and laid out", drawn, 10, "ms")
    page = Page(read(text))
    # More widths than a page keeps: each is laid out anew, the formulas broken anew where too wide.
    widths = cycle(range(60, 100, 7))
    yield Figure(
        "seed card, laid out for another width", median_ms(lambda: page.at(next(widths))), 3, "ms"
    )
    long = Page(read("\n\n".join([text] * 100)))
    yield Figure(
        "100 times as long, for another width", median_ms(lambda: long.at(next(widths))), 300, "ms"
    )
