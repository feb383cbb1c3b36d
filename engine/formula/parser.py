"""The Pratt parser of expressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.formula import names, notation
from engine.formula import tree as t
from engine.formula.binders import (
    ahead,
    called,
    dots,
    ended,
    plus_one,
    quantified_behind,
    reducer,
    such_that,
)
from engine.formula.notation import Grammar, Vocabulary, message
from engine.formula.tokens import COMPARISONS, Token
from engine.formula.tree import OffsetError

# -- What braces hold: cases { A if C; B otherwise } in the spellings of learners, a set, a range.


_CASE_VALUE = 15
"""Binds tighter than "if": the condition of a case is the brace's, not the value's."""
_LIKE = "write { A if C; 0 otherwise }"


def braces(parser: Parser, opened: Token) -> t.Node:
    """What stands behind '{', up to '}'; a lone expression in braces is just grouped."""
    return cases(parser, opened, "}")


def cases(parser: Parser, opened: Token, closing: str) -> t.Node:
    """Cases up to `closing`, or with "" up to the end of the line."""
    found: list[tuple[t.Node, t.Node, int]] = []
    default: t.Node | None = None
    while default is None:
        _skip(parser)
        if _closed(parser, closing):
            break
        token = parser.peek()
        if parser.accept("otherwise", "else"):
            parser.accept(":") or parser.accept(",")
            default = parser.expression(_CASE_VALUE)
            break
        value = parser.expression(_CASE_VALUE)
        if not found and closing:
            grouped = _grouped(parser, value)
            if grouped is not None:
                return grouped
        if t.is_condition(value) and parser.accept(":"):
            found.append((parser.expression(_CASE_VALUE), value, token.at))
            continue
        parser.accept(",", ":", "|")
        if parser.accept("otherwise", "else"):
            default = value
        else:
            found.append((value, _test(parser, closing), token.at))
            if parser.sees("else", "otherwise") and not parser.sees("}", ahead=1):
                continue
    _skip(parser)
    if closing:
        parser.expect(closing, "after the last case")
    elif parser.peek().kind != "end":
        raise parser.unexpected("the cases are complete before it", _LIKE)
    return _chain(parser, found, default, opened)


def _closed(parser: Parser, closing: str) -> bool:
    return parser.sees(closing) if closing else parser.peek().kind == "end"


def _grouped(parser: Parser, value: t.Node) -> t.Node | None:
    """{ value }, {(p,q) in Omega(k,l) : C}, {0, ..., n}; None where cases begin."""
    if parser.accept("}"):
        place = t.indices_and_set(value)
        return t.OwnSet(*place, None, value.at) if place and place[1] is not None else value
    place = t.indices_and_set(value)
    if place is not None and (parser.accept(":", "|", "if", "with", "where") or such_that(parser)):
        test = parser.expression(_CASE_VALUE)
        tests = [test]
        while parser.accept(","):
            tests.append(parser.expression(_CASE_VALUE))
        parser.expect("}", "to close the set")
        return t.OwnSet(*place, t.make_logic("and", tests, test.at), value.at)
    if not dots(parser):
        return None
    last = parser.expression(_CASE_VALUE)
    parser.expect("}", "to close the range")
    return t.Range(value, plus_one(last), value.at)


def _skip(parser: Parser) -> None:
    while parser.accept(";", ",", "and"):
        pass


def _test(parser: Parser, closing: str) -> t.Node:
    if parser.accept("if", "when", "for", "forall", "where"):
        pass
    elif _closed(parser, closing) or parser.sees(";"):
        said = "'if' and a condition are expected after the value"
        raise parser.unexpected(said, _LIKE)
    return t.as_condition(parser.test(_CASE_VALUE))


def _chain(
    parser: Parser, found: list[tuple[t.Node, t.Node, int]], default: t.Node | None, opened: Token
) -> t.Node:
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


# -- What an expression is made of: numbers, names with indices, brackets, derivatives, cases.


def operand(parser: Parser) -> t.Node:
    token = parser.peek()
    if token.kind == "number":
        return _number(parser)
    if token.kind == "name":
        return _named(parser)
    if parser.accept("["):
        return notation.indicator(parser, token, "]")
    if parser.sees("("):
        return notation.derivative_in_brackets(parser) or notation.brackets(parser)
    if parser.accept("{"):
        return braces(parser, token)
    if parser.accept("|"):
        inner = parser.expression()
        parser.expect("|", "to close the absolute value")
        return t.Apply("abs", (t.as_number(inner),), token.at)
    if parser.accept("#"):
        # the size of a set: #{(p,q) in Omega(k,l) : C}
        return t.Apply("abs", (operand(parser),), token.at)
    if parser.sees("the") and parser.vocabulary.canonical(parser.peek(1).text) in names.REDUCERS:
        parser.take()
        return operand(parser)
    if parser.sees("where") and parser.sees("(", ahead=1):
        token = parser.take()
        parser.take()
        return where(parser, token)
    if parser.sees("all", "any") and parser.sees("(", ahead=1):
        return called(parser, parser.take())
    if parser.accept("forall", "exists"):
        return ahead(parser, token)
    if parser.accept("cases"):
        return operand(parser)
    if token.kind == "word" and token.text in ("otherwise", "else"):
        raise OffsetError(f"This '{token.text}' follows no 'if'.", "write A if C else B", token.at)
    raise parser.unexpected("a number, a name or a bracket is expected")


def where(parser: Grammar, token: Token) -> t.Node:
    """where(C, A, B), as NumPy has it, behind its bracket: A if C else B"""
    parts = notation.arguments(parser, ")")
    if len(parts) != 3:
        hint = "write where(condition, value, otherwise), or A if C else B"
        raise OffsetError(f"where takes 3 arguments, here are {len(parts)}.", hint, token.at)
    test, value, other = parts
    return t.Choice(t.as_condition(test), t.as_number(value), t.as_number(other), token.at)


def _number(parser: Parser) -> t.Node:
    token = parser.take()
    value = float(token.text)
    if value > 1e300:
        raise OffsetError(
            f"The number {token.text[:12]}... is too large.", "use a smaller one", token.at
        )
    if token.text == "1" and not parser.peek().spaced:
        opened = parser.peek()
        if parser.sees("_"):
            parser.take()
            opened = parser.peek()
        if parser.accept("["):
            return notation.indicator(parser, token, "]")
        if parser.accept("{"):
            return notation.indicator(parser, token, "}")
        if parser.accept("("):
            inner = parser.expression()
            parser.expect(")", "to close the bracket")
            if t.is_condition(inner):
                return t.Indicator(inner, token.at)
            return t.make_arithmetic("*", t.Number(1.0, token.at), inner, opened.at)
    return t.Number(value, token.at)


def _named(parser: Parser) -> t.Node:
    token = parser.take()
    if token.text == "arg" and parser.peek().text[:3] in ("max", "min"):
        token = Token("name", "arg" + parser.take().text, token.at)
    name, subscript = notation.resolve(parser, token)
    special = parser.vocabulary.special(parser, name, subscript, token)
    if special is not None:
        return special
    if name in parser.defined:
        return _defined(parser, name, subscript, token)
    if name in ("ij", "kl") and not parser.sees("(", "[", "_"):
        return t.Pair(tuple(t.split_letters(name, token.at)), token.at)
    if parser.vocabulary.canonical(name) is None:
        return _plain_name(parser, name, token)
    if name in names.REDUCERS:
        return reducer(parser, name, subscript, token)
    if name in names.INDEXED:
        return _indexed(parser, "delta" if name == "df" else name, subscript, token)
    if not subscript and (name in names.FUNCTIONS or name == "range"):
        return _call(parser, name, token)
    if name in names.INDICATORS and parser.sees("[", "(", "{", "_"):
        parser.accept("_")
        opened = parser.take()
        return notation.indicator(parser, token, {"[": "]", "(": ")", "{": "}"}[opened.text])
    if subscript:
        hint = "write it without indices" if name in names.SCALARS else f"write {name}(...)"
        raise OffsetError(f"'{name}' takes no indices.", hint, token.at)
    return _plain_name(parser, name, token)


def _plain_name(parser: Parser, name: str, token: Token) -> t.Node:
    """An index or a scalar.  Called or indexed, it is refused: it is never guessed a product."""
    declared = name in names.SCALARS or (len(name.rstrip("'*")) == 1 and name[0].islower())
    if parser.sees("(") or parser.peek().kind == "subs" or parser.sees("_"):
        what = "a number" if declared else None
        if what:
            raise OffsetError(
                f"'{name}' is {what}, not a function or an array.",
                f"for a product write {name} * (...)",
                token.at,
            )
        raise OffsetError(
            f"I do not know '{name}'.", parser.vocabulary.hint(name, (*parser.defined,)), token.at
        )
    if parser.sees("[") and not parser.peek().spaced:
        if declared:
            hint = f"for a product with an indicator write {name} * [...]"
            raise OffsetError(f"'{name}' is a number, it takes no indices.", hint, token.at)
        raise OffsetError(
            f"I do not know '{name}'.", parser.vocabulary.hint(name, (*parser.defined,)), token.at
        )
    return t.Name(name, token.at)


def _defined(parser: Parser, name: str, subscript: str, token: Token) -> t.Node:
    arity = parser.defined[name]
    if arity == 0:
        # A definition m = max(window(k,l)) may be used as m_kl: it depends on k and l anyway.
        if subscript or parser.peek().kind == "subs":
            indices = notation.subscripts(parser, subscript, token)
            if tuple(getattr(index, "name", "") for index in indices or ()) == ("k", "l"):
                return t.Name(name, token.at)
            raise OffsetError(
                f"'{name}' is defined without indices.", f"write {name}[k,l] = ...", token.at
            )
        return t.Name(name, token.at)
    indices = notation.subscripts(parser, subscript, token, arity)
    if indices is None and name in parser.parameters:
        # i* of (i*(k,l), j*(k,l)) = ...: the one of the k and l that are spoken of.
        indices = [t.Name(one, token.at) for one in parser.parameters[name]]
    if indices is None:
        raise OffsetError(f"'{name}' is defined with {arity} indices.", "write them", token.at)
    return t.with_indices(name, indices, token.at, arity)


def _indexed(parser: Parser, name: str, subscript: str, token: Token) -> t.Node:
    if name == "delta":
        name, subscript = message(parser, subscript) or (name, subscript)
    indices = notation.subscripts(parser, subscript, token, names.INDEXED[name])
    if indices is None:
        if name in (*names.ARRAYS, "dx", "J"):
            return t.Name(name, token.at)
        raise OffsetError(f"{name} needs its indices.", f"write {name}(k,l)", token.at)
    if len(indices) > 1 and isinstance(indices[0], t.Name) and name == "delta":
        first = names.canonical(indices[0].name)
        if first in notation.SECOND:
            name, indices = notation.SECOND[first], indices[1:]
    if name == "delta":
        name = (message(parser, "") or (name, ""))[0]
    if name == "delta" and (notation.starred(indices) or notation.of_places(indices)):
        return notation.equal(indices[0], indices[1], token.at)
    node = t.with_indices(name, indices, token.at)
    if name == "f":
        notation.of_x(parser)
    return node


def _call(parser: Parser, name: str, token: Token) -> t.Node:
    if not parser.accept("("):
        raise OffsetError(f"{name} is a function.", f"write {name}(...)", token.at)
    found = notation.arguments(parser, ")")
    if name == "range":
        return t.make_range(found, token.at)
    if len(found) != names.FUNCTIONS[name]:
        wanted = names.FUNCTIONS[name]
        message = f"{name} takes {wanted} argument{'s' * (wanted > 1)}, here are {len(found)}."
        raise OffsetError(
            message, f"write {name}(x[i,j])" if wanted == 1 else f"write {name}(i, p)", token.at
        )
    if name == "kron" and notation.of_places(found):
        return notation.equal(found[0], found[1], token.at)
    return t.Apply(name, tuple(map(t.as_number, found)), token.at)


# -- The expression grammar: a Pratt parser.  Numbers and conditions are told apart by the checker.
#
# Binding, loosest first: A if C else B; or; and; not; comparisons; + -; * / and products without
# a sign; a leading minus; powers.  Σ_{...} e takes a product, as in print.


IF, OR, AND, NOT, COMPARE, ADD, MULTIPLY, MINUS, POWER = range(10, 100, 10)
#: x_ij >= x_pq for all (p,q) in ...: looser than "and" and "or".
FOR_ALL: Final = 17
#: Steps of the grammar inside one another; far below Python's recursion limit.
MAX_DEPTH: Final = 60
#: Parts of what is read inside one another; a sum of n terms has n, as of a + b + c.
MAX_HEIGHT: Final = 120
_ARITHMETIC: Final = {"+": ADD, "-": ADD, "*": MULTIPLY, "/": MULTIPLY, "//": MULTIPLY}
_LOOSE: Final = {"if": IF, "when": IF, "or": OR, "and": AND}


class Parser(Grammar):
    """The grammar, with the names of a `vocabulary`."""

    def __init__(
        self, tokens: list[Token], defined: Mapping[str, int], vocabulary: Vocabulary
    ) -> None:
        super().__init__(tokens, defined, vocabulary)
        self._depth = 0
        self._body = -1
        self._case = -1

    def whole(self) -> t.Node:
        """The expression up to the end of the line, or a value and its condition in turns."""
        start, opened = self._next, self.peek()
        node = self.expression()
        if self.peek().kind != "end":
            said = self.unexpected("the formula is complete before it")
            if not (self.sees(",", "for", "and") and self.more_cases()):
                raise said
            self._next = start
            node = cases(self, opened, "")
        _no_higher(node)
        return node

    def body(self) -> t.Node:
        before, self._body = self._body, self._depth + 1
        node = self.expression()
        self._body = before
        return node

    def expression(self, binding: int = 0) -> t.Node:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise OffsetError(
                "The formula is nested too deeply here.",
                "take the inner part out into a line that defines it",
                self.peek().at,
            )
        node = self._prefix()
        while True:
            if self._quantified(node, binding):
                node = quantified_behind(self, node)
            elif self._binding() > binding:
                node = self._infix(node)
            else:
                break
        self._depth -= 1
        return node

    def _quantified(self, node: t.Node, binding: int) -> bool:
        """Whether the condition that was read holds "for all (p,q) in ..."."""
        if binding >= FOR_ALL or self._depth == self._body or not t.is_condition(node):
            return False
        behind = int(self.sees(","))
        return self.sees("forall", "exists", ahead=behind)

    def _prefix(self) -> t.Node:
        token = self.peek()
        if self.accept("-"):
            return t.make_negative(self.expression(MULTIPLY), token.at)
        if self.accept("+"):
            return t.as_number(self.expression(MULTIPLY))
        if self.accept("not"):
            return t.Not(t.as_condition(self.expression(NOT)), token.at)
        if self.accept("if", "when"):
            return self._then(token)
        return operand(self)

    def _binding(self) -> int:
        token = self.peek()
        if token.kind == "op" and token.text in _ARITHMETIC:
            return _ARITHMETIC[token.text]
        if self.sees("%"):
            return MULTIPLY
        if self.sees("^"):
            return POWER
        if self.sees("?"):
            return IF
        if self.sees(*COMPARISONS):
            return COMPARE
        if token.kind == "word":
            parted = token.text == "and" and self.parts_cases(self._depth == self._case)
            return 0 if parted else _LOOSE.get(token.text, 0)
        # A product without a sign; two numbers in a row are a slip, not a product.
        if token.kind == "name" or self.sees("(", "[", "{") or self._indicator():
            return MULTIPLY
        return 0

    def test(self, binding: int) -> t.Node:
        """The condition of a case, up to an "and" behind which the next case stands."""
        before, self._case = self._case, self._depth + 1
        node = self.expression(binding)
        self._case = before
        return node

    def _indicator(self) -> bool:
        token = self.peek()
        if token.kind != "number" or token.text != "1":
            return False
        if self.sees("(", ahead=1) and not self.peek(1).spaced:
            return any(self.tests(one) for one in self.inside(1))
        return self.sees("[", "{", "_", ahead=1)

    def _infix(self, left: t.Node) -> t.Node:
        token = self.peek()
        if self.sees(*COMPARISONS):
            return self._comparison(left)
        if self.accept("if", "when"):
            return self._alternative(self.expression(IF), left, token)
        if self.accept("?"):
            value = self.expression(IF)
            self.expect(":", "in C ? A : B")
            other = self.expression(IF - 1)
            return t.Choice(t.as_condition(left), t.as_number(value), t.as_number(other), token.at)
        for op, level in (("or", OR), ("and", AND)):
            if self.accept(op):
                return t.make_logic(op, [left, self.expression(level)], token.at)
        if self.accept("^"):
            return t.make_arithmetic("^", left, self.expression(POWER - 1), token.at)
        if token.kind == "op" and token.text in ("+", "-", "*", "/", "//", "%"):
            self.take()
            level = _ARITHMETIC.get(token.text, MULTIPLY)
            open_ended = token.text == "/" and not self.sees("(") and not self.sees("(", ahead=1)
            right = self.expression(level)
            if open_ended:
                ended(right)
            return t.make_arithmetic(token.text, left, right, token.at)
        return t.make_arithmetic("*", left, self.expression(MULTIPLY), token.at)

    def _comparison(self, left: t.Node) -> t.Node:
        start = self.peek().at
        ops: list[str] = []
        parts = [left]
        while self.sees(*COMPARISONS):
            ops.append(self._relation())
            parts.append(self.expression(COMPARE))
        if ops == ["∋"]:
            return t.Comparison(("in",), (parts[1], parts[0]), start)
        found = t.Comparison(tuple(ops), tuple(parts), start)
        at = next(n for n, token in enumerate(self._tokens) if token.at == start)
        # x_ij is the max of Omega(k,l)
        worded = [token.text for token in self._tokens[at : at + 2]] == ["is", "the"]
        return _within(found) if ops == ["=="] and worded else found

    def _relation(self) -> str:
        """One relation's sign or words; "is" is "==", "is in" is "in"."""
        token = self.take()
        if token.text == "is" and self.sees("in"):
            token = self.take()
        named = self.peek(1).text in ("max", "min", "argmax", "argmin", "arg")
        if token.text == "is" and self.sees("the") and named:
            self.take()  # is the argmax of ...
        if token.text in ("=", "is"):
            if token.text == "is" and self.accept("not"):
                return "not in" if self.accept("in") else "!="
            return "=="
        if token.text == "not":
            self.expect("in", "after 'not'")
            return "not in"
        return token.text

    def _then(self, token: Token) -> t.Node:
        """if C then A else B"""
        test = self.expression(IF)
        if not (self.accept("then") or self.accept(":") or self.accept(",")):
            raise self.unexpected("'then' is expected after the condition")
        value = self.expression(IF)
        return self._alternative(test, value, token)

    def _alternative(self, test: t.Node, value: t.Node, token: Token) -> t.Node:
        later = self.sees(",", ";", "and") and self.comes("otherwise", "else")
        if later:
            self.take()
            self.accept("and")
        if self.accept("else", "otherwise"):
            self.accept(":") or self.accept(",")
            other = self.expression(IF - 1)
        elif later:
            other = self.expression(IF)
            self.accept(",")
            if not self.accept("otherwise", "else"):
                raise self.unexpected("'otherwise' is expected")
        else:
            raise OffsetError(
                f"This '{token.text}' has no 'else'.",
                "add 'else 0', or move the condition behind 'for k,l'",
                token.at,
            )
        return t.Choice(t.as_condition(test), t.as_number(value), t.as_number(other), token.at)


def _no_higher(node: t.Node) -> None:
    """Refuse what is too high: whoever walks through it goes into each part from the one above."""
    level = [node]
    for _ in range(MAX_HEIGHT):
        level = [part for one in level for part in t.children(one)]
    if level:
        raise OffsetError(
            f"This formula has more than {MAX_HEIGHT} terms, factors or functions in a row.",
            "take a part of it out into a line that defines it",
            level[0].at,
        )


def _within(test: t.Comparison) -> t.Node:
    """x_ij is the max of Omega(k,l): as large as it, and in the window that it is the max of."""
    left, right = test.operands
    if not (isinstance(left, t.Cell) and left.array == "x" and len(left.indices) == 2):
        return test
    if not (isinstance(right, t.Over) and isinstance(right.region, t.Window)):
        return test
    place = t.Pair((left.indices[0], left.indices[1]), left.at)
    inside = t.Comparison(("in",), (place, right.region), test.at)
    return t.make_logic("and", [test, inside], test.at)
