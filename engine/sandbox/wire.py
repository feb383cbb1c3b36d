"""How the app and the confined child speak: frames of a length and bytes, numbers as raw float64.

    app → child    the source, then for each batch a JSON header and its numbers
    child → app    b"R", a JSON header and the numbers; or b"E" and a JSON fault

What comes back is never trusted: its length is known beforehand, a fault is bounded text.  Both
sides know which function is the answer, and the child which value goes to which parameter.
"""

from __future__ import annotations

import json
import re
import signal
import struct
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from inspect import Parameter
from math import prod
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from engine.formula.tree import UPSTREAM, folded

if TYPE_CHECKING:
    from numpy.typing import NDArray

# -- Why a function gave no result.


Kind: TypeAlias = Literal[
    "syntax", "exception", "parameters", "result", "time", "memory", "output", "crash", "answer"
]
Trace: TypeAlias = tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """What went wrong, in words for the learner; all of it came from code that is not trusted."""

    kind: Kind
    message: str
    """A sentence."""
    line: int | None = None
    """1-based line of the source, where there is one."""
    trace: Trace = ()
    """The learner's own lines on the way to the error, outermost first: number and function."""


class FunctionError(Exception):
    """A function that gave no result; `fault` says why."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


# -- Frames of both sides.


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
LARGEST_HEADER: Final = 256
#: Of results whose shape the app does not know.
LARGEST_RESULTS: Final = 1 << 23
#: The name of an answer that is a derivative.
BACKWARD: Final = "backward"
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


def fault_frame(kind: str, message: str, line: int | None = None, trace: Trace = ()) -> bytes:
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


def results_frame(shape: Sequence[int], whole: bool, numbers: bytes, failed: bytes) -> bytes:
    """Results, each of a shape; `whole`: they are whole numbers.  `failed`: a byte an input."""
    return b"R" + frame(json.dumps([*shape, int(whole)]).encode()) + numbers + failed


def read_results(header: bytes, asked: FunctionBatch) -> tuple[tuple[int, ...], bool]:
    """The shape of one of the results, and whether they are whole.  Raises FunctionError."""
    try:
        told: Any = json.loads(header)
        *shape, whole = told
    except (ValueError, TypeError, RecursionError):
        raise FunctionError(_BROKEN) from None
    sizes_known = all(type(n) is int and 0 <= n <= LARGEST_RESULTS for n in shape)
    if not sizes_known or len(shape) > 16 or whole not in (0, 1):
        raise FunctionError(_BROKEN)
    if asked.shapes and tuple(shape) not in asked.shapes:
        raise FunctionError(_BROKEN)
    if not asked.shapes and 8 * asked.count * prod(shape) > LARGEST_RESULTS:
        raise FunctionError(Fault("result", "It returned too many numbers to be compared."))
    return tuple(shape), whole == 1


def printable(text: str) -> str:
    """Text of the function's without what a terminal would obey; lines and tabs stay."""
    return _OBEYED.sub("", text)


def _is_text(value: object) -> bool:
    """Whether it can be shown: half a surrogate pair is in no file and on no screen."""
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)


def _is_line(value: object) -> bool:
    return type(value) is int and 1 <= value <= _LONGEST


# -- What a function is called on.


