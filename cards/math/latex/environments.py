r"""Environments: \begin{...} \end{...}, plain TeX's \matrix, and the rows and cells of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cards.math.latex.delimiters import skip_row_gap
from cards.math.latex.parser import BRACES, END, Items, Parser, Reader, outside, tokens_of
from cards.math.latex.text import reads, text_argument
from cards.math.tree import Arrow, Environment, Insert, Row, RowRule, Span, Tag


class EnvironmentKind(NamedTuple):
    columns: str
    """Of a row: "c" for as many as there are, "rl" repeated, "ll" as it is; "?" is an argument."""
    left: str = ""
    right: str = ""
    joined: bool = False
    small: bool = False
    plain: bool = False
    """True where one row with one cell is no more than its content."""


_ALIGNED = EnvironmentKind("rl", joined=True, plain=True)
_GATHERED = EnvironmentKind("c", plain=True)
_FENCES = {
    "": ("", ""), "p": ("(", ")"), "b": ("[", "]"), "B": ("{", "}"), "v": ("|", "|"),
    "V": ("‖", "‖"),
}  # fmt: skip
#: By their names; what means the same is named by the first of them, so that it is the same node.
_NAMED: dict[str, EnvironmentKind] = {
    "array darray tabular IEEEeqnarray": EnvironmentKind("?"),
    "substack subarray": EnvironmentKind("?", small=True),
    "cases": EnvironmentKind("ll", "{"),
    "dcases": EnvironmentKind("ll", "{"),
    "numcases": EnvironmentKind("ll", "{"),
    "rcases": EnvironmentKind("ll", "", "}"),
    "drcases": EnvironmentKind("ll", "", "}"),
    "aligned align flalign eqalign eqalignno leqalignno xalignat xxalignat": _ALIGNED,
    "alignat alignedat": _ALIGNED,
    "split": _ALIGNED,
    "eqnarray": EnvironmentKind("rcl", plain=True),
    "gathered gather": _GATHERED,
    "multline multlined": _GATHERED,
    **dict.fromkeys(["lgathered", "rgathered", "equation", "displaymath", "math"], _GATHERED),
    **dict.fromkeys(["subequations", "center"], _GATHERED),
    "CD": EnvironmentKind("c"),
}
for _mark, _fences in _FENCES.items():
    _NAMED[f"{_mark}matrix"] = _NAMED[f"{_mark}NiceMatrix"] = EnvironmentKind("c", *_fences)
    _NAMED[f"{_mark}smallmatrix"] = EnvironmentKind("c", *_fences, small=True)
    _NAMED[f"{_mark}NiceArray"] = EnvironmentKind("?", *_fences)
KINDS = {name: kind for names, kind in _NAMED.items() for name in names.split()}
_CANONICAL = {name: names.split()[0] for names in _NAMED for name in names.split()}
del KINDS["substack"]  # a command
_COUNTED = frozenset({"alignat", "alignedat", "xalignat", "xxalignat"})


def _begin(parser: Parser, items: Items, start: int) -> None:
    written = "".join(parser.raw().split())
    name = written.removesuffix("*")
    kind = KINDS.get(name)
    if kind is None:
        kind = EnvironmentKind("c")
        parser.problem(
            f"The environment {written or '(without a name)'} is not known.",
            "It is read as a matrix; cases, aligned, pmatrix and array are among the known.",
            parser.since(start),
        )
    columns = _PLAIN_SPEC
    if kind.columns == "?" or name in _COUNTED:
        parser.optional_raw()
        at = parser.starts[parser.i]
        spec = parser.raw()
        if kind.columns == "?":
            columns = _columns(parser, spec, parser.since(at))
            kind = kind._replace(columns=columns.letters or "c")
    elif written.endswith("matrix*"):
        side = (parser.optional_raw() or "").strip()[:1]
        kind = kind._replace(columns=side if side in "lcr" else "c")
    elif name in ("aligned", "gathered", "multlined"):
        parser.optional_raw()
    if name == "CD":
        found = _diagram(parser)
    else:
        parser.environments.append(written)
        found = _table(parser, columns)
        parser.environments.pop()
    _close(parser, written, start)
    span = parser.since(start)
    if not (kind.plain and len(found.rows) == 1 == len(found.rows[0])) or found.lines:
        items.append(_environment(name, kind, found, span, columns.inserts))
        return
    items.append(Row(found.rows[0][0].items, span))
    tag = found.tags[0] if found.tags else None
    if tag is not None:  # it numbers the row around it, or the formula
        if "env" in parser.open:
            parser.tag = tag
        else:
            items.append(Tag(tag, tag.span))


def _environment(
    name: str, kind: EnvironmentKind, found: _Table, span: Span, inserts: tuple[Insert, ...] = ()
) -> Environment:
    width = max(map(len, found.rows), default=0)
    columns = kind.columns
    if columns in ("c", "l", "r", "rl", "rcl"):  # a letter for each column
        repeated = columns if columns == "rcl" else columns * max(width, 1)
        columns = repeated[: max(width, 1)]
    else:
        columns += "l" * (width - sum(letter in "lcr" for letter in columns))
    return Environment(
        name=_CANONICAL.get(name, name),
        rows=found.rows,
        columns=columns,
        joined=kind.joined,
        lines=found.lines,
        left=kind.left,
        right=kind.right,
        small=kind.small,
        tags=found.tags,
        span=span,
        inserts=inserts,
    )


def _close(parser: Parser, written: str, start: int) -> None:
    r"""Takes the \end that belongs here, or says that there is none."""
    if parser.tokens[parser.i] != "\\end":
        if not parser.deep:
            parser.problem(
                f"\\begin{{{written}}} has no \\end{{{written}}}.",
                "Add it where the environment ends.",
                (start, start + len("\\begin")),
            )
        return
    before = parser.i
    parser.i += 1
    name = "".join(parser.raw().split())
    if name != written:
        parser.problem(
            f"\\begin{{{written}}} is ended by \\end{{{name}}}.",
            f"Write \\end{{{written}}}.",
            parser.since(parser.starts[before]),
        )
        if name in parser.environments:
            parser.i = before  # it ends an outer one


def loose(parser: Parser) -> Environment:
    """All that is left to read, as aligned rows: a formula whose & is in no environment."""
    start = parser.starts[parser.i]
    found = _table(parser)
    return _environment("aligned", KINDS["aligned"], found, parser.since(start))


def _braced(name: str, kind: EnvironmentKind) -> Reader:
    r"""Plain TeX's \matrix{a & b \cr c & d}, and \substack{a \\ b}, which also takes one token."""

    def read(parser: Parser, items: Items, start: int) -> None:
        if parser.peek() != "{":
            if kind.small:
                items.append(parser.argument("\\" + name))
            else:
                parser.missing("\\" + name)
            return
        brace = parser.starts[parser.i]
        parser.i += 1
        parser.open.append("{")
        found = _table(parser)
        parser.open.pop()
        parser.close_brace(brace)
        table = _Table(found.rows, () if kind.small else found.lines)
        items.append(_environment(name, kind, table, parser.since(start)))

    return read


