r"""Cases, the words that stand in them, and lines of alignment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from cards.math.tree import Environment, Node, Row, Scripts, Text
from engine.formula.names import FUNCTIONS, REDUCERS
from engine.formula.problem import OffsetError
from engine.latex.parts import (
    after_spaces,
    between_commas,
    group,
    is_symbol,
    region_end,
    solid,
    tests,
    word_of,
)  # fmt: skip
from engine.latex.scripts import indices
from engine.latex.statements import equation, lines
from engine.latex.words import words
from engine.latex.writer import refuse
from engine.prose import tells_why
from engine.prose_words import empty, leads

if TYPE_CHECKING:
    from engine.latex.rows import Transcriber

#: Functions of one number and of arrays, which a text names as well as \\operatorname does.
_FUNCTIONS: Final = (
    *FUNCTIONS,
    *("sigmoid", "softplus", "erf", "sin", "cos", "sinh", "cosh", "sech", "ln", "sgn", "ReLU"),
    *("softmax", "diag", "Diag", "norm", "outer", "transpose"),
)
_CASES: Final = ("cases", "dcases", "rcases", "drcases")


def text(to: Transcriber, items: Sequence[Node], at: int) -> int:
    """Words, with the window that "was the maximum in its window" may name behind them."""
    node = items[at]
    assert isinstance(node, Text)
    behind = at + 1
    if (name := _name(to, items, at)) is not None:
        to.out.operand(to.spelt(name), node.span[0])
        return behind
    leading = to.out.last in ("", "\n")
    if leading and (led := _led(items, at)) is not None:
        return led  # By the chain rule, ...
    if behind == len(items) and isinstance(node.parts[0], str) and tells_why(node.parts[0]):
        return behind
    for part in node.parts:
        if not isinstance(part, str):
            to.row([part])
            continue
        for said, start in _said(part, node.span[0], leading):
            if said == "MAX":
                behind = _maximum(to, items, behind, start)
            else:
                to.out.put(said, start)
    return behind


def _said(part: str, at: int, leading: bool) -> list[tuple[str, int]]:
    try:
        return words(part, at)
    except OffsetError as trouble:
        hint = "leave the words away, and write what they mean as a formula"
        raise refuse(trouble.message, hint if leading else trouble.hint, trouble.at) from None


def _led(items: Sequence[Node], at: int) -> int | None:
    """Where the formula begins that empty words lead up to; None where they are others.

    A sign, the line's end, a left side, or a verb must part them from it: directly before an
    operand, words could be a factor of it.
    """
    node = items[at]
    assert isinstance(node, Text)
    said = "".join(part if isinstance(part, str) else "$" for part in node.parts)
    if not empty(said):
        return None
    behind = after_spaces(items, at + 1)
    if behind == len(items) or isinstance(items[behind], Text) or leads(said):
        return behind
    if is_symbol(items[behind], ":", ","):
        return behind + 1
    if equation(items[behind:]) and not said.rstrip().lower().endswith("of"):
        return behind
    message = f"The words '{said.strip()}' stand directly before an operand."
    raise refuse(message, "put a colon behind them, or leave them away", node.span[0])


def _name(to: Transcriber, items: Sequence[Node], at: int) -> str | None:
    r"""The name that \text{softmax} gives, of a function or of what is declared."""
    word = word_of(items[at])
    if word is None or not word.isalpha():
        return None
    called = group(items, after_spaces(items, at + 1)) is not None
    if word in to.known or (called and word in _FUNCTIONS):
        return word
    if word in REDUCERS and called and not (to.out.last.isalnum() or to.out.last in ")]}'"):
        return word
    try:
        words(word, 0)
    except OffsetError:
        # At the start of a line it is a word, elsewhere a name that only the grammar may know.
        return word if called and to.out.last not in ("", "\n") else None
    return None


def _maximum(to: Transcriber, items: Sequence[Node], at: int, start: int) -> int:
    """x_ij was the maximum of its window: of its values, and in it; (i,j) was: of its places."""
    function = "argmax" if to.out.last == ")" else "max"
    sub = _subscript(solid(items[: at - 1])) if function == "max" else None
    to.out.put(f" = {function}(", start)
    found = region_end(items, at)
    if found is None:
        to.out.put("window(k,l)", start)
        end = at
    else:
        end = found
        to.row(solid(items[at:end]))
    to.out.put(")", start)
    if sub is not None:
        to.out.put(" and ", start)
        indices(to, between_commas(sub.items), sub, "()")
        to.out.put(" in ", start)
        to.out.put("window(k,l)", start) if found is None else to.row(solid(items[at:end]))
    return end


def _subscript(items: Sequence[Node]) -> Row | None:
    """The ij of the x_ij that stands last."""
    last = items[-1] if items else None
    if isinstance(last, Scripts) and last.sup is None and last.base is not None:
        return last.sub if is_symbol(last.base, "x") else None
    return None


def environment(to: Transcriber, node: Environment) -> None:
    if node.name in _CASES or (node.left == "{" and node.right == ""):
        choice(to, node)
    elif node.columns.startswith("rl") or node.name in ("gathered", "gather", "equation", "split"):
        for at, row in lines(node):
            to.out.new_line(at)
            to.row(row)
    else:
        raise refuse(
            "I do not read matrices.", "write the formula of one entry, with its indices",
            node.span[0],
        )  # fmt: skip


def choice(to: Transcriber, node: Environment) -> None:
    """{ A if C; B otherwise }: a value and its condition in each row."""
    rows = [row for row in node.rows if any(solid(cell.items) for cell in row)]
    if not rows:
        raise refuse("There are no cases here.", "write a value and its condition", node.span[0])
    to.out.operand("{", node.span[0])
    for number, row in enumerate(rows):
        value, condition = solid(row[0].items), _condition(row[1:])
        start = (value or condition or [node])[0].span[0]
        if number:
            to.out.put("; ", start)
        if not value:
            raise refuse("This case has no value.", "write it before the &", start)
        to.row(value)
        if condition:
            _conditioned(to, condition)
        elif not any(isinstance(item, Text) for item in value):
            if number < len(rows) - 1 or number == 0:
                hint = r"write it behind an &: & \text{if } ..."
                raise refuse("This case has no condition.", hint, start)
            to.out.put(" otherwise", value[-1].span[1] - 1)
    to.out.put("}", node.span[1] - 1)


def _condition(cells: Sequence[Row]) -> list[Node]:
    return solid([item for cell in cells for item in cell.items])


def _conditioned(to: Transcriber, condition: list[Node]) -> None:
    first = condition[0]
    start = first.span[0]
    if isinstance(first, Text) and first.parts and isinstance(first.parts[0], str):
        said = [word.strip() for word, _ in words(first.parts[0], start)]
        if said[:1] == ["otherwise"]:
            to.row(condition)
            return
        if said[:1] in (["if"], ["where"]):
            _listed(to, condition)
            return
        if said[:1] == ["for"]:
            to.out.put(" if ", start)
            to.row([first._replace(parts=first.parts[1:]), *condition[1:]])
            return
    to.out.put(" if ", start)
    _listed(to, condition)


def _listed(to: Transcriber, condition: list[Node]) -> None:
    """x_ij = f_kl, (i,j) ∈ Ω(k,l): both, where each is a condition of its own."""
    parts = between_commas(condition)
    if len(parts) < 2 or not all(map(tests, parts)):
        to.row(condition)
        return
    for number, part in enumerate(parts):
        if number and not is_symbol(part[0], "∀"):
            to.out.put(" and ", part[0].span[0])
        to.row(part)
