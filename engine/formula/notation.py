"""Rules of operands: names with their indices, numbers, brackets; and what stands behind them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from engine.formula import tree as t
from engine.formula.parser import ENTRY, MULTIPLY, OR, Parser
from engine.formula.tokens import Token
from engine.formula.tree import (
    CALLED,
    CALLED_SO,
    FUNCTIONS,
    MORE_FUNCTIONS,
    SCALARS,
    OffsetError,
    UnknownError,
    as_condition,
    as_number,
    canonical,
)

# -- Names: the learner's own, functions, and what is an index or a number.


#: Functions of whole arrays, each with its number of arguments.
ARRAY_FUNCTIONS: Final = {
    **{
        "transpose": 1,
        "diag": 1,
        **dict.fromkeys(t.OF_WHOLES, 1),
        "outer": 2,
        "dot": 2,
        "matmul": 2,
        "multiply": 2,
    },
    **{"softmax": 1, "logsoftmax": 1, "log_softmax": 1, "solve": 2},
}
#: The inverse of a matrix, and what print calls it.
INVERSE: Final = ("inv", "inverse")
#: The same by names that nobody can type: an entry, <a, b>, and sums over everything.
INNER: Final = ("entry", "ones", "identity", "inv", "~inner", "~sum", "~mean", "~prod")
_ARGUMENTS: Final = {**FUNCTIONS, **dict.fromkeys(MORE_FUNCTIONS, 1), **CALLED}
_ALONE: Final = {"ones": "ones", "I": "identity"}


def number(parser: Parser, token: Token) -> t.Node:
    """A number; 1[C], 1_{C} and 1(C) are 1 where C holds."""
    parser.take()
    value = float(token.text)
    if value > 1e300:
        raise OffsetError(
            f"The number {token.text[:12]}... is too large.", "use a smaller one", token.at
        )
    if token.text == "1" and not parser.peek().spaced:
        opened = parser.peek()
        if parser.accept("_"):
            opened = parser.peek()
        if parser.accept("["):
            return indicator(parser, token, "]")
        if parser.accept("{"):
            return indicator(parser, token, "}")
        if parser.accept("("):
            inner = parser.expression()
            parser.expect(")", "to close the bracket")
            if t.is_condition(inner):
                return t.Indicator(inner, token.at)
            return t.make_arithmetic("*", t.Number(1.0, token.at), inner, opened.at)
    return t.Number(value, token.at)


def named(parser: Parser, token: Token) -> t.Node:
    """What a name means in this vocabulary, to the learner, in the table, or as an index."""
    parser.take()
    if token.text == "arg" and parser.peek().text[:3] in ("max", "min"):
        token = Token("name", "arg" + parser.take().text, token.at)
    name, subscript = resolve(parser, token)
    found = parser.vocabulary.special(parser, name, subscript, token)
    if found is not None:
        return found
    if name in parser.defined:
        return _defined(parser, name, subscript, token)
    for rule in parser.rules.names.get(name, ()):
        found = rule(parser, name, subscript, token)
        if found is not None:
            return found
    if name in ("ij", "kl") and not parser.sees("(", "[", "_"):
        return t.Pair(tuple(t.split_letters(name, token.at)), token.at)
    return _plain_name(parser, name, subscript, token)


def resolve(parser: Parser, token: Token) -> tuple[str, str]:
    """A name's meaning and the subscript written on it: x_ij is x with "ij"."""
    whole = token.text
    parts = whole.split("_")
    for size in range(len(parts), 0, -1):
        head = "_".join(parts[:size])
        name = head if head in parser.defined else parser.vocabulary.canonical(head)
        if name is not None:
            return name, "".join(parts[size:])
    indexed = len(parts) > 1 or parser.peek().kind == "subs" or parser.sees("[", "_")
    if indexed and (name := parser.vocabulary.matrix(parts[0])) is not None:
        return name, "".join(parts[1:])
    return whole, ""


