"""Which messages are right at a tie: every valid subgradient counts, not one policy's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


def valid_jacobian(J: Array, tied: Mask) -> Mask:
    raise NotImplementedError


def valid_message(dx: Array, delta: Array, tied: Mask) -> Mask:
    raise NotImplementedError
