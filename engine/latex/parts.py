"""Parts of a LaTeX row, words and statements."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from cards.math import tree
from engine.formula.tokens import SPOKEN, plain
from engine.formula.tree import OffsetError

# -- The transcription as it grows: text, and for each character the place in the LaTeX.


class Writer:
    def __init__(self) -> None:
        self._text: list[str] = []
        self.offsets: list[int] = []
        self._glued = False

    @property
    def text(self) -> str:
        return "".join(self._text)

    @property
    def last(self) -> str:
        """The last character that is no blank; "" at the start."""
        for piece in reversed(self._text):
            if stripped := piece.rstrip(" "):
                return stripped[-1]
        return ""

    def put(self, text: str, at: int) -> None:
        self._text.append(text)
        self.offsets.extend([at] * len(text))

    def operand(self, text: str, at: int) -> None:
        """A name or a number, kept apart from the one before it: their product."""
        before = self._text[-1][-1:] if self._text else ""
        if (before.isalnum() or before in ("'", "*")) and not self._glued:
            self.put(" ", at)
        self._glued = False
        self.put(text, at)

    def glue(self) -> None:
        """Put the next operand directly behind what is written: `d` and `x` make `dx`."""
        self._glued = True

    def new_line(self, at: int) -> None:
        """End a statement, without the comma or full stop that a sentence put behind it."""
        self.trim()
        if self._text:
            self.put("\n", at)

    def trim(self) -> None:
        while self._text and self._text[-1].strip(" ,.;") == "":
            piece = self._text.pop()
            del self.offsets[len(self.offsets) - len(piece) :]


# -- Pieces of a row: groups in brackets, parts between commas, symbols of a kind.


OPENING: Final = {"(": ")", "[": "]", "{": "}", "⟦": "⟧", "⟨": "⟩"}
CLOSING: Final = frozenset(OPENING.values())
_STARS: Final = frozenset("*∗⋆★")


def is_symbol(node: tree.Node, *chars: str) -> bool:
    return isinstance(node, tree.Symbol) and node.char in chars


def solid(items: Sequence[tree.Node]) -> list[tree.Node]:
    """The nodes without spaces, and without the punctuation that ends a sentence."""
    found: list[tree.Node] = [node for node in items if not isinstance(node, tree.Space)]
    while found and is_symbol(found[-1], ",", ".", ";"):
        found.pop()
    return found


def after_spaces(items: Sequence[tree.Node], at: int) -> int:
    while at < len(items) and isinstance(items[at], tree.Space):
        at += 1
    return at


def is_region(items: Sequence[tree.Node]) -> bool:
    """Whether these are an Omega with its indices, and nothing more."""
    return region_end(solid(items), 0) == len(solid(items))


def region_end(items: Sequence[tree.Node], at: int) -> int | None:
    """The end of the Omega with its indices that begins at `at`; None where none does."""
    at = after_spaces(items, at)
    if at == len(items):
        return None
    node = items[at]
    base = node.base if isinstance(node, tree.Scripts) else node
    if base is None or not is_symbol(base, "Ω", "ω"):
        return None
    found = group(items, at + 1)
    return found[1] if found else at + 1


def group(items: Sequence[tree.Node], at: int) -> tuple[list[tree.Node], int] | None:
    """What the brackets that open at `items[at]` hold, and the place behind them."""
    node = items[at] if at < len(items) else None
    if isinstance(node, tree.Delimited) and node.left in OPENING and len(node.parts) == 1:
        return list(node.parts[0].items), at + 1
    if not (isinstance(node, tree.Symbol) and node.char in OPENING):
        return None
    depth = 0
    for end in range(at, len(items)):
        symbol = items[end]
        if isinstance(symbol, tree.Scripts) and isinstance(symbol.base, tree.Symbol):
            if symbol.base.char in CLOSING and depth == 1:
                return None  # a power of the whole group
            continue
        if isinstance(symbol, tree.Symbol) and symbol.char in OPENING:
            depth += 1
        elif isinstance(symbol, tree.Symbol) and symbol.char in CLOSING:
            depth -= 1
            if depth == 0:
                return list(items[at + 1 : end]), end + 1
    raise OffsetError(f"This '{node.char}' is never closed.", "close the bracket", node.span[0])


def opens(node: tree.Node | None) -> str:
    """The bracket that a node opens; "" where it opens none."""
    if isinstance(node, tree.Delimited):
        return node.left
    return node.char if isinstance(node, tree.Symbol) and node.char in OPENING else ""


def holds_together(items: Sequence[tree.Node], at: int) -> bool:
    """Whether the square brackets at `at` hold a number: no condition, and no list of indices."""
    found = group(items, at) if opens(items[at]) == "[" else None
    before = [node for node in items[:at] if not isinstance(node, tree.Space)][-1:]
    for node in before:
        named = isinstance(node, tree.Styled) or (
            isinstance(node, tree.Symbol) and node.char.isalpha()
        )
        if named or (isinstance(node, tree.Scripts) and node.sub is None):
            return False  # an index behind the name of an array
    if found is None or tests(found[0]) or len(between_commas(found[0])) != 1:
        return False
    inner = solid(found[0])
    indices = all(isinstance(node, tree.Symbol) and node.kind in ("ord", "bin") for node in inner)
    return len(inner) > 1 and not indices


def between_commas(items: Sequence[tree.Node]) -> list[list[tree.Node]]:
    """The parts between the commas that stand in no brackets."""
    parts: list[list[tree.Node]] = [[]]
    depth = 0
    for node in items:
        if isinstance(node, tree.Symbol):
            depth += (node.char in OPENING) - (node.char in CLOSING)
            if node.char == "," and depth == 0:
                parts.append([])
                continue
        if not isinstance(node, tree.Space):
            parts[-1].append(node)
    return [part for part in parts if part]


def index_name(node: tree.Node) -> str | None:
    """The text of one index: a letter or a digit, with primes or a star; None for anything else."""
    if isinstance(node, tree.Styled):
        body = solid(node.body.items)
        return index_name(body[0]) if len(body) == 1 else None
    if isinstance(node, tree.Symbol) and len(node.char) == 1 and node.char.isalnum():
        return node.char
    if isinstance(node, tree.Scripts) and node.sub is None and isinstance(node.base, tree.Symbol):
        marks = marks_of(node.sup)
        if marks is not None and node.base.char.isalpha():
            return node.base.char + marks
    return None


def marks_of(sup: tree.Row | None) -> str | None:
    """Primes and stars of a superscript that holds nothing else."""
    text = ""
    for node in sup.items if sup else ():
        if not isinstance(node, tree.Symbol):
            return None
        if node.name == "prime":
            text += "'"
        elif node.char in _STARS:
            text += "*"
        else:
            return None
    return text


def word_of(node: tree.Node) -> str | None:
    r"""The letters of a word: \text{out}, \mathrm{out}, an accented letter as yhat."""
    if isinstance(node, tree.Text) and all(isinstance(part, str) for part in node.parts):
        text = "".join(part for part in node.parts if isinstance(part, str)).strip()
        return text if text.isalnum() else None
    if isinstance(node, tree.Styled):
        letters = [
            n.char for n in node.body.items if isinstance(n, tree.Symbol) and n.char.isalnum()
        ]
        return "".join(letters) if letters and len(letters) == len(node.body.items) else None
    if isinstance(node, tree.Accent) and node.over:
        base = word_of(node.base) or "".join(index_name(n) or "?" for n in node.base.items)
        return base + node.name.removeprefix("wide") if base.isalnum() else None
    if isinstance(node, tree.Row):
        return word_of(node.items[0]) if len(node.items) == 1 else None
    return None


def indicator(node: tree.Node | None) -> bool:
    r"""\mathbb{1}, \mathbf{1}, \mathbb{I}, ...: what makes 1 or 0 of the condition behind it."""
    if isinstance(node, tree.Symbol):
        return node.char in "𝟙𝟏𝕀"
    if isinstance(node, tree.Styled) and not node.style.startswith(("color", "background")):
        body = [n for n in node.body.items if not isinstance(n, tree.Space)]
        if len(body) == 1 and isinstance(body[0], tree.Styled):
            return indicator(body[0])
        return len(body) == 1 and is_symbol(body[0], "1", "I")
    return False


def letter(node: tree.Node | None) -> str:
    r"""The one letter of a symbol, in whatever style: the I of \mathbf{I}."""
    if isinstance(node, tree.Styled):
        body = solid(node.body.items)
        return letter(body[0]) if len(body) == 1 else ""
    return {"𝕀": "I"}.get(node.char, node.char) if isinstance(node, tree.Symbol) else ""


def tests(items: Sequence[tree.Node]) -> bool:
    """Whether brackets hold a condition: a comparison, or words."""
    relations = [n for n in items if isinstance(n, tree.Symbol) and n.kind == "rel"]
    return bool(relations) or any(isinstance(n, tree.Text) for n in items)


def transposes(sup: tree.Row | None) -> bool:
    r"""Whether a superscript says transposed: T in any style, \top, \intercal."""
    inner = solid(sup.items) if sup else []
    return len(inner) == 1 and letter(inner[0]) in ("T", "⊤", "⊺")


# -- The words of \text{...}: those that a derivation needs, and no guess at any other.


def words(text: str, at: int) -> str:
    """The words of a text as the tokens know them.  Raises OffsetError at the first other one."""
    said = re.sub(r"[.!?'’~\s]", " ", plain(text)[0])
    for found in re.finditer(r"[^\W\d_]+|[^\s(),:;=<>]", said):
        if found.group().lower() not in SPOKEN:
            raise _stranger(said, found.start(), at)
    return f" {said} "


def _stranger(text: str, position: int, at: int) -> OffsetError:
    rest = " ".join(text[position:].split())
    shown = rest if len(rest) <= 40 else rest[:39] + "…"
    return OffsetError(
        f"I do not understand the words '{shown}'.",
        r"write it as a formula, as in \text{if } (i,j) = \arg\max_{(p,q) \in \Omega(k,l)} x_{pq}",
        at,
    )


# -- The statements of an answer: its lines, and what wide spaces part on one line.


_QUAD: Final = 0.99
_ALIGNED: Final = (
    *("aligned", "align", "alignat", "alignedat", "gather", "gathered", "split", "equation"),
    *("multline", "eqnarray", "flalign"),
)
_BINARY: Final = ("+", "-", "−", "⋅", "·", "×")


def statements(items: Sequence[tree.Node]) -> list[tuple[int, list[tree.Node]]]:
    """Each statement with its place; a line that goes on with `=` or a sign belongs to the last."""
    found: list[tuple[int, list[tree.Node]]] = []
    for at, line in _lines(items):
        for statement in _parted(line):
            inner = solid(statement)
            if not inner or _number(inner):
                continue
            if found and is_symbol(inner[0], "=", *_BINARY):
                found[-1][1].extend(inner)
            else:
                found.append((at, list(statement)))
    return found


def _lines(items: Sequence[tree.Node]) -> list[tuple[int, list[tree.Node]]]:
    flat: list[tuple[int, list[tree.Node]]] = [(0, [])]
    for node in items:
        if isinstance(node, tree.Break):
            flat.append((node.span[0], []))
        elif isinstance(node, tree.Row) and any(
            isinstance(n, tree.Break | tree.Environment) for n in node.items
        ):
            flat += _lines(node.items)
        elif (
            isinstance(node, tree.Environment)
            and node.left == ""
            and node.name in _ALIGNED
            and not solid(flat[-1][1])
        ):
            for at, row in lines(node):
                flat.append((at, row))
            flat.append((node.span[1] - 1, []))
        else:
            flat[-1][1].append(node)
    return [line for line in flat if line[1]]


def lines(node: tree.Environment) -> list[tuple[int, list[tree.Node]]]:
    """The rows of an alignment, each as one row of nodes."""
    found = []
    for row in node.rows:
        cells = [item for cell in row for item in cell.items]
        if cells:
            found.append((cells[0].span[0], cells))
    return found


def _parted(line: Sequence[tree.Node]) -> list[list[tree.Node]]:
    r"""At a wide space (\quad) behind which another equation, or an equation's number, stands."""
    parts: list[list[tree.Node]] = [[]]
    depth = 0
    for at, node in enumerate(line):
        if isinstance(node, tree.Symbol):
            depth += (node.char in OPENING) - (node.char in CLOSING)
        if isinstance(node, tree.Scripts) and isinstance(node.base, tree.Symbol):
            depth -= node.base.char in CLOSING
        wide = isinstance(node, tree.Space) and node.em > _QUAD and depth == 0
        ends = wide and parts[-1]
        rest = solid(line[at + 1 :]) if ends else []
        # (2) \quad (p - t) could be a product: an equation's number stands before an equation.
        equations = equation(rest) and (_number(parts[-1]) or equation(parts[-1]))
        if ends and (equations or _number(rest)):
            parts.append([])
        elif isinstance(node, tree.Tag):
            continue
        else:
            parts[-1].append(node)
    return parts


def _number(items: Sequence[tree.Node]) -> bool:
    """(2): the number of an equation, and no answer."""
    inner = [n for n in items if not isinstance(n, tree.Space)]
    digits = inner[1:-1]
    return (
        len(inner) > 2
        and is_symbol(inner[0], "(")
        and is_symbol(inner[-1], ")")
        and all(isinstance(n, tree.Symbol) and (n.char.isdigit() or n.char == ".") for n in digits)
    )


def equation(items: Sequence[tree.Node]) -> bool:
    """Whether an equals sign stands outside brackets, and no word leads up to it."""
    depth = 0
    for node in items:
        if isinstance(node, tree.Text):
            return False
        if isinstance(node, tree.Symbol):
            depth += (node.char in OPENING) - (node.char in CLOSING)
            if node.char in "=≔" and depth == 0:
                return True
    return False
