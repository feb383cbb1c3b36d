"""LaTeX symbols, functions, derivatives and scripts in our notation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from itertools import pairwise
from typing import Final, TypeAlias

from cards.math import tree
from engine.formula.tree import NAMED, OffsetError
from engine.latex.form import (
    CLOSING,
    OPENING,
    WORD,
    after_spaces,
    base_of,
    between_commas,
    closing,
    group,
    index_name,
    indicator,
    is_region,
    is_symbol,
    letter,
    marks_of,
    solid,
    tests,
    transposes,
    word_of,
)

# -- The transcription as it grows: text, and for each character the place in the LaTeX.


class Writer:
    """`known` are names of several letters; `step` writes a node of any kind."""

    def __init__(self, known: frozenset[str], step: Step) -> None:
        self.known = known
        self._step = step
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

    @property
    def begins(self) -> bool:
        """Whether nothing stands in the line yet."""
        return self.last in ("", "\n")

    def row(self, items: Sequence[tree.Node]) -> None:
        """Write some nodes, one after the other."""
        at = 0
        while at < len(items):
            at = self._step(self, items, at)

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

    def spelt(self, word: str) -> str:
        """Diag as diag, which print has both ways."""
        return "diag" if word == "Diag" and "diag" in self.known else word

    def differential(self, at: int) -> None:
        """A d that stays glued to the operand behind it: `d` and `x` make `dx`."""
        self.operand("d", at)
        self._glued = True

    def wrapped(self, left: str, items: Sequence[tree.Node], right: str, at: int) -> None:
        self.put(left, at)
        self.row(items)
        self.put(right, items[-1].span[1] - 1 if items else at)

    def new_line(self, at: int) -> None:
        """End a statement, without the comma or full stop that a sentence put behind it."""
        self.trim()
        if self._text:
            self.put("\n", at)

    def trim(self) -> None:
        while self._text and self._text[-1].strip(" ,.;") == "":
            piece = self._text.pop()
            del self.offsets[len(self.offsets) - len(piece) :]


#: Writes `items[at]`, with what belongs to it; returns the place of the next node.
Step: TypeAlias = Callable[[Writer, Sequence[tree.Node], int], int]


# -- Single characters: names of one or several letters, numbers, signs, bars.


#: Signs that our notation has, too; what they are there, the tokenizer knows.
_SIGNS: Final = frozenset("+-−=<>≤≥≠∈∉.,;:!'()[]{}⟦⟧⟨⟩⌊⌋⌈⌉⩽⩾≡≔←#∋/*∗⋅·×•⊙∘⊗⊘∖∧∨¬∀∃∄∝∼")


def symbol(to: Writer, items: Sequence[tree.Node], at: int) -> int:
    """Write one sign, digit or name; returns the place of the next node."""
    node = items[at]
    assert isinstance(node, tree.Symbol)
    char, start = node.char, node.span[0]
    if node.name == "bb" and char in "EP":  # an expectation, a probability
        to.operand(char, start)
        return at + 1
    if node.name in ("frak", "bb"):
        raise OffsetError("I do not know this letter.", "use a plain one", start)
    if node.name == WORD and char != "d":
        to.operand(to.spelt(char), start)
    elif char == "d" and (node.name == WORD or (node.name == "d" and _begins_name(items, at + 1))):
        to.differential(start)
    elif char.isdigit():
        _digit(to, items, at, char)
    elif char == "∇" or (char == "D" and "D" not in to.known and _of_arguments(items, at)):
        return gradient(to, items, at)
    elif char == "∂":
        to.operand("∂", start)
    elif char.isalpha():
        return _letters(to, items, at)
    elif char in "|∣‖":
        return _bar(to, items, at)
    elif char in "⇒⟹∴⇔⟺" and node.kind == "rel":
        to.new_line(start)
        to.put(";", start)  # a minus behind it belongs to what follows
    elif char in "…⋯" and to.last in (*",+*·⋅", ""):
        to.put("...", start)
    elif char in "…⋯⋮":
        raise OffsetError("I cannot tell what the dots stand for.", "write a sum", start)
    elif char in _SIGNS:
        if char == "[":
            closing(items, at)
        to.put(char, start)
    else:
        raise OffsetError(f"I do not know the sign '{char}' here.", "say it otherwise", start)
    return at + 1


def gradient(to: Writer, items: Sequence[tree.Node], at: int) -> int:
    r"""\nabla_{x} L, \partial_x L, \nabla L(x): the derivative of L by x."""
    node = items[at]
    start, end = node.span[0], after_spaces(items, at + 1) + 1
    below = solid(node.sub.items) if isinstance(node, tree.Scripts) and node.sub else []
    called = group(items, after_spaces(items, end)) if end <= len(items) else None
    names = solid(called[0]) if called else []
    if called and _are_arguments(names, below):
        below, end = below or names, called[1]
    if end <= len(items) and not below and is_symbol(node, "∇"):
        to.put("∇", start)  # by what is asked for
        return at + 1
    if not below or end > len(items):
        raise OffsetError("This gradient does not say by what.", r"write \nabla_{x} L", start)
    behind = after_spaces(items, at + 1)
    above = items[behind]
    named = letter(base_of(above)).isalpha() or word_of(base_of(above)) is not None
    sup = above.sup if isinstance(above, tree.Scripts) else None
    raised = sup is not None and marks_of(sup) is None
    if named and not raised and not (to.begins and goes_on(items, end)):
        twice = isinstance(node, tree.Scripts) and is_square(node.sup)
        to.operand("∂²" if twice else "∂", start)
        to.row([above])
        for sign in ("/∂", " ∂") if twice else ("/∂",):
            to.put(sign, below[0].span[0])
            to.row(below)
        return end
    # The operand follows as it stands, as that of \\frac{\\partial}{\\partial x} does.
    to.operand("∂/∂", start)
    to.row(below)
    to.put(" ", start)
    return behind


def _of_arguments(items: Sequence[tree.Node], at: int) -> bool:
    """Whether a name follows with what it is a function of: D f(x)."""
    called = group(items, at + 2)
    if called is None or not letter(items[at + 1]).isalpha():
        return False
    return _are_arguments(solid(called[0]), ())


def _are_arguments(names: Sequence[tree.Node], below: Sequence[tree.Node]) -> bool:
    """Whether a bracket behind what is differentiated says what it is a function of."""
    said = [letter(base_of(one)) for one in names]
    if len(said) == 1 and not below:
        return said[0].isalpha()
    by = letter(base_of(below[0])) if below else ""
    return by in said and all(one.isalpha() or one == "," for one in said)


def _letters(to: Writer, items: Sequence[tree.Node], at: int) -> int:
    """The longest known name that begins here, or one letter."""
    letters = ""
    for node in items[at:]:
        if not (isinstance(node, tree.Symbol) and node.name == node.char):
            break
        if not (node.char.isalpha() and node.char.isascii()):
            break
        letters += node.char
    size = next((n for n in range(len(letters), 1, -1) if letters[:n] in to.known), 1)
    start = items[at].span[0]
    behind = at + len(letters)
    if size == 1 and behind < len(items) and is_symbol(items[behind], "("):
        _refuse_misspelt(letters, start)
    to.operand(letters[:size] if size > 1 else letter(items[at]), start)
    return at + size


def _refuse_misspelt(letters: str, start: int) -> None:
    """Refuses sigmiod(s), and tanh(s) without its backslash: a product of letters in LaTeX."""
    for name in get_close_matches(letters, NAMED, n=1, cutoff=0.8):
        hint = rf"did you mean \operatorname{{{name}}}?"
        raise OffsetError(f"I do not know '{letters}'.", hint, start)


def _bar(to: Writer, items: Sequence[tree.Node], at: int) -> int:
    """A bar opens or closes a norm or an absolute value (of a set: its size), or means ":"."""
    node = items[at]
    assert isinstance(node, tree.Symbol)
    start = node.span[0]
    end = next((n for n in range(at + 1, len(items)) if is_symbol(items[n], "|", "∣")), 0)
    if node.kind != "open":
        to.put(")" if node.kind == "close" else ":", start)
    elif node.char != "‖" and end and is_region(items[at + 1 : end]):
        to.wrapped("count(1=1 for p,q in ", items[at + 1 : end], ")", start)
        return end + 1
    else:
        to.operand("norm(" if node.char == "‖" else "abs(", start)
    return at + 1


def _digit(to: Writer, items: Sequence[tree.Node], at: int, char: str) -> None:
    """Write a digit, as one number with those directly before it."""
    glued = to.last.isdigit() or to.last == "."
    (to.put if glued and not _spaced(items, at) else to.operand)(char, items[at].span[0])


def _begins_name(items: Sequence[tree.Node], at: int) -> bool:
    """Whether a name stands directly here, so that a d before it is a differential's."""
    node = base_of(items[at]) if at < len(items) else None
    return letter(node).isalpha() and letter(node) != "d"