@dataclass(frozen=True, eq=False, slots=True)
class FunctionBatch:
    """A batch on which the function is called."""

    arrays: Mapping[str, NDArray[Any]]
    """By name, each (B, ...): for the parameters of these names, or else by their places."""
    scalars: Mapping[str, object]
    """Set as globals (kernel, stride, ...); lists arrive as tuples."""
    shapes: Sequence[tuple[int, ...]]
    """Those that one result may have; none: any, which is told with the results.  Those of others
    than the first are then NaN."""
    given: int | None = None
    """How many of the arrays, in this order, may go by their places; None: all."""
    whole: tuple[str, ...] = ()
    """Arrays of whole numbers, which may be indices."""
    output: str = ""
    """The array that the message from above is about; "" where a loss is given."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other names that the exercise itself has for them."""
    called: str = BACKWARD
    """The function of this name is the answer, where there are several."""
    partial: bool = False
    """Whether results are NaN where arithmetic fails, as 1 / 0 does; else that is a fault."""
    failing: bool = False
    """Whether results are NaN on inputs on which it raises, or gives no such result."""
    counted: bool = False
    """Whether the results are not the function's, but how many steps it takes."""

    @property
    def count(self) -> int:
        """How many inputs it has."""
        return int(next(iter(self.arrays.values())).shape[0])

    @property
    def longest(self) -> int:
        """Bytes of the longest answer that makes sense."""
        results = 8 * self.count * max(map(prod, self.shapes), default=0) or LARGEST_RESULTS
        return 1 + LENGTH.size + LARGEST_HEADER + results + self.count

    @property
    def first(self) -> list[str]:
        """The arrays that may go by their places."""
        return list(self.arrays)[: self.given]

    @property
    def numbers(self) -> set[str]:
        """Arrays that are a single number an input: no answer is about those alone."""
        return {name for name, array in self.arrays.items() if array.ndim == 1}

    def encoded(self) -> bytes:
        """As it is sent; a scalar that is a whole number goes as one: it may be a size."""
        import numpy as np

        header = {
            "arrays": {name: array.shape for name, array in self.arrays.items()},
            "scalars": {name: _whole(value) for name, value in self.scalars.items()},
            "shapes": list(self.shapes),
            "given": self.given,
            "whole": self.whole,
            "output": self.output,
            "aliases": dict(self.aliases),
            "called": self.called,
            "partial": self.partial,
            "failing": self.failing,
            "counted": self.counted,
        }
        numbers = (np.ascontiguousarray(a, dtype=np.float64) for a in self.arrays.values())
        blob = b"".join(array.tobytes() for array in numbers)
        return frame(json.dumps(header).encode()) + frame(blob)

    @classmethod
    def decoded(cls, payload: bytes, blob: bytes) -> FunctionBatch:
        """What was sent, in copies for the learner to write into; lists are tuples."""
        import numpy as np

        header = json.loads(payload)
        arrays: dict[str, NDArray[Any]] = {}
        start = 0
        for name, shape in header["arrays"].items():
            numbers = np.frombuffer(blob, np.float64, prod(shape), start).reshape(shape)
            arrays[name] = numbers.astype(np.int64 if name in header["whole"] else np.float64)
            start += numbers.nbytes
        scalars = {k: tuple(v) if isinstance(v, list) else v for k, v in header["scalars"].items()}
        shapes = [tuple(shape) for shape in header["shapes"]]
        return cls(**{**header, "arrays": arrays, "scalars": scalars, "shapes": shapes})


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


# -- Which function is the answer, and which value goes to which of its parameters.
#
# A name that is known keeps its value, wherever it stands; what is not certain is refused with a
# sentence.


#: What is written before the name of the array that a message is about: dy, dL_dy, delta_y.
_ABOUT: Final = re.compile(r"(?:delta_?|δ_?|grad_?|g_|dl_?d_?|d_?)(\w+)", re.IGNORECASE)
#: The output of the forward message, as long as the exercise has one.
_OUTPUT: Final = frozenset(
    ("out", "output", "outputs", "yhat", "ypred", "pred", "preds", "prediction", "predictions")
)
#: Other words for what an exercise calls by one of these letters.
_WORDS: Final[tuple[tuple[frozenset[str], tuple[str, ...]], ...]] = (
    (frozenset(("input", "inputs", "inp", "xin", "img", "image")), ("x",)),
    (frozenset(("weight", "weights", "kernel", "filter", "filters")), ("W", "w")),
    (frozenset(("bias", "biases")), ("b",)),
    (frozenset(("target", "targets", "label", "labels", "ytrue")), ("t",)),
)
_PLACED: Final = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


class UnclearError(Exception):
    """What is asked for cannot be told for certain; a sentence."""


#: What names of functions have that give a derivative.
_DERIVATIVES: Final = (r"backward|bwd|bprop", r"grad|vjp|jacobian", r"^d[a-zA-Z]$|^d[a-zA-Z]_")


def chosen(names: Sequence[str], called: str = BACKWARD) -> str:
    """The name of the answer among those of functions.  Raises UnclearError."""
    if not names:
        example = "x, delta" if called == BACKWARD else "..."
        raise UnclearError(f"Define one function `{called}`: def {called}({example}): ...")
    if called in names or len(names) == 1:
        return called if called in names else names[0]
    for pattern in _DERIVATIVES if called == BACKWARD else ():
        found = [name for name in names if re.search(pattern, name)]
        if len(found) == 1:
            return found[0]
        if found:
            names = found
            break
    there = f"{', '.join(f'`{name}`' for name in names[:-1])} and `{names[-1]}`"
    raise UnclearError(f"Which function is the answer? There are {there}: call it `{called}`.")


