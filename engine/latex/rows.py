"""A row of the typesetter's tree, node by node, into plain notation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from operator import xor

from cards.math.tree import (  # fmt: skip
    Accent,
    Boxed,
    Brace,
    Break,
    Choice,
    Classed,
    Delimited,
    Environment,
    Fraction,
    Node,
    Operator,
    Root,
    Row,
    Scripts,
    Space,
    Stack,
    Styled,
    Symbol,
    Tag,
    Text,
)
from engine.latex import cases, derivatives, functions, scripts, symbols
from engine.latex.parts import (
    OPENING,
    after_spaces,
    group,
    holds_together,
    indicator,
    is_region,
    letter,
    opens,
    solid,
    tests,
    word_of,
)
from engine.latex.statements import statements
from engine.latex.writer import Writer, refuse


class Transcriber:
    """Writes nodes to `out`; raises OffsetError with a place in the LaTeX for what it cannot."""

    def __init__(self, out: Writer, known: frozenset[str]) -> None:
        self.out = out
        self.known = known
        self.bars = 0
        """How many absolute values are open."""
        self.norms = 0
        self._odd: tuple[Sequence[Node], list[bool]] | None = None

    def odd_bars(self, items: Sequence[Node], at: int) -> bool:
        """Bars of absolute values come in pairs: of an odd number, the first means "such that".

        Whether from `at` on they are odd; of the row looked at last, it is known.
        """
        if self._odd is None or self._odd[0] is not items:
            odd = list(accumulate(map(symbols.is_bar, reversed(items)), xor))
            self._odd = (items, odd[::-1])
        return self._odd[1][at]

    def statements(self, items: Sequence[Node]) -> None:
        """A whole answer: its lines, and the statements that wide spaces part."""
        for at, statement in statements(items):
            self.out.new_line(at)
            self.row(statement)

    def row(self, items: Sequence[Node]) -> None:
        at = 0
        while at < len(items):
            at = self.step(items, at)

    def step(self, items: Sequence[Node], at: int) -> int:
        """Write `items[at]`, with what belongs to it; returns the place of the next node."""
        node = items[at]
        start = node.span[0]
        if indicator(node):
            return self._indicator(items, at)
        match node:
            case Symbol():
                return symbols.symbol(self, items, at)
            case Operator():
                return functions.operator(self, items, at)
            case Scripts():
                return scripts.scripts(self, items, at)
            case Fraction():
                return derivatives.fraction(self, items, at)
            case Text():
                return cases.text(self, items, at)
            case Environment():
                cases.environment(self, node)
            case Delimited():
                self._delimited(node, holds_together(items, at))
            case Styled() if (word := word_of(node)) and (len(word) > 1 or word in "dd"):
                self.word(word, start)
            case Styled() if node.style == "frak" or node.style == "bb":
                raise refuse("I do not know this letter.", "use a plain one", start)
            case Row() | Styled() | Classed() | Brace():
                self.row(node.items if isinstance(node, Row) else _body(node).items)
            case Accent():
                self.accent(node)
            case Root():
                if node.degree is not None:
                    raise refuse("I read square roots alone.", "write a power", start)
                self.out.operand("", start)
                self.wrapped("sqrt(", node.body.items, ")", start)
            case Space() | Break():
                self.out.put(" ", start)
            case Tag():
                pass
            case Boxed(how="box" | "lap" | "smash"):
                self.row(node.body.items)
            case Choice():
                self.row(node.display.items)
            case Stack(over=None) if (limited := functions.with_limits(node)) is not None:
                self.row([*limited, *items[at + 1 :]])
                return len(items)
            case Stack() if node.kind == "rel":
                self.row(node.base.items)
            case Boxed(how="phantom" | "hphantom" | "vphantom"):
                pass
            case _:
                raise refuse(
                    "This cannot be part of an answer.", "leave it out, or say it otherwise", start
                )
        return at + 1

    def wrapped(self, left: str, items: Sequence[Node], right: str, at: int) -> None:
        self.out.put(left, at)
        self.row(items)
        self.out.put(right, items[-1].span[1] - 1 if items else at)

    def word(self, word: str, at: int) -> None:
        """A name of several letters; the differential d stays glued to what follows."""
        self.out.operand(self.spelt(word), at)
        if word == "d":
            self.out.glue()

    def spelt(self, word: str) -> str:
        """Diag as diag, which print has both ways."""
        return "diag" if word == "Diag" and "diag" in self.known else word

    def accent(self, node: Accent) -> None:
        word = word_of(node)
        if word is None:
            raise refuse("I read accents over a letter alone.", "use a name", node.span[0])
        self.out.operand(word, node.span[0])

    def _indicator(self, items: Sequence[Node], at: int) -> int:
        start = items[at].span[0]
        found = group(items, after_spaces(items, at + 1))
        opened = items[after_spaces(items, at + 1)] if found else None
        bare = found is not None and opens(opened) == "(" and not tests(found[0])
        if bare and "ones" in self.known:
            found = None  # a vector of ones before a factor in brackets
        if found is None and "ones" in self.known:
            self.out.operand("I" if letter(items[at]) == "I" else "ones", start)
            return at + 1
        if found is None:
            hint = r"put the condition in brackets: \mathbb{1}[(i,j) = ...]"
            raise refuse("This indicator has no condition.", hint, start)
        # Without a condition it stays an indicator, which is then refused, and no bracket.
        self.out.operand("" if tests(found[0]) else "1", start)
        self.wrapped(" [" if tests(found[0]) else "[", solid(found[0]), "]", start)
        return found[1]

    def size(self, region: Sequence[Node], at: int) -> None:
        self.wrapped("count(1=1 for p,q in ", region, ")", at)

    def _delimited(self, node: Delimited, held: bool) -> None:
        start = node.span[0]
        if node.left == "{" and node.right == "" and len(node.parts) == 1:
            inner = solid(node.parts[0].items)
            if len(inner) == 1 and isinstance(inner[0], Environment):
                cases.choice(self, inner[0])
                return
        if node.left in ("|", "∣") and is_region(node.parts[0].items):
            self.size(node.parts[0].items, start)
            return
        pair = {"|": "abs(", "∣": "abs(", "‖": "norm(", "⌊": "floor(", "⌈": "ceil("}.get(
            node.left, node.left
        )
        if node.left in OPENING:
            right = OPENING[node.left]
        elif pair.endswith("("):
            right = ")"
        else:
            raise refuse("I do not read these brackets.", "write ( )", start)
        if node.right not in (right, "|", "∣", "‖", "⌋", "⌉") or node.right == "":
            raise refuse("These brackets do not match.", "close what was opened", start)
        if held:
            pair, right = "(", ")"
        (self.out.operand if pair[0].isalpha() else self.out.put)(pair, start)
        for number, part in enumerate(node.parts):
            if number:
                self.out.put(":", part.span[0])
            self.row(part.items)
        self.out.put(right, node.span[1] - 1)


def _body(node: Styled | Classed | Brace) -> Row:
    return node.base if isinstance(node, Brace) else node.body
