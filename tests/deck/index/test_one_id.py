"""Lines that differ under one id: the index and the fold let the same one count."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deck.events import (
    Buried,
    Checked,
    Event,
    Rescheduled,
    Reset,
    Reviewed,
    Suspended,
    Undone,
    Unknown,
)
from deck.fsrs import MODEL, Rating
from deck.index import journal
from deck.index.lines import read_journal
from deck.repair import examine
from deck.replay import dedupe_events, replay_item, undone_ids
from tests.deck.given import CONFIG, NOON, event, history_of, line_of

#: Of which each event has one.
IDS = [event(Reset(), at=NOON + timedelta(days=day)).id for day in range(4)]
DAY = (NOON + timedelta(days=20)).date()
WHATS = st.one_of(
    st.builds(lambda rating: Reviewed(rating, 1000, MODEL, ""), st.sampled_from(Rating)),
    st.builds(Undone, st.sampled_from(IDS)),
    st.builds(Suspended, st.booleans()),
    st.sampled_from([Reset(), Buried(DAY), Checked({}), Unknown("dream")]),
    st.builds(Rescheduled, st.dictionaries(st.sampled_from("ab"), st.just(DAY))),
)
EVENTS = st.builds(
    lambda what, item, number: replace(
        event(what, "" if isinstance(what, Rescheduled) else item, NOON + timedelta(days=number)),
        id=IDS[number],
    ),
    WHATS,
    st.sampled_from("ab"),
    st.integers(0, len(IDS) - 1),
)
#: A device's file, as it is written anew, or (of none) taken away.
FILES = st.tuples(st.sampled_from("xyz"), st.lists(EVENTS, max_size=5))


def put(private: Path, device: str, events: list[Event]) -> None:
    path = private / "journal" / device / "2026-11.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    if events:
        path.write_bytes(b"".join(map(line_of, events)))


@pytest.mark.parametrize("many", [False, True])
@settings(max_examples=150, deadline=None)
@given(files=st.lists(FILES, min_size=1, max_size=6))
def test_the_index_and_the_fold_agree_whatever_stands_under_one_id(
    tmp_path_factory: pytest.TempPathFactory, many: bool, files: list[tuple[str, list[Event]]]
) -> None:
    private = tmp_path_factory.mktemp("one") / ".deltadeck"
    with pytest.MonkeyPatch.context() as patch:
        if many:
            patch.setattr(journal, "SPREAD", 1)
        history = history_of(private)
        for device, events in files:
            put(private, device, events)
            history.refresh()
            known = list(dedupe_events(read_journal(private).events))
            undone = undone_ids(known)
            for item in "ab":
                own = [each for each in known if item in each.items]
                assert history.events(item) == own
                assert history.folded(item) == replay_item(item, own, undone, CONFIG)
            reviews = [e for e in known if isinstance(e.what, Reviewed) and e.id not in undone]
            days = {each.day for each in known}
            assert sum(len(history.answers_on(day)) for day in days) == len(reviews)


def test_the_doctor_names_the_line_that_does_not_count(root: Path) -> None:
    one = event(Reset(), "a")
    other = event(Undone(IDS[2]), "b")
    put(root / ".deltadeck", "x", [one])
    put(root / ".deltadeck", "y", [other])
    (found,) = examine(root)
    assert found.kind == "differs"
    (counts,) = dedupe_events([one, other])
    lost = "x" if counts == other else "y"
    assert found.problem.path == root / ".deltadeck" / "journal" / lost / "2026-11.jsonl"
