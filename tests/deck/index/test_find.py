"""The index finds what `matches` finds: for any search, in any state of a collection."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deck.collection import Collection
from deck.events import Buried, Reset
from deck.fsrs import Rating
from deck.search.query import (
    NUMBERS,
    STATES,
    And,
    Compare,
    Has,
    Is,
    Not,
    Or,
    Phrase,
    Query,
    Within,
    Word,
)
from deck.search.sql import Moment
from deck.search.text import HAS
from tests.deck.given import CLOZE, NOON, configure, later, write_card
from tests.deck.search.definition import FoundItem, search

NOW = later(days=40)
WORDS = ["jacob", "jacobian", "*bian", "norm", "max-pool", "→", "kave", "x_1", "straße", "e*o", "a"]
PHRASES = ["jacobian of x", "of x", "Kávé", "norm jacobian", "networks nn", "x 1", "because", "∂ ="]
PATTERNS = ["nn", "nn::*", "*nn", "netw*", "b4", "b4/*", "a*", "pair/c1", "networks › b4", "x", "*"]
FIELDS = ["tag", "course", "deck", "type", "status", "id", "path", "link"]
LEAVES: st.SearchStrategy[Query] = st.one_of(
    st.builds(Word, st.sampled_from(WORDS)),
    st.builds(Phrase, st.sampled_from(PHRASES)),
    st.builds(Has, st.sampled_from(FIELDS), st.sampled_from([*PATTERNS, "cloze", "suspended"])),
    st.builds(Has, st.sampled_from(["question", "solution"]), st.sampled_from(WORDS)),
    st.builds(Has, st.just("has"), st.sampled_from(HAS)),
    st.builds(Is, st.sampled_from(list(STATES))),
    st.builds(
        Compare,
        st.sampled_from(list(NUMBERS)),
        st.sampled_from(["<", "<=", "=", "!=", ">=", ">"]),
        st.sampled_from([-3.0, 0.0, 0.5, 0.9, 0.95, 1.0, 2.0, 5.0, 8.2956, 21.0, 50.0]),
    ),
    st.builds(
        Within, st.sampled_from(["added", "edited", "rated", "introduced"]), st.integers(1, 60)
    ),
    st.builds(Within, st.just("rated"), st.integers(1, 60), st.integers(1, 4)),
)
QUERIES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(And, st.tuples(inner, inner)),
        st.builds(Or, st.tuples(inner, inner)),
    ),
    max_leaves=5,
)


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    root = tmp_path_factory.mktemp("found") / "cards"
    root.mkdir()
    configure(root, "leech_lapses = 1\n")
    write_card(root, "a1", "(2p) The Jacobian of x_1 → ∂ = y", tags="[nn]", difficulty=4)
    write_card(root, "a2", "Kávé, Straße, norm", tags="[nn::cnn, Ünn]", created="2026-12-20")
    write_card(root / "b4", "20261220_b", "max-pooling", course="Control", status="suspended")
    write_card(root / "b4", "pair", CLOZE, type="cloze", tags="[nn/rnn]")
    write_card(root / "Networks" / "x", "deep", "e to o, echo\n\n## Related Concepts\n[[a1]]")
    made = Collection.open(root, NOON, "desk")
    easy, again = Rating.EASY, Rating.AGAIN
    for item, rating, days in [
        *[("a1", easy, 0), ("a1", again, 20), ("a2", easy, 10), ("a2", Rating.GOOD, 39.9)],
        *[("pair/c1", Rating.HARD, 40), ("pair/c2", easy, 31.7), ("deep", easy, 5)],
    ]:
        made.rate(item, rating, later(days=days), 1000)
    made.undo(later(days=39.95))
    made.record("deep", Reset(), later(days=30))
    made.record("pair/c2", Buried(later(days=50).date()), NOW)
    made.suspend("a1", NOW)
    return made


def slowly(collection: Collection, query: Query) -> list[str]:
    at = Moment(NOW, collection.config)
    past, root = collection._history, collection.root
    items = collection._library.items.values()
    return search(query, (FoundItem(i.id, card, past, root, at.day) for i, card in items), at)


@settings(
    max_examples=250, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(QUERIES)
def test_the_index_finds_what_the_definition_finds(collection: Collection, query: Query) -> None:
    assert collection.search(str(query), NOW) == slowly(collection, query)


@pytest.mark.parametrize("query", ["r<0.9", "r>=0.9", "-r<=0.9", "r=1", "r!=1"])
def test_recall_at_the_very_bound_is_the_definitions(root: Path, query: str) -> None:
    """Ten days after an answer that left a stability of just ten days, and one to each side."""
    numbers = [0.212, 1.2931, 2.3065, 10.0, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796]
    numbers += [1.4835, 0.0614, 0.2629, 1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542]
    configure(root, f"parameters = {numbers}\n")
    for item in "abc":
        write_card(root, item)
    made = Collection.open(root, NOON, "desk")
    for days, item in enumerate("abc"):
        made.rate(item, Rating.EASY, later(days=days), 0)
    now = NOON + timedelta(days=11)
    at = Moment(now, made.config)
    from deck.search.query import parse

    items = made._library.items.values()
    slow = (FoundItem(i.id, card, made._history, root, at.day) for i, card in items)
    assert made.search(query, now) == search(parse(query), slow, at)
