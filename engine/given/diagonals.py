"""Derivatives that are 0 wherever two indices differ: asked for at equal indices as well."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from engine.formula.heads import Left
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


def readings(
    targets: Sequence[Target], left: Left | None, spoken: Iterable[str]
) -> Iterator[tuple[Target, tuple[str, ...], bool]]:
    """What an answer may be the answer to, with its indices; True of those that may not fit.

    Without a left side, y[k] (1 - y[k]) speaks of one place only: where every other entry is 0,
    it is dy[k]/dx[k], by the indices of y or else by those of x.  A message with one index may be
    given at any of the letters that are `spoken`, where it is the only one that is asked for.
    """
    for target in targets if left is None else ():
        own = tuple(dict.fromkeys(target.indices))
        whole = next((t for t in targets if t.key == target.key and not t.diagonal), None)
        if target.diagonal and whole is not None and len(own) == whole.above_count:
            for letters in (whole.indices[: len(own)], whole.indices[len(own) :]):
                if len(letters) == len(own):
                    yield target, letters, True
    for target in targets:
        yield target, left.names if left else tuple(dict.fromkeys(target.indices)), False
    messages = [target for target in targets if not target.jacobian]
    if left is None and len(messages) == len(messages[0].indices if messages else ()) == 1:
        for letter in sorted(spoken):
            yield messages[0], (letter,), True


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
