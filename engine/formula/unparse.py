"""A tree in our notation and in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from engine.formula import tree as t

# -- The tree in our notation, with no more brackets than it needs: read(echo) is the same tree.


#: How tightly things bind, in our notation and in LaTeX; sums that run over indices, in LaTeX.
_IF, _OR, _AND, _NOT, _COMPARE, _ADD, _RUN, _MULTIPLY, _POWER, _ATOM = range(10, 110, 10)
_LEVEL: Final = {"+": _ADD, "-": _ADD, "^": _POWER}
_ALONE: Final = {"argmax", "argmin"}


def unparse(node: t.Node, level: int = 0) -> str:
    """`node` written so that it may stand where binding at least `level` is needed."""
    own, written = _written(node)
    return f"({written})" if own < level else written


def _list(nodes: tuple[t.Node, ...]) -> str:
    return ",".join(unparse(node) for node in nodes)


def _written(node: t.Node) -> tuple[int, str]:
    match node:
        case t.Number(value):
            return _ATOM, _number(value)
        case t.Name(name):
            return _ATOM, name
        case t.Cell(array, indices):
            return _ATOM, f"{array}[{_list(indices)}]"
        case t.Apply("∂", (t.Apply("∂", (t.Name() | t.Cell() as above, first)), second)):
            behind = "^2" if first == second else f" d{unparse(second)}"
            return _MULTIPLY, f"d^2{unparse(above)}/d{unparse(first)}{behind}"
        case t.Apply("∂", (above, below)):
            plain = isinstance(above, t.Name | t.Cell)
            over = unparse(above) if plain else f"({unparse(above)})"
            return _MULTIPLY, f"d{over}/d{unparse(below)}"
        case t.Apply("entry", (part, *indices)):
            return _ATOM, f"{unparse(part, _ATOM)}[{_list(tuple(indices))}]"
        case t.Apply(function, arguments):
            return _ATOM, f"{function.lstrip('~')}({', '.join(map(unparse, arguments))})"
        case t.Indicator(condition):
            return _ATOM, f"[{unparse(condition)}]"
        case t.Pair(items):
            return _ATOM, f"({_list(items)})"
        case t.Window(indices):
            return _ATOM, f"Omega({_list(indices)})"
        case t.Windows(indices):
            return _ATOM, f"windows({_list(indices)})"
        case t.Range(t.Number(0.0), stop):
            return _ATOM, f"range({unparse(stop)})"
        case t.Range(start, stop):
            return _ATOM, f"range({unparse(start)}, {unparse(stop)})"
        case t.Over(kind, region):
            return _ATOM, _over(kind, region)
        case t.Reduce():
            return _ATOM, _reduce(node)
        case _:
            return _operator(node)


def _operator(node: t.Node) -> tuple[int, str]:
    match node:
        case t.Arithmetic("^", t.Cell("delta") as left, t.Cell() | t.Name() as right):
            # Without brackets, delta[k,l]^x would be the message at x.
            return _POWER, f"{unparse(left, _ATOM)}^({unparse(right)})"
        case t.Arithmetic("^", left, right):
            return _POWER, f"{unparse(left, _ATOM)}^{unparse(right, _POWER)}"
        case t.Arithmetic(op, left, right):
            own = _LEVEL.get(op, _MULTIPLY)
            sign = op if op == "/" else f" {op} "
            return own, f"{unparse(left, own)}{sign}{unparse(right, own + 1)}"
        case t.Negative(operand):
            # Binds like a product's first factor: (-a) * b is written -a * b only unbracketed.
            return _MULTIPLY, f"-{unparse(operand, _POWER)}"
        case t.Comparison((_,), (t.Reduce("count"), t.Number(0.0))) if said := _counted(node):
            return _ATOM, said
        case t.Comparison(ops, operands):
            parts = [unparse(operands[0], _ADD)]
            for op, operand in zip(ops, operands[1:], strict=True):
                parts += [op, unparse(operand, _ADD)]
            return _COMPARE, " ".join(parts)
        case t.Logic(op, operands):
            own = _AND if op == "and" else _OR
            return own, f" {op} ".join(unparse(operand, own + 1) for operand in operands)
        case t.Not(operand):
            return _NOT, f"not {unparse(operand, _NOT)}"
        case t.Choice(condition, then, otherwise):
            middle = unparse(condition, _OR)
            return _IF, f"{unparse(then, _OR)} if {middle} else {unparse(otherwise, _IF)}"
    raise AssertionError(node)


def _counted(node: t.Comparison) -> str:
    """all(C for ...) where no C fails, any(C for ...) where one holds; "" of another count."""
    count = node.operands[0]
    assert isinstance(count, t.Reduce)
    if node.ops == (">",):
        return _reduce(count, "any", count.body)
    if node.ops == ("==",) and isinstance(count.body, t.Not):
        return _reduce(count, "all", count.body.operand)
    return ""


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() and value < 1e15 else repr(value)


def _over(kind: str, region: t.Node) -> str:
    if isinstance(region, t.Window) and kind in _ALONE:
        return f"{kind}({_list(region.indices)})"
    if isinstance(region, t.Window):
        return f"{kind}(window({_list(region.indices)}))"
    return f"{kind}({unparse(region)})"


def _reduce(node: t.Reduce, kind: str = "", body: t.Node | None = None) -> str:
    clauses = " for ".join(map(_binder, node.binders))
    condition = f" if {unparse(node.condition, _OR)}" if node.condition is not None else ""
    return f"{kind or node.kind}({unparse(body or node.body)} for {clauses}{condition})"


def _binder(binder: t.Binder) -> str:
    names = ",".join(binder.names)
    return names if binder.domain is None else f"{names} in {unparse(binder.domain, _OR)}"


# -- Names as print has them: delta is \delta, kh is k_h, i* is i^*.


_GREEK: Final = frozenset(
    (
        *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"),
        *("lambda", "mu", "nu", "xi", "pi", "rho", "sigma", "tau", "phi", "chi", "psi", "omega"),
        *("Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Phi", "Psi", "Omega"),
    )
)
#: Two letters of which the second is an index: kernel, stride, padding and size by axis.
_AXES: Final = frozenset(("kh", "kw", "sh", "sw", "ph", "pw", "Ho", "Wo"))
_NAME: Final = re.compile(
    r"(?P<stem>[^_'*′0-9]+)(?P<digits>[0-9]*)(?P<under>_[^'*′]+)?(?P<marks>.*)"
)
#: Comparisons; functions written as they are; brackets; what runs over indices.
SIGNS: Final = {
    "=": "=",
    "==": "=",
    "!=": r"\ne ",
    "<": "<",
    "<=": r"\le ",
    ">": ">",
    ">=": r"\ge ",
    "in": r"\in ",
    "not in": r"\notin ",
}
KNOWN: Final = ("exp", "log", "tanh", "sin", "cos", "max", "min")
AROUND: Final = {
    "abs": (r"\left|", r"\right|"),
    "floor": (r"\left\lfloor ", r"\right\rfloor "),
    "ceil": (r"\left\lceil ", r"\right\rceil "),
    "sqrt": (r"\sqrt{", "}"),
}
_LETTERS: Final = {"gamma": r"\Gamma", "digamma": r"\psi", "beta": r"\mathrm{B}"}
RUNNING: Final = {
    "sum": r"\sum",
    "prod": r"\prod",
    "max": r"\max",
    "min": r"\min",
    "argmax": r"\arg\max",
    "argmin": r"\arg\min",
    "det": r"\det",
    "logdet": r"\log\det",
}


def tex_name(text: str, indices: str = "") -> str:
    """A name with its indices, which are TeX already."""
    found = _NAME.fullmatch(text)
    if found is None:
        return _word(text) + _below(indices)
    stem, digits, marks = found["stem"], found["digits"], found["marks"].replace("′", "'")
    under = (found["under"] or "")[1:]
    if stem in _AXES and not (digits or under):
        stem, under = stem[0], stem[1:]
    star = "^*" * marks.count("*")
    inside = ",".join(part for part in (digits + _word(under), indices) if part)
    written = _word(stem) + "'" * marks.count("'") + star + _below(inside)
    # A letter may follow: \delta x.
    return written + " " if written.startswith("\\") and written[1:].isalpha() else written


def tex_derivative(array: str, indices: str, of: str = "L", upper: str = "") -> str:
    """The derivative of `of`, at indices `upper`, by an array at `indices`."""
    above, below = tex_name(of, upper), tex_name(array, indices)
    return rf"\frac{{\partial {above}}}{{\partial {below}}}"


def tex_cell(node: t.Cell, indices: str) -> str:
    """x[i,j]; a learner's own dL/ds[k] and dy[k]/ds[k], which are named ds and dy/ds."""
    above, slash, below = node.array.partition("/")
    if slash:
        # Which of the indices are whose is not written in the name: all stand outside.
        upper, lower = tex_name(above[1:]), tex_name(below[1:])
        fraction = rf"\frac{{\partial {upper}}}{{\partial {lower}}}"
        return rf"\left({fraction}\right){_below(indices)}"
    if len(above) > 1 and above[0] == "d" and above != "delta":
        return tex_derivative(above[1:], indices)
    return tex_name(above, indices)


