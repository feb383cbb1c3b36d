"""What an answer came to beside what is asked for: does a vector stand where one belongs?"""

from __future__ import annotations

from engine.formula.problem import OffsetError
from engine.formula.statements import Line
from engine.formula.tree import Apply, Arithmetic, Name, Node
from engine.given.misfits import UnfitError, Way, shown, turned
from engine.given.paper import names_in
from engine.given.shaped import Shaped, alike
from engine.given.target import Target
from engine.given.vectors import Vectors
from engine.verdict import Mistake

_SPARE = "ijklmnpq"


def fitted(
    found: Shaped,
    target: Target,
    indices: tuple[str, ...],
    final: Line,
    vectors: Vectors,
    surface: Node,
) -> tuple[tuple[str, ...], Node]:
    """The indices of the answer, and the formula of its entry there.

    Raises OffsetError where the shape is another than that of what is asked for, with what
    could be made of `surface`, the answer as it was written.
    """
    wanted = _wanted(target, vectors)
    named = bool(final.left and final.left.parameters)
    if not found.dims:
        body = found.entry((), vectors.taken)
        if vectors.whole and wanted and not named and not {*names_in(body)} & {*indices}:
            said = f"This is one number; {target.written()} has {_shape(wanted)} entries."
            hint = "check the order of the factors, or write an index"
            raise UnfitError(OffsetError(said, hint, found.at), firm=True)
        return indices, body
    if named:
        left = target.written(indices)
        said = f"Before '=' stands one entry, {left}, behind it {found.said}."
        raise OffsetError(said, "leave the index out before '=', or write (...)_j", found.at)
    if len(found.dims) == 1 and target.diagonal and alike(found.dims, wanted[:1]):
        own = tuple(dict.fromkeys(target.indices))
        if len(own) == 1:
            return own, found.entry((Name(own[0]),), vectors.taken | {*own})
    if not alike(found.dims, wanted):
        has = f"has {_shape(wanted)} entries" if wanted else "is one number"
        said = f"This is {found.said}; {target.written()} {has}."
        trouble = OffsetError(said, _hint(found, wanted), found.at)
        raise UnfitError(trouble, _ways(found, target, wanted, surface, said), firm=True)
    letters = target.indices
    if target.diagonal:
        spare = [a for a in _SPARE if a not in vectors.taken and a not in letters]
        letters = tuple(
            a if a not in letters[:n] else spare.pop(0) for n, a in enumerate(target.indices)
        )
    return letters, found.entry(tuple(map(Name, letters)), vectors.taken | {*letters})


def _ways(
    found: Shaped, target: Target, wanted: tuple[str, ...], surface: Node, said: str
) -> list[Way]:
    """What could be made of an answer that has another shape than what is asked for."""
    ways = []

    def add(name: str, new: Node, teaching: str) -> None:
        ways.append(Way(Mistake(name, f"{said} {teaching}"), surface, new))

    other = turned(surface)
    if len(wanted) == 2 and alike(found.dims[::-1], wanted):
        add("transposed", other, f"{shown(other)} has that shape.")
    if not wanted:
        over = " and ".join(_shape((dim,)) for dim in found.dims)
        teaching = f"It is one for all {over}: what comes from each adds up."
        add(f"the sum over {over} is forgotten", Apply("~sum", (surface,)), teaching)
    if target.upstream and len(found.dims) == 2:
        message = Arithmetic(" ", other, Name("delta"))
        teaching = "The Jacobian is still to be multiplied by the message from above."
        add("the Jacobian in place of the message", message, teaching)
    return ways


def _wanted(target: Target, vectors: Vectors) -> tuple[str, ...]:
    above = vectors.words.dims.get(target.above, ()) if target.jacobian else ()
    return (*above, *vectors.words.dims.get(target.below, ()))


def _shape(dims: tuple[str, ...]) -> str:
    return "×".join(dim.partition("#")[0].partition(":")[0] for dim in dims)


def _hint(found: Shaped, wanted: tuple[str, ...]) -> str:
    if len(wanted) == 2 and alike(found.dims[::-1], wanted):
        return "transpose it, or swap the factors of the outer product"
    return "write one entry, with its indices"