def _spaced(items: Sequence[tree.Node], at: int) -> bool:
    return at > 0 and not (letter(items[at - 1]) == "." or letter(items[at - 1]).isdigit())


# -- Functions and large operators: \sum, \arg\max with and without limits, \exp without brackets.


#: The power of what these give could be no other thing; log(x)^2 could.
_SCRIPTED: Final = ("diag", "softmax", "exp", "outer")
#: Run over indices, and take what follows up to the end of the product.
_REDUCERS: Final = {"sum", "prod", "max", "min", "argmax", "argmin"}


def operator(to: Writer, items: Sequence[tree.Node], at: int) -> int:
    """An operator with its scripts; of a function also its argument."""
    name, sub, sup = _parts(items[at])
    start = items[at].span[0]
    behind = after_spaces(items, at + 1)
    if name == "arg" and behind < len(items) and _parts(items[behind])[0] in ("max", "min"):
        second, sub, sup = _parts(items[behind])
        name, behind = "arg" + second, behind + 1
    if name in _REDUCERS:
        _reducer(to, name, sub, sup, start)
        return behind
    if marks_of(sup) == "'":
        name, sup = f"{name}'", None
    if sub is not None:
        raise OffsetError(
            f"I do not read {to.spelt(name)} with a subscript.", "say it otherwise", sub.span[0]
        )
    return _function(to, items, behind, to.spelt(name), sup, start)


