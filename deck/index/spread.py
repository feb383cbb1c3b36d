"""All items of the index, a stretch at a time, on every processor where there are many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from deck.config import Config
from deck.index.store import Store
from deck.index.stretch import Question, Stretch, answer_of

#: So many items are a stretch.
_MANY = 2000
#: Settings that no fold looks at.
_BESIDE = {
    *("new_per_day", "reviews_per_day", "write_status", "easy_days", "bury_siblings"),
    *("review_order", "new_order", "new_mix", "interleave", "minutes_per_day", "line_breaks"),
    *("courses", "searches", "macros", "extra"),
}


def each_stretch(store: Store, config: Config, what: Question, spread: bool) -> Iterator[Any]:
    """The answer to a question about each stretch of items, in the order of finishing."""
    last = store.db.execute("SELECT coalesce(max(item), 0) FROM thing").fetchone()[0]
    bare, path = _bare(config), str(store.path)
    stretches = [
        Stretch(what, path, low, low + _MANY - 1, bare) for low in range(1, last + 1, _MANY)
    ]
    if not spread or store.trouble:  # in memory, where no other process can look
        yield from (answer_of(store.db, stretch) for stretch in stretches)
        return
    yield from (answer for _, answer in store.workers.answers(stretches, spread))


def fold_key(config: Config) -> str:
    """Names the settings that the folded states rest on."""
    return repr(
        [
            (each.name, getattr(config, each.name))
            for each in fields(config)
            if each.name not in _BESIDE
        ]
    )


def _bare(config: Config) -> Config:
    """What a fold looks at; it can be sent to another process."""
    known = {e.name: getattr(config, e.name) for e in fields(config) if e.name not in _BESIDE}
    return Config(**known, easy_days={}, courses={}, searches={}, macros={}, extra={})
