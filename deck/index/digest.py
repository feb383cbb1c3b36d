"""Digests of files that grow: of each block one, so that only what came need be read."""

from __future__ import annotations

from hashlib import blake2b
from typing import BinaryIO

#: Bytes; the last block of a file may be shorter.
_BLOCK = 1 << 16
_SIZE = 8


class Digest:
    """Of bytes that come one after the other."""

    def __init__(self, blocks: bytes = b"") -> None:
        """`blocks` is what `value` said behind some number of full blocks."""
        self._blocks = bytearray(blocks)
        self._last = blake2b(digest_size=_SIZE)
        self._filled = 0

    def update(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            part = rest[: _BLOCK - self._filled]
            self._last.update(part)
            self._filled += len(part)
            rest = rest[len(part) :]
            if self._filled == _BLOCK:
                self._blocks += self._last.digest()
                self._last, self._filled = blake2b(digest_size=_SIZE), 0

    def value(self) -> bytes:
        """Empty where there were no bytes."""
        return bytes(self._blocks) + (self._last.digest() if self._filled else b"")


def resumed(file: BinaryIO, size: int, known: bytes, trusted: bool) -> Digest | None:
    """The digest of the first `size` bytes, behind which `file` stands then.

    None where they are not those whose digest is `known`.  Of a `trusted` file, which only grew,
    the last block alone is looked at.
    """
    start = size // _BLOCK * _BLOCK if trusted else 0
    made = Digest(known[: start // _BLOCK * _SIZE])
    file.seek(start)
    left = size - start
    while left and (data := file.read(min(left, _BLOCK))):
        made.update(data)
        left -= len(data)
    return made if not left and made.value() == known else None
