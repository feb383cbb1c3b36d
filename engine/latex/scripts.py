r"""Subscripts and superscripts: indices, marks, which message a \delta is, and powers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from cards.math.tree import Brace, Delimited, Node, Operator, Row, Scripts, Styled, Symbol
from engine.latex import derivatives, functions, symbols
from engine.latex.parts import (
    CLOSING,
    between_commas,
    index_name,
    indicator,
    is_symbol,
    letter,
    marks_of,
    solid,
    tests,
    transposes,
    word_of,
)  # fmt: skip
from engine.latex.symbols import is_bar
from engine.latex.writer import refuse

if TYPE_CHECKING:
    from engine.latex.rows import Transcriber

#: What a \delta may be the message of: δ_{x,ij} is dL/dx, δ_{f,kl} is dL/df.
_OF: Final = frozenset("xXfFyY")


def scripts(to: Transcriber, items: Sequence[Node], at: int) -> int:
    node = items[at]
    assert isinstance(node, Scripts)
    base, start = node.base, node.span[0]
    if isinstance(base, Operator):
        return functions.operator(to, items, at)
    if base is not None and is_symbol(base, "∇"):
        return derivatives.gradient(to, items, at)
    if isinstance(base, Brace):
        to.row(base.base.items)  # what stands under a brace explains it
        return at + 1
    if indicator(base) and node.sub is not None and node.sup is None:
        inner = solid(_bare(node.sub.items))
        to.out.operand("" if tests(inner) else "1", start)
        to.wrapped("[", inner, "]", start)
        return at + 1
    if base is not None and node.sub is not None and letter(base).isdigit():
        _numbered(to, node, letter(base))
        return at + 1
    if indicator(base) and transposes(node.sup) and "ones" in to.known:
        to.out.operand("I^T" if letter(base) == "I" else "ones^T", start)
        return at + 1
    if base is not None and is_symbol(base, "‖"):
        return _norm(to, node, base, at)
    if isinstance(base, Delimited) and base.left == "‖":
        to.row([base])
        _norm_scripts(to, node)
        return at + 1
    marks = marks_of(node.sup)
    if isinstance(base, Symbol) and (base.char in CLOSING or (is_bar(node) and to.bars)):
        to.bars -= is_bar(node)
        to.out.put(")" if is_bar(node) else base.char, start)
        _power(to, node, marks)
    elif isinstance(base, Symbol) and base.char.isdigit():
        symbols.digit(to, items, at, base.char)
        _power(to, node, marks)
    elif base is not None and (name := _name(base)) is not None:
        _named(to, node, name, marks)
    elif base is None:
        raise refuse("This script belongs to nothing.", "write its letter", start)
    else:
        bracketed = not isinstance(base, Delimited)
        to.wrapped("(" if bracketed else "", [base], ")" if bracketed else "", start)
        _power(to, node, marks)
    return at + 1


def _numbered(to: Transcriber, node: Scripts, digit: str) -> None:
    """1_{C}, which is 1 where C holds; no other number has a subscript."""
    assert node.sub is not None
    inner = solid(_bare(node.sub.items))
    if digit != "1" or node.sup is not None or not tests(inner) or to.out.last.isdigit():
        hint = r"write \mathbb{1}[(i,j) = ...] for a condition"
        raise refuse("A number has no subscript.", hint, node.sub.span[0])
    to.wrapped(" [", inner, "]", node.span[0])


def _norm(to: Transcriber, node: Scripts, base: Node, at: int) -> int:
    """The bar that closes a norm, with its 2 below and a power above."""
    assert isinstance(base, Symbol)
    symbols.norm_bar(to, base)
    _norm_scripts(to, node)
    return at + 1


def _norm_scripts(to: Transcriber, node: Scripts) -> None:
    if node.sub is not None and [letter(n) for n in solid(node.sub.items)] != ["2"]:
        hint = "write it as a sum"
        raise refuse("I read the Euclidean norm alone.", hint, node.sub.span[0])
    if node.sup is not None:
        to.wrapped("^(", node.sup.items, ")", node.sup.span[0])


def _name(base: Node) -> str | None:
    if isinstance(base, Symbol):
        return base.char if base.char.isalnum() or base.char == "∂" else None
    if isinstance(base, Row | Styled):
        inner = base.items if isinstance(base, Row) else base.body.items
        return _name(inner[0]) if len(inner) == 1 else word_of(base)
    return word_of(base)


def _named(to: Transcriber, node: Scripts, name: str, marks: str | None) -> None:
    start = node.span[0]
    parts = between_commas(_bare(node.sub.items)) if node.sub else []
    tag = _tag(node.sup) if marks is None and name == "δ" else None
    if name == "∂":
        raise refuse("I do not read scripts of ∂.", r"write \frac{\partial L}{\partial x}", start)
    if tag:
        name = f"{name}_{tag}"
    elif name == "δ" and parts and _letter(parts[0]) in _OF:
        name, parts = f"{name}_{_letter(parts[0])}", parts[1:]
    elif len(parts) == 1 and f"{name}_{_word(parts[0])}" in to.known:
        name, parts = f"{name}_{_word(parts[0])}", []
    elif name in ("i", "j", "k", "l", "m", "n", "p", "q") and marks and parts:
        # (i*_kl, j*_kl): without windows, the place is the one that is spoken of
        parts = [] if "ones" in to.known else parts
    elif name == "Ω" and node.sup is not None and _inverse(node.sup):
        to.out.operand("windows", start)
        if parts and node.sub is not None:
            indices(to, parts, node.sub, "()")
        return
    to.out.operand(name + (marks or "").replace("*", "^*"), start)
    if parts and node.sub is not None:
        indices(to, parts, node.sub, "()" if name in ("Ω", "ω") else "[]")
    if marks is None and not tag and node.sup is not None:
        _power(to, node, marks)


def _inverse(sup: Row) -> bool:
    r"""The -1 of \Omega^{-1}(i,j), the windows that hold (i,j)."""
    inner = solid(sup.items)
    return len(inner) == 2 and is_symbol(inner[0], "-", "−") and letter(inner[1]) == "1"


def _marked(node: Node) -> bool:
    """An index with a star or a prime, and perhaps with indices of its own."""
    if not isinstance(node, Scripts) or not isinstance(node.base, Symbol):
        return False
    return node.base.char.isalpha() and bool(marks_of(node.sup))


def indices(to: Transcriber, parts: list[list[Node]], sub: Row, brackets: str) -> None:
    """Write the indices of a subscript, with commas between them, in brackets."""
    start = sub.span[0]
    to.out.put(brackets[0], start)
    first = True
    for part in parts:
        names = [index_name(node) or _marked(node) for node in part]
        single = [[node] for node in part] if all(names) else [part]
        for nodes in single:
            if not first:
                to.out.put(",", nodes[0].span[0])
            first = False
            to.row(nodes)
    to.out.put(brackets[1], max(start, sub.span[1] - 1))


def _power(to: Transcriber, node: Scripts, marks: str | None) -> None:
    closed = isinstance(node.base, Delimited) and node.base.right in (")", "]")
    if node.sub is not None and closed and to.out.last == ")":
        indices(to, between_commas(node.sub.items), node.sub, "[]")
    elif node.sub is not None and not isinstance(node.base, Symbol):
        raise refuse("I do not read this subscript.", "put the indices at the name", node.span[0])
    if node.sub is not None and isinstance(node.base, Symbol):
        if node.base.char == ")":
            # (W^T d)_j, softmax(x)_k: an entry of what the bracket comes to.
            indices(to, between_commas(node.sub.items), node.sub, "[]")
        elif node.base.char in CLOSING or is_bar(node):
            hint = "put the indices at the name"
            raise refuse("I do not read this subscript.", hint, node.span[0])
    if node.sup is None:
        return
    if transposes(node.sup):
        top = letter(solid(node.sup.items)[0]) != "T"
        to.out.put("^⊤" if top else "^T", node.sup.span[0])
        return
    if marks:
        raise refuse("I do not read this mark.", "give what it marks a name", node.sup.span[0])
    to.wrapped("^(", node.sup.items, ")", node.sup.span[0])


def _bare(items: Sequence[Node]) -> Sequence[Node]:
    r"""Without the braces that some put around a condition: \mathbb{I}_{\{...\}}."""
    inner = solid(items)
    if len(inner) == 1 and isinstance(inner[0], Delimited) and inner[0].left in ("{", "["):
        return inner[0].parts[0].items
    if len(inner) > 2 and is_symbol(inner[0], "{") and is_symbol(inner[-1], "}"):
        return inner[1:-1]
    return items


def _tag(sup: Row | None) -> str | None:
    """The x of δ^x and of δ^{(x)}."""
    inner = [n for n in solid(sup.items) if not is_symbol(n, "(", ")", "[", "]")] if sup else []
    if len(inner) == 1 and isinstance(inner[0], Delimited):
        inner = solid(inner[0].parts[0].items)
    letter = _letter(inner)
    return letter if letter in _OF else None


def _letter(part: Sequence[Node]) -> str:
    if len(part) != 1:
        return ""
    return index_name(part[0]) or word_of(part[0]) or ""


def _word(part: Sequence[Node]) -> str:
    if len(part) > 1:  # H_{out}, in plain letters
        return "".join(index_name(node) or "?" for node in part)
    return word_of(part[0]) or index_name(part[0]) or "" if part else ""
