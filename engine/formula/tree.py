"""The tree of a formula, the declared names, and how nodes are built; elsewhere imported as `t`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

# -- What an answer is, once read.  Places are kept beside the meaning: equality ignores them.


#: Of which array an index counts, and along which of its two axes.
Role: TypeAlias = tuple[Literal["input", "output"], int]
#: Where the sides of each chain a = b = c begin; the last is that of the answer, () for none.
Chains: TypeAlias = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Number:
    value: float
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Name:
    """An index, a scalar, a definition without parameters, or a whole array."""

    name: str
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Cell:
    """x[i,j], delta[k,l], f[k,l], J[k,l,i,j], or a definition with parameters."""

    array: str
    indices: tuple[Node, ...]
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Apply:
    """A function of numbers: abs, exp, ..., and min or max of several."""

    function: str
    arguments: tuple[Node, ...]
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Arithmetic:
    op: str
    left: Node
    right: Node
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Negative:
    operand: Node
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A chain: operands[0] ops[0] operands[1] ops[1] ...; "in" and "not in" among the ops."""

    ops: tuple[str, ...]
    operands: tuple[Node, ...]
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Logic:
    op: Literal["and", "or"]
    operands: tuple[Node, ...]
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Not:
    operand: Node
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Indicator:
    """[condition]: 1 where it holds, 0 elsewhere."""

    condition: Node
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Choice:
    condition: Node
    then: Node
    otherwise: Node
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Pair:
    items: tuple[Node, ...]
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Window:
    """Omega(k,l): the input coordinates of window (k,l)."""

    indices: tuple[Node, ...]
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Windows:
    """windows(i,j): the windows (k,l) with (i,j) in Omega(k,l)."""

    indices: tuple[Node, ...]
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Range:
    """The integers start <= n < stop."""

    start: Node
    stop: Node
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class OwnSet:
    """{(p,q) in Omega(k,l) : C}: a set of one's own.  None is left in a tree that is an answer."""

    names: tuple[str, ...]
    domain: Node | None
    condition: Node | None
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Over:
    """An operator over the inputs of a window, or over a whole array (`region` is its Name)."""

    kind: str
    region: Node
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Binder:
    """Bound indices with their domain; None: all inputs or all outputs, by their use."""

    names: tuple[str, ...]
    domain: Node | None
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Reduce:
    kind: str
    body: Node
    binders: tuple[Binder, ...]
    condition: Node | None
    at: int = field(default=0, compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for binder in self.binders for name in binder.names)


Node: TypeAlias = (
    Number
    | Name
    | Cell
    | Apply
    | Arithmetic
    | Negative
    | Comparison
    | Logic
    | Not
    | Indicator
    | Choice
    | Pair
    | Window
    | Windows
    | Range
    | OwnSet
    | Over
    | Reduce
)


@dataclass(frozen=True, slots=True)
class Definition:
    """m = ..., m[k,l] = ..., or (i*,j*) = ... (then two names and a body that is a pair)."""

    names: tuple[str, ...]
    parameters: tuple[str, ...]
    body: Node
    at: int = field(default=0, compare=False)


def children(node: Node) -> Iterator[Node]:
    """The direct parts of a node, in the order written."""
    match node:
        case Number() | Name():
            return
        case Cell(_, parts) | Apply(_, parts) | Comparison(_, parts) | Logic(_, parts):
            yield from parts
        case Pair(parts) | Window(parts) | Windows(parts):
            yield from parts
        case Arithmetic(_, left, right) | Range(left, right):
            yield from (left, right)
        case Negative(part) | Not(part) | Indicator(part) | Over(_, part):
            yield part
        case Choice(condition, then, otherwise):
            yield from (condition, then, otherwise)
        case OwnSet(_, domain, condition):
            yield from (part for part in (domain, condition) if part is not None)
        case Reduce(_, body, binders, condition):
            yield body
            yield from (binder.domain for binder in binders if binder.domain is not None)
            if condition is not None:
                yield condition


# -- The one error of this language: a sentence, a hint, and the place in the learner's own text.


