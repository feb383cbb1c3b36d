"""What each term of a search means: the index finds what the definition finds, for any search in
any state of a collection; and what is lit up in a text is what the search finds in it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards.model import Card
from cards.parse import parse_card
from deck.collection import Collection
from deck.events import Buried, Reset
from deck.fsrs import Rating
from deck.index import cards as index_cards
from deck.index.cards import Order
from deck.index.words import HAS, folded, folded_places, patterns, words
from deck.search.match import sought
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
    parse,
)
from deck.search.sql import SearchContext
from tests.deck.given import CLOZE, NOON, card_text, configure, later, write_card
from tests.deck.search.definition import found_item, matches, phrase_in, word_in


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    root = tmp_path_factory.mktemp("terms") / "cards"
    root.mkdir()
    configure(root, '[searches]\nhard = "difficulty>=4"\n')
    write_card(root, "20261120_pool", "(5p) Max-Pooling, Kávé → x?", difficulty=2, tags="[nn::cnn]")
    write_card(root, "norm", "What is batch normalisation?", difficulty=5, course="Control")
    write_card(root / "batch4", "pair", CLOZE, type="cloze", created="2026-11-01")
    write_card(root, "aside", status="suspended", created="2020-01-01")
    made = Collection.open(root, NOON, "desk")
    made.rate("norm", Rating.EASY, later(days=-30), 1000)
    made.rate("pair/c1", Rating.AGAIN, later(days=-2), 1000)
    made.rate("pair/c2", Rating.EASY, NOON, 1000)
    return made


def found(made: Collection, text: str, now: datetime = NOON) -> set[str]:
    return set(made.search(text, now))


EVERYTHING = {"20261120_pool", "norm", "pair/c1", "pair/c2", "aside"}


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", EVERYTHING),
        ("normal", {"norm"}),
        ("normalisation batch", {"norm"}),
        ("*isation", {"norm"}),
        ("isation", set()),
        ("max-pool", {"20261120_pool"}),
        ("kave", {"20261120_pool"}),
        ("→", {"20261120_pool"}),
        ('"batch normalisation"', {"norm"}),
        ('"normalisation batch"', set()),
        ('"batch normal"', set()),
        ("tag:nn", {"20261120_pool"}),
        ("tag:cnn", set()),
        ("tag:*cnn", {"20261120_pool"}),
        ("course:CON*", {"norm"}),
        ("deck:batch4", {"pair/c1", "pair/c2"}),
        ("deck:networks", EVERYTHING - {"norm"}),
        ("type:cloze", {"pair/c1", "pair/c2"}),
        ("id:pair/c1", {"pair/c1"}),
        ("path:batch4/*", {"pair/c1", "pair/c2"}),
        ("has:points", {"20261120_pool"}),
        ("question:normal -solution:normal", {"norm"}),
        ("is:new", {"20261120_pool", "aside"}),
        ("is:learning", {"pair/c1"}),
        ("is:review", {"norm", "pair/c2"}),
        ("is:due", {"norm", "pair/c1"}),
        ("is:overdue", {"norm"}),
        ("is:suspended", {"aside"}),
        ("is:young", {"norm", "pair/c2"}),
        ("is:leech", set()),
        ("difficulty>=3", {"norm"}),
        ("points:5", {"20261120_pool"}),
        ("r<0.9", {"norm", "pair/c1"}),
        ("r=1", {"pair/c2"}),
        ("s>1 d<5", {"norm", "pair/c2"}),
        ("reps=0", {"20261120_pool", "aside"}),
        ("due<0", {"norm", "pair/c1"}),
        ("rated:1", {"pair/c2"}),
        ("rated:3:1", {"pair/c1"}),
        ("introduced:3", {"pair/c1", "pair/c2"}),
        ("added:7 -id:norm", {"20261120_pool"}),
        ("added:30 -id:norm", {"20261120_pool", "pair/c1", "pair/c2"}),
        ("@hard or tag:nn", {"norm", "20261120_pool"}),
    ],
)
def test_a_term_means_these_items(made: Collection, text: str, ids: set[str]) -> None:
    assert found(made, text) == ids


# The index, held to the definition.

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


def slowly(collection: Collection, query: Query, now: datetime = NOW) -> list[str]:
    at = SearchContext(now, collection.config)
    past, root = collection._history, collection.root
    items = collection._library.items.values()
    found = (found_item(item.id, card, past, root, at) for item, card in items)
    return [each.item_id for each in found if matches(query, each, at)]


@given(QUERIES, st.sampled_from([1, 1000]), st.integers(1, 3))
def test_the_index_finds_what_the_definition_finds(
    collection: Collection, query: Query, share: int, asked: int
) -> None:
    """Also in the order of the files, by whichever way these are put into it."""
    collection._library._order = Order()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_cards, "_SHARE", share)
        for _ in range(asked):
            assert collection.search(str(query), NOW) == slowly(collection, query)


def test_words_that_a_card_had_before_and_cards_that_come_are_seen(root: Path) -> None:
    path = write_card(root, "changing", "Old words?")
    collection = Collection.open(root, NOON, "desk")
    assert [collection.search("old", NOON) for _ in range(2)] == [["changing"]] * 2
    path.write_text(card_text("changing", "Entirely other words?"))
    write_card(root, "another", "Old words?")
    collection.reload(NOON)
    assert [collection.search("old", NOON) for _ in range(2)] == [["another"]] * 2
    assert collection.search("words", NOON) == ["another", "changing"]


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
    assert made.search(query, now) == slowly(made, parse(query), now)


# What is lit up.

LETTERS = st.sampled_from("abAB éÉčßﬁΣς_-*$x²ε\u0301Å가\n")
TEXT = st.text(st.one_of(LETTERS, st.characters(codec="utf-8")), max_size=40)
#: Of a mark alone, nothing is left to look for.
TERM = st.text(LETTERS, min_size=1, max_size=4).filter(lambda term: folded(term).strip())


def lit(search: str, text: str) -> list[str]:
    return [text[start:end] for start, end in sought(parse(search)).spans(text)]


def blank(question: str = "") -> Card:
    card = parse_card("---\nid: q\n---\n# Question\nx\n---\n# Solution\ny\n", Path("q.md"))
    return replace(card, question=question)


@pytest.mark.parametrize(
    ("search", "text", "found"),
    [
        ("jaco", "The Jacobian, jacoby and majaco", ["Jaco", "jaco"]),
        ("*bian", "The Jacobian of bianca", ["Jacobian"]),
        ("j*b", "job jabs J b", ["job"]),
        ("j*b*", "job jabs", ["job", "jabs"]),
        ("ela", "Élan e\u0301la", ["Éla", "e\u0301la"]),
        ("strasse", "Straße strass", ["Straße"]),
        ("x_max", "x and max of x_max, xmax", ["x", "max", "x", "max", "x"]),
        ('"chain rule"', "A chain\n  rule, chained rule, chain rules", ["chain\n  rule"]),
        ("a or b", "a b c", ["a", "b"]),
        ("a -b", "a b", ["a"]),
        ('-(a "b c")', "a b c", []),
        ("-(-a)", "a", ["a"]),
        ("tag:a is:due course:a difficulty>2 added:7 r<0.9", "a due 2", []),
        ("→", "x → y", ["→"]),
        ("ab abc", "abcd", ["abc"]),
    ],
)
def test_what_is_asked_for_is_lit(search: str, text: str, found: list[str]) -> None:
    assert lit(search, text) == found


def test_a_word_of_one_part_is_lit_there_alone() -> None:
    asked = sought(parse("question:a solution:b c"))
    text = "a b c"
    assert asked.spans(text, "question") == [(0, 1), (4, 5)]
    assert asked.spans(text, "solution") == [(2, 3), (4, 5)]
    assert asked.spans(text) == [(4, 5)]


@given(TEXT)
def test_letters_fold_one_by_one(text: str) -> None:
    plain, places = folded_places(text)
    assert plain == folded(text)
    assert places is None or (len(places) == len(plain) and places == sorted(places))


@given(TERM, TEXT)
def test_a_word_is_lit_where_it_is_found_in_spans_that_are_in_order_and_apart(
    term: str, text: str
) -> None:
    spans = sought(Word(term)).spans(text)
    if len(patterns(term)) < 2:  # of several words all must be there
        assert bool(spans) == word_in(blank(), term, text)
    elif word_in(blank(), term, text):
        assert spans
    ends = [place for span in spans for place in span]
    assert ends == sorted(set(ends))
    assert all(0 <= place <= len(text) for place in ends)


@given(st.lists(TERM, min_size=1, max_size=3), TEXT)
def test_a_phrase_is_lit_where_it_is_found(terms: list[str], text: str) -> None:
    phrase = " ".join(terms)
    if words(phrase):
        assert bool(sought(Phrase(phrase)).spans(text)) == phrase_in(blank(text), phrase)