def indices_together(parts: list[str], nodes: tuple[t.Node, ...]) -> str:
    """Indices in a row: ij where each is one letter, else with commas."""
    short = all(isinstance(n, t.Name) and len(n.name.rstrip("*'")) == 1 for n in nodes)
    # "i^*j^*" stands apart by its stars.
    return "".join(parts) if short else ",".join(parts)


def _below(indices: str) -> str:
    return f"_{{{indices}}}" if indices else ""


def _word(text: str) -> str:
    if not text:
        return ""
    if text in _GREEK:
        return f"\\{text}"
    if len(text) == 1 or not text.isidentifier():
        return text
    return rf"\mathrm{{{text.replace('_', ' ')}}}"


# -- The tree as LaTeX, to be typeset beside what was typed: "dx[i,j] = ..." as print has it.
# tex_lines([(left, body), ...]): equations with their left sides in LaTeX


def tex_definition(one: t.Definition) -> tuple[str, t.Node]:
    """The left side in LaTeX, and the body."""
    nodes = tuple(map(t.Name, one.parameters))
    names = [tex(t.Cell(name, nodes) if nodes else t.Name(name)) for name in one.names]
    return (f"({', '.join(names)})" if len(names) > 1 else names[0]), one.body


def tex_lines(equations: Iterable[tuple[str, t.Node]]) -> str:
    """One equation a row, aligned where there are several."""
    rows = [(left, tex(body)) for left, body in equations]
    if len(rows) == 1:
        return f"{rows[0][0]} = {rows[0][1]}"
    inside = r" \\ ".join(f"{left} &= {body}" for left, body in rows)
    return rf"\begin{{aligned}} {inside} \end{{aligned}}"


