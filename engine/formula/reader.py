"""Read a formula about max pooling: scopes and types are checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Final

from engine.formula.binders import expanded
from engine.formula.names import INPUT_INDICES, OUTPUT_INDICES, SCALARS, canonical, unknown_hint
from engine.formula.notation import Pooling, put_kronecker, refuse, with_message
from engine.formula.parser import Parser
from engine.formula.rewrite import bound_in, sums_over_all
from engine.formula.statements import (
    Line,
    as_definition,
    definition,
    lines_of,
    names_defined,
    split,
)
from engine.formula.tokens import tokenize
from engine.formula.tree import (
    Answer,
    Apply,
    Arithmetic,
    Cell,
    Chains,
    Choice,
    Comparison,
    Definition,
    Formula,
    Indicator,
    Logic,
    Name,
    Negative,
    Node,
    Not,
    Number,
    OffsetError,
    Over,
    Pair,
    Range,
    Reduce,
    Role,
    Target,
    Window,
    Windows,
    children,
    located,
)
from engine.formula.unparse import echo

# -- What goes with what: a number with a number, a place with a place, a place in a set.


_WORDS: Final = {
    "pair": "a pair of coordinates, not a number",
    "condition": "a condition, not a number",
    "inputs": "a set of places, not a number",
    "outputs": "a set of windows, not a number",
    "numbers": "a range of numbers, not a number",
    "array": "a whole array, not a number",
}


def not_a_number(node: Node, kind: str) -> OffsetError:
    match node:
        case Over(name) | Reduce(name) if kind == "pair":
            return OffsetError(
                f"{name} is {_WORDS[kind]}.", f"compare it: [(i,j) == {name}(k,l)]", node.at
            )
        case Name(name) if kind == "array":
            return OffsetError(
                f"{name} is {_WORDS[kind]}.", f"give it indices: {name}[...]", node.at
            )
    hint = "write [condition] to make it 1 or 0" if kind == "condition" else "compare it in [ ]"
    return OffsetError(f"This is {_WORDS[kind]}.", hint, node.at)


def runs_over(domain: Node, kind: str, names: int) -> None:
    """Refuses a domain that `names` indices cannot run over."""
    settable = isinstance(domain, Over | Reduce) and kind == "pair"
    if kind == "numbers" and names == 1:
        return
    if (kind in ("inputs", "outputs") or settable) and names == 2:
        return
    hint = "write p,q in Omega(k,l), or k in range(Ho)"
    raise OffsetError("These indices cannot run over this.", hint, domain.at)


def membership(left: str, right: str, first: Node, second: Node) -> None:
    if left == "number" and right == "numbers":
        return
    if left == "pair" and right in ("inputs", "outputs"):
        return
    if left == "pair" and right == "pair" and not isinstance(second, Pair):
        return
    if right not in ("inputs", "outputs", "numbers", "pair"):
        raise OffsetError("What follows 'in' is not a set.", "write (i,j) in Omega(k,l)", second.at)
    raise OffsetError("Omega holds places.", "write (i,j) in Omega(k,l)", first.at)


def unlike(node: Comparison, place: int, left: str, right: str) -> OffsetError:
    words = {"number": "a number", "pair": "a pair"}
    names = [words.get(kind, _WORDS.get(kind, kind).split(",")[0]) for kind in (left, right)]
    return OffsetError(
        f"This compares {names[0]} with {names[1]} by '{node.ops[place]}'.",
        "compare a place with a place, (i,j) == argmax(k,l), or a value with a value",
        node.operands[place + 1].at if left in ("number", "pair") else node.operands[place].at,
    )


# -- What an index runs over when its sum does not say: read off where it is used.
#
# delta[a,b], f[a,b], Omega(a,b) make a and b a window's row and column; x[a,b], (a,b) in
# Omega(...), (a,b) == argmax(...) make them an input's.  Where use does not decide, i,j are an
# input's and k,l a window's.


_USUAL: Final[dict[str, Role]] = {
    "i": ("input", 0),
    "j": ("input", 1),
    "k": ("output", 0),
    "l": ("output", 1),
}
_CELLS: Final[dict[str, tuple[Role, ...]]] = {
    "x": (("input", 0), ("input", 1)),
    "delta": (("output", 0), ("output", 1)),
    "f": (("output", 0), ("output", 1)),
    "J": (("output", 0), ("output", 1), ("input", 0), ("input", 1)),
}


def role(name: str, place: int, node: Reduce, definitions: Mapping[str, Definition]) -> Role:
    """The role of `name`, the index at `place` among those of `node`.  Raises OffsetError."""
    found: set[Role] = set()
    for part in children(node):
        found.update(_uses(part, name, definitions, (), set()))
    if len(found) == 1:
        return found.pop()
    usual = _USUAL.get(name.rstrip("'"))
    if usual is not None and (not found or usual in found):
        return usual
    sides = {side for side, _ in found}
    if not found:
        raise OffsetError(
            f"I cannot tell what {name} runs over.",
            f"say it: for {name} in range(Ho), in range(kh), or for p,q in Omega(k,l)",
            node.at,
        )
    return ("output" if "output" in sides else "input", min(place, 1))


def _uses(
    node: Node,
    name: str,
    definitions: Mapping[str, Definition],
    opened: tuple[str, ...],
    seen: set[tuple[str, str]],
) -> Iterator[Role]:
    """The roles of `name`; `seen` are definitions looked through, each with the name in it."""

    def inside(defined: str, inner: str) -> Iterator[Role]:
        if (defined, inner) not in seen:
            seen.add((defined, inner))
            body = definitions[defined].body
            yield from _uses(body, inner, definitions, (*opened, defined), seen)

    match node:
        case Cell(array, indices):
            roles = _CELLS.get(array, ())
            if array in definitions and array not in opened:
                parameters = definitions[array].parameters
                for parameter, index in zip(parameters, indices, strict=False):
                    if index == Name(name):
                        yield from inside(array, parameter)
            else:
                yield from _positions(indices, name, roles)
        case Window(indices):
            yield from _positions(indices, name, _CELLS["f"])
        case Windows(indices):
            yield from _positions(indices, name, _CELLS["x"])
        case Comparison(_, operands):
            for first, second in pairwise(operands):
                yield from _compared(first, second, name, definitions)
                yield from _compared(second, first, name, definitions)
    if isinstance(node, Reduce) and name in node.names:
        return
    if isinstance(node, Name) and node.name in definitions and node.name not in opened:
        yield from inside(node.name, name)
    for child in children(node):
        yield from _uses(child, name, definitions, opened, seen)


def _positions(indices: tuple[Node, ...], name: str, roles: tuple[Role, ...]) -> Iterator[Role]:
    for index, found in zip(indices, roles, strict=False):
        if index == Name(name):
            yield found


def _compared(
    pair: Node, other: Node, name: str, definitions: Mapping[str, Definition]
) -> Iterator[Role]:
    if not isinstance(pair, Pair):
        return
    if isinstance(other, Name) and other.name in definitions:
        other = definitions[other.name].body
    if isinstance(other, Pair) and any(
        isinstance(item, Name) and item.name in definitions for item in other.items
    ):
        yield from _positions(pair.items, name, _CELLS["x"])
    if isinstance(other, Window | Over | Reduce):
        yield from _positions(pair.items, name, _CELLS["x"])
    if isinstance(other, Windows):
        yield from _positions(pair.items, name, _CELLS["f"])


# -- Types and scopes: what is a number, a condition, a pair, a set; which indices are bound.
#
# Types: "number", "condition", "pair", "inputs" and "outputs" (sets of pairs), "numbers" (a
# range), "array".  A definition is read where it is used: its free indices are those of that
# place.


#: Nodes, with every definition counted where it is used.
MAX_NODES: Final = 1_000
MAX_DEPTH: Final = 90
#: The indices that may stand free in an answer without a left side.
FREE: Final = (*INPUT_INDICES, *OUTPUT_INDICES)


class PoolingTypeChecker:
    """One walk; remembers which names and which free indices it met."""

    def __init__(self, definitions: list[Definition], target: Target) -> None:
        self.definitions = {name: d for d in definitions for name in d.names}
        self.target = target
        self.used: set[str] = set()
        self.free: set[str] = set()
        self._open: list[str] = []
        self._nodes = 0
        self._depth = 0

    def number(self, node: Node, scope: frozenset[str]) -> None:
        kind = self.type(node, scope)
        if kind != "number":
            raise not_a_number(node, kind)

    def condition(self, node: Node, scope: frozenset[str]) -> None:
        kind = self.type(node, scope)
        if kind != "condition":
            raise OffsetError(
                "A condition is expected here, this is not one.", "write a == b, or a < b", node.at
            )

    def type(self, node: Node, scope: frozenset[str]) -> str:
        self._nodes += 1
        self._depth += 1
        if self._nodes > MAX_NODES or self._depth > MAX_DEPTH:
            raise OffsetError("The formula is too large.", "write it shorter", node.at)
        kind = self._type(node, scope)
        self._depth -= 1
        return kind

    def _type(self, node: Node, scope: frozenset[str]) -> str:
        match node:
            case Number():
                return "number"
            case Name(name, at):
                return self._name(name, at, scope)
            case Cell():
                return self._cell(node, scope)
            case Apply(_, parts):
                self._numbers(parts, scope)
            case Arithmetic(_, left, right):
                self._numbers((left, right), scope)
            case Negative(operand):
                self.number(operand, scope)
            case Indicator(test):
                self.condition(test, scope)
            case Choice(test, then, otherwise):
                self.condition(test, scope)
                self._numbers((then, otherwise), scope)
            case Reduce():
                return self._reduce(node, scope)
            case _:
                return self._other(node, scope)
        return "number"

    def _other(self, node: Node, scope: frozenset[str]) -> str:
        match node:
            case Comparison():
                self._comparison(node, scope)
                return "condition"
            case Logic(_, parts):
                for part in parts:
                    self.condition(part, scope)
                return "condition"
            case Not(operand):
                self.condition(operand, scope)
                return "condition"
            case Pair(items):
                self._numbers(items, scope)
                return "pair"
            case Range(start, stop):
                self._numbers((start, stop), scope)
                return "numbers"
            case Window(indices):
                self._numbers_or_pair(indices, scope)
                return "inputs"
            case Windows(indices):
                self._numbers_or_pair(indices, scope)
                return "outputs"
            case Over(kind, region):
                if self.type(region, scope) == "outputs" and kind != "count":
                    raise OffsetError(
                        f"windows(...) holds windows, not values; {kind} needs values.",
                        f"write {kind}(window(k,l))",
                        region.at,
                    )
                return "pair" if kind in ("argmax", "argmin") else "number"
        raise AssertionError(node)

    def _numbers(self, nodes: tuple[Node, ...], scope: frozenset[str]) -> None:
        for node in nodes:
            self.number(node, scope)

    def _numbers_or_pair(self, nodes: tuple[Node, ...], scope: frozenset[str]) -> None:
        if len(nodes) == 1:
            if self.type(nodes[0], scope) != "pair":
                raise OffsetError("A pair is expected here.", "write two indices", nodes[0].at)
        else:
            self._numbers(nodes, scope)

    def _name(self, name: str, at: int, scope: frozenset[str]) -> str:
        self.used.add(name)
        if name in scope:
            self.free.add(name)
            return "number"
        if name in self.definitions:
            if self.definitions[name].parameters:
                raise OffsetError(f"{name} is defined with indices.", f"write {name}[...]", at)
            return self._definition(name, at, scope)
        if name in SCALARS:
            return "number"
        if name in ("x", "delta", "f"):
            return "array"
        if name in ("dx", "J"):
            raise OffsetError(f"{name} is what is asked for.", "write it with delta, x and f", at)
        if len(name.rstrip("'*")) == 1:
            raise self._unbound(name, at)
        raise OffsetError(
            f"I do not know '{name}'.", unknown_hint(name, tuple(self.definitions)), at
        )

    def _unbound(self, name: str, at: int) -> OffsetError:
        if name.endswith("*"):
            other = "j*" if name[0] == "i" else "q*"
            hint = f"define it on a line of its own: ({name},{other}) = argmax(k,l)"
        elif self.target == "J" or name not in FREE:
            hint = f"bind it: sum(... for {name}), or max(x[p,q] for p,q in Omega(k,l))"
        else:
            hint = f"name it on the left side, or bind it: sum(... for {name})"
        return OffsetError(f"The index {name} is not defined here.", hint, at)

    def _definition(self, name: str, at: int, scope: frozenset[str]) -> str:
        if name in self._open:
            raise OffsetError(f"'{name}' is defined by itself.", "define it by other names", at)
        definition = self.definitions[name]
        self.used.update(definition.names)
        self._open.append(name)
        kind = self.type(definition.body, scope | set(definition.parameters))
        self._open.pop()
        if len(definition.names) == 2:
            if kind != "pair":
                raise OffsetError(
                    "A pair of names is defined by a pair.",
                    "write (i*,j*) = argmax(k,l)",
                    definition.at,
                )
            return "number"
        return kind

    def _cell(self, node: Cell, scope: frozenset[str]) -> str:
        self.used.add(node.array)
        self._numbers_or_pair(node.indices, scope)
        if node.array in self.definitions:
            return self._definition(node.array, node.at, scope)
        if node.array in ("dx", "J"):
            hint = "define df_kl/dx_ij on a line of its own" if node.array == "J" else ""
            raise OffsetError(
                f"{node.array} is what is asked for, it cannot be used.",
                hint or "write it with delta, x and f",
                node.at,
            )
        return "number"

    def _reduce(self, node: Reduce, scope: frozenset[str]) -> str:
        self.used.add(node.kind)
        inner = scope
        for binder in node.binders:
            if binder.domain is not None:
                kind = self.type(binder.domain, inner)
                runs_over(binder.domain, kind, len(binder.names))
            else:
                for name in binder.names:
                    role(name, 0, node, self.definitions)
            inner = inner | set(binder.names)
        outside = self.free - set(node.names)
        kept = self.free & set(node.names)
        if node.condition is not None:
            self.condition(node.condition, inner)
        if node.kind == "count":
            self.condition(node.body, inner)
        else:
            self.number(node.body, inner)
        self.free = outside | (self.free - set(node.names)) | kept
        return "pair" if node.kind in ("argmax", "argmin") else "number"

    def _comparison(self, node: Comparison, scope: frozenset[str]) -> None:
        kinds = [self.type(operand, scope) for operand in node.operands]
        for place, op in enumerate(node.ops):
            left, right = kinds[place], kinds[place + 1]
            second = node.operands[place + 1]
            if op in ("in", "not in"):
                membership(left, right, node.operands[place], second)
            elif left == right == "number" or (left == right == "pair" and op in ("==", "!=")):
                continue
            else:
                raise unlike(node, place, left, right)


# -- From a parsed line to an answer: what it is the answer to, and that all of it has a meaning.


def checked_answer(line: Line, definitions: list[Definition], body: Node) -> Answer:
    """The answer with its target, all types and scopes in order.  Raises OffsetError."""
    left = line.left
    refuse(left.names if left else (), definitions, body)
    if left is None:
        target = _target(definitions, body)
        indices: tuple[str, ...] = ()
    else:
        target = "dx" if left.kind == "dx" else "J"
        indices = left.names
    indices = indices or (INPUT_INDICES if target == "dx" else (*OUTPUT_INDICES, *INPUT_INDICES))
    defined = {name: d for d in definitions for name in d.names}
    for name in indices:
        if name in defined:
            at = defined[name].at
            raise OffsetError(
                f"{name} is an index of the answer, it cannot be defined.", "use another letter", at
            )
    free = {*indices, *(OUTPUT_INDICES if target == "dx" else ())} - {*defined}
    checker = PoolingTypeChecker(definitions, target)
    kind = checker.type(body, frozenset(free))
    if kind == "condition":
        raise OffsetError(
            "The answer is a condition, true or false, not a number.",
            "write [condition] to make it 1 or 0",
            line.right[0].at,
        )
    if kind != "number":
        raise not_a_number(body, kind)
    for each in definitions:
        if each.names[0] not in checker.used:
            checker.type(each.body, frozenset({*FREE, *indices} - {*defined} | {*each.parameters}))
    return Answer(target, indices, tuple(definitions), body)


def _target(definitions: list[Definition], body: Node) -> Target:
    """Without a left side: dx where delta occurs, or where only a sum runs over the windows."""
    checker = PoolingTypeChecker(definitions, "dx")
    checker.type(body, frozenset(FREE) - {*checker.definitions})
    if "delta" in checker.used:
        return "dx"
    summed = "sum" in checker.used and not checker.free & set(OUTPUT_INDICES)
    return "dx" if summed and checker.free & set(INPUT_INDICES) else "J"


# -- read(text): tokens, lines, trees, checks; what comes out is ready to be shown and evaluated.


def read(text: str, first: int = 0, step: int | None = None) -> Formula:
    """What `text` says, indices beginning at `first`.

    With `step`, the side of a chain at this offset stands in the place of its last side.

    Raises FormulaError with a hint and a place; never guesses.
    """
    try:
        answer, chains = with_message(
            lambda name: _answer(text, Pooling(message=name), step), text, canonical
        )
    except OffsetError as trouble:
        raise located(trouble, text) from None
    if not first:
        answer = _from_zero(answer)
    return Formula(answer.target, echo(answer), answer, text, chains=chains)


def _from_zero(answer: Answer) -> Answer:
    """Sums from 1 to Ho, as print has them, as sums over all windows."""
    defined = {name for one in answer.definitions for name in one.names}

    def put(node: Node) -> Node:
        known = {*SCALARS, *FREE, *answer.indices, *defined, *bound_in(node)}
        return sums_over_all(node, known, SCALARS, numbers={*SCALARS, *defined})

    definitions = tuple(replace(one, body=put(one.body)) for one in answer.definitions)
    return replace(answer, definitions=definitions, body=put(answer.body))


def _answer(text: str, vocabulary: Pooling, step: int | None) -> tuple[Answer, Chains]:
    split_lines = split(tokenize(text))
    if not split_lines:
        raise OffsetError(
            "There is no formula yet.",
            "write dx[i,j] = sum(delta[k,l] * [...] for k,l if (i,j) in Omega(k,l))",
            0,
        )
    lines = lines_of(split_lines, step)
    final = _final(lines)
    # A Jacobian on a line before the full message defines what the message may use.
    others = [as_definition(line, ("k", "l", "i", "j")) for line in lines if line is not final]
    defined = names_defined(others)
    pairs = {
        name: line.left.parameters
        for line in others
        if line.left is not None and len(line.left.names) == 2
        for name in line.left.names
    }

    def parsed(line: Line) -> Node:
        parser = Parser(line.right, defined, vocabulary)
        parser.parameters = pairs
        return parser.whole()

    found = [definition(line, parsed(line)) for line in others]
    body = parsed(final)
    bodies = (body, *(one.body for one in found if one is not None))
    if step is not None and "J" not in defined and any(map(_links, bodies)):
        # A step may leave df_kl/dx_ij as it is.
        (link,) = lines_of(split(tokenize("J[k,l,i,j] = [(i,j) = argmax(k,l)]")))
        found.append(definition(as_definition(link), parsed(link)))
    definitions, body = expanded([one for one in found if one is not None], body)
    names = final.left.names if final.left is not None else ()
    body = put_kronecker(names, definitions, body)
    definitions = [
        replace(one, body=put_kronecker((), definitions, one.body)) for one in definitions
    ]
    chains = (*(line.chain for line in others), final.chain)
    return checked_answer(final, definitions, body), chains


def _links(node: Node) -> bool:
    """Whether a formula speaks of the Jacobian."""
    return (isinstance(node, Cell) and node.array == "J") or any(map(_links, children(node)))


def _final(lines: list[Line]) -> Line:
    """The line that is the answer."""
    answers = [line for line in lines if line.left is None]
    asked = [line for line in lines if line.left is not None and line.left.kind != "definition"]
    if len(answers) + len([a for a in asked if a.left and a.left.kind == "dx"]) > 1:
        at = (answers + asked)[1].right[0].at
        raise OffsetError("There are two answers here.", "keep one; give the other a name", at)
    if answers:
        return answers[0]
    if not asked:
        for left in (line.left for line in lines):
            if left is not None and left.names == ("delta",):
                said = "delta is the message from above: delta[k,l] = dL/df[k,l] is given."
                raise OffsetError(said, "write dx[i,j] = ... for the answer", left.at)
        last = lines[-1]
        raise OffsetError(
            "These lines only define names; none is the answer.",
            "add a line dx[i,j] = ... or df_kl/dx_ij = ...",
            last.right[-1].at,
        )
    whole = [line for line in asked if line.left is not None and line.left.kind == "dx"]
    return whole[0] if whole else asked[-1]
