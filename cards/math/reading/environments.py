r"""Environments: \begin{...} \end{...}, \substack, and what each of them is."""

from __future__ import annotations

from typing import NamedTuple

from cards.math.reading.columns import columns_of
from cards.math.reading.core import Items, Parser, Reader
from cards.math.reading.diagram import diagram
from cards.math.reading.stops import skip_row_gap
from cards.math.tree import Environment, Line, Row, Tag


class Kind(NamedTuple):
    columns: str
    """Of a row: "c" for as many as there are, "rl" repeated, "ll" as it is; "?" is an argument."""
    left: str = ""
    right: str = ""
    joined: bool = False
    small: bool = False
    plain: bool = False
    """True where one row with one cell is no more than its content."""


_ALIGNED = Kind("rl", joined=True, plain=True)
_GATHERED = Kind("c", plain=True)
_FENCES = {
    "": ("", ""), "p": ("(", ")"), "b": ("[", "]"), "B": ("{", "}"), "v": ("|", "|"),
    "V": ("‖", "‖"),
}  # fmt: skip

KINDS: dict[str, Kind] = {
    **{f"{name}matrix": Kind("c", *fences) for name, fences in _FENCES.items()},
    **{f"{name}smallmatrix": Kind("c", *fences, small=True) for name, fences in _FENCES.items()},
    **{f"{name}NiceMatrix": Kind("c", *fences) for name, fences in _FENCES.items()},
    **dict.fromkeys(["array", "darray", "subarray", "tabular", "IEEEeqnarray"], Kind("?")),
    **dict.fromkeys(["cases", "dcases", "numcases"], Kind("ll", "{")),
    **dict.fromkeys(["rcases", "drcases"], Kind("ll", "", "}")),
    **dict.fromkeys(["aligned", "align", "split", "flalign", "eqalign"], _ALIGNED),
    **dict.fromkeys(["alignat", "alignedat", "xalignat", "xxalignat"], _ALIGNED),
    "eqnarray": Kind("rcl", plain=True),
    **dict.fromkeys(["gathered", "gather", "multline", "multlined"], _GATHERED),
    **dict.fromkeys(["lgathered", "rgathered"], _GATHERED),
    **dict.fromkeys(["equation", "displaymath", "math", "subequations", "center"], _GATHERED),
    "CD": Kind("c"),
}
KINDS["subarray"] = Kind("?", small=True)
#: Named by what they mean, so that the same thing is the same node.
_CANONICAL = {
    "align": "aligned", "flalign": "aligned", "eqalign": "aligned", "alignedat": "aligned",
    "alignat": "aligned", "xalignat": "aligned", "xxalignat": "aligned", "gather": "gathered",
    "darray": "array", "tabular": "array", "IEEEeqnarray": "array", "dcases": "cases",
    "drcases": "rcases", "subarray": "substack", "multlined": "multline",
}  # fmt: skip
_COUNTED = frozenset({"alignat", "alignedat", "xalignat", "xxalignat"})
_RULES = {
    "\\hline": False, "\\hdashline": True, "\\toprule": False, "\\midrule": False,
    "\\bottomrule": False, "\\firsthline": False, "\\lasthline": False,
}  # fmt: skip
_ROW_ENDS = frozenset({"\\\\", "\\cr", "\\newline", "\\tabularnewline"})


def begin(parser: Parser, items: Items, start: int) -> None:
    written = "".join(parser.raw().split())
    name = written.removesuffix("*")
    kind = KINDS.get(name)
    if kind is None:
        kind = Kind("c")
        parser.problem(
            f"The environment {written or '(without a name)'} is not known.",
            "It is read as a matrix; cases, aligned, pmatrix and array are among the known.",
            parser.since(start),
        )
    spec = ""
    if name == "CD":
        _append(parser, items, "CD", kind, diagram(parser), written, start)
        return
    if kind.columns == "?" or name in _COUNTED:
        parser.optional_raw()
        spec = parser.raw()
    elif written.endswith("matrix*") or name in ("aligned", "gathered", "alignedat", "multlined"):
        spec = parser.optional_raw() or ""
    if kind.columns == "?":
        kind = kind._replace(columns=columns_of(spec) or "c")
    elif written.endswith("matrix*"):
        kind = kind._replace(columns=spec.strip()[:1] if spec.strip()[:1] in "lcr" else "c")
    parser.environments.append(written)
    found = table(parser)
    parser.environments.pop()
    _append(parser, items, name, kind, found, written, start)


class Table(NamedTuple):
    rows: tuple[tuple[Row, ...], ...]
    lines: tuple[Line, ...] = ()
    tags: tuple[Row | None, ...] = ()


