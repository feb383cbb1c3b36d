r"""Environments: matrices, cases, aligned equations, arrays with rules, \substack, diagrams."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from cards.math.tree import Arrow, Environment, Insert, Node, Row, RowRule, Scripts, Symbol
from cards.math.typesetter.accents import is_upright, lying, upright
from cards.math.typesetter.box import (
    EMPTY,
    TAG_GAP,
    Align,
    Box,
    Mark,
    around,
    blank,
    extent,
    fenced,
    hcat,
    is_centred,
    pad,
    text_box,
    vcat,
    widen,
    with_baseline,
)
from cards.math.typesetter.rows import (
    GAPS,
    LINE,
    RowStyle,
    alone_of,
    core,
    draw_row,
    draw_script,
    draws,
    script_of,
    set_line,
    text_of,
)
from cards.math.typesetter.wrap import wrapped

#: A grid of more places than this (rows times columns) is cut.
_MOST_PLACES = 10_000
#: How far the last row of multline goes beyond the first, at least.
_STAGGER = 4
_SINGLE = frozenset({"gather", "gathered", "multline"})
EQUATIONS = frozenset(
    {
        *("align", "aligned", "alignat", "alignedat", "flalign", "split", "eqnarray"),
        *("gather", "gathered", "multline", "equation"),
    }
)
_DISPLAYED = EQUATIONS | {"dcases", "drcases"}


@draws(Environment)
def _environment(node: Environment, setting: RowStyle) -> Box:
    return draw_environment(node, setting, None)


def draw_environment(node: Environment, setting: RowStyle, width: int | None) -> Box:
    """The environment; equations wider than `width` are broken on their right-hand sides."""
    if setting.flat and not _is_large(node, setting.places):
        return _on_one_row(node, setting)
    if node.name == "CD":
        return _diagram(node, setting)
    inner = script_of(setting) if node.small else alone_of(setting, False)
    if node.name not in _DISPLAYED:
        inner = text_of(inner)
    cells = _draw_cells(node, inner)
    columns = columns_of(node, max(map(len, cells), default=0), setting)
    tags = [draw_row(tag, LINE) if tag is not None else EMPTY for tag in node.tags]
    tag_width = max((tag.width for tag in tags), default=0)
    room = width - tag_width - TAG_GAP if width is not None and tag_width else width
    if room is not None:
        _break_wide(node, cells, inner, room)
    if node.name == "multline":
        cells = _staggered(cells, room)
    grid = _grid_of(cells, columns, node.lines, _blank_rows(node, cells, setting))
    padding = 0 if node.small or not setting.stack or columns.outer else 1
    box = fenced(node.left, grid.body, node.right, padding)
    return _tagged(box, grid, tags, tag_width, width) if tag_width else box


def _is_large(node: Environment, most: int | None) -> bool:
    """Whether more than one row is asked for: by over `most` places, by rules, by a diagram."""
    if most is None or len(node.rows) < 2:
        return False
    ruled = bool(node.lines) or not {"|", ":"}.isdisjoint(node.columns)
    return ruled or node.name == "CD" or len(node.rows) * max(map(len, node.rows)) > most


def _draw_cells(node: Environment, setting: RowStyle) -> Cells:
    """A box a cell.  The right half of an equation knows how its left half ended."""
    most = max(1, _MOST_PLACES // max(1, len(node.rows)))
    cells: Cells = []
    for row in node.rows[:_MOST_PLACES]:
        inner = alone_of(setting, True) if _holds_equations_alone(node, row) else setting
        cells.append(
            [
                draw_row(cell, inner, _before(node, row, index, setting))
                for index, cell in enumerate(row[:most])
            ]
        )
    return cells


def _holds_equations_alone(node: Environment, row: tuple[Row, ...]) -> bool:
    """Whether nothing stands beside the equations that are in a row of others."""
    if node.name not in EQUATIONS or node.left or node.right:
        return False
    filled = [cell.items for cell in row if cell.items]
    return len(filled) == 1 == len(filled[0]) and isinstance(filled[0][0], Environment)


def _before(node: Environment, row: tuple[Row, ...], index: int, setting: RowStyle) -> str | None:
    """The kind of what precedes a cell: nothing, or the left half of its equation, which may
    end in "=" (`x =& y`)."""
    touching = index % 2 == 1 or (index and node.name in _TOUCHING)
    if not (node.joined and touching):
        return None
    left = row[index - 1]
    if not left.items:
        return None if index % 2 == 0 else "ord"
    if getattr(left.items[-1], "kind", "ord") not in ("rel", "bin", "punct"):
        return "ord"
    parts = set_line(left, setting).parts
    last = parts[-1].kind if parts else "ord"
    return last if ("ord", last) in GAPS else "ord"


def _break_wide(node: Environment, cells: Cells, setting: RowStyle, room: int) -> None:
    """Breaks the right-hand sides of equations, and rows of one cell, that are too wide."""
    left, paired = 0, node.joined and max(map(len, cells), default=0) <= 2
    if paired:
        left = _widths_of(cells, 1)[0]
    for row, boxes in zip(node.rows, cells, strict=False):
        last = len(boxes) - 1
        if (last == 1 and paired) or (last == 0 and node.name in _SINGLE):
            width = room - left * last
            if boxes[last].width > width:
                line = set_line(row[last], setting, _before(node, row, last, setting))
                boxes[last] = wrapped(line, width, setting)


def _staggered(cells: Cells, room: int | None) -> Cells:
    """The rows of multline: the first at the left, the last at the right, the others centred."""
    rows = [row for row in cells if len(row) == 1]
    if len(rows) != len(cells) or len(cells) < 2:
        return cells
    widest = max(row[0].width for row in rows)
    width = max(widest, rows[0][0].width + _STAGGER, rows[-1][0].width + _STAGGER)
    width = max(widest, min(width, room)) if room is not None else width
    inner: list[Align] = ["c"] * (len(rows) - 2)
    aligns: list[Align] = ["l", *inner, "r"]
    return [[widen(row[0], width, align)] for row, align in zip(rows, aligns, strict=True)]


def _blank_rows(node: Environment, cells: Cells, setting: RowStyle) -> Sequence[int]:
    """The rows before which a blank one goes: each where they would be crowded, else the middle
    of an even number, so that the axis, a brace's point and "=" are on one row."""
    if setting.script or node.small:
        return ()
    middle = (len(cells) // 2,) if len(cells) % 2 == 0 else ()
    braced = any(map(is_centred, (node.left, node.right)))
    crowded = _are_crowded(cells)
    if not setting.stack:
        return middle if braced and not crowded else ()
    if crowded:
        return range(1, len(cells))
    if node.lines or (setting.alone and not (node.left or node.right)):
        return ()
    return middle if braced or node.name in EQUATIONS or len(cells) == 2 else ()


def _tagged(box: Box, grid: Grid, tags: list[Box], tag_width: int, width: int | None) -> Box:
    """The numbers of the equations at the right, each on the baseline of its row."""
    gaps = around(box.width, tag_width, width)
    top = box.baseline - grid.body.baseline
    rows = [" " * tag_width] * len(box.rows)
    marks: list[Mark] = []
    for tag, baseline in zip(tags, grid.baselines, strict=False):
        placed = pad(tag, tag_width - tag.width)
        rows[top + baseline] = placed.rows[0]
        marks += [mark._replace(row=top + baseline) for mark in placed.marks]
    return hcat((box, Box(tuple(rows), tag_width, box.baseline, tuple(marks))), gaps)


# On one row: [a, b; c, d], {1, if x > 0; 0, otherwise}

#: What closes a row of an array that opens with a lone delimiter.
_PARTNERS = {"(": ")", "[": "]", "|": "|", "‖": "‖", "{": "}"}
#: Environments of formulas, which stand without brackets.
_LINES = frozenset({"gathered", "multline", "eqnarray", "equation"})


def _on_one_row(node: Environment, setting: RowStyle) -> Box:
    """The rows with semicolons between, in brackets."""
    inner = script_of(setting) if node.small else setting
    if node.joined or node.name == "eqnarray":
        rows = [_equations_on_one_row(node, row, inner) for row in node.rows]
    else:
        rows = [_cells_on_one_row(node, boxes, inner) for boxes in _draw_cells(node, inner)]
    for index, tag in enumerate(node.tags[: len(rows)]):
        if tag is not None:
            rows[index] = hcat((rows[index], draw_row(tag, setting)), (0, 2))
    body = _joined(rows, ", " if node.name == "substack" else "; ")
    left, right = node.left, node.right
    bare = node.small or node.name == "CD" or node.joined or node.name in _LINES
    if not (left or right or bare):
        left, right = "[", "]"
    return hcat((text_box(left), body, text_box(right or _PARTNERS.get(left, ""))))


def _cells_on_one_row(node: Environment, boxes: Sequence[Box], setting: RowStyle) -> Box:
    """The cells of a row with commas between; of a pair such as a value and its case too."""
    if node.name == "CD":
        return _joined([box for box in boxes if box.width], " ")
    pieces: list[Box] = []
    for index, box in enumerate(boxes):
        if node.columns == "ll" and pieces and not box.width:
            continue
        between = _flat_inserts(node, index, setting)
        if pieces and not between:
            between = [text_box(" " if pieces[-1].rows[0].endswith(",") else ", ")]
        pieces += (*between, box)
    return hcat([*pieces, *_flat_inserts(node, len(boxes), setting)])


def _flat_inserts(node: Environment, index: int, setting: RowStyle) -> list[Box]:
    """What the specification puts before a column; a blank for what has no width."""
    boxes = []
    for insert in node.inserts:
        if insert.before == index:
            box = _draw_insert(insert, setting)
            apart = not insert.tight or (not box.width and 0 < index < len(node.rows[0]))
            boxes.append(pad(box, int(apart), int(apart and box.width > 0)))
    return boxes


def _equations_on_one_row(node: Environment, row: Sequence[Row], setting: RowStyle) -> Box:
    """The equations of an aligned row, each from two cells (eqnarray: three), two blanks apart;
    with a comma between those that are whole.  alignat may spread one over many cells."""
    size = 3 if node.name == "eqnarray" else 2
    groups: list[list[Node]] = []
    commas: list[bool] = []
    for start in range(0, len(row), size):
        items = [item for cell in row[start : start + size] for item in cell.items]
        whole = bool(groups) and _relates(groups[-1]) and _relates(items)
        if groups and node.name in _TOUCHING and not whole:
            groups[-1] += items
        elif items:
            groups.append(items)
            commas.append(whole)
    pieces: list[Box] = []
    for group, comma in zip(groups, commas, strict=True):
        box = draw_row(Row(tuple(group), node.span), setting)
        if pieces:
            ended = pieces[-1].rows[0].rstrip().endswith((",", ";", "."))
            spaced = box.rows[0].startswith("  ") or pieces[-1].rows[0].endswith("  ")
            pieces.append(text_box(("," if comma and not ended else "") + ("" if spaced else "  ")))
        pieces.append(box)
    return hcat(pieces)


def _relates(items: Sequence[Node]) -> bool:
    """Whether a relation is among the nodes of an equation."""
    for item in items:
        node = core(item)
        while isinstance(node, Scripts):
            node = core(node.base)
        if getattr(node, "kind", "") == "rel":
            return True
    return False


def _joined(boxes: Sequence[Box], between: str) -> Box:
    pieces: list[Box] = []
    for box in boxes:
        pieces += (text_box(between), box)
    return hcat(pieces[1:])


# Cells to a body of rows and columns

Cells = list[list[Box]]


class Grid(NamedTuple):
    body: Box
    """Without delimiters; its baseline is that of the middle row, or between the middle two."""
    baselines: tuple[int, ...]
    """Of each row, counted in rows of `body`."""


def _grid_of(
    cells: Cells, columns: Columns, lines: Sequence[RowRule], apart: Sequence[int]
) -> Grid:
    """The grid; `apart`: the rows before which a blank one goes where no rule is."""
    widths = _widths_of(cells, len(columns.align))
    rows = [_row(row, widths, columns) for row in cells] or [EMPTY]
    ruled = {line.before for line in lines}
    stack: list[Box] = []
    baselines: list[int] = []
    height = 0
    for index, row in enumerate(rows):
        between = _rules(index, len(rows), widths, columns, lines)
        if index in apart and index not in ruled:
            between.append(_across(widths, columns, " ", ()))
        stack += (*between, row)
        height += len(between)
        baselines.append(height + row.baseline)
        height += len(row.rows)
    stack += _rules(len(rows), len(rows), widths, columns, lines)
    body = vcat(stack, 0, "l")
    centre = (len(body.rows) - 1) // 2
    axis = centre if lines else _axis(rows, baselines, apart)
    # A row much higher than the others would leave delimiters half empty.
    if abs(2 * axis - len(body.rows) + 1) > 1:
        axis = centre
    return Grid(with_baseline(body, axis), tuple(baselines))


def _widths_of(cells: Cells, count: int) -> list[int]:
    return [max((row[i].width for row in cells if i < len(row)), default=0) for i in range(count)]


def _axis(rows: Sequence[Box], baselines: Sequence[int], apart: Sequence[int]) -> int:
    middle = len(rows) // 2
    if len(rows) % 2:
        return baselines[middle]
    if middle in apart:
        return baselines[middle] - rows[middle].baseline - 1
    return baselines[middle - 1]


def _rules(
    before: int, count: int, widths: Sequence[int], columns: Columns, lines: Sequence[RowRule]
) -> list[Box]:
    """The rules across that stand above the row `before`."""
    edge = "top" if before == 0 else "bottom" if before == count else "middle"
    strokes = ["╌" if line.dashed else "─" for line in lines if line.before == before]
    if strokes == ["─", "─"]:
        strokes = ["═"]
    last = len(strokes) - 1 if edge == "bottom" else 0
    return [
        _across(widths, columns, stroke, _MEETINGS[edge if index == last else "middle"])
        for index, stroke in enumerate(strokes)
    ]


def _row(row: Sequence[Box], widths: Sequence[int], columns: Columns) -> Box:
    above, below = extent((*row, *(box for _, box in columns.inserts.values())))
    pieces: list[Box] = []
    for index, text in enumerate(columns.before):
        start, box = columns.inserts.get(index, (len(text), EMPTY))
        for piece in (text[:start], box, text[start + box.width :]):
            if isinstance(piece, str):
                piece = Box((piece,) * (above + 1 + below), len(piece), above)
            if piece.width:
                pieces.append(piece)
        if index < len(row):
            pieces.append(widen(row[index], widths[index], columns.align[index]))
        elif index < len(widths):
            pieces.append(blank(widths[index]))
    return hcat(pieces)


def _are_crowded(cells: Cells) -> bool:
    """Whether rows need a blank one between them: fractions in them, or what hangs from one
    row beside what stands on the next."""
    extents = [extent(row) for row in cells]
    if any(above + below > 1 for above, below in extents):
        return True
    return any(low[1] and high[0] for low, high in pairwise(extents))


# Columns and rules: upright, across, and where they meet

#: Environments whose pairs of columns touch too.
_TOUCHING = frozenset({"alignat", "alignedat"})
_UPRIGHT = {"|": "│", ":": "┆", "||": "║"}
#: Where a rule across meets an upright one: (single, double upright, double across, both), by the
#: edge of the grid, then by the side: left, inside, right.
_MEETINGS = {
    "top": ("┌┬┐", "╓╥╖", "╒╤╕", "╔╦╗"),
    "middle": ("├┼┤", "╟╫╢", "╞╪╡", "╠╬╣"),
    "bottom": ("└┴┘", "╙╨╜", "╘╧╛", "╚╩╝"),
}


class Columns(NamedTuple):
    align: tuple[Align, ...]
    """Of each column."""
    before: tuple[str, ...]
    """What stands before each column, and after the last: blanks and rules, e.g. " │ "."""
    outer: bool
    """Whether a rule stands at the left or right edge."""
    inserts: dict[int, tuple[int, Box]]
    """Of a place between columns, what each row has there, and how far in `before` it starts."""


def columns_of(node: Environment, count: int, setting: RowStyle) -> Columns:
    """The columns of `node`, of which `count` are in use."""
    aligns: list[Align] = []
    rules = [""]
    for char in node.columns:
        if char == "|" and rules[-1] == "|":
            rules[-1] = "||"
        elif char in "|:":
            rules[-1] = char
        elif char in "lcr":
            aligns.append(char)  # type: ignore[arg-type]
            rules.append("")
    while len(aligns) < count:
        repeated: Align = aligns[-1] if aligns else "c"
        pair: Align = "l" if len(aligns) % 2 else "r"
        aligns.append(pair if node.joined else repeated)
        rules.append("")
    used = len(aligns) if any(rules) else count
    before = [_between(node, index, rules[index], setting) for index in range(used + 1)]
    if used:
        before[0], before[-1] = before[0].lstrip(), before[-1].rstrip()
    inserts = {}
    for index in range(len(before)):
        if here := [insert for insert in node.inserts if insert.before == index]:
            box = hcat([_draw_insert(insert, setting) for insert in here])
            text, at = before[index], len(before[index])
            if not 0 < index < len(before) - 1:
                at = 0 if index else at
            elif not text.strip():
                text = "" if here[0].tight else "  "
                at = len(text) // 2
            before[index] = text[:at] + " " * box.width + text[at:]
            inserts[index] = (at, box)
    return Columns(tuple(aligns[:used]), tuple(before), bool(rules[0] or rules[used]), inserts)


def _draw_insert(insert: Insert, setting: RowStyle) -> Box:
    """What stands between two columns; a relation or what is tall with gaps."""
    box = draw_row(insert.body, setting)
    if not insert.tight:
        return box
    items = insert.body.items
    ends = [isinstance(i, Symbol) and i.kind in ("rel", "bin") for i in (*items[:1], *items[-1:])]
    tall = len(box.rows) > 1
    return pad(box, int(tall or ends[0]), int(tall or ends[1])) if ends else box


def _between(node: Environment, index: int, rule: str, setting: RowStyle) -> str:
    """What stands between a column and the one before it."""
    if rule:
        return f" {_UPRIGHT[rule]} "
    if node.joined:
        return "" if index % 2 or node.name in _TOUCHING else "    "
    if node.small:
        return " "
    if node.left == "{" or node.right == "}":
        return "   "
    return "  " if setting.stack else " "


def _across(widths: Sequence[int], columns: Columns, line: str, meetings: Sequence[str]) -> Box:
    """A row of `line` (a rule, or blanks through which the upright rules go), with the sign where
    it meets an upright one."""
    pieces = []
    for index, before in enumerate(columns.before):
        side = 0 if index == 0 else 2 if index == len(widths) else 1
        for char in before:
            if char in "│┆║" and line != " ":
                char = meetings[2 * (line == "═") + (char == "║")][side]
            pieces.append(line if char == " " else char)
        pieces += [line * width for width in widths[index : index + 1]]
    text = "".join(pieces)
    return Box((text,), len(text), 0)


# Commutative diagrams: objects and arrows on a grid

_SHORTEST = 5


def _diagram(node: Environment, setting: RowStyle) -> Box:
    """Each column as wide as its widest object; lying arrows fill theirs."""
    setting = text_of(setting)
    count = max(map(len, node.rows), default=0)
    if not count:
        return EMPTY
    grid = [_spread(row, count) for row in node.rows]
    count = max(map(len, grid))
    columns = [[row[i] for row in grid if i < len(row)] for i in range(count)]
    sides = [_sides(cells, setting) for cells in columns]
    rows = []
    for row in grid:
        cells = [_placed(cell, sides[i], setting) for i, cell in enumerate(row)]
        cells += [blank(sum(side)) for side in sides[len(row) :]]
        rows.append(hcat(cells, [0] + [1] * (count - 1)))
    box = vcat(rows, 0, "l")
    return with_baseline(box, (len(box.rows) - 1) // 2)


def _spread(row: tuple[Row, ...], count: int) -> tuple[Row, ...]:
    """A row of upright arrows with the places between them, where it has none."""
    arrows = [_arrow(cell) for cell in row]
    if not all(arrow and (is_upright(arrow) or not arrow.char) for arrow in arrows):
        return row
    if len(row) < 2 or 2 * len(row) - 1 > count:
        return row
    between = Row((), row[0].span)
    return tuple(cell for each in row for cell in (each, between))[:-1]


def _arrow(cell: Row) -> Arrow | None:
    found = [item for item in cell.items if isinstance(item, Arrow)]
    return found[0] if len(found) == 1 and len(cell.items) == 1 else None


def _sides(cells: list[Row], setting: RowStyle) -> tuple[int, int]:
    """The cells of a column left of its middle, and from its middle on."""
    left, right = 0, 1
    for cell in cells:
        arrow = _arrow(cell)
        if arrow is not None and is_upright(arrow):
            low, _, high = upright(arrow, setting)
            left, right = max(left, low.width), max(right, high.width + 1)
        else:
            width = (_lying(arrow, setting, 0) if arrow else draw_row(cell, setting)).width
            left, right = max(left, (width - 1) // 2), max(right, width - (width - 1) // 2)
    return left, right


def _lying(arrow: Arrow, setting: RowStyle, width: int) -> Box:
    if not arrow.char:
        return EMPTY
    over, under = draw_script(arrow.over, setting), draw_script(arrow.under, setting)
    return lying(arrow.char, over, under, max(width, _SHORTEST))


def _placed(cell: Row, sides: tuple[int, int], setting: RowStyle) -> Box:
    """What stands in a cell, in the middle of its column."""
    left, right = sides
    arrow = _arrow(cell)
    if arrow is None:
        box = draw_row(cell, setting)
        before = left - (box.width - 1) // 2
        return hcat((blank(before), box, blank(left + right - before - box.width)))
    if not is_upright(arrow):
        return widen(_lying(arrow, setting, left + right), left + right, "c")
    low, shaft, high = upright(arrow, setting)  # its labels beside it
    return hcat((blank(left - low.width), low, shaft, high, blank(right - 1 - high.width)))
