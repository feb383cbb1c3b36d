"""What a card asks to be derived: the layer, its window, and which of its messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Pair: TypeAlias = tuple[int, int]
Find: TypeAlias = Literal["dx", "J", "any"]

LAYERS: Final = ("max-pool",)
KEYS: Final = ("layer", "kernel", "stride", "padding", "find")
#: Larger windows would only make each check slower, and its counterexamples longer.
LARGEST: Final = 7

_LAYER_TAGS: Final = {"maxpool", "maxpooling", "maxpool2d", "maxpooling2d"}
_MESSAGE_TAGS: Final = {"backpropagation", "backprop", "backwardpass", "gradients", "gradient"}
_FINDS: Final[dict[str, Find]] = {
    "dx": "dx",
    "dl/dx": "dx",
    "backward": "dx",
    "j": "J",
    "df/dx": "J",
    "jacobian": "J",
    "any": "any",
    "either": "any",
}


class ExerciseError(ValueError):
    """A card's exercise that cannot be; the sentence names the key, the value and what may be."""


@dataclass(frozen=True, slots=True)
class Exercise:
    """An exercise on a layer.  Without a kernel it is about any window and any overlap."""

    layer: str = "max-pool"
    kernel: Pair | None = None
    stride: Pair | None = None
    padding: Pair | None = None
    find: Find = "any"
    """The backward message dL/dx, the Jacobian df/dx, or whichever of them is answered."""

    @property
    def description(self) -> str:
        """One sentence that tells the learner what is asked."""
        asked = {
            "dx": "the backward message dL/dx[i,j], given delta[k,l] = dL/df[k,l],",
            "J": "the Jacobian df[k,l]/dx[i,j]",
            "any": "the backward message dL/dx[i,j] or the Jacobian df[k,l]/dx[i,j]",
        }[self.find]
        return f"Write {asked} of max pooling {self._window}."

    @property
    def _window(self) -> str:
        if self.kernel is None:
            return "for any kernel, stride and padding"
        (kh, kw), (sh, sw) = self.kernel, self.stride or self.kernel
        words = f"with kernel {kh}×{kw} and stride {sh}×{sw}"
        ph, pw = self.padding or (0, 0)
        return f"{words}, padded by {ph}×{pw}" if ph or pw else words

    @property
    def symbols(self) -> tuple[tuple[str, str], ...]:
        """What an answer may speak of, each with its meaning."""
        return (
            ("x[i,j]", "the input"),
            ("f[k,l]", "the forward message, max(Omega(k,l))"),
            ("delta[k,l]", "the upstream message dL/df[k,l]"),
            ("Omega(k,l)", "the input coordinates in window (k,l); also window(k,l)"),
            ("argmax(k,l)", "the coordinates of its first maximum"),
            ("kh, kw, sh, sw, ph, pw", "kernel, stride and padding, by rows and by columns"),
        )

    @property
    def example(self) -> str:
        """A well-formed answer to show the notation: average pooling's, so a wrong one here."""
        if self.find == "J":
            return "df_kl/dx_ij = 1/(kh*kw) if (i,j) in Omega(k,l) else 0"
        return "dx[i,j] = sum(delta[k,l]/(kh*kw) for k,l if (i,j) in Omega(k,l))"


def exercise_for(exercise: object, tags: Iterable[str], type: str) -> Exercise | None:
    """Return a card's exercise, from its `exercise` value or else from its tags; None without one.

    The value is a mapping of texts ({layer: max-pool, kernel: 2, find: dx}), the name of a layer,
    or "none".  With no value, a derivation whose tags name max pooling together with
    backpropagation or gradients asks for the general exercise.  Raises ExerciseError.
    """
    if exercise is None or exercise == "":
        words = {re.sub(r"[^a-z0-9]", "", tag.lower()) for tag in tags}
        asked = type == "derivation" and words & _LAYER_TAGS and words & _MESSAGE_TAGS
        return Exercise() if asked else None
    if isinstance(exercise, str):
        if exercise.strip().lower() in ("none", "no", "off", "false"):
            return None
        return Exercise(layer=_layer(exercise))
    if isinstance(exercise, Mapping):
        return _from_mapping(exercise)
    raise ExerciseError(
        f"exercise is {exercise!r}: a layer ({', '.join(LAYERS)}), `none`, "
        "or a mapping like {layer: max-pool, kernel: 2} is allowed."
    )


def _from_mapping(given: Mapping[str, object]) -> Exercise:
    for key in given:
        if key not in KEYS:
            raise ExerciseError(f"exercise: {key!r} is unknown: {', '.join(KEYS)} are allowed.")
    if "layer" not in given:
        raise ExerciseError(f"exercise: layer is missing: {', '.join(LAYERS)} is allowed.")
    layer = _layer(given["layer"])
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
    return Exercise(layer, kernel, stride, padding, _find(given.get("find", "any")))


def _layer(value: object) -> str:
    name = re.sub(r"[^a-z0-9]", "", str(value).lower())
    if name in _LAYER_TAGS:
        return "max-pool"
    raise ExerciseError(f"exercise: layer {value!r} is unknown: {', '.join(LAYERS)} is allowed.")


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
