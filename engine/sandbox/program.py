"""Answers that are NumPy statements with no function around them: each part as a function.

    dW = np.einsum('k,j->kj', dout, x)        def backward(dout):
    db = dout                                     dW = np.einsum('k,j->kj', dout, x)
                                                  ...
                                                  return dW

What the statements read and do not set are the function's parameters; the sandbox knows which
values these names mean, or refuses them.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import dedent, indent
from typing import Final

import numpy as np

from engine.exercise import Handed
from engine.formula.tokens import MAX_LENGTH
from engine.formula.tree import UPSTREAM, folded

#: What only a program says: an attribute, a slice or None among indices, an axis, a @ b.
_MARKS: Final = re.compile(r"[\w)\]]\.[A-Za-z]|\[[^\]]*(?::|\bNone\b)|\baxis *=|@|[-+*/]=(?!=)")
#: dy/dx = ..., which no program can assign to.
_QUOTIENT: Final = re.compile(r"^[ \t]*[d∂](\w+) */ *[d∂](\w+) *=(?!=)", re.MULTILINE)
#: What names a message: dW, grad_W, delta_W, dL_dW.
_MESSAGE: Final = re.compile(r"(?:delta_?|grad_?|dL_?d_?|d)(\w+)")


#: What the number of all entries is called.
_COUNTS: Final = ("N", "n", "m", "M", "B", "D")


@dataclass(frozen=True, slots=True)
class ProgramPart:
    """The function that gives one of the results of a program."""

    key: str
    """What it is the answer to, "dW"; "" where its shape is to tell."""
    source: str


def program(text: str) -> list[ast.stmt] | None:
    """The statements of a program; None of any other text."""
    if len(text) > MAX_LENGTH or not _MARKS.search(text):
        return None
    text = _QUOTIENT.sub(r"d\2 =", dedent(text).strip())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    *lines, last = found or [ast.Pass()]
    simple = all(isinstance(line, ast.Assign | ast.AugAssign) for line in lines)
    return found if simple and isinstance(last, ast.Assign | ast.AugAssign | ast.Expr) else None


def parts(statements: list[ast.stmt], handed: Handed) -> list[ProgramPart]:
    """A function for each message that the statements give, or else for their last value.

    [] where they read a name that nobody knows.
    """
    keys = {str(getattr(one, "key", one)) for one in handed.targets}
    rows = [_row(one, handed) for one in statements]
    named = [(key, name) for one in statements for name in _set(one) if (key := _key(name, handed))]
    given = {key: name for key, name in named if key in keys}
    if not given:
        given = {"": ([*_set(statements[-1])] or ["_"])[0]}
    read = dict.fromkeys(_read(statements, handed))
    counts = [name for name in read if name in _COUNTS]
    if counts and (length := _length(handed)):
        rows = [*(f"{name} = {length}" for name in counts), *rows]
        read = dict.fromkeys(name for name in read if name not in counts)
    if not all(_known(name, handed) for name in read):
        return []
    head = f"def backward({', '.join(read)}):\n"
    body = indent("\n".join(rows), "    ")
    return [ProgramPart(key, f"{head}{body}\n    return {name}") for key, name in given.items()]


def _key(name: str, handed: Handed) -> str:
    """dW of grad_W, by the exercise's own name of W; "" of a name that is no message."""
    found = _MESSAGE.fullmatch(name)
    return f"d{handed.aliases.get(found[1], found[1])}" if found else ""


def _length(handed: Handed) -> str:
    """How many entries there are, where all arrays are vectors of one length; else ""."""
    vectors = {name: array.shape[1:] for name, array in handed.arrays.items() if array.ndim > 1}
    one = len({*vectors.values()}) == 1 and all(len(shape) == 1 for shape in vectors.values())
    return f"len({next(iter(vectors))})" if one else ""


def _known(name: str, handed: Handed) -> bool:
    """Whether a name is plainly the message from above, or print's of an array."""
    about = _MESSAGE.fullmatch(name)
    of_output = about is not None and about[1].lower() == handed.output.lower()
    return folded(name) in UPSTREAM or of_output or name in handed.aliases


def _set(line: ast.stmt) -> Iterator[str]:
    """The names that a statement sets."""
    for target in _targets(line):
        for node in ast.walk(target):
            if isinstance(node, ast.Name) and not isinstance(target, ast.Subscript):
                yield node.id
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            yield target.value.id


def _targets(line: ast.stmt) -> list[ast.expr]:
    """What stands before the sign of an assignment."""
    if isinstance(line, ast.AugAssign):
        return [line.target]
    return line.targets if isinstance(line, ast.Assign) else []


def _row(line: ast.stmt, handed: Handed) -> str:
    """A statement as a row of the function; dW[a,b] = ... for all a and b."""
    line = _Library({*handed.arrays}).visit(line)
    if isinstance(line, ast.Expr):
        return f"_ = {ast.unparse(line.value)}"
    target = _targets(line)[0]
    letters = _letters(target)
    if not letters or not isinstance(target, ast.Subscript):
        return ast.unparse(line)
    name = ast.unparse(target.value)
    array = _key(name, handed)[1:]
    runs = f"for {', '.join(letters)}{',' * (len(letters) == 1)} in np.ndindex({array}.shape):"
    return f"{name} = np.zeros({array}.shape)\n{runs}\n    {ast.unparse(line)}"


def _letters(target: ast.expr) -> list[str]:
    """a and b of dW[a,b]; [] where the indices are no names."""
    if not isinstance(target, ast.Subscript):
        return []
    inside = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
    names = [one.id for one in inside if isinstance(one, ast.Name)]
    return names if len(names) == len(inside) else []


class _Library(ast.NodeTransformer):
    """sum(...) as np.sum(...): what NumPy has by that name, where nothing else is called so."""

    def __init__(self, own: set[str]) -> None:
        self._own = own

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id not in self._own:
            name = node.func.id
            if callable(getattr(np, name, None)) and name not in ("len", "range"):
                node.func = ast.Attribute(ast.Name("np", ast.Load()), name, ast.Load())
        return node


def _read(statements: list[ast.stmt], handed: Handed) -> Iterator[str]:
    """The names that are read before they are set, but for what everyone knows."""
    known = {"np", "numpy", "len", "range", *handed.scalars, *handed.arrays}
    for line in statements:
        own = {letter for one in _targets(line) for letter in _letters(one)}
        names = (node for node in ast.walk(line) if isinstance(node, ast.Name))
        read = (name.id for name in names if isinstance(name.ctx, ast.Load))
        yield from (name for name in read if name not in (*known, *own, *_set(line)))
        known |= {*_set(line)}
