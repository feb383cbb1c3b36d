"""LaTeX transcribed into our notation, each character with its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cards.math import parse, tree
from engine.formula.tokens import MAX_LENGTH, tokenize
from engine.formula.tree import FUNCTIONS, REDUCERS, FormulaError, OffsetError, located
from engine.latex.parts import (
    OPENING,
    Writer,
    after_spaces,
    between_commas,
    equation,
    group,
    holds_together,
    indicator,
    is_region,
    is_symbol,
    letter,
    lines,
    opens,
    solid,
    statements,
    tests,
    word_of,
    words,
)
from engine.latex.symbols import (
    RowWriter,
    fraction,
    operator,
    scripts,
    symbol,
    with_limits,
)
from engine.prose import empty, leads, tells_why

# -- Cases, the words that stand in them, and lines of alignment.


#: Functions of one number and of arrays, which a text names as well as \\operatorname does.
_FUNCTIONS: Final = (
    *FUNCTIONS,
    *("sigmoid", "softplus", "erf", "sin", "cos", "sinh", "cosh", "sech", "ln", "sgn", "ReLU"),
    *("softmax", "diag", "Diag", "norm", "outer", "transpose"),
)
_CASES: Final = ("cases", "dcases", "rcases", "drcases")


def text(to: Transcriber, items: Sequence[tree.Node], at: int) -> int:
    """Words, with the window that "was the maximum in its window" may name behind them."""
    node = items[at]
    assert isinstance(node, tree.Text)
    behind = at + 1
    if not node.parts:
        return behind
    if (name := _name(to, items, at)) is not None:
        to.out.operand(to.spelt(name), node.span[0])
        return behind
    leading = to.out.last in ("", "\n")
    if leading and (led := _led(items, at)) is not None:
        return led  # By the chain rule, ...
    if behind == len(items) and isinstance(node.parts[0], str) and tells_why(node.parts[0]):
        return behind
    for part in node.parts:
        if isinstance(part, str):
            to.out.put(_said(part, node.span[0], leading), node.span[0])
        else:
            to.row([part])
    return behind


def _said(part: str, at: int, leading: bool) -> str:
    try:
        return words(part, at)
    except OffsetError as trouble:
        hint = "leave the words away, and write what they mean as a formula"
        raise OffsetError(trouble.message, hint if leading else trouble.hint, trouble.at) from None


def _led(items: Sequence[tree.Node], at: int) -> int | None:
    """Where the formula begins that empty words lead up to; None where they are others.

    A sign, the line's end, a left side, or a verb must part them from it: directly before an
    operand, words could be a factor of it.
    """
    node = items[at]
    assert isinstance(node, tree.Text)
    said = "".join(part if isinstance(part, str) else "$" for part in node.parts)
    if not empty(said):
        return None
    behind = after_spaces(items, at + 1)
    if behind == len(items) or isinstance(items[behind], tree.Text) or leads(said):
        return behind
    if is_symbol(items[behind], ":", ","):
        return behind + 1
    if equation(items[behind:]) and not said.rstrip().lower().endswith("of"):
        return behind
    message = f"The words '{said.strip()}' stand directly before an operand."
    raise OffsetError(message, "put a colon behind them, or leave them away", node.span[0])


def _name(to: Transcriber, items: Sequence[tree.Node], at: int) -> str | None:
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


def environment(to: Transcriber, node: tree.Environment) -> None:
    if node.name in _CASES or (node.left == "{" and node.right == ""):
        choice(to, node)
    elif node.columns.startswith("rl") or node.name in ("gathered", "gather", "equation", "split"):
        for at, row in lines(node):
            to.out.new_line(at)
            to.row(row)
    else:
        raise OffsetError(
            "I do not read matrices.", "write the formula of one entry, with its indices",
            node.span[0],
        )  # fmt: skip


def choice(to: Transcriber, node: tree.Environment) -> None:
    """{ A if C; B otherwise }: a value and its condition in each row."""
    rows = [row for row in node.rows if any(solid(cell.items) for cell in row)]
    if not rows:
        raise OffsetError(
            "There are no cases here.", "write a value and its condition", node.span[0]
        )
    to.out.operand("{", node.span[0])
    for number, row in enumerate(rows):
        value, condition = solid(row[0].items), _condition(row[1:])
        start = (value or condition or [node])[0].span[0]
        if number:
            to.out.put("; ", start)
        if not value:
            raise OffsetError("This case has no value.", "write it before the &", start)
        to.row(value)
        if condition:
            _conditioned(to, condition)
        elif not any(isinstance(item, tree.Text) for item in value):
            if number < len(rows) - 1 or number == 0:
                hint = r"write it behind an &: & \text{if } ..."
                raise OffsetError("This case has no condition.", hint, start)
            to.out.put(" otherwise", value[-1].span[1] - 1)
    to.out.put("}", node.span[1] - 1)


def _condition(cells: Sequence[tree.Row]) -> list[tree.Node]:
    items = [item for cell in cells for item in cell.items]
    return solid([item for item in items if not isinstance(item, tree.Text) or item.parts])


def _conditioned(to: Transcriber, condition: list[tree.Node]) -> None:
    first = condition[0]
    start = first.span[0]
    if isinstance(first, tree.Text) and first.parts and isinstance(first.parts[0], str):
        said = [token.text for token in tokenize(words(first.parts[0], start))]
        if said[0] in ("otherwise", "else"):
            to.row(condition)
            return
        if said[0] in ("if", "where"):
            _listed(to, condition)
            return
        if said[0] == "for":
            to.out.put(" if ", start)
            to.row([first._replace(parts=first.parts[1:]), *condition[1:]])
            return
    to.out.put(" if ", start)
    _listed(to, condition)


def _listed(to: Transcriber, condition: list[tree.Node]) -> None:
    """x_ij = f_kl, (i,j) ∈ Ω(k,l): both, where each is a condition of its own."""
    parts = between_commas(condition)
    if len(parts) < 2 or not all(map(tests, parts)):
        to.row(condition)
        return
    for number, part in enumerate(parts):
        if number and not is_symbol(part[0], "∀"):
            to.out.put(" and ", part[0].span[0])
        to.row(part)


# -- A row of the typesetter's tree, node by node, into plain notation.


class Transcriber(RowWriter):
    """Writes nodes of every kind; raises OffsetError for what it cannot, with its place."""

    def statements(self, items: Sequence[tree.Node]) -> None:
        """A whole answer: its lines, and the statements that wide spaces part."""
        for at, statement in statements(items):
            self.out.new_line(at)
            self.row(statement)

    def row(self, items: Sequence[tree.Node]) -> None:
        at = 0
        while at < len(items):
            at = self.step(items, at)

    def step(self, items: Sequence[tree.Node], at: int) -> int:
        """Write `items[at]`, with what belongs to it; returns the place of the next node."""
        node = items[at]
        start = node.span[0]
        if indicator(node):
            return self._indicator(items, at)
        match node:
            case tree.Symbol():
                return symbol(self, items, at)
            case tree.Operator():
                return operator(self, items, at)
            case tree.Scripts():
                return scripts(self, items, at)
            case tree.Fraction():
                return fraction(self, items, at)
            case tree.Text():
                return text(self, items, at)
            case tree.Environment():
                environment(self, node)
            case tree.Delimited():
                self._delimited(node, holds_together(items, at))
            case tree.Styled() if (word := word_of(node)) and (len(word) > 1 or word in "dd"):
                self.word(word, start)
            case tree.Styled() if node.style == "frak" or node.style == "bb":
                raise OffsetError("I do not know this letter.", "use a plain one", start)
            case tree.Row() | tree.Styled() | tree.Classed() | tree.Brace():
                self.row(node.items if isinstance(node, tree.Row) else _body(node).items)
            case tree.Accent():
                self.accent(node)
            case tree.Root():
                if node.degree is not None:
                    raise OffsetError("I read square roots alone.", "write a power", start)
                self.out.operand("", start)
                self.wrapped("sqrt(", node.body.items, ")", start)
            case tree.Space() | tree.Break():
                self.out.put(" ", start)
            case tree.Tag():
                pass
            case tree.Boxed(how="box" | "lap" | "smash"):
                self.row(node.body.items)
            case tree.Choice():
                self.row(node.display.items)
            case tree.Stack(over=None) if (limited := with_limits(node)) is not None:
                self.row([*limited, *items[at + 1 :]])
                return len(items)
            case tree.Stack() if node.kind == "rel":
                self.row(node.base.items)
            case tree.Boxed(how="phantom" | "hphantom" | "vphantom"):
                pass
            case _:
                raise OffsetError(
                    "This cannot be part of an answer.", "leave it out, or say it otherwise", start
                )
        return at + 1

    def word(self, word: str, at: int) -> None:
        """A name of several letters; the differential d stays glued to what follows."""
        self.out.operand(self.spelt(word), at)
        if word == "d":
            self.out.glue()

    def accent(self, node: tree.Accent) -> None:
        word = word_of(node)
        if word is None:
            raise OffsetError("I read accents over a letter alone.", "use a name", node.span[0])
        self.out.operand(word, node.span[0])

    def _indicator(self, items: Sequence[tree.Node], at: int) -> int:
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
            raise OffsetError("This indicator has no condition.", hint, start)
        # Without a condition it stays an indicator, which is then refused, and no bracket.
        self.out.operand("" if tests(found[0]) else "1", start)
        self.wrapped(" [" if tests(found[0]) else "[", solid(found[0]), "]", start)
        return found[1]

    def _delimited(self, node: tree.Delimited, held: bool) -> None:
        start = node.span[0]
        if node.left == "{" and node.right == "" and len(node.parts) == 1:
            inner = solid(node.parts[0].items)
            if len(inner) == 1 and isinstance(inner[0], tree.Environment):
                choice(self, inner[0])
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
            raise OffsetError("I do not read these brackets.", "write ( )", start)
        if node.right not in (right, "|", "∣", "‖", "⌋", "⌉") or node.right == "":
            raise OffsetError("These brackets do not match.", "close what was opened", start)
        if held:
            pair, right = "(", ")"
        (self.out.operand if pair[0].isalpha() else self.out.put)(pair, start)
        for number, part in enumerate(node.parts):
            if number:
                self.out.put(":", part.span[0])
            self.row(part.items)
        self.out.put(right, node.span[1] - 1)


def _body(node: tree.Styled | tree.Classed | tree.Brace) -> tree.Row:
    return node.base if isinstance(node, tree.Brace) else node.body


# -- transcription(tex): the tree of the typesetter in plain notation, which knows its places.


#: Names of several letters in max pooling: `kh` and `k_h` are then these, and not k times h.
POOLING: Final = frozenset(
    (
        *("dx", "dL", "df", "kh", "kw", "sh", "sw", "ph", "pw", "Ho", "Wo", "k_h", "k_w"),
        *("s_h", "s_w", "p_h", "p_w", "H_o", "W_o", "H_out", "W_out", "H_in", "W_in"),
    )
)


@dataclass(frozen=True, slots=True)
class Transcription:
    tex: str
    text: str
    """The same in the notation of engine/formula."""
    offsets: tuple[int, ...]
    """For each character of `text`, the place in `tex` that it comes from."""

    def located(self, error: FormulaError) -> FormulaError:
        """An error in `text` as one in `tex`."""
        lines = self.text.split("\n")
        offset = sum(len(line) + 1 for line in lines[: error.line - 1]) + error.column - 1
        at = (self.offsets or (0,))[min(offset, len(self.offsets) - 1)]
        found = located(OffsetError(error.message, error.hint, at), self.tex)
        found.echo = error.echo
        return found


def looks_like_latex(text: str) -> bool:
    """Whether an answer is LaTeX: nothing else has a backslash."""
    return "\\" in text


def transcription(tex: str, known: frozenset[str] = POOLING) -> Transcription:
    """`tex` in plain notation.  `known` are names of several letters.

    Raises FormulaError with a hint and the place in `tex`; never guesses.
    """
    try:
        writer = _transcribed(tex, known)
    except OffsetError as trouble:
        raise located(trouble, tex) from None
    return Transcription(tex, writer.text, tuple(writer.offsets))


def _transcribed(tex: str, known: frozenset[str]) -> Writer:
    if len(tex) > MAX_LENGTH:
        message = f"The answer has {len(tex)} characters; at most {MAX_LENGTH} are read."
        raise OffsetError(message, "paste the formula alone", MAX_LENGTH)
    parsed = parse(tex)
    if parsed.problems:
        problem = parsed.problems[0]
        raise OffsetError(problem.message, problem.hint, problem.span[0])
    writer = Writer()
    Transcriber(writer, known).statements(parsed.body.items)
    writer.trim()
    return writer
