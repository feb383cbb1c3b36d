"""What runs in a sum, and where: k,l [in SET] [for ...] [if C], 0 <= a < kh, k = 0 .. Ho-1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.formula import build
from engine.formula.names import TAKEN, canonical
from engine.formula.phrases import NOUNS
from engine.formula.problem import OffsetError
from engine.formula.tokens import Token
from engine.formula.tree import (
    Arithmetic,
    Binder,
    Comparison,
    Name,
    Node,
    Number,
    Pair,
    Range,
    Window,
)

if TYPE_CHECKING:
    from engine.formula.parser import Parser

_VALUE: Final = 15
#: Where "and", a comma or another word ends what runs: a set, or one comparison.
_SET, _TEST, _SUM = 50, 49, 60
_SUCH: Final = ("if", "where", "with", "when", ":", "|")
_TIGHT: Final = ("where", "with")
_HOLDING: Final = ("containing", "covering", "including", "holding")


def clauses(
    parser: Parser, closing: tuple[str, ...], tight: bool = False
) -> tuple[list[Binder], Node | None]:
    """What runs, and under which condition; `tight`: up to the first "and" that is not its own."""
    binders: list[Binder] = []
    tests: list[Node] = []
    level, words = (_TEST, _TIGHT) if tight else (_VALUE, _SUCH)
    while True:
        _groups(parser, binders, tests, tight)
        while parser.accept(*words) or such_that(parser):
            tests.append(parser.expression(level))
            while closing and parser.accept(","):
                tests.append(parser.expression(level))
        if tight or not parser.accept("for", "forall"):
            break
    return binders, build.logic("and", tests, tests[0].at) if tests else None


def such_that(parser: Parser) -> bool:
    """Take "such that", "for which"."""
    said = parser.sees("such") and parser.sees("that", ahead=1)
    if said or (parser.sees("for") and parser.peek(1).text == "which"):
        parser.take()
        parser.take()
        return True
    return False


def _groups(parser: Parser, binders: list[Binder], tests: list[Node], tight: bool) -> None:
    """One or more groups of names, each with its domain."""
    _group(parser, binders, tests, tight)
    while (parser.sees(",") and (not tight or _another(parser))) or _and_another(parser):
        parser.take()
        _group(parser, binders, tests, tight)


def _another(parser: Parser) -> bool:
    """Whether behind the comma another index with its set follows."""
    return parser.peek(1).kind == "name" and parser.sees("in", ahead=2)


def _and_another(parser: Parser) -> bool:
    """over k and l: whether behind the "and" an index stands, and not a condition."""
    name, behind = parser.peek(1), parser.peek(2)
    ends = behind.kind == "end" or behind.text in ("of", ")", "}", ":", "if", "with", "where")
    return parser.sees("and") and name.kind == "name" and len(name.text) == 1 and ends


def _group(parser: Parser, binders: list[Binder], tests: list[Node], tight: bool) -> None:
    parser.accept("all")
    parser.accept("the")
    if parser.peek().text in NOUNS and parser.peek(1).text in ("(", *"ijklmnpq"):
        parser.take()
    found = _between(parser)
    if found is not None:
        binders.append(found)
        return
    token = parser.peek()
    names = _names(parser)
    if parser.accept("in"):
        domain = _domain(parser, names, tests, _SET if tight else _VALUE)
        if dots(parser):
            last = plus_one(build.number(parser.expression(_VALUE)))
            domain = Range(build.number(domain), last, token.at)
        binders.append(Binder(names, domain, token.at))
    elif parser.accept("=") or parser.accept("=="):
        start = parser.expression(_VALUE)
        stop: Node = start
        if dots(parser) or (parser.peek().text == "to" and parser.take()):
            stop = parser.expression(_VALUE)
        binders.append(Binder(names, Range(start, plus_one(stop), token.at), token.at))
    else:
        binders.append(Binder(names, None, token.at))
        relation = parser.accept("!=", "<", "<=", ">", ">=") if len(names) == 1 else None
        if relation is not None:
            # sum_{m != k}: the index that runs begins a condition on itself.
            own, other = Name(names[0], token.at), build.number(parser.expression(_SUM - 1))
            tests.append(Comparison((relation.text,), (own, other), relation.at))
    _holding(parser, names, tests)


def dots(parser: Parser) -> bool:
    """Take .., or , ... ,"""
    for start in (0, 1, 3):
        commas = all(parser.sees(",", ahead=n) for n in range(0, start, 2))
        if commas and parser.sees("..", "...", ahead=start):
            for _ in range(start + 1):
                parser.take()
            parser.accept(",")
            return True
    return False


def _between(parser: Parser) -> Binder | None:
    """0 <= a < kh: the integers between; None where something else stands."""
    ahead = 0
    while parser.peek(ahead).kind == "number" or parser.sees("-", "+", ahead=ahead):
        ahead += 1
    if ahead == 0 or not parser.sees("<", "<=", ahead=ahead):
        return None
    at = parser.peek().at
    start = parser.expression(_SUM - 1)
    first = parser.take().text
    name = index_name(parser.take())
    if not parser.sees("<", "<="):
        raise parser.unexpected("an upper limit is expected", "write 0 <= a < kh")
    last = parser.take().text
    stop = parser.expression(_SUM - 1)
    start = start if first == "<=" else plus_one(start)
    return Binder((name,), Range(start, stop if last == "<" else plus_one(stop), at), at)


def plus_one(last: Node) -> Node:
    """Ho - 1 included is Ho excluded."""
    if isinstance(last, Arithmetic) and last.op == "-" and last.right == Number(1.0):
        return last.left
    return build.arithmetic("+", last, Number(1.0, last.at), last.at)


def _domain(parser: Parser, names: tuple[str, ...], tests: list[Node], level: int) -> Node:
    at = parser.peek().at
    node = parser.expression(level)
    token = parser.accept("except", "without")
    if token is not None:
        node = Arithmetic("-", node, parser.expression(_SUM), token.at)
    if isinstance(node, Arithmetic) and node.op == "-" and isinstance(node.right, Pair):
        here = Pair(tuple(Name(name, at) for name in names), at)
        tests.append(Comparison(("!=",), (here, node.right), at))
        node = node.left
    if isinstance(node, Pair):
        raise OffsetError("This is one place, not a set.", "write Omega(k,l), or range(Ho)", at)
    return node


def _holding(parser: Parser, names: tuple[str, ...], tests: list[Node]) -> None:
    """windows (k,l) containing (i,j), that contain (i,j)."""
    at = parser.peek().at
    words = [parser.peek(ahead).text for ahead in (0, 1)]
    if words[0] in _HOLDING or parser.sees("∋"):
        parser.take()
    elif words[0] in ("that", "which") and words[1] in ("contain", "contains", "cover", "covers"):
        parser.take()
        parser.take()
    else:
        return
    place = parser.expression(_SUM)
    window = Window(tuple(Name(name, at) for name in names), at)
    tests.append(Comparison(("in",), (place, window), at))


def _names(parser: Parser) -> tuple[str, ...]:
    bracket = parser.accept("(")
    found: list[str] = []
    while True:
        token = parser.peek()
        if token.kind != "name":
            hint = "write sum(... for k,l if (i,j) in Omega(k,l)), or max(x[p,q] for p,q in ...)"
            raise parser.unexpected("the name of an index is expected", hint)
        parser.take()
        found.append(index_name(token))
        # A comma may also start the next group: "k in range(Ho), l in range(Wo)".
        if not (bracket or parser.peek(1).kind == "name") or not parser.accept(","):
            break
    if bracket:
        parser.expect(")", "after the indices")
    if len(found) == 1 and len(found[0]) == 2 and found[0].isalpha():
        return tuple(found[0])
    return tuple(found)


def index_name(token: Token) -> str:
    name = token.text
    if token.kind != "name" or name in TAKEN or (canonical(name) is not None and len(name) > 1):
        raise OffsetError(
            f"'{name}' has a meaning already, it cannot be an index.",
            "choose another letter, such as p or q",
            token.at,
        )
    return name


def letters(text: str, token: Token) -> Binder:
    """The binder of Σ_kl."""
    names: list[str] = []
    for part in build.letters(text, token.at):
        if not isinstance(part, Name):
            raise OffsetError("A sum runs over letters, not numbers.", "write sum_{k,l}", token.at)
        names.append(index_name(Token("name", part.name, token.at)))
    return Binder(tuple(names), None, token.at)
