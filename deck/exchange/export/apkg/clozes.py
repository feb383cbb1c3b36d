"""Clozes through Markdown: marks stand for their braces while the text becomes HTML."""

from __future__ import annotations

import re
from typing import NamedTuple

from cards.cloze import Cloze, find

#: Punctuation, so that emphasis, code and dollars beside a mark mean what they meant beside braces.
_RARE = "⸢⸣⸤⸥⸨⸩⁅⁆⸦⸧⧘⧙⧚⧛❲❳❴❵⟬⟭〖〗〘〙〚〛"
_LETTERS = "abcdefghij"
_TAG, _MATH = r"<[^<>]*>", r"\\[(\[]|\\[)\]]"
_OPENED, _CLOSED = ("\\(", "\\["), ("\\)", "\\]")


class Marks(NamedTuple):
    """Opens a cloze, ends its number, begins its hint, closes it."""

    begin: str
    number: str
    hint: str
    end: str


class Marked(NamedTuple):
    text: str
    marks: Marks
    number: int
    """How many clozes there are."""


def marked(text: str) -> Marked | None:
    """The text with marks for the braces of its clozes; None where it uses every rare sign."""
    free = [sign for sign in _RARE if sign not in text]
    if len(free) < len(Marks._fields):
        return None
    marks = Marks(*free[:4])
    written = _written(text, find(text).found, marks, 0, len(text))
    return Marked(written, marks, written.count(marks.begin))


def _written(text: str, clozes: tuple[Cloze, ...], marks: Marks, at: int, end: int) -> str:
    parts: list[str] = []
    for cloze in clozes:
        start, stop = cloze.text
        number = "".join(_LETTERS[int(digit)] for digit in str(cloze.number))
        hint = f"{marks.hint}{cloze.hint}" if cloze.hint else ""
        inner = _written(text, cloze.inner, marks, start, stop)
        parts += [
            text[at : cloze.start],
            marks.begin,
            number,
            marks.number,
            inner,
            hint,
            marks.end,
        ]
        at = cloze.end
    return "".join([*parts, text[at:end]])


def restored(html: str, made: Marked) -> str | None:
    """The HTML with Anki's braces; None where a mark was lost, as in the address of a link.

    Anki ends a cloze at the first `}}` and its text at the first `::`, wherever they stand: within
    one they are parted.
    """
    marks = made.marks
    opening = re.compile(f"{marks.begin}([a-j]+){marks.number}")
    if not len(opening.findall(html)) == html.count(marks.end) == made.number:
        return None
    depth = math = 0
    pieces: list[str] = []
    signs = f"({marks.begin}[a-j]+{marks.number}|{marks.hint}|{marks.end}|{_MATH}|{_TAG})"
    for piece in re.split(signs, html):
        if opened := opening.fullmatch(piece):
            depth += 1
            pieces.append(f"{_gap(pieces, '{', math)}{{{{c{_number(opened[1])}::")
        elif piece == marks.end:
            depth -= 1
            pieces.append(_gap(pieces, "}", math) + "}}")
        elif piece == marks.hint:
            pieces.append("::")
        else:
            math += (piece in _OPENED) - (piece in _CLOSED)
            pieces.append(_parted(piece, math > 0) if depth else piece)
    return "".join(pieces)


def _gap(pieces: list[str], brace: str, math: int) -> str:
    """What parts a brace of the text from those of a cloze: Anki counts none."""
    before = next((piece for piece in reversed(pieces) if piece), "")
    return "" if not before.endswith(brace) else " " if math else "<!-- -->"


def _number(letters: str) -> int:
    return int("".join(str(_LETTERS.index(letter)) for letter in letters))


def _parted(piece: str, math: bool) -> str:
    """`piece` without the signs that end a cloze or its text."""
    if piece.startswith("<") and piece.endswith(">"):
        return piece.replace("}}", "&#125;&#125;").replace("::", "&#58;&#58;")
    brace, colon = ("} }", ":{}:") if math else ("}<!-- -->}", ":<!-- -->:")
    while "}}" in piece:
        piece = piece.replace("}}", brace)
    return piece.replace("::", colon)
