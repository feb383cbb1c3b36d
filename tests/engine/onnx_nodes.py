"""The node tests that PyPI's `onnx` ships: inputs and expected outputs, operator by operator.

The package makes them in Python: importing a module of its `backend.test.case.node` adds the
cases of one operator to a list.  Those named `_expanded` are left out: they are the same data for
the operator written out in others.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx.backend.test.case import node as shipped

Array = NDArray[Any]
Attributes = dict[str, Any]


def cases(modules: Iterable[str], operators: Iterable[str]) -> list[Any]:
    """Every case of these operators, which these modules make, by name."""
    for module in modules:
        importlib.import_module(f"{shipped.__name__}.{module}")
    kept, found = set(operators), {}
    for case in shipped._NodeTestCases:
        nodes = case.model.graph.node
        if "_expanded" not in case.name and len(nodes) == 1 and nodes[0].op_type in kept:
            found[case.name] = case
    return [found[name] for name in sorted(found)]


def operator(case: Any) -> str:
    return str(case.model.graph.node[0].op_type)


def attributes(case: Any) -> Attributes:
    values = {
        a.name: onnx.helper.get_attribute_value(a) for a in case.model.graph.node[0].attribute
    }
    return {
        name: value.decode() if isinstance(value, bytes) else value
        for name, value in values.items()
    }


def given(case: Any) -> dict[str, Array]:
    """The inputs by the names that the node has for them."""
    names = filter(None, case.model.graph.node[0].input)
    return dict(zip(names, map(np.asarray, case.data_sets[0][0]), strict=True))


def expected(case: Any) -> list[Array]:
    return [np.asarray(output) for output in case.data_sets[0][1]]
