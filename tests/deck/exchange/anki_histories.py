"""A random history, made by Anki itself: run by an interpreter that has PyPI's `anki`.

`python anki_histories.py FOLDER SEED ROLLOVER fsrs|sm2` leaves a.apkg, legacy.apkg, all.colpkg in
the folder, and says what Anki knows of each card.  Days are let pass by shifting all that is kept
into the past.
"""

import json
import random
import sqlite3
import sys
import time
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

#: Of another interpreter's: the one that runs the tests need not have it.
ANKI: Any = import_module("anki.collection")

FOLDER, SEED, ROLLOVER, FSRS = Path(sys.argv[1]), *map(int, sys.argv[2:4]), sys.argv[4] == "fsrs"
DAYS, CARDS = 14, 90
WAYS = ("0", "1", "2-9", "20", "0!", "1!", "20!", "300!")
#: All that is kept moves a day into the past.
A_DAY_PASSES = """
UPDATE col SET crt = crt - 86400;
UPDATE revlog SET id = id - 86400000;
UPDATE cards SET mod = mod - 86400;
UPDATE cards SET due = due - 86400 WHERE type IN (1, 3) AND due > 1e9;
UPDATE cards SET odue = odue - 86400 WHERE odue > 1e9;
UPDATE cards SET data = json_set(data, '$.lrt', data ->> '$.lrt' - 86400) WHERE data LIKE '%lrt%';
"""
chance = random.Random(SEED)
col: Any = ANKI.Collection(str(FOLDER / "c.anki2"))


def let_a_day_pass() -> None:
    global col
    col.close()
    with closing(sqlite3.connect(FOLDER / "c.anki2")) as db:
        db.executescript(A_DAY_PASSES)
    col = ANKI.Collection(str(FOLDER / "c.anki2"))


def answer(card_id: int) -> None:
    card = col.get_card(card_id)
    card.start_timer()
    col.sched.answerCard(card, chance.choices([1, 2, 3, 4], [3, 1, 6, 2])[0])


def act() -> None:
    """One thing that a learner does to a few cards."""
    some = chance.sample(list(col.find_cards("")), 4)
    deeds = (
        lambda: col.sched.set_due_date(some, chance.choice(WAYS)),
        lambda: col.sched.schedule_cards_as_new(some),
        lambda: col.sched.suspend_cards(some),
        lambda: col.sched.unsuspend_cards(some),
        lambda: col.set_user_flag_for_cards(chance.randint(1, 7), some),
    )
    chance.choices(deeds, [8, 2, 2, 1, 1])[0]()


def filtered(name: str, reschedules: bool) -> Any:
    deck = col.decks.get(col.decks.new_filtered(name))
    deck["terms"], deck["resched"] = [["is:review -is:suspended", 8, 0]], reschedules
    col.decks.save(deck)
    col.sched.rebuild_filtered_deck(deck["id"])
    return deck["id"]


col.set_config("fsrs", FSRS)
col.set_config("rollover", ROLLOVER)
for number in range(CARDS):
    note = col.new_note(col.models.by_name("Basic"))
    note["Front"], note["Back"] = f"q {number}", "a"
    col.add_note(note, col.decks.id("D"))
for day in range(DAYS):
    for _ in range(20):
        queue = [*col.find_cards("is:due -is:suspended"), *col.find_cards("is:new -is:suspended")]
        answer(chance.choice([*queue[:9], *col.find_cards("")[:20]]))
        if chance.random() < 0.25:
            act()
    if day in (6, DAYS - 2):
        cards = col.decks.cids(filtered(f"F{day}", day == 6))
        for card in cards[:4]:
            answer(card)
        if cards[4:]:
            col.sched.set_due_date(cards[4:6], chance.choice(WAYS))
    if day < DAYS - 1:
        let_a_day_pass()
for _ in range(8):
    act()

truth = {}
for card_id in col.find_cards(""):
    card = col.get_card(card_id)
    due = card.odue if card.odid and card.odue else card.due
    answers = col.db.scalar(
        "SELECT count() FROM revlog WHERE cid = ? AND ease > 0 AND NOT (type = 3 AND factor = 0)",
        card_id,
    )
    truth[card.note().guid] = {
        "answers": answers,
        "type": card.type,
        "suspended": card.queue == -1,
        "days": due - col.sched.today if card.type == 2 else None,
        "seconds": due - time.time() if card.type in (1, 3) and due > 1e9 else None,
    }
options = ANKI.ExportAnkiPackageOptions(
    with_scheduling=True, with_deck_configs=True, with_media=True, legacy=False
)
col.export_anki_package(out_path=str(FOLDER / "a.apkg"), options=options, limit=None)
options.legacy = True
col.export_anki_package(out_path=str(FOLDER / "legacy.apkg"), options=options, limit=None)
col.export_collection_package(str(FOLDER / "all.colpkg"), True, False)
sys.stdout.write(json.dumps({"now": time.time(), "cards": truth}))
