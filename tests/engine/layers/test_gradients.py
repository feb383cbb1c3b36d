"""Every backward and parameter message is the slope of the forward message."""

from __future__ import annotations

import numpy as np
import pytest

from engine import BinaryCrossEntropy, CrossEntropy, Loss, Parametric, SquaredError, jacobian
from tests.engine.layers.cases import CASES, Case, inputs
from tests.engine.layers.gradients import WIDTHS, Array, Width, check_layer, check_loss


@pytest.mark.parametrize("lead", [(2,), (3, 2)], ids=str)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_messages_are_slopes(case: Case, lead: tuple[int, ...]) -> None:
    rng = np.random.default_rng(5)
    if not case.alone:
        lead = (4,)
    check_layer(case.make(rng), inputs(case, rng, lead), rng, case.exact)


@pytest.mark.parametrize("case", [c for c in CASES if c.alone], ids=str)
def test_batch_axes_are_only_stacked(case: Case) -> None:
    rng = np.random.default_rng(6)
    layer = case.make(rng)
    x = inputs(case, rng, (2, 3))
    f = layer.forward(x)
    delta = rng.standard_normal(f.shape)
    dx = layer.backward(delta)
    whole = dict(layer.messages) if isinstance(layer, Parametric) else {}
    sums = {name: np.zeros_like(value) for name, value in whole.items()}
    for at in np.ndindex(2, 3):
        np.testing.assert_allclose(layer.forward(x[at][None])[0], f[at], atol=1e-12)
        np.testing.assert_allclose(layer.backward(delta[at][None])[0], dx[at], atol=1e-12)
        for name in sums:
            assert isinstance(layer, Parametric)
            sums[name] += layer.messages[name]
    for name, total in whole.items():
        np.testing.assert_allclose(total, sums[name], atol=1e-10)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_backward_is_delta_times_the_jacobian(case: Case) -> None:
    rng = np.random.default_rng(7)
    layer = case.make(rng)
    x = inputs(case, rng, (2,))
    J = jacobian(layer, x)
    assert J.shape == layer.forward(x).shape + x.shape
    delta = rng.standard_normal(J.shape[: J.ndim - x.ndim])
    expected = np.tensordot(delta, J, axes=delta.ndim)
    np.testing.assert_allclose(layer.backward(delta), expected, atol=1e-10)


@pytest.mark.parametrize("width", WIDTHS, ids=str)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_width_of_the_numbers_stays(case: Case, width: Width) -> None:
    rng = np.random.default_rng(8)
    layer = case.make(rng)
    x: Array = inputs(case, rng, (4,)).astype(width)
    f = layer.forward(x)
    delta = np.ones(f.shape)
    dx = layer.backward(delta)
    if "MaxPool" in case.name and "Global" not in case.name:
        return  # its own tests say what it does
    assert (f.dtype, dx.dtype) == (width, width)
    if isinstance(layer, Parametric):
        assert all(message.dtype == np.float64 for message in layer.messages.values())
    wide = case.make(np.random.default_rng(8))
    near = {"float16": 2e-2, "float32": 2e-5, "float64": 0}[width.name]
    exact = wide.forward(x.astype(np.float64))
    np.testing.assert_allclose(f, exact, rtol=near, atol=near * max(1, np.abs(exact).max()))
    exact = wide.backward(delta)
    np.testing.assert_allclose(dx, exact, rtol=near, atol=near * max(1, np.abs(exact).max()))


def losses() -> list[tuple[Loss, str, bool]]:
    return [
        (SquaredError("none"), "real", True),
        (SquaredError("sum", factor=0.5), "real", True),
        (SquaredError(), "real", False),
        (BinaryCrossEntropy(reduction="none"), "chance", False),
        (BinaryCrossEntropy(logits=True), "chance", False),
        (BinaryCrossEntropy(logits=True, reduction="sum"), "chance", False),
        (CrossEntropy(), "distribution", False),
        (CrossEntropy(logits=True), "distribution", False),
        (CrossEntropy(logits=True, reduction="none"), "classes", False),
        (CrossEntropy(logits=True, axis=1, reduction="sum"), "distribution", False),
    ]


def targets(kind: str, rng: np.random.Generator) -> Array:
    if kind == "classes":
        return rng.integers(0, 4, (3, 2))
    if kind == "distribution":
        return rng.dirichlet(np.ones(4), (3, 2))
    return rng.random((3, 2, 4)) if kind == "chance" else rng.integers(-3, 4, (3, 2, 4)) + 0.0


@pytest.mark.parametrize(("loss", "kind", "exact"), losses(), ids=repr)
def test_the_message_of_a_loss_is_its_slope(loss: Loss, kind: str, exact: bool) -> None:
    rng = np.random.default_rng(9)
    y = rng.integers(-3, 4, (3, 2, 4)) + 0.0
    if not getattr(loss, "logits", True):
        y = 0.05 + 0.9 * rng.random((3, 2, 4))
    check_loss(loss, y, targets(kind, rng), rng, exact)


@pytest.mark.parametrize("width", WIDTHS, ids=str)
@pytest.mark.parametrize(("loss", "kind", "exact"), losses(), ids=repr)
def test_a_loss_keeps_the_width_of_its_prediction(
    loss: Loss, kind: str, exact: bool, width: Width
) -> None:
    rng = np.random.default_rng(9)
    y: Array = rng.random((3, 2, 4)).astype(width)
    assert loss.forward(y, targets(kind, rng)).dtype == width
    assert loss.backward().dtype == width
    assert exact in (True, False)
