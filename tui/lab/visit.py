"""One visit to the lab: what was tried, what was told, what stays of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from textual.dom import DOMNode
from textual.timer import Timer

from deck.events import Checked, Practised, Reviewed
from engine.exercise import Language, language_of
from engine.verdict import Verdict
from tui.drafts import Draft
from tui.lab.client import checked
from tui.lab.requests import LONGEST_ANSWER, ExerciseInfo, LabRequest, LabResponse
from tui.lab.text import SENTENCES, Hint, asked, hints
from tui.lab.verdict import no_hint
from tui.latest import LatestOnly

if TYPE_CHECKING:
    from cards.model import Card
    from deck.events import Event
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
    at: datetime | None = None
    """When it was recorded; None where it is not yet."""

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
#: An answer counts as one the learner meant when it stood for this long.
MEANT_SECONDS = 4


class Attempts(NamedTuple):
    """What was tried at an item, oldest first."""

    rated: list[LabResult]
    """Before its last rating."""
    since: list[LabResult]


def attempts(
    events: Iterable[Event], unrecorded: Iterable[tuple[Mapping[str, Any], datetime]] = ()
) -> Attempts:
    """By the item's journal, and what it has not taken yet."""
    found = Attempts([], [])
    for event in events:
        if isinstance(event.what, Reviewed | Practised):
            found.rated.extend(found.since)
            found.since.clear()
        elif isinstance(event.what, Checked) and (result := _recorded(event.what.data, event.at)):
            found.since.append(result)
    found.since.extend(filter(None, (_recorded(*one) for one in unrecorded)))
    return found


def _recorded(data: Mapping[str, Any], at: datetime) -> LabResult | None:
    """None where another program wrote what is no answer of the lab."""
    answer, outcome = data.get("answer"), data.get("verdict")
    if not isinstance(answer, str) or outcome not in SENTENCES:
        return None
    seed, slips, hints = (
        number if isinstance(number := data.get(key), int) else 0
        for key in ("seed", "slips", "hints")
    )
    parts = data.get("parts")
    given = tuple(map(str, parts)) if isinstance(parts, list) else ()
    verdict = Verdict(outcome, "", seed, 0, parts=given)
    return LabResult(answer, verdict, slips, hints, data.get("by_hand") is True, at)


class LabSession:
    """One visit to the lab of a card, after what was tried before."""

    def __init__(self, card: Card, brief: ExerciseInfo, tried: Attempts) -> None:
        self._card = card
        self._brief = brief
        self._rated, self._tried = tried
        before = self._tried[-1] if self._tried else None
        self.by_hand = before if before and before.by_hand else None
        self.text = next((one.answer for one in reversed(self._tried) if not one.by_hand), "")
        """What was written before; nothing after a rating."""
        self._draft = ""
        """What was written when an attempt took its place."""
        self.attempted = bool(self._tried)
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
        self.given = {*self._parts}
        """Those that count now: not one that is written wrong."""
        self._right = before if before and before.outcome == "correct" else None
        """The last right answer, which counts when nothing is written in its place."""

    def draft(self, text: str) -> Draft | None:
        """What of a text is nowhere on the disk."""
        if not text.strip() or text in self._texts:
            return None
        return Draft(f"{self._card.id}-answer.txt", text)

    # What was tried.

    @property
    def last(self) -> LabResult | None:
        """What was written last, before the last rating as well."""
        written = (one for one in reversed([*self._rated, *self._tried]) if not one.by_hand)
        return next(written, None)

    @property
    def _texts(self) -> list[str]:
        """Each once, in the order in which they were written last."""
        written = [one.answer for one in (*self._rated, *self._tried) if not one.by_hand]
        return list(dict.fromkeys(reversed(written)))[::-1]

    def stepped(self, text: str, step: int) -> str | None:
        """The attempt before or after what is written, behind the last that itself; else None."""
        texts = self._texts
        if text not in texts:
            self._draft = text
        at = step + (texts.index(text) if text in texts else len(texts))
        return [*texts, self._draft][at] if 0 <= at <= len(texts) else None

    def keep(self, result: LabResult, at: datetime) -> bool:
        """Count an answer among those that were tried; whether the journal lacks it."""
        last = self._tried[-1] if self._tried else None
        if last and _same(last, result) and last.hints == result.hints:
            return False
        self._tried.append(replace(result, at=at))
        return True

    # What happens.

    def typed(self, answer: str) -> None:
        """The answer is changed into this one."""
        if self._open and _another(self._hinted, answer):
            self._open = 0
        self._judged_at = None

    def judged(self, answer: str, verdict: Verdict | None, now: datetime) -> None:
        self._judged_at = self._judged_at or now
        self.attempted |= verdict is not None and verdict.verdict != "unreadable"
        if verdict is not None and verdict.ok:
            self._right = self._result(answer, verdict)

    def meant(self, answer: str, verdict: Verdict | None, now: datetime) -> LabResult | None:
        """What can be read and has stood long enough to be one that the learner means."""
        since = self._judged_at
        if since is None or (now - since).total_seconds() < MEANT_SECONDS:
            return None
        if verdict is None or verdict.verdict == "unreadable":
            return None
        return self._result(answer, verdict)

    def _result(self, answer: str, verdict: Verdict) -> LabResult:
        result = LabResult(answer, verdict, 0, self._told)
        wrong = [
            one
            for one in self._tried
            if one.outcome not in _NO_SLIP and not (one.by_hand or _same(one, result))
        ]
        return replace(result, slips=len({"".join(one.answer.split()) for one in wrong}))

    def gathered(self, verdict: Verdict | None) -> Verdict | None:
        """The verdict with the parts that an answer before this one gave."""
        if verdict is None or not verdict.open:
            self.given |= {*verdict.parts} if verdict else set()
            return verdict
        right = verdict.verdict == "incomplete"
        self._parts |= {*verdict.parts}
        given = self._parts if right else self._parts - {asked(verdict)}
        parts = tuple(name for name in (*verdict.parts, *verdict.open) if name in given)
        rest = tuple(name for name in verdict.open if name not in given)
        self.given = {*parts}
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

    def begin_again(self) -> None:
        """With what was told out of sight; it counts all the same."""
        self._open, self.attempted = 0, False
        self._parts, self.given = set(), set()

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
        return self._result(answer, verdict)


def _same(one: LabResult, other: LabResult) -> bool:
    return one.by_hand is other.by_hand and one.answer.split() == other.answer.split()


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


def begins(row: str, part: str) -> bool:
    """Whether a line gives a part: "dW_kj = ..." is about dL/dW[k,j]."""
    said, asked = (re.sub(r"^\s*dL/|[\s\[\],_{}]", "", one) for one in (row, part))
    return said.startswith(f"{asked}=")


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
