"""Boxes beside and above one another."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cards.math.typesetter.box import (
    Align,
    Box,
    Mark,
    _many_rows,
    hcat,
    marked,
    pad,
    text_box,
    vcat,
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
def test_the_fast_path_for_one_row_is_the_general_one(parts: list[Box]) -> None:
    flat = [Box(part.rows[:1], part.width, 0, part.marks[:1]) for part in parts]
    gaps = [1] * len(flat)
    assert hcat(flat, gaps) == _many_rows(flat, gaps, 0, 0)


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


def test_centred_boxes_lean_to_the_left() -> None:
    assert vcat([text_box("abcd"), text_box("x")], 0).rows == ("abcd", " x  ")


def test_marks_move_with_their_cells() -> None:
    assert hcat((text_box("ab"), text_box("c", "bold"))).marks == (Mark(0, 2, 3, "bold"),)


def test_a_box_too_large_to_draw_is_an_ellipsis() -> None:
    high = Box(("x",) * 3000, 1, 0)
    assert hcat([text_box("y" * 3000), high]).rows == ("⋯",)