def table(parser: Parser, context: str = "env") -> Table:
    """Reads rows and cells up to what ends the environment, and does not take that."""
    rows: list[tuple[Row, ...]] = []
    cells: list[Row] = []
    lines: list[Line] = []
    tags: list[Row | None] = []
    outer, parser.tag = parser.tag, None
    while True:
        while not cells and (token := parser.peek()) in _RULES:
            lines.append(Line(len(rows), _RULES[token]))
            parser.i += 1
        cells.append(parser.row(context))
        token = parser.tokens[parser.i]
        if token == "&":
            parser.i += 1
            continue
        rows.append(tuple(cells))
        tags.append(parser.tag)
        parser.tag = None
        cells = []
        if token not in _ROW_ENDS:
            break
        parser.i += 1
        skip_row_gap(parser)
    parser.tag = outer
    if len(rows) > 0 and len(rows[-1]) == 1 and not rows[-1][0].items and tags[-1] is None:
        rows.pop()
        tags.pop()
    return Table(tuple(rows), tuple(lines), tuple(tags) if any(tags) else ())


def _append(
    parser: Parser, items: Items, name: str, kind: Kind, found: Table, written: str, start: int
) -> None:
    _close(parser, written, start)
    span = parser.since(start)
    if kind.plain and len(found.rows) == 1 and len(found.rows[0]) == 1 and not found.lines:
        items.append(Row(found.rows[0][0].items, span))
        if found.tags and found.tags[0] is not None:
            _hang_tag(parser, items, found.tags[0])
        return
    width = max(map(len, found.rows), default=0)
    items.append(
        Environment(
            _CANONICAL.get(name, name),
            found.rows,
            _fitting(kind.columns, width, name),
            kind.joined,
            found.lines,
            kind.left,
            kind.right,
            kind.small,
            found.tags,
            span,
        )
    )


def _hang_tag(parser: Parser, items: Items, tag: Row) -> None:
    """The tag of a single equation numbers the row around it, or the formula."""
    if "env" in parser.open:
        parser.tag = tag
    else:
        items.append(Tag(tag, tag.span))


def _fitting(columns: str, width: int, name: str) -> str:
    """A letter for each of `width` columns."""
    if columns in ("c", "l", "r", "rl"):
        return (columns * max(width, 1))[: max(width, 1)]
    if name == "eqnarray":
        return "rcl"[: max(width, 1)]
    letters = sum(letter in "lcr" for letter in columns)
    return columns + "l" * (width - letters)


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
        span = (parser.starts[before], parser.ends[parser.i - 1])
        parser.problem(
            f"\\begin{{{written}}} is ended by \\end{{{name}}}.",
            f"Write \\end{{{written}}}.",
            span,
        )
        if name in parser.environments:
            parser.i = before  # it ends an outer one


def _substack(parser: Parser, items: Items, start: int) -> None:
    r"""\substack{a\\b}"""
    if parser.peek() != "{":
        items.append(parser.argument("\\substack"))
        return
    found = _braced_table(parser)
    columns = "c" * max(map(len, found.rows), default=1)
    items.append(
        Environment(
            "substack", found.rows, columns, False, (), "", "", True, (), parser.since(start)
        )
    )


def _braced_table(parser: Parser) -> Table:
    brace = parser.starts[parser.i]
    parser.i += 1
    parser.open.append("{")
    found = table(parser)
    parser.open.pop()
    parser.close_brace(brace)
    return found


def _matrix(name: str) -> Reader:
    r"""Plain TeX's \matrix{a & b \cr c & d}."""

    def read(parser: Parser, items: Items, start: int) -> None:
        if parser.peek() != "{":
            parser.missing("\\" + name)
            return
        found = _braced_table(parser)
        kind = KINDS[name]
        width = max(map(len, found.rows), default=1)
        items.append(
            Environment(
                _CANONICAL.get(name, name), found.rows, _fitting(kind.columns, width, name),
                kind.joined, found.lines, kind.left, kind.right, kind.small, (),
                parser.since(start),
            )
        )  # fmt: skip

    return read


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


def _skip_argument(parser: Parser, _items: Items, _start: int) -> None:
    parser.optional_raw()
    parser.raw()


READERS: dict[str, Reader] = {
    "\\begin": begin,
    "\\substack": _substack,
    **{"\\" + name: _matrix(name) for name in ("matrix", "pmatrix", "cases", "eqalign")},
    **dict.fromkeys(_RULES, _stray_rule),
    "\\multicolumn": _span,
    "\\multirow": _span,
    **dict.fromkeys(["\\cline", "\\cmidrule", "\\rowcolor", "\\arraystretch"], _skip_argument),
}