# Rows and cells: what stands between \begin and \end, with its rules, tags and \intertext.


_RULES = {
    "\\hline": False, "\\hdashline": True, "\\toprule": False, "\\midrule": False,
    "\\bottomrule": False, "\\firsthline": False, "\\lasthline": False,
}  # fmt: skip
_BETWEEN = frozenset({"\\intertext", "\\shortintertext"})
_BEFORE_ROWS = _BETWEEN.union(_RULES)
_ROW_ENDS = frozenset({"\\\\", "\\cr", "\\newline", "\\tabularnewline"})
_CELL_ENDS = _ROW_ENDS | {"&", "\\end", "}", "\\egroup", END}


#: What the table itself ends before, where a last `\\\\` leaves no row.
_ENDS = frozenset({"\\end", "}", "\\egroup", END})

Tokens = tuple[str, ...]


class ColumnSpec(NamedTuple):
    letters: str
    """A letter a column: l, c or r, with `|` and `:` for rules between."""
    inserts: tuple[Insert, ...] = ()
    before: tuple[Tokens, ...] = ()
    """What each cell of a column begins with."""
    after: tuple[Tokens, ...] = ()


_PLAIN_SPEC = ColumnSpec("")


class _Table(NamedTuple):
    rows: tuple[tuple[Row, ...], ...]
    lines: tuple[RowRule, ...] = ()
    tags: tuple[Row | None, ...] = ()


def _table(parser: Parser, columns: ColumnSpec = _PLAIN_SPEC) -> _Table:
    """Reads rows and cells up to what ends the environment, and does not take that."""
    rows: list[tuple[Row, ...]] = []
    cells: list[Row] = []
    lines: list[RowRule] = []
    tags: list[Row | None] = []
    outer, parser.tag = parser.tag, None
    while True:
        while not cells and (token := parser.peek()) in _BEFORE_ROWS:
            parser.i += 1
            if token in _RULES:
                lines.append(RowRule(len(rows), _RULES[token]))
            else:  # the words of \intertext make a row of one cell
                words = text_argument(parser, "", token)
                rows.append((Row((words,), words.span),))
                tags.append(None)
        cells.append(_cell(parser, columns, len(cells)))
        token = parser.tokens[parser.i]
        if token == "&":
            parser.i += 1
            continue
        if token not in _BETWEEN or len(cells) > 1 or cells[0].items:
            rows.append(tuple(cells))
            tags.append(parser.tag)
        parser.tag = None
        cells = []
        if token in _ROW_ENDS:
            parser.i += 1
            skip_row_gap(parser)
        elif token not in _BETWEEN:
            break
    parser.tag = outer
    if len(rows) > 0 and len(rows[-1]) == 1 and not rows[-1][0].items and tags[-1] is None:
        rows.pop()
        tags.pop()
    return _Table(tuple(rows), tuple(lines), tuple(tags) if any(tags) else ())


