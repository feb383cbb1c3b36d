"""Pieces of a row: groups in brackets, parts between commas, symbols of a kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cards.math.tree import Accent, Delimited, Node, Row, Scripts, Space, Styled, Symbol, Text
from engine.latex.writer import refuse

OPENING: Final = {"(": ")", "[": "]", "{": "}", "⟦": "⟧", "⟨": "⟩"}
CLOSING: Final = frozenset(OPENING.values())
_STARS: Final = frozenset("*∗⋆★")


def is_symbol(node: Node, *chars: str) -> bool:
    return isinstance(node, Symbol) and node.char in chars


def solid(items: Sequence[Node]) -> list[Node]:
    """The nodes without spaces, and without the punctuation that ends a sentence."""
    found: list[Node] = [node for node in items if not isinstance(node, Space)]
    while found and is_symbol(found[-1], ",", ".", ";"):
        found.pop()
    return found


def after_spaces(items: Sequence[Node], at: int) -> int:
    while at < len(items) and isinstance(items[at], Space):
        at += 1
    return at


def is_region(items: Sequence[Node]) -> bool:
    """Whether these are an Omega with its indices, and nothing more."""
    return region_end(solid(items), 0) == len(solid(items))


def region_end(items: Sequence[Node], at: int) -> int | None:
    """The end of the Omega with its indices that begins at `at`; None where none does."""
    at = after_spaces(items, at)
    if at == len(items):
        return None
    node = items[at]
    base = node.base if isinstance(node, Scripts) else node
    if base is None or not is_symbol(base, "Ω", "ω"):
        return None
    found = group(items, at + 1)
    return found[1] if found else at + 1


def group(items: Sequence[Node], at: int) -> tuple[list[Node], int] | None:
    """What the brackets that open at `items[at]` hold, and the place behind them."""
    node = items[at] if at < len(items) else None
    if isinstance(node, Delimited) and node.left in OPENING and len(node.parts) == 1:
        return list(node.parts[0].items), at + 1
    if not (isinstance(node, Symbol) and node.char in OPENING):
        return None
    depth = 0
    for end in range(at, len(items)):
        symbol = items[end]
        if isinstance(symbol, Scripts) and isinstance(symbol.base, Symbol):
            if symbol.base.char in CLOSING and depth == 1:
                return None  # a power of the whole group
            continue
        if isinstance(symbol, Symbol) and symbol.char in OPENING:
            depth += 1
        elif isinstance(symbol, Symbol) and symbol.char in CLOSING:
            depth -= 1
            if depth == 0:
                return list(items[at + 1 : end]), end + 1
    raise refuse(f"This '{node.char}' is never closed.", "close the bracket", node.span[0])


def opens(node: Node | None) -> str:
    """The bracket that a node opens; "" where it opens none."""
    if isinstance(node, Delimited):
        return node.left
    return node.char if isinstance(node, Symbol) and node.char in OPENING else ""


def holds_together(items: Sequence[Node], at: int) -> bool:
    """Whether the square brackets at `at` hold a number: no condition, and no list of indices."""
    found = group(items, at) if opens(items[at]) == "[" else None
    before = [node for node in items[:at] if not isinstance(node, Space)][-1:]
    for node in before:
        named = isinstance(node, Styled) or (isinstance(node, Symbol) and node.char.isalpha())
        if named or (isinstance(node, Scripts) and node.sub is None):
            return False  # an index behind the name of an array
    if found is None or tests(found[0]) or len(between_commas(found[0])) != 1:
        return False
    inner = solid(found[0])
    indices = all(isinstance(node, Symbol) and node.kind in ("ord", "bin") for node in inner)
    return len(inner) > 1 and not indices


def between_commas(items: Sequence[Node]) -> list[list[Node]]:
    """The parts between the commas that stand in no brackets."""
    parts: list[list[Node]] = [[]]
    depth = 0
    for node in items:
        if isinstance(node, Symbol):
            depth += (node.char in OPENING) - (node.char in CLOSING)
            if node.char == "," and depth == 0:
                parts.append([])
                continue
        if not isinstance(node, Space):
            parts[-1].append(node)
    return [part for part in parts if part]


def index_name(node: Node) -> str | None:
    """The text of one index: a letter or a digit, with primes or a star; None for anything else."""
    if isinstance(node, Styled):
        body = solid(node.body.items)
        return index_name(body[0]) if len(body) == 1 else None
    if isinstance(node, Symbol) and len(node.char) == 1 and node.char.isalnum():
        return node.char
    if isinstance(node, Scripts) and node.sub is None and isinstance(node.base, Symbol):
        marks = marks_of(node.sup)
        if marks is not None and node.base.char.isalpha():
            return node.base.char + marks
    return None


def marks_of(sup: Row | None) -> str | None:
    """Primes and stars of a superscript that holds nothing else."""
    text = ""
    for node in sup.items if sup else ():
        if not isinstance(node, Symbol):
            return None
        if node.name == "prime":
            text += "'"
        elif node.char in _STARS:
            text += "*"
        else:
            return None
    return text


def word_of(node: Node) -> str | None:
    r"""The letters of a word: \text{out}, \mathrm{out}, an accented letter as yhat."""
    if isinstance(node, Text) and all(isinstance(part, str) for part in node.parts):
        text = "".join(part for part in node.parts if isinstance(part, str)).strip()
        return text if text.isalnum() else None
    if isinstance(node, Styled):
        letters = [n.char for n in node.body.items if isinstance(n, Symbol) and n.char.isalnum()]
        return "".join(letters) if letters and len(letters) == len(node.body.items) else None
    if isinstance(node, Accent) and node.over:
        base = word_of(node.base) or "".join(index_name(n) or "?" for n in node.base.items)
        return base + node.name.removeprefix("wide") if base.isalnum() else None
    if isinstance(node, Row):
        return word_of(node.items[0]) if len(node.items) == 1 else None
    return None


def indicator(node: Node | None) -> bool:
    r"""\mathbb{1}, \mathbf{1}, \mathbb{I}, ...: what makes 1 or 0 of the condition behind it."""
    if isinstance(node, Symbol):
        return node.char in "𝟙𝟏𝕀"
    if isinstance(node, Styled) and not node.style.startswith(("color", "background")):
        body = [n for n in node.body.items if not isinstance(n, Space)]
        if len(body) == 1 and isinstance(body[0], Styled):
            return indicator(body[0])
        return len(body) == 1 and is_symbol(body[0], "1", "I")
    return False


def letter(node: Node | None) -> str:
    r"""The one letter of a symbol, in whatever style: the I of \mathbf{I}."""
    if isinstance(node, Styled):
        body = solid(node.body.items)
        return letter(body[0]) if len(body) == 1 else ""
    return {"𝕀": "I"}.get(node.char, node.char) if isinstance(node, Symbol) else ""


def tests(items: Sequence[Node]) -> bool:
    """Whether brackets hold a condition: a comparison, or words."""
    relations = [n for n in items if isinstance(n, Symbol) and n.kind == "rel"]
    return bool(relations) or any(isinstance(n, Text) for n in items)


def transposes(sup: Row | None) -> bool:
    r"""Whether a superscript says transposed: T in any style, \top, \intercal."""
    inner = solid(sup.items) if sup else []
    return len(inner) == 1 and letter(inner[0]) in ("T", "⊤", "⊺")