def _defined(parser: Parser, name: str, subscript: str, token: Token) -> t.Node:
    arity = parser.defined[name]
    if arity == 0:
        # A definition m = max(window(k,l)) may be used as m_kl: it depends on k and l anyway.
        if subscript or parser.peek().kind == "subs":
            indices = subscripts(parser, subscript, token)
            if tuple(getattr(index, "name", "") for index in indices or ()) == ("k", "l"):
                return t.Name(name, token.at)
            raise OffsetError(
                f"'{name}' is defined without indices.", f"write {name}[k,l] = ...", token.at
            )
        of_inputs(parser, name)
        return t.Name(name, token.at)
    indices = subscripts(parser, subscript, token, arity)
    if indices is None and name in parser.parameters:
        # i* of (i*(k,l), j*(k,l)) = ...: the one of the k and l that are spoken of.
        indices = [t.Name(one, token.at) for one in parser.parameters[name]]
    if indices is None:
        raise OffsetError(f"'{name}' is defined with {arity} indices.", "write them", token.at)
    if len(indices) < arity and parser.vocabulary.takes_rows:
        return t.Apply("entry", (t.Name(name, token.at), *map(as_number, indices)), token.at)
    return t.with_indices(name, indices, token.at, arity, "see its definition")


def of_inputs(parser: Parser, name: str) -> None:
    """Takes the (x) of p(x), where p is what the forward message makes of x: no product."""
    if not parser.sees("(") or not parser.vocabulary.makes(name):
        return
    _, *inside = parser.inside(0)
    if inside and all(parser.vocabulary.takes(token.text) for token in inside):
        for _ in range(parser.past(0)):
            parser.take()


def _plain_name(parser: Parser, name: str, subscript: str, token: Token) -> t.Node:
    """An index or a scalar.  Called or indexed, it is refused: it is never guessed a product."""
    words = parser.vocabulary
    declared = words.canonical(name) is not None
    if declared and subscript:
        hint = "write it without indices" if name in SCALARS else f"write {name}(...)"
        raise OffsetError(f"'{name}' takes no indices.", hint, token.at)
    marked = parser.peek().kind == "subs" or parser.sees("_")
    square = parser.sees("[") and not parser.peek().spaced
    if not (marked or square or parser.sees("(")):
        return t.Name(name, token.at)
    letter = len(name.rstrip("'*")) == 1 and name[0].islower()
    touching = marked or not parser.peek().spaced
    if touching and not declared and name.rstrip("'*") not in words.letters:
        hint = words.hint(token.text, (*parser.defined,))
        if token.text.endswith("'"):
            hint = f"define it on a line of its own: {token.text}(t) = ..."
        raise UnknownError(token.text, hint, token.at)
    if not (letter or name in SCALARS):
        hint = words.hint(name, (*parser.defined,))
        raise UnknownError(name, hint, token.at)
    if square:
        hint = f"for a product with an indicator write {name} * [...]"
        raise OffsetError(f"'{name}' is a number, it takes no indices.", hint, token.at)
    said = f"'{name}' is a number, not a function or an array."
    raise OffsetError(said, f"for a product write {name} * (...)", token.at)


#: Functions whose first argument may be parted from the others by a bar.
_DENSITIES: Final = ("normal", "poisson", "bernoulli", "exponential")
_EXAMPLES: Final = {
    **{"kron": "kron(i, p)", "beta": "beta(a, b)", "binom": "binom(n, k)"},
    **{"normal": "normal(x, m, v), with the variance v", "poisson": "poisson(k, rate)"},
    **{"bernoulli": "bernoulli(x, p)", "exponential": "exponential(x, rate)"},
}