def arguments(
    parameters: Sequence[Parameter], batch: FunctionBatch
) -> tuple[list[str], dict[str, str]]:
    """The names of the values that go by place, and those that go by a parameter's name.

    Parameters with a default get a value only where they bear its very name, or where they are
    plainly the message from above (dout=1), which no other parameter is.
    Raises UnclearError.
    """
    if any(p.kind is Parameter.VAR_POSITIONAL for p in parameters) and not any(
        p.kind in _PLACED for p in parameters
    ):
        return batch.first, {}
    found = _resolved(parameters, batch)
    placed: list[str] = []
    named: dict[str, str] = {}
    behind = False  # an optional parameter was left out: those behind it go by name
    for one in parameters:
        if one.kind in _PLACED and not behind and one.name in found:
            placed.append(found[one.name])
        elif one.kind is Parameter.POSITIONAL_ONLY or one.name not in found:
            behind = True
        else:
            named[one.name] = found[one.name]
    return placed, named


def _resolved(parameters: Sequence[Parameter], batch: FunctionBatch) -> dict[str, str]:
    takes = [p for p in parameters if p.kind in (*_PLACED, Parameter.KEYWORD_ONLY)]
    own = {*batch.arrays, *batch.scalars}
    found = {p.name: p.name for p in takes if p.name in own}
    needed = [p.name for p in takes if p.default is Parameter.empty]
    plainly = [p.name for p in takes if len(p.name) > 1 and _is_upstream(p.name, batch)]
    for name in dict.fromkeys((*needed, *plainly)):
        if name not in found and (value := _meant(name, batch)) and value not in found.values():
            found[name] = value
    unknown = [name for name in needed if name not in found]
    if unknown:
        found |= _by_place(needed, unknown, found, batch)
    return found


def _by_place(
    needed: list[str], unknown: list[str], found: Mapping[str, str], batch: FunctionBatch
) -> dict[str, str]:
    """Values for names that say nothing: all of them in their order, or the only one left.

    Between names that stand in their own places they are so too, where nothing else is there.
    """
    given = batch.first
    silent = not any(_says(name, batch) for name in unknown)
    if silent and len(needed) == len(given):
        places = dict(zip(needed, given, strict=True))
        kept = all(places[name] == value for name, value in found.items() if name in places)
        if len(unknown) == len(needed) or (kept and len(given) == len(batch.arrays)):
            return {name: places[name] for name in unknown}
    left = [n for n in batch.arrays if n not in found.values() and n not in batch.numbers]
    if silent and len(unknown) == len(left) == 1 and left[0] in given:
        return {unknown[0]: left[0]}
    told = ", ".join(unknown)
    are = "is not a name" if len(unknown) == 1 else "are not names"
    raise UnclearError(
        f"The function asks for ({', '.join(needed)}); {told} {are} that I know here: "
        f"name its parameters as they are given, {', '.join(batch.arrays)}."
    )


def _meant(name: str, batch: FunctionBatch) -> str | None:
    """The array that a name certainly means."""
    if name in batch.aliases:
        return batch.aliases[name]
    same = [array for array in batch.arrays if array.lower() == name.lower()]
    if same:
        return same[0] if len(same) == 1 else None
    word = folded(name)
    if _is_upstream(name, batch):
        return "delta" if "delta" in batch.arrays else None
    if word in _OUTPUT:
        return batch.output if batch.output in batch.arrays else None
    for words, letters in _WORDS:
        if word in words:
            there = [n for n in letters if n in batch.first]
            return there[0] if len(there) == 1 else None
    return None


def _says(name: str, batch: FunctionBatch) -> bool:
    """Whether a name says what it wants, so that nothing else may be put there."""
    return (
        _is_upstream(name, batch)
        or _ABOUT.fullmatch(name) is not None
        or any(array.lower() == name.lower() for array in batch.arrays)
        or (folded(name) in _OUTPUT and bool(batch.output))
        or name == batch.output
    )


def _is_upstream(name: str, batch: FunctionBatch) -> bool:
    """dout, grad_output; dy of the output y, or of a y that the exercise does not speak of."""
    if folded(name) in UPSTREAM:
        return True
    about = _ABOUT.fullmatch(name)
    if about is None:
        return False
    of = about[1].lower()
    if of in (batch.output.lower(), "out", "output"):
        return True
    # The usual letter of an output, where no other array bears it.  (dz may be that of a step.)
    return of == "y" and of not in {array.lower() for array in batch.arrays}
