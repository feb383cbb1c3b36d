"""A text about max pooling: each of its formulas judged, as the lines of a derivation are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from engine.exercise import Grader, Reading
from engine.formula.tree import FormulaError
from engine.grading import agrees, grade
from engine.latex.transcribe import POOLING
from engine.verdict import Kind, Mark, Verdict
from engine.written import written

#: So many inputs tell whether a formula is right.
_FEW: Final = 60
#: What a text says before a formula that holds for windows apart alone.
_APART: Final = re.compile(r"(?:non-?|not |no |without )overlap|disjoint|stride\s*=\s*kernel", re.I)


@dataclass(frozen=True, slots=True)
class PoolingSide:
    """One formula of a text, judged; see `engine.exercise.Judgement`."""

    at: int
    mark: Mark
    grader: Grader[Any, Any, Any]
    reading: Reading[Any] | None = None
    kind: Kind = "derivative"
    message: str = ""
    hint: str = ""
    apart: bool = False
    """Whether it is said of windows that do not overlap alone."""

    @property
    def read(self) -> str:
        return self.reading.echo.split("\n")[-1] if self.reading is not None else ""

    @property
    def tex(self) -> str:
        return ""

    @property
    def part(self) -> str:
        right = self.mark == "follows" and not self.apart
        return str(self.reading.target) if right and self.reading is not None else ""

    def verdict(self, seed: int, trials: int) -> Verdict:
        assert self.reading is not None
        rule = partial(self.grader.evaluate, self.reading)
        about = (self.grader, seed, trials)
        return grade(rule, self.reading.target, *about, reading=self.reading)


def steps(answer: str, grader: Grader[Any, Any, Any]) -> Sequence[PoolingSide]:
    """The formulas of a text with several displays; none of an answer that is a formula alone."""
    if answer.count("$$") < 4:
        return ()
    found = written(answer, POOLING)
    sides: list[PoolingSide] = []
    above: list[str] = []
    start = 0
    for line in found.text.split("\n"):
        at = found.offsets[min(start, len(found.offsets) - 1)]
        sides.append(_side(line, above, at, answer, grader))
        if sides[-1].mark in ("defines", "follows"):
            above.append(line)
        start += len(line) + 1
    return sides


def _side(
    line: str, above: list[str], at: int, answer: str, grader: Grader[Any, Any, Any]
) -> PoolingSide:
    message, hint = "", ""
    for lines in (["\n".join((*above, line))], [line]):
        try:
            reading = grader.read(lines[0])
        except FormulaError as trouble:
            message, hint = message or trouble.message, hint or trouble.hint
            continue
        rule = partial(grader.evaluate, reading)
        if agrees(rule, grader, 0, _FEW, reading):
            return PoolingSide(at, "follows", grader, reading)
        wrong = PoolingSide(at, "wrong", grader, reading)
        apart = _APART.search(answer, max(0, at - 200), at) is not None
        if apart and wrong.verdict(0, _FEW).verdict == "only-without-overlap":
            return PoolingSide(at, "follows", grader, reading, apart=True)
        return wrong
    with suppress(FormulaError):
        grader.read("\n".join((*above, line, "dx[i,j] = delta[k,l]")))
        return PoolingSide(at, "defines", grader, kind="definition")
    if line.lstrip().startswith("f"):  # what is given, said once more
        return PoolingSide(at, "unchecked", grader, kind="definition")
    return PoolingSide(at, "unread", grader, message=message, hint=hint)
