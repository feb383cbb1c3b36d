"""The same from Anki, by an interpreter that has it; prints JSON.  Started by scale.py.

    $ANKI_PYTHON tests/bench/anki_peer.py COLLECTION build|start|look|study COUNT [JSON]

Anki is AGPL: this program of its own measures it, and nothing of ours imports either.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

_RUNS = 7
_DAY = 86_400


def main(path: str, mode: str, count: int, more: Any) -> None:
    anki, cards = import_module("anki.collection"), import_module("anki.cards")
    start = time.perf_counter()
    col = anki.Collection(path)
    if mode == "build":
        _build(col, anki.AddNoteRequest, count, more)
        return
    found = {"open_ms": 1000 * (time.perf_counter() - start)}
    col.sched.get_queued_cards(fetch_limit=1)
    found["first_ms"] = 1000 * (time.perf_counter() - start)
    if mode == "look":
        found |= _look(col, more)
    elif mode == "study":
        found |= _study(col, cards.Card, count)
    status = Path("/proc/self/status").read_text("ascii")
    found["rss_mb"] = int(status.partition("VmRSS:")[2].split()[0]) / 1024
    col.close()
    print(json.dumps(found))


def _build(col: Any, request: Any, count: int, given: Any) -> None:
    """`count` notes of one text in 50 decks, a share of them due, 95 % with ten reviews."""
    body, due = given
    kind, chance, known = col.models.by_name("Basic"), random.Random(1), count * 19 // 20
    decks = [col.decks.id(f"All::course{number % 10}::t{number}") for number in range(50)]
    requests = []
    for number in range(count):
        note = col.new_note(kind)
        note.fields = [f"Q{number}: derive it.", body]
        note.tags = [f"course{number % 10}", *(["rare"] if number % 100 == 0 else [])]
        requests.append(request(note=note, deck_id=decks[number % 50]))
    col.add_notes(requests)
    col.set_config("fsrs", True)
    limits = col.decks.config_dict_for_deck_id(decks[0])
    limits["new"]["perDay"] = limits["rev"]["perDay"] = 9999  # it takes no more
    col.decks.update_config(limits)
    col.decks.select(col.decks.id("All"))
    ids = list(col.find_cards(""))
    col.sched.set_due_date(ids[: round(due * count)], "0")
    col.sched.set_due_date(ids[round(due * count) : known], "1-30")
    now = int(time.time())
    rows, states = [], []
    for place, card in enumerate(ids[:known]):
        ago = sorted(chance.sample(range(1, 700), 10), reverse=True)
        rows += [(1000 * (now - days * _DAY) - place * 10 - turn, card, chance.choice((1, 3, 3, 4)))
                 for turn, days in enumerate(ago)]  # fmt: skip
        memory = {"s": chance.uniform(1, 90), "d": 5.0, "dr": 0.9, "lrt": now - ago[-1] * _DAY}
        states.append((json.dumps(memory, separators=(",", ":")), card))
    col.db.execute("delete from revlog")
    col.db.executemany("insert or ignore into revlog values (?,?,-1,?,20,9,0,5000,1)", rows)
    col.db.executemany("update cards set reps = 10, data = ? where id = ?", states)
    col.close()


def _median(work: Callable[[], object], runs: int = _RUNS) -> float:
    return median(_timed(work) for _ in range(runs))


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - start)


def _look(col: Any, searches: dict[str, str]) -> dict[str, float]:
    def graphs() -> object:
        return col._backend.graphs(search="", days=365)

    found = {
        "due": len(col.find_cards("is:due")),
        "first_statistics": _timed(graphs),
        "statistics": _median(graphs),
        "tree": _median(col.sched.deck_due_tree),
    }
    for ours, theirs in searches.items():
        found[f"search {ours}"] = _median(lambda theirs=theirs: col.find_cards(theirs))  # type: ignore[misc]
    return found


def _study(col: Any, card_of: Any, count: int) -> dict[str, float]:
    def answer() -> None:
        queued = col.sched.get_queued_cards(fetch_limit=1).cards[0]
        card = card_of(col, backend_card=queued.card)
        card.start_timer()
        col.sched.answer_card(col.sched.build_answer(card=card, states=queued.states, rating=2))

    start = time.perf_counter()
    times = [_timed(answer) for _ in range(count)]
    found = {"answers": count / (time.perf_counter() - start), "answer": median(times)}
    found["slowest"] = max(times)
    others = iter(col.find_cards("-is:due"))
    works: dict[str, Callable[[], object]] = {
        "undo": col.undo,
        "bury": lambda: col.sched.bury_cards([next(others)]),
        "suspend": lambda: col.sched.suspend_cards([next(others)]),
        "reset": lambda: col.sched.schedule_cards_as_new([next(others)]),
    }
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(_RUNS):
        answer()
        for name, work in works.items():
            taken[name].append(_timed(work))
    return found | {name: median(each) for name, each in taken.items()}


if __name__ == "__main__":
    path, mode, count, *more = sys.argv[1:]
    main(path, mode, int(count), json.loads(more[0]) if more else None)
