"""BLAKE3, the hash by which hashcards knows its cards: its 32 bytes for the whole of a text.

After "BLAKE3: one function, fast everywhere" (O'Connor, Aumasson, Neves, Wilcox-O'Hearn, 2020),
sections 2.1 to 2.5, without keys and longer outputs.  A card has a few hundred bytes and takes
well under a millisecond: no reason to bring a compiled library along.
"""

from __future__ import annotations

import struct
from functools import lru_cache

_IV = (
    0x6A09E667,
    0xBB67AE85,
    0x3C6EF372,
    0xA54FF53A,
    0x510E527F,
    0x9B05688C,
    0x1F83D9AB,
    0x5BE0CD19,
)
_PERMUTATION = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
_CHUNK, _BLOCK = 1024, 64
_CHUNK_START, _CHUNK_END, _PARENT, _ROOT = 1, 2, 4, 8
_MASK = 0xFFFFFFFF
#: Columns, then diagonals, of the state as four by four words.
_LANES = (
    (0, 4, 8, 12),
    (1, 5, 9, 13),
    (2, 6, 10, 14),
    (3, 7, 11, 15),
    (0, 5, 10, 15),
    (1, 6, 11, 12),
    (2, 7, 8, 13),
    (3, 4, 9, 14),
)


def blake3(data: bytes) -> str:
    """The hash of `data`, as 64 hexadecimal digits."""
    return struct.pack("<8I", *_subtree(data, 0, _ROOT)).hex()


def _subtree(data: bytes, first: int, root: int, keep: bool = True) -> list[int]:
    """The chaining value of the chunks of `data`, the first of them numbered `first`.

    `keep` for the whole and what is right in it: their left parts are kept.
    """
    if len(data) <= _CHUNK:
        return _chunk(data, first, root)
    chunks = (len(data) + _CHUNK - 1) // _CHUNK
    left = 1 << ((chunks - 1).bit_length() - 1)  # the largest power of two below
    half = data[: left * _CHUNK]
    front = _kept(half, first) if keep else _subtree(half, first, 0, keep)
    block = [*front, *_subtree(data[left * _CHUNK :], first + left, 0, keep)]
    return _compress(list(_IV), block, 0, _BLOCK, _PARENT | root)


@lru_cache(maxsize=16)
def _kept(data: bytes, first: int) -> list[int]:
    """The cards of one long text differ at its end only: the rest is worked out once."""
    return _subtree(data, first, 0, keep=False)


def _chunk(data: bytes, number: int, root: int) -> list[int]:
    value = list(_IV)
    last = max(0, len(data) - 1) // _BLOCK
    for index in range(last + 1):
        block = data[index * _BLOCK : (index + 1) * _BLOCK]
        flags = (_CHUNK_START if index == 0 else 0) | (_CHUNK_END | root if index == last else 0)
        words = list(struct.unpack("<16I", block.ljust(_BLOCK, b"\0")))
        value = _compress(value, words, number, len(block), flags)
    return value


def _compress(
    value: list[int], words: list[int], counter: int, length: int, flags: int
) -> list[int]:
    v = [*value, *_IV[:4], counter & _MASK, counter >> 32, length, flags]
    for turn in range(7):
        for lane, (a, b, c, d) in enumerate(_LANES):
            va, vb, vc, vd = v[a], v[b], v[c], v[d]
            va = (va + vb + words[2 * lane]) & _MASK
            vd ^= va
            vd = (vd >> 16 | vd << 16) & _MASK
            vc = (vc + vd) & _MASK
            vb ^= vc
            vb = (vb >> 12 | vb << 20) & _MASK
            va = (va + vb + words[2 * lane + 1]) & _MASK
            vd ^= va
            vd = (vd >> 8 | vd << 24) & _MASK
            vc = (vc + vd) & _MASK
            vb ^= vc
            v[a], v[b], v[c], v[d] = va, (vb >> 7 | vb << 25) & _MASK, vc, vd
        if turn < 6:
            words = [words[index] for index in _PERMUTATION]
    return [v[index] ^ v[index + 8] for index in range(8)]
