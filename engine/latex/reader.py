"""read(tex): the tree of the typesetter, transcribed, read by the one grammar."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from cards.math import parse
from engine import formula
from engine.formula import Formula, FormulaError
from engine.formula.problem import OffsetError, located
from engine.formula.tokens import MAX_LENGTH
from engine.latex.rows import Transcriber
from engine.latex.writer import Writer

#: Grammar that reads a text: engine.formula.read, or one with another exercise's symbols.
Read = Callable[[str], Formula]
_KNOWN: Final = frozenset(
    (
        *("dx", "dL", "df", "kh", "kw", "sh", "sw", "ph", "pw", "Ho", "Wo", "k_h", "k_w"),
        *("s_h", "s_w", "p_h", "p_w", "H_o", "W_o", "H_out", "W_out", "H_in", "W_in"),
    )
)


def looks_like_latex(text: str) -> bool:
    """Whether an answer is LaTeX: nothing else has a backslash."""
    return "\\" in text


def read(tex: str, read: Read = formula.read, known: frozenset[str] = _KNOWN) -> Formula:
    """What `tex` says; its `source` is the LaTeX.

    known: names of several letters, which `kh` and `k_h` then are, and not k times h.
    Raises FormulaError with a hint and the place in `tex`; never guesses.
    """
    try:
        writer = _transcribed(tex, known)
    except OffsetError as trouble:
        raise located(trouble, tex) from None
    text = writer.text
    try:
        return replace(read(text), source=tex)
    except FormulaError as error:
        lines = text.split("\n")
        offset = sum(len(line) + 1 for line in lines[: error.line - 1]) + error.column - 1
        at = (writer.offsets or [0])[min(offset, len(writer.offsets) - 1)]
        raise located(OffsetError(error.message, error.hint, at), tex) from None


def transcribed(tex: str, known: frozenset[str] = _KNOWN) -> str:
    """`tex` in the notation of engine/formula.  Raises FormulaError."""
    try:
        return _transcribed(tex, known).text
    except OffsetError as trouble:
        raise located(trouble, tex) from None


def _transcribed(tex: str, known: frozenset[str]) -> Writer:
    if len(tex) > MAX_LENGTH:
        message = f"The answer has {len(tex)} characters; at most {MAX_LENGTH} are read."
        raise OffsetError(message, "paste the formula alone", MAX_LENGTH)
    tree = parse(tex)
    if tree.problems:
        problem = tree.problems[0]
        raise OffsetError(problem.message, problem.hint, problem.span[0])
    writer = Writer()
    Transcriber(writer, known).statements(tree.body.items)
    writer.trim()
    return writer
