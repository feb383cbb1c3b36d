"""Single characters: names of one or several letters, numbers, signs, bars."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from cards.math.tree import Node, Operator, Scripts, Space, Styled, Symbol, Text
from engine.formula.names import NAMED
from engine.latex import derivatives
from engine.latex.parts import group, holds_together, is_region, is_symbol
from engine.latex.writer import refuse

if TYPE_CHECKING:
    from engine.latex.rows import Transcriber

_SIGNS: Final = {
    **dict.fromkeys("∗*", "*"),
    **dict.fromkeys("⋅·×•", "·"),
    **dict.fromkeys("⊙∘", "⊙"),
    **dict.fromkeys("∣|", ":"),
    **dict.fromkeys("≔", ":="),
    "−": "-",
    "∧": " and ",
    "∨": " or ",
    "¬": " not ",
    "∖": "-",
    **{sign: sign for sign in "⊗⊘⟨⟩"},
    "⌋": ")",
    "⌉": ")",
}
_ROUNDED: Final = {"⌊": "floor(", "⌈": "ceil("}


def symbol(to: Transcriber, items: Sequence[Node], at: int) -> int:
    """Write one sign, digit or name; returns the place of the next node."""
    node = items[at]
    assert isinstance(node, Symbol)
    char, start = node.char, node.span[0]
    if char.isdigit():
        digit(to, items, at, char)
    elif char == "∇":
        return derivatives.gradient(to, items, at)
    elif char == "∂":
        to.out.operand("∂", start)
    elif char == "d" and _begins_name(items, at + 1):
        to.out.operand("d", start)
        to.out.glue()
    elif char.isalpha():
        return _letters(to, items, at)
    elif char in _ROUNDED:
        to.out.operand(_ROUNDED[char], start)
    elif char == "‖":
        norm_bar(to, node)
    elif char == "[" and holds_together(items, at):
        inner, end = group(items, at) or ([], at + 1)
        to.wrapped("(", inner, ")", start)
        return end
    elif node.name in ("lvert", "rvert") or char in "|∣":
        return _bar(to, items, at)
    elif char in "∀∃∄":
        said = {"∀": " forall ", "∃": " exists ", "∄": " not exists "}
        to.out.put(said[char], start)
    elif char in "⇒⟹∴" and node.kind == "rel":
        to.out.new_line(start)
    elif char in "…⋯" and to.out.last == ",":
        to.out.put("...", start)
    elif char in "…⋯⋮":
        raise refuse("I cannot tell what the dots stand for.", "write a sum", start)
    elif char == "/" or char in "+-=<>≤≥≠∈∉.,;:!'()[]{}⟦⟧⩽⩾≡←#∋" or char in _SIGNS:
        to.out.put(_SIGNS.get(char, char), start)
    else:
        raise refuse(f"I do not know the sign '{char}' here.", "say it otherwise", start)
    return at + 1


def _letters(to: Transcriber, items: Sequence[Node], at: int) -> int:
    """The longest known name that begins here, or one letter."""
    letters = ""
    for node in items[at:]:
        if not (isinstance(node, Symbol) and node.char.isalpha() and node.char.isascii()):
            break
        letters += node.char
    size = next((n for n in range(len(letters), 1, -1) if letters[:n] in to.known), 1)
    start = items[at].span[0]
    first = items[at]
    assert isinstance(first, Symbol)
    behind = at + len(letters)
    if size == 1 and behind < len(items) and is_symbol(items[behind], "("):
        _refuse_misspelt(letters, start)
    to.out.operand(letters[:size] if size > 1 else first.char, start)
    return at + size


def _refuse_misspelt(letters: str, start: int) -> None:
    """Refuses sigmiod(s), and tanh(s) without its backslash: a product of letters in LaTeX."""
    for name in get_close_matches(letters, NAMED, n=1, cutoff=0.8):
        hint = rf"did you mean \operatorname{{{name}}}?"
        raise refuse(f"I do not know '{letters}'.", hint, start)


def norm_bar(to: Transcriber, node: Symbol) -> None:
    """The bars that open and close a norm, in turns."""
    opens = node.name == "lVert" or (node.name != "rVert" and not to.norms)
    to.norms += 1 if opens else -1
    if opens:
        to.out.operand("norm(", node.span[0])
    else:
        to.out.put(")", node.span[0])


def _bar(to: Transcriber, items: Sequence[Node], at: int) -> int:
    """A bar opens or closes an absolute value (of a set: its size), or means "such that"."""
    node = items[at]
    assert isinstance(node, Symbol)
    start = node.span[0]
    behind_operand = _ends_operand(items, at)
    if to.bars and node.name != "lvert" and behind_operand:
        to.bars -= 1
        to.out.put(")", start)
    elif node.name in ("mid", "rvert") or (behind_operand and to.odd_bars(items, at)):
        to.out.put(":", start)
    else:
        end = next((n for n in range(at + 1, len(items)) if is_symbol(items[n], "|", "∣")), 0)
        if end and is_region(items[at + 1 : end]):
            to.size(items[at + 1 : end], start)
            return end + 1
        to.bars += 1
        to.out.operand("abs(", start)
    return at + 1


def is_bar(node: Node) -> bool:
    base = node.base if isinstance(node, Scripts) else node
    return base is not None and is_symbol(base, "|", "∣")


def _ends_operand(items: Sequence[Node], end: int) -> bool:
    """Whether what stands before `end` is a number, a name or a closed bracket."""
    at = end - 1
    while at >= 0 and (isinstance(items[at], Space) or is_symbol(items[at], ",", ".", ";")):
        at -= 1
    if at < 0 or isinstance(items[at], Operator | Text):
        return False
    last = items[at]
    return not isinstance(last, Symbol) or last.kind in ("ord", "close", "inner")


def digit(to: Transcriber, items: Sequence[Node], at: int, char: str) -> None:
    """Write a digit, as one number with those directly before it."""
    glued = to.out.last.isdigit() or to.out.last == "."
    (to.out.put if glued and not _spaced(items, at) else to.out.operand)(char, items[at].span[0])


def _begins_name(items: Sequence[Node], at: int) -> bool:
    """Whether a name stands directly here, so that a d before it is a differential's."""
    node = items[at] if at < len(items) else None
    if isinstance(node, Scripts):
        node = node.base
    if isinstance(node, Styled):
        node = node.body.items[0] if node.body.items else None
    return isinstance(node, Symbol) and node.char.isalpha() and node.char != "d"


def _spaced(items: Sequence[Node], at: int) -> bool:
    return at > 0 and not (
        isinstance(items[at - 1], Symbol)
        and (is_symbol(items[at - 1], ".") or _digit(items[at - 1]))
    )


def _digit(node: Node) -> bool:
    return isinstance(node, Symbol) and node.char.isdigit()
