"""Exercises about a forward message that is given as formulas: a card's own, or a layer's.

    exercise keys ─spec─▶ definitions (forward) ─shapes─▶ index ranges ─inputs─▶ random inputs
    answer ─targets, answer, vectors─▶ formula ─autodiff─▶ values, exact slopes ─judge─▶ verdict

Where a kink is hit, the slopes are those of every branch.  `exercise.GivenExercise` is what the
rest of the engine sees of it.
"""

from __future__ import annotations
