"""Which messages are right at a tie: every valid subgradient counts, not one policy's.

`tied` (..., Ho, Wo, H, W) says which inputs are a maximum of which window.  A Jacobian is valid
if each window's row is a convex combination over its maxima.  A backward message dx is valid if
some such Jacobian gives it: inputs in no tie have one right value, and for the rest there must be
weights w >= 0, summing to 1 in each window, with dx[i,j] = sum of delta[k,l] · w[k,l,i,j].
"""

from __future__ import annotations

import numpy as np

from engine.flow import can_ship
from engine.windows import Array, Mask

#: Of a right value and of the largest that the window's messages could have added up to.
TOLERANCE = 1e-9


def valid_jacobian(J: Array, tied: Mask) -> Mask:
    """Return for each of the leading axes whether J is a valid subgradient."""
    sums = J.sum(axis=(-2, -1))
    entries = np.where(tied, J >= -TOLERANCE, np.abs(J) <= TOLERANCE)
    windows = entries.all(axis=(-2, -1)) & (np.abs(sums - 1) <= TOLERANCE)
    valid: Mask = windows.all(axis=(-2, -1))
    return valid


def valid_message(dx: Array, delta: Array, tied: Mask) -> Mask:
    """Return for each of the leading axes whether dx is a valid subgradient's message for delta."""
    lead = tied.shape[:-4]
    windows, inputs = int(np.prod(tied.shape[-4:-2])), int(np.prod(tied.shape[-2:]))
    wins = tied.reshape(-1, windows, inputs)
    got, sent = dx.reshape(-1, inputs), delta.reshape(-1, windows)
    slack = margin(sent, wins)[:, None]
    with np.errstate(invalid="ignore"):
        valid = ~wrong_inputs(got, sent, wins).any(axis=-1)
        # Whatever the weights are, each window hands out all of its message.
        valid &= np.abs(got.sum(axis=-1) - sent.sum(axis=-1)) <= inputs * slack[:, 0]
        known = np.zeros_like(valid)
        for weights in (first(wins), first(wins[..., ::-1])[..., ::-1], evenly(wins)):
            known |= (np.abs(got - _send(sent, weights)) <= slack).all(axis=-1)
    for n in np.flatnonzero(valid & ~known):
        valid[n] = _feasible(got[n], sent[n], wins[n], float(slack[n, 0]))
    each: Mask = valid.reshape(lead)
    return each


def wrong_inputs(dx: Array, delta: Array, tied: Mask) -> Mask:
    """Return (N, P): at which inputs dL/dx exists and dx differs from it.

    dx (N, P), delta (N, K) and tied (N, K, P) for P inputs and K windows.
    """
    right = _send(delta, first(tied))
    slack = TOLERANCE * np.abs(right) + margin(delta, tied)[:, None]
    with np.errstate(invalid="ignore"):
        return ~contested(tied).any(axis=-2) & ~(np.abs(dx - right) <= slack)


def contested(tied: Mask) -> Mask:
    """Return (..., K, P): which inputs share their window's maximum with another one."""
    shared: Mask = tied & (tied.sum(axis=-1, keepdims=True) > 1)
    return shared


def margin(delta: Array, tied: Mask) -> Array:
    """Return (N,): the tolerance that messages of this size, added up, deserve."""
    gain = tied.sum(axis=-2).max(axis=-1, initial=1)
    slack: Array = TOLERANCE * gain * np.abs(delta).max(axis=-1, initial=0.0)
    return slack


def first(tied: Mask) -> Array:
    """Return weights (..., K, P): all on the first maximum of each window."""
    alone = np.arange(tied.shape[-1]) == tied.argmax(axis=-1)[..., None]
    weights: Array = (alone & tied).astype(np.float64)
    return weights


def evenly(tied: Mask) -> Array:
    """Return weights (..., K, P): spread evenly over the maxima of each window."""
    weights: Array = tied / tied.sum(axis=-1, keepdims=True)
    return weights


def _send(delta: Array, weights: Array) -> Array:
    """Send messages (N, K) by weights (N, K, P): (N, P)."""
    sent: Array = (delta[:, None, :] @ weights)[:, 0, :]
    return sent


def _feasible(dx: Array, delta: Array, tied: Mask, slack: float) -> bool:
    """Whether weights exist for one input: dx (P,), delta (K,), tied (K, P).

    A window with a positive message ships it to its maxima, one with a negative message collects
    it from them; whatever an input then has too much or too little must be its dx.  So dx is valid
    exactly if this transport can be carried out, which is a question of maximum flow.
    """
    sources = np.concatenate([np.maximum(delta, 0), np.maximum(-dx, 0)])
    sinks = np.concatenate([np.maximum(-delta, 0), np.maximum(dx, 0)])
    windows, inputs = tied.shape
    roads = np.zeros((windows + inputs, windows + inputs), dtype=np.bool_)
    roads[:windows, windows:] = tied & (delta > 0)[:, None]
    roads[windows:, :windows] = (tied & (delta < 0)[:, None]).T
    return can_ship(sources, sinks, roads, slack * (windows + inputs))
