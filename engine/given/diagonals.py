"""Derivatives that are 0 wherever two indices differ: asked for at equal indices as well."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.given.batch import Batch
from engine.given.drawing import draw
from engine.given.lengths import Variable
from engine.given.model import Model
from engine.given.target import Target


def with_diagonals(model: Model, targets: tuple[Target, ...]) -> tuple[Target, ...]:
    """Beside dy[k]/dx[j] also dy[k]/dx[k], where no y depends on another x."""
    found = list(targets)
    batch = draw(model, "", np.random.default_rng(1), 8, {})
    for target in targets:
        if not target.jacobian or target.diagonal:
            continue
        paired = _paired(model, target)
        if paired is not None and _is_diagonal(batch, target, paired):
            found.append(replace(target, indices=paired))
    return tuple(dict.fromkeys(found))


def _paired(model: Model, target: Target) -> tuple[str, ...] | None:
    """The target's indices with those of `below` named as those of `above` of the same range."""
    survey, count = model.survey, target.above_count
    above = survey.parameters[target.above]
    if target.below in survey.parameters:
        below: list[Variable | None] = [*survey.parameters[target.below]]
    else:
        places = range(len(target.indices) - count)
        below = [survey.places.get((target.below, place)) for place in places]
    letters = list(target.indices)
    for place, variable in enumerate(below):
        for upper, other in enumerate(above):
            taken = letters[upper] in letters[count:]
            if variable is not None and variable.root is other.root and not taken:
                letters[count + place] = letters[upper]
    return tuple(letters) if tuple(letters) != target.indices else None


def _is_diagonal(batch: Batch, target: Target, paired: tuple[str, ...]) -> bool:
    """Whether the derivative is 0 wherever the paired indices differ."""
    shapes = batch.shapes
    shape = (*shapes[target.above], *shapes[target.below])
    jacobian = batch.reference(target.above, target.below).jacobian.reshape(len(batch), *shape)
    grids = np.indices(shape)
    apart = np.zeros(shape, dtype=np.bool_)
    for place, letter in enumerate(paired):
        apart |= grids[place] != grids[paired.index(letter)]
    return bool((np.nan_to_num(jacobian)[:, apart] == 0).all())
