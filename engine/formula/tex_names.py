r"""Names as print has them: delta is \delta, kh is k_h, i* is i^*."""

from __future__ import annotations

import re
from typing import Final

from engine.formula.tree import Cell, Name, Node

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
RUNNING: Final = {
    "sum": r"\sum",
    "prod": r"\prod",
    "max": r"\max",
    "min": r"\min",
    "argmax": r"\arg\max",
    "argmin": r"\arg\min",
}


def name(text: str, indices: str = "") -> str:
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


def message(array: str, indices: str, of: str = "L", upper: str = "") -> str:
    """The derivative of `of`, at indices `upper`, by an array at `indices`."""
    return rf"\frac{{\partial {name(of, upper)}}}{{\partial {name(array, indices)}}}"


def cell(node: Cell, indices: str) -> str:
    """x[i,j]; a learner's own dL/ds[k] and dy[k]/ds[k], which are named ds and dy/ds."""
    above, slash, below = node.array.partition("/")
    if slash:
        # Which of the indices are whose is not written in the name: all stand outside.
        fraction = rf"\frac{{\partial {name(above[1:])}}}{{\partial {name(below[1:])}}}"
        return rf"\left({fraction}\right){_below(indices)}"
    if len(above) > 1 and above[0] == "d" and above != "delta":
        return message(above[1:], indices)
    return name(above, indices)


def together(parts: list[str], nodes: tuple[Node, ...]) -> str:
    """Indices in a row: ij where each is one letter, else with commas."""
    short = all(isinstance(n, Name) and len(n.name.rstrip("*'")) == 1 for n in nodes)
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
