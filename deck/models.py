"""The memory models by name.  A new one is a class with these methods and a line in `MODELS`.

Nothing else knows which model it is: the fold, the queue, statistics and exam mode all ask
`model_of(config)`.  The journal says with each answer which model and parameters scheduled it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from deck import fsrs
from deck.fsrs import Fsrs6, Memory

if TYPE_CHECKING:
    from deck.config import Config


class Model(Protocol):
    """A memory is a `Memory`, or a subclass of it that carries more."""

    name: str
    parameters: tuple[float, ...]
    same_day: bool
    """Whether it says how a memory grows within a day, so that intervals may be shorter."""

    def initial(self, rating: int) -> Memory:
        """After the first answer."""

    def after(self, memory: Memory, rating: int, elapsed: int) -> Memory:
        """After an answer `elapsed` (0 or more) study days later."""

    def recall(self, memory: Memory, elapsed: float) -> float:
        """The chance of recall, 0..1, after so many days."""

    def recalls(self, stabilities: Iterable[float], elapsed: float) -> list[float]:
        """`recall` of many memories after as many days, where it depends on no more than that."""

    def interval(self, memory: Memory, desired_retention: float) -> float:
        """Days until the chance of recall has fallen that far."""

    def spent(self, chance: float) -> float | None:
        """The elapsed time, in stabilities, at which recall has fallen to `chance` (0..1).

        None where recall depends on more than elapsed time over stability.
        """


@dataclass(frozen=True, slots=True)
class Kind:
    """What settings may say of a model."""

    make: Callable[[Sequence[float]], Model]
    defaults: tuple[float, ...]
    bounds: tuple[tuple[float, float], ...]
    """(lowest, highest) of each parameter."""


MODELS: dict[str, Kind] = {fsrs.MODEL: Kind(Fsrs6, fsrs.DEFAULT_PARAMETERS, fsrs.BOUNDS)}


def model_of(config: Config) -> Model:
    """The model that the settings name, with their parameters."""
    return _model(config.model, config.parameters)


@lru_cache(maxsize=8)
def _model(name: str, parameters: tuple[float, ...]) -> Model:
    return MODELS[name].make(parameters)
