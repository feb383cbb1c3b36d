"""Zstandard streams, read with a limit: by the standard library where it has them (Python 3.14)."""

from __future__ import annotations

import sys
from typing import IO, Any

from deck.exchange.bundle import ExchangeError

MAGIC = b"\x28\xb5\x2f\xfd"
_PIECE = 1 << 18


def library() -> Any:
    """The module that compresses.  Raises ExchangeError where there is none."""
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            import backports.zstd as zstd
    except ImportError as error:
        raise ExchangeError(
            "the package is compressed with Zstandard, which this Python cannot read: "
            "`pip install backports.zstd`, or export it from Anki with "
            "'Support older Anki versions'."
        ) from error
    return zstd


class Limited:
    """A decompressed stream that gives no more than `limit` bytes; `read` raises ExchangeError."""

    def __init__(self, source: IO[bytes], limit: int, name: str) -> None:
        self._library = library()
        self._source, self._left, self._name = source, limit, name
        self._stream = self._library.ZstdFile(source)

    def read(self, size: int = -1) -> bytes:
        wanted = self._left + 1 if size < 0 else min(size, self._left + 1)
        pieces: list[bytes] = []
        try:
            while wanted > 0:
                piece = self._stream.read(min(wanted, _PIECE))
                if not piece:
                    break
                pieces.append(piece)
                wanted -= len(piece)
        except (self._library.ZstdError, EOFError, OSError) as error:
            raise ExchangeError(f"{self._name} is damaged: {error}.") from error
        data = b"".join(pieces)
        self._left -= len(data)
        if self._left < 0:
            raise ExchangeError(
                f"{self._name} unpacks to far more than it should: it could fill the disk, "
                "and is not taken."
            )
        return data

    def close(self) -> None:
        self._stream.close()
        self._source.close()

    def __enter__(self) -> Limited:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
