"""What binds an index: sums, quantifiers, sets, clauses; and cases in braces."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, TypeAlias

from engine.formula import tree as t
from engine.formula.notation import resolve
from engine.formula.parser import FOR_ALL, MINUS, MULTIPLY, PRODUCT, VALUE, Parser
from engine.formula.rewrite import free_names
from engine.formula.tokens import NOUNS, SUCH_THAT, Token
from engine.formula.tree import REDUCERS, TAKEN, OffsetError, canonical

# -- What runs in a sum, and where: k,l [in SET] [for ...] [if C], 0 <= a < kh, k = 0 .. Ho-1.


#: What runs, and under which condition.
Running: TypeAlias = tuple[tuple[t.Binder, ...], t.Node | None]
#: Where "and", a comma or another word ends what runs: a set, or one comparison.
_SET, _TEST, _SUM = 50, 49, 60
_TIGHT: Final = (*SUCH_THAT, "where", "with")
_SUCH: Final = (*_TIGHT, "if", ":", "|")


def clauses(parser: Parser, listed: bool = False, tight: bool = False) -> Running:
    """What runs, and under which condition.

    `listed`: up to a bracket's end, a comma stands for "and"; `tight`: up to the first "and"
    that is not its own.
    """
    binders: list[t.Binder] = []
    tests: list[t.Node] = []
    level, words = (_TEST, _TIGHT) if tight else (VALUE, (*_SUCH, "when"))
    while True:
        _group(parser, binders, tests, tight)
        while _another(parser, tight):
            parser.take()
            _group(parser, binders, tests, tight)
        while parser.accept(*words):
            tests.append(parser.expression(level))
            while listed and parser.accept(","):
                tests.append(parser.expression(level))
        if tight or not parser.accept("for", "forall"):
            return tuple(binders), t.conjunction(tests)


def _another(parser: Parser, tight: bool) -> bool:
    """Whether behind a comma, or an "and", another index stands, and not a condition."""
    name, behind = parser.peek(1), parser.peek(2)
    if parser.sees(","):
        return not tight or (name.kind == "name" and parser.sees("in", ahead=2))
    ends = behind.kind == "end" or behind.text in ("of", ")", "}", ":", "if", "with", "where")
    return parser.sees("and") and name.kind == "name" and len(name.text) == 1 and ends


def _group(parser: Parser, binders: list[t.Binder], tests: list[t.Node], tight: bool) -> None:
    """Names, with what they run over and what is said of them."""
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
            last = t.as_number(parser.expression(VALUE))
            domain = _through(t.as_number(domain), last, token.at)
        # a,b in {0,1}: each of them; p,q in Omega(k,l): both.
        each = isinstance(domain, t.Range) and token.text == names[0]
        groups = [(name,) for name in names] if each else [names]
        binders += [t.Binder(group, domain, token.at) for group in groups]
    elif parser.accept("=", "=="):
        first = parser.expression(VALUE)
        last = parser.expression(VALUE) if dots(parser) or _to(parser) else first
        binders.append(t.Binder(names, _through(first, last, token.at), token.at))
    else:
        bound = {name for binder in binders for name in binder.names}
        # sum_{m != j, m != k}: the second condition is on the same index.
        again = bound.issuperset(names) and parser.sees("!=", "<", "<=", ">", ">=")
        binders += [] if again else [t.Binder(names, None, token.at)]
        relation = parser.accept("!=", "<", "<=", ">", ">=") if len(names) == 1 else None
        if relation is not None:
            # sum_{m != k}: the index that runs begins a condition on itself.
            own, other = t.Name(names[0], token.at), t.as_number(parser.expression(_SUM - 1))
            tests.append(t.Comparison((relation.text,), (own, other), relation.at))
    at = parser.peek().at
    if parser.accept("containing", "∋"):  # windows (k,l) containing (i,j)
        place = parser.expression(_SUM)
        window = t.Window(tuple(t.Name(name, at) for name in names), at)
        tests.append(t.Comparison(("in",), (place, window), at))


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
    start = start if first == "<=" else _plus_one(start)
    return t.Binder((name,), t.Range(start, stop if last == "<" else _plus_one(stop), at), at)


def _to(parser: Parser) -> bool:
    return parser.peek().text == "to" and bool(parser.take())


def _through(first: t.Node, last: t.Node, at: int) -> t.Range:
    """The integers from the first to the last."""
    return t.Range(first, _plus_one(last), at)


def _plus_one(last: t.Node) -> t.Node:
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


def _names(parser: Parser) -> tuple[str, ...]:
    bracket = parser.accept("(")
    found: list[str] = []
    while True:
        token = parser.peek()
        if token.kind != "name":
            hint = "write sum(... for n if ...), or max(a[n] for n in ...)"
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


def _letters(text: str, token: Token) -> Running:
    """What runs in Σ_kl."""
    names: list[str] = []
    for part in t.split_letters(text, token.at):
        if not isinstance(part, t.Name):
            raise OffsetError("A sum runs over letters, not numbers.", "write sum_{k,l}", token.at)
        names.append(index_name(Token("name", part.name, token.at)))
    return (t.Binder(tuple(names), None, token.at),), None


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
        hint = f"write {token.text}(a[n] > 0 for n)"
        raise parser.unexpected(said, hint)
    running = clauses(parser, listed=True)
    parser.expect(")", f"to close {token.text}(")
    return _held(token.text, test, running, token.at)


def ahead(parser: Parser, token: Token) -> t.Node:
    """for all (p,q) in Omega(k,l): C, ∃ (p,q) ∈ Ω(k,l): C"""
    parser.take()
    binders, condition = clauses(parser, tight=True)
    if token.text == "exists" and condition is not None and not parser.sees(":", "|"):
        return _held(token.text, condition, (binders, None), token.at)
    if not (parser.accept(":", ",", "|", *SUCH_THAT) or parser.sees("(", "[")):
        shown = {"forall": "for all", "exists": "there is"}[token.text]
        said = f"':' and what holds are expected behind '{shown}'"
        hint = "write for all n: a[n] > 0"
        raise parser.unexpected(said, hint)
    test = parser.expression(FOR_ALL)
    if parser.sees(":", "|") and condition is None:
        parser.take()  # for all (p,q) in Omega(k,l), (p,q) != (i,j): C
        condition, test = t.as_condition(test), parser.expression(FOR_ALL)
    return _held(token.text, test, (binders, condition), token.at)


def is_quantified(parser: Parser, left: t.Node) -> bool:
    """Whether the condition that was read holds "for all (p,q) in ..."."""
    if parser.in_body() or not t.is_condition(left):
        return False
    return parser.sees("forall", "exists", ahead=int(parser.sees(",")))


def quantified(parser: Parser, test: t.Node, token: Token) -> t.Node:
    """C for all (p,q) in Omega(k,l), with what else is asked of p and q."""
    parser.accept(",")
    token = parser.take()
    binders, condition = clauses(parser, tight=True)
    tests = [condition]
    own = {name for binder in binders for name in binder.names}
    while (
        parser.sees(",", "and")
        and not parser.sees("forall", "exists", ahead=1)
        and own & parser.coming()
    ):
        parser.take()
        tests.append(parser.expression(_TEST))
    return _held(token.text, test, (binders, t.conjunction(tests)), token.at)


def _held(word: str, test: t.Node, running: Running, at: int) -> t.Node:
    """The condition that a test holds for all that runs, or for some of it, as the word says."""
    some = word in ("any", "exists")
    test = t.as_condition(test)
    count = t.Reduce("count", test if some else t.Not(test, test.at), *running, at)
    return t.Comparison((">" if some else "==",), (count, t.Number(0.0, at)), at)


# -- Sums that do not say over what, or behind: Σ e over all k,l, and Σ δ_kl [...] of windows.


_WINDOW: Final = ("k", "l")


def sum_without_index(parser: Parser, kind: str, token: Token) -> t.Node:
    """Σ e over all k,l with C; or Σ e, where e itself tells."""
    body = parser.expression(PRODUCT)
    if isinstance(body, t.Reduce) and body.kind == kind and body.names == _WINDOW:
        return body  # ΣΣ δ_kl [...], one for k and one for l
    if parser.accept("over", "forall"):
        return t.Reduce(kind, t.as_number(body), *clauses(parser), token.at)
    found = _implied(parser, kind, body, token)
    if found is not None:
        return found
    if kind == "sum" and parser.source and not t.is_condition(body):
        # Over what, the letters of all of the formula tell: engine/messages/vocabulary.py.
        return t.Reduce(kind, t.as_number(body), (), None, token.at)
    messages = not t.is_condition(body) and "delta" in free_names(body)
    if messages and parser.accept(*_TIGHT):
        # the sum of delta[k,l] with C: of those for which C holds
        test = t.as_condition(parser.expression(VALUE))
        return t.Reduce(kind, body, (t.Binder(_WINDOW, None, token.at),), test, token.at)
    raise silent(kind, token.text, token.at)


def _implied(parser: Parser, kind: str, body: t.Node, token: Token) -> t.Node | None:
    """The sum of delta[k,l] times something: over the windows, there is nothing else to sum."""
    free = free_names(body) if kind == "sum" and parser.vocabulary.windows else frozenset()
    if not {*_WINDOW, "delta"} <= free or not free & {"i", "j"}:
        return None
    return t.Reduce(kind, t.as_number(body), (t.Binder(_WINDOW, None, token.at),), None, token.at)


def silent(kind: str, said: str, at: int) -> OffsetError:
    """The refusal of a sum that does not say what it runs over."""
    hint = f"write {kind}(window(k,l))"
    if kind in ("sum", "count", "mean", "prod"):
        hint = f"write {kind}(... for m,n)"
    return OffsetError(f"'{said}' does not say over what.", hint, at)


# -- sum, max, argmax, count ... in their spellings: sum(e for k,l if C), sum_{k,l : C} e, sum over
# k,l of e, max(window(k,l)), max{x_pq : (p,q) in Omega(k,l)}.


_PLACES: Final = ("argmax", "argmin")
_EXTREMA: Final = ("max", "min", *_PLACES)
#: The brackets that hold what an operator takes, each with how it closes and whose it is.
_BRACKETS: Final = {
    "(": (")", REDUCERS),
    "[": ("]", _PLACES),
    "{": ("}", (*_EXTREMA, "count", "sum")),
}


def reducer(parser: Parser, kind: str, subscript: str, token: Token) -> t.Node:
    """A sum, a maximum, a place, a number of places."""
    if parser.peek().text == "of" and kind != "count" and not subscript:
        parser.take()  # the maximum of Omega(k,l), the sum of x[k] over k
        parser.accept("all")
    following = parser.peek()
    if subscript:
        return _bodied(parser, kind, _letters(subscript, token), token)
    if following.kind == "subs":
        parser.take()
        return _bodied(parser, kind, _letters(following.text, following), token)
    if parser.accept("_"):
        if parser.sees("("):
            return _bodied(parser, kind, clauses(parser, tight=True), token)
        parser.expect("{", "after '_'")
        return _subscripted(parser, kind, token)
    if parser.accept("over", "for", "forall"):
        running = clauses(parser)
        parser.accept("of", ":", ",")
        return _bodied(parser, kind, running, token)
    if following.text == "from":
        return _bodied(parser, kind, ((_from(parser),), None), token)
    closing, kinds = _BRACKETS.get(following.text, ("", ()))
    if kind == "sum" and parser.typed(token) in ("Σ", "∑") and not parser.binds():
        return sum_without_index(parser, kind, token)  # Σ (x_n - m)², the sum of the squares
    if kind in kinds:
        parser.take()
        return _called(parser, kind, token, closing)
    if parser.sees("in") and _names_window(parser.peek(1)):
        parser.take()  # x_ij is max in Omega(k,l)
        following = parser.peek()
    if kind in _EXTREMA and following.text == "x" and parser.peek(1).kind != "subs":
        held = t.region_of(parser.expression(MULTIPLY), parser.vocabulary.arrays)
        if held is not None:
            return t.Over(kind, held, token.at)
    elif _names_window(following):
        return t.make_over(kind, [parser.expression(PRODUCT)], token.at)
    elif kind == "sum" and (following.kind in ("name", "number") or parser.sees("[", "|", "or")):
        return sum_without_index(parser, kind, token)
    raise silent(kind, token.text, token.at)


def determinant(parser: Parser, kind: str, subscript: str, token: Token) -> t.Node | None:
    """det(A[i,j] for i,j); None where no index is named."""
    if subscript or not parser.sees("(") or not parser.lists():
        return None
    parser.take()
    return _called(parser, kind, token, ")")


def log_of_sum(parser: Parser, _name: str, subscript: str, token: Token) -> t.Node | None:
    """logsumexp(x[k] for k), which is log(sum(exp(x[k]) for k)); None where no index is named."""
    total = determinant(parser, "sum", subscript, token)
    if not isinstance(total, t.Reduce):
        return None
    return t.Apply("log", (replace(total, body=t.Apply("exp", (total.body,))),), token.at)


def _names_window(token: Token) -> bool:
    return token.kind == "name" and canonical(token.text.split("_")[0]) == "Omega"


def number_of(parser: Parser, _name: str, _subscript: str, token: Token) -> t.Node | None:
    """the number of (p,q) in Omega(k,l) with C"""
    if parser.peek().text != "of":
        return None
    parser.take()
    binders, condition = clauses(parser)
    return _made(parser, "count", condition or t.always(token.at), (binders, None), token.at)


def _from(parser: Parser) -> t.Binder:
    """sum from k = 0 to Ho-1 of e"""
    parser.take()
    token = parser.take()
    name = index_name(token)
    parser.expect("=", "after the index")
    first = _limit(parser)
    if not _to(parser):
        raise parser.unexpected("'to' and the last index are expected", "write k = 0 to Ho - 1")
    found = t.Binder((name,), _through(first, _limit(parser), token.at), token.at)
    parser.accept("of", ":", ",")
    return found


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
    own = _own_set(parser, first) if kind == "count" else None
    if own is not None:  # the number of (p,q) in Omega(k,l) with C
        assert own.condition is not None
        parser.expect(closing, f"to close {kind}")
        binder = t.Binder(own.names, own.domain, own.at)
        return _made(parser, kind, own.condition, ((binder,), None), token.at)
    if parser.accept("for", "forall", "over", ":", "|"):
        running = clauses(parser, listed=True)
        parser.expect(closing, f"to close {kind}{'(' if closing == ')' else ''}")
        return _made(parser, kind, first, running, token.at)
    found = [first]
    while parser.accept(","):
        found.append(parser.expression())
    if parser.sees("for"):
        at = parser.peek().at
        raise OffsetError("This 'for' follows a comma.", f"write {kind}(value for k,l)", at)
    parser.expect(closing, f"to close {kind}(")
    summed = _implied(parser, kind, first, token) if len(found) == 1 else None
    return summed or t.make_over(kind, found, token.at, parser.vocabulary.arrays)


def _subscripted(parser: Parser, kind: str, token: Token) -> t.Node:
    """After sum_{ : binders and a condition, or a set; then ^{limit}, then the body."""
    if _names_window(parser.peek()):
        region = parser.expression()
        parser.expect("}", "after the set")
        held = _members_summed(region)
        if held is not None:
            return _bodied(parser, kind, held, token)
        body = parser.expression(PRODUCT)
        if body != t.Name("x"):
            hint = f"write {kind}_{{(p,q) in Omega(k,l)}} x_pq"
            raise OffsetError("The set does not name the indices that run.", hint, token.at)
        return t.Over(kind, region, token.at)
    binders, condition = clauses(parser, listed=True)
    parser.expect("}", "after the indices")
    if parser.accept("^"):
        binders = (*binders[:-1], _limited(parser, binders[-1]))
    return _bodied(parser, kind, (binders, condition), token)


def _members_summed(node: t.Node) -> Running | None:
    """Omega(k,l) ∋ (i,j) below a sum: over the k and l of the windows that hold (i,j)."""
    match node:
        case t.Comparison(("in",), (_, t.Window((t.Name(row), t.Name(column))))):
            return (t.Binder((row, column), None, node.at),), node
    return None


def _limited(parser: Parser, binder: t.Binder) -> t.Binder:
    """sum_{k=0}^{Ho-1}: the upper limit is included."""
    if not isinstance(binder.domain, t.Range) or len(binder.names) != 1:
        hint = "write sum_{k=0}^{Ho-1}, or sum(... for k in range(Ho))"
        raise parser.unexpected("an upper limit needs a lower one, as in sum_{k=0}^{Ho-1}", hint)
    if parser.accept("{"):
        last = _size_named(parser) or parser.expression()
        while (sign := parser.accept("+", "-")) is not None:
            last = t.make_arithmetic(sign.text, last, parser.expression(MULTIPLY), sign.at)
        parser.expect("}", "after the upper limit")
    elif parser.peek().kind == "name" and parser.sees("(", ahead=1) and parser.peek(1).spaced:
        token = parser.take()  # sum_{i=1}^n (x_i - t_i): what follows is summed
        last = t.Name(resolve(parser, token)[0], token.at)
    else:
        last = parser.expression(MINUS)
    return replace(binder, domain=_through(binder.domain.start, last, binder.at))


def _size_named(parser: Parser) -> t.Node | None:
    """W_o, a size: no sum runs up to an entry of an array."""
    token = parser.peek()
    head = token.text.split("_")[0]
    if token.kind != "name" or "_" not in token.text or head not in parser.vocabulary.arrays:
        return None
    return t.Name(parser.take().text, token.at)


def _bodied(parser: Parser, kind: str, running: Running, token: Token) -> t.Node:
    """What runs is read: what is summed follows."""
    names = [name for binder in running[0] for name in binder.names]
    bare = parser.peek().kind in ("op", "word", "end")
    starts = parser.sees("(", "[", "{", "-", "|")
    if kind in _PLACES and len(names) == 2 and bare and not starts:
        # argmax_kl on its own: the place of the maximum of window (k,l).
        return t.make_over(kind, [t.Name(name, token.at) for name in names], token.at)
    return _made(parser, kind, parser.expression(PRODUCT), running, token.at)


def inverse(parser: Parser, name: str, subscript: str, token: Token) -> t.Node | None:
    """inv(A), or inv(e for a,b) of the matrix with the entries e; None where none may stand."""
    if subscript or not parser.source or not parser.sees("("):
        return None
    parser.take()
    body = t.as_number(parser.expression())
    if parser.accept("for"):
        running = clauses(parser, listed=True)
        parser.expect(")", f"to close {name}(")
        return _made(parser, "inv", body, running, token.at)
    parser.expect(")", f"to close {name}(")
    return t.Apply("inv", (body,), token.at)


def _made(parser: Parser, kind: str, body: t.Node, running: Running, at: int) -> t.Node:
    names = [name for binder in running[0] for name in binder.names]
    if len(set(names)) != len(names):
        raise OffsetError(f"An index occurs twice in this {kind}.", "give each its own letter", at)
    if kind in _PLACES and len(names) not in parser.vocabulary.places:
        raise OffsetError(f"{kind} is a place: it runs over two indices.", f"write {kind}(k,l)", at)
    if len(names) > 4:
        raise OffsetError(f"This {kind} runs over {len(names)} indices.", "four are the most", at)
    if kind in t.OF_MATRICES and len(names) != 2:
        said = f"{kind} is of a matrix: it runs over two indices."
        raise OffsetError(said, f"write {kind}(A[i,j] for i,j)", at)
    if kind == "prod" and (held := _all_hold(parser, body, running, at)):
        return held
    body = t.as_condition(body) if kind == "count" else t.as_number(body)
    return t.Reduce(kind, body, *running, at)


def _all_hold(parser: Parser, body: t.Node, running: Running, at: int) -> t.Node | None:
    """A product of conditions: 1 where they hold for all; None of a product of numbers."""
    factors, rest = [], [body]
    while rest:
        one = rest.pop()
        if isinstance(one, t.Arithmetic) and one.op in t.PRODUCTS:
            rest += [one.right, one.left]
        else:
            factors.append(one)
    if all(isinstance(one, t.Indicator) or t.is_condition(one) for one in factors):
        test = t.make_logic("and", factors, at)
        return t.Indicator(_held("all", test, running, at), at)
    if not parser.vocabulary.windows:
        return None
    raise OffsetError(
        "I read a product over indices of conditions alone.",
        "write prod([condition] for ...), or a sum",
        at,
    )


# -- Braces: cases { A if C; B otherwise } in the spellings of learners, a set, a range.


_LIKE: Final = "write { A if C; 0 otherwise }"
#: What a formula is where none of its cases holds.
UNSAID: Final = t.Arithmetic("/", t.Number(0.0), t.Number(0.0))
#: The refusal of such cases, and the way out.
OPEN_CASES: Final = ("These cases do not say what holds in every other case.", _LIKE)
Cases = list[tuple[t.Node, t.Node, int]]


def braces(parser: Parser, token: Token) -> t.Node:
    """What stands behind '{', up to '}'; a lone expression in braces is just grouped."""
    parser.take()
    return cases(parser, token, "}")


def cases(parser: Parser, opened: Token, closing: str) -> t.Node:
    """Cases up to `closing`, or with "" up to the end of the line."""
    found: Cases = []
    default: t.Node | None = None
    while not _closed(parser) and default is None:
        token = parser.peek()
        if parser.accept("otherwise", "else"):
            parser.accept(":", ",")
            default = parser.expression(VALUE)
            continue
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
            found.append((value, _case_test(parser), token.at))
    if closing:
        parser.expect(closing, "after the last case")
    elif parser.peek().kind != "end":
        raise parser.unexpected("the cases are complete before it", _LIKE)
    return _chosen(found, default, opened)


def _closed(parser: Parser) -> bool:
    """Whether no case follows, behind what separates them."""
    while parser.accept(";", ",", "and"):
        pass
    return parser.sees("}") or parser.peek().kind == "end"


def _grouped(parser: Parser, value: t.Node) -> t.Node | None:
    """{ value }, {(p,q) in Omega(k,l) : C}, {0, ..., n}; None where cases begin."""
    if parser.accept("}"):
        place = t.indices_and_set(value)
        return t.OwnSet(*place, None, value.at) if place and place[1] is not None else value
    own = _own_set(parser, value)
    if own is not None:
        parser.expect("}", "to close the set")
        return own
    if isinstance(value, t.Number) and (numbers := _listed(parser, value)) is not None:
        return numbers
    if not dots(parser):
        return None
    last = parser.expression(VALUE)
    parser.expect("}", "to close the range")
    return _through(value, last, value.at)


def _own_set(parser: Parser, value: t.Node) -> t.OwnSet | None:
    """(p,q) in Omega(k,l) : C, where the value and what follows are such; else None."""
    place = t.indices_and_set(value)
    if isinstance(value, t.Name) and parser.sees(":", "|", *SUCH_THAT):
        place = (value.name,), None  # {n : C}
    if place is None or not parser.accept(*_SUCH):
        return None
    tests = [parser.expression(VALUE)]
    while parser.accept(","):
        tests.append(parser.expression(VALUE))
    return t.OwnSet(*place, t.conjunction(tests), value.at)


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


def _case_test(parser: Parser) -> t.Node:
    if not parser.accept("if", "when", "for", "forall", "where") and (
        parser.sees(";", "}") or parser.peek().kind == "end"
    ):
        said = "'if' and a condition are expected after the value"
        raise parser.unexpected(said, _LIKE)
    return t.as_condition(parser.test(VALUE))


def _chosen(found: Cases, default: t.Node | None, opened: Token) -> t.Node:
    if default is None and len(found) == 2 and t.are_opposite(found[0][1], found[1][1]):
        default = found.pop()[0]
    if default is None and len(found) > 1:
        # Where no condition holds, nothing is said.
        default = replace(UNSAID, at=opened.at)
    if default is None or not found:
        raise OffsetError(
            OPEN_CASES[0] if found else "These braces hold no case.",
            _LIKE,
            opened.at,
        )
    node = t.as_number(default)
    for value, test, at in reversed(found):
        node = t.Choice(test, t.as_number(value), node, at)
    return node
