r"""The tree as LaTeX, to be typeset beside what was typed: "dx[i,j] = ..." as print has it.
answer(tree)                  of max pooling, definitions above the answer
lines([(left, body), ...])    any equations, their left sides in LaTeX
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.formula import tex_names
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

_IF, _OR, _AND, _NOT, _COMPARE, _ADD, _RUN, _MULTIPLY, _POWER, _ATOM = range(10, 110, 10)


def answer(tree: Answer) -> str:
    """An answer about max pooling."""
    indices = [tex_names.name(index) for index in tree.indices]
    if tree.target == "dx":
        left = tex_names.message("x", "".join(indices))
    else:
        left = tex_names.message("x", "".join(indices[2:]), "f", "".join(indices[:2]))
    return lines([*map(definition, tree.definitions), (left, tree.body)])


def definition(one: Definition) -> tuple[str, Node]:
    """The left side in LaTeX, and the body."""
    nodes = tuple(map(Name, one.parameters))
    if len(one.names) > 1:
        names = (node(Cell(name, nodes) if nodes else Name(name)) for name in one.names)
        return f"({', '.join(names)})", one.body
    return node(Cell(one.names[0], nodes) if nodes else Name(one.names[0])), one.body


def lines(equations: Iterable[tuple[str, Node]]) -> str:
    """One equation a row, aligned where there are several."""
    rows = [(left, node(body)) for left, body in equations]
    if len(rows) == 1:
        return f"{rows[0][0]} = {rows[0][1]}"
    inside = r" \\ ".join(f"{left} &= {body}" for left, body in rows)
    return rf"\begin{{aligned}} {inside} \end{{aligned}}"


def node(tree: Node, level: int = 0) -> str:
    """LaTeX that may stand where binding at least `level` is needed."""
    own, written = _written(tree)
    return rf"\left({written}\right)" if own < level else written


def _list(nodes: tuple[Node, ...]) -> str:
    return ", ".join(map(node, nodes))


def _indices(nodes: tuple[Node, ...]) -> str:
    return tex_names.together([node(n) for n in nodes], nodes)


def _written(tree: Node) -> tuple[int, str]:
    match tree:
        case Number(value):
            return _number(value)
        case Name(name):
            return _ATOM, tex_names.cell(Cell(name, ()), "")
        case Cell(_, indices):
            return _ATOM, tex_names.cell(tree, _indices(indices))
        case Apply(function, arguments):
            return _applied(function, arguments)
        case Indicator(condition):
            return _ATOM, rf"\left[{node(condition)}\right]"
        case Pair(items):
            return _ATOM, rf"({_list(items)})"
        case Window(indices):
            return _ATOM, rf"\Omega({_list(indices)})"
        case Windows(indices):
            return _ATOM, rf"\mathrm{{windows}}({_list(indices)})"
        case Range(start, stop):
            return _ATOM, rf"\{{{node(start)}, \dots, {_last(stop)}\}}"
        case Over(kind, region):
            return _RUN, _over(kind, region)
        case Reduce():
            return _RUN, _reduce(tree)
        case _:
            return _operator(tree)


def _operator(tree: Node) -> tuple[int, str]:
    match tree:
        case Arithmetic("^", left, right):
            base = node(left, _ATOM)
            if isinstance(left, Apply) and left.function not in tex_names.AROUND:
                base = rf"\left({base}\right)"  # f(x)^2 could be two things
            return _POWER, f"{base}^{{{node(right)}}}"
        case Arithmetic("/", left, right):
            return _MULTIPLY, rf"\frac{{{node(left)}}}{{{node(right)}}}"
        case Arithmetic("//", left, right):
            quotient = rf"\frac{{{node(left)}}}{{{node(right)}}}"
            return _ATOM, rf"\left\lfloor {quotient} \right\rfloor"
        case Arithmetic("%", left, right):
            return _MULTIPLY, rf"{node(left, _MULTIPLY)} \bmod {node(right, _POWER)}"
        case Arithmetic("*", left, right):
            # A sum may stand last without brackets, if nothing follows that it could swallow.
            open_, last = (_RUN, _RUN) if isinstance(right, Reduce) else (_MULTIPLY, _POWER)
            return open_, rf"{node(left, _MULTIPLY)} \cdot {node(right, last)}"
        case Arithmetic(op, left, right):
            return _ADD, f"{node(left, _ADD)} {op} {node(right, _RUN)}"
        case Negative(operand):
            return _RUN, f"-{node(operand, _MULTIPLY if _is_product(operand) else _RUN)}"
        case Comparison((sign,), (Reduce("count", test) as count, Number(0.0))) if sign == ">" or (
            sign == "==" and isinstance(test, Not)
        ):
            return _COMPARE, _quantified(count, sign)
        case Comparison(ops, operands):
            parts = [node(operands[0], _ADD)]
            for op, operand in zip(ops, operands[1:], strict=True):
                parts += [tex_names.SIGNS[op], node(operand, _ADD)]
            return _COMPARE, " ".join(parts)
        case Logic(op, operands):
            own = _AND if op == "and" else _OR
            return own, rf" \text{{ {op} }} ".join(node(operand, own + 1) for operand in operands)
        case Not(operand):
            return _NOT, rf"\neg {node(operand, _ATOM)}"
        case Choice():
            return _IF, _cases(tree)
    raise AssertionError(tree)


def _is_product(tree: Node) -> bool:
    return isinstance(tree, Arithmetic) and tree.op in ("*", "/")


def _cases(tree: Choice) -> str:
    rows: list[str] = []
    rest: Node = tree
    while isinstance(rest, Choice):
        rows.append(rf"{node(rest.then)} & \text{{if }} {node(rest.condition)}")
        rest = rest.otherwise
    rows.append(rf"{node(rest)} & \text{{otherwise}}")
    inside = r" \\ ".join(rows)
    return rf"\begin{{cases}} {inside} \end{{cases}}"


def _number(value: float) -> tuple[int, str]:
    if value.is_integer() and value < 1e15:
        return _ATOM, str(int(value))
    mantissa, _, exponent = repr(value).partition("e")
    if not exponent:
        return _ATOM, mantissa
    power = f"10^{{{int(exponent)}}}"
    if float(mantissa) == 1:
        return _POWER, power
    return _MULTIPLY, rf"{mantissa.removesuffix('.0')} \cdot {power}"


def _applied(function: str, arguments: tuple[Node, ...]) -> tuple[int, str]:
    if function in tex_names.AROUND:
        opens, closes = tex_names.AROUND[function]
        return _ATOM, f"{opens}{_list(arguments)}{closes}"
    if function == "kron":
        return _ATOM, rf"\left[{' = '.join(node(a, _ADD) for a in arguments)}\right]"
    if function == "sigmoid":
        written = r"\sigma"
    elif function in tex_names.KNOWN:
        written = f"\\{function}"
    elif len(function) > 1 and function.isalpha():
        written = rf"\operatorname{{{function}}}"
    else:
        written = tex_names.name(function)
    return _ATOM, rf"{written}\left({_list(arguments)}\right)"


def _running(kind: str) -> str:
    return tex_names.RUNNING.get(kind, rf"\operatorname*{{{kind}}}")


def _over(kind: str, region: Node) -> str:
    if isinstance(region, Window) and kind in ("argmax", "argmin", "max", "min"):
        # On one row, as it is typed.
        return f"{_running(kind)} {node(region)}"
    if isinstance(region, Window | Windows):
        return f"{_running(kind)}_{{{node(region)}}} x"
    return f"{_running(kind)} {node(region)}"


def _reduce(tree: Reduce) -> str:
    below = ", ".join(map(_binder, tree.binders))
    if tree.kind == "count":
        condition = f" : {node(tree.body)}"
        if tree.condition is not None:
            condition += rf" \text{{ and }} {node(tree.condition)}"
        return rf"\left|\left\{{ {below}{condition} \right\}}\right|"
    if tree.condition is not None:
        # The indices are one coordinate where the condition asks where it lies.
        below += f" : {node(tree.condition)}"
    above = ""
    if tree.condition is None and len(tree.binders) == 1:
        binder = tree.binders[0]
        if isinstance(binder.domain, Range) and len(binder.names) == 1:
            below = f"{tex_names.name(binder.names[0])} = {node(binder.domain.start)}"
            above = f"^{{{_last(binder.domain.stop)}}}"
    return f"{_running(tree.kind)}_{{{below}}}{above} {node(tree.body, _RUN)}"


def _quantified(count: Reduce, sign: str) -> str:
    """C ∀ (p,q) ∈ Ω(k,l) where C fails for none, ∃ (p,q) ∈ Ω(k,l) : C where it holds for one."""
    below = ", ".join(map(_binder, count.binders))
    if count.condition is not None:
        below += rf",\ {node(count.condition, _COMPARE)}"
    if sign == ">":
        return rf"\exists\, {below} : {node(count.body, _OR)}"
    assert isinstance(count.body, Not)
    return rf"{node(count.body.operand, _OR)} \ \forall\, {below}"


def _binder(binder: Binder) -> str:
    names = ",".join(map(tex_names.name, binder.names))
    if binder.domain is None:
        return names
    if len(binder.names) > 1:
        names = f"({names})"
    return rf"{names} \in {node(binder.domain)}"


def _last(stop: Node) -> str:
    """The last integer of a range, which ends before `stop`."""
    match stop:
        case Arithmetic("+", before, Number(1.0)):
            return node(before)
        case Number(value):
            return node(Number(value - 1)) if value >= 1 else f"{node(stop)} - 1"
    return f"{node(stop, _ADD)} - 1"
