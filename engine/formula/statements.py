"""The lines of an answer, their left-hand sides, and the sets that they define."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise, takewhile
from typing import Final, Literal, TypeAlias

from engine.formula import tree as t
from engine.formula.rewrite import free_names, mapped, substituted
from engine.formula.tokens import SUCH_THAT, Token, turn
from engine.formula.tree import REDUCERS, OffsetError

# -- The lines of an answer: line breaks, sentences, 'where', and commas between two equations.


LEADING: Final = ("let", "where", "with", "then", "and")
_CONTINUES: Final = (
    *("+", "-", "*", "/", "=", "==", "^", "~", "<=", ">="),
    *("if", "when", "else", "otherwise", "for", "forall", "over", "and"),
)
_UNFINISHED: Final = (*_CONTINUES, ":=", ",", "or", "not", "in", "then")
_PLAIN: Final = frozenset("ijkl")
#: So many tokens stand before the '=' of a definition at the most.
_HEAD: Final = 40
#: A line may use the one before: each is some steps deeper for whoever follows them.
_MOST: Final = 60
#: What no line defines: a condition begins with it.
_GIVEN: Final = frozenset(("x", "max", "min", "argmax", "argmin", "count", "abs", "Omega"))


def split(tokens: list[Token]) -> list[list[Token]]:
    """The lines, each closed by an "end" token.  Raises OffsetError for too many."""
    lines: list[list[Token]] = [[]]
    depth = 0
    equated = False  # whether an equation stands in the line already
    ended = False  # by more than a new line
    for at, token in enumerate(tokens[:-1]):
        depth += turn(token)
        breaks = depth == 0 and _breaks(tokens, at, lines[-1], equated)
        if breaks:
            lines.append([token] if token.text in ("where", "with", "let") else [])
            equated, ended = False, ended or token.text == ";"
        else:
            # Behind => a sign belongs to what follows.
            lines[-1].append(replace(token, spaced=False) if ended else token)
            ended = False
            equated |= depth == 0 and token.kind == "op" and token.text in ("=", ":=")
    joined = _joined([line for line in map(_trimmed, lines) if line])
    if len(joined) > _MOST:
        raise OffsetError(
            f"Only {_MOST} lines are read.", "leave lines out that say little", joined[_MOST][0].at
        )
    end = tokens[-1].at
    ends = (min(end, line[-1].at + max(1, len(line[-1].text))) for line in joined)
    return [[*line, Token("end", "", at)] for line, at in zip(joined, ends, strict=True)]


def _breaks(tokens: list[Token], at: int, line: list[Token], equated: bool) -> bool:
    """Whether a new line begins behind the token, or with it."""
    token = tokens[at]
    if token.kind == "newline" or (token.kind == "op" and token.text == ";"):
        return True
    if token.kind == "op" and token.text == ",":
        return equated and _defines(tokens[at + 1 :], listed=True)
    if token.kind != "word":
        return False
    if token.text in ("where", "with"):
        return _defines(tokens[at + 1 :])
    if token.text == "and":
        plain = equated and not any(one.kind == "word" and one.text not in LEADING for one in line)
        # with k = ... and l = ...
        letters = len(line) > 1 and line[0].text in ("where", "with") and line[1].text in _PLAIN
        return plain and _defines(tokens[at + 1 :], listed=not letters)
    if token.text == "then":
        return not any(one.kind == "word" and one.text in ("if", "when") for one in line)
    return token.text == "let"


def _defines(rest: Sequence[Token], listed: bool = False) -> bool:
    """Whether a definition follows: a name of one's own, perhaps with indices, and '='."""
    start = 0
    while rest[start].kind == "newline" or (
        rest[start].kind == "word" and rest[start].text in LEADING
    ):
        start += 1
    depth = 0
    names: list[str] = []
    commas = 0
    for at in range(start, len(rest)):
        token = rest[at]
        if depth == 0 and token.kind == "op" and token.text in ("=", ":="):
            own = [name for name in names if name not in _GIVEN]
            plain = set(own) <= _PLAIN and (listed or len(own) != 1)
            return bool(own) and own == names and not plain and commas < 2
        if token.kind in ("newline", "end", "number") and depth == 0:
            return False
        if token.kind == "word" and (depth == 0 or token.text != "in"):
            return False
        if token.kind == "op" and token.text not in {*"()[]{},_/^:"}:
            return False
        before = rest[at - 1] if at > start else None
        pair = depth == 1 and rest[start].text == "(" and commas < 2
        if token.kind == "name" and (depth == 0 or pair):
            follows = before is None or before.text in ("(", ",", "/") or before.kind == "word"
            if follows and not (depth and before is not None and before.kind == "name"):
                names.append(token.text.split("_")[0])
        commas += depth == 0 and token.text == ","
        if commas > 1 or at - start > _HEAD:
            return False
        depth += turn(token)
    return False


