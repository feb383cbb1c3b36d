"""The names that a card's own forward message, and an answer to it, may speak of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from engine.formula import kronecker, names
from engine.formula.problem import OffsetError
from engine.formula.subscripts import resolve, subscripts
from engine.formula.tokens import Token
from engine.formula.tree import Definition, Name, Node
from engine.given import aliases, hints, wholes
from engine.given.printed import printed, quotient_follows
from engine.given.upstream import upstream

if TYPE_CHECKING:
    from engine.formula.parser import Parser

FUNCTIONS: Final = names.MORE_FUNCTIONS
NUMBERS: Final = {"e": 2.718281828459045, "pi": 3.141592653589793}
LOSSES: Final = ("L", "E", "C", "l", "loss", "Loss")
_SAME: Final = {"ln": "log", "sgn": "sign", "ReLU": "relu", "sig": "sigmoid", "logistic": "sigmoid"}
_OTHER: Final = {
    **dict.fromkeys(("avg", "average"), "mean"),
    **{"maximum": "max", "minimum": "min"},
}
#: What a derivative by a name is called: dx, grad_x, ...
_FRONTS: Final = ("delta_", "delta", "dL_d", "dLd", "grad_", "grad", "d")


@dataclass(frozen=True)
class Words:
    """`arities` of everything that is given; `output` is what the loss depends on."""

    arities: Mapping[str, int] = field(default_factory=dict)
    arrays: frozenset[str] = frozenset()
    output: str = ""
    """The array whose message comes from above, "" where the loss itself is given."""
    loss: str = ""
    """The name of a loss that is given, "" where it is not."""
    asked: frozenset[str] = frozenset()
    """What the answer must be: "dx", "dy/dx", ..."""
    fixed: frozenset[str] = frozenset()
    """Inputs and constants: an answer cannot define them anew."""
    letters: frozenset[str] = frozenset()
    """The index letters of the forward message."""
    places: tuple[int, ...] = (1, 2)
    dims: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of each array the ranges that its indices run over."""
    functions: Mapping[str, Definition] = field(default_factory=dict)
    """f(t) = ..., whose derivative may be called f'."""
    local: frozenset[str] = frozenset()
    """Steps of the chain rule that may stay as they are: "dy/ds"; of a chain also "ds"."""
    is_step: bool = False
    """Whether they are of a step on the way to an answer, which may speak of every derivative."""

    sizes: frozenset[str] = frozenset()
    """Names of sizes."""
    shifted: bool = False
    """Whether an array is read at computed places, as in a convolution."""
    averaged: frozenset[str] = frozenset()
    """The letters that means of the forward message run over."""
    names: Mapping[str, str] = field(default_factory=dict)
    """What print calls a given name, or a formula without indices."""
    indexers: frozenset[str] = frozenset()
    """Inputs that are the number of an entry."""
    first: int = 0
    """The first value of every index."""

    @property
    def known(self) -> dict[str, int]:
        """Everything an answer may use, with its number of indices."""
        upstream = {"delta": self.arities[self.output]} if self.output else {}
        steps = {name: len(self.dimensions(name)) for name in self.local}
        return {**self.arities, **dict.fromkeys(NUMBERS, 0), **upstream, **steps}

    def dimensions(self, name: str) -> tuple[str, ...]:
        """The ranges of an array, of the message from above, or of a step of the chain rule."""
        if name == "delta" and self.output:
            return self.dims.get(self.output, ())
        if name in self.local:
            return tuple(dim for part in name.split("/") for dim in self.dims[part[1:]])
        return self.dims.get(name, ())

    def link(self, name: str) -> tuple[str, str] | None:
        """Of a derivative in a step: what stands above ("" for the loss), and below."""
        if not self.is_step or (name != "delta" and name not in self.local):
            return None
        above, _, below = name.rpartition("/")
        return (above[1:], below[1:]) if name != "delta" else ("", self.output)

    # What stands for what.

    def canonical(self, name: str) -> str | None:
        if name in self.arities:
            return name
        small = name.lower()
        if name in _SAME:
            return _SAME[name]
        if name in NUMBERS or name in names.INDICATORS:
            return name
        for known in (names.REDUCERS, names.FUNCTIONS, FUNCTIONS, ("range",)):
            if small in known:
                return small
        if name in _OTHER:
            return _OTHER[name]
        if name in ("sigma", "Delta"):
            return {"sigma": "sigmoid", "Delta": "delta"}[name]
        if name == "delta":
            return "delta"
        if name in ("J", "Jacobian", "jacobian"):
            found = sorted(asked for asked in self.asked if "/" in asked)
            return next((one for one in found if one.endswith("/dx")), (*found, None)[0])
        return aliases.meant(name, self) or self._message(name)

    def _message(self, name: str) -> str | None:
        """ "dx" for grad_x, delta_x, dL_dx, ...; "dL" for dL itself."""
        if name.startswith("d") and self._is_loss(name[1:]):
            return "dL"
        for front in _FRONTS:
            rest = name.removeprefix(front)
            rest = name if rest == name else aliases.meant(rest, self) or rest
            if rest != name and rest in self.arities and rest not in names.FUNCTIONS:
                return "d" + rest
        return None

    def _is_loss(self, name: str) -> bool:
        given = bool(self.loss) and name == self.loss
        return given or (name in LOSSES and name not in self.arities)

    def hint(self, name: str, defined: tuple[str, ...]) -> str:
        given = [*self.arities, *(["delta"] if self.output else [])]
        return hints.unknown(name, given, (*defined, *FUNCTIONS), NUMBERS)

    # What only these exercises have: derivatives by any name, and more functions.

    def special(self, parser: Parser, name: str, subscript: str, token: Token) -> Node | None:
        if self.is_differential(name) and quotient_follows(self, parser, subscript):
            return self._differential(parser, name, subscript, token)
        if name in parser.defined:
            return self._of_learner(parser, name, subscript, token) or self._whole(
                parser, name, subscript, token
            )
        found = printed(self, parser, token) or wholes.special(parser, name, token, self.is_whole)
        if found is not None:
            return found
        if name in FUNCTIONS and (parser.sees("(") or name != "sigmoid" or not subscript):
            return wholes.called(parser, name, token)
        if name == "delta":
            return upstream(self, parser, subscript, token)
        if "/" in name:
            return self._derivative_cell(
                parser, name, self.indices_of(parser, subscript, token), token
            )
        if self.is_differential(name):
            return self._differential(parser, name, subscript, token)
        if name in NUMBERS:
            return Name(name, token.at)
        if self.canonical(name) is None and name.rstrip("'*") not in self.letters:
            self._refuse_call(parser, token)
        return None

    def _refuse_call(self, parser: Parser, token: Token) -> None:
        """An unknown name with a bracket is never guessed a product."""
        opens = parser.sees("(", "[") and not parser.peek().spaced
        if opens or parser.peek().kind == "subs" or parser.sees("_"):
            hint = self.hint(token.text, (*parser.defined,))
            if token.text.endswith("'"):
                hint = f"define it on a line of its own: {token.text}(t) = ..."
            raise OffsetError(f"I do not know '{token.text}'.", hint, token.at)

    def is_differential(self, name: str) -> bool:
        return name[:1] == "d" and (name == "dL" or name[1:] in self.arities)

    def _of_learner(self, parser: Parser, name: str, subscript: str, token: Token) -> Node | None:
        """p[k] where the learner's own line says p = softmax(x)."""
        own = self.dims and name not in self.arities and parser.defined[name] == 0
        tested = parser.sees("[") and not wholes.indexed(parser, self.is_whole)
        return wholes.entry_of(parser, name, subscript, token) if own and not tested else None

    def _whole(self, parser: Parser, name: str, subscript: str, token: Token) -> Node | None:
        """An array without indices: in max(z), and as the mark in delta_{s,k}."""
        own = bool(self.dims) and parser.defined[name] > 0 and not parser.sees("(")
        whole = name in self.arrays or own
        if not whole or subscript or self._indexed(parser):
            return None
        return Name(name, token.at)

    def _indexed(self, parser: Parser) -> bool:
        if self.dims:
            return wholes.indexed(parser, self.is_whole)
        # While the forward message itself is read, nothing stands whole before a bracket.
        return parser.peek().kind == "subs" or parser.sees("[", "(", "_")

    def is_whole(self, name: str) -> bool:
        """Whether a name is no index: an array, a function, the message from above."""
        meant = self.canonical(name)
        return name in self.arrays or (name not in self.arities and meant not in (None, "range"))

    def indices_of(
        self, parser: Parser, subscript: str, token: Token, arity: int = 1
    ) -> list[Node]:
        # A bracket after what has no index begins a factor: dL/dy (1 - y).
        bare = not subscript and parser.sees("(", "[")
        if bare and (arity == 0 or not self._indexed(parser)):
            return []
        return subscripts(parser, subscript, token, arity) or []

    def _differential(self, parser: Parser, name: str, subscript: str, token: Token) -> Node:
        above = "" if name == "dL" else name[1:]
        upper = self.indices_of(parser, subscript, token, self.arities.get(above, 1))
        if not parser.accept("/"):
            if not above:
                raise OffsetError("dL stands above a '/'.", "write dL/dx[j]", token.at)
            return self.message(parser, above, upper, token)
        below_token = parser.peek()
        below, low = resolve(parser, below_token)
        if below_token.kind != "name" or below[:1] != "d" or below[1:] not in self.arities:
            raise parser.unexpected("d and a name are expected below the '/' of a derivative")
        parser.take()
        lower = self.indices_of(parser, low, below_token, self.arities[below[1:]])
        if above == below[1:] and len(upper) == len(lower) == self.arities[above]:
            return kronecker.of_itself(upper, lower, token.at)
        if not above:
            return self.message(parser, below[1:], lower, token)
        return self._derivative_cell(parser, f"d{above}/{below}", [*upper, *lower], token)

    def message(self, parser: Parser, name: str, at: list[Node], token: Token) -> Node:
        """dL/d name, at some indices: what comes from above, or a name of the learner's."""
        if name and name == self.output:
            return wholes.cell("delta", at, self.arities[name], token)
        return self._derivative_cell(parser, "d" + name, at, token)

    def _derivative_cell(self, parser: Parser, name: str, at: list[Node], token: Token) -> Node:
        arity = parser.defined.get(name, self.known.get(name) if name in self.local else None)
        shown = name if "/" in name else f"{name}, dL/{name},"
        if arity is None:
            if {name} == self.asked:
                raise OffsetError(
                    f"{shown} is what is asked for, it cannot be used.",
                    "write it with what is given",
                    token.at,
                )
            raise OffsetError(
                f"{shown} is not given." if name != "d" else "There is no message from above here.",
                "work it out, and define it on a line of its own"
                if name != "d"
                else "the loss itself is given",
                token.at,
            )
        same: list[Node] = list(dict.fromkeys(at))
        return wholes.cell(name, at if len(at) == arity else same, arity, token)
