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

from deck.exchange import json as json_cards
from deck.exchange.model import ExchangeError, ForeignCard, ImportSource

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


def own(path: Path, records: list[dict[str, Any]], media: dict[str, bytes]) -> Path:
    """As deck/exchange/export/json.py writes it."""
    cards = ",".join("\n" + json.dumps(record) for record in records)
    files = ",".join(
        f"\n{json.dumps(name)}: {json.dumps(base64.b64encode(data).decode())}"
        for name, data in media.items()
    )
    head = (
        '{"format": "deltadeck", "version": 1, "exported": "2026-11-21T12:00:00.000Z", "cards": ['
    )
    path.write_text(head + cards + '\n], "media": {' + files + "\n}}\n")
    return path


def saved(root: Path, value: Any) -> Path:
    path = root / "cards.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def read(path: Path) -> tuple[list[ForeignCard], ImportSource]:
    bundle = json_cards.read(path)
    return list(bundle.cards()), bundle


@pytest.mark.parametrize(
    "value",
    [
        [{"question": "2+2?", "answer": "4"}],
        {"cards": [{"front": "2+2?", "back": "4"}]},
        {"notes": [{"Question": "2+2?", "Answer": 4}]},
        '{"question": "2+2?", "answer": 4}\n{"question": "2+2?", "answer": "4"}\n',
        {"question": "2+2?", "answer": 4.0},
    ],
)
def test_a_list_of_cards_is_found(root: Path, value: Any) -> None:
    cards, bundle = read(saved(root, value))
    assert cards[0].question == "2+2?"
    assert cards[0].solution in ("4", "4.0")
    assert not bundle.lost


def test_a_record_has_the_names_of_a_table(root: Path) -> None:
    value = {
        "deck": "Biology",
        "cards": [
            {
                "id": "cell",
                "question": "Which?",
                "options": [{"letter": "A", "text": "one"}, {"letter": "B", "text": "two"}],
                "correct": "B",
                "tags": ["a", "b c"],
                "points": 2,
                "difficulty": 3,
                "note": {"page": 12},
            }
        ],
    }
    (card,), bundle = read(saved(root, value))
    assert (card.key, card.wanted_id, card.folder) == ("cell", "cell", ("Biology",))
    assert card.question == "(2p) Which?\n\n## Options\nA) one\nB) two"
    assert card.solution == "**Correct Answer:** B"
    assert card.fields == {"tags": ["a", "b c"], "difficulty": "3", "note": {"page": "12"}}
    assert not bundle.lost


@pytest.mark.parametrize("anew", [False, True])
def test_our_own_file_is_read_whole(root: Path, anew: bool) -> None:
    """Line by line, and also after another program has laid it out anew."""
    path = own(root / "all.json", [RECORD, {"question": "b"}], {"x.png": b"\x89PNG", "y": b""})
    if anew:
        path.write_text(json.dumps(json.loads(path.read_text()), indent=1))
    (card, other), bundle = read(path)
    assert (card.key, card.type, card.folder) == ("pool", "derivation", ("ML", "Pooling"))
    assert card.question == "(3p) Give $\\delta_x$ of ![](x.png)."
    assert card.media == ("x.png",)
    with bundle.media["x.png"]() as file:
        assert file.read() == b"\x89PNG"
    assert card.fields == RECORD["fields"]
    (item,) = card.items
    assert [(each.what, each.rating, each.days) for each in item.reviews] == [
        ("answer", 1, None),
        ("reset", 0, None),
        ("answer", 3, 4),
    ]
    assert item.reviews[2].at == datetime(2026, 11, 2, 10, tzinfo=UTC)
    assert item.reviews[2].milliseconds == 5000
    assert item.suspended
    assert (item.due, item.buried) == (datetime(2026, 11, 9, 4, tzinfo=UTC), date(2026, 11, 8))
    assert other.question == "b"
    assert not bundle.lost


def test_an_empty_export_has_no_cards(root: Path) -> None:
    assert read(own(root / "all.json", [], {}))[0] == []


def test_histories_are_read_in_other_spellings(root: Path) -> None:
    record = {
        "id": "x",
        "question": "{{c1::a}} {{c2::b}}",
        "items": [
            {"id": "x/c2", "reviews": [{"time": 1_700_000_000, "rating": "Good", "ms": 1500}]},
            {"id": "x/c1", "reviews": [{"time": 1_700_000_000_000, "rating": "again"}]},
        ],
    }
    (card,), bundle = read(saved(root, [record]))
    assert {item.suffix: item.reviews[0].rating for item in card.items} == {"/c1": 1, "/c2": 3}
    assert {item.reviews[0].at for item in card.items} == {
        datetime.fromtimestamp(1_700_000_000, UTC)
    }
    assert not bundle.lost


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ("text", "no object"),
        ({"answer": "4"}, "no question"),
        ({"question": "a", "answer": "b", "x": [[[[[[[[[[[[[[1]]]]]]]]]]]]]]}, "too deeply"),
        ({"question": "a", "items": [{"suffix": "/c9", "reviews": []}]}, "no item"),
        ({"question": "a", "reviews": [{"at": "soon", "rating": 3}]}, "soon"),
        ({"question": "a", "reviews": [{"at": 1700000000, "rating": 9}]}, "rating"),
        ({"question": "a", "due": "0001-01-01"}, "0001-01-01"),
        ({"question": "a", "due": "9999-12-31T23:00:00-05:00"}, "9999-12-31"),
    ],
)
def test_what_does_not_fit_is_named_by_its_card(root: Path, record: Any, words: str) -> None:
    cards, bundle = read(saved(root, [{"question": "good"}, record]))
    assert cards[0].question == "good"
    assert {lost.where for lost in bundle.lost} == {"cards.json, card 2"}
    assert words in bundle.lost[0].what


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[1, 2", r"cards\.json:1:6"),
        ("", r"cards\.json:1:1"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": 1}', "no list of cards"),
        ("3", "no list of cards"),
        ('{"question": "a"}\n{oops}\n', r"cards\.json:2"),
        ('{"format": "deltadeck", "version": 2, "cards": [\n', "later version"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(root: Path, text: str, words: str) -> None:
    with pytest.raises(ExchangeError, match=words):
        json_cards.read(saved(root, text))


def test_numbers_of_any_length_are_texts(root: Path) -> None:
    (card,), _ = read(saved(root, f'[{{"question": "n", "answer": {"9" * 5000}}}]'))
    assert len(card.solution) == 5000


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["question", "answer", "tags", "items", "reviews", "media", "fields", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.lists(values, max_size=3))
def test_any_list_is_cards_or_losses(
    tmp_path_factory: pytest.TempPathFactory, value: list[Any]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_text(json.dumps(value))
    assert all(card.question for card in json_cards.read(path).cards())
