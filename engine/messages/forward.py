"""A forward message read: its definitions in an order in which each uses only earlier ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from engine.formula import statements
from engine.formula import tree as t
from engine.formula.grammar import whole
from engine.formula.notation import number_of_whole
from engine.formula.parser import Parser
from engine.formula.rewrite import (
    bound_in,
    free_names,
    inside,
    lowered,
    named_in,
    names_in,
    rebuilt,
    sums_over_all,
)
from engine.formula.tokens import Token, tokenize, turn
from engine.formula.tree import (
    CALLED,
    CALLED_SO,
    FUNCTIONS,
    NUMBERS,
    OF_WHOLES,
    REDUCERS,
    OffsetError,
    as_number,
    children,
)
from engine.formula.types import TypeChecker
from engine.messages.vocabulary import Words

# -- A forward message as definitions: which of them are arrays, which functions, in which order.


#: So the name of an array begins that is no one's to use: what a card's condition holds at 0.
HELD: Final = "~c"


@dataclass(frozen=True, eq=False)
class Forward:
    """What a card gives.  `arrays` come in an order in which each uses only earlier ones."""

    arrays: tuple[t.Definition, ...]
    """s[k] = ..., L = ...: evaluated once for each index."""
    functions: tuple[t.Definition, ...]
    """f(t) = ...: evaluated where they are called, with values."""
    inputs: Mapping[str, int]
    """What is given from outside, with the number of indices of each."""
    constants: Mapping[str, float]
    """Scalars with one value."""
    scalars: tuple[str, ...]
    """Names of sizes that the text uses as numbers, in the card's order."""
    asides: frozenset[str] = frozenset()
    """Arrays that a learner defines besides: none of them is an output."""
    square: frozenset[str] = frozenset()
    """Inputs whose last two indices run equally far."""
    limits: Mapping[str, str] = field(default_factory=dict)
    """Of inputs that are the number of an entry, how many there are: a number, or a size."""

    @property
    def defined(self) -> dict[str, t.Definition]:
        return {d.names[0]: d for d in self.arrays}

    @cached_property
    def uses(self) -> dict[str, frozenset[str]]:
        """Of each array the names that it is made of, its own and those of all functions too."""
        called = {name for d in self.functions for name in names_in(d.body)}
        return {n: frozenset((n, *names_in(d.body), *called)) for n, d in self.defined.items()}

    @property
    def outputs(self) -> list[str]:
        """The arrays that no other definition uses; an aside counts where one of these uses it."""
        used = {name for d in self.functions for name in names_in(d.body)}
        for d in reversed(self.arrays):
            if d.names[0] not in self.asides or d.names[0] in used:
                used.update(names_in(d.body))
        return [d.names[0] for d in self.arrays if d.names[0] not in used | self.asides]


def shifted(node: t.Node) -> bool:
    """Whether an array is read at computed places, as in a convolution."""
    return any(isinstance(index, t.Arithmetic) for cell in _cells(node) for index in cell.indices)


def averaged(node: t.Node) -> Iterator[str]:
    """The letters that means run over."""
    for part in inside(node):
        if isinstance(part, t.Reduce) and part.kind == "mean":
            yield from part.names


def split(
    definitions: list[t.Definition], called: Set[str]
) -> tuple[list[t.Definition], list[t.Definition]]:
    """Arrays and functions: a function is called with values, an array is read at indices.

    `called` are those written with round brackets; p[t] reads an array even where t is a value.
    One that nothing reads is a function where its argument is no index: an answer may use it.
    """
    read = {cell.array for definition in definitions for cell in _cells(definition.body)}
    spare = {d.names[0] for d in definitions if d.names[0] in called - read and _of_value(d)}
    functions = spare if len(spare) < len(definitions) else set()
    numbers = frozenset(d.names[0] for d in definitions if not d.parameters)
    while True:
        found = set(functions)
        for definition in definitions:
            own = definition.names[0] in functions
            values = numbers | frozenset(definition.parameters if own else ())
            for cell in _cells(definition.body):
                if cell.array in called and not all(_is_index(n, values) for n in cell.indices):
                    found.add(cell.array)
        if found == functions:
            break
        functions = found
    arrays = [d for d in definitions if d.names[0] not in functions]
    return arrays, [d for d in definitions if d.names[0] in functions]


