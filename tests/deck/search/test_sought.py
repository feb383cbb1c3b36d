"""What is lit up in a text is what the search finds in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards.model import Card
from cards.parse import parse_card
from deck.search.match import sought
from deck.search.query import Phrase, Word, parse
from deck.search.text import folded, folded_places, patterns, words
from tests.deck.search.definition import phrase_in, word_in

LETTERS = st.sampled_from("abAB éÉčßﬁΣς_-*$x²ε\u0301Å가\n")
TEXT = st.text(st.one_of(LETTERS, st.characters(codec="utf-8")), max_size=40)
#: Of a mark alone, nothing is left to look for.
TERM = st.text(LETTERS, min_size=1, max_size=4).filter(lambda term: folded(term).strip())


def lit(search: str, text: str) -> list[str]:
    return [text[start:end] for start, end in sought(parse(search)).spans(text)]


def blank(question: str = "") -> Card:
    card = parse_card("---\nid: q\n---\n# Question\nx\n---\n# Solution\ny\n", Path("q.md"))
    return Card(
        **{**{f: getattr(card, f) for f in card.__dataclass_fields__}, "question": question}
    )


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
def test_a_word_is_lit_where_it_is_found(term: str, text: str) -> None:
    alone = len(patterns(term)) < 2  # of several words all must be there
    spans = sought(Word(term)).spans(text)
    if alone:
        assert bool(spans) == word_in(blank(), term, text)
    elif word_in(blank(), term, text):
        assert spans


@given(st.lists(TERM, min_size=1, max_size=3), TEXT)
def test_a_phrase_is_lit_where_it_is_found(terms: list[str], text: str) -> None:
    phrase = " ".join(terms)
    if words(phrase):
        assert bool(sought(Phrase(phrase)).spans(text)) == phrase_in(blank(text), phrase)


@given(TERM, TEXT)
def test_spans_are_in_order_and_apart(term: str, text: str) -> None:
    ends = [place for span in sought(Word(term)).spans(text) for place in span]
    assert ends == sorted(set(ends))
    assert all(0 <= place <= len(text) for place in ends)
