"""Which encoding a text file is in: UTF-8, or UTF-16 by its byte order mark.

Nothing is guessed: letters that came out wrong would be learnt wrong.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
#: Control characters that no text needs.  A file of them is a program's own data, or has an
#: encoding in which every letter comes with zeros.
_CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\r\f\x0b\x1b")
_WAY_OUT = "Save the file as UTF-8 and import it again."


class NotTextError(ValueError):
    """The bytes are no text that can be read; the message says where, and the way out."""


def encoding_of(chunks: Iterable[bytes]) -> str:
    """The encoding of a file, as `open` takes it; the file is given as its bytes in pieces.

    Raises:
        NotTextError: it is neither UTF-8 nor UTF-16 with a mark.
    """
    decoder, title = codecs.getincrementaldecoder("utf-8-sig")(), "UTF-8"
    line, controls, size = 1, 0, 0
    try:
        for chunk in chunks:
            if size == 0 and chunk.startswith(_UTF16_MARKS):
                decoder, title = codecs.getincrementaldecoder("utf-16")(), "UTF-16"
            text = decoder.decode(chunk)
            line += text.count("\n")
            plain = text.encode()
            controls += len(plain) - len(plain.translate(None, _CONTROLS))
            size += len(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        line += error.object[: error.start].decode(error.encoding).count("\n")
        raise NotTextError(f"Line {line} is no text in {title}. {_WAY_OUT}") from error
    if controls > max(8, size // 100):
        raise NotTextError(f"It is no text in {title}: control characters fill it. {_WAY_OUT}")
    return "utf-16" if title == "UTF-16" else "utf-8-sig"


def decoded(data: bytes) -> str:
    """The text of a whole file.  Raises NotTextError."""
    return data.decode(encoding_of([data]))