def _of_value(definition: t.Definition) -> bool:
    read = [index for cell in _cells(definition.body) for index in cell.indices]
    indices = {name for index in read for name in names_in(index)}
    return bool(definition.parameters) and indices.isdisjoint(definition.parameters)


def _cells(node: t.Node) -> Iterator[t.Cell]:
    return (part for part in inside(node) if isinstance(part, t.Cell))


def _is_index(node: t.Node, values: frozenset[str]) -> bool:
    """Whether an expression is made of numbers and names alone, none of them a `values` name."""
    match node:
        case t.Number():
            return True
        case t.Name(name):
            return name not in values
        case t.Arithmetic(_, left, right):
            return _is_index(left, values) and _is_index(right, values)
        case t.Negative(part):
            return _is_index(part, values)
    return False


def in_order(definitions: list[t.Definition], functions: list[t.Definition]) -> list[t.Definition]:
    """The arrays, each after what it uses.  Raises OffsetError where they go round in a circle."""
    arrays = {d.names[0]: d for d in definitions}
    every = {**arrays, **{d.names[0]: d for d in functions}}
    done: list[str] = []
    open_: list[str] = []

    def visit(name: str) -> None:
        if name in done or name not in every:
            return
        if name in open_:
            chain = " -> ".join([*open_[open_.index(name) :], name])
            raise OffsetError(
                f"The definitions go round in a circle: {chain}.",
                "define each name by earlier ones",
                every[name].at,
            )
        open_.append(name)
        for used in names_in(every[name].body):
            visit(used)
        open_.pop()
        done.append(name)

    for name in every:
        visit(name)
    return [arrays[name] for name in done if name in arrays]


# -- By convention, the targets of a cross-entropy are a distribution: which inputs they are.


def targets_of_cross_entropy(forward: Forward) -> Iterator[tuple[str, int]]:
    """Inputs t in sum(t[k] * log(...) for k): by convention they sum to 1 along k."""
    for definition in forward.arrays:
        for node in inside(definition.body):
            if isinstance(node, t.Reduce) and node.kind == "sum":
                yield from _weights_of_logs(node, forward)


def _weights_of_logs(node: t.Reduce, forward: Forward) -> Iterator[tuple[str, int]]:
    factors = list(_factors(node.body))
    if not any(isinstance(factor, t.Apply) and factor.function == "log" for factor in factors):
        return
    for factor in factors:
        if isinstance(factor, t.Cell) and factor.array in forward.inputs:
            for place, index in enumerate(factor.indices):
                if isinstance(index, t.Name) and index.name in node.names:
                    yield factor.array, place


def _factors(node: t.Node) -> Iterator[t.Node]:
    match node:
        case t.Arithmetic("*", left, right):
            yield from _factors(left)
            yield from _factors(right)
        case t.Negative(part):
            yield from _factors(part)
        case _:
            yield node


# -- A first look at a forward message: its lines, what each defines, how many indices each takes.
#
# The grammar tells x_ij from y_hat, and a(b) the product from f(t) the function, by the names
# that are declared.  A card declares them by using them; this look collects them before anything
# is read.


_USUAL = frozenset("ijklmnpqt")
_STANDARD = Words()
_LIKE = "write y[k] = ..."


@dataclass(frozen=True, slots=True)
class MessageLine:
    name: str
    parameters: tuple[str, ...]
    at: int
    right: list[Token]
    called: bool
    """Whether it is written f(t): with round brackets it may be a function."""


@dataclass(frozen=True, slots=True)
class Scan:
    lines: list[MessageLine]
    arities: dict[str, int]
    letters: frozenset[str]