def _reducer(to: Writer, name: str, sub: tree.Row | None, sup: tree.Row | None, start: int) -> None:
    to.operand("Σ" if name == "sum" and sub is None else name, start)
    if sub is not None:
        to.wrapped("_{", sub.items, "}", start)
    if sup is not None:
        if index_name(sup.items[0]) is None and not isinstance(sup.items[0], tree.Scripts):
            raise OffsetError(
                "I do not read this limit.", "write what the sum runs to", sup.span[0]
            )
        to.wrapped("^{", sup.items, "}", sup.span[0])
    to.put(" ", start)


def _function(
    to: Writer, items: Sequence[tree.Node], at: int, name: str, sup: tree.Row | None, start: int
) -> int:
    if at < len(items) and is_symbol(items[at], *OPENING):
        last = items[closing(items, at)]
        if isinstance(last, tree.Scripts):
            power = last.sup is not None and not (name in _SCRIPTED and is_symbol(items[at], "("))
            if sup is not None or power:
                hint = rf"write (\{name}(...))^n, or \{name}((...)^n)"
                said = f"{name} of a bracket with a power could be two things."
                raise OffsetError(said, hint, start)
            to.operand(name, start)
            end = closing(items, at) + 1
            to.row(items[at:end])
            return end
    inner = _parts(items[at])[0] if at < len(items) and sup is None else ""
    if inner and inner not in _REDUCERS:  # log det A
        to.operand(f"{name}(", start)
        end = operator(to, items, at)
        to.put(")", items[end - 1].span[1] - 1)
        return end
    end = _argument(items, at, name, start)
    if sup is not None:
        if any(is_symbol(node, "-", "−") for node in sup.items):
            hint = "write the inverse or the reciprocal out"
            raise OffsetError(f"{name} to this power could be two things.", hint, sup.span[0])
        to.put("(", start)
    to.operand(name, start)
    argument = solid(items[at:end])
    whole = group(argument, 0) if argument else None
    bare = whole is None or whole[1] != len(argument)
    to.wrapped("(" if bare else "", argument, ")" if bare else "", start)
    if sup is not None:
        to.wrapped(")^(", sup.items, ")", sup.span[0])
    return end


