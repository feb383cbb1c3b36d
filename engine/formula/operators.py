"""Rules of signs and words before, between and behind operands."""

from __future__ import annotations

from typing import Final

from engine.formula import tree as t
from engine.formula.notation import arguments, split_words, where
from engine.formula.parser import ADD, AND, COMPARE, ENTRY, IF, MULTIPLY, NOT, OR, POWER, Parser
from engine.formula.rewrite import free_names
from engine.formula.tokens import COMPARISONS, Token
from engine.formula.tree import PRODUCTS, REDUCERS, OffsetError, as_condition, as_number

# -- Signs and words before an operand.


def signed(parser: Parser, token: Token) -> t.Node:
    """-a, +a"""
    parser.take()
    inner = parser.expression(MULTIPLY)
    return t.make_negative(inner, token.at) if token.text == "-" else as_number(inner)


def negation(parser: Parser, token: Token) -> t.Node:
    """not C"""
    parser.take()
    return t.Not(as_condition(parser.expression(NOT)), token.at)


def if_then(parser: Parser, token: Token) -> t.Node:
    """if C then A else B"""
    parser.take()
    test = parser.expression(IF)
    if not (parser.accept("then") or parser.accept(":") or parser.accept(",")):
        raise parser.unexpected("'then' is expected after the condition")
    return _alternative(parser, test, parser.expression(IF), token)


def the_largest(parser: Parser, _token: Token) -> t.Node | None:
    """the max of ..."""
    if parser.vocabulary.canonical(parser.peek(1).text) not in REDUCERS:
        return None
    parser.take()
    return parser.operand()


def where_called(parser: Parser, token: Token) -> t.Node | None:
    if not parser.sees("(", ahead=1):
        return None
    parser.take()
    return where(parser, "where", "", token)


def cases_word(parser: Parser, _token: Token) -> t.Node:
    """cases { ... }"""
    parser.take()
    return parser.operand()


def stray_else(_parser: Parser, token: Token) -> t.Node:
    raise OffsetError(f"This '{token.text}' follows no 'if'.", "write A if C else B", token.at)


# -- Between two operands: choices, logic, comparisons.


def choice(parser: Parser, left: t.Node, token: Token) -> t.Node:
    """A if C else B"""
    parser.take()
    return _alternative(parser, parser.expression(IF), left, token)


def _alternative(parser: Parser, test: t.Node, value: t.Node, token: Token) -> t.Node:
    later = parser.sees(",", ";", "and") and parser.comes("otherwise", "else")
    if later:
        parser.take()
        parser.accept("and")
    if parser.accept("else", "otherwise"):
        parser.accept(":") or parser.accept(",")
        other = parser.expression(IF - 1)
    elif later:
        other = parser.expression(IF)
        parser.accept(",")
        if not parser.accept("otherwise", "else"):
            raise parser.unexpected("'otherwise' is expected")
    else:
        raise OffsetError(
            f"This '{token.text}' has no 'else'.",
            "add 'else 0', or move the condition behind 'for k,l'",
            token.at,
        )
    return t.Choice(as_condition(test), as_number(value), as_number(other), token.at)


def question(parser: Parser, left: t.Node, token: Token) -> t.Node:
    """C ? A : B"""
    parser.take()
    value = parser.expression(IF)
    parser.expect(":", "in C ? A : B")
    other = parser.expression(IF - 1)
    return t.Choice(as_condition(left), as_number(value), as_number(other), token.at)


def joins(parser: Parser, _left: t.Node) -> bool:
    """Whether an "and" joins conditions, and does not part two cases."""
    return not parser.parts_cases(parser.in_case())


def logic(parser: Parser, left: t.Node, token: Token) -> t.Node:
    """C and D, C or D"""
    parser.take()
    right = parser.expression(AND if token.text == "and" else OR)
    return t.make_logic(token.text, [left, right], token.at)


def comparison(parser: Parser, left: t.Node, token: Token) -> t.Node:
    """a < b <= c, (i,j) in Omega(k,l), x_ij is the max of Omega(k,l)"""
    worded = token.text == "is" and parser.sees("the", ahead=1)
    ops: list[str] = []
    parts = [left]
    while parser.sees(*COMPARISONS):
        ops.append(_relation(parser))
        parts.append(parser.expression(COMPARE))
    if ops == ["∋"]:
        return t.Comparison(("in",), (parts[1], parts[0]), token.at)
    found = t.Comparison(tuple(ops), tuple(parts), token.at)
    return _within(found) if ops == ["=="] and worded else found