def scan(text: str, letters: Iterable[str]) -> Scan:
    """Raises OffsetError where a line defines nothing, or a name takes now one, now two indices."""
    rows = statements.split(tokenize(text))
    if not rows:
        raise OffsetError("There is no forward message.", _LIKE, 0)
    known = frozenset(letters) | _USUAL | {name for row in rows for name in _indices(row)}
    lines = [_line(row, known) for row in rows]
    own = frozenset(name for row in rows for name in _indices(row))
    own |= {letter for line in lines for letter in line.parameters}
    arities: dict[str, int] = {}
    for line in lines:
        if line.name in arities:
            raise OffsetError(f"'{line.name}' is defined twice.", "keep one line", line.at)
        arities[line.name] = len(line.parameters)
    for line in lines:
        for name, count, at in _reads(line.right, known, own, arities):
            if arities.setdefault(name, count) != count:
                raise OffsetError(
                    f"'{name}' has {arities[name]} indices elsewhere, here {count}.",
                    "give it the same number of indices everywhere",
                    at,
                )
    for name in (name for line in lines for name in _normed(line.right)):
        arities.setdefault(name, 1)
    for line in lines:
        for letter in line.parameters:
            # f(x) = ... may name its argument as it likes.
            if arities.get(letter) and not line.called:
                raise OffsetError(
                    f"'{letter}' is an array here and an index there.",
                    "choose another letter for the index",
                    line.at,
                )
    return Scan(lines, arities, known)


def _line(row: list[Token], letters: frozenset[str]) -> MessageLine:
    depth = 0
    for place, token in enumerate(row):
        depth += turn(token)
        if depth == 0 and token.kind == "op" and token.text in ("=", ":="):
            return _head(row[:place], row[place + 1 :], letters)
    raise OffsetError("This line defines nothing.", _LIKE, row[0].at)


def _head(left: list[Token], right: list[Token], letters: frozenset[str]) -> MessageLine:
    if len(left) == 3 and [one.text for one in left[::2]] == ["(", ")"]:
        left = left[1:2]
    if len(left) > 4 and left[0].text == "(" and left[2].text == "," and left[-1].text == ")":
        raise OffsetError(
            "A forward message defines one name a line, here are two.",
            "compare the place instead: sum(w[k,l] * [(k,l) == argmax(x[p,q] for p,q)] for k,l)",
            left[0].at,
        )
    if not left or left[0].kind != "name":
        raise OffsetError("A name is expected before '='.", _LIKE, (left or right)[0].at)
    name, tail = parted(left[0].text, letters)
    parameters = [*tail, *_parameters(left[1:])]
    if len(set(parameters)) != len(parameters):
        raise OffsetError("An index occurs twice before '='.", _LIKE, left[0].at)
    standard = _STANDARD.canonical(name)
    if standard is not None and name not in ("sigma", "delta", "Delta", "e", "pi", "I", "l"):
        raise OffsetError(
            f"'{name}' has a meaning already, it cannot be defined.",
            "choose another name",
            left[0].at,
        )
    called = len(left) > 1 and left[1].text == "("
    return MessageLine(name, tuple(parameters), left[0].at, right, called)


def _parameters(tokens: list[Token]) -> list[str]:
    """The letters in [k,l], (k,l), _{k,l} or _{kl}; nothing else may stand before '='."""
    if not tokens:
        return []
    first = tokens[0]
    if first.kind == "subs" and len(tokens) == 1:
        return first.text.split()
    inner = tokens[2:-1] if first.text == "_" else tokens[1:-1]
    opened = tokens[1] if first.text == "_" and len(tokens) > 1 else first
    pairs = {"[": "]", "(": ")", "{": "}"}
    if pairs.get(opened.text) != tokens[-1].text or len(inner) % 2 == 0:
        raise OffsetError("A name with its indices stands before '='.", _LIKE, first.at)
    for place, token in enumerate(inner):
        letter = token.kind == "name" and _STANDARD.canonical(token.text) in (None, "e")
        if not (token.text == "," if place % 2 else letter):
            raise OffsetError("Before '=' each index is a plain letter.", _LIKE, token.at)
    return [token.text for token in inner[::2]]


def parted(word: str, letters: frozenset[str]) -> tuple[str, str]:
    """A name and the letters written on it: x_ij is x with "ij", y_hat is y_hat."""
    head, _, tail = word.rpartition("_")
    if head and tail and len(tail) <= 4 and set(tail) <= letters:
        return head, tail
    return word, ""


def _indices(row: list[Token]) -> Iterator[str]:
    """Letters that surely are indices: bound by a sum, or alone in square brackets."""
    for place, token in enumerate(row):
        if token.kind == "subs":
            yield from token.text.split()
        if token.kind == "word" and token.text == "for":
            for following in row[place + 1 :]:
                if following.kind == "name" and len(following.text) == 1:
                    yield following.text
                elif following.text not in (",", "(", ")"):
                    break
        before = row[place - 1] if place else token
        if (token.text == "[" and before.kind == "name" and not token.spaced) or (
            token.text == "{" and before.text == "_"
        ):
            for following in row[place + 1 :]:
                if following.kind == "name" and len(following.text) == 1:
                    yield following.text
                elif following.text != ",":
                    break