def _trimmed(line: list[Token]) -> list[Token]:
    while line and line[-1].text in (",", ":") and line[-1].kind == "op":
        line = line[:-1]
    while line and line[0].text == "," and line[0].kind == "op":
        line = line[1:]
    return line if any(token.text not in LEADING for token in line) else []


def _hangs(line: list[Token]) -> bool:
    """Whether a line cannot end where it does."""
    last = line[-1]
    if last.kind not in ("op", "word") or last.text not in _UNFINISHED:
        return False
    # 0 otherwise: complete; ..., otherwise: not.
    told = last.text in ("otherwise", "else") and len(line) > 1
    return not (told and line[-2].text not in (",", ";", "and"))


def _states(line: list[Token]) -> bool:
    """Whether a line is an equation: '=' outside of brackets, before any other word."""
    depth = 0
    for token in line:
        depth += turn(token)
        if depth == 0 and token.kind == "op" and token.text in ("=", ":="):
            return True
        if depth == 0 and token.kind == "word" and token.text not in LEADING:
            return False
    return False


def _relates(line: list[Token]) -> bool:
    """Whether two sides stand in a line: -a = b, where it is not indented, is one of its own."""
    depth = 0
    for token in line:
        depth += turn(token)
        if depth == 0 and token.kind == "op" and token.text in ("=", ":=", "<=", ">=", "~"):
            return True
    return False


def _plainly(line: list[Token]) -> bool:
    """Whether an equation has no condition."""
    depths = accumulate(map(turn, line))
    words = (
        one.text
        for one, depth in zip(line, depths, strict=True)
        if one.kind == "word" and not depth
    )
    return _states(line) and all(word in LEADING for word in words)


def _joined(lines: list[list[Token]]) -> list[list[Token]]:
    """A line that cannot stand alone belongs to the one before."""
    joined: list[list[Token]] = []
    for line in lines:
        starts = line[0].kind in ("op", "word") and line[0].text in _CONTINUES
        starts &= not (line[0].text in ("+", "-") and not line[0].spaced and _relates(line))
        if joined and line[0].text == "and" and _plainly(joined[-1]) and _plainly(line):
            starts = False  # a = b, and c = d
        ends = line[-1].kind == "word" and line[-1].text in ("otherwise", "else")
        hangs = bool(joined) and _hangs(joined[-1])
        if hangs and joined[-1][-1].text == "and" and _plainly(joined[-1]) and _states(line):
            joined[-1], hangs = joined[-1][:-1], False  # a = b and, on the next line, c = d
        if joined and (starts or hangs or (ends and not _states(line))):
            comma = [Token("op", ",", line[0].at)] if ends or line[0].text == "otherwise" else []
            joined[-1] = [*joined[-1], *([] if hangs else comma), *line]
        else:
            joined.append(line)
    return joined


# -- What a line of an answer says: it defines something, or it is the answer.


@dataclass(frozen=True, slots=True)
class LeftSide:
    """What stands before the '=' of a line."""

    kind: str
    """"definition", or the key of what an exercise asks for: "dx", "dy/dx"."""
    names: tuple[str, ...]
    """The defined names, or of what is asked for the indices."""
    parameters: tuple[str, ...]
    at: int