def function(parser: Parser, name: str, subscript: str, token: Token) -> t.Node | None:
    """A function of numbers with its bracket."""
    if subscript and (name in FUNCTIONS or not parser.sees("(")):
        return None
    count = _ARGUMENTS[name]
    if parser.sees("^") and parser.peek(1).kind == "number" and parser.sees("(", ahead=2):
        parser.take()  # tanh²(x) is tanh(x)²
        exponent = number(parser, parser.peek())
        inner = as_number(brackets(parser, parser.peek()))
        return t.make_arithmetic("^", t.Apply(name, (inner,), token.at), exponent, token.at)
    if name == "sqrt" and token.text == "sqrt" and parser.peek().kind in ("name", "number"):
        return t.Apply(name, (as_number(parser.operand()),), token.at)  # √D
    if not parser.sees("("):
        return _bare(parser, name, count, token)
    parser.take()
    found = arguments(parser, ")", (",", *_BARS) if name in _DENSITIES else (",",))
    if len(found) != count:
        said = f"{name} takes {count} argument{'s' * (count > 1)}, here are {len(found)}."
        hint = f"write {_EXAMPLES.get(name, f'{name}(a)')}"
        raise OffsetError(said, hint, token.at)
    if name == "kron" and of_places(found):
        return equal(found[0], found[1], token.at)
    return t.Apply(name, tuple(map(as_number, found)), token.at)


def _bare(parser: Parser, name: str, count: int, token: Token) -> t.Node:
    """log p_k, log sum_m e^x_m: the one factor that follows, and nothing behind it."""
    if count != 1 or parser.peek().kind not in ("name", "number"):
        raise OffsetError(f"{token.text} is a function.", f"write {name}(...)", token.at)
    inner = as_number(parser.expression(MULTIPLY))
    if parser.behind(inner) is not None and not parser.sees("+", "-", "*", *_RELATIONS):
        said = f"I cannot tell where the argument of {token.text} ends."
        raise OffsetError(said, f"put it in brackets: {name}(...)", token.at)
    return t.Apply(name, (inner,), token.at)


def called(parser: Parser, name: str, subscript: str, token: Token) -> t.Node | None:
    """gamma(x), binom(n, k), normal(x | m, v): functions only where a bracket follows."""
    if subscript or not parser.sees("(") or parser.vocabulary.windows:
        return None
    if len(name) == 1 and not {*_BARS} & {token.text for token in parser.inside(0)}:
        return None  # N (1 - x) is a product, N(x | m, v) a density
    found = function(parser, CALLED_SO.get(name, name), "", token)
    match found:
        case t.Apply("bernoulli", (x, p)):
            fails, not_x = (t.Arithmetic("-", t.Number(1.0), one) for one in (p, x))
            happens = t.Arithmetic("^", p, x)
            return t.Arithmetic("*", happens, t.Arithmetic("^", fails, not_x), token.at)
        case t.Apply("exponential", (x, rate)):
            power = t.Apply("exp", (t.Arithmetic("*", t.Negative(rate), x),))
            test = t.Comparison((">=",), (x, t.Number(0.0)))
            density = t.Arithmetic("*", rate, power, token.at)
            return t.Arithmetic("*", density, t.Indicator(test), token.at)
    return found


#: What else than a comma may stand between the arguments of a density: N(x | m, v), N(x; m, v).
_BARS: Final = ("|", ";", ":")


def factorial(parser: Parser, left: t.Node, token: Token) -> t.Node:
    """n!"""
    parser.take()
    return t.Apply("factorial", (as_number(left),), token.at)


def integers(parser: Parser, name: str, subscript: str, token: Token) -> t.Node | None:
    """range(Ho), range(2, Ho)"""
    if subscript:
        return None
    if not parser.accept("("):
        raise OffsetError(f"{name} is a function.", f"write {name}(...)", token.at)
    return t.make_range(arguments(parser, ")"), token.at)


def where(parser: Parser, _name: str, _subscript: str, token: Token) -> t.Node | None:
    """where(C, A, B), as NumPy has it: A if C else B."""
    if not parser.accept("("):
        return None
    parts = arguments(parser, ")")
    if len(parts) != 3:
        hint = "write where(condition, value, otherwise), or A if C else B"
        raise OffsetError(f"where takes 3 arguments, here are {len(parts)}.", hint, token.at)
    test, value, other = parts
    return t.Choice(as_condition(test), as_number(value), as_number(other), token.at)


def where_called(parser: Parser, token: Token) -> t.Node | None:
    if not parser.sees("(", ahead=1):
        return None
    parser.take()
    return where(parser, "where", "", token)