def _relation(parser: Parser) -> str:
    """One relation's sign or words; "is" is "==", "is in" is "in"."""
    token = parser.take()
    if token.text == "is" and parser.sees("in"):
        token = parser.take()
    extremum = parser.peek(1).text in ("max", "min", "argmax", "argmin", "arg")
    if token.text == "is" and parser.sees("the") and extremum:
        parser.take()  # is the argmax of ...
    if token.text in ("=", "is"):
        if token.text == "is" and parser.accept("not"):
            return "not in" if parser.accept("in") else "!="
        return "=="
    if token.text == "not":
        parser.expect("in", "after 'not'")
        return "not in"
    return token.text


def _within(test: t.Comparison) -> t.Node:
    """x_ij is the max of Omega(k,l): as large as it, and in the window that it is the max of.

    (i,j) is the max of Omega(k,l): the place of it.
    """
    left, right = test.operands
    if isinstance(left, t.Pair) and isinstance(right, t.Over) and right.kind in ("max", "min"):
        return t.Comparison(
            ("==",), (left, t.Over(f"arg{right.kind}", right.region, right.at)), test.at
        )
    if not (isinstance(left, t.Cell) and left.array == "x" and len(left.indices) == 2):
        return test
    if not (isinstance(right, t.Over) and isinstance(right.region, t.Window)):
        return test
    place = t.Pair((left.indices[0], left.indices[1]), left.at)
    inside = t.Comparison(("in",), (place, right.region), test.at)
    return t.make_logic("and", [test, inside], test.at)


# -- Between two operands: arithmetic, products, powers.
#
# Which product a sign means is told by the character that was typed: on paper `W x` is the matrix
# product, `a ⊙ b` goes entry by entry, and `a · b` could be either.  So products keep their sign
# in the tree (PRODUCTS) where arrays may stand whole, until engine/messages/vectors.py knows the
# shapes on both sides.


_TYPED: Final = {**dict.fromkeys("⊙∘", "⊙"), **dict.fromkeys("·⋅∙•×", "·"), "@": "@", "⊗": "⊗"}


def added(parser: Parser, left: t.Node, token: Token) -> t.Node:
    """a + b, a - b"""
    parser.take()
    return t.make_arithmetic(token.text, left, parser.expression(ADD), token.at)


def divided(parser: Parser, left: t.Node, token: Token) -> t.Node:
    """a / b, a // b, a % b"""
    parser.take()
    open_ended = token.text == "/" and not parser.sees("(") and not parser.sees("(", ahead=1)
    right = parser.expression(MULTIPLY)
    if open_ended:
        _ended(right)
    return t.make_arithmetic(token.text, left, right, token.at)


def _ended(right: t.Node) -> None:
    """Raise OffsetError if a sum behind a '/' took in a factor that it does not run over.

    In a / sum_m b_m (c - d) the last bracket could be meant behind the fraction as well.
    """
    names: frozenset[str] = frozenset()
    node = right
    if isinstance(right, t.Arithmetic) and right.op == "^":
        node = right.left
    while isinstance(node, t.Reduce):
        names |= {*node.names}
        node = node.body
    factors: list[tuple[t.Node, int]] = []
    while isinstance(node, t.Arithmetic) and node.op in (*PRODUCTS, "/"):
        factors.append((node.right, node.at))
        node = node.left
    for factor, at in factors:
        if names and not names & free_names(factor):
            raise OffsetError(
                "I cannot tell whether this factor still belongs to the sum behind the '/'.",
                "put the denominator in brackets: a / (sum_{m} b_m) * (...)",
                at,
            )


def multiplied(parser: Parser, left: t.Node, token: Token) -> t.Node:
    """a * b, by the sign that was typed"""
    parser.take()
    sign = _TYPED.get(parser.typed(token), "*")
    return _product(parser, sign, left, token)


def beside(parser: Parser, left: t.Node, token: Token) -> t.Node:
    """a b, a product without a sign"""
    return _product(parser, " " if parser.source else "*", left, token)


def _product(parser: Parser, sign: str, left: t.Node, token: Token) -> t.Node:
    right = parser.expression(MULTIPLY)
    # a ⊙ W x is a ⊙ (W x): what stands side by side holds together.
    while sign != " " and parser.source and _side_by_side(parser, right):
        right = _product(parser, " ", right, parser.peek())
    return t.make_arithmetic(sign, left, right, token.at)


