"""How the app and the confined child speak: frames of a length and bytes, numbers as raw float64.

    app → child    the source, then for each batch a JSON header and its numbers
    child → app    b"R", the number of the shape, the numbers; or b"E" and a JSON fault

What comes back is never trusted: its length is known beforehand, a fault is bounded text.
"""

from __future__ import annotations

import json
import re
import signal
import struct
import subprocess
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

# -- Why a function gave no result.


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


# -- Frames of both sides.


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Shape = tuple[int, ...]

TOO_MUCH: Final = "It printed too much and was stopped: print less."
MEMORY: Final = 1 << 30
"""Bytes of address space beyond what the warm process has."""
TOO_LARGE: Final = int(signal.SIGUSR2)
"""In place of its status, of a child that was killed because it held more than that."""
TOO_MUCH_MEMORY: Final = "taking more than 1 GB of memory"
LENGTH: Final = struct.Struct("<I")
#: Of the warm process: b"S" and a wait status.
STATUS: Final = struct.Struct("<ci")
LARGEST_FAULT: Final = 32_768
#: No answer has so many lines.
_LONGEST: Final = 1_000_000
_KINDS: Final = ("syntax", "exception", "parameters", "result", "memory", "output")
#: Escape sequences (ECMA-48), then other controls, then what turns text around.
_OBEYED: Final = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?"
    r"|\x1b[ -/]*[0-~]?"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
)
_BROKEN: Final = Fault("answer", "The function broke off its answer.")


@dataclass(frozen=True, eq=False, slots=True)
class FunctionBatch:
    """A batch on which the function is called."""

    arrays: Mapping[str, NDArray[np.float64]]
    """By name, each (B, ...): for the parameters of these names, or else by their places."""
    scalars: Mapping[str, object]
    """Set as globals (kernel, stride, ...); lists arrive as tuples."""
    shapes: Sequence[Shape]
    """Those that one result may have."""
    given: int | None = None
    """How many of the arrays, in this order, may go by their places; None: all."""
    whole: tuple[str, ...] = ()
    """Arrays of whole numbers, which may be indices."""
    output: str = ""
    """The array that the message from above is about."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other names of arrays."""

    @property
    def count(self) -> int:
        """How many inputs it has."""
        return int(next(iter(self.arrays.values())).shape[0])

    @property
    def longest(self) -> int:
        """Bytes of the longest answer that makes sense."""
        return 2 + 8 * self.count * max(map(prod, self.shapes))

    def encoded(self) -> bytes:
        """As it is sent; a scalar that is a whole number goes as one: it may be a size."""
        import numpy as np

        header = {
            "arrays": {name: array.shape for name, array in self.arrays.items()},
            "scalars": {name: _whole(value) for name, value in self.scalars.items()},
            "shapes": list(self.shapes),
            "given": len(self.arrays) if self.given is None else self.given,
            "whole": [name for name in self.whole if name in self.arrays],
            "output": self.output,
            "aliases": dict(self.aliases),
        }
        numbers = (np.ascontiguousarray(a, dtype=np.float64) for a in self.arrays.values())
        blob = b"".join(array.tobytes() for array in numbers)
        return frame(json.dumps(header).encode()) + frame(blob)


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


@dataclass(frozen=True, slots=True)
class Confinement:
    """What a child tells of itself, before it is given a function."""

    layers: tuple[str, ...]
    """Those that it has: "process", "nobody", "limits", "landlock", "seccomp"."""
    left: tuple[str, ...]
    """What it tried and was not refused: "reading files", ..."""

    @property
    def said(self) -> str:
        """What is open to a function, and what holds all the same."""
        left = " or ".join(", ".join(self.left).rsplit(", ", 1))
        most = "" if TOO_MUCH_MEMORY in self.left else " or beyond 1 GB of memory"
        return (
            f"Nothing on this computer keeps a function from {left}. It runs in a process of its "
            f"own, without your environment, and is stopped after 3 seconds{most}."
        )


def resident(process: int) -> int:
    """Bytes of memory that a process holds; 0 where nothing tells."""
    try:
        command = ["ps", "-o", "rss=", "-p", str(process)]
        told = subprocess.run(command, capture_output=True, env={}, check=False).stdout.strip()
    except OSError:
        return 0
    return int(told) * 1024 if told.isdigit() else 0


def frame(payload: bytes) -> bytes:
    return LENGTH.pack(len(payload)) + payload


def fault_frame(kind: str, message: str, line: int | None, trace: list[tuple[int, str]]) -> bytes:
    """A fault on its way to the app, cut to what the app reads."""
    shown = [(number, name[:200]) for number, name in trace[-20:]]
    data = {"kind": kind, "message": message[:2000], "line": line, "trace": shown}
    text = json.dumps(data, ensure_ascii=False).encode("utf-8", "replace")
    return b"E" + frame(text[:LARGEST_FAULT])


def read_fault(payload: bytes) -> FunctionError:
    """The fault in a frame of the child's; what makes no sense becomes a fault of its own."""
    try:
        data: Any = json.loads(payload)
        kind, message, line = data["kind"], data["message"], data["line"]
        trace = tuple((number, name) for number, name in data["trace"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return FunctionError(_BROKEN)
    texts = [kind, message, *(name for _, name in trace)]
    lines = [number for number, _ in trace] + ([] if line is None else [line])
    if not (all(map(_is_text, texts)) and all(map(_is_line, lines)) and kind in _KINDS):
        return FunctionError(_BROKEN)
    plain = tuple((number, printable(name)) for number, name in trace)
    return FunctionError(Fault(kind, printable(message), line, plain))


def printable(text: str) -> str:
    """Text of the function's without what a terminal would obey; lines and tabs stay."""
    return _OBEYED.sub("", text)


def _is_text(value: object) -> bool:
    """Whether it can be shown: half a surrogate pair is in no file and on no screen."""
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)


def _is_line(value: object) -> bool:
    return type(value) is int and 1 <= value <= _LONGEST