def _reads(
    row: list[Token], letters: frozenset[str], own: frozenset[str], defined: dict[str, int]
) -> Iterator[tuple[str, int, int]]:
    """Each name that is read with indices: how many, and where.

    `own` are the letters that surely are indices here: gamma(n) of another n is the function.
    """
    for place, token in enumerate(row):
        if token.kind != "name":
            continue
        name, tail = parted(token.text, letters)
        standard = _STANDARD.canonical(name)
        if name not in defined and standard in (*REDUCERS, *FUNCTIONS, "range"):
            continue
        after, then = row[place + 1], row[min(place + 2, len(row) - 1)]
        if tail:
            yield name, len(tail), token.at
        elif after.kind == "subs":
            yield name, len(after.text.split()), token.at
        elif (after.text == "[" and not after.spaced) or (after.text == "_" and then.text == "{"):
            yield name, _count(row[place + (1 if after.text == "[" else 2) :]), token.at
        elif after.text == "(" and not after.spaced and name not in defined and standard is None:
            inner = _inner(row[place + 1 :])
            sure = own if name in (*CALLED, *CALLED_SO) else letters
            if OF_WHOLES.get(name) and len(inner) == 1 and inner[0].kind == "name":
                yield inner[0].text, OF_WHOLES[name], inner[0].at
            elif name in OF_WHOLES:
                continue
            elif all(one.text == "," or (one.kind == "name" and one.text in sure) for one in inner):
                yield name, _count(row[place + 1 :]), token.at


def _normed(row: list[Token]) -> Iterator[str]:
    """Names that stand alone in norm(x) and the like: arrays, be they nowhere else."""
    for place, token in enumerate(row):
        inner = _inner(row[place + 1 :]) if OF_WHOLES.get(token.text) == 0 else []
        if row[min(place + 1, len(row) - 1)].text == "(" and len(inner) == 1:
            yield inner[0].text


def _inner(row: list[Token]) -> list[Token]:
    depth = 0
    for place, token in enumerate(row):
        depth += turn(token)
        if depth == 0:
            return row[1:place]
    return row[1:]


def _count(row: list[Token]) -> int:
    """How many indices stand in the bracket that a row opens with."""
    depth, commas = 0, 0
    for token in _inner(row):
        depth += turn(token)
        commas += depth == 0 and token.text == ","
    return commas + 1


# -- read(text): the forward message that a card gives, as definitions in a usable order.


#: More of them would make every key press wait.
MOST_DEFINITIONS = 24
#: The derivative by each of them is tried before the card is taken.
MOST_INPUTS = 40


