"""Which names of a formula no sum binds."""

from __future__ import annotations

from collections.abc import Mapping

from engine.formula.tree import Cell, Definition, Name, Node, Reduce, children


def free(node: Node, definitions: Mapping[str, Definition]) -> set[str]:
    """The names that stand free, those in the definitions that it uses among them."""
    match node:
        case Reduce(_, body, binders, condition):
            found = set().union(
                *(free(part, definitions) for part in (body, condition) if part is not None)
            )
            for binder in reversed(binders):
                found -= {*binder.names}
                if binder.domain is not None:
                    found |= free(binder.domain, definitions)
            return found
        case Name(name) if name in definitions:
            return _inside(definitions[name], definitions)
        case Name(name):
            return {name}
        case Cell(name, indices):
            found = set().union(*(free(index, definitions) for index in indices))
            if name in definitions:
                found |= _inside(definitions[name], definitions)
            return found
    return set().union(*(free(part, definitions) for part in children(node)))


def _inside(definition: Definition, definitions: Mapping[str, Definition]) -> set[str]:
    # Without itself: that a definition goes round in a circle is refused elsewhere.
    others = {k: d for k, d in definitions.items() if d is not definition}
    return free(definition.body, others) - {*definition.parameters}
