"""Every card of a history that Anki made stands here as it stands there."""

from __future__ import annotations

import json
import os
import subprocess
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from deck.collection import Collection
from deck.events import Reviewed
from deck.exchange.anki.notes import read
from deck.exchange.apply import take
from deck.exchange.plan import plan
from deck.replay import ItemState, Learning, New, Review
from deck.study_day import study_day

pytestmark = pytest.mark.skipif(
    "ANKI_PYTHON" not in os.environ, reason="ANKI_PYTHON names no Python with anki"
)
_SCRIPT = Path(__file__).parent / "anki_histories.py"
_DAY = time(4)


@pytest.mark.parametrize("package", ["a.apkg", "legacy.apkg", "all.colpkg"])
@pytest.mark.parametrize(
    ("rollover", "zone", "scheduler"),
    [
        (0, "America/New_York", "fsrs"),
        (4, "UTC", "fsrs"),
        (4, "Asia/Tokyo", "sm2"),
        (12, "Pacific/Auckland", "fsrs"),
        (12, "UTC", "sm2"),
        (23, "Europe/Prague", "sm2"),
        (23, "Asia/Kolkata", "fsrs"),
    ],
)
def test_every_item_stands_as_in_anki(
    root: Path, tmp_path_factory: pytest.TempPathFactory, package: str, rollover: int, zone: str,
    scheduler: str,
) -> None:  # fmt: skip
    made = tmp_path_factory.mktemp("anki")
    seed = os.environ.get("ANKI_SEED", "1")
    found = _history(made, seed, rollover, zone, scheduler)
    now = datetime.fromtimestamp(found["now"], ZoneInfo(zone))
    summary = take(plan(read(made / package), Collection.open(root, now, "desk"), now))
    assert not [lost for lost in summary.lost if "time or a rating" in lost.what]
    collection = Collection.open(root, now)
    ours = {card.extra["source"]: card.items[0].id for card in collection.cards.values()}
    odd = []
    for guid, truth in found["cards"].items():
        item = ours[f"anki:{guid}"]
        state, suspended = collection.state(item), collection.is_suspended(item)
        answers = [e for e in collection.events(item) if isinstance(e.what, Reviewed)]
        same = _same(state, truth, now) and len(answers) == truth["answers"]
        if not same or suspended != truth["suspended"]:
            odd.append((truth, state, collection.events(item)))
    assert odd == []


def _history(folder: Path, seed: str, rollover: int, zone: str, scheduler: str) -> dict[str, Any]:
    command = [os.environ["ANKI_PYTHON"], str(_SCRIPT), str(folder), seed, str(rollover), scheduler]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env=os.environ | {"TZ": zone}
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _same(state: ItemState, truth: dict[str, Any], now: datetime) -> bool:
    today = study_day(now, _DAY)
    if truth["days"] is not None:
        due = today + timedelta(days=truth["days"])
        return isinstance(state, Review) and state.due_day == due
    if truth["seconds"] is not None:
        there = now + timedelta(seconds=truth["seconds"])
        return isinstance(state, Learning) and abs(state.due - there) < timedelta(minutes=5)
    return isinstance(state, New if truth["type"] == 0 else Learning)
