"""What a formula says: the tree that the parser makes, the layout draws and the engine reads.

`parse(tex)` returns a `Formula`; its `body` is a `Row` of nodes.  Every node knows where it stands
in the source (`span`, 0-based offsets of characters, end excluded; of the macro's call where a
macro made it).  Nothing here is about looks: commands that mean the same give the same node.

Named tuples: two dozen frozen dataclasses cost 19 ms to import, and each node takes twice as long
to make.  One is a dataclass, Row, as mypy compares tuples by what is in them, and each node holds
rows: the types are checked in a quarter of the time.  Tell nodes apart by type, as `match` does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple

Span = tuple[int, int]

#: TeX's classes of atoms, from which the gaps between them follow (The TeXbook, chapter 18).
Class = Literal["ord", "op", "bin", "rel", "open", "close", "punct", "inner"]


class Symbol(NamedTuple):
    """One sign: a letter, a digit, an operator, a delimiter that was not stretched."""

    char: str
    """As it is drawn, e.g. "α", "≤", "x"; a negation is part of it ("∉").  Mostly one character;
    a combining mark may follow it ("⪰̸"), and a few relations are two signs ("=∷")."""
    kind: Class
    name: str
    r"""The command without its backslash ("alpha", "leq"), or the character itself ("x", "+").
    One name for one sign: \le, \leq and ≤ are "leq".  Of a negation that has no command, "not "
    and the name of what it negates."""
    span: Span
    size: int = 0
    r"""0, or 1..4 for \big, \Big, \bigg, \Bigg."""


class Operator(NamedTuple):
    r"""A named function (\max, \sin, \operatorname{rank}) or a large operator (∑, ∏, ∫)."""

    text: str
    """As it is drawn: "max", "lim sup", "∑"."""
    name: str
    limits: Literal["display", "always", "never"]
    """Whether scripts stand over and under it: in display style, always, or never."""
    large: bool
    """True for ∑ and its like, False for a function's name."""
    span: Span


@dataclass(frozen=True, slots=True)
class Row:
    """Nodes one after another: the whole formula, a {group}, or a cell."""

    items: tuple[Node, ...]
    span: Span


class Text(NamedTuple):
    r"""\text{...}: words, in which formulas may stand."""

    parts: tuple[str | Node, ...]
    font: str
    """"" for upright text, else "bold", "italic", "typewriter", "sans"."""
    span: Span


class Fraction(NamedTuple):
    r"""\frac and its family, \binom (no rule, brackets), \over, \atop, \genfrac."""

    above: Row
    below: Row
    rule: bool
    left: str
    right: str
    """Delimiters around it, "" for none."""
    style: Literal["", "display", "text"]
    r"""\dfrac and \cfrac: "display"; \tfrac: "text"; else the surroundings decide."""
    span: Span


class Root(NamedTuple):
    body: Row
    degree: Row | None
    """The small row before the sign: 3 of a cube root."""
    span: Span


class Scripts(NamedTuple):
    """A base with what stands low and high at it: limits of an operator, a label of a brace."""

    base: Node | None
    r"""None where nothing precedes, as in `{}^2`: the scripts then stand alone."""
    sub: Row | None
    sup: Row | None
    """Primes come first in it, each a Symbol named "prime"."""
    limits: bool | None
    r"""True after \limits, False after \nolimits, None where the base decides."""
    span: Span


class Delimited(NamedTuple):
    r"""\left( ... \middle| ... \right): delimiters as high as what they hold."""

    left: str
    parts: tuple[Row, ...]
    """Between the delimiters; one more than there are `middles`."""
    middles: tuple[str, ...]
    right: str
    """Characters as drawn: "(", "⟨", "‖"; "" for an invisible one (`.`)."""
    span: Span


class Accent(NamedTuple):
    r"""A mark over or under something: \hat, \bar, \vec, \underline, \overrightarrow."""

    name: str
    """The canonical command: "hat", "bar", "overline", "underleftarrow", ..."""
    base: Row
    over: bool
    wide: bool
    """Whether the mark stretches over the whole base."""
    span: Span


BraceShape = Literal["brace", "bracket", "paren", "line"]


class Brace(NamedTuple):
    r"""\overbrace and its like; its label is the script of the `Scripts` around it."""

    shape: BraceShape
    base: Row
    over: bool
    span: Span


class Stack(NamedTuple):
    r"""\overset, \underset, \stackrel: small rows over or under a base, whose class it takes."""

    base: Row
    over: Row | None
    under: Row | None
    kind: Class
    span: Span


class Arrow(NamedTuple):
    r"""\xrightarrow[under]{over}: an arrow as long as its labels.  Also the arrows of CD."""

    char: str
    """Its Unicode arrow of one cell: "→", "⇌", "↪", "↓", "=", and "‖" for CD's upright equals sign
    ("" for CD's empty place)."""
    over: Row | None
    under: Row | None
    """For an upright arrow: what stands left and right of it."""
    span: Span


