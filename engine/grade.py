"""From an answer's numbers to its verdict, however the numbers came about."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

import numpy as np

from engine.exercise import Exercise
from engine.grader import Array, Judge, Judged, Mask, Reading
from engine.near import nearness
from engine.verdict import Verdict

#: An answer as a function of a batch of its exercise.
Rule: TypeAlias = Callable[[Any], Array]

#: So many times the inputs are drawn once more, where only those of other sizes fail.
_MORE: Final = 4
#: Of the inputs drawn, this share at least must be judged: right on less is not yet right.
_ENOUGH: Final = 0.2
_UNDECIDED: Final = (
    "This cannot be judged: on {} of {} inputs there is no derivative, or rounding leaves no "
    "digits to compare."
)


def grade(
    rule: Rule,
    target: object,
    exercise: Exercise,
    seed: int = 0,
    trials: int = 300,
    read: str = "",
    expect: Callable[[Iterator[Any], bool], None] | None = None,
    reading: Reading[Any] | None = None,
) -> Verdict:
    """Judge what `rule` gives on `trials` random inputs drawn from `seed`.

    - correct: right on every input that the card states; at ties and kinks any valid subgradient
      counts.  Where inputs beyond that fail, of other sizes, a remark says so.
    - correct-except-ties: right wherever the derivative exists, on those inputs.
    - only-without-overlap: right, ties aside, while each input lies in one window only.  This is
      said of an answer that fails at ties as well, since the overlap is the larger gap.
    - wrong: anything else, and whatever agrees with a known misconception on every input.
    - unreadable: there is nothing against it, but hardly an input on which that could be said.

    `rule` is the answer as a function of one of the exercise's batches, `target` what it answers.
    `read` is the answer as it was understood; of a formula `reading` is what it was read to, and
    inputs about the borders of its own comparisons are tried as well.  `expect` is told which
    batches `rule` will probably be asked for next.  Whatever `rule` raises passes through.
    """
    grader = exercise.grader()

    def one(batch: Any) -> Judged:
        judged: Judged = grader.judged(batch, target, rule(batch), rule)
        return judged

    judge: Judge[Any, Judged] = Judge(one, expect)
    # NumPy would warn of the division by 0 that an answer asks for; its NaN is judged instead.
    with np.errstate(all="ignore"):
        drawn = grader.drawn(seed, trials)
        aimed = grader.aimed(reading, drawn) if reading is not None else ()
        judged = judge.every((*drawn, *aimed))
        beyond = [grader.beyond(one.batch) for one in judged]
        own = [one for said, one in zip(beyond, judged, strict=True) if not said]
        strays = [said for said, one in zip(beyond, judged, strict=True) if one.astray.any()]
        if strays and not any(one.astray.any() for one in own):
            # Of other sizes, or only of luck?  Many more of the card's own tell.
            more = [b for b in grader.drawn(seed + 1, _MORE * trials) if not grader.beyond(b)]
            again = [one for one in judge.every(more) if one.astray.any()]
            own, judged, beyond = [*own, *again], [*judged, *again], [*beyond, *("" for _ in again)]
        tried = sum(one.tried for one in judged)
        left_out = sum(one.left_out for one in judged)
        failed = sum(int((~one.valid).sum()) for one in judged)
        if all(one.valid.all() for one in own):
            if tried < _ENOUGH * (tried + left_out):
                said = _UNDECIDED.format(left_out, tried + left_out)
                return Verdict("unreadable", read, seed, tried, left_out=left_out, message=said)
            where = [s for s, one in zip(beyond, judged, strict=True) if not one.valid.all()]
            unmet = next(filter(None, map(grader.unmet, drawn)), None)
            notes = [f"It would not hold with {where[0]}."] if where else []
            notes += [f"No input was found with {unmet}."] if unmet else []
            remark = " ".join(notes) or None
            return Verdict("correct", read, seed, tried, left_out=left_out, remark=remark)
        # What counts is a failure where the derivative exists, if there is any, and of these one
        # that the card states: of sizes beyond them there is a remark.
        goes_astray = any(one.astray.any() for one in own)
        fails = _astray if goes_astray else _within(grader, _invalid)
        known = grader.named(judged) if goes_astray else None
        search = grader.smallest(judge, fails, judged)
        return Verdict(
            grader.outcome(judged, judge, seed, known is not None)
            if goes_astray
            else "correct-except-ties",
            read,
            seed,
            tried,
            misconception=known.name if known else None,
            teaching=known.teaching if known else None,
            wrong_when=grader.wrong_when((*judged, *search.tried), judge, fails),
            near=nearness([one.entries for one in judged]) if goes_astray else None,
            counterexample=search.found,
            failed=failed,
            left_out=left_out,
            remark=f"It would not hold with {strays[0]}." if strays and not goes_astray else None,
        )


def _within(grader: Any, fails: Callable[[Judged], Mask]) -> Callable[[Judged], Mask]:
    """What fails of the inputs that the card states."""
    return lambda one: fails(one) & (not grader.beyond(one.batch))


def _astray(one: Judged) -> Mask:
    return one.astray


def _invalid(one: Judged) -> Mask:
    return ~one.valid
