r"""Boxes of characters, set beside and above one another; delimiters; cell widths; alphabets.

A `Box` holds plain text; what a terminal adds (bold, colours) stands beside it as `Mark`s.

    hcat   side by side on their baselines       vcat   above one another, one baseline kept
    pad    blank cells around a box              marked a style over a whole box
"""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple


class Mark(NamedTuple):
    """A style over some cells of one row."""

    row: int
    start: int
    """First cell."""
    end: int
    """Cell after the last."""
    style: str
    """"bold", "italic", "warning", "color:NAME", "color:#rrggbb" or "background:..."."""


class Box(NamedTuple):
    rows: tuple[str, ...]
    """Each exactly `width` cells, as `rich.cells.cell_len` counts."""
    width: int
    baseline: int
    """The row on which text beside the box stands, counted from 0."""
    marks: tuple[Mark, ...] = ()
    copy: str = ""
    """The LaTeX it was made of, for the clipboard; "" for a part of a formula."""


Align = Literal["l", "c", "r"]

#: A formula of more cells than this is no formula; drawing it would stop the screen.
_MOST_CELLS = 400_000

EMPTY = Box(("",), 0, 0)
TOO_LARGE = Box(("⋯",), 1, 0, (Mark(0, 0, 1, "warning"),))


def text_box(text: str, style: str = "") -> Box:
    """One row of `text`, made visible."""
    text = visible(text)
    width = cell_width(text)
    return Box((text,), width, 0, (Mark(0, 0, width, style),) if style and width else ())


def blank(width: int, height: int = 1, baseline: int = 0) -> Box:
    return Box((" " * width,) * height, width, baseline)


def hcat(boxes: Sequence[Box], gaps: Sequence[int] = ()) -> Box:
    """The boxes side by side on one baseline, `gaps[i]` cells before the i-th."""
    if len(boxes) == 1 and not (gaps and gaps[0]):
        return boxes[0]
    above = below = 0
    for box in boxes:
        if len(box.rows) > 1:
            above = max(above, box.baseline)
            below = max(below, len(box.rows) - 1 - box.baseline)
    if above + below == 0:
        return _one_row(boxes, gaps)
    return _many_rows(boxes, gaps, above, below)


def _one_row(boxes: Sequence[Box], gaps: Sequence[int]) -> Box:
    texts: list[str] = []
    marks: list[Mark] = []
    width = 0
    for index, box in enumerate(boxes):
        if gaps and gaps[index]:
            texts.append(" " * gaps[index])
            width += gaps[index]
        texts.append(box.rows[0])
        if box.marks:
            marks += _moved(box.marks, 0, width)
        width += box.width
    return Box(("".join(texts),), width, 0, tuple(marks))


def _many_rows(boxes: Sequence[Box], gaps: Sequence[int], above: int, below: int) -> Box:
    height = above + 1 + below
    width = sum(box.width for box in boxes) + sum(gaps)
    if width * height > _MOST_CELLS:
        return TOO_LARGE
    lines: list[list[str]] = [[] for _ in range(height)]
    marks: list[Mark] = []
    column = 0
    # What stands on the baseline alone between two tall boxes goes into each row at once.
    run: list[str] = []
    run_width = 0

    def end_run() -> None:
        nonlocal run_width
        if run_width:
            space = " " * run_width
            for row, line in enumerate(lines):
                line.append("".join(run) if row == above else space)
        run.clear()
        run_width = 0

    for index, box in enumerate(boxes):
        gap = gaps[index] if gaps else 0
        if gap:
            run.append(" " * gap)
            run_width += gap
            column += gap
        top = above - box.baseline
        if box.marks:
            marks += _moved(box.marks, top, column)
        column += box.width
        if len(box.rows) == 1:
            run += box.rows
            run_width += box.width
            continue
        end_run()
        space = " " * box.width
        bottom = top + len(box.rows)
        for row, line in enumerate(lines):
            line.append(box.rows[row - top] if top <= row < bottom else space)
    end_run()
    return Box(tuple(map("".join, lines)), width, above, tuple(marks))


