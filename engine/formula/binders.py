"""What binds an index: sums, quantifiers, sets, clauses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from engine.formula import tree as t
from engine.formula.names import TAKEN, canonical
from engine.formula.notation import resolve
from engine.formula.parser import FOR_ALL, MINUS, MULTIPLY, PRODUCT, VALUE, Parser
from engine.formula.rewrite import free_names, mapped, substituted
from engine.formula.tokens import NOUNS, Token
from engine.formula.tree import OffsetError

# -- What runs in a sum, and where: k,l [in SET] [for ...] [if C], 0 <= a < kh, k = 0 .. Ho-1.


#: Where "and", a comma or another word ends what runs: a set, or one comparison.
_SET, _TEST, _SUM = 50, 49, 60
_SUCH: Final = ("if", "where", "with", "when", ":", "|")
_TIGHT: Final = ("where", "with")
_HOLDING: Final = ("containing", "covering", "including", "holding")


def clauses(
    parser: Parser, closing: tuple[str, ...], tight: bool = False
) -> tuple[list[t.Binder], t.Node | None]:
    """What runs, and under which condition; `tight`: up to the first "and" that is not its own."""
    binders: list[t.Binder] = []
    tests: list[t.Node] = []
    level, words = (_TEST, _TIGHT) if tight else (VALUE, _SUCH)
    while True:
        _groups(parser, binders, tests, tight)
        while parser.accept(*words) or such_that(parser):
            tests.append(parser.expression(level))
            while closing and parser.accept(","):
                tests.append(parser.expression(level))
        if tight or not parser.accept("for", "forall"):
            break
    return binders, t.make_logic("and", tests, tests[0].at) if tests else None


def such_that(parser: Parser) -> bool:
    """Take "such that", "for which"."""
    said = parser.sees("such") and parser.sees("that", ahead=1)
    if said or (parser.sees("for") and parser.peek(1).text == "which"):
        parser.take()
        parser.take()
        return True
    return False


def _groups(parser: Parser, binders: list[t.Binder], tests: list[t.Node], tight: bool) -> None:
    """One or more groups of names, each with its domain."""
    _group(parser, binders, tests, tight)
    while True:
        another = parser.peek(1).kind == "name" and parser.sees("in", ahead=2)
        if not ((parser.sees(",") and (another or not tight)) or _and_another(parser)):
            break
        parser.take()
        _group(parser, binders, tests, tight)


def _and_another(parser: Parser) -> bool:
    """over k and l: whether behind the "and" an index stands, and not a condition."""
    name, behind = parser.peek(1), parser.peek(2)
    ends = behind.kind == "end" or behind.text in ("of", ")", "}", ":", "if", "with", "where")
    return parser.sees("and") and name.kind == "name" and len(name.text) == 1 and ends


def _group(parser: Parser, binders: list[t.Binder], tests: list[t.Node], tight: bool) -> None:
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
        domain = _domain(parser, names, tests, _SET if tight else VALUE)
        if dots(parser):
            last = plus_one(t.as_number(parser.expression(VALUE)))
            domain = t.Range(t.as_number(domain), last, token.at)
        # a,b in {0,1}: each of them; p,q in Omega(k,l): both.
        each = isinstance(domain, t.Range) and token.text == names[0]
        groups = [(name,) for name in names] if each else [names]
        binders += [t.Binder(group, domain, token.at) for group in groups]
    elif parser.accept("=") or parser.accept("=="):
        start = parser.expression(VALUE)
        stop: t.Node = start
        if dots(parser) or (parser.peek().text == "to" and parser.take()):
            stop = parser.expression(VALUE)
        binders.append(t.Binder(names, t.Range(start, plus_one(stop), token.at), token.at))
    else:
        binders.append(t.Binder(names, None, token.at))
        relation = parser.accept("!=", "<", "<=", ">", ">=") if len(names) == 1 else None
        if relation is not None:
            # sum_{m != k}: the index that runs begins a condition on itself.
            own, other = t.Name(names[0], token.at), t.as_number(parser.expression(_SUM - 1))
            tests.append(t.Comparison((relation.text,), (own, other), relation.at))
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


def _between(parser: Parser) -> t.Binder | None:
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
    return t.Binder((name,), t.Range(start, stop if last == "<" else plus_one(stop), at), at)


def plus_one(last: t.Node) -> t.Node:
    """Ho - 1 included is Ho excluded."""
    if isinstance(last, t.Arithmetic) and last.op == "-" and last.right == t.Number(1.0):
        return last.left
    return t.make_arithmetic("+", last, t.Number(1.0, last.at), last.at)


def _domain(parser: Parser, names: tuple[str, ...], tests: list[t.Node], level: int) -> t.Node:
    at = parser.peek().at
    node = parser.expression(level)
    token = parser.accept("except", "without")
    if token is not None:
        node = t.Arithmetic("-", node, parser.expression(_SUM), token.at)
    if isinstance(node, t.Arithmetic) and node.op == "-" and isinstance(node.right, t.Pair):
        here = t.Pair(tuple(t.Name(name, at) for name in names), at)
        tests.append(t.Comparison(("!=",), (here, node.right), at))
        node = node.left
    if isinstance(node, t.Pair):
        raise OffsetError("This is one place, not a set.", "write Omega(k,l), or range(Ho)", at)
    return node


def _holding(parser: Parser, names: tuple[str, ...], tests: list[t.Node]) -> None:
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
    window = t.Window(tuple(t.Name(name, at) for name in names), at)
    tests.append(t.Comparison(("in",), (place, window), at))


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


def letters(text: str, token: Token) -> t.Binder:
    """The binder of Σ_kl."""
    names: list[str] = []
    for part in t.split_letters(text, token.at):
        if not isinstance(part, t.Name):
            raise OffsetError("A sum runs over letters, not numbers.", "write sum_{k,l}", token.at)
        names.append(index_name(Token("name", part.name, token.at)))
    return t.Binder(tuple(names), None, token.at)


# -- Conditions that hold for all of a set, or for some: all(C for p,q in Omega(k,l)), C ∀ p,q ∈ Ω.
#
# They are counts: all(C for ...) is count(not C for ...) == 0, any(C for ...) count(C for ...) >
# 0.


def called(parser: Parser, token: Token) -> t.Node | None:
    """all(C for p,q in Omega(k,l)), any(C for ...)"""
    if not parser.sees("(", ahead=1):
        return None
    parser.take()
    parser.take()
    test = parser.body()
    if not parser.accept("for", "forall", "over", ":", "|"):
        said = f"'for' and what runs are expected in {token.text}( )"
        hint = f"write {token.text}(x[i,j] >= x[p,q] for p,q in Omega(k,l))"
        raise parser.unexpected(said, hint)
    binders, condition = clauses(parser, (")",))
    parser.expect(")", f"to close {token.text}(")
    return (every if token.text == "all" else some)(test, binders, condition, token.at)


def ahead(parser: Parser, token: Token) -> t.Node:
    """for all (p,q) in Omega(k,l): C, ∃ (p,q) ∈ Ω(k,l): C"""
    parser.take()
    binders, condition = clauses(parser, (), tight=True)
    if token.text == "exists" and condition is not None and not parser.sees(":", "|"):
        return some(condition, binders, None, token.at)
    if not (parser.accept(":", ",", "|") or such_that(parser) or parser.sees("(", "[")):
        shown = {"forall": "for all", "exists": "there is"}[token.text]
        said = f"':' and what holds are expected behind '{shown}'"
        hint = "write for all (p,q) in Omega(k,l): x[i,j] >= x[p,q]"
        raise parser.unexpected(said, hint)
    test = parser.expression(FOR_ALL)
    if parser.sees(":", "|") and condition is None:
        parser.take()  # for all (p,q) in Omega(k,l), (p,q) != (i,j): C
        condition, test = t.as_condition(test), parser.expression(FOR_ALL)
    return (some if token.text == "exists" else every)(test, binders, condition, token.at)


def is_quantified(parser: Parser, left: t.Node) -> bool:
    """Whether the condition that was read holds "for all (p,q) in ..."."""
    if parser.in_body() or not t.is_condition(left):
        return False
    return parser.sees("forall", "exists", ahead=int(parser.sees(",")))


def quantified(parser: Parser, test: t.Node, token: Token) -> t.Node:
    """C for all (p,q) in Omega(k,l), with what else is asked of p and q."""
    parser.accept(",")
    token = parser.take()
    binders, condition = clauses(parser, (), tight=True)
    tests = [] if condition is None else [condition]
    own = {name for binder in binders for name in binder.names}
    while (
        parser.sees(",", "and")
        and not parser.sees("forall", "exists", ahead=1)
        and own & parser.coming()
    ):
        parser.take()
        tests.append(parser.expression(_TEST))
    found = t.make_logic("and", tests, tests[0].at) if tests else None
    return (some if token.text == "exists" else every)(test, binders, found, token.at)


def every(test: t.Node, binders: list[t.Binder], condition: t.Node | None, at: int) -> t.Node:
    fails = t.Not(t.as_condition(test), test.at)
    count = t.Reduce("count", fails, tuple(binders), condition, at)
    return t.Comparison(("==",), (count, t.Number(0.0, at)), at)


def some(test: t.Node, binders: list[t.Binder], condition: t.Node | None, at: int) -> t.Node:
    count = t.Reduce("count", t.as_condition(test), tuple(binders), condition, at)
    return t.Comparison((">",), (count, t.Number(0.0, at)), at)


# -- Sums that do not say over what, or behind: Σ e over all k,l, and Σ δ_kl [...] of windows.


_WINDOW: Final = ("k", "l")


def sum_without_index(parser: Parser, kind: str, token: Token) -> t.Node:
    """Σ e over all k,l with C; or Σ e, where e itself tells."""
    body = parser.expression(PRODUCT)
    if isinstance(body, t.Reduce) and body.kind == kind and body.names == _WINDOW:
        return body  # ΣΣ δ_kl [...], one for k and one for l
    if parser.accept("over", "forall"):
        binders, condition = clauses(parser, ())
        return t.Reduce(kind, t.as_number(body), tuple(binders), condition, token.at)
    found = implied(parser, kind, [body], token)
    messages = found is None and not t.is_condition(body) and "delta" in free_names(body)
    if messages and (parser.accept("with", "where") or such_that(parser)):
        # the sum of delta[k,l] with C: of those for which C holds
        test = t.as_condition(parser.expression(VALUE))
        return t.Reduce(kind, body, (t.Binder(_WINDOW, None, token.at),), test, token.at)
    if found is None:
        raise silent(kind, token)
    return found


def implied(parser: Parser, kind: str, found: list[t.Node], token: Token) -> t.Node | None:
    """The sum of delta[k,l] times something: over the windows, there is nothing else to sum."""
    if kind != "sum" or len(found) != 1 or not parser.vocabulary.windows:
        return None
    free = free_names(found[0])
    if not {*_WINDOW, "delta"} <= free or not free & {"i", "j"}:
        return None
    return t.Reduce(
        kind, t.as_number(found[0]), (t.Binder(_WINDOW, None, token.at),), None, token.at
    )


def silent(kind: str, token: Token) -> OffsetError:
    hint = f"write {kind}(window(k,l))"
    if kind in ("sum", "count", "mean", "prod"):
        hint = f"write {kind}(... for k,l if (i,j) in Omega(k,l))"
    return OffsetError(f"'{token.text}' does not say over what.", hint, token.at)


# -- sum, max, argmax, count ... in their spellings: sum(e for k,l if C), sum_{k,l : C} e, sum over
# k,l of e, max(window(k,l)), max{x_pq : (p,q) in Omega(k,l)}.


#: What takes a set of values in braces.
_EXTREMA: Final = ("max", "min", "argmax", "argmin")
_OF_SETS: Final = ("max", "min", "argmax", "argmin", "count", "sum")


def reducer(parser: Parser, kind: str, subscript: str, token: Token) -> t.Node:
    """A sum, a maximum, a place, a number of places."""
    if parser.peek().text == "of" and kind != "count" and not subscript:
        parser.take()  # the maximum of Omega(k,l), the sum of x[k] over k
        parser.accept("all")
    following = parser.peek()
    if subscript:
        return _bodied(parser, kind, [letters(subscript, token)], None, token)
    if following.kind == "subs":
        parser.take()
        return _bodied(parser, kind, [letters(following.text, following)], None, token)
    if parser.accept("_"):
        if parser.sees("("):
            return _bodied(parser, kind, *clauses(parser, (), tight=True), token)
        parser.expect("{", "after '_'")
        return _subscripted(parser, kind, token)
    if parser.accept("over", "for", "forall"):
        binders, condition = clauses(parser, ())
        parser.accept("of") or parser.accept(":") or parser.accept(",")
        return _bodied(parser, kind, binders, condition, token)
    if following.text == "from":
        return _bodied(parser, kind, [_from(parser)], None, token)
    if parser.accept("("):
        return _called(parser, kind, token, ")")
    if kind in ("argmax", "argmin") and parser.accept("["):
        return _called(parser, kind, token, "]")
    if parser.sees("in") and canonical(parser.peek(1).text.split("_")[0]) == "Omega":
        parser.take()  # x_ij is max in Omega(k,l)
        following = parser.peek()
    if kind in _EXTREMA and following.text == "x" and parser.peek(1).kind != "subs":
        held = t.region_of(parser.expression(MULTIPLY), parser.vocabulary.arrays)
        if held is not None:
            return t.Over(kind, held, token.at)
        raise silent(kind, token)
    if kind in _OF_SETS and parser.accept("{"):
        return _called(parser, kind, token, "}")
    if following.kind == "name" and canonical(following.text.split("_")[0]) == "Omega":
        return t.make_over(kind, [parser.expression(PRODUCT)], token.at)
    if kind == "sum" and (following.kind in ("name", "number") or parser.sees("[")):
        return sum_without_index(parser, kind, token)
    raise silent(kind, token)


def number_of(parser: Parser, _name: str, _subscript: str, token: Token) -> t.Node | None:
    """the number of (p,q) in Omega(k,l) with C"""
    if parser.peek().text != "of":
        return None
    parser.take()
    binders, condition = clauses(parser, ())
    return make(parser, "count", condition or _always(token.at), binders, None, token.at)


def _from(parser: Parser) -> t.Binder:
    """sum from k = 0 to Ho-1 of e"""
    parser.take()
    token = parser.peek()
    name = index_name(parser.take())
    parser.expect("=", "after the index")
    start = _limit(parser)
    if parser.peek().text != "to":
        raise parser.unexpected("'to' and the last index are expected", "write k = 0 to Ho - 1")
    parser.take()
    stop = _limit(parser)
    parser.accept("of") or parser.accept(":") or parser.accept(",")
    return t.Binder((name,), t.Range(start, plus_one(stop), token.at), token.at)


def _limit(parser: Parser) -> t.Node:
    """Ho - 1, without a product: what follows it is what is summed."""
    node = parser.expression(MULTIPLY)
    while (sign := parser.accept("+", "-")) is not None:
        node = t.make_arithmetic(sign.text, node, parser.expression(MULTIPLY), sign.at)
    return node


def _called(parser: Parser, kind: str, token: Token, closing: str) -> t.Node:
    if parser.sees("[") and parser.lists():
        # sum([e for k,l if C]), as Python has it
        opened = parser.take()
        found_in = _called(parser, kind, opened, "]")
        parser.expect(closing, f"to close {kind}(")
        return found_in
    if parser.sees(closing):
        raise OffsetError(f"{kind}() is empty.", "say what it runs over", token.at)
    first = parser.body()
    place = t.indices_and_set(first)
    if kind == "count" and place is not None and parser.accept(":", "|", "if", "where", "with"):
        # the number of (p,q) in Omega(k,l) with C
        test = parser.expression()
        parser.expect(closing, f"to close {kind}")
        return make(parser, kind, test, [t.Binder(*place, first.at)], None, token.at)
    if parser.accept("for", "forall", "over", ":", "|"):
        binders, condition = clauses(parser, (closing,))
        parser.expect(closing, f"to close {kind}{'(' if closing == ')' else ''}")
        return make(parser, kind, first, binders, condition, token.at)
    found = [first]
    while parser.accept(","):
        found.append(parser.expression())
    if parser.sees("for"):
        at = parser.peek().at
        raise OffsetError("This 'for' follows a comma.", f"write {kind}(value for k,l)", at)
    parser.expect(closing, f"to close {kind}(")
    summed = implied(parser, kind, found, token)
    return summed or t.make_over(kind, found, token.at, parser.vocabulary.arrays)


def _subscripted(parser: Parser, kind: str, token: Token) -> t.Node:
    """After sum_{ : binders and a condition, or a set; then ^{limit}, then the body."""
    if canonical(parser.peek().text.split("_")[0]) == "Omega":
        region = parser.expression()
        parser.expect("}", "after the set")
        held = _members_summed(region)
        if held is not None:
            return _bodied(parser, kind, *held, token)
        body = parser.expression(PRODUCT)
        if body != t.Name("x"):
            hint = f"write {kind}_{{(p,q) in Omega(k,l)}} x_pq"
            raise OffsetError("The set does not name the indices that run.", hint, token.at)
        return t.Over(kind, region, token.at)
    binders, condition = clauses(parser, ("}",))
    parser.expect("}", "after the indices")
    if parser.accept("^"):
        binders[-1] = _limited(parser, binders[-1])
    return _bodied(parser, kind, binders, condition, token)


def _members_summed(node: t.Node) -> tuple[list[t.Binder], t.Node] | None:
    """Omega(k,l) ∋ (i,j) below a sum: over the k and l of the windows that hold (i,j)."""
    if not (isinstance(node, t.Comparison) and node.ops == ("in",)):
        return None
    window = node.operands[1]
    if not isinstance(window, t.Window):
        return None
    names = tuple(index.name for index in window.indices if isinstance(index, t.Name))
    return ([t.Binder(names, None, node.at)], node) if len(names) == 2 else None


def _limited(parser: Parser, binder: t.Binder) -> t.Binder:
    """sum_{k=0}^{Ho-1}: the upper limit is included."""
    if not isinstance(binder.domain, t.Range) or len(binder.names) != 1:
        hint = "write sum_{k=0}^{Ho-1}, or sum(... for k in range(Ho))"
        raise parser.unexpected("an upper limit needs a lower one, as in sum_{k=0}^{Ho-1}", hint)
    if parser.accept("{"):
        last = parser.expression()
        parser.expect("}", "after the upper limit")
    elif parser.peek().kind == "name" and parser.sees("(", ahead=1) and parser.peek(1).spaced:
        token = parser.take()  # sum_{i=1}^n (x_i - t_i): what follows is summed
        last = t.Name(resolve(parser, token)[0], token.at)
    else:
        last = parser.expression(MINUS)
    return t.Binder(
        binder.names, t.Range(binder.domain.start, plus_one(last), binder.at), binder.at
    )


def _bodied(
    parser: Parser, kind: str, binders: list[t.Binder], condition: t.Node | None, token: Token
) -> t.Node:
    names = tuple(name for binder in binders for name in binder.names)
    bare = parser.peek().kind == "end" or parser.peek().kind in ("op", "word")
    starts = parser.sees("(", "[", "{", "-", "|")
    if kind in ("argmax", "argmin") and len(names) == 2 and bare and not starts:
        # argmax_kl on its own: the place of the maximum of window (k,l).
        return t.make_over(kind, [t.Name(name, token.at) for name in names], token.at)
    return make(parser, kind, parser.expression(PRODUCT), binders, condition, token.at)


def make(
    parser: Parser,
    kind: str,
    body: t.Node,
    binders: list[t.Binder],
    condition: t.Node | None,
    at: int,
) -> t.Node:
    names = [name for binder in binders for name in binder.names]
    if len(set(names)) != len(names):
        raise OffsetError(f"An index occurs twice in this {kind}.", "give each its own letter", at)
    if kind in ("argmax", "argmin") and len(names) not in parser.vocabulary.places:
        raise OffsetError(f"{kind} is a place: it runs over two indices.", f"write {kind}(k,l)", at)
    if len(names) > 4:
        raise OffsetError(f"This {kind} runs over {len(names)} indices.", "four are the most", at)
    if kind == "prod":
        return _product(body, binders, condition, at)
    body = t.as_condition(body) if kind == "count" else t.as_number(body)
    return t.Reduce(kind, body, tuple(binders), condition, at)


def _product(body: t.Node, binders: list[t.Binder], condition: t.Node | None, at: int) -> t.Node:
    """A product of conditions: 1 where they hold for all."""
    factors, rest = [], [body]
    while rest:
        one = rest.pop()
        if isinstance(one, t.Arithmetic) and one.op in t.PRODUCTS:
            rest += [one.right, one.left]
        else:
            factors.append(one)
    if not all(isinstance(one, t.Indicator) or t.is_condition(one) for one in factors):
        raise OffsetError(
            "I read a product over indices of conditions alone.",
            "write prod([x[i,j] >= x[p,q]] for p,q in Omega(k,l)), or a sum",
            at,
        )
    return t.Indicator(every(t.make_logic("and", factors, at), binders, condition, at), at)


# -- Braces: cases { A if C; B otherwise } in the spellings of learners, a set, a range.


_LIKE: Final = "write { A if C; 0 otherwise }"
Cases = list[tuple[t.Node, t.Node, int]]


def braces(parser: Parser, token: Token) -> t.Node:
    """What stands behind '{', up to '}'; a lone expression in braces is just grouped."""
    parser.take()
    return cases(parser, token, "}")


def cases(parser: Parser, opened: Token, closing: str) -> t.Node:
    """Cases up to `closing`, or with "" up to the end of the line."""
    found: Cases = []
    default: t.Node | None = None
    while default is None:
        _skip(parser)
        if _closed(parser, closing):
            break
        token = parser.peek()
        if parser.accept("otherwise", "else"):
            parser.accept(":") or parser.accept(",")
            default = parser.expression(VALUE)
            break
        value = parser.expression(VALUE)
        if not found and closing:
            grouped = _grouped(parser, value)
            if grouped is not None:
                return grouped
        if t.is_condition(value) and parser.accept(":"):
            found.append((parser.expression(VALUE), value, token.at))
            continue
        parser.accept(",", ":", "|")
        if parser.accept("otherwise", "else"):
            default = value
        else:
            found.append((value, _case_test(parser, closing), token.at))
            if parser.sees("else", "otherwise") and not parser.sees("}", ahead=1):
                continue
    _skip(parser)
    if closing:
        parser.expect(closing, "after the last case")
    elif parser.peek().kind != "end":
        raise parser.unexpected("the cases are complete before it", _LIKE)
    return _chosen(parser, found, default, opened)


def _closed(parser: Parser, closing: str) -> bool:
    return parser.sees(closing) if closing else parser.peek().kind == "end"


def _grouped(parser: Parser, value: t.Node) -> t.Node | None:
    """{ value }, {(p,q) in Omega(k,l) : C}, {0, ..., n}; None where cases begin."""
    if parser.accept("}"):
        place = t.indices_and_set(value)
        return t.OwnSet(*place, None, value.at) if place and place[1] is not None else value
    place = t.indices_and_set(value)
    if place is not None and (parser.accept(":", "|", "if", "with", "where") or such_that(parser)):
        test = parser.expression(VALUE)
        tests = [test]
        while parser.accept(","):
            tests.append(parser.expression(VALUE))
        parser.expect("}", "to close the set")
        return t.OwnSet(*place, t.make_logic("and", tests, test.at), value.at)
    if isinstance(value, t.Number) and (numbers := _listed(parser, value)) is not None:
        return numbers
    if not dots(parser):
        return None
    last = parser.expression(VALUE)
    parser.expect("}", "to close the range")
    return t.Range(value, plus_one(last), value.at)


def _listed(parser: Parser, first: t.Number) -> t.Node | None:
    """{0, 1, 2}, numbers in a row"""
    last = first.value
    ahead = 0
    while parser.sees(",", ahead=ahead) and parser.peek(ahead + 1).text == f"{last + 1:.0f}":
        last, ahead = last + 1, ahead + 2
    if not parser.sees("}", ahead=ahead):
        return None
    for _ in range(ahead + 1):
        parser.take()
    return t.Range(first, t.Number(last + 1, first.at), first.at)


def _skip(parser: Parser) -> None:
    while parser.accept(";", ",", "and"):
        pass


def _case_test(parser: Parser, closing: str) -> t.Node:
    if parser.accept("if", "when", "for", "forall", "where"):
        pass
    elif _closed(parser, closing) or parser.sees(";"):
        said = "'if' and a condition are expected after the value"
        raise parser.unexpected(said, _LIKE)
    return t.as_condition(parser.test(VALUE))


def _chosen(parser: Parser, found: Cases, default: t.Node | None, opened: Token) -> t.Node:
    if default is None and len(found) == 2:
        if t.are_opposite(found[0][1], found[1][1]):
            default = found.pop()[0]
        elif parser.vocabulary.windows:
            # Where neither condition holds, nothing is said.
            at = opened.at
            default = t.Arithmetic("/", t.Number(0.0, at), t.Number(0.0, at), at)
    if default is None or not found:
        raise OffsetError(
            "These cases do not say what holds in every other case."
            if found
            else "These braces hold no case.",
            _LIKE,
            opened.at,
        )
    node = t.as_number(default)
    for value, test, at in reversed(found):
        node = t.Choice(test, t.as_number(value), node, at)
    return node


# -- Sets of one's own, S(i,j) = {(k,l) : C}: put in place where they are used, and nowhere else.


@dataclass(slots=True)
class Sets:
    """The sets that lines define, and how many parts were looked through for them so far."""

    named: Mapping[str, t.Definition]
    steps: int = 0


_MOST: Final = 20
MAX_DEPTH: Final = 90
MAX_STEPS: Final = 2_000


def expanded(definitions: list[t.Definition], body: t.Node) -> tuple[list[t.Definition], t.Node]:
    """The definitions that are no sets, and the body, with the sets in their places."""
    named = {one.names[0]: one for one in definitions if isinstance(one.body, t.OwnSet)}
    sets = Sets(named)
    rest = [one for one in definitions if one.names[0] not in named]
    return [replace(one, body=_put(one.body, sets)) for one in rest], _put(body, sets)


def _set(node: t.Node | None, sets: Sets, depth: int = 0) -> t.OwnSet | None:
    """The set that a node is, or names; its own domain put in place as well."""
    found: t.Node | None = node
    if isinstance(node, t.Name | t.Cell):
        name = t.name_of(node)
        if name not in sets.named:
            return None
        one = sets.named[name]
        indices = node.indices if isinstance(node, t.Cell) else ()
        found = substituted(one.body, dict(zip(one.parameters, indices, strict=False)))
    if not isinstance(found, t.OwnSet):
        return None
    if depth > _MOST:
        raise OffsetError("This set is defined by itself.", "define it by others", found.at)
    inner = _set(found.domain, sets, depth + 1)
    if inner is None:
        return found
    tests = [*_tests(found), *_tests(_of(inner, [t.Name(name, found.at) for name in found.names]))]
    return t.OwnSet(found.names, inner.domain, _all(tests), found.at)


def _of(found: t.OwnSet, items: list[t.Node]) -> t.OwnSet:
    """The set with its indices put by these."""
    if len(items) != len(found.names):
        raise OffsetError("This set holds pairs.", "write (i,j) in it", found.at)
    by = dict(zip(found.names, items, strict=True))
    condition = None if found.condition is None else substituted(found.condition, by)
    return replace(found, condition=condition)


def _tests(found: t.OwnSet) -> list[t.Node]:
    return [] if found.condition is None else [found.condition]


def _all(tests: list[t.Node]) -> t.Node | None:
    return t.make_logic("and", tests, tests[0].at) if tests else None


def _put(node: t.Node, sets: Sets, depth: int = 0) -> t.Node:
    depth += 1
    sets.steps += 1
    if depth > MAX_DEPTH or sets.steps > MAX_STEPS:
        raise OffsetError("The formula is too large.", "write it shorter", node.at)
    if isinstance(node, t.Reduce):
        node = _ranged(node, sets)
    elif isinstance(node, t.Comparison) and node.ops[-1] in ("in", "not in"):
        found = _set(node.operands[-1], sets)
        if found is not None and len(node.ops) == 1:
            return _put(_member(node, found), sets, depth)
    elif isinstance(node, t.Apply) and node.function == "abs":
        # |S| is the number of its places.
        held = node.arguments[0]
        found = _set(held, sets)
        if found is not None:
            binder = t.Binder(found.names, found.domain, found.at)
            test = found.condition or _always(node.at)
            return _put(t.Reduce("count", test, (binder,), None, node.at), sets, depth)
        if isinstance(held, t.Over | t.Reduce) and held.kind in ("argmax", "argmin"):
            used = free_names(held)
            pair = tuple(next(a for a in letters if a not in used) for letters in ("pmau", "qnbv"))
            binder = t.Binder(pair, mapped(held, lambda part: _put(part, sets, depth)), node.at)
            return t.Reduce("count", _always(node.at), (binder,), None, node.at)
        if isinstance(held, t.Window | t.Windows):
            return t.Over("count", mapped(held, lambda part: _put(part, sets, depth)), node.at)
    elif isinstance(node, t.OwnSet):
        raise OffsetError(
            "A set stands where a number belongs.",
            "compare with it, (i,j) in {...}, sum over it, or count it: |{...}|",
            node.at,
        )
    elif _set(node, sets) is not None:
        raise OffsetError(
            "This is a set, not a number.",
            "compare with it, (i,j) in S, sum over it, or count it: |S|",
            node.at,
        )
    return mapped(node, lambda part: _put(part, sets, depth))


def _always(at: int) -> t.Node:
    return t.Comparison(("==",), (t.Number(1.0, at), t.Number(1.0, at)), at)


def _ranged(node: t.Reduce, sets: Sets) -> t.Reduce:
    """A sum over a set of one's own: over the set's own range, where its condition holds."""
    binders: list[t.Binder] = []
    tests: list[t.Node] = []
    for binder in node.binders:
        found = _set(binder.domain, sets)
        if found is None:
            binders.append(binder)
            continue
        tests += _tests(_of(found, [t.Name(name, binder.at) for name in binder.names]))
        binders.append(replace(binder, domain=found.domain))
    if not tests and tuple(binders) == node.binders:
        return node
    if node.condition is not None:
        tests.append(node.condition)
    return replace(node, binders=tuple(binders), condition=_all(tests))


def _member(node: t.Comparison, found: t.OwnSet) -> t.Node:
    pair = node.operands[0]
    if not isinstance(pair, t.Pair):
        raise OffsetError("A set holds places.", "write (i,j) in it", pair.at)
    tests = _tests(_of(found, list(pair.items)))
    if found.domain is not None:
        tests.insert(0, t.Comparison(("in",), (pair, found.domain), node.at))
    whole = _all(tests) or _always(node.at)
    return whole if node.ops == ("in",) else t.Not(whole, node.at)
