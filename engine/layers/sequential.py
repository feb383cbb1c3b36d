"""Layers one after the other."""

from __future__ import annotations

from numpy.typing import ArrayLike

from engine.layers.checks import Array, real
from engine.layers.derived import Derived
from engine.layers.layer import Layer, Parametric, checked


class Sequential(Derived):
    """f = f_n(... f_2(f_1(x))): what each layer passes on is the next one's input.

    By the chain rule the Jacobians multiply, so the backward messages run through the layers in
    reverse: dL/df_(m−1) = df_m/df_(m−1) applied to dL/df_m.  Parameters are named by the place of
    their layer: "0.weight", "2.bias".  Of the subgradients where a layer has a kink, `valid` knows
    only the one that `backward` sends.
    """

    def __init__(self, *layers: Layer) -> None:
        for place, layer in enumerate(layers):
            checked(f"layer {place}", layer)
        self.layers = layers

    def __repr__(self) -> str:
        return f"Sequential({', '.join(map(repr, self.layers))})"

    @property
    def parameters(self) -> dict[str, Array]:
        return {
            f"{place}.{name}": value
            for place, layer in self._parametric
            for name, value in layer.parameters.items()
        }

    @property
    def messages(self) -> dict[str, Array]:
        return {
            f"{place}.{name}": value
            for place, layer in self._parametric
            for name, value in layer.messages.items()
        }

    @property
    def _parametric(self) -> list[tuple[int, Parametric]]:
        return [
            (place, layer)
            for place, layer in enumerate(self.layers)
            if isinstance(layer, Parametric)
        ]

    def forward(self, x: ArrayLike) -> Array:
        """Return the last layer's forward message."""
        f = real("x", x)
        for layer in self.layers:
            f = layer.forward(f)
        return f

    def backward(self, delta: ArrayLike) -> Array:
        """Return dL/dx at the last x; every layer has its parameters' messages then."""
        message = real("delta", delta)
        for layer in reversed(self.layers):
            message = layer.backward(message)
        return message
