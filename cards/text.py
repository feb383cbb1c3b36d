"""Text from strangers, made safe to show; places in it; names compared.

Cards are shared between people: an escape sequence in one must not reach the terminal, and a
bidirectional override must not turn a formula around.  `printable` is what every exposed text
went through; `Card.source` alone keeps the bytes as they were.
"""

from __future__ import annotations

import re
import sys
from typing import NamedTuple

# CSI, then the string sequences (OSC, DCS, SOS, PM, APC) with their terminator, then what is left
# of them without one, then the two-character sequences: ECMA-48, 7-bit and 8-bit forms.  Every
# repeated class excludes the introducers and the newline: no match spans lines, none is quadratic.
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f\n]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]?"
)
# Controls except tab and newline; line and paragraph separators; bidirectional marks, embeddings,
# overrides and isolates; the byte order mark; halves of surrogate pairs.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff"
    "\ud800-\udfff]"
)
# No width and no control: the eye does not find them, a search does not match them.
_INVISIBLE = re.compile("[\u200b\u2060\u00ad]")
_ENDING = re.compile(r"\r\n|\n|\r")
_PLAIN = bytes([9, 10, *range(32, 127)])
_GAP = re.compile(r"[-_\s]+")


class Line(NamedTuple):
    """One line of a text: `text[start:end]` raw, without its ending, and `shown` made printable.

    A tuple, because a collection has millions of them.
    """

    number: int
    """1-based."""
    start: int
    end: int
    shown: str


def is_plain(text: str) -> bool:
    """Whether `printable` leaves the text as it is; False also where that is dear to find out."""
    if text.isascii():
        return not text.encode().translate(None, _PLAIN)
    return text.isprintable() or text.replace("\n", "").replace("\t", "").isprintable()


def printable(text: str) -> str:
    """`text` without escape sequences, controls and bidirectional overrides.

    Newline and tab stay; CR and CRLF become a newline.  Idempotent.
    """
    if is_plain(text) or not _CONTROL.search(text):
        return text
    text = _SEQUENCE.sub("", _ENDING.sub("\n", text))
    return _CONTROL.sub("", text)


def escaped(json: str) -> str:
    r"""JSON of the same value with what `printable` drops written as `\u....`."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", json)


def printable_line(text: str) -> str:
    """`printable(text)` on a single line: newlines and tabs become spaces, the ends are bare."""
    return printable(text).replace("\n", " ").replace("\t", " ").strip()


def first_control(text: str) -> int | None:
    """Offset of the first character that `printable` drops; line endings and a BOM pass."""
    if is_plain(text):
        return None
    for found in _CONTROL.finditer(text):
        if found[0] != "\r" and not (found[0] == "\ufeff" and found.start() == 0):
            return found.start()
    return None


def first_invisible(text: str) -> int | None:
    """Offset of the first space without width, word joiner or soft hyphen."""
    found = _INVISIBLE.search(text)
    return found.start() if found else None


def split_lines(text: str, start: int = 0, number: int = 1, most: int = sys.maxsize) -> list[Line]:
    """The lines of `text` from offset `start` on, the first of them numbered `number`.

    What stands behind the first `most` lines is one more line.

    LF, CRLF and CR end a line, as in CommonMark and YAML; a text that ends in one has no empty
    line behind it.
    """
    lines: list[Line] = []
    if is_plain(text):
        make, put = tuple.__new__, lines.append
        for shown in text[start:].split("\n", most):
            end = start + len(shown)
            put(make(Line, (number, start, end, shown)))
            start, number = end + 1, number + 1
        return lines if lines[-1].shown else lines[:-1]
    while start < len(text):
        ending = _ENDING.search(text, start) if len(lines) < most else None
        end = ending.start() if ending else len(text)
        lines.append(Line(number, start, end, printable(text[start:end])))
        start = ending.end() if ending else len(text)
        number += 1
    return lines


def place(text: str, offset: int) -> tuple[int, int]:
    """1-based (line, column) of an offset; a byte order mark in front is no column."""
    offset = max(0, min(offset, len(text)))
    counts = [text.count(ending, 0, offset) for ending in ("\n", "\r", "\r\n")]
    start = 1 + max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset))
    if start == 0 and text.startswith("\ufeff"):
        start = min(1, offset)
    return 1 + counts[0] + counts[1] - counts[2], offset - start + 1


def fold(name: str) -> str:
    """A name for comparing: case, '-', '_' and spaces are one."""
    return _GAP.sub("_", name.strip()).casefold()


def macro_name(key: str) -> str:
    r"""A command's name with its backslash, from "R" or "\R"; empty where it is none."""
    name = "\\" + key.strip().removeprefix("\\")
    return name if re.fullmatch(r"\\([A-Za-z]{1,60}|[^A-Za-z\s])", name) else ""