def _cell(parser: Parser, columns: ColumnSpec, number: int) -> Row:
    """A cell, with what its column puts before and after each."""
    before = columns.before[number] if number < len(columns.before) else ()
    after = columns.after[number] if number < len(columns.after) else ()
    if (before or after) and not (number == 0 and parser.peek() in _ENDS):
        if after:
            ends = (at for at, token in outside(parser.tokens, parser.i) if token in _CELL_ENDS)
            parser.insert(after, next(ends, len(parser.tokens) - 1))
        parser.insert(before, parser.i)
    return parser.row("env")


# The column specification of an array: `{|r@{=}l*{2}{c}>{\bf}p{3cm}|}`.


_LETTERS = {
    "l": "l", "c": "c", "r": "r", "p": "l", "m": "l", "b": "l", "X": "l", "L": "l", "C": "c",
    "R": "r", "S": "r", "|": "|", ":": ":",
}  # fmt: skip
_WITH_ARGUMENT = frozenset("pmb@!><w")
_MOST = 200
#: What would end the cell that it is put into; the table is not taken apart for it.
_ENDING = _ROW_ENDS | {"&", "\\end", "\\begin"}


def _columns(parser: Parser, spec: str, span: tuple[int, int]) -> ColumnSpec:
    """The columns that `spec`, which stands at `span`, asks for."""
    letters: list[str] = []
    inserts: list[Insert] = []
    before: list[Tokens] = [()]
    after: list[Tokens] = []
    for sign, argument in _read(tokens_of(spec), 0)[:_MOST]:
        if sign == ">":
            before[-1] += _for_cells(argument)
        elif sign == "<":
            if after:
                after[-1] += _for_cells(argument)
        elif sign in "@!" and argument[:1] != ("\\extracolsep",):
            inserts.append(Insert(len(after), _body(parser, argument, span), sign == "@"))
        elif sign in _LETTERS:
            letters.append(_LETTERS[sign])
            if sign not in "|:":
                before.append(())
                after.append(())
    return ColumnSpec("".join(letters), tuple(inserts), tuple(before), tuple(after))


def _read(tokens: Sequence[str], depth: int) -> list[tuple[str, Tokens]]:
    """The signs of a specification, each with its argument."""
    found: list[tuple[str, Tokens]] = []
    i = 0
    while i < len(tokens) and len(found) < _MOST:
        token = tokens[i]
        i += 1
        if token == "*":
            count, i = _argument(tokens, i)
            repeated, i = _argument(tokens, i)
            number = "".join(count)
            if number.isascii() and number.isdecimal() and depth < 4:
                found.extend(_read(repeated, depth + 1) * min(int(number[:4]), _MOST))
        elif token in _WITH_ARGUMENT:
            argument, i = _argument(tokens, i)
            if token == "w":
                sign, (_, i) = "".join(argument), _argument(tokens, i)
                found.append((sign if sign in ("l", "c", "r") else "l", ()))
            else:
                found.append((token, argument))
        elif token in _LETTERS:
            found.append((token, ()))
    return found


def _argument(tokens: Sequence[str], i: int) -> tuple[Tokens, int]:
    """The tokens of the argument at `i`, and where it ends."""
    while i < len(tokens) and tokens[i].isspace():
        i += 1
    if i >= len(tokens) or tokens[i] != "{":
        return tuple(tokens[i : i + 1]), i + 1
    closing = (at for at, token in outside(tokens, i + 1, BRACES) if token == "}")
    end = next(closing, len(tokens))
    return tuple(tokens[i + 1 : end]), end + 1


def _for_cells(tokens: Tokens) -> Tokens:
    """What may be put into cells: dollars change nothing in an array of formulas."""
    kept = tuple(token for token in tokens if token != "$")
    pairs = (("{", "}"), ("\\left", "\\right"))
    balanced = all(kept.count(opening) == kept.count(closing) for opening, closing in pairs)
    return kept if balanced and not _ENDING.intersection(kept) else ()


