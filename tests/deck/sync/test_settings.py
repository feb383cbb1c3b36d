"""Settings that were changed on two computers meet key by key."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from deck.settings import write_setting
from deck.sync.conflicts import conflicts
from deck.sync.files import merge_settings
from tests.deck.sync.given import Fleet, copied, git, synced


def no_lines(_base: bytes, _ours: bytes, _theirs: bytes) -> bytes | None:
    return None


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        ("", "a = 1\n", "b = 2\n", {"a": 1, "b": 2}),
        ("a = 1\nb = 1\n", "a = 2\nb = 1\n", "a = 1\n", {"a": 2}),
        ("", "[x]\na = 1\n", "[x]\nb = [1, 2]\n", {"x": {"a": 1, "b": [1, 2]}}),
        ("", "a = 1\n", "[courses.Algebra]\nb = 2\n", {"a": 1, "courses": {"Algebra": {"b": 2}}}),
        ("a = 1\n", "a = 2\n", "a = 2\nb = 1\n", {"a": 2, "b": 1}),
        ("a = 1\n", "a = 2\n", "a = 3\n", {"a": 3}),
        ("a = 1\n", "a = 2\n", "", {}),
        ("[a]\nb = 1\n", "[a]\nb = 1\n", "a = 2\n", {"a": 2}),
        ("a = 1\n", "a = true\n", "a = 1.0\n", {"a": 1.0}),
        ("", "a = 1\n", "[a]\nb = 1\n", None),
        ("", "a = 1\n", "a = \n", None),
    ],
)
def test_settings_merge_by_key(base: str, ours: str, theirs: str, merged: Any) -> None:
    said: list[str] = []
    sides = (base.encode(), ours.encode(), theirs.encode())
    found = merge_settings(*sides, no_lines, lambda _: (1, 2), said)
    assert bool(said) == (base == "a = 1\n" and ours != base != theirs and "a = 2" not in theirs)
    assert (tomllib.loads(found.decode()) if found is not None else None) == merged


FLAT = st.dictionaries(st.sampled_from("abcd"), st.integers(0, 2))
TIMES = st.dictionaries(st.sampled_from("abcd"), st.tuples(st.integers(1, 3), st.integers(1, 3)))


@given(FLAT, FLAT, FLAT, TIMES)
def test_what_one_side_changed_holds_else_the_newer_and_both_orders_agree(
    base: dict[str, int],
    ours: dict[str, int],
    theirs: dict[str, int],
    set_at: dict[str, tuple[int, int]],
) -> None:
    texts = [tomlkit.dumps(side).encode() for side in (base, ours, theirs)]
    said: tuple[list[str], list[str]] = [], []

    def times(key: tuple[str, ...]) -> tuple[int, int]:
        return set_at.get(key[0], (1, 1))

    one = merge_settings(texts[0], texts[1], texts[2], no_lines, times, said[0])
    turned = lambda key: times(key)[::-1]  # noqa: E731
    other = merge_settings(texts[0], texts[2], texts[1], no_lines, turned, said[1])
    assert one is not None
    assert other is not None
    merged = tomllib.loads(one.decode())
    assert merged == tomllib.loads(other.decode())
    assert said[0] == said[1]
    both = [k for k in "abcd" if base.get(k) != ours.get(k) != theirs.get(k) != base.get(k)]
    assert [sentence[0] for sentence in said[0]] == both
    for key in "abcd":
        if key not in both:
            changed = ours if ours.get(key) != base.get(key) else theirs
            assert merged.get(key) == changed.get(key)
        elif times((key,))[0] != times((key,))[1]:
            newer = ours if times((key,))[0] > times((key,))[1] else theirs
            assert merged.get(key) == newer.get(key)


@pytest.mark.parametrize(
    ("earlier", "later", "said"),
    [
        ("true", "false", "x: false stands, as it was set later than true."),
        ('"03:00"', '"05:00"', 'x: "05:00" stands, as it was set later than "03:00".'),
        ("[]", '["1m", "1d"]', 'x: ["1m", "1d"] stands, as it was set later than [].'),
        ("2027-01-20", "2027-02-03", 'x: "2027-02-03" stands, as it was set later than "2027-01-'),
        ("[1.5]", str([1.5] * 21), "x: [1.5, 1.5, "),
    ],
)
def test_values_are_said_as_the_file_has_them_and_long_ones_in_part(
    earlier: str, later: str, said: str
) -> None:
    texts = [f"x = {value}\n".encode() for value in (earlier, later)]
    sentences: list[str] = []
    found = merge_settings(b"", texts[0], texts[1], no_lines, lambda _: (1, 2), sentences)
    assert found == texts[1]
    assert sentences[0].startswith(said)
    assert len(sentences[0]) < 150


# Of two that were set, the one that was set later, as the commits tell.


def config(fleet: Fleet, name: str) -> Path:
    return fleet[name] / ".deltadeck/config.toml"


def set_to(fleet: Fleet, name: str, value: int, at: int, key: str = "new_per_day") -> None:
    write_setting(config(fleet, name), key, value)
    os.utime(config(fleet, name), (at, at))


def test_of_a_setting_that_three_computers_changed_the_newest_stands_on_all(tmp_path: Path) -> None:
    fleet = copied(tmp_path, "desk", "phone", "third")
    for name, age in zip(fleet.names, (2, 1, 3), strict=True):
        set_to(fleet, name, 10 + age, 1_700_000_000 + age)
    assert [line[:22] for name in fleet.names for line in fleet.sync(name).merged.settings] == [
        "new_per_day: 12 stands",
        "new_per_day: 13 stands",
    ]
    for name in fleet.names:
        assert fleet.sync(name).merged.settings == [], "said once"
    fleet.agree()
    assert tomllib.loads(config(fleet, "desk").read_text())["new_per_day"] == 13
    assert conflicts(fleet["desk"]) == []


def test_the_time_of_a_setting_is_not_that_of_another_one_nor_of_the_sync(fleet: Fleet) -> None:
    """Phone set it later, and another one earlier; desk synced last.  One was taken away later."""
    set_to(fleet, "desk", 7, 1_700_000_000, "reviews_per_day")
    fleet.settle()
    set_to(fleet, "desk", 8, 1_700_000_010, "reviews_per_day")
    kept = config(fleet, "phone").read_text().splitlines(keepends=True)
    kept = [line for line in kept if not line.startswith("reviews_per_day")]
    config(fleet, "phone").write_text("".join(kept))
    set_to(fleet, "phone", 5, 1_700_000_020)
    fleet.sync("phone")
    set_to(fleet, "desk", 3, 1_700_000_010)
    synced(fleet["desk"], dry=True)
    words = "by hand\n\nDeltadeck-Settings: no time"
    git(fleet["desk"], "commit", "-qam", words, f"--date={1_700_000_010} +0000")
    set_to(fleet, "desk", 100, 1_700_000_030, "maximum_interval")
    assert fleet.sync("desk").merged.settings == [
        "new_per_day: 5 stands, as it was set later than 3.",
        "reviews_per_day: the usual value stands, as it was set later than 8.",
    ]
    fleet.settle()
    fleet.agree()
    found = tomllib.loads(config(fleet, "desk").read_text())
    assert (found["new_per_day"], found["maximum_interval"]) == (5, 100)
    assert "reviews_per_day" not in found
