"""One visit to the lab: what was tried, what was told, what stays of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from textual.dom import DOMNode
from textual.timer import Timer

from engine.exercise import Language, language_of
from engine.verdict import Verdict
from tui.drafts import Draft
from tui.lab.client import checked
from tui.lab.requests import LONGEST_ANSWER, ExerciseInfo, LabRequest, LabResponse
from tui.lab.text import Hint, asked, hints
from tui.lab.verdict import no_hint
from tui.latest import LatestOnly

if TYPE_CHECKING:
    from cards.model import Card
    from engine import Verdict


@dataclass(frozen=True, slots=True)
class LabResult:
    answer: str
    verdict: Verdict
    slips: int
    """Wrong answers that the learner stayed with before this one."""
    hints: int = 0
    """How many were asked for."""
    by_hand: bool = False
    """Whether the answer is the message of one small input, not a derivation."""

    @property
    def outcome(self) -> str:
        return self.verdict.verdict

    def as_mark(self) -> dict[str, Any]:
        """What of it belongs to a rating: the rest stands in the journal already."""
        return {
            "verdict": self.outcome,
            "slips": self.slips,
            "hints": self.hints,
            "by_hand": self.by_hand,
            "seed": self.verdict.seed,
        }

    def as_event(self) -> dict[str, Any]:
        """For the journal.  What seed and answer give again is left out."""
        data = self.verdict.as_dict()
        for again in ("counterexample", "printed", "trace", "steps"):
            data.pop(again)
        return {**data, **self.as_mark(), "answer": self.answer}


_NO_SLIP = ("correct", "incomplete", "unreadable")
#: A wrong answer counts as one the learner meant when it stood for this long.
MEANT_SECONDS = 4


class LabSession:
    """`before` is what an earlier visit to the same card left behind."""

    def __init__(self, card: Card, brief: ExerciseInfo, before: LabResult | None) -> None:
        self._card = card
        self._brief = brief
        self.before = before
        self.by_hand = before if before and before.by_hand else None
        self._slips = before.slips if before else 0
        self.attempted = before is not None
        """Whether the engine's message may be shown: something was tried, or it was asked for."""
        self._told = before.hints if before else 0
        """How many hints were asked for."""
        self._open = self._told
        """How many are shown; they are folded where a new answer is begun."""
        self._hinted = self.text
        """The answer that they are about."""
        self._judged_at: datetime | None = None
        self._parts = {*before.verdict.parts} if before else set()
        """Of an exercise of several parts: those that were right, in whichever answer."""
        self._right = before if before and before.outcome == "correct" else None
        """The last right answer, which counts when nothing is written in its place."""

    @property
    def text(self) -> str:
        """What was written before."""
        return "" if self.before is None or self.before.by_hand else self.before.answer

    def draft(self, text: str) -> Draft | None:
        """What of a text is nowhere on the disk."""
        if not text.strip() or text == self.text:
            return None
        return Draft(f"{self._card.id}-answer.txt", text)

    # What happens.

    def typed(self, answer: str, verdict: Verdict | None, now: datetime) -> None:
        """The answer is changed into this one; before, it had `verdict`."""
        if self._open and _another(self._hinted, answer):
            self._open = 0
        since, self._judged_at = self._judged_at, None
        if verdict is None or since is None or verdict.verdict in _NO_SLIP:
            return
        if (now - since).total_seconds() >= MEANT_SECONDS:
            self._slips += 1

    def judged(self, answer: str, verdict: Verdict | None, now: datetime) -> None:
        self._judged_at = self._judged_at or now
        self.attempted |= verdict is not None and verdict.verdict != "unreadable"
        if verdict is not None and verdict.ok:
            self._right = LabResult(answer, verdict, self._slips, self._told)

    def gathered(self, verdict: Verdict | None) -> Verdict | None:
        """The verdict with the parts that an answer before this one gave."""
        if verdict is None or not verdict.open:
            return verdict
        right = verdict.verdict == "incomplete"
        self._parts |= {*verdict.parts}
        given = self._parts if right else self._parts - {asked(verdict)}
        parts = tuple(name for name in (*verdict.parts, *verdict.open) if name in given)
        rest = tuple(name for name in verdict.open if name not in given)
        outcome = "correct" if right and not rest else verdict.verdict
        return replace(verdict, verdict=outcome, parts=parts, open=rest)

    # Hints.

    def show_engine(self) -> None:
        """The engine's message is looked at: before anything was tried, that is a hint."""
        self._told += not self.attempted
        self.attempted = True

    def hints(self, verdict: Verdict | None) -> tuple[Hint, ...]:
        """Those that were asked for, about an answer."""
        return self._all(verdict)[: self._open]

    def another_hint(self, answer: str, verdict: Verdict | None) -> str:
        """Tell one hint more about an answer; where there is none, why, in a sentence."""
        every = self._all(verdict)
        if not every:
            return no_hint(verdict)
        if self._open >= len(every):
            return "That was the last hint."
        self._told, self._open, self._hinted = self._told + 1, self._open + 1, answer
        return ""

    def _all(self, verdict: Verdict | None) -> tuple[Hint, ...]:
        return hints(verdict, self._brief, self._card) if verdict else ()

    # What stays.

    def result(self, answer: str, verdict: Verdict | None) -> LabResult | None:
        """What the visit leaves behind when it ends with this answer; None where nothing stands.

        A right answer that was cleared, or changed into what cannot be read, was right.
        """
        written = verdict is not None and answer.strip() and len(answer) <= LONGEST_ANSWER
        # What is too long was not read: nothing is kept of it.
        if verdict is None or not written:
            return self._right or self.by_hand
        if verdict.verdict == "unreadable" and self._right is not None:
            return self._right
        return LabResult(answer, verdict, self._slips, self._told)

    def is_new(self, result: LabResult) -> bool:
        """Whether the journal does not have it yet."""
        before = self.before
        return before is None or (result.answer, result.hints) != (before.answer, before.hints)