def _body(parser: Parser, tokens: Tokens, span: tuple[int, int]) -> Row:
    """What an insert says."""
    kept = [token for token in tokens if token != "$"]
    if not kept or _ENDING.intersection(kept):
        return Row((), span)
    inner = Parser(kept, [span[0]] * (len(kept) + 1), parser.entries, parser.other, parser.macros)
    inner.depth = parser.depth + 1
    body = inner.row("")
    while inner.tokens[inner.i] != END:
        inner.i += 1
    for problem in inner.problems:
        parser.problem(problem.message, problem.hint, span)
    return Row(body.items, span)


# Commutative diagrams: the CD environment of amscd, with @>>>, @VVV, @=, @| and their labels.  Rows
# of objects and rows of upright arrows take turns.  A lying arrow is a cell between two objects and
# an upright one stands in its object's column, so that the columns of all rows agree.


_LABELLED = {">": "→", "<": "←", "V": "↓", "A": "↑", "(": "←", ")": "→"}
_UNLABELLED = {"=": "=", "|": "‖", ".": "", "\\vert": "‖", "\\Vert": "‖", "\\|": "‖"}
_OBJECT_ENDS = frozenset({"\\\\", "\\cr", "\\end", "@", "}", "\\egroup", "\\right", END})


def _diagram(parser: Parser) -> _Table:
    rows: list[tuple[Row, ...]] = []
    while True:
        rows.append(_diagram_row(parser))
        if parser.tokens[parser.i] not in ("\\\\", "\\cr"):
            break
        parser.i += 1
    if rows and not any(cell.items for cell in rows[-1]):
        rows.pop()
    return _Table(tuple(rows))


def _diagram_row(parser: Parser) -> tuple[Row, ...]:
    """Objects with arrows between them; or, where there are no objects, arrows with gaps."""
    objects: list[Row] = []
    arrows: list[Row] = []
    while True:
        ends = (at for at, token in outside(parser.tokens, parser.i) if token in _OBJECT_ENDS)
        objects.append(parser.until(next(ends), "env"))
        if parser.tokens[parser.i] != "@":
            break
        arrow = _arrow(parser)
        arrows.append(Row((arrow,), arrow.span))
    if arrows and not any(place.items for place in objects):
        objects = objects[1:]
        return tuple(cell for pair in zip(arrows, objects, strict=True) for cell in pair)[:-1]
    cells = [cell for pair in zip(objects, arrows, strict=False) for cell in pair]
    return (*cells, objects[-1])


def _arrow(parser: Parser) -> Arrow:
    """Reads an @ and its arrow with its two labels."""
    start = parser.starts[parser.i]
    parser.i += 1
    sign = parser.peek()
    if sign in _UNLABELLED:
        parser.i += 1
        return Arrow(_UNLABELLED[sign], None, None, parser.since(start))
    char = _LABELLED.get(sign)
    if char is None:
        parser.problem(
            "This @ begins no arrow.",
            "Write @>>>, @<<<, @VVV, @AAA, @=, @| or @. for none.",
            (start, start + 1),
        )
        return Arrow("", None, None, parser.since(start))
    parser.i += 1
    first = _label(parser, sign)
    second = _label(parser, sign)
    return Arrow(char, first, second, parser.since(start))


def _label(parser: Parser, sign: str) -> Row | None:
    """A label, up to the next `sign`."""
    for at, token in outside(parser.tokens, parser.i):
        if token == sign:
            label = parser.until(at, "[")
            parser.i += 1
            return label if label.items else None
        if token in ("\\\\", "\\cr"):
            break
    parser.problem(
        f"The arrow @{sign} lacks a second or third {sign}.",
        f"Write it as @{sign}label{sign}label{sign}; either label may be missing.",
        parser.here(),
    )
    return None


def _stray_rule(parser: Parser, _items: Items, start: int) -> None:
    parser.problem(
        "A rule stands in the middle of a row.",
        "Put it at the start of a row, after \\\\.",
        parser.since(start),
    )


def _span(parser: Parser, items: Items, _start: int) -> None:
    r"""\multicolumn{n}{spec}{content}: the content stands in the first of its cells."""
    parser.raw()
    parser.raw()
    items.extend(parser.argument("\\multicolumn").items)


ENVIRONMENTS: dict[str, Reader] = {
    "\\begin": _begin,
    "\\substack": _braced("substack", EnvironmentKind("c", small=True)),
    **{
        "\\" + name: _braced(name, KINDS[name])
        for name in ("matrix", "pmatrix", "cases", "eqalign", "eqalignno", "leqalignno")
    },
    **dict.fromkeys(_RULES, _stray_rule),
    "\\displaylines": _braced("gathered", _GATHERED),
    **dict.fromkeys(["\\multicolumn", "\\multirow"], _span),
    **dict.fromkeys(
        ["\\cline", "\\cmidrule", "\\rowcolor", "\\arraystretch"], reads("xr", lambda *_: None)
    ),
}
