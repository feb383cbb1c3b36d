"""What an exercise asks for, and how it is written."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """What may be asked for: d above / d below, at the usual indices."""

    above: str
    """The array differentiated; the output where `upstream`."""
    below: str
    upstream: bool
    """Whether it is summed against the message that comes from above."""
    indices: tuple[str, ...]
    """As the card writes them: of `above` (unless summed over), then of `below`."""
    above_count: int = 0
    """How many of the indices are those of `above`."""
    of_loss: bool = False
    """Whether `above` is the loss itself."""

    @property
    def key(self) -> str:
        return f"d{self.above}/d{self.below}" if self.jacobian else f"d{self.below}"

    @property
    def jacobian(self) -> bool:
        return not self.upstream and not self.of_loss

    @property
    def diagonal(self) -> bool:
        """dy[k]/dx[k]: asked for at equal indices only."""
        return len(set(self.indices)) < len(self.indices)

    def written(self, indices: tuple[str, ...] | None = None, loss: str = "L") -> str:
        """dL/dx[j], dy[k]/dx[j]"""
        own = self.indices if indices is None else indices
        if not self.jacobian:
            return f"d{loss}/d{self.below}{in_brackets(own)}"
        if len(own) < len(self.indices):
            own = tuple(own[tuple(dict.fromkeys(self.indices)).index(i)] for i in self.indices)
        count = self.above_count
        return f"d{self.above}{in_brackets(own[:count])}/d{self.below}{in_brackets(own[count:])}"


def in_brackets(indices: tuple[str, ...]) -> str:
    return f"[{','.join(indices)}]" if indices else ""
