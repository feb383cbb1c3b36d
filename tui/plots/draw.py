"""What plots are drawn with: rows of styled text, glyphs, cells, scales, a plane, a heat map.

A role says what a piece of text is ("bar", "grid", "number", ...); ROLES says what it looks like.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby
from math import ceil, floor, isfinite, log10
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size

# Rows of styled text.


class PlotSpan(NamedTuple):
    text: str
    role: str = ""


PlotRow = tuple[PlotSpan, ...]

#: Signs of ours that ASCII has something for, of the same width.
_NEAR = str.maketrans(
    {"·": "-", "–": "-", "−": "-", "…": "~", "×": "x", "→": ">", "≥": ">", "±": "~"}
)
_UNIT = re.compile(r"(?<=\d) (?=(?:%|d|h|s|p|y|mo|min)(?!\w))")
_NUMBER = re.compile(r"(\d(?:[\d,.:]*\d)?(?: %)?)")


def plain(row: PlotRow) -> str:
    """The text of a row."""
    return "".join(span.text for span in row)


def width_of(row: PlotRow) -> int:
    return sum(cell_len(span.text) for span in row)


def fitted(row: Sequence[PlotSpan], width: int) -> PlotRow:
    """The row in exactly `width` cells: cut, or filled with spaces."""
    found, left = [], width
    for text, role in row:
        cells = cell_len(text)
        if cells > left:
            text, cells = set_cell_size(text, left), left
        if text:
            found.append(PlotSpan(text, role))
        left -= cells
    if left > 0:
        found.append(PlotSpan(" " * left))
    return tuple(found)


def wrapped(text: str, width: int) -> list[str]:
    """Words in lines of at most `width` cells; a longer word is cut, a number keeps its unit."""
    lines: list[str] = []
    line = ""
    for word in _UNIT.sub("\N{NO-BREAK SPACE}", " ".join(text.split())).split(" "):
        word = word.replace("\N{NO-BREAK SPACE}", " ")
        while cell_len(word) > max(width, 1):
            head = set_cell_size(word, max(width, 1)).rstrip() or word[0]
            lines += [line, head]
            line, word = "", word[len(head) :]
        if line and word and cell_len(line) + 1 + cell_len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip(" ")
    return [line for line in [*lines, line] if line]


def numbered(text: str, role: str = "") -> PlotRow:
    """A sentence, its numbers with a role of their own."""
    parts = enumerate(_NUMBER.split(text))
    return tuple(PlotSpan(part, "number" if at % 2 else role) for at, part in parts if part)


def in_ascii(rows: Iterable[PlotRow]) -> list[PlotRow]:
    """The rows in ASCII, of the same widths; a letter that ASCII has not becomes "?"."""

    def near(text: str) -> str:
        signs = text.translate(_NEAR)
        return "".join(sign if sign.isascii() else "?" * cell_len(sign) for sign in signs)

    return [tuple(PlotSpan(near(text), role) for text, role in row) for row in rows]


#: What a role looks like: in the sixteen colours, which every terminal's own theme decides, and in
#: the colours of the app's theme.
ROLES = {
    "title": ("1", "bold"),
    "number": ("1", "bold $text-primary"),
    "dim": ("2", "$foreground 65%"),
    "axis": ("2", "$foreground 55%"),
    "grid": ("2", "$foreground 18%"),
    "value": ("", "$foreground"),
    "bar": ("34", "$primary"),
    "time": ("36", "$accent"),
    "today": ("1;32", "$success"),
    "second": ("33", "$warning"),
    "asked": ("33", "$foreground 75%"),
    "target": ("33", "$warning"),
    "young": ("36", "$accent"),
    "mature": ("34", "$primary"),
    "new": ("35", "$text-secondary"),
    "learning": ("33", "$warning"),
    "relearning": ("31", "$error"),
    "again": ("31", "$error"),
    "hard": ("33", "$warning"),
    "good": ("32", "$success"),
    "easy": ("34", "$primary"),
    "point": ("34", "$primary"),
    "line": ("34", "bold $primary"),
    "band": ("2;34", "$primary 40%"),
    "heat0": ("2", "$foreground 35%"),
    "heat1": ("2;32", "$success 45%"),
    "heat2": ("32", "$success 65%"),
    "heat3": ("32", "$success 85%"),
    "heat4": ("1;32", "$success"),
}


def printed(rows: Sequence[PlotRow], styled: bool) -> str:
    """The rows as lines for a terminal, without spaces at their ends."""
    return "\n".join((_painted(row) if styled else plain(row)).rstrip() for row in rows)


def _painted(row: PlotRow) -> str:
    found = []
    last = max((n for n, span in enumerate(row) if span.text.strip()), default=-1)
    for text, role in row[: last + 1]:
        codes = ";".join(filter(None, (ROLES[word][0] for word in role.split() if word in ROLES)))
        found.append(f"\x1b[{codes}m{text}\x1b[0m" if codes and text.strip() else text)
    return "".join(found)


# Glyphs.


@dataclass(frozen=True, slots=True)
class GlyphSet:
    rises: str
    """A cell from empty to full, filled from below."""
    runs: str
    """A cell from empty to full, filled from the left."""
    second: str
    """What a bar's second part is filled with: told from the first without colour."""
    heat: str
    """From nothing to most; told apart without colour."""
    line: str
    tick: str
    corner: str
    grid: str
    dash: str
    """A level that is asked for."""
    marks: str
    """Two signs that stand above what matters."""
    points: str
    """From few to many."""
    hollow: str
    """A point of a second line."""
    band: str
    braille: bool

    @property
    def levels(self) -> int:
        """Steps of one cell of a bar."""
        return len(self.rises) - 1


