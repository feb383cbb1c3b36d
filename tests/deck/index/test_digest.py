"""A digest goes on from where it ended, and tells another beginning."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck.index import lines
from deck.index.lines import Digest, resumed

BLOCK = 8


@pytest.fixture(autouse=True, scope="module")
def small_blocks() -> object:
    patch = pytest.MonkeyPatch()
    patch.setattr(lines, "_BLOCK", BLOCK)
    yield None
    patch.undo()


def of(data: bytes) -> bytes:
    made = Digest()
    made.update(data)
    return made.value()


@given(st.lists(st.binary(max_size=20), max_size=6), st.booleans())
def test_a_digest_is_the_same_in_whatever_pieces_the_bytes_come(
    pieces: list[bytes], trusted: bool
) -> None:
    data = b"".join(pieces)
    made, read = Digest(), 0
    for piece in pieces:
        made.update(piece)
        read += len(piece)
        going_on = resumed(io.BytesIO(data), read, made.value(), trusted)
        assert going_on is not None
        going_on.update(data[read:])
        assert going_on.value() == of(data)


@given(st.binary(min_size=1, max_size=40), st.data())
def test_another_beginning_is_told_and_a_trusted_one_by_its_last_block(
    data: bytes, draw: st.DataObject
) -> None:
    place = draw.draw(st.integers(0, len(data) - 1))
    other = bytearray(data)
    other[place] ^= 1
    known = of(data)
    assert resumed(io.BytesIO(other), len(data), known, trusted=False) is None
    in_last = place >= len(data) // BLOCK * BLOCK
    assert (resumed(io.BytesIO(other), len(data), known, trusted=True) is None) == in_last
    assert resumed(io.BytesIO(data[:-1]), len(data), known, trusted=False) is None
