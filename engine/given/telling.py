"""What was read, in our notation: it reads back to the same tree."""

from __future__ import annotations

from engine.formula import echo
from engine.formula.tree import Apply, Cell, Definition, Name, Node
from engine.given.paper import rebuilt
from engine.given.target import Target, in_brackets
from engine.given.vocabulary import Words


def _named(name: str, parameters: tuple[str, ...], words: Words) -> str:
    """s[k], dy[k]/ds[k]: a definition's left side."""
    if "/" not in name:
        if name.endswith("'") and len(parameters) == 1:
            return f"{name}({parameters[0]})"
        return name + in_brackets(parameters)
    above, below = (part[1:] for part in name.split("/"))
    upper = parameters[: words.arities[above]]
    lower = parameters[len(parameters) - words.arities[below] :]
    return f"d{above}{in_brackets(upper)}/d{below}{in_brackets(lower)}"


def told(
    target: Target,
    indices: tuple[str, ...],
    definitions: tuple[Definition, ...],
    body: Node,
    words: Words,
) -> str:
    """In our notation, definitions a line each; reads back to the same tree."""
    lines = []
    for one in definitions:
        left = _named(one.names[0], one.parameters, words)
        if len(one.names) > 1:
            left = f"({', '.join(one.names)})"
        lines.append(f"{left} = {echo.text(shown(one.body, words))}")
    lines.append(f"{target.written(indices, words.loss or 'L')} = {echo.text(shown(body, words))}")
    return "\n".join(lines)


def shown(node: Node, words: Words) -> Node:
    """The tree as it is printed: f'(s[k]) for f'[s[k]], dy[k]/ds[k] for dy/ds[k,k]."""
    same = rebuilt(node, lambda part: shown(part, words))
    if isinstance(same, Cell) and (same.array.endswith("'") or same.array in words.functions):
        return Apply(same.array, same.indices)
    if isinstance(same, Cell) and "/" in same.array:
        indices = tuple(map(echo.text, same.indices))
        count = [words.arities[part[1:]] for part in same.array.split("/")]
        if len(indices) == sum(count):
            return Name(_named(same.array, indices, words))
    return same