class RowRule(NamedTuple):
    """A horizontal rule of an environment, above its row `before` (0 is the top)."""

    before: int
    dashed: bool


class Insert(NamedTuple):
    r"""What a column specification puts between columns: `@{=}`, `!{\to}`."""

    before: int
    """The column that it stands before; that after the last one for the right end."""
    body: Row
    tight: bool
    """Whether it takes the place of the gap between the columns, as `@{...}` does."""


class Environment(NamedTuple):
    r"""Rows and columns: matrices, cases, aligned, array, \substack, CD."""

    name: str
    """Without its star, and one name for what means the same: "aligned" (align, flalign),
    "alignat", "split", "eqnarray", "gathered" (gather), "multline", "cases", "dcases", "rcases",
    "drcases", "matrix", "pmatrix", ..., "smallmatrix", "array" (darray, tabular), "substack",
    "CD".  An equation or a gathered row alone is no environment: its content stands in the row."""
    rows: tuple[tuple[Row, ...], ...]
    r"""Cells; rows may be of different lengths.  \intertext is a row of one cell of Text."""
    columns: str
    r"""A letter a column: l, c or r; with `|` and `:` for upright rules, as `array` has them.
    Aligned environments: "rlrl..."; cases: "ll"; gathered: "c"."""
    joined: bool
    """True where columns touch (aligned: the right one of a pair sets no gap before `=`)."""
    lines: tuple[RowRule, ...]
    left: str
    right: str
    """Delimiters, stretched: pmatrix "(" and ")", cases "{" and "", "" for none."""
    small: bool
    """smallmatrix, substack: set as scripts are."""
    tags: tuple[Row | None, ...]
    r"""\tag of each row, or ()."""
    span: Span
    inserts: tuple[Insert, ...] = ()
    r"""What each row has between columns, as `@{=}` asks; `>{...}` and `<{...}` are in cells."""


class Styled(NamedTuple):
    r"""A font, a size, a colour or a style, over all of `body`."""

    style: str
    r"""A font: "bb", "cal", "scr", "frak", "bold", "bold-italic", "italic", "roman", "sans",
    "typewriter".  A style of TeX's: "display", "text", "script", "scriptscript".  A colour:
    "color:NAME", "color:#rrggbb", "background:...".  Sizes (\large) leave no trace."""
    body: Row
    span: Span


class Classed(NamedTuple):
    r"""\mathbin{...}, \mathrel{...}: a row that takes a place among its neighbours."""

    kind: Class
    body: Row
    span: Span


class Space(NamedTuple):
    em: float
    r"""Width: \quad is 1, \, is 1/6; negative for \!."""
    span: Span


Treatment = Literal[
    "box", "cancel", "bcancel", "xcancel", "strike", "phantom", "hphantom", "vphantom", "smash",
    "lap", "angle", "phase",
]  # fmt: skip


class Boxed(NamedTuple):
    r"""\boxed, \fbox, \cancel and its family, \phantom: something done to a whole row."""

    how: Treatment
    body: Row
    span: Span


class Choice(NamedTuple):
    r"""\mathchoice: the row for display style, text style, script style, scriptscript style."""

    display: Row
    text: Row
    script: Row
    scriptscript: Row
    span: Span


class Tag(NamedTuple):
    r"""\tag{2}: the number of an equation, at its right end."""

    body: Row
    """With its brackets; without for \\tag*."""
    span: Span


class Break(NamedTuple):
    r"""`\\` outside an environment: a new line."""

    span: Span


class Unknown(NamedTuple):
    """A command that is not known: drawn as its name, marked as a warning."""

    name: str
    span: Span


Node = (
    Symbol
    | Operator
    | Row
    | Text
    | Fraction
    | Root
    | Scripts
    | Delimited
    | Accent
    | Brace
    | Stack
    | Arrow
    | Environment
    | Styled
    | Classed
    | Space
    | Boxed
    | Choice
    | Tag
    | Break
    | Unknown
)


class MathProblem(NamedTuple):
    """What could not be read, and where."""

    message: str
    """A sentence."""
    hint: str
    span: Span


class Macro(NamedTuple):
    r"""What a command stands for, as \newcommand{\name}[arity][default]{body} defines it."""

    arity: int
    """How many arguments it takes, an optional one among them."""
    body: tuple[str, ...]
    """Tokens of LaTeX, in which "#1" to "#9" are the arguments."""
    default: tuple[str, ...] | None = None
    """Of the first argument, where that is optional."""


_NO_MACROS: Mapping[str, Macro] = MappingProxyType({})


class Formula(NamedTuple):
    source: str
    body: Row
    problems: tuple[MathProblem, ...] = ()
    """Empty for a formula that was read whole.  What could be read is in `body` all the same."""
    macros: Mapping[str, Macro] = _NO_MACROS
    r"""What the formula itself defines, `\newcommand` and its like, by name; `parse` takes it for
    the next formula: `parse(tex, {**table, **formula.macros})`."""
    made: int = 0
    """Tokens that macros made, calls included: how much more work it is than its length says."""
