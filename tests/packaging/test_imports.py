"""Threads that import at once never wait for each other in a circle.

Whoever imports a module holds its lock while what it imports is loaded, its package first.  So two
threads lock each other out, and Python ends one import with an error, where a package imports its
own modules as it is loaded, or modules import each other.  (Found by a start of the app that met
its own thread which loads ahead: `deadlock detected by _ModuleLock`.)
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import engine
from tests.paths import ROOT

#: Only commands load these, which have one thread.
_ALONE = ("deck.exchange", "tui.commands")


def _modules() -> dict[str, Path]:
    files = (
        path for room in ("cards", "deck", "engine", "tui") for path in ROOT.glob(f"{room}/**/*.py")
    )
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in files}
    return {name.removesuffix(".__init__"): path for name, path in names.items()}


def _imported(path: Path) -> Iterator[str]:
    """What a module names in the imports that run as it is loaded."""
    waiting: list[ast.stmt] = list(ast.parse(path.read_text("utf-8")).body)
    while waiting:
        line = waiting.pop()
        if isinstance(line, ast.Import):
            yield from (name.name for name in line.names)
        elif isinstance(line, ast.ImportFrom) and line.module:
            yield line.module
            yield from (f"{line.module}.{name.name}" for name in line.names)
        elif isinstance(line, ast.If) and "TYPE_CHECKING" not in ast.unparse(line.test):
            waiting += [*line.body, *line.orelse]
        elif isinstance(line, ast.Try):
            waiting += [*line.body, *line.orelse, *line.finalbody]


def test_what_a_module_waits_for_never_waits_for_it() -> None:
    modules = _modules()
    waits = {
        name: {
            *(other for other in _imported(path) if other in modules and other != name),
            *([package] if (package := name.rpartition(".")[0]) else []),
        }
        for name, path in modules.items()
        if not name.startswith(_ALONE)
    }
    order = list(TopologicalSorter(waits).static_order())  # raises CycleError, which names it
    assert len(order) > 200


def test_importing_the_engine_brings_in_neither_numpy_nor_the_rest_of_the_program() -> None:
    code = """import sys, engine
from engine.registry import exercise_for, layers, may_ask
assert may_ask(None, ["backpropagation"], "derivation") and "max-pool" in layers()
exercise_for("max-pool", (), "derivation")
print(*sorted({'numpy','cards','deck','tui'} & set(sys.modules)))"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
    assert all(hasattr(engine, name) for name in engine.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Linear'"):
        engine.Linear  # noqa: B018
