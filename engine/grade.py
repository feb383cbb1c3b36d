"""From an answer's numbers to its verdict, however the numbers came about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, TypeAlias

import numpy as np

from engine.exercise import Exercise
from engine.formula.problem import FormulaError
from engine.grader import Array, Judge, Judged, Mask, Reading
from engine.near import nearness
from engine.verdict import Outcome, Verdict

#: An answer as a function of a batch of its exercise.
Rule: TypeAlias = Callable[[Any], Array]

Fails: TypeAlias = Callable[[Judged], Mask]

#: So many times the inputs are drawn once more, where only those of other sizes fail.
_MORE: Final = 4
#: So many tell whether what was found of other sizes was chance.
_AGAIN: Final = 300
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
    expect: Callable[[Iterator[Any], bool], None] | None = None,
    reading: Reading[Any] | None = None,
) -> Verdict:
    """Judge what `rule` gives on `trials` random inputs drawn from `seed`.

    - correct: right on every input that the card states; at ties and kinks any valid subgradient
      counts.  Where inputs beyond that fail, of other sizes, a remark says so.
    - incomplete: the same, of an exercise that asks for other messages as well.
    - correct-except-ties: right wherever the derivative exists, on those inputs.
    - only-without-overlap: right, ties aside, while each input lies in one window only.  This is
      said of an answer that fails at ties as well, since the overlap is the larger gap.
    - wrong: anything else, and whatever agrees with a known misconception on every input.
    - unreadable: there is nothing against it, but hardly an input on which that could be said.

    What a verdict says of the cause of a failure holds on all of these inputs, and on fresh ones.

    `rule` is the answer as a function of one of the exercise's batches, `target` what it answers.
    `reading` is the answer as it was understood: inputs about the borders of its own comparisons
    are tried as well.  `expect` is told which batches `rule` will probably
    be asked for next.  Whatever `rule` raises passes through.
    """
    grader = exercise.grader()
    read = reading.echo if reading is not None else ""

    def one(batch: Any) -> Judged:
        judged: Judged = grader.judged(batch, target, rule(batch), rule)
        return judged

    judge: Judge[Any, Judged] = Judge(one, expect)
    # NumPy would warn of the division by 0 that an answer asks for; its NaN is judged instead.
    with np.errstate(all="ignore"):
        drawn = grader.drawn(seed, trials)
        judged = judge.every(drawn)
        # What fails in all sizes and layouts is wrong on any inputs.
        everywhere = all(one.astray.any() for one in judged)
        aimed = () if reading is None or everywhere else grader.aimed(reading, drawn)
        for batch in aimed:
            # Of the sizes that a formula speaks of, some may take too long.
            with suppress(FormulaError):
                judged.append(judge(batch))
        about = [one.batch for one in judged[len(drawn) :]]
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
            unmet = next((side for batch in (*drawn, *aimed) for side in batch.unmet), None)
            notes = [
                f"It is right for {grader.assumed}, as the card assumes." if grader.assumed else "",
                _elsewhere(grader, judge, seed, about, where, _invalid),
                f"No input was found with {unmet}." if unmet else "",
            ]
            remark = " ".join(filter(None, notes)) or None
            done, rest = grader.parts(target)
            outcome: Outcome = "incomplete" if rest else "correct"
            passed = Verdict(outcome, read, seed, tried, left_out=left_out, remark=remark)
            return replace(passed, parts=done, open=rest)
        # A reason must also hold on inputs that it was not found by.
        fresh = judge.every(grader.fresh(seed))
        every = (*judged, *fresh)
        # What counts is a failure where the derivative exists, if there is any, and of these one
        # that the card states: of sizes beyond them there is a remark.
        goes_astray = any(one.astray.any() for one in every if not grader.beyond(one.batch))
        fails = _astray if goes_astray else _within(grader, _invalid)
        known = grader.named(judged, fresh) if goes_astray else None
        found = any(fails(one).any() for one in judged)
        search = grader.smallest(judge, fails, judged if found else fresh)
        # Of what fails only about its own borders, no size or layout is the reason.
        seen = [one for one in judged if one.batch not in aimed]
        if not goes_astray:
            seen, fresh = (
                [one for one in some if not grader.beyond(one.batch)] for some in (seen, fresh)
            )
        # A failure at a tie refutes "only with padding", too.
        plain = any(_invalid(one).any() for one in (*seen, *fresh))
        why = grader.wrong_when((*seen, *search.tried), fresh, judge, _invalid) if plain else ()
        elsewhere = _elsewhere(grader, judge, seed, about, [] if goes_astray else strays, _astray)
        return Verdict(
            grader.outcome(every, judge, seed, known is not None)
            if goes_astray
            else "correct-except-ties",
            read,
            seed,
            tried,
            misconception=known.name if known else None,
            teaching=known.teaching if known else None,
            wrong_when=why,
            near=nearness(*([one.entries for one in some] for some in (judged, fresh)))
            if goes_astray
            else None,
            counterexample=search.found,
            failed=failed,
            left_out=left_out,
            remark=elsewhere or None,
        )


def _elsewhere(
    grader: Any, judge: Any, seed: int, about: Sequence[Any], strays: Sequence[str], fails: Fails
) -> str:
    """Say for which other sizes an answer fails, where it does so on more inputs, too."""
    more = (*grader.drawn(seed + 1, _AGAIN), *about) if strays else ()
    again = judge.each(batch for batch in more if grader.beyond(batch) in strays)
    found = next((one.batch for one in again if fails(one).any()), None)
    return "" if found is None else f"It would not hold with {grader.beyond(found)}."


def agrees(rule: Rule, exercise: Exercise, seed: int, trials: int, reading: Reading[Any]) -> bool:
    """Whether a step comes to what is right wherever the derivative exists."""
    grader = exercise.grader()
    with np.errstate(all="ignore"):
        drawn = grader.drawn(seed, trials)
        batches = (*drawn, *grader.aimed(reading, drawn))
        own = [batch for batch in batches if not grader.beyond(batch)]
        return not any(grader.judged(b, reading.target, rule(b), rule).astray.any() for b in own)


def _within(grader: Any, fails: Fails) -> Fails:
    """What fails of the inputs that the card states."""
    return lambda one: fails(one) & (not grader.beyond(one.batch))


def _astray(one: Judged) -> Mask:
    return one.astray


def _invalid(one: Judged) -> Mask:
    return ~one.valid
