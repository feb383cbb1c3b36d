"""The backward message of a forward pass, under a tie policy."""

from __future__ import annotations

import numpy as np

from engine.pooling import ties
from engine.pooling.arguments import no_overflow
from engine.pooling.forward import Pooled
from engine.pooling.scatter import scatter
from engine.windows import Numbers


def backward(pooled: Pooled, delta: Numbers, policy: ties.Ties, threads: int = 1) -> Numbers:
    """Return dL/dx (..., H, W) for delta (..., Ho, Wo), in the type that NumPy gives x·delta."""
    message, dx = prepared(pooled, delta, policy)
    if pooled.cells is not None and pooled.laid.hollow is None:
        scatter(pooled.cells, message, dx, pooled.laid, threads)
    else:
        ties.send(pooled, message, dx, policy)
    return dx.reshape(pooled.lead + pooled.laid.size)


def prepared(pooled: Pooled, delta: Numbers, policy: ties.Ties) -> tuple[Numbers, Numbers]:
    """Return delta (N, Ho, Wo) in the type of the message, and room for the message (N, H, W)."""
    laid = pooled.laid
    dtype = ties.message_type(policy, pooled.dtype, delta.dtype)
    no_overflow("delta", delta, dtype, laid.shared, "windows")
    message = delta.astype(dtype, copy=False).reshape(-1, *laid.counts)
    return message, np.empty((len(message), *laid.size), dtype)
