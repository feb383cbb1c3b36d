"""Which card a wikilink means."""

from __future__ import annotations

from pathlib import Path

import pytest

from cards import parse_card
from tui.wiki import Names

CARD = "---\nid: {id}\n{more}---\n# Question\nx\n# Solution\ny\n"


def names() -> Names:
    cards = [
        parse_card(CARD.format(id="pool_stride", more=""), Path("deck/strided-pooling.md")),
        parse_card(CARD.format(id="relu", more="title: Rectified Linear Unit\n"), Path("relu.md")),
        parse_card(CARD.format(id="elu", more="aliases: [exponential unit, relu]\n")),
    ]
    return Names({card.id: card for card in cards})


@pytest.mark.parametrize(
    ("name", "card"),
    [
        ("pool_stride", "pool_stride"),
        ("Pool Stride", "pool_stride"),
        ("strided-pooling", "pool_stride"),
        ("deck/Strided Pooling.md", "pool_stride"),
        ("rectified linear unit", "relu"),
        ("Exponential-Unit", "elu"),
        ("relu", "relu"),
        ("Čeština", None),
        ("", None),
    ],
)
def test_a_name_is_an_id_then_a_file_then_a_title(name: str, card: str | None) -> None:
    assert names()(name) == card
