"""As much of protobuf's wire format as a package holds: fields of a message, by number.

The format: protobuf.dev, "Encoding".  The messages are those of Anki's `notetypes.proto` and
`import_export.proto`: only their field numbers are known here.
"""

from __future__ import annotations

from collections.abc import Iterator

from deck.exchange.bundle import ExchangeError

Field = tuple[int, int | bytes]
_BROKEN = "a part of it is damaged (protobuf)."


def fields(data: bytes) -> Iterator[Field]:
    """The fields of a message in their order: number, and a number or bytes.

    Raises:
        ExchangeError: it is no message.
    """
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, at = _varint(data, at)
            yield number, value
            continue
        if kind == 2:
            length, at = _varint(data, at)
        elif kind in (1, 5):
            length = 8 if kind == 1 else 4
        else:
            raise ExchangeError(_BROKEN)
        if at + length > len(data):
            raise ExchangeError(_BROKEN)
        yield number, data[at : at + length]
        at += length


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            break
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value, at
    raise ExchangeError(_BROKEN)


def text(data: bytes, number: int) -> str:
    """The last field of this number as a text; "" where there is none."""
    found = [value for key, value in fields(data) if key == number and isinstance(value, bytes)]
    return found[-1].decode("utf-8", "replace") if found else ""


def whole(data: bytes, number: int) -> int:
    """The last field of this number as a number; 0 where there is none."""
    found = [value for key, value in fields(data) if key == number and isinstance(value, int)]
    return found[-1] if found else 0
