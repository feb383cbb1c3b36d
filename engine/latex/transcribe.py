"""LaTeX transcribed into our notation, each character with its place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cards.math import parse, tree
from engine.formula.tokens import MAX_LENGTH, SPOKEN, plain, tokenize
from engine.formula.tree import (
    CALLED,
    CALLED_SO,
    FUNCTIONS,
    OF_WHOLES,
    REDUCERS,
    FormulaError,
    OffsetError,
    located,
)
from engine.latex.form import (
    after_spaces,
    between_commas,
    equation,
    formed,
    group,
    indicator,
    is_region,
    is_symbol,
    letter,
    lines,
    solid,
    statements,
    tests,
    word_of,
)
from engine.latex.symbols import Writer, goes_on, is_square, operator, scripts, symbol
from engine.prose import empty, labels, leads, tells_why

# -- Words: those that a derivation needs, and no guess at any other.


#: Functions of one number and of arrays, which a text names as well as \\operatorname does.
_FUNCTIONS: Final = (
    *FUNCTIONS,
    *("sigmoid", "softplus", "erf", "sin", "cos", "sinh", "cosh", "sech", "ln", "sgn", "ReLU"),
    *("softmax", "diag", "Diag", "outer", "transpose", *OF_WHOLES, *CALLED, *CALLED_SO, "expit"),
)


def text(to: Writer, items: Sequence[tree.Node], at: int) -> int:
    """Words, with the window that "was the maximum in its window" may name behind them."""
    node = items[at]
    assert isinstance(node, tree.Text)
    behind = at + 1
    if not node.parts:
        return behind
    if (name := _name(to, items, at)) is not None:
        to.operand(to.spelt(name), node.span[0])
        return behind
    if word_of(node) in ("const", "const.", "constant"):
        to.operand("const", node.span[0])
        return behind
    leading = to.last in ("", "\n")
    if leading and (led := _led(items, at)) is not None:
        return led  # By the chain rule, ...
    if behind == len(items) and isinstance(node.parts[0], str) and tells_why(node.parts[0]):
        return behind
    for part in node.parts:
        if isinstance(part, str):
            to.put(_said(part, node.span[0], leading), node.span[0])
        else:
            to.row([part])
    return behind


def _said(part: str, at: int, leading: bool) -> str:
    try:
        return _words(part, at)
    except OffsetError as trouble:
        hint = "leave the words away, and write what they mean as a formula"
        raise OffsetError(trouble.message, hint if leading else trouble.hint, trouble.at) from None


def _words(text: str, at: int) -> str:
    """The words of a text as the tokens know them.  Raises OffsetError at the first other one."""
    said = re.sub(r"[.!?'’~\s]", " ", plain(text)[0])
    for found in re.finditer(r"[^\W\d_]+|[^\s(),:;=<>]", said):
        if found.group().lower() not in SPOKEN:
            rest = " ".join(said[found.start() :].split())
            shown = rest if len(rest) <= 40 else rest[:39] + "…"
            hint = r"write it as a formula, as in \text{if } a_n > \max_m b_m"
            raise OffsetError(f"I do not understand the words '{shown}'.", hint, at)
    return f" {said} "


def _led(items: Sequence[tree.Node], at: int) -> int | None:
    """Where the formula begins that empty words lead up to; None where they are others.

    A sign, the line's end, a left side, or a verb must part them from it: directly before an
    operand, words could be a factor of it.
    """
    node = items[at]
    assert isinstance(node, tree.Text)
    said = "".join(part if isinstance(part, str) else "$" for part in node.parts)
    behind = after_spaces(items, at + 1)
    if not empty(said):
        bare = said.strip()
        apart = bare[-1:] in (":", ".") or (bare[:1] == "(" and bare[-1:] == ")")
        is_label = apart and "$" not in said and labels(said) and equation(items[behind:])
        return behind if is_label else None
    if behind == len(items) or isinstance(items[behind], tree.Text) or leads(said):
        return behind
    if is_symbol(items[behind], ":", ","):
        return behind + 1
    if equation(items[behind:]) and not said.rstrip().lower().endswith("of"):
        return behind
    message = f"The words '{said.strip()}' stand directly before an operand."
    raise OffsetError(message, "put a colon behind them, or leave them away", node.span[0])


def _name(to: Writer, items: Sequence[tree.Node], at: int) -> str | None:
    r"""The name that \text{softmax} gives, of a function or of what is declared."""
    word = word_of(items[at])
    if word is None or not word.isalpha():
        return None
    called = group(items, after_spaces(items, at + 1)) is not None
    if word in to.known or (called and word in _FUNCTIONS):
        return word
    if word in REDUCERS and called and not (to.last.isalnum() or to.last in ")]}'⌋⌉"):
        return word
    try:
        _words(word, 0)
    except OffsetError:
        # At the start of a line it is a word, elsewhere a name that only the grammar may know.
        return word if called and to.last not in ("", "\n") else None
    return None


# -- Cases, and lines of alignment.


_CASES: Final = ("cases", "dcases", "rcases", "drcases")


def _environment(to: Writer, node: tree.Environment) -> None:
    if node.name in _CASES or (node.left == "{" and node.right == ""):
        _choice(to, node)
    elif node.columns.startswith("rl") or node.name in ("gathered", "gather", "equation", "split"):
        for at, row in lines(node):
            to.new_line(at)
            to.row(row)
    else:
        raise OffsetError(
            "I do not read matrices.", "write the formula of one entry, with its indices",
            node.span[0],
        )  # fmt: skip


def _choice(to: Writer, node: tree.Environment) -> None:
    """{ A if C; B otherwise }: a value and its condition in each row."""
    rows = [row for row in node.rows if any(solid(cell.items) for cell in row)]
    if not rows:
        raise OffsetError(
            "There are no cases here.", "write a value and its condition", node.span[0]
        )
    to.operand("{", node.span[0])
    for number, row in enumerate(rows):
        value, condition = solid(row[0].items), _condition(row[1:])
        start = (value or condition or [node])[0].span[0]
        if number:
            to.put("; ", start)
        if not value:
            raise OffsetError("This case has no value.", "write it before the &", start)
        to.row(value)
        if condition:
            _conditioned(to, condition)
        elif not any(isinstance(item, tree.Text) for item in value):
            if number < len(rows) - 1 or number == 0:
                hint = r"write it behind an &: & \text{if } ..."
                raise OffsetError("This case has no condition.", hint, start)
            to.put(" otherwise", value[-1].span[1] - 1)
    to.put("}", node.span[1] - 1)


def _condition(cells: Sequence[tree.Row]) -> list[tree.Node]:
    items = [item for cell in cells for item in cell.items]
    return solid([item for item in items if not isinstance(item, tree.Text) or item.parts])


def _conditioned(to: Writer, condition: list[tree.Node]) -> None:
    first = condition[0]
    start = first.span[0]
    if isinstance(first, tree.Text) and first.parts and isinstance(first.parts[0], str):
        said = [token.text for token in tokenize(_words(first.parts[0], start))]
        if said[0] in ("otherwise", "else"):
            to.row(condition)
            return
        if said[0] in ("if", "where"):
            _listed(to, condition)
            return
        if said[0] == "for":
            to.put(" if ", start)
            to.row([first._replace(parts=first.parts[1:]), *condition[1:]])
            return
    to.put(" if ", start)
    _listed(to, condition)


def _listed(to: Writer, condition: list[tree.Node]) -> None:
    """x_ij = f_kl, (i,j) ∈ Ω(k,l): both, where each is a condition of its own."""
    parts = between_commas(condition)
    if len(parts) < 2 or not all(map(tests, parts)):
        to.row(condition)
        return
    for number, part in enumerate(parts):
        if number and not is_symbol(part[0], "∀"):
            to.put(" and ", part[0].span[0])
        to.row(part)


# -- Fractions: of numbers, and derivatives in every layout.


def _fraction(to: Writer, items: Sequence[tree.Node], at: int) -> int:
    r"""a/b in brackets; \frac{\partial f}{\partial x} and \frac{\partial}{\partial x} f without."""
    node = items[at]
    assert isinstance(node, tree.Fraction)
    start = node.span[0]
    if not node.rule and (node.left, node.right) == ("(", ")"):
        to.operand("binom(", start)
        to.wrapped("", node.above.items, ",", node.above.span[0])
        to.wrapped("", node.below.items, ")", node.below.span[0])
        return at + 1
    if not node.rule or node.left or node.right:
        raise OffsetError("This is no fraction.", "write a quotient", start)
    above, below = solid(node.above.items), solid(node.below.items)
    if not above or not below:
        raise OffsetError("A part of this fraction is missing.", "write it", start)
    if not (_differential(above) and _differential(below) and len(below) > 1):
        to.operand("", start)
        to.wrapped("((", above, ")/(", start)
        to.wrapped("", below, "))", node.below.span[0])
        return at + 1
    behind = at + 1
    if len(above) == 1:  # the operand stands behind the fraction
        behind = after_spaces(items, behind)
        if behind == len(items):
            raise OffsetError("Nothing is differentiated here.", "write what", start)
        above, behind = _operand(above, items, behind)
        whole = to.begins and goes_on(items, behind)
        if whole or (not _named(above[1:]) and not is_region(above[1:])):
            # The operand follows as it stands: whoever reads it knows where it ends.
            to.operand("∂/", start)
            to.row(below)
            to.put(" ", node.span[1] - 1)
            return at + 1
    to.operand("", start)
    if isinstance(above[0], tree.Scripts):  # d^2 y, of which d is no number
        to.operand("∂²", start)
        to.row(above[1:])
    elif not _named(above[1:]):
        to.wrapped("∂(", above[1:], ")", start)
    else:
        to.row(above)
    to.put("/", node.below.span[0])
    to.row(below)
    to.put(" ", node.span[1] - 1)
    return behind


def _named(items: Sequence[tree.Node]) -> bool:
    """Whether what is differentiated is a name, with what it is a function of."""
    node = items[0] if items else None
    base = node.base if isinstance(node, tree.Scripts) else node
    above = solid(node.sup.items) if isinstance(node, tree.Scripts) and node.sup else []
    raised = bool(above) and not is_symbol(above[0], "T", "⊤", "⊺", "(", "*")
    spelt = all(isinstance(one, tree.Symbol) and one.char.isalpha() for one in items[1:])
    is_name = isinstance(base, tree.Text | tree.Accent) or letter(base).isalpha()
    is_name = is_name and not raised
    return is_name and (spelt or group(items, 1) is not None)


def _operand(
    above: list[tree.Node], items: Sequence[tree.Node], at: int
) -> tuple[list[tree.Node], int]:
    r"""The ∂ with what stands behind the fraction: f_{kl}, f_{kl}(x), \max over a window of x."""
    node = items[at]
    if (
        isinstance(node, tree.Scripts)
        and isinstance(node.base, tree.Operator)
        and node.sub is not None
    ):
        within = next((n for n, one in enumerate(node.sub.items) if is_symbol(one, "∈")), None)
        body = after_spaces(items, at + 1)
        region = solid(node.sub.items[within + 1 :]) if within is not None else []
        if node.base.text == "max" and is_region(region) and _entry_of_x(items, body):
            place = group(region, 1)
            if place is not None:
                f = tree.Symbol("f", "ord", "f", node.span)
                opens = tree.Symbol("(", "open", "(", node.span)
                closes = tree.Symbol(")", "close", ")", node.span)
                return [*above, f, opens, *place[0], closes], body + 1
    found = group(items, after_spaces(items, at + 1))
    whole = solid(found[0]) if found else []
    if found and len(whole) == 1 and letter(whole[0]) == "x":
        return [*above, node], found[1]
    return [*above, node], at + 1


def _entry_of_x(items: Sequence[tree.Node], at: int) -> bool:
    node = items[at] if at < len(items) else None
    return isinstance(node, tree.Scripts) and is_symbol(node.base, "x")


def _differential(items: Sequence[tree.Node]) -> bool:
    first = items[0]
    if isinstance(first, tree.Scripts):
        return is_symbol(first.base, "∂", "d") and first.sub is None and is_square(first.sup)
    return is_symbol(first, "∂", "d")


# -- A row, node by node, into plain notation.


def _step(to: Writer, items: Sequence[tree.Node], at: int) -> int:
    """Write `items[at]`, with what belongs to it; returns the place of the next node."""
    node = items[at]
    start = node.span[0]
    if indicator(node):
        return _indicator(to, items, at)
    match node:
        case tree.Symbol():
            return symbol(to, items, at)
        case tree.Operator():
            return operator(to, items, at)
        case tree.Scripts():
            return scripts(to, items, at)
        case tree.Fraction():
            return _fraction(to, items, at)
        case tree.Text():
            return text(to, items, at)
        case tree.Environment():
            _environment(to, node)
        case tree.Row():
            to.row(node.items)
        case tree.Root(degree=None):
            to.operand("", start)
            to.wrapped("sqrt(", node.body.items, ")", start)
        case tree.Space() | tree.Break():
            to.put(" ", start)
        case tree.Root():
            raise OffsetError("I read square roots alone.", "write a power", start)
        case tree.Accent():
            raise OffsetError("I read accents over a letter alone.", "use a name", start)
        case tree.Delimited(left="|" | "∣" | "‖" | "⌊" | "⌈" | "(" | "[" | "{" | "⟦" | "⟨"):
            raise OffsetError("These brackets do not match.", "close what was opened", start)
        case tree.Delimited():
            raise OffsetError("I do not read these brackets.", "write ( )", start)
        case _:
            raise OffsetError(
                "This cannot be part of an answer.", "leave it out, or say it otherwise", start
            )
    return at + 1


def _indicator(to: Writer, items: Sequence[tree.Node], at: int) -> int:
    start = items[at].span[0]
    behind = after_spaces(items, at + 1)
    found = group(items, behind)
    if found and "ones" in to.known and is_symbol(items[behind], "(") and not tests(found[0]):
        found = None  # a vector of ones before a factor in brackets
    if found is None and "ones" in to.known:
        to.operand("I" if letter(items[at]) == "I" else "ones", start)
        return at + 1
    if found is None:
        hint = r"put the condition in brackets: \mathbb{1}[(i,j) = ...]"
        raise OffsetError("This indicator has no condition.", hint, start)
    # Without a condition it stays an indicator, which is then refused, and no bracket.
    to.operand("" if tests(found[0]) else "1", start)
    to.wrapped(" [" if tests(found[0]) else "[", solid(found[0]), "]", start)
    return found[1]


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


#: A line of LaTeX that begins another equation, where the one before it is complete.
_EQUATION: Final = re.compile(
    r"\n(?=[ \t]*[^\s&=+\-\\,.)}\]][^\n]*=|[ \t]*\\(?!\\|end|quad|q)[a-zA-Z][^\n]*=)"
)
_OPEN_ENDED: Final = re.compile(
    r"(?:[=+\-*/,&({\[^_]|\\\\|\\(?:cdot|times|odot|quad|qquad|text\{[^}]*\})|\\[,;:! ])[ \t]*$"
)


def _in_lines(tex: str) -> str:
    """A sign of a new line for line breaks between equations, which TeX takes for spaces."""

    def put(found: re.Match[str]) -> str:
        before = tex[: found.start()]
        depth = (
            before.count("{") - before.count("}") + before.count(r"\begin") - before.count(r"\end")
        )
        last = before.rpartition("\n")[2]
        complete = depth == 0 and "=" in last and not _OPEN_ENDED.search(last)
        return "∴" if complete else found.group()

    return _EQUATION.sub(put, tex)


def _transcribed(tex: str, known: frozenset[str]) -> Writer:
    if len(tex) > MAX_LENGTH:
        message = f"The answer has {len(tex)} characters; at most {MAX_LENGTH} are read."
        raise OffsetError(message, "paste the formula alone", MAX_LENGTH)
    parsed = parse(_in_lines(tex))
    if parsed.problems:
        problem = parsed.problems[0]
        raise OffsetError(problem.message, problem.hint, problem.span[0])
    writer = Writer(known, _step)
    for at, statement in statements(formed(parsed.body.items)):
        writer.new_line(at)
        writer.row(statement)
    writer.trim()
    return writer
