r"""Functions and large operators: \sum, \arg\max with and without limits, \exp without brackets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from cards.math.tree import (  # fmt: skip
    Delimited,
    Environment,
    Node,
    Operator,
    Row,
    Scripts,
    Space,
    Stack,
    Symbol,
)
from engine.latex.parts import OPENING, after_spaces, group, index_name, is_symbol, solid
from engine.latex.writer import refuse

if TYPE_CHECKING:
    from engine.latex.rows import Transcriber

#: The power of what these give could be no other thing; log(x)^2 could.
_SCRIPTED: Final = ("diag", "softmax", "exp", "outer")
#: Run over indices, and take what follows up to the end of the product.
_REDUCERS: Final = {"sum", "prod", "max", "min", "argmax", "argmin"}


def operator(to: Transcriber, items: Sequence[Node], at: int) -> int:
    """An operator with its scripts; of a function also its argument."""
    name, sub, sup, start = _parts(items[at])
    name = to.spelt(name)
    behind = after_spaces(items, at + 1)
    if name == "arg" and behind < len(items) and _parts(items[behind])[0] in ("max", "min"):
        second, sub, sup, _ = _parts(items[behind])
        name, behind = "arg" + second, behind + 1
    if name in _REDUCERS:
        _reducer(to, name, sub, sup, start)
        return behind
    if sub is not None:
        raise refuse(f"I do not read {name} with a subscript.", "say it otherwise", sub.span[0])
    return _function(to, items, behind, name, sup, start)


def with_limits(node: Stack) -> list[Node] | None:
    r"""\underset{C}{\arg\max} as \arg\max_{C}; None where it stands under something else."""
    inner = solid(node.base.items)
    if not inner or not isinstance(inner[-1], Operator):
        return None
    return [*inner[:-1], Scripts(inner[-1], node.under, None, None, node.span)]


def _reducer(to: Transcriber, name: str, sub: Row | None, sup: Row | None, start: int) -> None:
    to.out.operand(name, start)
    if sub is not None:
        to.wrapped("_{", _condition(sub.items), "}", start)
    if sup is not None:
        if index_name(sup.items[0]) is None and not isinstance(sup.items[0], Scripts):
            raise refuse("I do not read this limit.", "write what the sum runs to", sup.span[0])
        to.wrapped("^{", sup.items, "}", sup.span[0])
    to.out.put(" ", start)


def _function(
    to: Transcriber, items: Sequence[Node], at: int, name: str, sup: Row | None, start: int
) -> int:
    scripted = _scripted(items, at)
    if (
        scripted is not None
        and sup is None
        and ((name in _SCRIPTED and _round(items[at])) or "^" not in _marks(items, scripted))
    ):
        to.out.operand(name, start)
        to.row(items[at : scripted + 1])
        return scripted + 1
    if scripted is not None:
        hint = rf"write (\{name}(...))^n, or \{name}((...)^n)"
        raise refuse(f"{name} of a bracket with a power could be two things.", hint, start)
    end = _argument(items, at, name, start)
    if sup is not None:
        if any(is_symbol(node, "-", "−") for node in sup.items):
            hint = "write the inverse or the reciprocal out"
            raise refuse(f"{name} to this power could be two things.", hint, sup.span[0])
        to.out.put("(", start)
    to.out.operand(name, start)
    argument = solid(items[at:end])
    whole = group(argument, 0) if argument else None
    bare = whole is None or whole[1] != len(argument)
    to.wrapped("(" if bare else "", argument, ")" if bare else "", start)
    if sup is not None:
        to.wrapped(")^(", sup.items, ")", sup.span[0])
    return end


def _scripted(items: Sequence[Node], at: int) -> int | None:
    """Where the bracket that opens at `at` closes, if the closing one has a script."""
    first = items[at] if at < len(items) else None
    if isinstance(first, Scripts) and isinstance(first.base, Delimited):
        return at if first.base.left in OPENING else None
    if first is None or not is_symbol(first, "("):
        return None
    depth = 0
    for end in range(at, len(items)):
        node = items[end]
        base = node.base if isinstance(node, Scripts) else node
        if base is not None and is_symbol(base, "(", ")"):
            depth += 1 if is_symbol(base, "(") else -1
            if depth == 0:
                return end if isinstance(node, Scripts) else None
    return None


def _round(node: Node) -> bool:
    base = node.base if isinstance(node, Scripts) else None
    return not isinstance(base, Delimited) or base.left == "("


def _marks(items: Sequence[Node], at: int) -> str:
    node = items[at]
    return "^" if isinstance(node, Scripts) and node.sup is not None else "_"


def _argument(items: Sequence[Node], at: int, name: str, start: int) -> int:
    """Where the argument ends: its brackets, or the one factor that follows."""
    found = group(items, at)
    if found is not None:
        return found[1]
    end = at
    while end < len(items) and _factor(items[end]):
        end += 1
        behind = group(items, end)
        if behind is not None:
            end = behind[1]
    factors = solid(items[at:end])
    if not factors:
        raise refuse(f"{name} has no argument.", "write it in brackets", start)
    if len(factors) > 1 and group(factors, 1) is None:
        hint = rf"put the argument in brackets: \{name}(...)"
        raise refuse(f"I cannot tell where the argument of {name} ends.", hint, start)
    return end


def _factor(node: Node) -> bool:
    if isinstance(node, Symbol):
        return node.kind == "ord" and node.char not in OPENING
    if isinstance(node, Scripts):
        return not isinstance(node.base, Operator | Environment)
    return not isinstance(node, Operator | Environment | Space | Delimited)


def _condition(items: Sequence[Node]) -> list[Node]:
    r"""A condition without a set's brackets, or the lines of a \substack as one condition."""
    inner = solid(items)
    if (bound := _comprehension(inner)) is not None:
        return bound
    if len(inner) != 1 or not isinstance(inner[0], Environment):
        return inner
    out: list[Node] = []
    for number, row in enumerate(inner[0].rows):
        cell = solid([node for part in row for node in part.items])
        if number and out and not is_symbol(out[-1], ":", ",", "|", "∣"):
            at = inner[0].span
            out.append(Symbol(":" if number == 1 else "∧", "rel", ":", at))
        out += cell
    return out


def _comprehension(items: list[Node]) -> list[Node] | None:
    r"""(k,l) : C of (k,l) \in \{(k,l) : C\}."""
    at = next((n for n, node in enumerate(items) if is_symbol(node, "∈")), 0)
    found = group(items, at + 1) if at else None
    if found is None or found[1] != len(items) or not _braced(items[at + 1]):
        return None
    inner = solid(found[0])
    same = [_shown(node) for node in inner[:at]] == [_shown(node) for node in items[:at]]
    return inner if same else None


def _braced(node: Node) -> bool:
    return is_symbol(node, "{") or (isinstance(node, Delimited) and node.left == "{")


def _shown(node: Node) -> str | None:
    return node.char if isinstance(node, Symbol) else index_name(node)


def _parts(node: Node) -> tuple[str, Row | None, Row | None, int]:
    if isinstance(node, Scripts) and isinstance(node.base, Operator):
        return _name(node.base), node.sub, node.sup, node.span[0]
    if isinstance(node, Operator):
        return _name(node), None, None, node.span[0]
    return "", None, None, node.span[0]


def _name(node: Operator) -> str:
    return {"∑": "sum", "∏": "prod"}.get(node.text, "".join(node.text.split()))