def read(
    text: str,
    sizes: Iterable[str],
    constants: Mapping[str, float],
    numbers: Collection[str] = (),
    indexes: Collection[str] = (),
    first: int = 0,
    inputs: Collection[str] = (),
) -> Forward:
    """The definitions of `text`; `sizes` are the names that the card gives a size to.

    Those of them among `numbers` are numbers, whether the text speaks of them or not.  What is
    neither defined nor a constant nor a size is an input; `inputs` are names that the card says
    something of, `indexes` those that are indices.  All indices begin at `first`.  Raises
    OffsetError.
    """
    sizes = tuple(sizes)
    found = scan(text, (name for name in (*sizes, *indexes) if len(name) == 1))
    if len(found.lines) > MOST_DEFINITIONS:
        raise OffsetError(
            "The forward message is too long.", f"{MOST_DEFINITIONS} lines at most", 0
        )
    declared = {*sizes, *constants, *indexes, *(line.name for line in found.lines)}
    for line in found.lines:
        _no_transpose(line.right, declared, text)
    arities = {**dict.fromkeys(inputs, 0), **found.arities}
    words = Words(arities, frozenset(n for n, count in found.arities.items() if count))
    known = {*found.arities, *constants, *sizes}
    definitions = [
        replace(
            d, body=sums_over_all(d.body, known | {*d.parameters} | bound_in(d.body), sizes, first)
        )
        for d in (_definition(line, words) for line in found.lines)
    ]
    arrays, functions = split(definitions, {line.name for line in found.lines if line.called})
    ordered = tuple(in_order(arrays, functions))
    used: dict[str, int] = {}
    for definition in definitions:
        for name, at in named_in(definition.body):
            if name not in definition.parameters:
                used.setdefault(name, at)
    plain = {n: v for n, v in NUMBERS.items() if n in used and not found.arities.get(n)}
    values = {**plain, **constants}
    spoken = (name for name in sizes if name in used and found.arities.get(name, 0) == 0)
    scalars = tuple(dict.fromkeys((*spoken, *numbers)))
    known = {*values, *scalars, *(d.names[0] for d in definitions)}
    unknown = {name: at for name, at in used.items() if name not in known}
    for definition in definitions:
        own = definition.parameters if definition in arrays else ()
        for name in (*own, *bound_in(definition.body)):
            if name in unknown and name in (*indexes, *inputs):
                said = f"'{name}' is given here and runs over an index there."
                raise OffsetError(said, "choose another letter for one of them", definition.at)
    if len(unknown) > MOST_INPUTS:
        said = f"The forward message has {len(unknown)} inputs; at most {MOST_INPUTS} are read."
        hint = "make arrays of them, or define what is no input"
        raise OffsetError(said, hint, [*unknown.values()][MOST_INPUTS])
    running = {name for definition in definitions for name in bound_in(definition.body)}
    arity = _inputs(found, unknown, {*indexes, *inputs}, running)
    for definition in definitions:
        for name in bound_in(definition.body) & words.arrays:
            raise OffsetError(
                f"'{name}' is an array here and an index there.",
                "choose another letter for the index",
                definition.at,
            )
        _no_loose_index(definition.body, frozenset(definition.parameters), scalars)
        _no_loose_size(definition.body, {n for n, count in arity.items() if not count})
    numbered = dict.fromkeys((*values, *scalars), 0)
    every = {**arity, **numbered, **{d.names[0]: len(d.parameters) for d in definitions}}
    for definition in definitions:
        checker = TypeChecker(every, tuple(functions))
        checker.number(definition.body, frozenset(definition.parameters))
    return Forward(ordered, tuple(functions), arity, values, scalars)


def loose_indices(
    text: str, sizes: Iterable[str], inputs: Collection[str]
) -> Iterator[tuple[str, ...]]:
    """Of each line the letters that arrays are read at and that nothing in it binds."""
    found = scan(text, (name for name in sizes if len(name) == 1))
    arities = {**dict.fromkeys(inputs, 0), **found.arities}
    words = Words(arities, frozenset(n for n, count in found.arities.items() if count))
    for line in found.lines:
        body = _definition(line, words).body
        free = free_names(body) - {*arities}
        letters = (i.name for c in _cells(body) for i in c.indices if isinstance(i, t.Name))
        yield tuple(dict.fromkeys(letter for letter in letters if letter in free))


def _no_transpose(tokens: list[Token], declared: Collection[str], text: str) -> None:
    """Refuses w^T x: here every name is a number, an entry at its indices."""
    for at, power in enumerate(tokens[:-1]):
        opened = tokens[at + 1].text in ("(", "{")
        letter = tokens[min(at + 1 + opened, len(tokens) - 1)]
        if power.text != "^" or letter.text not in ("T", f"T{letter.text[1:2]}"):
            continue
        sure = letter.text in declared and text[letter.at] not in "⊤⊺ᵀ"
        if not sure or (tokens[at - 1].kind == "name" and tokens[at + 1].text != "("):
            raise OffsetError(
                "^T could be a power or a transpose; whole arrays are not read here.",
                "write the product as a sum, sum(w[j] * x[j] for j); a power to another letter",
                power.at,
            )


def _inputs(
    found: Scan, used: Mapping[str, int], said: Collection[str], running: Collection[str]
) -> dict[str, int]:
    """What is read and never defined, with its number of indices; a loose index is refused."""
    for name, at in used.items():
        index = name.endswith(("*", "'")) or name in found.letters - {"t"}
        if index and name not in said and not found.arities.get(name, 0):
            plain = name.rstrip("*'")
            way = f"name it on the left side, or bind it: sum(... for {plain})"
            if name not in running and name == plain:
                way += f"; where it is given, say so: inputs: {{{name}: index}}, or real"
            raise OffsetError(f"The index {name} is not defined here.", way, at)
    return {name: found.arities.get(name, 0) for name in used}


