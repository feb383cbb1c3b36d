"""Max pooling: the layer at speed, and exercises about it.

windows      how windows lie over an input; which weights are a valid subgradient at a tie
kernels      blocks of planes that fit the cache, separable passes, messages sent back by index
layer        MaxPool; max_pool, max_pool_backward and max_unpool as plain functions
exercise     which window, and which of its messages (no NumPy: a start of the app reads it)
inputs       geometries and random inputs; an answer's numbers beside the reference
mistakes     known wrong rules, and the conditions that failing inputs share
grader       reads, draws, judges, and finds the smallest failing input
"""

from __future__ import annotations