def _argument(
    items: Sequence[tree.Node], at: int, name: str, start: int, over: frozenset[str] = frozenset()
) -> int:
    r"""Where the argument ends: its brackets, or the one factor that follows, \log \sum_m p_m.

    A sum `over` some letters has all factors up to the end, where the last one speaks of them.
    """
    if at < len(items) and (inner := _parts(items[at])[0]):
        below = _parts(items[at])[1] if inner in _REDUCERS else None
        over |= frozenset(_characters(below) if below is not None else ())
        return _argument(items, after_spaces(items, at + 1), inner, start, over)
    last = end = at
    while over and end < len(items):
        opens, is_space = is_symbol(items[end], *OPENING), isinstance(items[end], tree.Space)
        if not (opens or is_space or factor(items[end])):
            break
        last = last if is_space else end
        end = closing(items, end) + 1 if opens else end + 1
    if not over.isdisjoint(_characters(tuple(items[last:end]))):
        return end
    found = group(items, at)
    if found is not None:
        return found[1]
    end = at
    while end < len(items) and factor(items[end]):
        end += 1
        behind = group(items, end)
        if behind is not None:
            end = behind[1]
    factors = solid(items[at:end])
    if not factors:
        raise OffsetError(f"{name} has no argument.", "write it in brackets", start)
    called = group(factors, 1) if len(factors) > 1 else None
    # cos x (1 + y) could be two things; log p(x | y) is of what p is at x.
    if len(factors) > 1 and not (called is not None and _names_alone(called[0])):
        hint = rf"put the argument in brackets: \{name}(...)"
        raise OffsetError(f"I cannot tell where the argument of {name} ends.", hint, start)
    return end


def _characters(node: object) -> Iterator[str]:
    """Every character of a node."""
    if isinstance(node, tree.Symbol):
        yield node.char
    elif isinstance(node, tree.Row):
        yield from _characters(node.items)
    elif isinstance(node, tuple):
        for part in node:
            yield from _characters(part)


def _names_alone(items: Sequence[tree.Node]) -> bool:
    """Whether a bracket holds what something is a function of, and no sum or product."""
    inner = [one for one in items if not isinstance(one, tree.Space)]
    names = [letter(base_of(one)).isalpha() for one in inner]
    between = [is_symbol(one, ",", "|", "∣", ";", ":") for one in inner]
    one_name = all(a or b for a, b in zip(names, between, strict=True))
    return one_name and not any(a and b for a, b in pairwise(names))


def factor(node: tree.Node) -> bool:
    """Whether a node can go on with a product."""
    if isinstance(node, tree.Symbol):
        return node.kind == "ord" and node.char not in OPENING
    if isinstance(node, tree.Scripts):
        ends = is_symbol(node.base, *CLOSING, "|", "∣", "‖")
        return not ends and not isinstance(node.base, tree.Operator | tree.Environment)
    return not isinstance(node, tree.Operator | tree.Environment | tree.Space)


def goes_on(items: Sequence[tree.Node], at: int) -> bool:
    """Whether another factor follows."""
    behind = after_spaces(items, at)
    return behind < len(items) and factor(items[behind])


def _parts(node: tree.Node) -> tuple[str, tree.Row | None, tree.Row | None]:
    """The name of an operator, "" of anything else, and its scripts."""
    base = base_of(node)
    name = "".join(base.text.split()) if isinstance(base, tree.Operator) else ""
    name = {"∑": "sum", "∏": "prod"}.get(name, name)
    return (name, node.sub, node.sup) if isinstance(node, tree.Scripts) else (name, None, None)


# -- Subscripts and superscripts: indices, marks, which message a \delta is, and powers.


#: What a \delta may be the message of: δ_{x,ij} is dL/dx, δ_{f,kl} is dL/df.
_OF: Final = frozenset("xXfFyY")