def vcat(boxes: Sequence[Box], keep: int, align: Align = "c") -> Box:
    """The boxes above one another; the baseline is that of `boxes[keep]`."""
    width = max(box.width for box in boxes)
    if width * sum(len(box.rows) for box in boxes) > _MOST_CELLS:
        return TOO_LARGE
    rows: list[str] = []
    marks: list[Mark] = []
    baseline = 0
    for index, box in enumerate(boxes):
        if index == keep:
            baseline = len(rows) + box.baseline
        left = _indent(width - box.width, align)
        if box.marks:
            marks += _moved(box.marks, len(rows), left)
        if box.width == width:
            rows += box.rows
        else:
            before, after = " " * left, " " * (width - box.width - left)
            rows += [before + row + after for row in box.rows]
    return Box(tuple(rows), width, baseline, tuple(marks))


def _indent(free: int, align: Align) -> int:
    return free // 2 if align == "c" else free if align == "r" else 0


def pad(box: Box, left: int = 0, right: int = 0, above: int = 0, below: int = 0) -> Box:
    """Blank cells around a box; the baseline stays with its row."""
    if not (left or right or above or below):
        return box
    width = left + box.width + right
    before, after = " " * left, " " * right
    empty = (" " * width,)
    rows = empty * above + tuple(before + row + after for row in box.rows) + empty * below
    return Box(rows, width, box.baseline + above, tuple(_moved(box.marks, above, left)))


def widen(box: Box, width: int, align: Align) -> Box:
    """The box in a place of `width` cells."""
    left = _indent(width - box.width, align)
    return pad(box, left, width - box.width - left)


def with_baseline(box: Box, baseline: int) -> Box:
    return Box(box.rows, box.width, baseline, box.marks)


def marked(box: Box, style: str) -> Box:
    """`style` over all of a box, under the styles that its parts have."""
    over = tuple(Mark(row, 0, box.width, style) for row in range(len(box.rows)) if box.width)
    return Box(box.rows, box.width, box.baseline, over + box.marks)


def _moved(marks: Iterable[Mark], rows: int, cells: int) -> list[Mark]:
    return [Mark(m.row + rows, m.start + cells, m.end + cells, m.style) for m in marks]


#: Between an equation and its number.
TAG_GAP = 4