def indicator_named(parser: Parser, _name: str, _subscript: str, token: Token) -> t.Node | None:
    """I[C], ind(C), int(C): 1 where C holds."""
    if not parser.sees("[", "(", "{", "_"):
        return None
    parser.accept("_")
    opened = parser.take()
    return indicator(parser, token, {"[": "]", "(": ")", "{": "}"}[opened.text])


def number_of_whole(
    function: str, entry: Callable[[tuple[t.Node, ...]], t.Node], letters: tuple[str, ...], at: int
) -> t.Node:
    """One of OF_WHOLES, written with the array's entry at letters that are not taken."""
    inner = entry(tuple(map(t.Name, letters)))
    binders = (t.Binder(letters, None, at),)
    match function:
        case "det" | "logdet":
            return t.Reduce(function, inner, binders, None, at)
        case "trace" | "tr" | "Tr":
            inner = entry((t.Name(letters[0]),) * 2)
            return t.Reduce("sum", inner, (t.Binder(letters[:1], None, at),), None, at)
        case "logsumexp":
            total = t.Reduce("sum", t.Apply("exp", (inner,)), binders, None, at)
            return t.Apply("log", (total,), at)
        case "norm1" | "norminf":
            kind = "sum" if function == "norm1" else "max"
            return t.Reduce(kind, t.Apply("abs", (inner,)), binders, None, at)
    square: t.Node = t.Arithmetic("^", inner, t.Number(2.0), at)
    for letter in reversed(letters):
        square = t.Reduce("sum", square, (t.Binder((letter,), None, at),), None, at)
    return t.Apply("sqrt", (square,), at)


# -- Whole arrays by name: diag(v), norm(v), the vector of ones, the identity, sum(A, axis=0).


def array_function(parser: Parser, name: str, subscript: str, token: Token) -> t.Node | None:
    if not parser.accept("("):
        return None
    found = arguments(parser, ")")
    count = ARRAY_FUNCTIONS[name]
    if len(found) != count:
        said = f"{name} takes {count}, here are {len(found)}."
        raise OffsetError(said, f"write {name}({', '.join('ab'[:count])})", token.at)
    if name == "norm":
        name, subscript = _norm_meant(parser), ""
    whole = t.Apply(name, tuple(map(as_number, found)), token.at)
    if not subscript:
        return whole
    return t.Apply("entry", (whole, *t.split_letters(subscript, token.at)), token.at)


def constant_array(parser: Parser, name: str, subscript: str, token: Token) -> t.Node | None:
    """ones, and the identity I, which is no indicator without a condition behind it."""
    if subscript or (name == "I" and parser.sees("[", "(", "{", "_")):
        return None
    return t.Apply(_ALONE[name], (), token.at)


def over_everything(parser: Parser, name: str, subscript: str, token: Token) -> t.Node | None:
    """sum(a * b), mean(A, axis=0): nothing names what it runs over, so it is all entries."""
    summed = parser.typed(token) in ("Σ", "∑")
    if subscript or token.text != name or summed or not _names_nothing(parser):
        return None
    parser.take()
    parts = [as_number(parser.expression())]
    if parser.accept(","):  # axis=0
        parser.take()
        parser.expect("=", "after axis")
        parts.append(as_number(parser.expression()))
    parser.expect(")", f"to close {name}(")
    return t.Apply(f"~{name}", tuple(parts), token.at)


def _names_nothing(parser: Parser) -> bool:
    inner = list(parser.bracket(0)) if parser.sees("(") else []
    own = [(at, token) for at, (depth, token) in enumerate(inner) if depth == 1]
    for at, token in own:
        if token.text in ("for", "over", ":", ",", "in"):
            return parser.peek(at + 1).text == "axis"
    bars = sum(token.text == "|" for _, token in own)
    return bars % 2 == 0 and len(inner) > 1


# -- Indices in any of their spellings: x_ij, x_{i,j}, x[i,j], x(i,j), J_{kl,ij}.


_RELATIONS: Final = ("==", "=", "!=", "<", "<=", ">", ">=", "in", "not", "and", "or")
#: delta_{x,ij} and delta_{f,kl}: the message at x, and at f.
_SECOND: Final = ("x", "f")


