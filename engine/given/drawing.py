"""Random inputs over several sizes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from engine.given import inputs as kinds
from engine.given.batch import Batch
from engine.given.bordering import with_borders
from engine.given.model import Model

#: So many inputs of the card's own sizes try a reason.
_FRESH = 112
#: So often an input on which the message loses its digits is halved; each third stays as it is.
_HALVED = 4
#: Larger sizes are not drawn only to be even.
_EVEN = 5


def drawn(
    model: Model,
    output: str,
    seed: int,
    trials: int,
) -> list[Batch]:
    """Draw `trials` inputs over several sizes.  The same arguments give the same inputs.

    Behind those of the card's own sizes, which come first, are some of every order of magnitude
    and about the borders of the message (`bordering`).
    """
    larger = _larger(model)
    # The card's own sizes half of all times.
    shares = [
        trials - trials // 2,
        *np.diff(np.linspace(0, trials // 2, len(larger) + 1).astype(int)),
    ]
    if not larger:
        shares = [trials]
    found = []
    for n, (grown, count) in enumerate(zip([{}, *larger], shares, strict=True)):
        if count:
            rng = np.random.default_rng([seed, n])
            batch = _calmed(draw(model, output, rng, int(count), grown))
            found.append(batch if grown else with_borders(model, batch, rng))
    return found


@lru_cache(maxsize=16)
def fresh(model: Model, output: str, seed: int) -> tuple[Batch, ...]:
    """Draw inputs that may refute what others suggest: of every kind as many, and of one sign."""
    larger = dict.fromkeys(model.sized, 0 if model.rigid else 1)
    found = []
    for n, grown in enumerate([{}, larger] if any(larger.values()) else [{}]):
        rng = np.random.default_rng([seed, n, 1])
        batch = draw(model, output, rng, _FRESH >> n, grown, "each")
        part = len(batch) // 4
        for name, value in batch.inputs.items():
            if model.kinds[name] == "real":
                value[:part] = np.abs(value[:part])
                value[part : 2 * part] = -np.abs(value[part : 2 * part])
        found.append(batch if grown else with_borders(model, batch, rng))
    return tuple(found)


def _larger(model: Model) -> list[dict[str, int]]:
    """Each size one more, and all of them one more; all of them equal, where none would be.

    Only where two sizes are equal a transposed array has values to compare.
    """
    if model.rigid:
        return []
    every = [dict.fromkeys(model.sized, 1)] if len(model.sized) > 1 else []
    return [*({name: 1} for name in model.sized[:4]), *every, *_even(model)]


def _even(model: Model) -> list[dict[str, int]]:
    length = model.lengths()
    known = {**model.letters(length), **length.numbers}
    sizes = {name: int(known[name]) for name in model.sized if name in known}
    top = max(sizes.values(), default=0)
    apart = {name: top - size for name, size in sizes.items() if size < top}
    near = any(abs(a - b) < 2 for a in sizes.values() for b in sizes.values() if a != b)
    return [apart] if apart and not near and top <= _EVEN else []


def _calmed(batch: Batch) -> Batch:
    """The batch with smaller numbers in most inputs on which the message loses its digits."""
    movable = [name for name, kind in batch.model.kinds.items() if kind == "real"]
    at = np.flatnonzero(batch.saturated & (np.arange(len(batch)) % 3 > 0))
    if not (batch.model.gentle and movable and at.size):
        return batch
    inputs = {name: value.copy() for name, value in batch.inputs.items()}
    for _ in range(_HALVED):
        for name in movable:
            inputs[name][at] /= 2
        part = {name: value[at] for name, value in inputs.items()}
        at = at[Batch(batch.model, batch.length, batch.grown, part, None).saturated]
        if not at.size:
            break
    return Batch(batch.model, batch.length, batch.grown, inputs, batch.delta)


def draw(
    model: Model,
    output: str,
    rng: np.random.Generator,
    count: int,
    grown: Mapping[str, int],
    only: str | None = None,
) -> Batch:
    """Draw one batch.  `output` is what the upstream message is for, "" for none."""
    length = model.lengths(grown)
    found = {
        name: kinds.draw(
            rng,
            model.kinds[name],
            count,
            model.shape(name, length),
            model.gentle,
            model.most(name, length) if model.kinds[name] == "index" else 0,
            model.axes.get(name, -1) % max(1, arity),
            only,
        )
        for name, arity in model.forward.inputs.items()
    }
    delta = kinds.messages(rng, count, model.shape(output, length)) if output else None
    return Batch(model, length, grown, model.within(found), delta)
