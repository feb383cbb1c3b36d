"""A built-in layer: its forward message, and what belongs to an exercise about it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.exercise import word


@dataclass(frozen=True, slots=True)
class Layer:
    title: str
    given: str
    answer: str
    """A right answer to what is asked first."""
    tags: tuple[str, ...]
    """Tags that name it, without hyphens."""
    find: tuple[str, ...] = ("any",)
    sizes: Mapping[str, object] = field(default_factory=dict)
    constants: Mapping[str, float] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)
    beyond: tuple[str, ...] = ()
    """Layers that this is a kind of or holds: beside a tag of theirs, a tag of this one counts."""
    joins: tuple[str, ...] = ()
    """Layers that this is the join of: their tags together mean this one."""
    from_one: tuple[str, str] = ("", "")
    """The message and the answer with indices from 1, where they read otherwise then."""
    names: Mapping[str, str] = field(default_factory=dict)
    """What print calls a given name, or a formula of them: {"mu": "m", "sigma": "sqrt(v)"}."""
    of_examples: bool = False
    """Whether its index runs over the examples of a batch, not over the numbers of one."""

    @property
    def loss(self) -> bool:
        return self.given.splitlines()[-1].startswith("L = ")

    @property
    def below(self) -> tuple[str, ...]:
        """What it is differentiated by: its input and its parameters."""
        return tuple(dict.fromkeys(re.findall(r"/d([A-Za-z]+)", " ".join(self.find)))) or ("x",)


def unit(
    name: str,
    title: str,
    rule: str,
    slope: str,
    *tags: str,
    beyond: tuple[str, ...] = (),
    above: str = "",
    **constants: float,
) -> Layer:
    """A function of each number by itself."""
    return Layer(
        title,
        f"{above}y[k] = {rule}",
        f"dL/dx[k] = delta[k] * {slope}",
        (word(name), *tags),
        sizes={"k": 3},
        constants=constants,
        beyond=beyond,
        names={"alpha": "a"} if "a" in constants else {},
    )


def linear(title: str, y: str, weight: str, bias: str, *tags: str) -> Layer:
    """A weighted sum of the inputs for each output; `bias` is "" where there is none."""
    terms = [f"sum({weight} * x[j] for j)", *filter(None, (bias,))]
    asked = ["x[j]", weight, *terms[1:]]
    right = f"delta * {weight}" if y == "y" else f"sum(delta[k] * {weight} for k)"
    lower = [cell.replace("k", "m") for cell in asked]
    return Layer(
        title,
        f"{y} = {' + '.join(terms)}",
        f"dL/dx[j] = {right}",
        tags,
        find=(*(f"dL/d{cell}" for cell in asked), *(f"d{y}/d{cell}" for cell in lower)),
        sizes={"j": 3} if y == "y" else {"j": 3, "k": 2},
    )
