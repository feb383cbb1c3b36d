"""read(text): the forward message that a card gives, as definitions in a usable order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from engine.formula import build
from engine.formula.parser import Parser
from engine.formula.problem import OffsetError
from engine.formula.tokens import Token
from engine.formula.tree import Cell, Definition, Name, Node, Range, Reduce, children
from engine.given import forward, scan
from engine.given.check import Checker
from engine.given.forward import Forward
from engine.given.paper import bound_in, named_in, whole
from engine.given.vocabulary import NUMBERS, Words

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
    found = scan.scan(text, (name for name in (*sizes, *indexes) if len(name) == 1))
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
        replace(d, body=whole(d.body, known | {*d.parameters} | bound_in(d.body), sizes, first))
        for d in (_definition(line, words) for line in found.lines)
    ]
    arrays, functions = forward.split(
        definitions, {line.name for line in found.lines if line.called}
    )
    ordered = tuple(forward.ordered(arrays, functions))
    used: dict[str, int] = {}
    for definition in definitions:
        for name, at in named_in(definition.body):
            if name not in definition.parameters:
                used.setdefault(name, at)
    plain = {n: v for n, v in NUMBERS.items() if n in used and not found.arities.get(n)}
    values = {**plain, **constants}
    spoken = (name for name in sizes if name in used and found.arities.get(name, 0) == 0)
    scalars = frozenset((*spoken, *numbers))
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
        checker = Checker(every, tuple(functions))
        checker.number(definition.body, frozenset(definition.parameters))
    return Forward(ordered, tuple(functions), arity, values, scalars)


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
    found: scan.Scan, used: Mapping[str, int], said: Collection[str], running: Collection[str]
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


def _definition(line: scan.Line, words: Words) -> Definition:
    body = build.number(Parser(line.right, dict(words.arities), words).whole())
    return Definition((line.name,), line.parameters, body, line.at)


def _no_loose_index(node: Node, bound: frozenset[str], sizes: frozenset[str]) -> None:
    """Refuses x[j] outside of any sum over j: a size is no place in an array."""
    if isinstance(node, Reduce):
        bound = bound | frozenset(node.names)
    if isinstance(node, Cell):
        for index in node.indices:
            if isinstance(index, Name) and index.name in sizes and index.name not in bound:
                way = f"name it on the left side, or bind it: sum(... for {index.name})"
                raise OffsetError(f"The index {index.name} is not defined here.", way, index.at)
    for part in children(node):
        _no_loose_index(part, bound, sizes)


def _no_loose_size(node: Node, scalars: Collection[str]) -> None:
    """Refuses x[i*s + a] where nothing says how much s is; p[t] alone is the number of an entry."""
    indices: tuple[Node, ...] = ()
    if isinstance(node, Cell):
        indices = tuple(index for index in node.indices if not isinstance(index, Name))
    elif isinstance(node, Range):
        indices = (node.start, node.stop)
    for index in indices:
        for name, at in named_in(index):
            if name in scalars:
                said = f"{name} stands in an index, and has no value."
                raise OffsetError(said, f"say it on the card: constants: {{{name}: 2}}", at)
    for part in children(node):
        _no_loose_size(part, scalars)
