"""Which input the lab shows, and at which of its windows: a value, changed by keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tui.lab_input import Look, Window


@dataclass(frozen=True, slots=True)
class Step:
    """At which window an input is looked at."""

    at: int = 0
    """Counts windows, round and round."""
    stepping: bool = False
    """Whether only the messages that have flowed back up to it are shown."""


@dataclass(frozen=True, slots=True)
class Shown:
    seed: int = 1
    window: Window | None = None
    """As the sliders have it; None where the exercise says it, or has none."""
    values: str = "any"
    failing: int | None = None
    step: Step = Step()
    looking: bool = False
    """Whether the learner asked for an input since the last key."""

    @property
    def look(self) -> Look:
        return Look(self.seed, self.window, self.values, self.failing)

    def at_random(self) -> Shown:
        """After a key: the answer is another, and what failed is not known."""
        return replace(self, failing=None, looking=False)

    def not_looking(self) -> Shown:
        return replace(self, looking=False)

    def another(self) -> Shown:
        return self._changed(seed=self.seed + 1)

    def next_failing(self) -> Shown:
        return self._changed(failing=0 if self.failing is None else self.failing + 1)

    def stepped(self, step: int) -> Shown:
        """The first step begins where the window is; each later one goes on."""
        at = self.step.at + step if self.step.stepping else self.step.at
        return replace(self, step=Step(at, stepping=True), looking=True)

    def turned(self, values: Mapping[str, str]) -> Shown:
        window = self.window
        if "kernel" in values:
            names = ("kernel", "stride", "padding")
            window = Window(*(int(values[name]) for name in names))
        return self._changed(window=window, values=values.get("values", self.values))

    def _changed(self, **changes: object) -> Shown:
        first = replace(self, failing=None, step=Step(), looking=True)
        return replace(first, **changes)  # type: ignore[arg-type]
