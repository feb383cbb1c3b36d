"""Boxes beside and above one another, and the cells they take."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from cards.math.typesetter.box import (
    Align,
    Box,
    Mark,
    blank,
    cell_width,
    hcat,
    marked,
    pad,
    text_box,
    vcat,
    visible,
    widen,
)


@st.composite
def some_boxes(draw: st.DrawFn) -> Box:
    height = draw(st.integers(1, 4))
    width = draw(st.integers(0, 4))
    row = st.text("ab c", min_size=width, max_size=width)
    rows = tuple(draw(row) for _ in range(height))
    box = Box(rows, width, draw(st.integers(0, height - 1)))
    return marked(box, "bold") if draw(st.booleans()) else box


def is_sound(box: Box) -> bool:
    inside = all(
        0 <= m.row < len(box.rows) and 0 <= m.start <= m.end <= box.width for m in box.marks
    )
    even = all(len(row) == box.width for row in box.rows)
    return inside and even and 0 <= box.baseline < len(box.rows)


@given(st.lists(some_boxes(), min_size=1, max_size=5), st.data())
def test_side_by_side_the_baselines_meet(parts: list[Box], data: st.DataObject) -> None:
    gaps = data.draw(st.lists(st.integers(0, 2), min_size=len(parts), max_size=len(parts)))
    whole = hcat(parts, gaps)
    assert is_sound(whole)
    assert whole.width == sum(part.width for part in parts) + sum(gaps)
    assert whole.baseline == max(part.baseline for part in parts)
    column = 0
    for part, gap in zip(parts, gaps, strict=True):
        column += gap
        for row, text in enumerate(part.rows):
            line = whole.rows[whole.baseline - part.baseline + row]
            assert line[column : column + part.width] == text
        column += part.width


@given(st.lists(some_boxes(), min_size=1, max_size=5))
def test_a_tall_box_without_width_beside_boxes_of_one_row_changes_no_row(parts: list[Box]) -> None:
    flat = [Box(part.rows[:1], part.width, 0, part.marks[:1]) for part in parts]
    alone, beside = hcat(flat), hcat([*flat, blank(0, 3, 1)])
    assert (beside.rows[1], beside.width) == (alone.rows[0], alone.width)
    assert [mark._replace(row=0) for mark in beside.marks] == list(alone.marks)


@given(st.lists(some_boxes(), min_size=1, max_size=5), st.data())
def test_above_one_another_the_chosen_baseline_is_kept(
    parts: list[Box], data: st.DataObject
) -> None:
    keep = data.draw(st.integers(0, len(parts) - 1))
    whole = vcat(parts, keep)
    assert is_sound(whole)
    assert len(whole.rows) == sum(len(part.rows) for part in parts)
    before = sum(len(part.rows) for part in parts[:keep])
    assert whole.baseline == before + parts[keep].baseline


@given(some_boxes(), st.integers(0, 3), st.integers(0, 3), st.integers(0, 3), st.integers(0, 3))
def test_padding_moves_the_baseline_with_its_row(
    box: Box, left: int, right: int, above: int, below: int
) -> None:
    padded = pad(box, left, right, above, below)
    assert is_sound(padded)
    assert padded.rows[padded.baseline] == " " * left + box.rows[box.baseline] + " " * right


@given(some_boxes(), st.integers(0, 5), st.sampled_from("lcr"))
def test_a_place_wider_than_the_box_is_filled(box: Box, more: int, align: Align) -> None:
    assert widen(box, box.width + more, align).width == box.width + more


def test_centred_boxes_lean_to_the_left_and_marks_move_with_their_cells() -> None:
    assert vcat([text_box("abcd"), text_box("x")], 0).rows == ("abcd", " x  ")
    assert hcat((text_box("ab"), text_box("c", "bold"))).marks == (Mark(0, 2, 3, "bold"),)


def test_a_box_too_large_to_draw_is_an_ellipsis() -> None:
    high = Box(("x",) * 3000, 1, 0)
    assert hcat([text_box("y" * 3000), high]).rows == ("⋯",)


def test_every_character_below_the_private_planes_is_as_wide_as_rich_says() -> None:
    for code in [*range(0x3400), *range(0xA000, 0xD800), *range(0xE000, 0x10000)]:
        char = visible(chr(code))
        assert cell_width(char) == cell_len(char), hex(code)


@given(st.text())
def test_every_text_is_as_wide_as_rich_says_and_stays_as_it_is_once_visible(text: str) -> None:
    shown = visible(text)
    assert cell_width(shown) == cell_len(shown)
    assert visible(shown) == shown


def test_no_escape_sequence_reaches_the_terminal_and_line_breaks_are_blanks() -> None:
    assert visible("a\x1b[31mb\x07") == "a�[31mb�"
    assert visible("a\nb\tc\r\u2028d") == "a b c  d"
    assert [cell_width(text) for text in ("x̂", "ẋ", "x⃗", "x̄̂", "x̸")] == [1] * 5
