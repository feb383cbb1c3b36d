"""Events as lines of JSON, and whatever else a line may be."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck.events import Checked, Event, LineError, Suspended, Undone, read_line, write_line
from tests.deck.given import event, review

FIRST = review()


@pytest.mark.parametrize(
    "new",
    [
        FIRST,
        event(Undone(FIRST.id)),
        event(Suspended(False), item="ž/c1\n\u2028\ud800"),
        event(Checked({"verdict": "correct", "x": [[1.5, "inf"]], "ok": None})),
    ],
)
def test_an_event_comes_back_from_its_line(new: Event) -> None:
    line = write_line(new)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert read_line(line[:-1]) == new


def test_numbers_that_json_lacks_become_words() -> None:
    line = write_line(event(Checked({"dx": (float("inf"), [float("-inf")], 1.0)})))
    assert json.loads(line)["data"] == {"dx": ["inf", ["-inf"], 1.0]}


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_whatever_is_no_event_says_so(line: bytes) -> None:
    with pytest.raises(LineError):
        read_line(line)


@given(
    st.sampled_from(list(json.loads(write_line(FIRST)))),
    st.none() | st.integers() | st.floats() | st.text() | st.lists(st.integers()) | st.booleans(),
)
def test_a_field_of_the_wrong_kind_never_breaks_the_reading(key: str, value: object) -> None:
    record = json.loads(write_line(FIRST)) | {key: value}
    with suppress(LineError):
        assert isinstance(read_line(json.dumps(record).encode()), Event)


def test_deep_nesting_and_huge_numbers_are_refused() -> None:
    for line in (b"[" * 100_000, b"9" * 10_000, b'{"v":' + b"1" * 5000 + b"}"):
        with pytest.raises(LineError):
            read_line(line)
