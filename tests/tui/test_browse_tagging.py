"""Tags given to a card's text and taken back, whatever else changes in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cards import parse_card
from cards.edit import with_field
from cards.model import Card
from deck.collection import Collection
from tests.tui.driving import Clock, basic, write
from tui.screens.bulk import _Cards, _rewrite, tagged, untagged

#: How authors write tags.
WRITTEN = [
    "",
    "tags: []\n",
    "tags: [a,  'b' ]  # mine\n",
    "tags:\n  - a\n  - b\n",
    "tags: a\n",
    "tags: [a,\n  b]\n",
]


def card_with(line: str, ending: str = "\n") -> Card:
    text = basic("x", "Why?\n\n```\ntags: [foo]\n```").replace(
        "type: basic\n", f"{line}type: basic\n"
    )
    return parse_card(text.replace("\n", ending))


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("line", WRITTEN)
@pytest.mark.parametrize("gone", [set(), {"a"}])
def test_taking_tags_back_is_exact_beside_a_later_change(
    line: str, ending: str, gone: set[str]
) -> None:
    card = card_with(line, ending)
    text, way = tagged(card, ["foo"], gone)
    assert parse_card(text).tags == (*(name for name in card.tags if name not in gone), "foo")
    assert untagged(parse_card(text), way) == card.source
    later = with_field(text, "status", "suspended")
    assert untagged(parse_card(later), way) == with_field(card.source, "status", "suspended")


def test_only_what_was_given_is_taken_back_from_tags_that_changed_since() -> None:
    text, way = tagged(card_with("tags: [a, b]\n"), ["foo", "b"], {"a"})
    later = parse_card(with_field(text, "tags", ["new", "foo", "b"]))
    assert parse_card(untagged(later, way)).tags == ("new", "b", "a")
    again = parse_card(with_field(text, "tags", ["a", "b"]))
    assert untagged(again, way) == again.source


def test_a_card_that_changes_while_it_is_written_is_read_again(folder: Path) -> None:
    path, clock = write(folder, "x", basic("x")), Clock()
    collection = Collection.open(folder, now=clock())
    seen: list[str] = []

    def change(card: Card) -> str:
        seen.append(card.source)
        if len(seen) == 1:  # another program, between our reading and writing
            path.write_text(card.source.replace("Why?", "Wherefore?"))
        return tagged(card, ["foo"], set())[0]

    assert _rewrite(_Cards(collection, clock()), "x", change)
    assert len(seen) == 2
    assert parse_card(path.read_text()).tags == ("foo",)
    assert "Wherefore?" in path.read_text()
    collection.close()
