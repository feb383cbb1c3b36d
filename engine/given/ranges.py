"""Ranges that no plain reading of an array tells: of sum(1 for k), and of the place of a largest.

In sum(x[k]^2 for k)/sum(1 for k) both letters k run equally far.  In w[argmax(x[k] for k)] the
index is one of those that k runs over.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from engine.formula.tree import Cell, Name, Node, Over, Reduce
from engine.given.lengths import Variable

if TYPE_CHECKING:
    from engine.given.shapes import Survey

_PLACES = ("argmax", "argmin")


def join_unread(
    variables: Sequence[Variable], read: Collection[Variable], home: Mapping[int, str]
) -> None:
    """Make a letter at which no array is read run as far as the same letter does elsewhere.

    `home` tells in which definition each variable is, by its id; the same one goes first.
    """
    roots = {id(variable.root) for variable in read}
    known = [v for v in variables if v.domain is None and id(v.root) in roots]
    for one in variables:
        if one.domain is not None or id(one.root) in roots:
            continue
        same = [v for v in known if v.letter == one.letter]
        if same:
            near = min(same, key=lambda v: home.get(id(v)) != home.get(id(one)))
            one.root.joined = near.root
        else:
            known.append(one)
            roots.add(id(one.root))


def place_of(node: Node, survey: Survey) -> Variable | None:
    """The index that argmax(x[k] for k), argmax(x) or a name of such a one is a value of."""
    match node:
        case Reduce(kind) if kind in _PLACES and len(node.names) == 1:
            return survey.bound[id(node)][node.names[0]]
        case Over(kind, Name(name)) if kind in _PLACES:
            own = survey.parameters.get(name)
            return own[0] if own else survey.places.get((name, 0))
        case Name(name) | Cell(name):
            definition = survey.forward.defined.get(name)
            return place_of(definition.body, survey) if definition is not None else None
    return None
