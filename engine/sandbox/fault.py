"""Why a function gave no result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal[
    "syntax", "exception", "parameters", "result", "time", "memory", "output", "crash", "answer"
]


@dataclass(frozen=True, slots=True)
class Fault:
    """What went wrong, in words for the learner; all of it came from code that is not trusted."""

    kind: Kind
    message: str
    """A sentence."""
    line: int | None = None
    """1-based line of the source, where there is one."""
    trace: tuple[tuple[int, str], ...] = ()
    """The learner's own lines on the way to the error, outermost first: number and function."""


class FunctionError(Exception):
    """A function that gave no result; `fault` says why."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault
