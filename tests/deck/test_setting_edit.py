"""A setting is changed in its own lines; all others stay as they were written."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck.config import TEMPLATE
from deck.setting_edit import set_value

BLOCKS = [
    "# a comment with fuzz = in it",
    "fuzz = false  # mine",
    "fuzz = [\n  1,\n  2, # two\n]",
    'note = """\nfuzz = 1\n[fuzz]\n"""',
    "rows = [\n[1],\n]",
    "",
]
TABLES = ["[keys]\nfuzz = 3", '[courses."A [b"]\nexam = 2027-01-20', "[fuzzy]"]


@given(
    st.lists(st.sampled_from(BLOCKS), unique=True),
    st.lists(st.sampled_from(TABLES), unique=True),
    st.sampled_from([True, 3, 0.25, 'a "b" \\ c', [0.1, 2.0]]),
)
def test_only_the_one_setting_changes(blocks: list[str], tables: list[str], value: object) -> None:
    text = "\n".join([*blocks, *tables])
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    after = set_value(text, "fuzz", value)  # type: ignore[arg-type]
    assert tomllib.loads(after) == before | {"fuzz": value}
    comments = [row for row in text.split("\n") if row.startswith("#")]
    assert [row for row in after.split("\n") if row.startswith("#")] == comments


def test_the_template_takes_a_setting() -> None:
    assert tomllib.loads(set_value(TEMPLATE, "fuzz", False)) == {"fuzz": False}


def test_a_text_that_is_no_toml_is_refused() -> None:
    with pytest.raises(tomllib.TOMLDecodeError):
        set_value("a = = 1", "fuzz", True)
