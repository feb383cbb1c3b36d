"""Python looks for what nothing needs any more while the learner reads, not within a key.

Of old objects there are 400,000 once a few screens were opened, and to look through them took 30 ms
of every fifth key.  To leave them alone let the program grow by 0.13 MB a card.
"""

from __future__ import annotations

import gc
import time
from typing import Final

#: Seconds of the processor, of a sweep from which on what it left is looked through no more.
_LONG: Final = 0.01
#: When so many times what was needed then is taken to stay, all of it is looked through again.
_GROWN: Final = 1.2

_needed = 0
"""How much was left by the last sweep of everything."""


def begin_collecting() -> None:
    """What start-up made stays for now: it is left out of every short sweep."""
    global _needed
    _needed = 0
    gc.freeze()
    gc.set_threshold(20_000, 20, 100)
    gc.enable()


def sweep() -> None:
    """Short, and so for every card: whatever outlived a long one is taken to stay.

    A card in a thousand takes 50 ms: what was taken to stay, and did not, is found then.
    """
    started = time.thread_time()
    gc.collect()
    if not _needed:
        sweep_all()
    elif time.thread_time() - started > _LONG:
        gc.freeze()
        if gc.get_freeze_count() > _GROWN * _needed:
            sweep_all()


def sweep_all() -> None:
    """Long: for when a sitting begins or is over, whose screens were taken to stay."""
    global _needed
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    _needed = gc.get_freeze_count()
