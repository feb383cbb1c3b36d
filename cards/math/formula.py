"""What reading a formula gives: its tree, what could not be read, and what it defines itself."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from cards.math.tree import Row, Span


class MathProblem(NamedTuple):
    """What could not be read, and where."""

    message: str
    """A sentence."""
    hint: str
    span: Span


class Macro(NamedTuple):
    r"""What a command stands for, as \newcommand{\name}[arity][default]{body} defines it."""

    arity: int
    """How many arguments it takes, an optional one among them."""
    body: tuple[str, ...]
    """Tokens of LaTeX, in which "#1" to "#9" are the arguments."""
    default: tuple[str, ...] | None = None
    """Of the first argument, where that is optional."""


_NO_MACROS: Mapping[str, Macro] = MappingProxyType({})


class Formula(NamedTuple):
    source: str
    body: Row
    problems: tuple[MathProblem, ...] = ()
    """Empty for a formula that was read whole.  What could be read is in `body` all the same."""
    macros: Mapping[str, Macro] = _NO_MACROS
    r"""What the formula itself defines, `\newcommand` and its like, by name; `parse` takes it for
    the next formula: `parse(tex, {**table, **formula.macros})`."""
    made: int = 0
    """Tokens that macros made, calls included: how much more work it is than its length says."""