#: A name in the middle of a chain has a value, or gets its name there, or both.
Meaning: TypeAlias = Literal["value", "name", "both"]
#: What stands between two sides that are the same.
EQUATED: Final = ("=", ":=")
_BARE: Final = ("max", "min", "argmax", "argmin", "arg", "count")
#: Words behind which a condition stands, and behind which a value does.
_TESTS: Final = (
    *("if", "when", "for", "forall", "exists", "over", "where", "with", *SUCH_THAT, "in", "is"),
    *("all", "any", "and", "or", "not", "except", "without"),
)
_VALUES: Final = ("else", "otherwise", "then", "of")


@dataclass(frozen=True, slots=True)
class Statement:
    left: LeftSide | None
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
    read: Callable[[list[Token]], LeftSide | None],
    means: Callable[[str], Meaning],
    compared: Callable[[list[Token], list[Token]], bool],
    step: int | None = None,
) -> list[Statement]:
    """The lines, and a line more for each name that a chain defines in its middle.

    With `step`, the side of a chain that begins there stands in the place of the last one.
    `read` says what a left side is, `means` what a name in the middle of a chain is, `compared`
    whether the last '=' is a comparison that lacks its brackets.  Raises OffsetError.
    """
    lines = [_left_side(row, read) for row in rows]
    named = {name for line in lines if line.left is not None for name in line.left.names}
    found: list[Statement] = []
    for line in lines:
        *sides, last = sides_of(line.right, compared)
        for sign in (side[-2] for side in sides if len(side) > 1):
            if sign.kind == "op" and sign.text in ("+", "-", "*", "/"):
                said = f"'{sign.text}=' is a step of a program, not a formula."
                raise OffsetError(said, "write all of it in one formula: dx = ...", sign.at)
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
                more.append(Statement(also, last))
        for one in [one for one in found if _same(one.left, line.left)]:
            found.remove(one)  # dL/dx = ... on a line of its own goes on with the chain
            steps = [*one.steps, one.right, *steps]
        found += [Statement(line.left, last, tuple(steps)), *more]
    chosen = {side[0].at: side for line in found for side in line.steps}.get(
        -1 if step is None else step
    )
    return [
        Statement(line.left, chosen, line.steps) if chosen in line.steps else line for line in found
    ]


def _same(one: LeftSide | None, other: LeftSide | None) -> bool:
    """Whether two lines are answers to the same, at the same indices."""
    if one is None or other is None or one.kind == "definition":
        return False
    return (one.kind, one.names) == (other.kind, other.names)


def _left_side(tokens: list[Token], read: Callable[[list[Token]], LeftSide | None]) -> Statement:
    """The line cut at the '=' of its left side, where it has one."""
    while tokens[0].kind == "word" and tokens[0].text in LEADING and not _called(tokens):
        tokens = tokens[1:]
    cut = _equals(tokens)
    if cut is None:
        return Statement(None, tokens)
    before = [*tokens[:cut], Token("end", "", tokens[cut].at)]
    left = read(before)
    if left is None:
        return Statement(None, tokens)
    if tokens[cut].text == "+=":
        raise OffsetError(
            "'+=' is a step of a program, not a formula.",
            "write all that is added up as one sum",
            tokens[cut].at,
        )
    return Statement(left, tokens[cut + 1 :])


def _named(side: list[Token], read: Callable[[list[Token]], LeftSide | None]) -> LeftSide | None:
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


def sides_of(
    right: list[Token],
    compared: Callable[[list[Token], list[Token]], bool],
    signs: Collection[str] = EQUATED,
) -> list[list[Token]]:
    """The sides of a chain of equations, each closed by an "end" token."""
    cuts = _chained(right, signs)
    before = right[cuts[-2] + 1 if len(cuts) > 1 else 0 : cuts[-1]] if cuts else []
    if before and compared(before, right[cuts[-1] + 1 :]):
        cuts.pop()
    sides, start = [], 0
    for cut in cuts:
        sides.append([*right[start:cut], Token("end", "", right[cut].at)])
        start = cut + 1
    sides.append(right[start:])
    return sides if all(len(side) > 1 for side in sides) else [right]


