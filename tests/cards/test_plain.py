"""Plain frontmatter, read the short way, is what the YAML parser reads."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cards import frontmatter
from cards.diagnostics import Report
from cards.frontmatter import Header, plain_entries, read_header
from cards.model import CardError

SIGNS = "ab1_ .:,[]-/+()#'\"{}&*!|>%@`?~\t\r\n=é"
WORDS = st.sampled_from(
    ["a", "nn::cnn", "3x3", "no", "2016_001", "1.5", "true", "a-b", "x:y", "(a)"]
)
TEXTS = st.one_of(st.lists(WORDS, min_size=1, max_size=3).map(" ".join), st.text(SIGNS, max_size=6))
LISTS = st.lists(TEXTS, max_size=3).map(lambda texts: f"[{', '.join(texts)}]")
LINES = st.tuples(
    st.sampled_from(["id", "tags", "a-b", "course", "_x", "exercise"]),
    st.sampled_from([": ", ":  ", ":", " : "]),
    st.one_of(TEXTS, LISTS),
    st.sampled_from(["", " ", " # so"]),
).map("".join)
BLOCKS = st.lists(LINES, max_size=4).map("\n".join)


def read(text: str) -> Header | str:
    try:
        return read_header(Report(text, None))
    except CardError as error:
        return str(error)


@given(BLOCKS)
@example("id: a\ntags: [nn::cnn, a b , c]  \ncourse: Linear  Algebra")
@example("id: a\nid: b")
@example("tags: []\nid: [ ]")
@example("id: a:")
@example("id: a\n  b")
def test_the_short_way_reads_what_the_parser_reads(block: str) -> None:
    check(block)


@given(st.text(SIGNS, max_size=30))
def test_any_text_is_read_alike(block: str) -> None:
    check(block)


def check(block: str) -> None:
    text = f"---\n{block}\n---\n# Question\n"
    quick = read(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frontmatter, "plain_entries", lambda _: None)
        assert quick == read(text)


def test_the_seeds_form_takes_the_short_way() -> None:
    yaml = (
        "\nid: ssu_batch4_004\ncourse: Machine Learning\ntags: [max-pooling, nn]\ndifficulty: 3\n"
    )
    found = plain_entries(yaml)
    assert found is not None
    assert [(key, value) for key, value, *_ in found] == [
        ("id", "ssu_batch4_004"),
        ("course", "Machine Learning"),
        ("tags", ["max-pooling", "nn"]),
        ("difficulty", "3"),
    ]
