"""What Anki's own scheduler offers for card states: run by an interpreter that has PyPI's `anki`.

`python anki_states.py FOLDER < cases.json` prints, for each case, what each of the four ratings
leads to: [days, null] in review; [days until due, seconds] in a step, as an answer leaves the card.
ANKI_TEST_MODE in the environment turns its fuzz off.
"""

import json
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

#: Of another interpreter's: the one that runs the tests need not have it.
ANKI: Any = import_module("anki.collection")
CARDS: Any = import_module("anki.cards_pb2")

col: Any = ANKI.Collection(str(Path(sys.argv[1]) / "c.anki2"))
col.set_config("fsrs", True)
decks: dict[str, Any] = {}


def deck_of(case: dict[str, Any]) -> Any:
    """A deck whose options are the case's."""
    name = json.dumps([case[key] for key in ("retention", "steps", "relearning", "longest")])
    if name not in decks:
        options = col.decks.add_config(name)
        options["desiredRetention"] = case["retention"]
        options["new"]["delays"] = [seconds / 60 for seconds in case["steps"]]
        options["lapse"]["delays"] = [seconds / 60 for seconds in case["relearning"]]
        options["rev"]["maxIvl"] = case["longest"]
        col.decks.update_config(options)
        decks[name] = col.decks.id(f"deck {len(decks)}")
        col.decks.set_config_id_for_deck_dict(col.decks.get(decks[name]), options["id"])
    return decks[name]


def card_of(case: dict[str, Any]) -> Any:
    note = col.new_note(col.models.by_name("Basic"))
    note["Front"] = "q"
    col.add_note(note, deck_of(case))
    card = note.cards()[0]
    if case["kind"] == "new":
        return card
    card.type = {"learning": 1, "review": 2, "relearning": 3}[case["kind"]]
    card.queue = 2 if card.type == 2 else 1
    card.reps, card.ivl, card.left = 3, max(case["interval"], 1), case["left"]
    today = col.sched.today
    card.due = today - case["elapsed"] + case["interval"] if card.type == 2 else int(time.time())
    card.memory_state = CARDS.FsrsMemoryState(
        stability=case["stability"], difficulty=case["difficulty"]
    )
    card.last_review_time = int(time.time()) - case["elapsed"] * 86_400
    col.update_card(card)
    return col.get_card(card.id)


def outcome(card: Any, rating: int) -> list[Any]:
    states = col._backend.get_scheduling_states(card.id)
    state = [states.again, states.hard, states.good, states.easy][rating].normal
    if state.HasField("review"):
        return [state.review.scheduled_days, None]
    step = state.learning if state.HasField("learning") else state.relearning.learning
    card.start_timer()
    col.sched.answer_card(col.sched.build_answer(card=card, states=states, rating=rating))
    after = col.get_card(card.id)
    days = after.due - col.sched.today if after.queue == 3 else 0
    col.undo()
    return [days, step.scheduled_secs]


found = []
for case in json.load(sys.stdin):
    card = card_of(case)
    found.append([outcome(card, rating) for rating in range(4)])
until = col.sched.day_cutoff - time.time()
col.close()
sys.stdout.write("\n" + json.dumps({"until": until, "found": found}))