def _another(before: str, after: str) -> bool:
    """Whether less than half of an answer is left at its two ends: a new one, not a mended one."""
    one, other = "".join(before.split()), "".join(after.split())
    begins = _alike(one, other)
    ends = _alike(one[begins:][::-1], other[begins:][::-1])
    return 2 * (begins + ends) < max(len(one), len(other))


def _alike(one: str, other: str) -> int:
    """How many characters both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


# How a word of an answer may go on: names that the exercise knows, and those of the notation.
# Never a rule: to derive that is the learner's part.


#: A word is suggested to go on from so many of its letters on: one is an index as a rule.
_LEAST = 2
_WORD = re.compile(r"(\\?[^\W\d_]\w*|\\)$")
_DOTTED = re.compile(r"\bnp\.(\w*)$")
_DEFINED = re.compile(r"^\s*([^\W\d_]\w{2,})\s*(?:[\[(][^=]*)?=(?!=)", re.MULTILINE)
_PYTHON_WORD = re.compile(r"[^\W\d_]\w{2,}")

_FORMULA = (
    *("sum(", "max(", "argmax(", "mean(", "count(", "exp(", "log(", "sqrt(", "sign(", "tanh("),
    *("sigmoid(", "otherwise", "softplus("),
)
_LATEX = (
    *(r"\delta", r"\partial", r"\sum_{", r"\frac{", r"\begin{cases}", r"\Omega", r"\arg\max"),
    *(r"\max", r"\mathbb{1}[", r"\text{", r"\odot", r"\cdot", r"\sigma", r"\exp", r"\log"),
    *(r"\hat", r"\left", r"\right", r"\sqrt{", r"\llbracket", r"\rrbracket", r"\in", r"\top"),
)
_NUMPY = (
    *("zeros_like(", "zeros(", "argmax(", "unravel_index(", "einsum(", "exp(", "maximum("),
    *("where(", "outer(", "sum(", "max(", "sign(", "sqrt(", "log(", "ones_like(", "diag("),
)
_PYTHON = ("return ", "range(", "for ", "shape")


def completion(before: str, whole: str, brief: ExerciseInfo) -> str:
    """How the line that ends with `before` may go on, in an answer that is `whole`; or ""."""
    language = language_of(whole)
    if language == "formula" and (left := _left_side(before, brief)):
        return left
    if language == "function" and (dotted := _DOTTED.search(before)):
        return _rest(dotted[1], _NUMPY, 1)
    word = _WORD.search(before)
    if word is None:
        return ""
    if language == "latex" and r"\end{cases}".startswith(word[0]) and len(word[0]) > 1:
        return r"\end{cases}"[len(word[0]) :] if whole.count(r"\begin{cases}") else ""
    return _rest(word[0], _candidates(language, whole, word[0], brief), _LEAST)


def _left_side(before: str, brief: ExerciseInfo) -> str:
    """The rest of "dx[i,j] = " at the beginning of a line."""
    wanted = f"{brief.left} = "
    start = before.lstrip()
    return wanted[len(start) :] if len(start) >= _LEAST and wanted.startswith(start) else ""


def _rest(word: str, candidates: Iterable[str], least: int) -> str:
    if len(word) < least:
        return ""
    found = [one for one in candidates if one.startswith(word)]
    # A word that is whole asks for nothing more.
    if any(re.match(r"\\?\w*", one)[0] == word for one in found):  # type: ignore[index]
        return ""
    return found[0][len(word) :] if found else ""


def _candidates(language: Language, whole: str, word: str, brief: ExerciseInfo) -> list[str]:
    if language == "latex":
        return list(_LATEX) if word.startswith("\\") else []
    if language == "function":
        return [*_PYTHON, *_others(whole, word)]
    own = [name for name in _DEFINED.findall(whole) if name != word]
    return [*_symbols(brief), *own, *_FORMULA]


@lru_cache(maxsize=8)
def _symbols(brief: ExerciseInfo) -> tuple[str, ...]:
    """Each as it is written: "delta[k,l]", "argmax(k,l)"; of several on one line, each."""
    return tuple(
        one
        for left, _ in brief.symbols
        for one in ([left] if re.search(r"[\[(]", left) else re.split(r",\s*", left))
        if len(one) > _LEAST
    )


def _others(whole: str, word: str) -> list[str]:
    """Names of the function, the word that is being written left out."""
    names = _PYTHON_WORD.findall(whole)
    return [name for name in dict.fromkeys(names) if name != word or names.count(name) > 1]


# When the lab asks: at each key, or after a pause; and what it says meanwhile.


#: A function is run when nothing was typed for so long.
PAUSE_SECONDS = 0.3
#: After so long without an answer of the engine, the screen says that it is still at it.
SLOW_SECONDS = 0.4


class LabRequests:
    """Asks the helper process about the newest text; `hear` gets its answer, on the UI thread."""

    def __init__(
        self, owner: DOMNode, hear: Callable[[LabResponse], None], slow: Callable[[], None]
    ) -> None:
        self._owner = owner
        self._slow = slow
        self._pause: Timer | None = None
        self._waiting: Timer | None = None
        self._newest: LatestOnly[LabRequest, LabResponse] = LatestOnly(
            owner, lambda asked: checked(asked, lambda: self._newest.waits), hear
        )

    @property
    def busy(self) -> bool:
        return self._newest.busy

    @property
    def paused(self) -> bool:
        """Whether it waits for a pause of typing."""
        return self._pause is not None

    def now(self, asked: LabRequest) -> None:
        self._stop()
        self._newest.ask(asked)
        self._waiting = self._owner.set_timer(SLOW_SECONDS, self._say_if_slow)

    def after_pause(self, ask: Callable[[], None]) -> None:
        """Forget what is asked now; call `ask` once nothing was typed for a while."""
        self._stop()
        self._newest.forget()
        self._pause = self._owner.set_timer(PAUSE_SECONDS, ask)

    def _stop(self) -> None:
        for timer in (self._pause, self._waiting):
            if timer is not None:
                timer.stop()
        self._pause = self._waiting = None

    def _say_if_slow(self) -> None:
        if self.busy:
            self._slow()
