"""The backward message of a forward pass, under a tie policy."""

from __future__ import annotations

import numpy as np

from engine.pooling import ties
from engine.pooling.arguments import no_overflow
from engine.pooling.forward import Pooled
from engine.pooling.scatter import scatter
from engine.windows import Numbers


def backward(
    pooled: Pooled, x: Numbers | None, delta: Numbers, policy: ties.Ties, threads: int = 1
) -> Numbers:
    """Return dL/dx (..., H, W) for delta (..., Ho, Wo), in the type that NumPy gives x·delta.

    x (N, H, W) is asked for by the policies that share a message.
    """
    laid = pooled.laid
    dtype = ties.message_type(policy, pooled.dtype, delta.dtype)
    no_overflow(delta, dtype, laid)
    message = delta.astype(dtype, copy=False).reshape(-1, *laid.counts)
    dx = np.empty((len(message), *laid.size), dtype)
    if ties.one_winner(policy):
        assert pooled.cells is not None
        scatter(pooled.cells, message, dx, laid, threads)
    else:
        assert x is not None
        ties.send(x, pooled, message, dx, policy)
    return dx.reshape(pooled.lead + laid.size)
