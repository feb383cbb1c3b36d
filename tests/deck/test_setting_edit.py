"""A setting is changed in its own lines; all others stay as they were written."""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck.config import TEMPLATE
from deck.errors import CollectionError
from deck.settings import Value, set_value, write_setting

BLOCKS = [
    "# a comment with fuzz = in it",
    "fuzz = false  # mine",
    "fuzz = [\n  1,\n  2, # two\n]",
    'note = """\nfuzz = 1\n[fuzz]\n"""',
    "rows = [\n[1],\n]",
    "",
]
TABLES = [
    "[keys]\nfuzz = 3",
    '[courses."A [b"]\nexam = 2027-01-20',
    '# mine\n[courses.B]\nfuzz = 1 # two\n[courses."C"]\ntarget = 3',
    "[fuzzy]",
]
VALUES: list[Value | None] = [True, 3, 0.25, 'a "b" \\ c', [0.1, 2.0], ["1m"], {"sat": 0.5}, None]
PLACES: list[tuple[str, ...]] = [(), ("courses", "B"), ("courses", 'new "one".'), ("keys",)]


def put(table: dict[str, Any], place: tuple[str, ...], key: str, value: object) -> dict[str, Any]:
    """The meaning of `set_value`, on what the text means."""
    if not place:
        rest = {name: each for name, each in table.items() if name != key}
        return rest if value is None else rest | {key: value}
    if place[0] not in table and value is None:
        return table
    return table | {place[0]: put(table.get(place[0], {}), place[1:], key, value)}


@given(
    st.lists(st.sampled_from(BLOCKS), unique=True),
    st.lists(st.sampled_from(TABLES), unique=True),
    st.sampled_from(VALUES),
    st.sampled_from(PLACES),
)
def test_only_the_one_setting_changes(
    blocks: list[str], tables: list[str], value: Value | None, place: tuple[str, ...]
) -> None:
    text = "\n".join([*blocks, *tables])
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    after = set_value(text, "fuzz", value, place)
    assert tomllib.loads(after) == put(before, place, "fuzz", value)
    comments = [row for row in text.split("\n") if row.startswith("#")]
    assert [row for row in after.split("\n") if row.startswith("#")] == comments


def test_the_template_takes_a_setting() -> None:
    assert tomllib.loads(set_value(TEMPLATE, "fuzz", False)) == {"fuzz": False}
    exam = set_value(TEMPLATE, "exam", date(2027, 1, 20), ("courses", "Algebra"))
    assert tomllib.loads(exam) == {"courses": {"Algebra": {"exam": date(2027, 1, 20)}}}


def test_a_text_that_is_no_toml_is_refused() -> None:
    with pytest.raises(tomllib.TOMLDecodeError):
        set_value("a = = 1", "fuzz", True)
    with pytest.raises(ValueError, match="courses is not a table"):
        set_value("courses = 1", "fuzz", True, ("courses", "A"))


def test_a_file_that_cannot_be_written_stays_and_leaves_no_draft(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("a = = 1")
    with pytest.raises(CollectionError, match="fuzz"):
        write_setting(path, "fuzz", True)
    assert [each.read_text() for each in tmp_path.iterdir()] == ["a = = 1"]
