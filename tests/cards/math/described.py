"""A tree in one line, for tables of expectations: `(frac a [b + c])`, `(scripts x i 2)`.

A row of one node is that node, any other row stands in brackets; None is `_`.
"""

from collections.abc import Callable, Sequence
from typing import Any

from cards.math.latex.parse import parse
from cards.math.tree import (
    Accent,
    Arrow,
    Boxed,
    Brace,
    Break,
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

_LIMITS = {"display": "*", "always": "**", "never": ""}
#: The name of each kind of node in brackets, and what stands behind it.
_FORMS: dict[type, Callable[[Any], tuple[str, Sequence[Node | str | None]]]] = {
    Text: lambda n: ("text" + (f".{n.font}" if n.font else ""), n.parts),
    Fraction: lambda n: (
        f"{n.left}{'frac' if n.rule else 'over'}{n.style and f'.{n.style}'}{n.right}",
        (n.above, n.below),
    ),
    Root: lambda n: ("root", (n.body, *([n.degree] if n.degree else []))),
    Scripts: lambda n: (
        {None: "scripts", True: "scripts.limits", False: "scripts.nolimits"}[n.limits],
        (n.base, n.sub, n.sup),
    ),
    Accent: lambda n: (f"{n.name}{'~' * n.wide}{'' if n.over else '.under'}", (n.base,)),
    Brace: lambda n: (f"{'over' if n.over else 'under'}.{n.shape}", (n.base,)),
    Stack: lambda n: (f"stack.{n.kind}", (n.base, n.over, n.under)),
    Arrow: lambda n: (f"arrow{n.char}", (n.over, n.under)),
    Styled: lambda n: (n.style, (n.body,)),
    Classed: lambda n: (f"class.{n.kind}", (n.body,)),
    Boxed: lambda n: (n.how, (n.body,)),
    Choice: lambda n: ("choice", n[:4]),
    Tag: lambda n: ("tag", (n.body,)),
}


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
            return f"<{node.text}{_LIMITS[node.limits]}>"
        case Row():
            inner = " ".join(map(describe, node.items))
            return inner if len(node.items) == 1 else f"[{inner}]"
        case Delimited():
            return _delimited(node)
        case Environment():
            return _environment(node)
        case Space():
            return f"~{node.em:.3g}"
        case Unknown():
            return f"?{node.name}"
        case Break():
            return "break"
    name, parts = _FORMS[type(node)](node)
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