def _definition(line: MessageLine, words: Words) -> t.Definition:
    body = as_number(whole(Parser(line.right, dict(words.arities), words)))
    return t.Definition((line.name,), line.parameters, _of_entries(body, words), line.at)


def _of_entries(node: t.Node, words: Words) -> t.Node:
    """det(A), norm(x) and the like of a named array, written with its entries."""
    if not isinstance(node, t.Apply) or node.function not in OF_WHOLES:
        return rebuilt(node, lambda part: _of_entries(part, words))
    function, (part,) = node.function, node.arguments
    count = words.arities.get(t.name_of(part), 0)
    if not isinstance(part, t.Name) or not count or OF_WHOLES[function] not in (0, count):
        what = "a matrix" if OF_WHOLES[function] == 2 else "an array"
        hint = f"define it on a line of its own, A[i,j] = ..., and write {function}(A)"
        raise OffsetError(f"{function} takes {what} here, by its name.", hint, node.at)
    free = tuple(letter for letter in "ijklmnpq" if letter not in words.arities)
    return number_of_whole(
        function, lambda at: t.Cell(part.name, at, part.at), free[:count], node.at
    )


def _no_loose_index(node: t.Node, bound: frozenset[str], sizes: Collection[str]) -> None:
    """Refuses x[j] outside of any sum over j: a size is no place in an array."""
    if isinstance(node, t.Reduce):
        bound = bound | frozenset(node.names)
    if isinstance(node, t.Cell):
        for index in node.indices:
            if isinstance(index, t.Name) and index.name in sizes and index.name not in bound:
                way = f"name it on the left side, or bind it: sum(... for {index.name})"
                raise OffsetError(f"The index {index.name} is not defined here.", way, index.at)
    for part in children(node):
        _no_loose_index(part, bound, sizes)


def _no_loose_size(node: t.Node, scalars: Collection[str]) -> None:
    """Refuses x[i*s + a] where nothing says how much s is; p[t] alone is the number of an entry."""
    indices: tuple[t.Node, ...] = ()
    if isinstance(node, t.Cell):
        indices = tuple(index for index in node.indices if not isinstance(index, t.Name))
    elif isinstance(node, t.Range):
        indices = (node.start, node.stop)
    for index in indices:
        for name, at in named_in(index):
            if name in scalars:
                said = f"{name} stands in an index, and has no value."
                raise OffsetError(said, f"say it on the card: constants: {{{name}: 2}}", at)
    for part in children(node):
        _no_loose_size(part, scalars)


# -- Indices that count from 1, as most cards print them, as those from 0 that everything reads.
#
# An index letter that runs over all of its range, and those of what is asked, count from 0
# inside; where such a letter is a number, as in [k = 1] or 2k, it is one more.  A letter whose
# range is written, as in sum_{k=1}^{K-1}, has the values that are written.  An array is read one
# place earlier than its index says: x[k+1] stays x[k+1], and x[1] is x[0].


_PLACES = ("argmax", "argmin")


def forward_from_zero(message: Forward) -> Forward:
    """A forward message that is written with indices from 1, with indices from 0."""
    functions = frozenset(d.names[0] for d in message.functions)
    numbers = frozenset(n for n, count in message.inputs.items() if not count)
    read = ForwardReader(functions, numbers & _indexers(message))
    arrays = tuple(read.definition(d) for d in message.arrays)
    return replace(message, arrays=arrays)


def answer_from_zero(
    definitions: tuple[t.Definition, ...], body: t.Node, indices: tuple[str, ...], words: Words
) -> tuple[tuple[t.Definition, ...], t.Node]:
    """The same of an answer, whose own indices are `indices`."""
    called = {name for node in (body, *(d.body for d in definitions)) for name in _called(node)}
    places = {
        name
        for one in definitions
        if len(one.names) == 2 and not _is_written(one.body)
        for name in one.names
    }
    functions = frozenset({*words.functions, *called - words.arrays})
    read = ForwardReader(functions, words.indexers, words.windows)
    usual = words.letters if words.windows else ()
    counted = frozenset({*indices, *places, *words.indexers, *usual})
    new = tuple(read.definition(one, counted) for one in definitions)
    return new, read.number(body, counted)


