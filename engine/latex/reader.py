r"""transcription(tex): the tree of the typesetter in plain notation, which knows its places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cards.math import parse
from engine.formula import reader as formula
from engine.formula.problem import FormulaError, OffsetError, located
from engine.formula.tokens import MAX_LENGTH
from engine.formula.tree import Formula
from engine.latex.rows import Transcriber
from engine.latex.writer import Writer

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


def read(tex: str) -> Formula:
    """What `tex` says of max pooling; its places are those of the transcription.

    Raises FormulaError with a hint and the place in `tex`.
    """
    found = transcription(tex)
    try:
        return formula.read(found.text)
    except FormulaError as error:
        raise found.located(error) from None


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
