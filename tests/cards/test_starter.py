"""The starter deck: twelve sound cards, the seed among them byte for byte."""

from __future__ import annotations

import pytest

from cards import read_card
from cards.text import fold
from tests.paths import SEED, SHARED, STARTER

PATHS = sorted(STARTER.glob("*.md"))
CARDS = [read_card(path) for path in PATHS]
TYPES = {
    "pool_average": "derivation",
    "pool_cloze": "cloze",
    "pool_count": "numeric",
    "pool_jacobian": "derivation",
    "pool_linear": "derivation",
    "pool_nonmax": "multiple_choice",
    "pool_overlap": "derivation",
    "pool_padding": "multiple_choice",
    "pool_receptive_field": "reversed",
    "pool_slope_one": "open",
    "pool_ties": "open",
    "ssu_batch4_004": "derivation",
}


def test_the_deck_is_what_it_should_be() -> None:
    assert {card.id: card.type for card in CARDS} == TYPES
    assert {card.course for card in CARDS} == {"Statistical Machine Learning"}
    assert len({item.id for card in CARDS for item in card.items}) == 11 + 6 + 1


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_a_starter_card_is_clean(card: object) -> None:
    found = next(c for c in CARDS if c is card)
    assert found.warnings == ()
    assert found.path is not None
    assert found.path.name == f"{found.id}.md"


@pytest.mark.skipif(not SHARED.is_dir(), reason="the seed's first form is in the shared folder")
def test_the_seed_is_verbatim() -> None:
    assert SEED.read_bytes() == (SHARED / "cards" / SEED.name).read_bytes()


def test_its_wikilinks_lead_somewhere() -> None:
    names = {fold(card.id) for card in CARDS} | {fold(t) for card in CARDS for t in card.tags}
    missing = {name for card in CARDS for name in card.related if fold(name) not in names}
    assert missing <= {"neural-networks"}


def test_only_cards_that_say_so_have_an_exercise() -> None:
    with_exercise = {card.id: card.exercise for card in CARDS if card.exercise}
    assert set(with_exercise) == {"pool_linear", "pool_overlap"}
    assert with_exercise["pool_overlap"] == {
        "layer": "max-pool",
        "kernel": "3",
        "stride": "2",
        "find": "dx",
    }
    assert "max-pooling" not in next(c for c in CARDS if c.id == "pool_average").tags


def test_the_right_answers() -> None:
    right = {card.id: card.correct_letters for card in CARDS if card.is_choice}
    assert right == {"pool_nonmax": ("C",), "pool_padding": ("B",)}
    count = next(card for card in CARDS if card.id == "pool_count")
    assert (count.correct, count.tolerance) == ("4.5", "0.001")