def _is_written(node: t.Node) -> bool:
    """Whether a place is one of a written range: it then has the values that are written."""
    return isinstance(node, t.Reduce) and any(
        isinstance(binder.domain, t.Range) for binder in node.binders
    )


def _called(node: t.Node) -> Iterator[str]:
    """What is given values, as the f of f(s[k])."""
    for cell in _cells(node):
        if any(isinstance(index, t.Cell | t.Apply) for index in cell.indices):
            yield cell.array


def _indexers(message: Forward) -> frozenset[str]:
    """Inputs that are the number of an entry, as the t of p[t]."""
    functions = {definition.names[0] for definition in message.functions}
    cells = (cell for definition in message.arrays for cell in _cells(definition.body))
    indices = (index for cell in cells if cell.array not in functions for index in cell.indices)
    return frozenset(index.name for index in indices if isinstance(index, t.Name))


@dataclass(frozen=True, slots=True)
class ForwardReader:
    functions: frozenset[str]
    """What is called with values: its arguments are no indices."""
    indexers: frozenset[str] = frozenset()
    windows: bool = False
    """Whether all places are pairs."""

    def definition(self, one: t.Definition, free: Collection[str] = ()) -> t.Definition:
        called = one.names[0] in self.functions or one.names[0].endswith("'")
        own = () if called else one.parameters
        body = one.body
        if isinstance(body, t.Reduce) and len(one.names) == 2:
            return replace(one, body=self._reduce(body, frozenset({*free, *own})))
        return replace(one, body=self.number(body, frozenset({*free, *own, *self.indexers})))

    def number(self, node: t.Node, counted: frozenset[str]) -> t.Node:
        """A number, or a condition on numbers; `counted` are the letters that count from 0."""
        match node:
            case t.Name(name) if name in counted:
                return t.Arithmetic("+", node, t.Number(1.0), node.at)
            case t.Cell(array, indices):
                called = array in self.functions or array.endswith("'")
                read = self.number if called else self._place
                return replace(node, indices=tuple(read(index, counted) for index in indices))
            case t.Window(indices) | t.Windows(indices):
                return replace(node, indices=tuple(self._place(i, counted) for i in indices))
            case t.Reduce(kind) if kind in _PLACES and len(node.names) == 1:
                found = self._reduce(node, counted)
                whole = node.binders[0].domain is None
                return t.Arithmetic("+", found, t.Number(1.0), node.at) if whole else found
            case t.Reduce():
                return self._reduce(node, counted)
            case t.Over(kind) if kind in _PLACES and not self.windows:
                return t.Arithmetic("+", node, t.Number(1.0), node.at)
            case t.Comparison(_, operands) if any(isinstance(part, t.Pair) for part in operands):
                return replace(node, operands=tuple(self._pair(p, counted) for p in operands))
        return rebuilt(node, lambda part: self.number(part, counted))

    def _pair(self, node: t.Node, counted: frozenset[str]) -> t.Node:
        """A place is compared with a place: both count from 0."""
        if isinstance(node, t.Pair):
            return self._place(node, counted)
        if isinstance(node, t.Reduce):
            return self._reduce(node, counted)
        return self.number(node, counted) if self.windows else node

    def _place(self, node: t.Node, counted: frozenset[str]) -> t.Node:
        """The index of an array, one less; of a pair each, of a set of places nothing."""
        match node:
            case t.Name(name) if name in counted:
                return node
            case t.Pair(items):
                return replace(node, items=tuple(self._place(item, counted) for item in items))
            case t.Over() | t.Reduce() | t.Window() if self.windows:
                return self.number(node, counted)
        return lowered(self.number(node, counted))

    def _reduce(self, node: t.Reduce, counted: frozenset[str]) -> t.Reduce:
        binders = []
        for binder in node.binders:
            if binder.domain is None:
                binders.append(binder)
                counted = counted | {*binder.names}
                continue
            binders.append(replace(binder, domain=self.number(binder.domain, counted)))
            written = isinstance(binder.domain, t.Range)
            counted = counted - {*binder.names} if written else counted | {*binder.names}
        test = None if node.condition is None else self.number(node.condition, counted)
        body = self.number(node.body, counted)
        return replace(node, body=body, binders=tuple(binders), condition=test)