UNICODE = GlyphSet(
    rises=" ▁▂▃▄▅▆▇█",
    runs=" ▏▎▍▌▋▊▉█",
    second="▒",
    heat="·░▒▓█",
    line="─",
    tick="┬",
    corner="└",
    grid="┈",
    dash="╌",
    marks="▾▿",
    points="·•●",
    hollow="○",
    band="░",
    braille=True,
)
ASCII = GlyphSet(
    rises=" _=#",
    runs=" #",
    second="%",
    heat=".-+*#",
    line="-",
    tick="+",
    corner="+",
    grid=".",
    dash="-",
    marks="v*",
    points=".x@",
    hollow="o",
    band=":",
    braille=False,
)
_COERCED = "C.UTF-8"


def ink_of(environment: Mapping[str, str], encoding: str = "utf-8") -> GlyphSet:
    """Blocks where both the locale and the `encoding` of the way out are UTF-8."""
    if not _is_utf8(encoding):
        return ASCII
    names = (environment.get(name, "") for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    locale = next(filter(None, names), "")
    if locale == _COERCED and environment.get("LANG") in ("C", "POSIX"):
        return ASCII  # Python itself put it there (PEP 538); the terminal was told otherwise
    # Where nothing is set, as in many containers, the encoding has the say.
    return UNICODE if not locale or _is_utf8(locale) else ASCII


def _is_utf8(name: str) -> bool:
    return "utf8" in name.lower().replace("-", "").replace("_", "")


# Cells that a plot puts its signs into, one over the other.

_EMPTY = (" ", "")


class CellGrid:
    """`width` by `height` cells; what is put outside is not seen."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = max(width, 0), max(height, 0)
        self._cells = [[_EMPTY] * self.width for _ in range(self.height)]

    def put(self, x: int, y: int, text: str, role: str = "") -> None:
        """Puts text on row `y`, from column `x` on."""
        if not 0 <= y < self.height:
            return
        row = self._cells[y]
        for sign in text:
            cells = cell_len(sign)
            if cells and x >= 0 and x + cells <= self.width:
                self._free(row, x, x + cells)
                row[x] = (sign, role)
                for more in range(1, cells):
                    row[x + more] = ("", role)
            x += cells

    def is_free(self, x: int, y: int, cells: int) -> bool:
        """Whether nothing stands there yet, and it is inside."""
        inside = 0 <= y < self.height and x >= 0 and x + cells <= self.width
        return inside and all(cell == _EMPTY for cell in self._cells[y][x : x + cells])

    def rows(self) -> list[PlotRow]:
        """Each exactly `width` cells wide."""
        return [
            tuple(
                PlotSpan("".join(sign for sign, _ in cells), role)
                for role, cells in groupby(row, key=lambda cell: cell[1])
            )
            for row in self._cells
        ]

    def _free(self, row: list[tuple[str, str]], start: int, end: int) -> None:
        """Of a wide sign of which one half is overwritten, no half stays."""
        first = start
        while first > 0 and row[first][0] == "":
            first -= 1
            row[first] = _EMPTY
        while end < self.width and row[end][0] == "":
            row[end] = _EMPTY
            end += 1


# Round numbers.

_ROUND = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
#: Rows between two lines.
_APART = (3, 4, 2, 5)
#: What is smaller or larger has no lines: near the ends of its range a float loses its digits.
_LEAST, _MOST = 1e-200, 1e200


class Scale(NamedTuple):
    top: float
    """What a full bar stands for."""
    lines: tuple[tuple[int, float], ...]
    """(rows above the ground, value there), ascending."""


def scale(highest: float, rows: int, whole: bool = True) -> Scale:
    """The scale that leaves the least empty above `highest`; with `whole`, lines are counts."""
    rows = max(rows, 1)
    if not isfinite(highest) or highest <= 0:
        return Scale(1.0, ())
    if not _LEAST < highest < _MOST:
        return Scale(highest, ())
    best: tuple[float, int, float] | None = None
    for apart in _APART:
        if rows // apart == 0 and apart != _APART[-1]:
            continue
        step = round_up(highest * apart / rows, whole)
        top = step * rows / apart
        if best is None or top < best[0] * 0.98:
            best = (top, apart, step)
    assert best is not None
    top, apart, step = best
    count = rows // apart
    return Scale(max(top, highest), tuple((apart * n, step * n) for n in range(1, count + 1)))


def round_up(number: float, whole: bool, parts: Sequence[float] = _ROUND) -> float:
    """The least round number that is not below `number`."""
    power = 10.0 ** floor(log10(number))
    if whole and number <= 1:
        return 1.0
    for part in parts:
        found = part * power
        if found >= number * (1 - 1e-9) and not (whole and found % 1):
            return found
    return 10 * power


def short(number: float) -> str:
    """A number in at most five characters, while it is below a billion: 950, 1.2k, 34k, 5M."""
    if not isfinite(number):
        return "-"
    if abs(number) < 1 and number % 1:
        return f"{number:.2g}" if abs(number) >= 0.001 else "0"
    if abs(number) < 10 and number % 1:
        return f"{number:.1f}"
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(number) >= size * 0.9995:
            part = number / size
            return f"{part:.1f}{letter}".replace(".0", "") if part < 10 else f"{part:.0f}{letter}"
    return f"{number:.0f}"


def round_between(low: float, high: float, most: int) -> list[float]:
    """At most `most` + 1 multiples of one round number from `low` to `high`."""
    if not (isfinite(low) and isfinite(high)) or high <= low or most < 1:
        return []
    step = round_up((high - low) / most, whole=False, parts=(1.0, 2.0, 5.0, 10.0))
    first = -int(-low // step)
    return [n * step for n in range(first, int((high + step * 1e-9) // step) + 1)]


# Lines and points.

Point = tuple[float, float]

#: The bit of a braille dot, by its column and row in the cell.
_BITS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
_BRAILLE = 0x2800

#: Which dots of a line are drawn, again and again: lines are told apart without colour.
SOLID, DASHED, DOTTED = (True,), (True, True, False, False), (True, False, False)


@dataclass(frozen=True, slots=True)
class Plane:
    """The part of a grid right of `left`, `rows` high; x and y run over the given ranges."""

    grid: CellGrid
    ink: GlyphSet
    rows: int
    left: int
    x: tuple[float, float]
    y: tuple[float, float]

    @property
    def width(self) -> int:
        return max(self.grid.width - self.left, 1)

    def cell(self, point: Point) -> tuple[int, int]:
        """Column and row of the grid; a point outside stands at the edge."""
        across, down = self._dots
        x, y = self._dot(point)
        return self.left + x // across, y // down

    def path(
        self, points: Sequence[Point], role: str, stroke: Sequence[bool] = SOLID, sign: str = "*"
    ) -> None:
        """Lines from point to point, `sign` in ASCII; a single point is a dot."""
        across, down = self._dots
        cells: dict[tuple[int, int], int] = {}
        number = 0
        for start, end in zip(points, points[1:] or points, strict=False):
            (x0, y0), (x1, y1) = self._dot(start), self._dot(end)
            steps = max(abs(x1 - x0), abs(y1 - y0), 1)
            for step in range(steps + 1):
                if stroke[(number + step) % len(stroke)]:
                    x = round(x0 + (x1 - x0) * step / steps)
                    y = round(y0 + (y1 - y0) * step / steps)
                    cell = (x // across, y // down)
                    cells[cell] = cells.get(cell, 0) | _BITS[x % 2][y % 4]
            number += steps
        for (column, row), bits in cells.items():
            shown = chr(_BRAILLE + bits) if self.ink.braille else sign
            self.grid.put(self.left + column, row, shown, role)

    def scale(self, unit: str = "") -> None:
        """Round numbers at the left edge, and a faint line at each."""
        for value in round_between(*self.y, most=max(self.rows // 2, 2)):
            _, row = self.cell((self.x[0], value))
            words = short(value) + unit
            self.grid.put(self.left - 1 - cell_len(words), row, words, "axis")
            self.grid.put(self.left, row, self.ink.grid * self.width, "grid")

    def ground(self, marks: list[tuple[float, str]]) -> None:
        """The line below, and words under their places; the row after the plane and the next."""
        y = self.rows
        self.grid.put(self.left, y, self.ink.line * self.width, "axis")
        for value, words in marks:
            column, _ = self.cell((value, self.y[0]))
            x = min(max(column - cell_len(words) // 2, 0), self.grid.width - cell_len(words))
            before, after = max(x - 1, 0), min(x + cell_len(words) + 1, self.grid.width)
            if x >= 0 and self.grid.is_free(before, y + 1, after - before):
                self.grid.put(x, y + 1, words, "axis")
                self.grid.put(column, y, self.ink.tick, "axis")

    def level(self, value: float, role: str) -> None:
        """A dashed line from side to side: a value that is asked for."""
        if isfinite(value) and self.y[0] <= value <= self.y[1]:
            _, row = self.cell((self.x[0], value))
            self.grid.put(self.left, row, self.ink.dash * self.width, role)

    @property
    def _dots(self) -> tuple[int, int]:
        """Dots of a cell, across and down."""
        return (2, 4) if self.ink.braille else (1, 1)

    def _dot(self, point: Point) -> tuple[int, int]:
        across, down = self._dots
        x, y = _share(point[0], self.x), 1 - _share(point[1], self.y)
        return _nth(x, self.width * across), _nth(y, self.rows * down)


def _share(value: float, span: tuple[float, float]) -> float:
    """How far along a span a value is, 0 to 1."""
    low, high = span
    return min(max((value - low) / (high - low), 0.0), 1.0) if high > low else 0.5


def _nth(share: float, count: int) -> int:
    return min(max(ceil(share * count) - 1, 0), count - 1)


# The calendar: a column a week, or a cell a day in one row.

_WEEKDAYS = ("Mon", "", "Wed", "", "Fri", "", "Sun")
_LEFT = 4
#: Rows of a band of weeks: the months, and seven days.
BAND = 8
_WIDEST = 7
#: Of a month that is cut, so many days are worth its name.
_LEAST_DAYS = 5


def levels(counts: Mapping[date, int]) -> list[int]:
    """The least count of each of four shades: the first quarter of the studied days, and so on."""
    known = sorted(count for count in counts.values() if count > 0)
    if not known:
        return [1, 2, 3, 4]
    return [known[len(known) * quarter // 4] for quarter in range(4)]


def level(count: int, steps: list[int]) -> int:
    """0 for nothing, 1 to 4 by the quarter."""
    return sum(count >= step for step in steps) if count > 0 else 0


def calendar_width(first: date, today: date, width: int) -> int:
    """The columns that `draw_calendar` makes use of."""
    return min(width, _LEFT + _pitch(first, today, width) * _weeks(first, today))


def draw_calendar(
    counts: Mapping[date, int], first: date, today: date, width: int, height: int, ink: GlyphSet
) -> list[PlotRow]:
    """As many of the last weeks as fit, in bands below each other; the last row is the key."""
    steps, step = levels(counts), _pitch(first, today, width)
    weeks = _weeks(first, today)
    across = max((width - _LEFT) // step, 1)
    bands = max(min((height - 1) // BAND, -(-weeks // across)), 1)
    shown = min(weeks, bands * across)
    # The newest band is the lowest, and full.
    missing = bands * across - shown if bands > 1 else 0
    grid = CellGrid(width, min(max(height - 1, 0), bands * BAND))
    monday = today - timedelta(days=today.weekday() + 7 * (shown - 1))
    for number in range(shown):
        band, column = divmod(number + missing, across)
        x, y = _LEFT + column * step, band * BAND
        days = [monday + timedelta(days=7 * number + weekday) for weekday in range(7)]
        sunday = days[-1]
        if sunday.day <= 7:
            month = f"{sunday:%b}" if sunday.month > 1 else f"{sunday:%Y}"
            grid.put(x, y, month if step * 4 > len(month) else "", "axis")
        for row, day in enumerate(days, y + 1):
            if first <= day <= today:
                count = counts.get(day, 0)
                sign, role = _shade(count, steps, day == today, ink)
                wide = 1 if step == 1 or not count else min(step - 1, 3)
                grid.put(x, row, sign * wide, role)
                if step >= _WIDEST and count:
                    room = step - wide - 1
                    grid.put(x + wide, row, f"{count:>{room}}"[:room])
    for band in range(bands):
        for row, name in enumerate(_WEEKDAYS, band * BAND + 1):
            grid.put(0, row, name, "axis")
    return [*grid.rows(), _key(steps, width, ink)][:height]


def strip(
    counts: Mapping[date, int], first: date, today: date, width: int, ink: GlyphSet
) -> PlotRow:
    """A cell a day in one row, month after month; as many of the last days as fit."""
    steps, spans, left, last = levels(counts), list[PlotSpan](), width, today
    while last >= first:
        label, begin = f"{last:%b} ", max(last.replace(day=1), first)
        days = min((last - begin).days + 1, left - len(label) - 1)
        if days < _LEAST_DAYS and days <= (last - begin).days:
            break  # it is cut, and not worth its name
        shown = [last - timedelta(days=ago) for ago in range(days - 1, -1, -1)]
        cells = (PlotSpan(*_shade(counts.get(day, 0), steps, day == today, ink)) for day in shown)
        spans[:0] = [PlotSpan(label, "axis"), *cells, PlotSpan(" ")]
        left -= len(label) + days + 1
        last = begin - timedelta(days=1)
    return fitted(spans, width)


def _pitch(first: date, today: date, width: int) -> int:
    """Columns of a week."""
    fitting = (width - _LEFT) // max(_weeks(first, today), 1)
    return min(max(fitting, 1), _WIDEST)


def _weeks(first: date, today: date) -> int:
    monday = first - timedelta(days=first.weekday())
    return (today - monday).days // 7 + 1


def _shade(count: int, steps: list[int], is_today: bool, ink: GlyphSet) -> tuple[str, str]:
    """The sign of a day, and its role."""
    shade = level(count, steps)
    return ink.heat[shade], f"heat{shade} today" if is_today else f"heat{shade}"


def _key(steps: list[int], width: int, ink: GlyphSet) -> PlotRow:
    """What the shades mean."""
    spans = [
        PlotSpan(" " * min(_LEFT, width)),
        PlotSpan(ink.heat[0], "heat0"),
        PlotSpan(" none", "dim"),
    ]
    for shade, low in enumerate(steps, 1):
        last = shade == len(steps)
        if not last and steps[shade] == low:
            continue  # no day has this shade
        most = low if last else steps[shade] - 1
        words = f"{low}+" if last else f"{low}" if most == low else f"{low}–{most}"
        spans += [
            PlotSpan("   "),
            PlotSpan(ink.heat[shade] * 2, f"heat{shade}"),
            PlotSpan(f" {words}", "dim"),
        ]
    return fitted(spans, width)
