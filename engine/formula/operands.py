"""What an expression is made of: numbers, names with indices, brackets, derivatives, cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.formula import build, kronecker, quantifiers, reducers
from engine.formula.braces import braces
from engine.formula.brackets import brackets, indicator
from engine.formula.derivatives import derivative, derivative_in_brackets, is_derivative, of_x
from engine.formula.names import (
    ARRAYS,
    FUNCTIONS,
    INDEXED,
    INDICATORS,
    LOSSES,
    REDUCERS,
    SCALARS,
    canonical,
)
from engine.formula.problem import OffsetError
from engine.formula.subscripts import SECOND, arguments, message, resolve, subscripts
from engine.formula.tokens import Token
from engine.formula.tree import Apply, Choice, Indicator, Name, Node, Number, Pair

if TYPE_CHECKING:
    from engine.formula.parser import Parser


def operand(parser: Parser) -> Node:
    token = parser.peek()
    if token.kind == "number":
        return _number(parser)
    if token.kind == "name":
        return _named(parser)
    if parser.accept("["):
        return indicator(parser, token, "]")
    if parser.sees("("):
        return derivative_in_brackets(parser) or brackets(parser)
    if parser.accept("{"):
        return braces(parser, token)
    if parser.accept("|"):
        inner = parser.expression()
        parser.expect("|", "to close the absolute value")
        return Apply("abs", (build.number(inner),), token.at)
    if parser.accept("#"):
        # the size of a set: #{(p,q) in Omega(k,l) : C}
        return Apply("abs", (operand(parser),), token.at)
    if parser.sees("the") and parser.vocabulary.canonical(parser.peek(1).text) in REDUCERS:
        parser.take()
        return operand(parser)
    if parser.sees("where") and parser.sees("(", ahead=1):
        token = parser.take()
        parser.take()
        return where(parser, token)
    if parser.sees("all", "any") and parser.sees("(", ahead=1):
        return quantifiers.called(parser, parser.take())
    if parser.accept("forall", "exists"):
        return quantifiers.ahead(parser, token)
    if parser.accept("cases"):
        return operand(parser)
    if token.kind == "word" and token.text in ("otherwise", "else"):
        raise OffsetError(f"This '{token.text}' follows no 'if'.", "write A if C else B", token.at)
    raise parser.unexpected("a number, a name or a bracket is expected")


def where(parser: Parser, token: Token) -> Node:
    """where(C, A, B), as NumPy has it, behind its bracket: A if C else B"""
    parts = arguments(parser, ")")
    if len(parts) != 3:
        hint = "write where(condition, value, otherwise), or A if C else B"
        raise OffsetError(f"where takes 3 arguments, here are {len(parts)}.", hint, token.at)
    test, value, other = parts
    return Choice(build.condition(test), build.number(value), build.number(other), token.at)


def _number(parser: Parser) -> Node:
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
            return indicator(parser, token, "]")
        if parser.accept("{"):
            return indicator(parser, token, "}")
        if parser.accept("("):
            inner = parser.expression()
            parser.expect(")", "to close the bracket")
            if build.is_condition(inner):
                return Indicator(inner, token.at)
            return build.arithmetic("*", Number(1.0, token.at), inner, opened.at)
    return Number(value, token.at)


def _named(parser: Parser) -> Node:
    token = parser.take()
    if token.text == "arg" and parser.peek().text[:3] in ("max", "min"):
        token = Token("name", "arg" + parser.take().text, token.at)
    name, subscript = resolve(parser, token)
    special = parser.vocabulary.special(parser, name, subscript, token)
    if special is not None:
        return special
    if name in parser.defined:
        return _defined(parser, name, subscript, token)
    if name in ("ij", "kl") and not parser.sees("(", "[", "_"):
        return Pair(tuple(build.letters(name, token.at)), token.at)
    if parser.vocabulary.canonical(name) is None:
        return _plain_name(parser, name, token)
    if name in LOSSES or (name in ("df", "dx") and is_derivative(parser)):
        return derivative(parser, name, subscript, token)
    if name in REDUCERS:
        return reducers.reducer(parser, name, subscript, token)
    if name in INDEXED:
        return _indexed(parser, "delta" if name == "df" else name, subscript, token)
    if not subscript and (name in FUNCTIONS or name == "range"):
        return _call(parser, name, token)
    if name in INDICATORS and parser.sees("[", "(", "{", "_"):
        parser.accept("_")
        opened = parser.take()
        return indicator(parser, token, {"[": "]", "(": ")", "{": "}"}[opened.text])
    if subscript:
        hint = "write it without indices" if name in SCALARS else f"write {name}(...)"
        raise OffsetError(f"'{name}' takes no indices.", hint, token.at)
    return _plain_name(parser, name, token)


def _plain_name(parser: Parser, name: str, token: Token) -> Node:
    """An index or a scalar.  Called or indexed, it is refused: it is never guessed a product."""
    declared = name in SCALARS or (len(name.rstrip("'*")) == 1 and name[0].islower())
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
    return Name(name, token.at)


def _defined(parser: Parser, name: str, subscript: str, token: Token) -> Node:
    arity = parser.defined[name]
    if arity == 0:
        # A definition m = max(window(k,l)) may be used as m_kl: it depends on k and l anyway.
        if subscript or parser.peek().kind == "subs":
            indices = subscripts(parser, subscript, token)
            if tuple(getattr(index, "name", "") for index in indices or ()) == ("k", "l"):
                return Name(name, token.at)
            raise OffsetError(
                f"'{name}' is defined without indices.", f"write {name}[k,l] = ...", token.at
            )
        return Name(name, token.at)
    indices = subscripts(parser, subscript, token, arity)
    if indices is None and name in parser.parameters:
        # i* of (i*(k,l), j*(k,l)) = ...: the one of the k and l that are spoken of.
        indices = [Name(one, token.at) for one in parser.parameters[name]]
    if indices is None:
        raise OffsetError(f"'{name}' is defined with {arity} indices.", "write them", token.at)
    return build.applied(name, indices, token.at, arity)


def _indexed(parser: Parser, name: str, subscript: str, token: Token) -> Node:
    if name == "delta":
        name, subscript = message(parser, subscript) or (name, subscript)
    indices = subscripts(parser, subscript, token, INDEXED[name])
    if indices is None:
        if name in (*ARRAYS, "dx", "J"):
            return Name(name, token.at)
        raise OffsetError(f"{name} needs its indices.", f"write {name}(k,l)", token.at)
    if len(indices) > 1 and isinstance(indices[0], Name) and name == "delta":
        first = canonical(indices[0].name)
        if first in SECOND:
            name, indices = SECOND[first], indices[1:]
    if name == "delta":
        name = (message(parser, "") or (name, ""))[0]
    if name == "delta" and (kronecker.starred(indices) or kronecker.of_places(indices)):
        return kronecker.equal(indices[0], indices[1], token.at)
    node = build.applied(name, indices, token.at)
    if name == "f":
        of_x(parser)
    return node


def _call(parser: Parser, name: str, token: Token) -> Node:
    if not parser.accept("("):
        raise OffsetError(f"{name} is a function.", f"write {name}(...)", token.at)
    found = arguments(parser, ")")
    if name == "range":
        return build.range_of(found, token.at)
    if len(found) != FUNCTIONS[name]:
        wanted = FUNCTIONS[name]
        message = f"{name} takes {wanted} argument{'s' * (wanted > 1)}, here are {len(found)}."
        raise OffsetError(
            message, f"write {name}(x[i,j])" if wanted == 1 else f"write {name}(i, p)", token.at
        )
    if name == "kron" and kronecker.of_places(found):
        return kronecker.equal(found[0], found[1], token.at)
    return Apply(name, tuple(map(build.number, found)), token.at)