def scripts(to: Writer, items: Sequence[tree.Node], at: int) -> int:
    node = items[at]
    assert isinstance(node, tree.Scripts)
    base, start = node.base, node.span[0]
    if isinstance(base, tree.Operator):
        return operator(to, items, at)
    by = is_symbol(base, "∂", "D") and node.sub and not node.sup and "D" not in to.known
    if is_square(node.sup) and not node.sub and is_symbol(base, "∂", "∇"):
        to.operand("∂²", start)
        return at + 1
    if is_symbol(base, "∇") or by:
        return gradient(to, items, at)
    if indicator(base) and node.sub is not None and node.sup is None:
        inner = solid(_bare(node.sub))
        to.operand("" if tests(inner) else "1", start)
        to.wrapped("[", inner, "]", start)
        return at + 1
    if node.sub is not None and letter(base).isdigit():
        _numbered(to, node, letter(base))
        return at + 1
    if indicator(base) and transposes(node.sup) and "ones" in to.known:
        to.operand("I^T" if letter(base) == "I" else "ones^T", start)
        return at + 1
    if isinstance(base, tree.Symbol) and base.char == "‖":
        to.row([base])
        _norm_scripts(to, node)
        return at + 1
    marks = marks_of(node.sup)
    bar = is_symbol(base, "|", "∣")
    if is_symbol(base, *CLOSING) or bar:
        to.put(")" if bar else letter(base), start)
        _power(to, node, marks)
    elif letter(base).isdigit() and not indicator(base):
        _digit(to, items, at, letter(base))
        _power(to, node, marks)
    elif (name := _name_of_base(base)) is not None:
        _named(to, node, name, marks)
    elif base is None:
        raise OffsetError("This script belongs to nothing.", "write its letter", start)
    else:
        to.wrapped("(", [base], ")", start)
        _power(to, node, marks)
    return at + 1


def is_square(sup: tree.Row | None) -> bool:
    return sup is not None and [letter(one) for one in solid(sup.items)] == ["2"]


def _numbered(to: Writer, node: tree.Scripts, digit: str) -> None:
    """1_{C}, which is 1 where C holds; no other number has a subscript."""
    assert node.sub is not None
    inner = solid(_bare(node.sub))
    if digit != "1" or node.sup is not None or not tests(inner) or to.last.isdigit():
        hint = r"write \mathbb{1}[(i,j) = ...] for a condition"
        raise OffsetError("A number has no subscript.", hint, node.sub.span[0])
    to.wrapped(" [", inner, "]", node.span[0])


#: Norms by their subscripts, and what these are in our notation.
_NORMS: Final = {"1": "_1", "2": "", "F": "", "∞": "_inf"}


def _norm_scripts(to: Writer, node: tree.Scripts) -> None:
    said = letter(solid(node.sub.items)[0]) if node.sub and len(solid(node.sub.items)) == 1 else ""
    if node.sub is not None and said not in _NORMS:
        hint = "write it as a sum"
        raise OffsetError("I read the norms 1, 2, F and infinity.", hint, node.sub.span[0])
    if node.sub is not None:
        to.put(_NORMS[said], node.sub.span[0])
    if node.sup is not None:
        to.wrapped("^(", node.sup.items, ")", node.sup.span[0])


def _name_of_base(base: tree.Node | None) -> str | None:
    return letter(base) if letter(base).isalnum() or letter(base) == "∂" else word_of(base)


def _named(to: Writer, node: tree.Scripts, name: str, marks: str | None) -> None:
    start = node.span[0]
    parts = between_commas(_bare(node.sub))
    tag = _tag(node.sup) if marks is None and name == "δ" else None
    level = _level(node.sup)
    if name == "∂":
        raise OffsetError(
            "I do not read scripts of ∂.", r"write \frac{\partial L}{\partial x}", start
        )
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
        to.operand("windows", start)
        if parts and node.sub is not None:
            indices(to, parts, node.sub, "()")
        return
    to.operand(name + (marks or "").replace("*", "^*"), start)
    if level and node.sup is not None:
        to.put(f"^({level})", node.sup.span[0])
        if _turned(node.sup):
            to.put("^⊤", node.sup.span[0])
    if parts and node.sub is not None:
        indices(to, parts, node.sub, "()" if name in ("Ω", "ω") else "[]")
    if marks is None and not tag and not level and node.sup is not None:
        _power(to, node, marks)


def _inverse(sup: tree.Row) -> bool:
    r"""The -1 of \Omega^{-1}(i,j), the windows that hold (i,j)."""
    inner = solid(sup.items)
    return len(inner) == 2 and is_symbol(inner[0], "-", "−") and letter(inner[1]) == "1"


