"""A formula of a card as it stands there: index notation, or LaTeX with its places."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from engine.exercise import GivenError
from engine.formula.problem import FormulaError, OffsetError, located
from engine.latex.reader import POOLING, looks_like_latex, transcription

_OPEN = (r"\begin", "{")
_CLOSED = (r"\end", "}")


@dataclass(frozen=True, slots=True)
class Source:
    key: str
    """Of the card: given, find."""
    written: str
    text: str
    """In index notation."""
    offsets: tuple[int, ...]
    """For each character of `text`, the place in `written`."""

    def trouble(self, found: OffsetError) -> GivenError:
        """A fault in `text`, at its place in what is written."""
        hint = found.hint
        if "window (k,l)" in hint:
            # The grammar's own hint speaks of windows, which there are none of.
            hint = "write argmax(x[k] for k)"
        at = self.offsets[min(found.at, len(self.offsets) - 1)] if self.offsets else 0
        moved = OffsetError(found.message, hint, at)
        return GivenError(self.key, self.written, located(moved, self.written))


def source(key: str, written: str, names: Collection[str] = ()) -> Source:
    """Read LaTeX where there is some; `names` are those of several letters.  Raises GivenError."""
    known = POOLING | frozenset(names)
    parts: list[str] = []
    offsets: list[int] = []
    for start, part in _statements(written):
        text, places = part, tuple(range(len(part)))
        if looks_like_latex(part):
            try:
                found = transcription(part, known)
            except FormulaError as error:
                before = part.split("\n")[: error.line - 1]
                at = start + sum(len(row) + 1 for row in before) + error.column - 1
                moved = OffsetError(error.message, error.hint, at)
                raise GivenError(key, written, located(moved, written)) from None
            text, places = found.text, found.offsets
        parts.append(text)
        offsets += [*(start + place for place in places), start + len(part)]
    return Source(key, written, "\n".join(parts), tuple(offsets))


def _statements(written: str) -> Iterator[tuple[int, str]]:
    r"""The lines, each with its place; a line that leaves \begin or { open goes on in the next."""
    start, taken = 0, ""
    for row in written.split("\n"):
        taken = f"{taken}\n{row}" if taken else row
        opened = sum(map(taken.count, _OPEN)) - sum(map(taken.count, _CLOSED))
        if opened <= 0 or not looks_like_latex(written):
            yield start, taken
            start, taken = start + len(taken) + 1, ""
    if taken:
        yield start, taken
