"""The tree in our notation, with no more brackets than it needs: read(echo) is the same tree."""

from __future__ import annotations

from typing import Final

from engine.formula.tree import (
    Answer,
    Apply,
    Arithmetic,
    Binder,
    Cell,
    Choice,
    Comparison,
    Definition,
    Indicator,
    Logic,
    Name,
    Negative,
    Node,
    Not,
    Number,
    Over,
    Pair,
    Range,
    Reduce,
    Window,
    Windows,
)

_IF, _OR, _AND, _NOT, _COMPARE, _ADD, _MULTIPLY, _POWER, _ATOM = range(10, 100, 10)
_LEVEL: Final = {"+": _ADD, "-": _ADD, "^": _POWER}
_ALONE: Final = {"argmax", "argmin"}


def echo(answer: Answer) -> str:
    """Definitions a line each, then the answer with its left side."""
    lines = [_definition(d) for d in answer.definitions]
    lines.append(f"{answer.target}[{','.join(answer.indices)}] = {text(answer.body)}")
    return "\n".join(lines)


def _definition(definition: Definition) -> str:
    inside = f"[{','.join(definition.parameters)}]" if definition.parameters else ""
    left = ", ".join(name + inside for name in definition.names)
    if len(definition.names) > 1:
        left = f"({left})"
    return f"{left} = {text(definition.body)}"


def text(node: Node, level: int = 0) -> str:
    """`node` written so that it may stand where binding at least `level` is needed."""
    own, written = _written(node)
    return f"({written})" if own < level else written


def _list(nodes: tuple[Node, ...]) -> str:
    return ",".join(text(node) for node in nodes)


def _written(node: Node) -> tuple[int, str]:
    match node:
        case Number(value):
            return _ATOM, _number(value)
        case Name(name):
            return _ATOM, name
        case Cell(array, indices):
            return _ATOM, f"{array}[{_list(indices)}]"
        case Apply(function, arguments):
            return _ATOM, f"{function.lstrip('~')}({', '.join(map(text, arguments))})"
        case Indicator(condition):
            return _ATOM, f"[{text(condition)}]"
        case Pair(items):
            return _ATOM, f"({_list(items)})"
        case Window(indices):
            return _ATOM, f"Omega({_list(indices)})"
        case Windows(indices):
            return _ATOM, f"windows({_list(indices)})"
        case Range(Number(0.0), stop):
            return _ATOM, f"range({text(stop)})"
        case Range(start, stop):
            return _ATOM, f"range({text(start)}, {text(stop)})"
        case Over(kind, region):
            return _ATOM, _over(kind, region)
        case Reduce():
            return _ATOM, _reduce(node)
        case _:
            return _operator(node)


def _operator(node: Node) -> tuple[int, str]:
    match node:
        case Arithmetic("^", Cell("delta") as left, Cell() | Name() as right):
            # Without brackets, delta[k,l]^x would be the message at x.
            return _POWER, f"{text(left, _ATOM)}^({text(right)})"
        case Arithmetic("^", left, right):
            return _POWER, f"{text(left, _ATOM)}^{text(right, _POWER)}"
        case Arithmetic(op, left, right):
            own = _LEVEL.get(op, _MULTIPLY)
            sign = op if op == "/" else f" {op} "
            return own, f"{text(left, own)}{sign}{text(right, own + 1)}"
        case Negative(operand):
            # Binds like a product's first factor: (-a) * b is written -a * b only unbracketed.
            return _MULTIPLY, f"-{text(operand, _POWER)}"
        case Comparison((_,), (Reduce("count"), Number(0.0))) if said := _counted(node):
            return _ATOM, said
        case Comparison(ops, operands):
            parts = [text(operands[0], _ADD)]
            for op, operand in zip(ops, operands[1:], strict=True):
                parts += [op, text(operand, _ADD)]
            return _COMPARE, " ".join(parts)
        case Logic(op, operands):
            own = _AND if op == "and" else _OR
            return own, f" {op} ".join(text(operand, own + 1) for operand in operands)
        case Not(operand):
            return _NOT, f"not {text(operand, _NOT)}"
        case Choice(condition, then, otherwise):
            middle = text(condition, _OR)
            return _IF, f"{text(then, _OR)} if {middle} else {text(otherwise, _IF)}"
    raise AssertionError(node)


def _counted(node: Comparison) -> str:
    """all(C for ...) where no C fails, any(C for ...) where one holds; "" of another count."""
    count = node.operands[0]
    assert isinstance(count, Reduce)
    if node.ops == (">",):
        return _reduce(count, "any", count.body)
    if node.ops == ("==",) and isinstance(count.body, Not):
        return _reduce(count, "all", count.body.operand)
    return ""


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() and value < 1e15 else repr(value)


def _over(kind: str, region: Node) -> str:
    if isinstance(region, Window) and kind in _ALONE:
        return f"{kind}({_list(region.indices)})"
    if isinstance(region, Window):
        return f"{kind}(window({_list(region.indices)}))"
    return f"{kind}({text(region)})"


def _reduce(node: Reduce, kind: str = "", body: Node | None = None) -> str:
    clauses = " for ".join(map(_binder, node.binders))
    condition = f" if {text(node.condition, _OR)}" if node.condition is not None else ""
    return f"{kind or node.kind}({text(body or node.body)} for {clauses}{condition})"


def _binder(binder: Binder) -> str:
    names = ",".join(binder.names)
    return names if binder.domain is None else f"{names} in {text(binder.domain, _OR)}"