def _side_by_side(parser: Parser, right: t.Node) -> bool:
    rule = parser.behind(right)
    return rule is not None and rule.read is beside


def one_for_condition(parser: Parser, _left: t.Node) -> bool:
    """Whether a 1 with its condition follows; two numbers in a row are a slip, not a product."""
    if parser.peek().text != "1":
        return False
    if parser.sees("(", ahead=1) and not parser.peek(1).spaced:
        return any(parser.tests(one) for one in parser.inside(1))
    return parser.sees("[", "{", "_", ahead=1)


def power(parser: Parser, left: t.Node, token: Token) -> t.Node:
    """a^b"""
    parser.take()
    return t.make_arithmetic("^", left, parser.expression(POWER - 1), token.at)


# -- Behind a whole array: its transpose, its methods, an entry of what a bracket came to.


def transposes(parser: Parser, _left: t.Node) -> bool:
    return bool(parser.source) and _transposing(parser) > 0


def transposed(parser: Parser, left: t.Node, token: Token) -> t.Node:
    """W^T, W^{T}, W^(T), W.T"""
    for _ in range(_transposing(parser)):
        parser.take()
    return t.Apply("transpose", (as_number(left),), token.at)


def _transposing(parser: Parser) -> int:
    """How many tokens ^T, ^{T} or ^(T) has; 0 where it is a power."""
    opened = int(parser.sees("{", "(", ahead=1))
    token = parser.peek(1 + opened)
    if token.kind != "name" or token.text != "T":
        return 0
    words = parser.vocabulary
    sure = parser.typed(token) in ("⊤", "⊺", "ᵀ") or parser.typed(parser.peek()) == "."
    if not sure and (token.text in parser.defined or words.canonical("T") is not None):
        base = parser.peek(-1)
        if parser.sees("(", ahead=1) or words.canonical(base.text) not in (*words.arrays, "delta"):
            return 0
        said = "T is given here: ^T could be a power or a transpose."
        raise OffsetError(said, f"write {base.text}' or {base.text}^(T)", token.at)
    if opened and not parser.sees("}", ")", ahead=3):
        return 0
    return 2 + 2 * opened


def is_method(parser: Parser, _left: t.Node) -> bool:
    """Whether a.dot(b), v.sum() or A.mean(axis=0) goes on here."""
    return parser.typed(parser.peek()) == "."


def dot_method(parser: Parser, left: t.Node, token: Token) -> t.Node:
    """a.dot(b)"""
    parser.take()
    right = as_number(parser.expression(ENTRY))
    return t.Apply("dot", (as_number(left), right), token.at)


def sum_method(parser: Parser, left: t.Node, token: Token) -> t.Node:
    """v.sum(), A.mean(axis=0), which engine/messages/answer.py writes as v^{sum} and A^{mean0}"""
    parser.take()
    parser.take()
    kind = parser.take().text
    parser.take()
    axis = [t.Number(float(kind[-1]), token.at)] if kind[-1].isdigit() else []
    return t.Apply(f"~{kind.rstrip('01')}", (as_number(left), *axis), token.at)


def picks(parser: Parser, _left: t.Node) -> bool:
    """Whether a subscript follows a bracket: (W^T d)_j, (W^T d)[j]."""
    if not parser.source:
        return False
    if not parser.sees("["):
        return True
    before = parser.peek(-1)
    if before.text != ")" or before.kind != "op" or parser.peek().spaced:
        return False
    ahead = 1
    while not parser.sees("]", ahead=ahead):
        token = parser.peek(ahead)
        if not (token.kind in ("name", "number") or token.text in (",", "+", "-")):
            return False
        ahead += 1
    return True


def picked(parser: Parser, left: t.Node, token: Token) -> t.Node:
    """The entry of a whole array that a bracket came to."""
    sigma = isinstance(left, t.Apply) and left.function == "sigmoid"
    if sigma and parser.source[left.at : left.at + 5].startswith(("σ", "sigma")):
        said = "σ(...) with an index behind it could be the sigmoid of one entry, or softmax."
        raise OffsetError(said, "write σ(x[k]), or softmax(x)[k]", left.at)
    parser.take()
    if token.kind == "subs":
        found = t.split_letters(token.text, token.at)
    elif token.text == "_":
        parser.expect("{", "after '_'")
        found = split_words(arguments(parser, "}"))
    else:
        found = arguments(parser, "]")
    return t.Apply("entry", (as_number(left), *map(as_number, found)), token.at)
