"""A tree in one line, for tables of expectations: `(frac a [b + c])`, `(scripts x i 2)`.

A row of one node is that node, any other row stands in brackets; None is `_`.
"""

from typing import Any

from cards.math.latex.parse import parse
from cards.math.tree import (
    Accent,
    Arrow,
    Boxed,
    Brace,
    Choice,
    Classed,
    Delimited,
    Environment,
    Fraction,
    Node,
    Operator,
    Root,
    Row,
    Scripts,
    Space,
    Stack,
    Styled,
    Symbol,
    Tag,
    Text,
    Unknown,
)


def describe(node: Node | str | None) -> str:
    """One line that says all of `node` but its spans, classes and canonical names."""
    match node:
        case None:
            return "_"
        case str():
            return repr(node)
        case Symbol():
            return node.char + "!" * node.size
        case Operator():
            star = {"display": "*", "always": "**", "never": ""}[node.limits]
            return f"<{node.text}{star}>"
        case Row():
            inner = " ".join(map(describe, node.items))
            return inner if len(node.items) == 1 else f"[{inner}]"
        case Text():
            return _list("text" + (f".{node.font}" if node.font else ""), *node.parts)
        case Fraction():
            name = "frac" if node.rule else "over"
            name += f".{node.style}" if node.style else ""
            return _list(f"{node.left}{name}{node.right}", node.above, node.below)
        case Root():
            return _list("root", node.body, *([node.degree] if node.degree else []))
        case Scripts():
            names = {None: "scripts", True: "scripts.limits", False: "scripts.nolimits"}
            return _list(names[node.limits], node.base, node.sub, node.sup)
        case Delimited():
            return _delimited(node)
        case Accent():
            place = "" if node.over else ".under"
            return _list(f"{node.name}{'~' if node.wide else ''}{place}", node.base)
        case Brace():
            return _list(f"{'over' if node.over else 'under'}.{node.shape}", node.base)
        case Stack():
            return _list(f"stack.{node.kind}", node.base, node.over, node.under)
        case Arrow():
            return _list(f"arrow{node.char}", node.over, node.under)
        case Environment():
            return _environment(node)
        case Styled():
            return _list(node.style, node.body)
        case Classed():
            return _list(f"class.{node.kind}", node.body)
        case Space():
            return f"~{node.em:.3g}"
        case Boxed():
            return _list(node.how, node.body)
        case Choice():
            return _list("choice", node.display, node.text, node.script, node.scriptscript)
        case Tag():
            return _list("tag", node.body)
        case Unknown():
            return f"?{node.name}"
        case _:
            return "break"


def _list(name: str, *parts: Node | str | None) -> str:
    return f"({' '.join([name, *map(describe, parts)])})"


def _delimited(node: Delimited) -> str:
    pieces = [describe(node.parts[0])]
    for middle, part in zip(node.middles, node.parts[1:], strict=True):
        pieces += [middle, describe(part)]
    return f"(fence {node.left or '.'} {' '.join(pieces)} {node.right or '.'})"


def _environment(node: Environment) -> str:
    rows = " / ".join(" & ".join(map(describe, row)) for row in node.rows)
    name = f"{node.left}{node.name}{node.right}:{node.columns}"
    lines = "".join(f" {'dash' if line.dashed else 'rule'}{line.before}" for line in node.lines)
    tags = "".join(f" #{describe(tag)}" for tag in node.tags if tag)
    for insert in node.inserts:
        tags += f" {'@' if insert.tight else '!'}{insert.before}={describe(insert.body)}"
    return f"({name}{lines}{tags} | {rows})"


def assert_reads(tex: str, tree: str) -> None:
    """The formula is read whole, without a problem, and its tree is the one expected."""
    formula = parse(tex)
    assert describe(formula.body) == tree
    assert formula.problems == ()


def parts_of(value: object) -> tuple[Any, ...]:
    """What a node, or a tuple of nodes, is made of; nothing where it is neither."""
    if isinstance(value, Row):
        return value.items, value.span
    return value if isinstance(value, tuple) else ()


def plain(node: object) -> object:
    """The tree without its spans, to compare two readings of one meaning."""
    if isinstance(node, Row):
        return ("Row", plain(node.items))
    if isinstance(node, tuple) and hasattr(node, "_fields"):
        values = [plain(getattr(node, name)) for name in node._fields if name != "span"]
        return (type(node).__name__, *values)
    if isinstance(node, tuple):
        return tuple(plain(part) for part in node)
    return node
