"""How plain an input is to read: few numbers, short ones, small windows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.grader import Array

#: A number of many digits takes as long to read as so many short ones; padding, as so many cells.
_LONG, _PADDED = 5.0, 16.0
#: Numbers from here on are long, as are those that are not in quarters.
_LARGE = 100.0


def oddness(batch: Any) -> Array:
    """Of each input of a batch, how much there is to read: (B,)."""
    import numpy as np

    from engine.trials import Batch

    if isinstance(batch, Batch):
        arrays, windows = [batch.x, batch.delta], 2.0 * float(np.prod(batch.kernel))
        windows += _PADDED * any(batch.padding)
    else:
        arrays, windows = list(batch.inputs.values()), 0.0
    count = len(arrays[0])
    found = np.full(count, windows)
    for values in arrays:
        row = np.asarray(values, dtype=np.float64).reshape(count, -1)
        long = (row * 4 % 1 != 0) | (np.abs(row) >= _LARGE)
        found += row.shape[1] + _LONG * long.sum(axis=1)
    return np.asarray(found)


def plain_values(rng: Any, shape: tuple[int, ...], gentle: bool) -> Array:
    """Distinct halves or whole numbers around 0, none 0 while there are enough: (1, *shape).

    A number that stands twice, or that is 0, hides where a message comes from.
    """
    import numpy as np

    cells = int(np.prod(shape))
    most = max(3, (cells + 1) // 2)
    numbers = np.array([n for n in range(-most, most + 1) if n])
    values = rng.permutation(numbers)[:cells] * (min(0.5, 2 / most) if gentle else 1.0)
    return np.asarray(np.round(values * 8) / 8).reshape(1, *shape)
