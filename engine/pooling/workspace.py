"""Memory that one worker uses again for block after block."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from engine.windows import Numbers, Shape


class Workspace:
    """Named buffers, as large as the largest array that was asked of each."""

    def __init__(self) -> None:
        self._buffers: dict[str, Numbers] = {}

    def array(self, name: str, shape: Shape, dtype: DTypeLike) -> Numbers:
        """Return a contiguous array whose content is whatever was there before."""
        count, kind = prod(shape), np.dtype(dtype)
        buffer: Numbers | None = self._buffers.get(name)
        if buffer is None or buffer.size < count or buffer.dtype != kind:
            self._buffers[name] = buffer = np.empty(count, kind)
        array: np.ndarray[Any, Any] = buffer[:count].reshape(shape)
        return array
