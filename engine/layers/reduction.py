"""How the losses of single predictions become one number: their mean, their sum, or not at all."""

from __future__ import annotations

import math
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from engine.layers.checks import Array, real, shaped, wide
from engine.layers.normalise import lowered_for_sum

Reduction: TypeAlias = Literal["mean", "sum", "none"]

_ALLOWED: Final[tuple[Reduction, ...]] = get_args(Reduction)


def reduction_of(reduction: Reduction) -> Reduction:
    if reduction not in _ALLOWED:
        raise ValueError(f"reduction is {reduction!r}: {', '.join(_ALLOWED)} are allowed")
    return reduction


def reduced(losses: Array, reduction: Reduction) -> Array:
    if reduction == "none":
        return losses
    if reduction == "sum":
        return np.asarray(losses.sum(), dtype=losses.dtype)
    lowered, exponent = lowered_for_sum(losses, losses.size)
    return np.asarray(np.ldexp(lowered.mean(), exponent), dtype=losses.dtype)


def spread(
    delta: ArrayLike, shape: tuple[int, ...], reduction: Reduction, dtype: np.dtype
) -> Array:
    """Return the message of every single loss, (*shape), given that of the reduced one."""
    if reduction == "none":
        # A plain number is the same message for all.
        sent = real("delta", delta)
        full = sent if sent.ndim else np.broadcast_to(sent, shape)
        return shaped("delta", full, shape, dtype)
    one = shaped("delta", delta, (), dtype)
    count = math.prod(shape) if reduction == "mean" else 1
    return wide(np.broadcast_to(one / count, shape))