def lacks_brackets(before: list[Token], last: list[Token]) -> bool:
    """delta_kl x_ij = f_kl is no chain: brackets are missing there."""
    return _alone(last) and before[0].text.split("_")[0] not in _BARE


def _chained(right: list[Token], signs: Collection[str] = EQUATED) -> list[int]:
    """Where one of the signs stands between two sides: outside of brackets and of conditions."""
    depth = 0
    tests = False
    found: list[int] = []
    # Two bars are "or" between conditions; behind those of a norm ||x|| no operand follows.
    behind = {after.text for token, after in pairwise(right) if token.text == "or"}
    bars = bool(behind & {"^", "/", "*", "=", ")", ",", ""})
    for place, token in enumerate(right):
        depth += turn(token)
        if depth or (bars and token.text == "or"):
            continue
        if token.kind == "word":
            if token.text in ("and", "or", "not") and not tests:
                return []  # a = b and c = d is a condition
            tests = token.text not in _VALUES and (tests or token.text in _TESTS)
        elif token.kind == "op" and token.text in ("?", "=="):
            return []
        elif token.kind == "op" and token.text == "," and not tests:
            break
        elif token.kind == "op" and token.text in signs and not (tests or _ranges(right, place)):
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
        depth += turn(token)
        if depth == 0 and turn(token) == 0 and token.kind != "subs" and token.text != "_":
            return False
    return tokens[0].kind == "name"


def _equals(tokens: list[Token]) -> int | None:
    """Where the first '=' outside of brackets stands, if nothing before it is an expression."""
    depth = 0
    for place, token in enumerate(tokens):
        if depth == 0 and place and token.kind == "word" and token.text == "is":
            return place
        power = token.kind == "number" and place > 0 and tokens[place - 1].text == "^"
        if token.kind in ("word", "number", "end") and depth == 0 and not power:
            return None
        if token.kind != "op":
            continue
        depth += turn(token)
        if depth == 0 and token.text in ("=", ":=", "+="):
            return place
        if depth == 0 and token.text not in (")", "]", "}", "/", ",", "_", "^", "∂"):
            return None
    return None


def as_definition(line: Statement, indices: tuple[str, ...] = ()) -> Statement:
    """An answer as a line that others may use; `indices` are those that it has unsaid."""
    left = line.left
    assert left is not None
    if left.kind == "definition":
        return line
    left = LeftSide("definition", (left.kind,), left.names or indices, left.at)
    return Statement(left, line.right)


