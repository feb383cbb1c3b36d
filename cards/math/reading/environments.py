r"""Environments: \begin{...} \end{...}, \substack, and what each of them is."""

from __future__ import annotations

from cards.math.environment import Environment
from cards.math.reading.arguments import optional_raw, raw
from cards.math.reading.columns import PLAIN, Columns, columns_of
from cards.math.reading.core import Items, Parser, Reader
from cards.math.reading.diagram import diagram
from cards.math.reading.kinds import CANONICAL, COUNTED, KINDS, Kind, fitting
from cards.math.reading.tables import RULES, Table, table
from cards.math.tree import Row, Tag


def begin(parser: Parser, items: Items, start: int) -> None:
    written = "".join(raw(parser).split())
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
    columns = PLAIN
    if name == "CD":
        _append(parser, items, "CD", kind, diagram(parser), written, start, columns)
        return
    if kind.columns == "?" or name in COUNTED:
        optional_raw(parser)
        at = parser.starts[parser.i]
        spec = raw(parser)
    elif written.endswith("matrix*") or name in ("aligned", "gathered", "alignedat", "multlined"):
        spec = optional_raw(parser) or ""
    if kind.columns == "?":
        columns = columns_of(parser, spec, parser.since(at))
        kind = kind._replace(columns=columns.letters or "c")
    elif written.endswith("matrix*"):
        kind = kind._replace(columns=spec.strip()[:1] if spec.strip()[:1] in "lcr" else "c")
    parser.environments.append(written)
    found = table(parser, columns)
    parser.environments.pop()
    _append(parser, items, name, kind, found, written, start, columns)


def _append(
    parser: Parser,
    items: Items,
    name: str,
    kind: Kind,
    found: Table,
    written: str,
    start: int,
    columns: Columns,
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
            CANONICAL.get(name, name),
            found.rows,
            fitting(kind.columns, width, name),
            kind.joined,
            found.lines,
            kind.left,
            kind.right,
            kind.small,
            found.tags,
            span,
            columns.inserts,
        )
    )


def _hang_tag(parser: Parser, items: Items, tag: Row) -> None:
    """The tag of a single equation numbers the row around it, or the formula."""
    if "env" in parser.open:
        parser.tag = tag
    else:
        items.append(Tag(tag, tag.span))


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
    name = "".join(raw(parser).split())
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
                CANONICAL.get(name, name), found.rows, fitting(kind.columns, width, name),
                kind.joined, found.lines, kind.left, kind.right, kind.small, (),
                parser.since(start),
            )
        )  # fmt: skip

    return read


def loose(parser: Parser) -> Environment:
    """All that is left to read, as aligned rows: a formula whose & is in no environment."""
    start = parser.starts[parser.i]
    found = table(parser)
    width = max(map(len, found.rows), default=1)
    columns = fitting("rl", width, "aligned")
    return Environment(
        "aligned", found.rows, columns, True, found.lines, "", "", False, found.tags,
        parser.since(start),
    )  # fmt: skip


def _stray_rule(parser: Parser, _items: Items, start: int) -> None:
    parser.problem(
        "A rule stands in the middle of a row.",
        "Put it at the start of a row, after \\\\.",
        parser.since(start),
    )


def _span(parser: Parser, items: Items, _start: int) -> None:
    r"""\multicolumn{n}{spec}{content}: the content stands in the first of its cells."""
    raw(parser)
    raw(parser)
    items.extend(parser.argument("\\multicolumn").items)


def _skip_argument(parser: Parser, _items: Items, _start: int) -> None:
    optional_raw(parser)
    raw(parser)


READERS: dict[str, Reader] = {
    "\\begin": begin,
    "\\substack": _substack,
    **{
        "\\" + name: _matrix(name)
        for name in ("matrix", "pmatrix", "cases", "eqalign", "eqalignno", "leqalignno")
    },
    **dict.fromkeys(RULES, _stray_rule),
    "\\displaylines": _matrix("gathered"),
    "\\multicolumn": _span,
    "\\multirow": _span,
    **dict.fromkeys(["\\cline", "\\cmidrule", "\\rowcolor", "\\arraystretch"], _skip_argument),
}