def arguments(parser: Parser, closing: str, between: Sequence[str] = (",",)) -> list[t.Node]:
    """Expressions with commas, or other signs, between them, up to the closing bracket."""
    found: list[t.Node] = []
    while not parser.sees(closing):
        found.append(parser.expression())
        if not parser.accept(*between):
            break
    parser.expect(closing, "to close the bracket")
    return found


def subscripts(parser: Parser, subscript: str, token: Token, arity: int = 2) -> list[t.Node] | None:
    """The indices after an array's name, in any of their spellings; None where there are none."""
    if subscript:
        return t.split_letters(subscript, token.at)
    following = parser.peek()
    if following.kind == "subs":
        parser.take()
        return t.split_letters(following.text, following.at)
    if parser.accept("_") and not parser.sees("("):
        parser.expect("{", "after '_'")
        return _split(arguments(parser, "}"), arity)
    if parser.accept("["):
        found = arguments(parser, "]")
        while parser.sees("[") and not parser.peek().spaced and len(found) < 2:
            if _tests(parser):
                break  # δ_k[i = k]: an indicator stands beside the cell
            parser.take()
            found += arguments(parser, "]")
        return _split(found, arity)
    if parser.accept("("):
        return _split(arguments(parser, ")"), arity)
    return None


def _tests(parser: Parser) -> bool:
    """Whether the bracket that opens here holds a condition."""
    return any(token.text in _RELATIONS for token in parser.inside(0))


def _split(indices: list[t.Node], arity: int) -> list[t.Node]:
    first = indices[0] if indices else None
    tagged = isinstance(first, t.Name) and canonical(first.name) in _SECOND
    return indices if len(indices) == arity and not tagged else split_words(indices)


def split_words(indices: list[t.Node]) -> list[t.Node]:
    """{x,ij} and [kl,ij] hold two indices in one word."""
    found: list[t.Node] = []
    for index in indices:
        word = index.name if isinstance(index, t.Name) else ""
        two = len(word) == 2 and word.isalpha() and canonical(word) is None
        found += t.split_letters(word, index.at) if two else [index]
    return found


def indexed(parser: Parser, whole: Callable[[str], bool]) -> bool:
    """Whether indices follow: x_j, x[j], x(j); not x (1 - y), nor x [s > 0].

    `whole` tells of a name whether it is no index.
    """
    if parser.peek().kind == "subs" or parser.sees("_"):
        return True
    if not parser.sees("[", "("):
        return False
    square = parser.sees("[")
    return not any(
        (depth == 1 and token.text in _RELATIONS)
        or (not square and token.kind == "name" and whole(token.text.split("_")[0].rstrip("'")))
        for depth, token in parser.bracket(0)
    )


def entry_of(parser: Parser, name: str, subscript: str, token: Token) -> t.Node | None:
    """da[i,j] where the learner defined da = ... as a whole; None where no indices follow."""
    opens = parser.sees("[") and not parser.peek().spaced
    if not (subscript or parser.peek().kind == "subs" or parser.sees("_") or opens):
        return None
    at = subscripts(parser, subscript, token, 2) or []
    return t.Apply("entry", (t.Name(name, token.at), *map(as_number, at)), token.at)


def cell(name: str, at: list[t.Node], arity: int, token: Token) -> t.Node:
    """An array at its indices; without any it stands whole."""
    if not at:
        return t.Name(name, token.at)
    if name == "delta" and t.is_condition(at[0]):
        hint = "for 1 or 0 write [condition] without delta before it"
        raise OffsetError("delta is the upstream message: it takes indices.", hint, token.at)
    at = [one for part in at for one in (part.items if isinstance(part, t.Pair) else (part,))]
    if len(at) != arity:
        raise OffsetError(
            f"{name} takes {arity} {'index' if arity == 1 else 'indices'}, here are {len(at)}.",
            "write one index for each place",
            token.at,
        )
    return t.Cell(name, tuple(map(as_number, at)), token.at) if arity else t.Name(name, token.at)


