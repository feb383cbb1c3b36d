"""Widths: ours agree with the terminal library's on all that we let through."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from cards.math.typesetter.box import cell_width, visible


def test_every_character_below_the_private_planes_is_as_wide_as_rich_says() -> None:
    for code in [*range(0x3400), *range(0xA000, 0xD800), *range(0xE000, 0x10000)]:
        char = visible(chr(code))
        assert cell_width(char) == cell_len(char), hex(code)


@settings(max_examples=200)
@given(st.text())
def test_every_text_is_as_wide_as_rich_says(text: str) -> None:
    shown = visible(text)
    assert cell_width(shown) == cell_len(shown)


@given(st.text())
def test_what_is_visible_stays_as_it_is(text: str) -> None:
    assert visible(visible(text)) == visible(text)


def test_an_escape_sequence_does_not_reach_the_terminal() -> None:
    assert visible("a\x1b[31mb\x07") == "a�[31mb�"


def test_line_breaks_and_tabs_are_blanks() -> None:
    assert visible("a\nb\tc\r\u2028d") == "a b c  d"


def test_a_letter_with_a_combining_mark_takes_one_cell() -> None:
    assert [cell_width(text) for text in ("x̂", "ẋ", "x⃗", "x̄̂", "x̸")] == [1] * 5
