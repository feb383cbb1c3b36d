"""When Python looks for what nothing needs any more: while the learner reads, not within a key.

Of old objects there are 400,000 once a few screens were opened, and to look through them took 30 ms
of every fifth key.  To leave them alone let the program grow by 0.13 MB a card.
"""

from __future__ import annotations

import gc
import time
from typing import Final

#: Seconds of a sweep from which on what it left is looked through no more.
_LONG: Final = 0.01


def begin() -> None:
    """What start-up made stays for good: it is left out of every later sweep."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 100)
    gc.enable()


def sweep() -> None:
    """Short, and so for every card: whatever outlived a long one is taken to stay."""
    started = time.perf_counter()
    gc.collect()
    if time.perf_counter() - started > _LONG:
        gc.freeze()


def sweep_all() -> None:
    """Long: for when a sitting is over, whose screens were taken to stay."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
