"""Wrong only when: the conditions that all failing inputs share, and not all passing ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from engine.trials import Batch
from engine.windows import Mask


def _tied(batch: Batch) -> Mask:
    shared = batch.tied.sum(axis=(-2, -1)) > 1
    return np.asarray(shared.any(axis=(-2, -1)))


def _negative(batch: Batch) -> Mask:
    return np.asarray((batch.x < 0).any(axis=(-2, -1)))


def _same(of: Callable[[Batch], bool]) -> Callable[[Batch], Mask]:
    """A condition on the geometry, the same for every input of a batch."""
    return lambda batch: np.full(len(batch.x), of(batch))


def _strides_past(batch: Batch) -> bool:
    return any(s > k for s, k in zip(batch.stride, batch.kernel, strict=True))


#: Each holds for an input or not: (B,) of a batch.
CONDITIONS: Final[dict[str, Callable[[Batch], Mask]]] = {
    "windows overlap": _same(lambda batch: batch.overlaps),
    "there is padding": _same(lambda batch: any(batch.padding)),
    "a value occurs twice in a window": _tied,
    "stride is larger than the kernel": _same(_strides_past),
    "an input lies in no window": _same(lambda b: not b.inside.any(axis=(0, 1)).all()),
    "an input is negative": _negative,
}


def shared_by(failing: Sequence[tuple[Batch, Mask]]) -> tuple[str, ...]:
    """Return the conditions of all failing inputs that some passing input does not meet.

    `failing` gives for each batch which of its inputs (B,) fail.
    """
    found = []
    for name, condition in CONDITIONS.items():
        met = [(condition(batch), fails) for batch, fails in failing]
        if all(holds[fails].all() for holds, fails in met) and any(
            not holds[~fails].all() for holds, fails in met
        ):
            found.append(name)
    return tuple(found)
