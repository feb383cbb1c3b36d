"""Max pooling: the layer at speed, and exercises about it.

windows      how windows lie over an input; which weights are a valid subgradient at a tie
kernels      blocks of planes that fit the cache, separable passes, messages sent back by index
layer        MaxPool; max_pool, max_pool_backward and max_unpool as plain functions
exercise     which window, and which of its messages (no NumPy: a start of the app reads it)
reader       the names and types that windows add to those of any message
inputs       random geometries, values and small inputs
evaluate     an answer on a batch of inputs with windows
mistakes     known wrong rules
grader       draws, judges, explains, and finds the smallest failing input
"""

from __future__ import annotations