def tex(tree: t.Node, level: int = 0) -> str:
    """LaTeX that may stand where binding at least `level` is needed."""
    own, written = _tex_written(tree)
    return rf"\left({written}\right)" if own < level else written


def _tex_list(nodes: tuple[t.Node, ...]) -> str:
    return ", ".join(map(tex, nodes))


def _tex_written(tree: t.Node) -> tuple[int, str]:
    match tree:
        case t.Number(value):
            return _tex_number(value)
        case t.Name(name):
            return _ATOM, tex_cell(t.Cell(name, ()), "")
        case t.Cell(_, indices):
            return _ATOM, tex_cell(tree, indices_together([*map(tex, indices)], indices))
        case t.Apply("entry", (t.Reduce("inv") as matrix, *indices)):
            return _ATOM, _tex_inverse(matrix, tuple(indices))
        case t.Apply(function, arguments):
            return _applied(function, arguments)
        case t.Indicator(condition):
            return _ATOM, rf"\left[{tex(condition)}\right]"
        case t.Pair(items):
            return _ATOM, rf"({_tex_list(items)})"
        case t.Window(indices):
            return _ATOM, rf"\Omega({_tex_list(indices)})"
        case t.Windows(indices):
            return _ATOM, rf"\mathrm{{windows}}({_tex_list(indices)})"
        case t.Range(start, stop):
            return _ATOM, rf"\{{{tex(start)}, \dots, {_last(stop)}\}}"
        case t.Over(kind, region):
            return _RUN, _tex_over(kind, region)
        case t.Reduce():
            return _RUN, _tex_reduce(tree)
        case _:
            return _tex_operator(tree)