def around(body: int, tag: int, width: int | None) -> tuple[int, int]:
    """The gaps before an equation and its number: it is centred in `width`, or in what is left."""
    if width is None:
        return 0, TAG_GAP
    left = max(0, min((width - body) // 2, width - tag - TAG_GAP - body))
    return left, max(TAG_GAP, width - left - body - tag)


def extent(boxes: Iterable[Box]) -> tuple[int, int]:
    """(rows above, rows below) the common baseline."""
    above = below = 0
    for box in boxes:
        above = max(above, box.baseline)
        below = max(below, len(box.rows) - 1 - box.baseline)
    return above, below


# Delimiters as high as what they hold

#: Top, middle and bottom piece (one, repeated middle, one).
_PIECES = {
    "(": "⎛⎜⎝", ")": "⎞⎟⎠", "[": "⎡⎢⎣", "]": "⎤⎥⎦",
    "⌈": "⎡⎢⎢", "⌉": "⎤⎥⎥", "⌊": "⎢⎢⎣", "⌋": "⎥⎥⎦",
    "|": "│││", "‖": "║║║",
    "↑": "↑││", "↓": "││↓", "↕": "↑│↓", "⇑": "⇑║║", "⇓": "║║⇓", "⇕": "⇑║⇓",
    "⟦": "╓║╙", "⟧": "╖║╜", "⟮": "⎛⎜⎝", "⟯": "⎞⎟⎠", "⎰": "⎰⎪⎱", "⎱": "⎱⎪⎰",
    "⌜": "⌜  ", "⌝": "⌝  ", "⌞": "  ⌞", "⌟": "  ⌟",
}  # fmt: skip
#: Those with a point, which belongs on the axis: top, extension, point, bottom.
_BRACES = {"{": "⎧⎪⎨⎩", "}": "⎫⎪⎬⎭"}
_ANGLES = frozenset("⟨⟩")
SLASHES = {"/": "╱", "\\": "╲"}
#: An angle or a slash higher than this is drawn at its middle only.
_HIGHEST_SLANT = 9


def is_centred(char: str) -> bool:
    """Whether a delimiter has a point or a middle that belongs on the axis."""
    return char in _BRACES or char in _ANGLES or char in SLASHES


@lru_cache(maxsize=1024)
def stretched(char: str, above: int, below: int) -> Box:
    """The delimiter over `above` rows over the baseline and `below` under it."""
    if not char:
        return EMPTY
    height = above + 1 + below
    if height == 1:
        return text_box(char)
    if char in _PIECES:
        top, middle, bottom = tuple(_PIECES[char])
        return Box((top, *(middle * (height - 2)), bottom), 1, above)
    if char in _BRACES:
        top, extension, point, bottom = tuple(_BRACES[char])
        above, below = max(above, 1), max(below, 1)
        rows = (top, *(extension * (above - 1)), point, *(extension * (below - 1)), bottom)
        return Box(rows, 1, above)
    if char in SLASHES and height <= _HIGHEST_SLANT:
        stroke, columns = SLASHES[char], range(height)
        rows = tuple(" " * c + stroke + " " * (height - 1 - c) for c in columns)
        return Box(rows[::-1] if stroke == "╱" else rows, height, above)
    reach = max(above, below)
    if char in _ANGLES and 2 * reach + 1 <= _HIGHEST_SLANT:
        return _angle(char, reach)
    return pad(text_box(SLASHES.get(char, char)), above=above, below=below)


def _angle(point: str, reach: int) -> Box:
    """Strokes that meet in a point on the axis, a cell further at each row."""
    upper, lower = ("╱", "╲") if point == "⟨" else ("╲", "╱")
    columns = [abs(row) for row in range(-reach, reach + 1)]
    if point == "⟩":
        columns = [reach - column for column in columns]
    strokes = [*upper * reach, point, *lower * reach]
    rows = tuple(
        " " * column + stroke + " " * (reach - column)
        for column, stroke in zip(columns, strokes, strict=True)
    )
    return Box(rows, reach + 1, reach)


def fenced(left: str, body: Box, right: str, padding: int = 0) -> Box:
    """`body` between delimiters as high as it; `padding` blank cells inside tall ones."""
    if not (left or right):
        return body
    above, below = reach((left, right), (body,))
    padding *= len(body.rows) > 1
    gaps = (0, padding if left else 0, padding if right else 0)
    return hcat((stretched(left, above, below), body, stretched(right, above, below)), gaps)


def reach(delimiters: Sequence[str], boxes: Sequence[Box]) -> tuple[int, int]:
    """The rows above and below the baseline that delimiters around boxes take."""
    above, below = extent(boxes)
    if any(map(is_centred, delimiters)):
        above = below = max(above, below)
    return above, below


def bracketed(box: Box) -> Box:
    return fenced("(", box, ")")


# Cells of a terminal; agrees with `rich.cells.cell_len` on what `visible` has been over

#: Hangul vowels and finals join the syllable before them; skin tones the face before them.
_JOINING = ((0x1160, 0x11FF), (0xD7B0, 0xD7FF), (0x1F3FB, 0x1F3FF))
#: Signs that became wide after the Unicode that Python 3.11 knows.
_WIDENED = (
    (0x2630, 0x2637), (0x268A, 0x268F), (0x4DC0, 0x4DFF), (0x1D300, 0x1D356), (0x1D360, 0x1D376),
)  # fmt: skip
#: Not seen, or without an agreed width: controls, formats, surrogates, private use, unassigned,
#: separators of lines and paragraphs, fillers.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_FILLERS = frozenset("\u115f\u3164\uffa0")
#: Formats that only tell neighbours apart or choose a picture: dropped, not replaced.
_SILENT = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff\u034f")


@lru_cache(maxsize=4096)
def char_width(char: str) -> int:
    """0, 1 or 2 cells.  Combining marks take none, East Asian wide characters two."""
    category = unicodedata.category(char)
    if category[0] == "M":
        return 0
    code = ord(char)
    if any(first <= code <= last for first, last in _JOINING):
        return 0
    if unicodedata.east_asian_width(char) in "WF":
        return 2
    return 2 if any(first <= code <= last for first, last in _WIDENED) else 1


def cell_width(text: str) -> int:
    """The cells of a text that is `visible`."""
    return len(text) if text.isascii() else sum(map(char_width, text))


def visible(text: str) -> str:
    """`text` on one line, each character that a terminal would obey or hide replaced by "�"."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_visible_char, text))


@lru_cache(maxsize=4096)
def _visible_char(char: str) -> str:
    if char in "\t\n\r\x0b\x0c\x85\u2028\u2029":
        return " "
    if char in _SILENT or "\ufe00" <= char <= "\ufe0f":
        return ""
    if unicodedata.category(char) in _HIDDEN or char in _FILLERS:
        return "�"
    return " " if unicodedata.category(char) == "Zs" else char


# Alphabets: letters of Unicode for \mathbb, \mathcal, \mathfrak.  Bold, italic, sans and typewriter
# are styles of the terminal's, not letters: most fonts lack them; MathML asks for those

_RUNS = (
    string.ascii_uppercase,
    string.ascii_lowercase,
    string.digits,
    "".join(map(chr, range(0x391, 0x3AA))),
    # Behind the small Greek letters come U+2202 and the letters' variants.
    "".join(map(chr, range(0x3B1, 0x3CA))) + "∂ϵϑϰϕϱϖ",
)
#: Where each run starts (Unicode 14, Mathematical Alphanumeric Symbols); 0 where it is missing.
_STARTS = {
    "bb": (0x1D538, 0x1D552, 0x1D7D8),
    "cal": (0x1D49C, 0x1D4B6),
    "frak": (0x1D504, 0x1D51E),
    "bold": (0x1D400, 0x1D41A, 0x1D7CE, 0x1D6A8, 0x1D6C2),
    "italic": (0x1D434, 0x1D44E, 0, 0x1D6E2, 0x1D6FC),
    "bold-italic": (0x1D468, 0x1D482, 0x1D7CE, 0x1D71C, 0x1D736),
    "sans": (0x1D5A0, 0x1D5BA, 0x1D7E2),
    "typewriter": (0x1D670, 0x1D68A, 0x1D7F6),
}
#: Letters that Unicode had before it had the alphabet.
_EARLIER = {
    "bb": ("CHNPQRZ", "ℂℍℕℙℚℝℤ"),
    "cal": ("BEFHILMRego", "ℬℰℱℋℐℒℳℛℯℊℴ"),
    "frak": ("CHIRZ", "ℭℌℑℜℨ"),
    "italic": ("h", "ℎ"),
}
_ALPHABETS = {
    font: {
        char: chr(start + index)
        for run, start in zip(_RUNS, starts, strict=False)
        if start
        for index, char in enumerate(run)
    }
    | dict(zip(*_EARLIER.get(font, ("", "")), strict=True))
    for font, starts in _STARTS.items()
}
_ALPHABETS["scr"] = _ALPHABETS["cal"]
#: The alphabets that a terminal shows.
LETTERED = frozenset({"bb", "cal", "scr", "frak"})

#: The styles that a font other than an alphabet puts over what it holds.
FONT_STYLES: dict[str, tuple[str, ...]] = {
    "bold": ("bold",),
    "italic": ("italic",),
    "bold-italic": ("bold", "italic"),
}


def letter(char: str, font: str) -> str:
    """`char` in the alphabet `font`, itself where the alphabet has no such letter."""
    return _ALPHABETS.get(font, {}).get(char, char)


# Sub- and superscripts as Unicode has them, used only where it has them all

_SUBSCRIPTS = dict(
    zip(
        "0123456789+−-=()aehijklmnoprstuvxβγρφχϕ,",
        "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪᵩ,",
        strict=True,
    )
)
_SUPERSCRIPTS = dict(
    zip(
        "0123456789+−-=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWαβγδεθιφχϕϵ⊤°∘",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵅᵝᵞᵟᵋᶿᶥᵠᵡᵠᵋᵀ°°",
        strict=True,
    )
)
LOWERED_LETTERS = frozenset(_SUBSCRIPTS.values()) - {","}
RAISED_LETTERS = frozenset(_SUPERSCRIPTS.values()) - {"°"}
#: What stands high of itself, also within a script: xᵢ′ⱼ′.
_HIGH = dict(zip("*∗′″‴⁗†‡", "**′″‴⁗†‡", strict=True))


def lowered(box: Box) -> Box | None:
    """A box as a subscript on the baseline, or None where a character has no such form."""
    return None if box.rows[0][:1] in _HIGH else _mapped(box, _SUBSCRIPTS)


def raised(box: Box) -> Box | None:
    """A box as a superscript on the baseline, or None where a character has no such form."""
    return _mapped(box, _SUPERSCRIPTS)


def _mapped(box: Box, table: dict[str, str]) -> Box | None:
    if len(box.rows) > 1 or not box.width:
        return None
    mapped = []
    for char in box.rows[0]:
        found = table.get(char) or _HIGH.get(char)
        if found is None:
            return None
        mapped.append(found)
    return Box(("".join(mapped),), box.width, 0, box.marks)