def of_x(parser: Parser) -> None:
    """Take the (x) of f_kl(x): the forward message as a function of the whole input."""
    if parser.sees("(") and parser.peek(1).text == "x" and parser.sees(")", ahead=2):
        for _ in range(3):
            parser.take()


# -- δ_{i,i*} is Kronecker's delta in print, 1 where i = i*; by itself δ is the upstream message.


def starred(indices: Sequence[t.Node]) -> bool:
    """Whether these are an index and the same one with a star, or a prime."""
    names = [
        t.name_of(index)
        for index in indices
        # i*(k,l) is a number with indices, x[i,j] is none of an index.
        if isinstance(index, t.Name) or (isinstance(index, t.Cell) and index.array.endswith("*"))
    ]
    bare = [name.rstrip("'*") for name in names]
    return len(indices) == len(names) == 2 and bare[0] == bare[1] and names[0] != names[1]


def of_places(indices: Sequence[t.Node]) -> bool:
    """Whether these are two places, which delta never takes: δ_{(i,j),(i*,j*)}."""
    return len(indices) == 2 and all(
        isinstance(index, t.Pair)
        or (isinstance(index, t.Over | t.Reduce) and index.kind in ("argmax", "argmin"))
        for index in indices
    )


def equal(one: t.Node, other: t.Node, at: int) -> t.Indicator:
    """Kronecker's delta: [one == other]."""
    return t.Indicator(t.Comparison(("==",), (one, other), at), at)


# -- Brackets: a condition, a place, what only holds a number together, sizes, norms.


def square(parser: Parser, token: Token) -> t.Node:
    """[C] is 1 where C holds; [a - b] holds a number together."""
    parser.take()
    return indicator(parser, token, "]")


def indicator(parser: Parser, token: Token, closing: str) -> t.Node:
    """[C], or [C, D] for both; a comma counts as "and"."""
    parts = arguments(parser, closing)
    if not parts:
        raise OffsetError("These brackets are empty.", "write a condition in them", token.at)
    if token.text == "[" and len(parts) == 1 and _holds_together(parser, parts[0]):
        return parts[0]
    return t.Indicator(t.make_logic("and", parts, token.at), token.at)


def _holds_together(parser: Parser, inner: t.Node) -> bool:
    """Whether square brackets only hold a number together: y_k [delta_k - s].

    What the learner's own line defines may be a condition, so that is for the check to tell.
    """
    if t.is_condition(inner) or isinstance(
        inner, t.Indicator | t.Pair | t.Window | t.Windows | t.Range
    ):
        return False
    return t.name_of(inner) not in parser.defined


def angles(parser: Parser, token: Token) -> t.Node | None:
    """⟨a, b⟩, the inner product."""
    if parser.typed(token) != "⟨":
        return None
    parser.take()
    found = arguments(parser, ")")
    if len(found) != 2:
        said = f"An inner product is of two; here are {len(found)}."
        raise OffsetError(said, "write ⟨a, b⟩, or sum(a[k] * b[k] for k)", token.at)
    return t.Apply("~inner", tuple(map(as_number, found)), token.at)


def brackets(parser: Parser, token: Token) -> t.Node:
    """(a) is a, (i,j) a place."""
    parser.take()
    parts = arguments(parser, ")")
    if len(parts) == 1:
        return parts[0]
    if len(parts) == 2:
        return t.Pair((as_number(parts[0]), as_number(parts[1])), token.at)
    raise OffsetError(
        f"A place is a pair (row, column); here are {len(parts)} parts.", "write (i,j)", token.at
    )


def absolute(parser: Parser, token: Token) -> t.Node:
    """|a|"""
    parser.take()
    inner = parser.expression()
    parser.expect("|", "to close the absolute value")
    return t.Apply("abs", (as_number(inner),), token.at)


def norm(parser: Parser, token: Token) -> t.Node | None:
    """||a||, of which the tokens make "or"; None where arrays never stand whole."""
    if not _norm_bars(parser):
        return None
    parser.take()
    before, parser.in_norm = parser.in_norm, True
    inner = parser.expression(OR)
    parser.in_norm = before
    if not _norm_bars(parser):
        raise parser.unexpected("'||' is expected to close the norm")
    parser.take()
    return t.Apply(_norm_meant(parser), (as_number(inner),), token.at)


