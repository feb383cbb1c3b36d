"""Slips of what is spoken of: one array for another, a mask turned round, a lost term."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from engine.formula import echo
from engine.formula.tree import Arithmetic, Cell, Definition, Name, Node, Number, Reduce
from engine.given.model import Model
from engine.given.paper import names_in, rebuilt
from engine.given.slips import everywhere
from engine.verdict import Mistake


def masks(node: Node, model: Model) -> Iterator[tuple[Mistake, Node]]:
    """1 - r for a mask r."""

    def here(part: Node) -> Iterator[tuple[Mistake, Node]]:
        name = part.array if isinstance(part, Cell) else getattr(part, "name", "")
        if isinstance(part, Cell | Name) and model.kinds.get(name) == "binary":
            said = echo.text(part)
            teaching = f"What counts is where {said} is 1, not where it is 0."
            mistake = Mistake(f"{said} the wrong way round", teaching)
            yield mistake, Arithmetic("-", Number(1.0), part)

    return everywhere(node, here)


def slips(node: Node, model: Model) -> Iterator[tuple[Mistake, Node]]:
    def here(part: Node) -> Iterator[tuple[Mistake, Node]]:
        if not isinstance(part, Cell | Name):
            return
        name = part.array if isinstance(part, Cell) else part.name
        said = echo.text(part)
        if not isinstance(part, Cell) or name not in model.forward.defined:
            return
        own = model.forward.defined[name]
        match own.body:
            case Arithmetic("/", above, below) if part.indices == tuple(map(Name, own.parameters)):
                name_ = f"{echo.text(above)} in place of {said}: not divided"
                yield Mistake(name_, f"{said} is divided by {echo.text(below)} as well."), above
        for earlier in _made_of(name, model):
            other = replace(part, array=earlier)
            mistake = Mistake(
                f"{echo.text(other)} in place of {said}",
                f"What is multiplied here is {said}, after its own step.",
            )
            yield mistake, other

    return everywhere(node, here)


def _made_of(name: str, model: Model) -> list[str]:
    """The arrays of as many indices that one is made of."""
    count = model.survey.indices_of(name)
    known = {*model.forward.defined, *model.forward.inputs}
    used = dict.fromkeys(names_in(model.forward.defined[name].body))
    return [one for one in used if one in known and model.survey.indices_of(one) == count]


def together(bodies: Sequence[Definition]) -> Iterator[tuple[Mistake, dict[str, Definition]]]:
    """All means taken for sums at once, as in the two terms of a normalisation."""
    changed = {d.names[0]: replace(d, body=_summed(d.body)) for d in bodies}
    moved = {d.names[0]: changed[d.names[0]] for d in bodies if changed[d.names[0]] != d}
    if len(moved) > 1:
        teaching = "Each mean has a factor 1 over the number of its terms; the derivative keeps it."
        yield Mistake(f"sums in place of the means in {' and '.join(moved)}", teaching), moved


def _summed(node: Node) -> Node:
    same = rebuilt(node, _summed)
    if isinstance(same, Reduce) and same.kind == "mean":
        return replace(same, kind="sum")
    return same


def missing(node: Node, model: Model) -> Iterator[tuple[Mistake, Node]]:
    """The formula without a summand that is an input: a bias, a target that is forgotten."""

    def here(part: Node) -> Iterator[tuple[Mistake, Node]]:
        if not (isinstance(part, Arithmetic) and part.op in ("+", "-")):
            return
        right = part.right
        name = right.array if isinstance(right, Cell) else getattr(right, "name", "")
        if isinstance(right, Cell | Name) and name in model.forward.inputs:
            said = echo.text(right)
            mistake = Mistake(
                f"the term {said} is missing in the value",
                f"The slope is taken at the place where {said} belongs to the value.",
            )
            yield mistake, part.left

    return everywhere(node, here)
