"""The declared names: what stands for what, how many indices it takes, and near misses."""

from __future__ import annotations

import difflib
from typing import Final

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
#: Numbers that everyone knows.
NUMBERS: Final = {"e": 2.718281828459045, "pi": 3.141592653589793}
NAMED: Final = (*FUNCTIONS, *MORE_FUNCTIONS, "softmax")
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