def _norm_meant(parser: Parser) -> str:
    """Which norm the subscript behind it says, which is taken: norm(x)_1, norm(x)_inf."""
    said = parser.peek().text.replace(" ", "") if parser.peek().kind == "subs" else ""
    if said not in _NORMS:
        return "norm"
    parser.take()
    return _NORMS[said]


#: Norms by their subscripts; that of a matrix, F, is the root of the sum of all squares, too.
_NORMS: Final = {"1": "norm1", "2": "norm", "F": "norm", "inf": "norminf", "infty": "norminf"}


def opens_norm(parser: Parser, _left: t.Node) -> bool:
    """Whether a ‖ begins a factor: 2 ‖x‖, 2 ||x||; with a blank behind them two bars are "or"."""
    token, behind = parser.peek(), parser.source[parser.peek().at :][:3]
    bars = token.spaced and behind[:2] == "||" and behind[2:].strip() != ""
    return not parser.in_norm and (bars or parser.typed(token) == "‖")


def _norm_bars(parser: Parser) -> bool:
    at = parser.peek().at
    return parser.sees("or") and parser.source[at : at + 2].startswith(("||", "‖"))


def size(parser: Parser, token: Token) -> t.Node:
    """#{(p,q) in Omega(k,l) : C}"""
    parser.take()
    return t.Apply("abs", (parser.operand(),), token.at)


def slope(parser: Parser, token: Token) -> t.Node:
    """∂(a b, x[j]), a derivative that is still to be worked out."""
    parser.take()
    parser.expect("(", "before what is differentiated")
    body = parser.expression()
    parser.expect(",", "behind what is differentiated")
    by = parser.expression()
    parser.expect(")", "to close the derivative")
    return t.Apply(token.text, (as_number(body), by), token.at)


# -- Behind a whole array: its transpose, its methods, an entry of what a bracket came to.


def transposes(parser: Parser, _left: t.Node) -> bool:
    return bool(parser.source) and _transposing(parser) > 0


def transposed(parser: Parser, left: t.Node, token: Token) -> t.Node:
    """W^T, W^{T}, W^(T), W.T; W^{-T}, the inverse of that"""
    count = _transposing(parser)
    for _ in range(count):
        parser.take()
    turned = t.Apply("transpose", (as_number(left),), token.at)
    if count % 2 == 0:
        return turned
    return t.Arithmetic("^", turned, t.Negative(t.Number(1.0, token.at), token.at), token.at)


def _transposing(parser: Parser) -> int:
    """How many tokens ^T, ^{T} or ^(T) has; 0 where it is a power."""
    opened = int(parser.sees("{", "(", ahead=1))
    inverse = int(bool(opened) and parser.sees("-", ahead=2))
    token = parser.peek(1 + opened + inverse)
    if token.kind != "name" or token.text != "T":
        return 0
    words = parser.vocabulary
    sure = parser.typed(token) in ("⊤", "⊺", "ᵀ") or parser.typed(parser.peek()) == "."
    if not sure and (token.text in parser.defined or words.canonical("T") is not None):
        base = parser.peek(-1)
        if parser.sees("(", ahead=1) or words.canonical(base.text) not in (*words.arrays, "delta"):
            return 0
        if words.canonical("T") in words.arrays:
            return 2 + 2 * opened + inverse  # no array is a power
        said = "T is given here: ^T could be a power or a transpose."
        raise OffsetError(said, f"write {base.text}' or {base.text}^(T)", token.at)
    if opened and not parser.sees("}", ")", ahead=3 + inverse):
        return 0
    return 2 + 2 * opened + inverse


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


def positive(parser: Parser, left: t.Node, token: Token) -> t.Node:
    """[a]_+ and (a)_+, which is max(0, a)"""
    parser.take()
    return t.Apply("max", (t.Number(0.0, token.at), as_number(left)), token.at)


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