def names_defined(
    lines: list[Statement], given: Collection[str] = (), message: bool = True
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


# -- Sets of one's own, S(i,j) = {(k,l) : C}: put in place where they are used, and nowhere else.


#: Sets within sets; parts of a formula inside one another; and all that are looked through.
_MOST_SETS, _DEEPEST, _MOST_PARTS = 20, 90, 2_000


@dataclass(slots=True)
class Sets:
    """The sets that lines define, and how many parts were looked through for them so far."""

    named: Mapping[str, t.Definition]
    steps: int = 0


def expanded(definitions: list[t.Definition], body: t.Node) -> tuple[list[t.Definition], t.Node]:
    """The definitions that are no sets, and the body, with the sets in their places."""
    named = {one.names[0]: one for one in definitions if isinstance(one.body, t.OwnSet)}
    sets = Sets(named)
    rest = [one for one in definitions if one.names[0] not in named]
    return [replace(one, body=_put(one.body, sets)) for one in rest], _put(body, sets)


def _put(node: t.Node, sets: Sets, depth: int = 0) -> t.Node:
    depth += 1
    sets.steps += 1
    if depth > _DEEPEST or sets.steps > _MOST_PARTS:
        raise OffsetError("The formula is too large.", "write it shorter", node.at)
    match node:
        case t.Reduce():
            node = _ranged(node, sets)
        case t.Comparison(("in" | "not in",), (_, other)) if found := _set(other, sets):
            return _put(_member(node, found), sets, depth)
        case t.Apply("abs", (held,)):
            counted = _counted(node, held, sets)
            if counted is not node:
                return _put(counted, sets, depth)
        case t.OwnSet():
            raise OffsetError(
                "A set stands where a number belongs.",
                "compare with it, (i,j) in {...}, sum over it, or count it: |{...}|",
                node.at,
            )
        case t.Name(name) | t.Cell(name) if name in sets.named:
            raise OffsetError(
                "This is a set, not a number.",
                "compare with it, (i,j) in S, sum over it, or count it: |S|",
                node.at,
            )
    return mapped(node, lambda part: _put(part, sets, depth))


def _set(node: t.Node | None, sets: Sets, depth: int = 0) -> t.OwnSet | None:
    """The set that a node is, or names; its own domain put in place as well."""
    if isinstance(node, t.Name | t.Cell) and (one := sets.named.get(t.name_of(node))):
        indices = node.indices if isinstance(node, t.Cell) else ()
        node = substituted(one.body, dict(zip(one.parameters, indices, strict=False)))
    if not isinstance(node, t.OwnSet):
        return None
    if depth > _MOST_SETS:
        raise OffsetError("This set is defined by itself.", "define it by others", node.at)
    inner = _set(node.domain, sets, depth + 1)
    if inner is None:
        return node
    test = t.conjunction((node.condition, _asked(inner, _named_at(node.names, node.at))))
    return t.OwnSet(node.names, inner.domain, test, node.at)


def _named_at(names: tuple[str, ...], at: int) -> tuple[t.Node, ...]:
    return tuple(t.Name(name, at) for name in names)


def _asked(found: t.OwnSet, items: tuple[t.Node, ...]) -> t.Node | None:
    """What a set asks of these in the place of its indices."""
    if len(items) != len(found.names):
        raise OffsetError("This set holds pairs.", "write (i,j) in it", found.at)
    by = dict(zip(found.names, items, strict=True))
    return None if found.condition is None else substituted(found.condition, by)


def _ranged(node: t.Reduce, sets: Sets) -> t.Reduce:
    """A sum over a set of one's own: over the set's own range, where its condition holds."""
    binders: list[t.Binder] = []
    tests: list[t.Node | None] = []
    for binder in node.binders:
        found = _set(binder.domain, sets)
        if found is not None:
            tests.append(_asked(found, _named_at(binder.names, binder.at)))
            binder = replace(binder, domain=found.domain)
        binders.append(binder)
    if not tests:
        return node
    condition = t.conjunction((*tests, node.condition))
    return replace(node, binders=tuple(binders), condition=condition)


def _member(node: t.Comparison, found: t.OwnSet) -> t.Node:
    """(i,j) in {(p,q) in Omega(k,l) : C}: in Omega(k,l), and what C asks of (i,j)."""
    pair, at = node.operands[0], node.at
    if not isinstance(pair, t.Pair) and len(found.names) > 1:
        raise OffsetError("A set holds places.", "write (i,j) in it", pair.at)
    items = pair.items if isinstance(pair, t.Pair) else (pair,)
    domain = found.domain
    within = None if domain is None else t.Comparison(("in",), (pair, domain), at)
    whole = t.conjunction((within, _asked(found, items))) or t.always(at)
    return whole if node.ops == ("in",) else t.Not(whole, at)


def _counted(node: t.Apply, held: t.Node, sets: Sets) -> t.Node:
    """|S|, the number of its places; an absolute value as it is."""
    found = _set(held, sets)
    if isinstance(held, t.Window | t.Windows):
        return t.Over("count", held, node.at)
    if found is not None:
        names, domain, test = found.names, found.domain, found.condition
    elif isinstance(held, t.Over | t.Reduce) and held.kind in ("argmax", "argmin"):
        used = free_names(held)
        names = tuple(next(a for a in letters if a not in used) for letters in ("pmau", "qnbv"))
        domain, test = held, None
    else:
        return node
    binder = t.Binder(names, domain, held.at)
    return t.Reduce("count", test or t.always(node.at), (binder,), None, node.at)