def _marked(node: tree.Node) -> bool:
    """An index with a star or a prime, and perhaps with indices of its own."""
    return (
        isinstance(node, tree.Scripts) and letter(node.base).isalpha() and bool(marks_of(node.sup))
    )


def indices(to: Writer, parts: list[list[tree.Node]], sub: tree.Row, brackets: str) -> None:
    """Write the indices of a subscript, with commas between them, in brackets."""
    start = sub.span[0]
    to.put(brackets[0], start)
    first = True
    for part in parts:
        names = [index_name(node) or _marked(node) for node in part]
        single = [[node] for node in part] if all(names) else [part]
        for nodes in single:
            if not first:
                to.put(",", nodes[0].span[0])
            first = False
            to.row(nodes)
    to.put(brackets[1], max(start, sub.span[1] - 1))


def _power(to: Writer, node: tree.Scripts, marks: str | None) -> None:
    base = node.base
    if node.sub is not None and [letter(one) for one in solid(node.sub.items)] == ["+"]:
        to.put("_+", node.sub.span[0])  # [a]_+
    elif node.sub is not None and is_symbol(base, ")"):
        # (W^T d)_j, softmax(x)_k: an entry of what the bracket comes to.
        indices(to, between_commas(node.sub.items), node.sub, "[]")
    elif node.sub is not None and (
        not isinstance(base, tree.Symbol) or base.char in (*CLOSING, "|", "∣")
    ):
        hint = "put the indices at the name"
        raise OffsetError("I do not read this subscript.", hint, node.span[0])
    if node.sup is None:
        return
    if transposes(node.sup):
        inner = solid(node.sup.items)
        said = "T" if letter(inner[-1]) == "T" else "⊤"
        to.put(f"^(-{said})" if len(inner) > 1 else f"^{said}", node.sup.span[0])
        return
    if marks:
        raise OffsetError("I do not read this mark.", "give what it marks a name", node.sup.span[0])
    to.wrapped("^(", node.sup.items, ")", node.sup.span[0])


def _bare(row: tree.Row | None) -> Sequence[tree.Node]:
    r"""Without the brackets that some put around a condition: \mathbb{I}_{\{...\}}."""
    inner = [node for node in (row.items if row else ()) if not isinstance(node, tree.Space)]
    if len(inner) < 3 or not is_symbol(inner[0], "{", "[") or not is_symbol(inner[-1], "}", "]"):
        return inner
    found = group(inner, 0)
    return found[0] if found and found[1] == len(inner) else inner


def _tag(sup: tree.Row | None) -> str | None:
    """The x of δ^x and of δ^{(x)}."""
    inner = [n for n in solid(sup.items) if not is_symbol(n, "(", ")", "[", "]")] if sup else []
    of = _letter(inner)
    return of if of in _OF else None


def _level(sup: tree.Row | None) -> str:
    """The ℓ-1 of W^{(ℓ-1)} and of W^{ℓ-1}, the (2) of W^{[2]}: the number of a layer."""
    inner = solid(sup.items) if sup else []
    said = "".join(letter(node) or "?" for node in inner[: -1 if _turned(sup) else None])
    said = said.replace("−", "-").replace("[", "(").replace("]", ")")
    if re.fullmatch(r"\(\d\)", said):
        return said
    said = said.strip("()")
    return said if re.fullmatch(r"[ℓlL]([-+]\d)?", said) else ""


def _turned(sup: tree.Row | None) -> bool:
    r"""Whether a transpose ends a superscript that says something else: a^{[1]\top}."""
    inner = solid(sup.items) if sup else []
    return len(inner) > 1 and letter(inner[-1]) in ("⊤", "⊺")


def _letter(part: Sequence[tree.Node]) -> str:
    if len(part) != 1:
        return ""
    return index_name(part[0]) or word_of(part[0]) or ""


def _word(part: Sequence[tree.Node]) -> str:
    if len(part) > 1:  # H_{out}, in plain letters
        return "".join(index_name(node) or "?" for node in part)
    return word_of(part[0]) or index_name(part[0]) or "" if part else ""
