"""Names, tags and a deck's first card come from the index, as the cards are now."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from deck.collection import Collection

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
CARD = "---\nid: {id}\n{more}---\n# Question\nx\n# Solution\ny\n"


@pytest.fixture
def cards(root: Path) -> Collection:
    (root / "deck").mkdir()
    _write(root / "deck/strided-pooling.md", "pool_stride", "course: Nets\ntags: [cnn, a b]\n")
    _write(root / "relu.md", "relu", "title: Rectified Linear Unit\ntags: [cnn]\n")
    _write(root / "x.md", "elu", "aliases: [exponential unit, relu, Čárka]\n")
    return Collection.open(root, NOW)


def _write(path: Path, card_id: str, more: str = "") -> None:
    path.write_text(CARD.format(id=card_id, more=more), encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "card"),
    [
        ("pool_stride", "pool_stride"),
        ("Pool Stride", "pool_stride"),
        ("strided-pooling", "pool_stride"),
        ("rectified linear unit", "relu"),
        ("Exponential-Unit", "elu"),
        ("čárka", "elu"),
        ("relu", "relu"),
        ("X", "elu"),
        ("Čeština", None),
        ("", None),
    ],
)
def test_a_name_is_an_id_then_a_file_then_a_title(
    cards: Collection, name: str, card: str | None
) -> None:
    assert cards.called(name) == card


def test_a_name_is_looked_up_among_the_cards_as_they_are_now(cards: Collection) -> None:
    assert cards.called("Leaky Unit") is None
    _write(cards.root / "leaky.md", "lrelu", "title: Leaky unit\n")
    cards.reload(NOW)
    assert cards.called("Leaky Unit") == "lrelu"
    (cards.root / "leaky.md").unlink()
    cards.reload(NOW)
    assert cards.called("Leaky Unit") is None


def test_what_another_program_took_up_is_seen(cards: Collection) -> None:
    assert cards.called("Leaky Unit") is None
    _write(cards.root / "leaky.md", "lrelu", "title: Leaky unit\n")
    Collection.open(cards.root, NOW)
    assert cards.called("Leaky Unit") == "lrelu"


def test_no_card_is_parsed_for_a_name(cards: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(path: Path) -> None:
        raise AssertionError(path)

    monkeypatch.setattr("cards.parse.read_card", never)
    assert cards.called("Rectified Linear Unit") == "relu"
    assert cards.first_card("Nets") == "pool_stride"


def test_tags_and_first_cards(cards: Collection) -> None:
    assert cards.tags() == ["a b", "cnn"]
    assert cards.first_card("Nets › deck") == "pool_stride"
    assert cards.first_card(cards.root.name) == "relu"
    assert cards.first_card("Nowhere") is None


def test_a_card_whose_id_is_taken_has_no_name_and_no_tags(cards: Collection) -> None:
    _write(cards.root / "zz.md", "relu", "title: Second\ntags: [second]\n")
    cards.reload(NOW)
    assert cards.called("Second") is None
    assert "second" not in cards.tags()
    assert cards.called("zz") is None