class FormulaError(ValueError):
    """An answer that cannot be read or evaluated.  `line` and `column` are 1-based.

    `echo` is what was understood, where it was read and is only not what is asked for.
    """

    def __init__(self, message: str, hint: str, line: int, column: int, echo: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.line = line
        self.column = column
        self.echo = echo


class OffsetError(Exception):
    """Inside the language a place is an offset; `located` turns it into line and column."""

    def __init__(self, message: str, hint: str, at: int) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.at = at


class UnknownError(OffsetError):
    """A name that nothing defines."""

    def __init__(self, name: str, hint: str, at: int) -> None:
        super().__init__(f"I do not know '{name}'.", hint, at)
        self.name = name


def located(trouble: OffsetError, text: str) -> FormulaError:
    at = min(trouble.at, len(text))
    line = text.count("\n", 0, at) + 1
    column = at - (text.rfind("\n", 0, at) + 1) + 1
    return FormulaError(trouble.message, trouble.hint, line, column)


# -- The declared names: what stands for what, how many indices it takes, and near misses.


#: Arrays that the exercise gives; each takes two indices.
ARRAYS: Final = ("x", "delta", "f")
SCALARS: Final = ("kh", "kw", "sh", "sw", "ph", "pw", "H", "W", "Ho", "Wo")
#: Operators that run over indices, over a window, or over a whole array.
REDUCERS: Final = ("sum", "max", "min", "argmax", "argmin", "count", "mean", "prod")
#: Functions of numbers with their number of arguments.
FUNCTIONS: Final = {
    "abs": 1,
    "exp": 1,
    "log": 1,
    "sqrt": 1,
    "sign": 1,
    "tanh": 1,
    "relu": 1,
    "floor": 1,
    "ceil": 1,
    "kron": 2,
}
#: Functions of one number that other exercises than max pooling know beside those.
MORE_FUNCTIONS: Final = ("sigmoid", "softplus", "erf", "sin", "cos", "sinh", "cosh", "sech")
#: More functions, which are such only with a bracket behind them where nothing else has the name;
#: each with its number of arguments.
CALLED: Final = {
    **dict.fromkeys(
        ("lgamma", "digamma", "trigamma", "tetragamma", "gamma", "factorial", "logit"), 1
    ),
    **{"beta": 2, "binom": 2, "poisson": 2, "normal": 3, "bernoulli": 2, "exponential": 2},
}
#: What these are called as well.
CALLED_SO: Final = {
    **dict.fromkeys(("gammaln", "loggamma", "lngamma"), "lgamma"),
    **{"Gamma": "gamma", "psi": "digamma", "Beta": "beta"},
    **dict.fromkeys(("comb", "choose", "binomial", "nchoosek"), "binom"),
    **dict.fromkeys(("Normal", "Gaussian", "gaussian", "N"), "normal"),
    **{"Poisson": "poisson", "Bernoulli": "bernoulli", "Exponential": "exponential"},
}
#: Operators of a square matrix, by its entry: det(A[i,j] for i,j).
OF_MATRICES: Final = ("det", "logdet")
#: What is one number of a whole array, each with the number of its indices, 0 for any.
OF_WHOLES: Final = {
    **dict.fromkeys((*OF_MATRICES, "trace", "tr", "Tr"), 2),
    **{"logsumexp": 1, "norm": 0, "norm1": 0, "norminf": 0},
}
#: The derivative of a formula, which a line of a derivation may leave to be worked out.
SLOPE: Final = "∂"
#: Numbers that everyone knows.
NUMBERS: Final = {"e": 2.718281828459045, "pi": 3.141592653589793}
NAMED: Final = (*FUNCTIONS, *MORE_FUNCTIONS, *CALLED, "softmax")
#: Names that take indices: arrays, the two families of sets, and what is asked for.
INDEXED: Final = {"x": 2, "delta": 2, "f": 2, "Omega": 2, "windows": 2, "dx": 2, "J": 4, "df": 2}
LOSSES: Final = ("dL", "dE", "dC", "dl", "dloss")
INDICATORS: Final = ("I", "ind", "indicator", "int", "float", "bool")
INPUT_INDICES: Final = ("i", "j")
OUTPUT_INDICES: Final = ("k", "l")

_SAME: Final = {
    "x": ("X",),
    "f": ("y", "out"),
    "df": ("dy", "dY", "dout", "fbar", "ybar"),
    "delta": (
        *("delta_f", "delta_y", "deltaf", "deltay", "Delta", "dL_df", "dL_dy", "dLdf", "dLdy"),
        *("y_grad", "f_grad", "grad_f", "grad_y"),
    ),
    "dx": (
        *("delta_x", "deltax", "dX", "dL_dx", "dLdx", "grad_x", "gradx", "grad_input"),
        *("delta_in", "x_grad", "in_grad", "input_grad", "d_in", "xbar"),
    ),
    "J": ("Jac", "jac", "Jacobian", "jacobian", "df_dx", "dy_dx"),
    "Omega": ("omega", "window", "Window"),
    "windows": ("Windows",),
    "kh": ("k_h",),
    "kw": ("k_w",),
    "sh": ("s_h",),
    "sw": ("s_w",),
    "ph": ("p_h",),
    "pw": ("p_w",),
    "Ho": ("H_o", "H_out", "Hout"),
    "Wo": ("W_o", "W_out", "Wout"),
    "H": ("H_in", "Hin"),
    "W": ("W_in", "Win"),
    "mean": ("avg", "average"),
    "prod": ("product",),
    "log": ("ln",),
    "sign": ("sgn",),
    "relu": ("ReLU",),
}
#: What courses and libraries call the message from above, as `folded` has it.
UPSTREAM: Final = frozenset(
    (
        *("delta", "deltas", "δ", "dout", "dupstream", "upstream", "g", "d"),
        *("grad", "grads", "gradient", "gradout", "gradoutput", "gradoutputs", "gradupstream"),
        *("outgrad", "outputgrad", "upstreamgrad", "upstreamgradient"),
        *("deltaout", "deltaoutput", "dldout", "dloss"),
    )
)
_ALIASES: Final = {other: name for name, others in _SAME.items() for other in others}
_DECLARED: Final = frozenset(
    (*INDEXED, *SCALARS, *REDUCERS, *FUNCTIONS, *INDICATORS, *LOSSES, "range")
)
#: What docs/answers.md tells of; a misspelt name is compared with these.
_TOLD: Final = (
    *(*ARRAYS, *SCALARS, *REDUCERS, *FUNCTIONS, "Omega", "window", "windows", "range", "dx"),
)
#: Names that a learner may define anew, though they have a meaning already.
REDEFINABLE: Final = ("f", "J", "I")
TAKEN: Final = _DECLARED - frozenset(REDEFINABLE)


def folded(name: str) -> str:
    """A name without case and underscores."""
    return name.replace("_", "").lower()


def canonical(name: str) -> str | None:
    """The declared name that `name` stands for; None where it is not declared."""
    if name in _DECLARED:
        return name
    if name in _ALIASES:
        return _ALIASES[name]
    small = name.lower()
    if small in REDUCERS or small in FUNCTIONS or small == "range":
        return small
    return None


def near(name: str, defined: tuple[str, ...] = ()) -> str | None:
    """The defined name, or the name told in docs/answers.md, that `name` probably misspells."""
    words = {word.lower(): word for word in (*_TOLD, *defined) if len(word) > 2}
    found = difflib.get_close_matches(name.lower(), words, n=1, cutoff=0.75)
    return words[found[0]] if found else None


def unknown_hint(name: str, defined: tuple[str, ...] = ()) -> str:
    guess = near(name, defined)
    if guess is not None:
        return f"did you mean '{guess}'?"
    return (
        "the names are x, delta, f, kh kw sh sw ph pw, H W Ho Wo, Omega, max, argmax, sum, count; "
        "others need a line of their own that defines them"
    )


# -- Nodes in their one canonical form: small functions that the parser puts a tree together with.


_LETTER: Final = re.compile(r"[A-Za-z]'*\*?|\d")
_OPPOSITE: Final = {"==": "!=", "<": ">=", ">": "<=", "in": "not in"}
#: Signs of products: typed `*`, entry by entry, `·`, matrices', of columns, and none.
PRODUCTS: Final = ("*", "⊙", "·", "@", "⊗", " ")


def split_letters(text: str, at: int) -> list[Node]:
    """The indices of a subscript without commas: "ij", "i'j'", "i*j*", "00"."""
    return [
        Number(float(part), at) if part.isdigit() else Name(part, at)
        for part in _LETTER.findall(text)
    ]


def name_of(node: Node) -> str:
    """What a name, or an array with indices, is called; "" of anything else."""
    match node:
        case Name(name) | Cell(name):
            return name
    return ""


def is_condition(node: Node) -> bool:
    return isinstance(node, Comparison | Logic | Not)


def as_number(node: Node) -> Node:
    """A condition where a number stands counts as [condition]."""
    return Indicator(node, node.at) if is_condition(node) else node


def as_condition(node: Node) -> Node:
    """[condition] where a condition stands is just the condition."""
    return node.condition if isinstance(node, Indicator) else node


def make_arithmetic(op: str, left: Node, right: Node, at: int) -> Node:
    return Arithmetic(op, as_number(left), as_number(right), at)


def make_logic(op: str, operands: list[Node], at: int) -> Node:
    flat: list[Node] = []
    for operand in map(as_condition, operands):
        if isinstance(operand, Logic) and operand.op == op:
            flat.extend(operand.operands)
        else:
            flat.append(operand)
    if len(flat) == 1:
        return flat[0]
    return Logic("and" if op == "and" else "or", tuple(flat), at)


def conjunction(tests: Iterable[Node | None]) -> Node | None:
    """All of the tests that there are as one; None where there are none."""
    some = [test for test in tests if test is not None]
    return make_logic("and", some, some[0].at) if some else None


def always(at: int) -> Node:
    """A condition that holds: 1 == 1."""
    return Comparison(("==",), (Number(1.0, at), Number(1.0, at)), at)


def are_opposite(first: Node, second: Node) -> bool:
    """Whether the second condition says exactly that the first does not hold."""
    if second == Not(first) or first == Not(second):
        return True
    if isinstance(first, Comparison) and isinstance(second, Comparison):
        one, two = first.ops, second.ops
        pairs = [*_OPPOSITE.items(), *((b, a) for a, b in _OPPOSITE.items())]
        same = first.operands == second.operands
        return same and len(one) == len(two) == 1 and (one[0], two[0]) in pairs
    return False


def with_indices(name: str, indices: list[Node], at: int, arity: int, hint: str) -> Node:
    """An array, a set or a definition with its indices; checks how many it takes."""
    flat = [one for part in indices for one in (part.items if isinstance(part, Pair) else (part,))]
    if len(flat) == 1 and arity == 2 and isinstance(flat[0], Window | Over | Reduce):
        return Cell(name, (flat[0],), at)
    if len(flat) != arity:
        said = f"{name} takes {arity} {'index' if arity == 1 else 'indices'}, here are {len(flat)}."
        raise OffsetError(said, hint, at)
    parts = tuple(map(as_number, flat))
    if name in ("Omega", "windows"):
        return Window(parts, at) if name == "Omega" else Windows(parts, at)
    return Cell(name, parts, at)


def region_of(node: Node, arrays: Collection[str] = ARRAYS) -> Node | None:
    """The set or the array whose values an operator runs over, where `node` is one."""
    match node:
        case Window() | Windows():
            return node
        case Name(name) if name in arrays:
            return node
        case Cell("x", (Window() as window,)):
            return window
        case Comparison(("in",), (Name("x"), Window() as window)):
            return window
    return None


def indices_and_set(node: Node) -> tuple[tuple[str, ...], Node | None] | None:
    """The indices and the set of (p,q) in Omega(k,l), or (p,q) alone; None of anything else."""
    domain: Node | None = None
    if isinstance(node, Comparison) and node.ops == ("in",):
        node, domain = node.operands
    items = node.items if isinstance(node, Pair) else ()
    names = tuple(item.name for item in items if isinstance(item, Name))
    return (names, domain) if names and len(names) == len(items) else None


def make_over(kind: str, arguments: list[Node], at: int, arrays: Collection[str] = ARRAYS) -> Node:
    """max(window(k,l)), argmax(k,l), max(a, b), ...: an operator with plain arguments."""
    flat = arguments
    if len(arguments) == 1 and isinstance(arguments[0], Pair):
        flat = list(arguments[0].items)
    if len(flat) == 1:
        region = region_of(flat[0], arrays)
        if region is not None:
            return Over(kind, region, at)
    if kind in ("argmax", "argmin") and len(flat) == 2:
        return Over(kind, Window(tuple(map(as_number, flat)), at), at)
    if kind in ("max", "min") and len(flat) >= 2:
        if all(isinstance(part, Name) and part.name in ("k", "l") for part in flat):
            raise OffsetError(
                f"{kind}(k,l) would compare the numbers k and l.",
                f"for the values of window (k,l) write {kind}(window(k,l))",
                at,
            )
        return Apply(kind, tuple(map(as_number, flat)), at)
    raise OffsetError(
        f"{kind}(...) does not say what it runs over.",
        f"write {_example(kind)}",
        at,
    )


def _example(kind: str) -> str:
    if kind in ("argmax", "argmin"):
        return f"{kind}(k,l) for the place in window (k,l)"
    if kind in ("max", "min"):
        return f"{kind}(window(k,l)), or {kind}(x[p,q] for p,q in Omega(k,l))"
    if kind == "count":
        return "count(condition for p,q in Omega(k,l))"
    return f"{kind}(... for m,n)"


def make_negative(operand: Node, at: int) -> Node:
    return Negative(as_number(operand), at)


def make_range(arguments: list[Node], at: int) -> Node:
    if len(arguments) == 1:
        return Range(Number(0.0, at), as_number(arguments[0]), at)
    if len(arguments) == 2:
        return Range(as_number(arguments[0]), as_number(arguments[1]), at)
    raise OffsetError("range takes a stop, or a start and a stop.", "write range(Ho)", at)


# -- An answer that was read and has no meaning, such as W δ for W^T δ: wrong, not unreadable.


class MisfitError(FormulaError):
    """`misconception` names what is wrong, `teaching` says why and what would fit.

    `echo` is the answer in plain notation: there are no numbers to compare.
    """

    def __init__(
        self, misconception: str, teaching: str, trouble: FormulaError, echo: str = ""
    ) -> None:
        super().__init__(trouble.message, trouble.hint, trouble.line, trouble.column, echo)
        self.misconception = misconception
        self.teaching = teaching
