"""The grammar: what is written reads back, and what cannot be read says where."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck.index.words import HAS
from deck.search.query import (
    EVENTS,
    NUMBERS,
    STATES,
    TEXTS,
    And,
    Compare,
    Everything,
    Has,
    Is,
    Not,
    Or,
    Phrase,
    Query,
    Saved,
    SearchError,
    Within,
    Word,
    expand,
    parse,
)

TEXT = st.text(min_size=1, max_size=8).filter(str.strip)
NUMBER = st.floats(-1e9, 1e9) | st.integers(-50, 99999).map(float)
LEAVES: st.SearchStrategy[Query] = st.one_of(
    st.builds(Word, TEXT),
    st.builds(Phrase, TEXT),
    st.builds(Has, st.sampled_from([name for name in TEXTS if name != "has"]), TEXT),
    st.builds(Has, st.just("has"), st.sampled_from(HAS)),
    st.builds(Is, st.sampled_from(list(STATES))),
    st.builds(
        Compare,
        st.sampled_from(list(NUMBERS)),
        st.sampled_from(["<", "<=", "=", "!=", ">=", ">"]),
        NUMBER,
    ),
    st.builds(Within, st.sampled_from(list(EVENTS)), st.integers(1, 9999)),
    st.builds(Within, st.just("rated"), st.integers(1, 9999), st.integers(1, 4)),
    st.builds(Saved, TEXT),
)


def _flat(kind: type[And] | type[Or], parts: list[Query]) -> Query:
    flat: list[Query] = []
    for part in parts:
        flat += part.parts if isinstance(part, kind) else (part,)
    return kind(tuple(flat))


QUERIES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.lists(inner, min_size=2, max_size=4).map(lambda parts: _flat(And, parts)),
        st.lists(inner, min_size=2, max_size=4).map(lambda parts: _flat(Or, parts)),
    ),
    max_leaves=8,
)


@given(QUERIES)
def test_what_a_query_writes_reads_back_to_the_same_tree(query: Query) -> None:
    assert parse(str(query)) == query


PIECES = ["or", "and", "not", "-", "(", ")", '"', "tag:", "r", "<", "0.9", "is:", "due", "\\"]
PIECES += ["rated:", "7", ":", "@", "x", " ", "=", "*", "%"]


@given(
    st.text(max_size=30)
    | st.lists(
        st.sampled_from(PIECES),
        max_size=12,
    ).map("".join)
)
def test_any_text_is_a_search_or_a_sentence_with_its_place(text: str) -> None:
    refused = None
    try:
        query = parse(text)
    except SearchError as error:
        refused = error
    if refused is None:
        assert parse(str(query)) == query
        return
    assert 1 <= refused.column <= len(text) + 1
    assert refused.message.endswith(".")
    assert refused.hint
    assert refused.text == text


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("", Everything()),
        ("jacobian", Word("jacobian")),
        ('"exact words"', Phrase("exact words")),
        ("course:stat*", Has("course", "stat*")),
        ('course:"Machine Learning"', Has("course", "Machine Learning")),
        ("-is:suspended", Not(Is("suspended"))),
        ("IS:Due", Is("due")),
        ("difficulty>=3", Compare("difficulty", ">=", 3.0)),
        ("difficulty:3", Compare("difficulty", "=", 3.0)),
        ("r<80%", Compare("r", "<", 0.8)),
        ("stability>21", Compare("s", ">", 21.0)),
        ("added:7", Within("added", 7)),
        ("rated:7:1", Within("rated", 7, 1)),
        ("max-pooling", Word("max-pooling")),
        ("a b or c", Or((And((Word("a"), Word("b"))), Word("c")))),
        ("a (b OR c) and not d", And((Word("a"), Or((Word("b"), Word("c"))), Not(Word("d"))))),
        ("--a", Not(Not(Word("a")))),
        ("(a b) c", And((Word("a"), Word("b"), Word("c")))),
        ('"or"', Phrase("or")),
        ("\\or", Word("or")),
        ("a\\:b", Word("a:b")),
        ("@hard", Saved("hard")),
    ],
)
def test_the_grammar(text: str, tree: Query) -> None:
    assert parse(text) == tree


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("a (b", 3, "never closed"),
        ("a b)", 4, "never opened"),
        ('a "b', 3, "never closed"),
        ("a or", 5, "missing"),
        ("or a", 1, "missing"),
        ("-", 2, "missing"),
        ("tga:x", 1, "Did you mean tag?"),
        ("a is:du", 6, "Did you mean due?"),
        ("r<high", 3, "not a number"),
        ("is:", 4, "is:due"),
        ("added:0", 7, "number of days"),
        ("added:7:1", 7, "number of days"),
        ("http://x", 1, 'as "http://x"'),
        ("a<3", 1, "Unknown field"),
        ("3<4", 2, "name first"),
        ("tag<3", 4, "not a number to compare"),
        ("has:wings", 5, "Known: exercise"),
        ('""', 1, "nothing between"),
        ("a\\", 2, "backslash"),
        ("(" * 99, 52, "too deeply"),
    ],
)
def test_an_error_names_its_place_and_a_way_out(text: str, column: int, says: str) -> None:
    with pytest.raises(SearchError) as refused:
        parse(text)
    assert refused.value.column == column
    assert says in str(refused.value)


def test_saved_searches_are_put_in() -> None:
    saved = {"hard": "difficulty>=4 -@easy", "easy": "tag:easy"}
    query = expand(parse("@hard or is:leech"), saved)
    assert query == parse("(difficulty>=4 -tag:easy) or is:leech")


@pytest.mark.parametrize(
    ("saved", "says"),
    [
        ({"hart": "a"}, "Did you mean @hart?"),
        ({"hard": "@easy", "easy": "@hard"}, "leads back to itself"),
        ({"hard": "tag:"}, "not followed by anything"),
    ],
)
def test_a_saved_search_that_cannot_be_used_is_refused(saved: dict[str, str], says: str) -> None:
    with pytest.raises(SearchError) as refused:
        expand(parse("@hard"), saved)
    assert says in str(refused.value)
    assert refused.value.column <= len(refused.value.text) + 1
