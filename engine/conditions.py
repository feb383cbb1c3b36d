"""Wrong only when: the conditions that all failing inputs share, and that do matter.

A condition that failing inputs happen to share is not yet their reason.  So each is also taken
away: the same inputs without it, where windows overlap moved apart, ties broken, ...  Only where
the answer is then right is it named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, combinations
from typing import Final

import numpy as np

from engine import geometries
from engine.geometries import Geometry
from engine.grader import Judge
from engine.judge import Judged
from engine.near import separates
from engine.trials import Batch, draw
from engine.windows import Mask, Pair


@dataclass(frozen=True, slots=True)
class Condition:
    name: str
    met: Callable[[Batch], Mask]
    """(B,): on which inputs of a batch it holds."""
    apart: Callable[[Batch], Iterator[Batch]]

    def without(self, batch: Batch) -> tuple[Batch, ...]:
        """Inputs much like those of the batch on which it does not hold."""
        return _without(self, batch)


# Kept, as the random inputs are: while an answer is typed they stay the same.


@lru_cache(maxsize=2048)
def _holds(condition: Condition, batch: Batch) -> Mask:
    return condition.met(batch)


@lru_cache(maxsize=512)
def _without(condition: Condition, batch: Batch) -> tuple[Batch, ...]:
    return tuple(condition.apart(batch))


def _same(of: Callable[[Batch], bool]) -> Callable[[Batch], Mask]:
    """A condition on the geometry, the same for every input of a batch."""
    return lambda batch: np.full(len(batch.x), of(batch))


def _tied(batch: Batch) -> Mask:
    shared = batch.tied.sum(axis=(-2, -1)) > 1
    return np.asarray(shared.any(axis=(-2, -1)))


def _distinct(batch: Batch) -> Iterator[Batch]:
    flat = batch.x.reshape(len(batch.x), -1)
    ranks = flat.argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")
    x = ranks.reshape(batch.x.shape).astype(np.float64)
    yield replace(batch, x=x - flat.shape[1] // 2)


def _not_negative(batch: Batch) -> Iterator[Batch]:
    least = np.floor(batch.x.min(axis=(1, 2), keepdims=True))
    yield replace(batch, x=batch.x - np.minimum(least, 0))


def _no_zero_message(batch: Batch) -> Iterator[Batch]:
    others = 5.25 + np.arange(batch.delta[0].size).reshape(batch.delta[0].shape)
    yield replace(batch, delta=np.where(batch.delta == 0, others, batch.delta))


def _moved_apart(batch: Batch) -> Iterator[Batch]:
    geometry = _geometry(batch)
    wider = tuple(max(s, k) for s, k in zip(geometry.stride, geometry.kernel, strict=True))
    yield from _drawn(batch, geometries.apart(geometry))
    yield from _drawn(batch, replace(geometry, stride=(wider[0], wider[1])))


def _unpadded(batch: Batch) -> Iterator[Batch]:
    geometry = _geometry(batch)
    size = [max(n, k) for n, k in zip(geometry.size, geometry.kernel, strict=True)]
    yield from _drawn(batch, replace(geometry, padding=(0, 0), size=(size[0], size[1])))


def _no_gaps(batch: Batch) -> Iterator[Batch]:
    geometry = _geometry(batch)
    closer = [min(s, k) for s, k in zip(geometry.stride, geometry.kernel, strict=True)]
    yield from _drawn(batch, replace(geometry, stride=(closer[0], closer[1])))


def _none_left_over(batch: Batch) -> Iterator[Batch]:
    for closer in _no_gaps(batch):
        geometry = _geometry(closer)
        sides = zip(
            geometry.windows, geometry.stride, geometry.kernel, geometry.padding, strict=True
        )
        rows, columns = (max(1, (n - 1) * s + k - 2 * p) for n, s, k, p in sides)
        yield from _drawn(closer, replace(geometry, size=(rows, columns)))


def _geometry(batch: Batch) -> Geometry:
    size: Pair = (batch.x.shape[1], batch.x.shape[2])
    return Geometry(batch.kernel, batch.stride, batch.padding, size)


def _drawn(batch: Batch, geometry: Geometry) -> Iterator[Batch]:
    yield _some(geometry, len(batch.x))


@lru_cache(maxsize=256)
def _some(geometry: Geometry, count: int) -> Batch:
    return draw(geometry, np.random.default_rng(count), count)


def _strides_past(batch: Batch) -> bool:
    return any(s > k for s, k in zip(batch.stride, batch.kernel, strict=True))


def _strides_within(batch: Batch) -> bool:
    return any(s < k for s, k in zip(batch.stride, batch.kernel, strict=True))


#: In the order in which they are named.
CONDITIONS: Final = (
    Condition("windows overlap", _same(lambda batch: batch.overlaps), _moved_apart),
    Condition("there is padding", _same(lambda batch: any(batch.padding)), _unpadded),
    Condition("a value occurs twice in a window", _tied, _distinct),
    Condition("stride is larger than the kernel", _same(_strides_past), _no_gaps),
    Condition(
        "an input lies in no window",
        _same(lambda batch: not batch.inside.any(axis=(0, 1)).all()),
        _none_left_over,
    ),
    Condition(
        "an input is negative", lambda b: np.asarray((b.x < 0).any(axis=(1, 2))), _not_negative
    ),
    Condition(
        "an upstream message is 0",
        lambda b: np.asarray((b.delta == 0).any(axis=(1, 2))),
        _no_zero_message,
    ),
)


#: Those that may be named together.  A stride below the kernel is there for one window alone,
#: which overlaps with none.
_JOINED: Final = (
    CONDITIONS[0],
    Condition("stride is smaller than the kernel", _same(_strides_within), _moved_apart),
    *CONDITIONS[1:6],
)
#: So many inputs on which none of them holds must be right, before they are named together.
_EVIDENCE: Final = 40
#: So many of the batches that fail by one of them alone are tried without it.
_TRIED: Final = 4


def shared_by(
    seen: Sequence[tuple[Batch, Mask]],
    fresh: Sequence[tuple[Batch, Mask]],
    judge: Judge[Batch, Judged],
    fails: Callable[[Judged], Mask],
) -> tuple[str, ...]:
    """Return the conditions without which the answer is right, as far as it was tried.

    `seen` gives each batch with which of its inputs (B,) fail.  A condition is named if all of
    these meet it, of the `fresh` inputs too, some passing input does not, and the failing batches
    without it pass.  Where there is none, several are named as one, "windows overlap, or there is
    padding", if each failing input meets one of them.
    """
    failing = [batch for batch, failed in seen if failed.any()]
    if not failing:
        return ()
    every = (*seen, *fresh)
    failed = np.concatenate([failed for _, failed in every])
    alone = tuple(
        condition.name
        for condition in CONDITIONS
        if separates(_met(condition, every), failed)
        and not any(
            (fails(one) & ~condition.met(one.batch)).any()
            for one in judge.each(_apart(condition, failing))
        )
    )
    return alone or _together(every, failed, judge, fails)


def _together(
    seen: Sequence[tuple[Batch, Mask]],
    failed: Mask,
    judge: Judge[Batch, Judged],
    fails: Callable[[Judged], Mask],
) -> tuple[str, ...]:
    """The fewest conditions of which each failing input meets one, named as one."""
    met = {condition.name: _met(condition, seen) for condition in _JOINED}
    for some in (s for size in (2, 3) for s in combinations(_JOINED, size)):
        any_of_them = np.any([met[one.name] for one in some], axis=0)
        if not separates(any_of_them, failed) or (~any_of_them).sum() < _EVIDENCE:
            continue
        # Each must be the reason of failures of its own: where it alone is taken away, all is well.
        if all(_mends(one, some, seen, judge, fails) for one in some):
            return (", or ".join(one.name for one in some),)
    return ()


def _met(condition: Condition, seen: Sequence[tuple[Batch, Mask]]) -> Mask:
    return np.concatenate([_holds(condition, batch) for batch, _ in seen])


def _mends(
    one: Condition,
    some: Sequence[Condition],
    seen: Sequence[tuple[Batch, Mask]],
    judge: Judge[Batch, Judged],
    fails: Callable[[Judged], Mask],
) -> bool:
    """Whether inputs on which, of some conditions, this one alone holds are right without it."""
    others = [each for each in some if each is not one]
    alone = [batch for batch, failed in seen if (failed & _outside(others, batch)).any()][:_TRIED]
    apart = judge.each(_apart(one, alone))
    return bool(alone) and not any(
        (fails(each) & _outside(some, each.batch)).any() for each in apart
    )


def _apart(condition: Condition, batches: Iterable[Batch]) -> Iterable[Batch]:
    return dict.fromkeys(chain.from_iterable(map(condition.without, batches)))


def _outside(some: Sequence[Condition], batch: Batch) -> Mask:
    """(B,): on which inputs none of the conditions holds."""
    return np.asarray(~np.any([_holds(one, batch) for one in some], axis=0))
