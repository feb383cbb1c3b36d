"""Settings that were changed on two computers meet key by key."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from deck.setting_edit import write_setting
from deck.sync.conflicts import conflicts
from deck.sync.settings_merge import merge_settings
from tests.deck.sync.given import Fleet


def no_lines(_base: bytes, _ours: bytes, _theirs: bytes) -> bytes | None:
    return None


def test_two_different_settings_are_no_conflict(fleet: Fleet) -> None:
    for name, key, value in (
        ("desk", "reviews_per_day", 150),
        ("phone", "maximum_interval", 400),
    ):
        write_setting(fleet[name] / ".deltadeck/config.toml", key, value)
    fleet.settle()
    fleet.agree()
    assert conflicts(fleet["desk"]) == []
    collection = fleet.open("desk")
    assert collection.config.reviews_per_day == 150
    assert collection.config.maximum_interval == 400
    collection.close()


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        ("", "a = 1\n", "b = 2\n", {"a": 1, "b": 2}),
        ("a = 1\nb = 1\n", "a = 2\nb = 1\n", "a = 1\n", {"a": 2}),
        ("", "[x]\na = 1\n", "[x]\nb = [1, 2]\n", {"x": {"a": 1, "b": [1, 2]}}),
        ("", "a = 1\n", "[courses.Algebra]\nb = 2\n", {"a": 1, "courses": {"Algebra": {"b": 2}}}),
        ("a = 1\n", "a = 2\n", "a = 2\nb = 1\n", {"a": 2, "b": 1}),
        ("a = 1\n", "a = 2\n", "a = 3\n", None),
        ("a = 1\n", "a = 2\n", "", None),
        ("", "a = 1\n", "[a]\nb = 1\n", None),
        ("", "a = 1\n", "a = \n", None),
    ],
)
def test_settings_merge_by_key(base: str, ours: str, theirs: str, merged: Any) -> None:
    found = merge_settings(base.encode(), ours.encode(), theirs.encode(), no_lines)
    assert (tomllib.loads(found.decode()) if found is not None else None) == merged


FLAT = st.dictionaries(st.sampled_from("abcd"), st.integers(0, 2))


@given(FLAT, FLAT, FLAT)
def test_what_one_side_changed_holds_and_both_orders_agree(
    base: dict[str, int], ours: dict[str, int], theirs: dict[str, int]
) -> None:
    texts = [tomlkit.dumps(side).encode() for side in (base, ours, theirs)]
    one = merge_settings(texts[0], texts[1], texts[2], no_lines)
    other = merge_settings(texts[0], texts[2], texts[1], no_lines)
    assert (one is None) == (other is None)
    if one is None or other is None:
        assert any(base.get(k) != ours.get(k) != theirs.get(k) != base.get(k) for k in "abcd")
        return
    merged = tomllib.loads(one.decode())
    assert merged == tomllib.loads(other.decode())
    for key in "abcd":
        changed = ours if ours.get(key) != base.get(key) else theirs
        assert merged.get(key) == changed.get(key)