def _tex_operator(tree: t.Node) -> tuple[int, str]:
    match tree:
        case t.Arithmetic("^", left, right):
            base = tex(left, _ATOM)
            if isinstance(left, t.Apply) and left.function not in AROUND:
                base = rf"\left({base}\right)"  # f(x)^2 could be two things
            return _POWER, f"{base}^{{{tex(right)}}}"
        case t.Arithmetic("/", left, right):
            return _MULTIPLY, rf"\frac{{{tex(left)}}}{{{tex(right)}}}"
        case t.Arithmetic("//", left, right):
            quotient = rf"\frac{{{tex(left)}}}{{{tex(right)}}}"
            return _ATOM, rf"\left\lfloor {quotient} \right\rfloor"
        case t.Arithmetic("%", left, right):
            return _MULTIPLY, rf"{tex(left, _MULTIPLY)} \bmod {tex(right, _POWER)}"
        case t.Arithmetic("*", left, right):
            # A sum may stand last without brackets, if nothing follows that it could swallow.
            open_, last = (_RUN, _RUN) if isinstance(right, t.Reduce) else (_MULTIPLY, _POWER)
            return open_, rf"{tex(left, _MULTIPLY)} \cdot {tex(right, last)}"
        case t.Arithmetic(op, left, right):
            return _ADD, f"{tex(left, _ADD)} {op} {tex(right, _RUN)}"
        case t.Negative(operand):
            product = isinstance(operand, t.Arithmetic) and operand.op in ("*", "/")
            return _RUN, f"-{tex(operand, _MULTIPLY if product else _RUN)}"
        case t.Comparison((sign,), (t.Reduce("count", test) as count, t.Number(0.0))) if (
            sign == ">" or (sign == "==" and isinstance(test, t.Not))
        ):
            return _COMPARE, _quantified(count, sign)
        case t.Comparison(ops, operands):
            parts = [tex(operands[0], _ADD)]
            for op, operand in zip(ops, operands[1:], strict=True):
                parts += [SIGNS[op], tex(operand, _ADD)]
            return _COMPARE, " ".join(parts)
        case t.Logic(op, operands):
            own = _AND if op == "and" else _OR
            return own, rf" \text{{ {op} }} ".join(tex(operand, own + 1) for operand in operands)
        case t.Not(operand):
            return _NOT, rf"\neg {tex(operand, _ATOM)}"
        case t.Choice():
            return _IF, _cases(tree)
    raise AssertionError(tree)


def _cases(tree: t.Choice) -> str:
    rows: list[str] = []
    rest: t.Node = tree
    while isinstance(rest, t.Choice):
        rows.append(rf"{tex(rest.then)} & \text{{if }} {tex(rest.condition)}")
        rest = rest.otherwise
    rows.append(rf"{tex(rest)} & \text{{otherwise}}")
    inside = r" \\ ".join(rows)
    return rf"\begin{{cases}} {inside} \end{{cases}}"


def _tex_number(value: float) -> tuple[int, str]:
    if value.is_integer() and value < 1e15:
        return _ATOM, str(int(value))
    mantissa, _, exponent = repr(value).partition("e")
    if not exponent:
        return _ATOM, mantissa
    power = f"10^{{{int(exponent)}}}"
    if float(mantissa) == 1:
        return _POWER, power
    return _MULTIPLY, rf"{mantissa.removesuffix('.0')} \cdot {power}"


