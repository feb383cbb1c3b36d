"""What a line of an answer says: it defines something, or it is the answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import Final, Literal, TypeAlias

from engine.formula import build
from engine.formula.heads import Left, head
from engine.formula.lines import LEADING, closing, opening, split
from engine.formula.names import REDUCERS
from engine.formula.problem import OffsetError
from engine.formula.tokens import Token
from engine.formula.tree import Cell, Definition, Name, Node, Pair

__all__ = ["Line", "Meaning", "as_definition", "definition", "lines_of", "names_defined", "split"]

#: A name in the middle of a chain has a value, or gets its name there, or both.
Meaning: TypeAlias = Literal["value", "name", "both"]
_BARE: Final = ("max", "min", "argmax", "argmin", "arg", "count")
#: Words behind which a condition stands, and behind which a value does.
_TESTS: Final = (
    *("if", "when", "for", "forall", "exists", "over", "where", "with", "such", "in", "is"),
    *("all", "any", "and", "or", "not", "except", "without"),
)
_VALUES: Final = ("else", "otherwise", "then", "of")


@dataclass(frozen=True, slots=True)
class Line:
    left: Left | None
    right: list[Token]
    """The last side of a chain a = b = c, or the only one."""
    steps: tuple[list[Token], ...] = ()
    """The sides before the last."""

    @property
    def chain(self) -> tuple[int, ...]:
        """Where the sides of a chain begin; () where there is none."""
        return (*(side[0].at for side in self.steps), self.right[0].at) if self.steps else ()


def lines_of(
    rows: list[list[Token]],
    step: int | None = None,
    read: Callable[[list[Token]], Left | None] = head,
    means: Callable[[str], Meaning] = lambda name: "value" if name in ("delta", "f") else "name",
    compared: Callable[[list[Token], list[Token]], bool] | None = None,
) -> list[Line]:
    """The lines, and a line more for each name that a chain defines in its middle.

    With `step`, the side of a chain that begins there stands in the place of the last one.
    `read` says what a left side is, `means` what a name in the middle of a chain is, `compared`
    whether the last '=' is a comparison that lacks its brackets.  Raises OffsetError.
    """
    lines = [_left_side(row, read) for row in rows]
    named = {name for line in lines if line.left is not None for name in line.left.names}
    found: list[Line] = []
    for line in lines:
        *sides, last = _sides(line.right, compared or _compared)
        steps, more = [], []
        for side in sides:
            also = _named(side, read) if line.left is not None else None
            if also is not None and line.left is not None and also.kind != "definition":
                if also.kind != line.left.kind:  # dL/dx_ij = dx_ij = ... says the same twice
                    steps.append(side)
                continue
            meaning = "value" if also is None or also.names[0] in named else means(also.names[0])
            if meaning != "name":
                steps.append(side)
            # As a step, a name that the chain defines keeps the value that it has without.
            if also is not None and meaning != "value" and also.at != step:
                more.append(Line(also, last))
        for one in [one for one in found if _same(one.left, line.left)]:
            found.remove(one)  # dL/dx = ... on a line of its own goes on with the chain
            steps = [*one.steps, one.right, *steps]
        found += [Line(line.left, last, tuple(steps)), *more]
    chosen = {side[0].at: side for line in found for side in line.steps}.get(
        -1 if step is None else step
    )
    return [Line(line.left, chosen, line.steps) if chosen in line.steps else line for line in found]


def _same(one: Left | None, other: Left | None) -> bool:
    """Whether two lines are answers to the same, at the same indices."""
    if one is None or other is None or one.kind == "definition":
        return False
    return (one.kind, one.names) == (other.kind, other.names)


def _left_side(tokens: list[Token], read: Callable[[list[Token]], Left | None]) -> Line:
    """The line cut at the '=' of its left side, where it has one."""
    while tokens[0].kind == "word" and tokens[0].text in LEADING and not _called(tokens):
        tokens = tokens[1:]
    cut = _equals(tokens)
    if cut is None:
        return Line(None, tokens)
    before = [*tokens[:cut], Token("end", "", tokens[cut].at)]
    left = read(before)
    if left is None:
        return Line(None, tokens)
    if tokens[cut].text == "+=":
        raise OffsetError(
            "'+=' is a step of a program, not a formula.",
            "write the sum: dx[i,j] = sum(... for k,l if ...)",
            tokens[cut].at,
        )
    return Line(left, tokens[cut + 1 :])


def _named(side: list[Token], read: Callable[[list[Token]], Left | None]) -> Left | None:
    """What a side names, where it could stand on the left as well."""
    if side[0].kind != "name":
        return None
    try:
        return read(side)
    except OffsetError:
        return None  # what is given, an index that is no letter: a formula


def _called(tokens: list[Token]) -> bool:
    """Whether a line begins with where(C, A, B)."""
    return tokens[0].text == "where" and tokens[1].text == "(" and not tokens[1].spaced


def _sides(
    right: list[Token], compared: Callable[[list[Token], list[Token]], bool]
) -> list[list[Token]]:
    """The sides of a chain of equations, each closed by an "end" token."""
    cuts = _chained(right)
    before = right[cuts[-2] + 1 if len(cuts) > 1 else 0 : cuts[-1]] if cuts else []
    if before and compared(before, right[cuts[-1] + 1 :]):
        cuts.pop()
    sides, start = [], 0
    for cut in cuts:
        sides.append([*right[start:cut], Token("end", "", right[cut].at)])
        start = cut + 1
    sides.append(right[start:])
    return sides if all(len(side) > 1 for side in sides) else [right]


def _compared(before: list[Token], last: list[Token]) -> bool:
    """delta_kl x_ij = f_kl is no chain: brackets are missing there."""
    return _alone(last) and before[0].text.split("_")[0] not in _BARE


def _chained(right: list[Token]) -> list[int]:
    """Where '=' stands between two sides: outside of brackets and of conditions."""
    depth = 0
    tests = False
    found: list[int] = []
    for place, token in enumerate(right):
        depth += opening(token) - closing(token)
        if depth:
            continue
        if token.kind == "word":
            if token.text in ("and", "or", "not") and not tests:
                return []  # a = b and c = d is a condition
            tests = token.text not in _VALUES and (tests or token.text in _TESTS)
        elif token.kind == "op" and token.text in ("?", "=="):
            return []
        elif token.kind == "op" and token.text == "," and not tests:
            break
        elif token.kind == "op" and token.text == "=" and not (tests or _ranges(right, place)):
            found.append(place)
    return found


def _ranges(right: list[Token], at: int) -> bool:
    """Whether the '=' belongs to a sum: sum from k = 0 to 3 of ..., sum_k=0^3."""
    if right[at - 1].text.split("_")[0] in REDUCERS:
        return True
    rest = takewhile(lambda text: text != "=", (token.text for token in right[at + 1 :]))
    return right[at - 1].kind == "name" and bool({"to", "..", "..."} & {*rest})


def _alone(tokens: list[Token]) -> bool:
    """Whether there is one name, with its indices, or one maximum, and nothing more."""
    name = tokens[0].text.split("_")[0]
    if name in _BARE or name in REDUCERS:
        return name in _BARE
    texts = [token.text for token in tokens]
    if texts[0] == "(":
        return "," in texts[: texts.index(")")]
    depth = 0
    for token in tokens[1:-1]:
        depth += opening(token) - closing(token)
        inside = depth > 0 or closing(token) or token.kind == "subs" or token.text == "_"
        if not inside:
            return False
    return tokens[0].kind == "name"


def _equals(tokens: list[Token]) -> int | None:
    """Where the first '=' outside of brackets stands, if nothing before it is an expression."""
    depth = 0
    for place, token in enumerate(tokens):
        if depth == 0 and place and token.kind == "word" and token.text == "is":
            return place
        if token.kind in ("word", "number", "end") and depth == 0:
            return None
        if token.kind != "op":
            continue
        depth += opening(token) - closing(token)
        if depth == 0 and token.text in ("=", ":=", "+="):
            return place
        if depth == 0 and token.text not in (")", "]", "}", "/", ",", "_", "^"):
            return None
    return None


def as_definition(line: Line, indices: tuple[str, ...] = ()) -> Line:
    """An answer as a line that others may use; `indices` are those that it has unsaid."""
    left = line.left
    assert left is not None
    if left.kind == "definition":
        return line
    left = Left("definition", (left.kind,), left.names or indices, left.at)
    return Line(left, line.right)


def names_defined(
    lines: list[Line], given: Collection[str] = (), message: bool = True
) -> Mapping[str, int]:
    """Every name that definitions define, with its number of indices.  Raises OffsetError.

    `given` are names that no line may define; with a `message` from above, delta is one.
    """
    found: dict[str, int] = {}
    for left in (line.left for line in lines if line.left is not None):
        for name in left.names:
            if name in found:
                raise OffsetError(f"'{name}' is defined twice.", "keep one line", left.at)
            if name in given:
                said = f"{name} is given, it cannot be defined."
                raise OffsetError(said, "choose another name", left.at)
            if name != "delta" or not message:
                found[name] = len(left.parameters)
    return found


def definition(line: Line, body: Node) -> Definition | None:
    """The definition on a line; None for delta[k,l] = dL/df[k,l], which says nothing new."""
    left = line.left
    assert left is not None
    if left.names == ("delta",):
        same = Cell("delta", tuple(map(Name, left.parameters)))
        if body in (same, Name("delta")):
            return None
        raise OffsetError("delta is given, it cannot be defined.", "choose another name", left.at)
    if len(left.names) == 2 and isinstance(body, Pair) is False and build.is_condition(body):
        raise OffsetError("A pair is defined by a pair.", "write (i*,j*) = argmax(k,l)", left.at)
    return Definition(left.names, left.parameters, body, left.at)
