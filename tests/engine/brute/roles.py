"""What an index runs over that a sum does not say, and which names stand free in an answer.

docs/answers.md: read off its use; where that does not decide, i,j are an input's, k,l a window's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.formula import tree as t

Role = tuple[str, int]
_ROWS_AND_COLUMNS = {
    "x": [("input", 0), ("input", 1)],
    "delta": [("output", 0), ("output", 1)],
    "f": [("output", 0), ("output", 1)],
    "J": [("output", 0), ("output", 1), ("input", 0), ("input", 1)],
}
_USUAL = {"i": ("input", 0), "j": ("input", 1), "k": ("output", 0), "l": ("output", 1)}


def role(name: str, node: t.Reduce, definitions: Mapping[str, t.Definition]) -> Role:
    used = {r for part in t.children(node) for r in _uses(part, name, definitions)}
    if len(used) == 1:
        return used.pop()
    usual = _USUAL.get(name[0])
    if usual is not None and (not used or usual in used):
        return usual
    side = "output" if any(side == "output" for side, _ in used) else "input"
    return side, min(node.names.index(name), 1)


def _uses(node: t.Node, name: str, definitions: Mapping[str, t.Definition]) -> Iterator[Role]:
    match node:
        case t.Cell(array, indices) if array in definitions:
            definition = definitions[array]
            for parameter, index in zip(definition.parameters, indices, strict=False):
                if index == t.Name(name):
                    yield from _uses(definition.body, parameter, definitions)
        case t.Cell(array, indices):
            yield from _placed(indices, name, array)
        case t.Window(indices):
            yield from _placed(indices, name, "f")
        case t.Windows(indices):
            yield from _placed(indices, name, "x")
        case t.Comparison(_, operands):
            for n, one in enumerate(operands):
                for other in operands[max(0, n - 1) : n + 2]:
                    yield from _beside(one, other, name, definitions)
        case t.Name(used) if used in definitions:
            yield from _uses(definitions[used].body, name, definitions)
    if not (isinstance(node, t.Reduce) and name in node.names):
        for child in t.children(node):
            yield from _uses(child, name, definitions)


def _placed(indices: tuple[t.Node, ...], name: str, array: str) -> Iterator[Role]:
    for index, found in zip(indices, _ROWS_AND_COLUMNS[array], strict=False):
        if index == t.Name(name):
            yield found


def _beside(
    pair: t.Node, other: t.Node, name: str, definitions: Mapping[str, t.Definition]
) -> Iterator[Role]:
    """(a,b) in Omega(...), (a,b) == argmax(...), (a,b) == (i*,j*): a place of the input."""
    if not isinstance(pair, t.Pair):
        return
    if isinstance(other, t.Name) and other.name in definitions:
        other = definitions[other.name].body
    starred = isinstance(other, t.Pair) and any(
        isinstance(item, t.Name) and item.name in definitions for item in other.items
    )
    if starred or isinstance(other, t.Window | t.Over | t.Reduce):
        yield from _placed(pair.items, name, "x")
    if isinstance(other, t.Windows):
        yield from _placed(pair.items, name, "f")


def free_names(answer: t.Answer) -> set[str]:
    """The names that nothing binds where they stand, with those of the definitions used."""
    definitions = {name: d for d in answer.definitions for name in d.names}
    return _free(answer.body, definitions)


def _free(node: t.Node, definitions: Mapping[str, t.Definition]) -> set[str]:
    if isinstance(node, t.Reduce):
        parts = [part for part in (node.body, node.condition) if part is not None]
        found = {name for part in parts for name in _free(part, definitions)} - set(node.names)
        seen: set[str] = set()
        for binder in node.binders:
            # A set is read before the indices that run over it are bound.
            if binder.domain is not None:
                found |= _free(binder.domain, definitions) - seen
            seen |= set(binder.names)
        return found
    found = {name for part in t.children(node) for name in _free(part, definitions)}
    used = node.name if isinstance(node, t.Name) else ""
    used = node.array if isinstance(node, t.Cell) else used
    if used in definitions:
        body = _free(definitions[used].body, definitions)
        return found | (body - set(definitions[used].parameters))
    return found | ({node.name} if isinstance(node, t.Name) else set())
