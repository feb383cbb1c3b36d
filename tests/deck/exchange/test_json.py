"""JSON: lists of cards, with their histories, and the file that our own export writes."""

from __future__ import annotations

import base64
import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.deck.exchange.foreign import read, saved

RECORD = {
    "key": "pool",
    "wanted_id": "pool",
    "folder": ["ML", "Pooling"],
    "type": "derivation",
    "question": "(3p) Give $\\delta_x$ of ![[img/x.png]].",
    "solution": "$y$",
    "fields": {"course": "ML", "tags": ["cnn"], "difficulty": "2", "exercise": {"layer": "relu"}},
    "items": [
        {
            "suffix": "",
            "reviews": [
                {"at": "2026-11-02T10:00:00.000Z", "rating": 3, "milliseconds": 5000, "days": 4}
            ],
            "before_reset": [{"at": "2026-10-01T10:00:00.000Z", "rating": 1, "key": "one"}],
            "suspended": True,
            "due": "2026-11-09T04:00:00+00:00",
            "schedule": {"state": "review", "buried_until": "2026-11-08"},
        }
    ],
    "media": {"img/x.png": "x.png"},
}
HEAD = '{"format": "deltadeck", "version": 1, "exported": "2026-11-21T12:00:00.000Z", "cards": ['


def own(path: Path, records: list[dict[str, Any]], media: dict[str, bytes]) -> Path:
    """As deck/exchange/export/json.py writes it."""
    cards = ",".join("\n" + json.dumps(record) for record in records)
    files = ",".join(
        f"\n{json.dumps(name)}: {json.dumps(base64.b64encode(data).decode())}"
        for name, data in media.items()
    )
    path.write_text(f'{HEAD}{cards}\n], "media": {{{files}\n}}}}\n')
    return path


@pytest.mark.parametrize(
    "value",
    [
        [{"question": "2+2?", "answer": "4"}],
        {"cards": [{"front": "2+2?", "back": "4"}]},
        {"notes": [{"Question": "2+2?", "Answer": 4}]},
        '{"question": "2+2?", "answer": 4}\n{"question": "2+2?", "answer": "4"}\n',
        {"question": "2+2?", "answer": 4.0},
        f'[{{"question": "2+2?", "answer": {"4" * 5000}}}]',
    ],
)
def test_a_list_of_cards_is_found_and_numbers_are_texts(root: Path, value: Any) -> None:
    text = value if isinstance(value, str) else json.dumps(value)
    cards, found = read(saved(root, "json", text))
    assert cards[0].question == "2+2?"
    assert cards[0].solution in ("4", "4.0", "4" * 5000)
    assert not found.lost


def test_a_record_has_the_names_of_a_table(root: Path) -> None:
    options = [{"letter": "B", "text": "C"}, {"letter": "C", "text": "B"}]  # its letters count
    record = {"id": "cell", "question": "Which?", "options": options, "correct": "B", "points": 2}
    record |= {"tags": ["a", "b c"], "difficulty": 3, "note": {"page": 12}}
    value = {"deck": "Biology", "cards": [record]}
    (card,), found = read(saved(root, "json", json.dumps(value)))
    assert (card.key, card.wanted_id, card.folder) == ("cell", "cell", ("Biology",))
    assert card.question == "(2p) Which?\n\n## Options\nB) C\nC) B"
    assert card.solution == "**Correct Answer:** B"
    assert card.fields == {"tags": ["a", "b c"], "difficulty": "3", "note": {"page": "12"}}
    assert not found.lost


@pytest.mark.parametrize("anew", [False, True])
def test_our_own_file_is_read_whole(root: Path, anew: bool) -> None:
    """Line by line, and also after another program has laid it out anew."""
    path = own(root / "all.json", [RECORD, {"question": "b"}], {"x.png": b"\x89PNG", "y": b""})
    if anew:
        path.write_text(json.dumps(json.loads(path.read_text()), indent=1))
    (card, other), found = read(path)
    assert (card.key, card.type, card.folder) == ("pool", "derivation", ("ML", "Pooling"))
    assert card.question == "(3p) Give $\\delta_x$ of ![](x.png)."
    assert (card.media, card.fields) == (("x.png",), RECORD["fields"])
    with found.media["x.png"]() as file:
        assert file.read() == b"\x89PNG"
    (item,) = card.items
    told = [(each.what, each.rating, each.days) for each in item.reviews]
    assert told == [("answer", 1, None), ("reset", 0, None), ("answer", 3, 4)]
    assert item.reviews[2].at == datetime(2026, 11, 2, 10, tzinfo=UTC)
    assert item.reviews[2].milliseconds == 5000
    assert item.suspended
    assert (item.due, item.buried) == (datetime(2026, 11, 9, 4, tzinfo=UTC), date(2026, 11, 8))
    assert (other.question, found.lost) == ("b", [])


def test_histories_are_read_in_other_spellings(root: Path) -> None:
    items = [
        {"id": "x/c2", "reviews": [{"time": 1_700_000_000, "rating": "Good", "ms": 1500}]},
        {"id": "x/c1", "reviews": [{"time": 1_700_000_000_000, "rating": "again"}]},
    ]
    record = {"id": "x", "question": "{{c1::a}} {{c2::b}}", "items": items}
    (card,), found = read(saved(root, "json", json.dumps([record])))
    assert {item.suffix: item.reviews[0].rating for item in card.items} == {"/c1": 1, "/c2": 3}
    at = datetime.fromtimestamp(1_700_000_000, UTC)
    assert {item.reviews[0].at for item in card.items} == {at}
    assert not found.lost


@pytest.mark.parametrize(
    "review", [{"at": "soon", "rating": 3}, {"at": 1700000000, "rating": 9}, {}, "no"]
)
def test_an_answer_that_cannot_be_is_named(root: Path, review: Any) -> None:
    records = [{"question": "a", "reviews": [review, {"at": 1700000000, "rating": 4}]}]
    (card,), found = read(saved(root, "json", json.dumps(records)))
    assert [each.rating for each in card.items[0].reviews] == [4]
    assert {lost.where for lost in found.lost} == {"a.json, card 1"}
    assert "no time or no rating" in found.lost[-1].what


NAMES = st.sampled_from(["question", "answer", "tags", "items", "reviews", "media", "fields", "x"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(VALUES, max_size=3))
def test_any_list_is_cards_or_losses(
    tmp_path_factory: pytest.TempPathFactory, value: list[Any]
) -> None:
    path = saved(tmp_path_factory.getbasetemp() / "any", "json", json.dumps(value))
    cards, found = read(path)
    assert all(card.question for card in cards)
    assert len(found.lost) >= len(value) - len(cards)