def _applied(function: str, arguments: tuple[t.Node, ...]) -> tuple[int, str]:
    if function == "∂":
        above, below = arguments
        match above:
            case t.Apply("∂", (t.Name() | t.Cell() as inner, first)):
                behind = "^2" if first == below else rf" \partial {tex(below)}"
                under = rf"\partial {tex(first)}{behind}"
                return _ATOM, rf"\frac{{\partial^2 {tex(inner)}}}{{{under}}}"
        if isinstance(above, t.Name | t.Cell):
            return _ATOM, rf"\frac{{\partial {tex(above)}}}{{\partial {tex(below)}}}"
        return _MULTIPLY, rf"\frac{{\partial}}{{\partial {tex(below)}}} {tex(above, _ATOM)}"
    if function in AROUND:
        opens, closes = AROUND[function]
        return _ATOM, f"{opens}{_tex_list(arguments)}{closes}"
    if function == "kron":
        return _ATOM, rf"\left[{' = '.join(tex(a, _ADD) for a in arguments)}\right]"
    if function == "factorial":
        return _POWER, f"{tex(arguments[0], _ATOM)}!"
    if function == "binom":
        n, k = map(tex, arguments)
        return _ATOM, rf"\binom{{{n}}}{{{k}}}"
    if function == "normal":
        x, *rest = arguments
        return _ATOM, rf"\mathcal{{N}}\left({tex(x)} \mid {_tex_list((*rest,))}\right)"
    if function in _LETTERS:
        written = _LETTERS[function]
    elif function == "sigmoid":
        written = r"\sigma"
    elif function in KNOWN:
        written = f"\\{function}"
    elif len(function) > 1 and function.isalpha():
        written = rf"\operatorname{{{function}}}"
    else:
        written = tex_name(function)
    return _ATOM, rf"{written}\left({_tex_list(arguments)}\right)"


def _running(kind: str) -> str:
    return RUNNING.get(kind, rf"\operatorname*{{{kind}}}")


def _tex_over(kind: str, region: t.Node) -> str:
    if isinstance(region, t.Window) and kind in ("argmax", "argmin", "max", "min"):
        # On one row, as it is typed.
        return f"{_running(kind)} {tex(region)}"
    if isinstance(region, t.Window | t.Windows):
        return f"{_running(kind)}_{{{tex(region)}}} x"
    return f"{_running(kind)} {tex(region)}"


def _tex_reduce(tree: t.Reduce) -> str:
    below = ", ".join(map(_tex_binder, tree.binders))
    if tree.kind == "count":
        condition = f" : {tex(tree.body)}"
        if tree.condition is not None:
            condition += rf" \text{{ and }} {tex(tree.condition)}"
        return rf"\left|\left\{{ {below}{condition} \right\}}\right|"
    if tree.condition is not None:
        # The indices are one coordinate where the condition asks where it lies.
        below += f" : {tex(tree.condition)}"
    above = ""
    if tree.condition is None and len(tree.binders) == 1:
        binder = tree.binders[0]
        if isinstance(binder.domain, t.Range) and len(binder.names) == 1:
            below = f"{tex_name(binder.names[0])} = {tex(binder.domain.start)}"
            above = f"^{{{_last(binder.domain.stop)}}}"
    return f"{_running(tree.kind)}_{{{below}}}{above} {tex(tree.body, _RUN)}"


def _tex_inverse(matrix: t.Reduce, indices: tuple[t.Node, ...]) -> str:
    """An entry of the inverse of a matrix that is told by its own entries."""
    below = ",".join(map(_tex_binder, matrix.binders))
    at = indices_together([*map(tex, indices)], indices)
    return rf"\left(\left[{tex(matrix.body)}\right]_{{{below}}}^{{-1}}\right){_below(at)}"


def _quantified(count: t.Reduce, sign: str) -> str:
    """C ∀ (p,q) ∈ Ω(k,l) where C fails for none, ∃ (p,q) ∈ Ω(k,l) : C where it holds for one."""
    below = ", ".join(map(_tex_binder, count.binders))
    if count.condition is not None:
        below += rf",\ {tex(count.condition, _COMPARE)}"
    if sign == ">":
        return rf"\exists\, {below} : {tex(count.body, _OR)}"
    assert isinstance(count.body, t.Not)
    return rf"{tex(count.body.operand, _OR)} \ \forall\, {below}"


def _tex_binder(binder: t.Binder) -> str:
    names = ",".join(map(tex_name, binder.names))
    if binder.domain is None:
        return names
    if len(binder.names) > 1:
        names = f"({names})"
    return rf"{names} \in {tex(binder.domain)}"


def _last(stop: t.Node) -> str:
    """The last integer of a range, which ends before `stop`."""
    match stop:
        case t.Arithmetic("+", before, t.Number(1.0)):
            return tex(before)
        case t.Number(value):
            return tex(t.Number(value - 1)) if value >= 1 else f"{tex(stop)} - 1"
    return f"{tex(stop, _ADD)} - 1"
