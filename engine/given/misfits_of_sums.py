"""Sums that do not fit: terms of unlike shapes, and a sum over an index of the answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.formula.problem import OffsetError
from engine.formula.tree import Arithmetic, Binder, Negative, Node, Reduce, children
from engine.given.misfits import UnfitError, Way, short, shown, turned
from engine.given.shaped import Shaped
from engine.verdict import Mistake


def of_terms(node: Node, parts: Sequence[Shaped], trouble: OffsetError) -> OffsetError:
    """The refusal of a sum of unlike shapes."""
    if not (isinstance(node, Arithmetic) and node.op in ("+", "-")):
        return trouble
    ways = []
    for kept, other in ((node.left, node.right), (node.right, node.left)):
        alone = Negative(kept) if kept is node.right and node.op == "-" else kept
        teaching = f"{trouble.message} What is added has the shape of the answer."
        mistake = Mistake(f"the term {shown(other)} does not belong here", teaching)
        ways.append(Way(mistake, node, alone))
    if all(len(part.dims) == 2 for part in parts):
        for new in ((turned(node.left), node.right), (node.left, turned(node.right))):
            whole = Arithmetic(node.op, *new, node.at)
            teaching = f"{trouble.message} {shown(whole)} fits."
            ways.append(Way(Mistake(short("transposed", node, whole), teaching), node, whole))
    return UnfitError(trouble, ways)


def of_sum(node: Node, own: Sequence[str], unknown: str, trouble: OffsetError) -> OffsetError:
    """Sums over an index of the answer, where another one is left free: Σ_j δ_k W_kj for dx_j."""
    ways = []
    for part in _sums(node):
        for place, binder in enumerate(part.binders):
            letters = [name for name in binder.names if name in own]
            if len(binder.names) == 1 and letters and binder.domain is None:
                new = Binder((unknown,), None, binder.at)
                binders = (*part.binders[:place], new, *part.binders[place + 1 :])
                name = f"summed over {letters[0]} in place of {unknown}"
                teaching = (
                    f"{letters[0]} says which entry it is; what is summed over is {unknown}, the "
                    "index that the answer does not have."
                )
                put = Reduce(part.kind, part.body, binders, part.condition, part.at)
                ways.append(Way(Mistake(name, teaching), part, put))
    return UnfitError(trouble, ways) if ways else trouble


def _sums(node: Node) -> Iterator[Reduce]:
    if isinstance(node, Reduce):
        yield node
    for part in children(node):
        yield from _sums(part)
