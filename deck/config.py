"""The collection's settings: what `.deltadeck/config.toml` says, or the defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import time, timedelta
from hashlib import blake2b
from types import MappingProxyType
from typing import Any

from deck.fsrs import DEFAULT_PARAMETERS


@dataclass(frozen=True, slots=True)
class Config:
    """Settings of one collection; they travel with its cards."""

    new_per_day: int = 20
    reviews_per_day: int = 200
    desired_retention: float = 0.9
    """The chance of recall at which a review falls due."""
    learning_steps: tuple[timedelta, ...] = (timedelta(minutes=1), timedelta(minutes=10))
    relearning_steps: tuple[timedelta, ...] = (timedelta(minutes=10),)
    maximum_interval: int = 36500
    """Days."""
    rollover: time = time(4)
    """Local time at which a study day begins."""
    fuzz: bool = True
    write_status: bool = True
    """Whether `status:` in the card files follows the schedule."""
    parameters: tuple[float, ...] = DEFAULT_PARAMETERS
    """The 21 parameters of FSRS-6."""
    macros: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """LaTeX commands for all cards: name, backslash included, to what it stands for."""
    extra: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """Tables that other rooms read (`[keys]`, ...), as written."""

    @property
    def parameters_hash(self) -> str:
        """Names the model's parameters in the journal."""
        text = ",".join(map(repr, self.parameters))
        return blake2b(text.encode(), digest_size=4).hexdigest()


#: What `Collection.init` writes: every setting with its default, as a comment.
TEMPLATE = """\
# Settings of this collection.  Remove the "#" in front of a line to change its setting.

# new_per_day = 20            # new items a study day
# reviews_per_day = 200       # reviews a study day
# desired_retention = 0.9     # chance of recall at which a review falls due (0.70 to 0.99)
# learning_steps = ["1m", "10m"]
# relearning_steps = ["10m"]  # after a lapse
# maximum_interval = 36500    # days
# rollover = "04:00"          # local time at which a study day begins
# fuzz = true                 # spread items that were learnt together
# write_status = true         # "status:" in the card files follows the schedule
# parameters = [...]          # the 21 parameters of FSRS-6

# [math.macros]               # LaTeX commands for all cards; #1 to #9 are arguments
#R = '\\mathbb{R}'
"""
