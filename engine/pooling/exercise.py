"""Max pooling as an exercise: which window, and which of its messages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from engine.exercise import (
    EXAMPLES,
    POOLING,
    Exercise,
    ExerciseError,
    first_index,
    refuse_others,
    request,
)

if TYPE_CHECKING:
    from engine.messages.targets import Target
    from engine.pooling.grader import PoolingGrader
    from engine.pooling.windows import Pair

# NumPy is loaded once an answer is graded: to say what is wrong with a card's keys needs none.

Find: TypeAlias = Literal["dx", "J", "any"]

KEYS: Final = ("layer", "kernel", "stride", "padding", "find", "indices")
#: Larger windows would only make each check slower, and its counterexamples longer.
LARGEST: Final = 7

_FINDS: Final[dict[str, Find]] = {
    **dict.fromkeys(("dx", "dl/dx", "backward"), "dx"),
    **dict.fromkeys(("j", "df/dx", "jacobian"), "J"),
    **dict.fromkeys(("any", "either"), "any"),
}


@dataclass(frozen=True, slots=True)
class PoolingExercise(Exercise):
    """Max pooling.  Without a kernel it is about any window and any overlap."""

    layer: str = POOLING
    kernel: Pair | None = None
    stride: Pair | None = None
    padding: Pair | None = None
    find: Find = "any"
    """The backward message dL/dx, the Jacobian df/dx, or whichever of them is answered."""
    first: int = 0
    """The first value of every index."""
    about: str = "max pooling"

    @property
    def description(self) -> str:
        asked = [f"{target.title} {target.written()}" for target in self.targets]
        given = "given delta[k,l] = dL/df[k,l]" if self.find == "dx" else ""
        return request(asked, f"{self.about} {self._worded}", given)

    @property
    def targets(self) -> tuple[Target, ...]:
        """What is asked for, the likeliest first."""
        from engine.pooling.inputs import JACOBIAN, MESSAGE

        return {"dx": (MESSAGE,), "J": (JACOBIAN,), "any": (MESSAGE, JACOBIAN)}[self.find]

    @property
    def window(self) -> tuple[Pair, Pair, Pair] | None:
        """Kernel, stride and padding; None of any window."""
        if self.kernel is None:
            return None
        return self.kernel, self.stride or self.kernel, self.padding or (0, 0)

    @property
    def _worded(self) -> str:
        if self.window is None:
            return "for any kernel, stride and padding"
        (kh, kw), (sh, sw), (ph, pw) = self.window
        words = f"with kernel {kh}×{kw} and stride {sh}×{sw}"
        return f"{words}, padded by {ph}×{pw}" if ph or pw else words

    @property
    def symbols(self) -> tuple[tuple[str, str], ...]:
        return (
            ("x[i,j]", "the input"),
            ("f[k,l]", "the forward message, max(Omega(k,l))"),
            ("delta[k,l]", "the upstream message dL/df[k,l]"),
            ("Omega(k,l)", "the input coordinates in window (k,l); also window(k,l)"),
            ("argmax(k,l)", "the coordinates of its first maximum"),
            ("kh, kw, sh, sw, ph, pw", "kernel, stride and padding, by rows and by columns"),
        )

    @property
    def indices(self) -> tuple[tuple[str, str], ...]:
        sizes = {"i": "H", "j": "W", "k": "Ho", "l": "Wo"}
        runs = {i: f"1 to {n}" if self.first else f"0 to {n} - 1" for i, n in sizes.items()}
        return (
            ("i", f"the rows of the input, {runs['i']}"),
            ("j", f"its columns, {runs['j']}"),
            ("k", f"the rows of the output, {runs['k']}"),
            ("l", f"its columns, {runs['l']}"),
        )

    @property
    def answer(self) -> str:
        if self.find == "J":
            return "df_kl/dx_ij = [(i,j) == argmax(k,l)]"
        return "dx[i,j] = sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l)"

    @property
    def example(self) -> str:
        return EXAMPLES[0]

    def grader(self) -> PoolingGrader:
        from engine.pooling.grader import PoolingGrader

        return PoolingGrader(self.window, self.targets, self.first)


def from_mapping(given: Mapping[str, object]) -> PoolingExercise:
    """Read {layer: max-pool, kernel: 2, find: dx}.  Raises ExerciseError."""
    refuse_others(given, KEYS)
    kernel = _pair("kernel", given.get("kernel"), least=1)
    stride = _pair("stride", given.get("stride"), least=1)
    padding = _pair("padding", given.get("padding"), least=0)
    if kernel is None and (stride or padding):
        key = "stride" if stride else "padding"
        raise ExerciseError(f"exercise: {key} is {given[key]!r} without a kernel: give both.")
    if kernel and padding and any(2 * p > k for p, k in zip(padding, kernel, strict=True)):
        raise ExerciseError(
            f"exercise: padding is {given['padding']!r}: at most half the kernel "
            f"{kernel[0]}x{kernel[1]} is allowed."
        )
    find, first = _find(given.get("find", "any")), first_index(given.get("indices"))
    return PoolingExercise(POOLING, kernel, stride, padding, find, first)


def _find(value: object) -> Find:
    word = re.sub(r"\[[^\]]*\]|_\w+|\s", "", str(value).replace("∂", "d")).lower()
    if word in _FINDS:
        return _FINDS[word]
    raise ExerciseError(
        f"exercise: find is {value!r}: dx (the backward message), J (the Jacobian) "
        "or any is allowed."
    )


def _pair(name: str, value: object, least: int) -> Pair | None:
    if value is None:
        return None
    parts = list(value) if isinstance(value, list | tuple) else re.split(r"[x×,]", _bare(value))
    texts = [str(part).strip() for part in parts]
    numbers = [int(text) for text in texts if re.fullmatch(r"[0-9]{1,4}", text)]
    if (
        len(numbers) != len(texts)
        or len(numbers) not in (1, 2)
        or not least <= min(numbers) <= max(numbers) <= LARGEST
    ):
        raise ExerciseError(
            f"exercise: {name} is {value!r}: a whole number from {least} to {LARGEST}, "
            "or two of them like [2, 3], is allowed."
        )
    return numbers[0], numbers[-1]


def _bare(value: object) -> str:
    return str(value).strip().strip("()[]")
