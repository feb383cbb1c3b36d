"""What works on this machine and in this collection, and what does not: findings, as values."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from tui.doctor_collection import cards, journal, kept
from tui.doctor_finding import Finding
from tui.doctor_recording import recording
from tui.theme import colours as counted_colours

if TYPE_CHECKING:
    from engine.sandbox.worker import Worker

#: Every layer that may confine a function, with what it is for and where it exists.
LAYERS: dict[str, tuple[str, str]] = {
    "process": ("an error in it never reaches the app; none of your environment", ""),
    "limits": ("2 s of processor, 1 GB of memory, no process started", ""),
    "nobody": ("none of the rights of root", "only where the app is run by root"),
    "landlock": ("no file opened, no port of the network", "Linux 5.13 or newer"),
    "seccomp": ("no system call but those that computing needs", "Linux on x86-64 or arm64"),
}
_PACKAGES = ("numpy", "textual", "rich", "pyyaml", "markdown-it-py", "pygments")
_LEAST = (60, 20)


def findings(folder: Path, environment: Mapping[str, str]) -> list[Finding]:
    """Everything, in the order in which it is told."""
    return [
        *versions(),
        *functions(),
        *terminal(environment),
        *cards(folder),
        *journal(folder),
        *recording(folder),
        *kept(folder),
    ]


def versions() -> Iterator[Finding]:
    from tui.version import VERSION

    yield Finding("versions", "deltadeck", VERSION)
    yield Finding("versions", "Python", f"{platform.python_version()} on {platform.platform()}")
    for package in _PACKAGES:
        try:
            yield Finding("versions", package, version(package))
        except PackageNotFoundError:
            hint = "install deltadeck again, in a new environment"
            yield Finding("versions", package, "not installed", "error", hint)


def functions() -> Iterator[Finding]:
    """Which layers confine the functions that answers may be, and what was found by trying."""
    from engine.sandbox.confine import TRIES
    from engine.sandbox.wire import TOO_MUCH_MEMORY
    from engine.sandbox.worker import Worker, WorkerError

    try:
        with Worker() as worker:
            found = worker.confinement
            time = _tried(worker, "while True: pass", 0.1)
            memory = _tried(worker, "while np.ones(1 << 28).any(): pass", 3.0)
    except WorkerError as error:
        hint = "answers as formulas and in LaTeX are checked all the same"
        yield Finding("functions", "process", str(error), "error", hint)
        return
    for name, (promise, where) in LAYERS.items():
        if name in found.layers:
            yield Finding("functions", name, promise)
        elif name == "nobody" and os.geteuid():
            yield Finding("functions", name, "not needed: you are not root", "note")
        else:
            yield Finding("functions", name, f"missing: {promise}", "note", where)
    refused = ", ".join(what for what in TRIES if what not in (*found.left, TOO_MUCH_MEMORY))
    yield Finding("functions", "refused", f"when it was tried: {refused}")
    if found.left:
        hint = "you are asked before each function runs: let only those run that you trust"
        yield Finding("functions", "not refused", ", ".join(found.left), "warning", hint)
    yield Finding("functions", "time", time)
    yield Finding("functions", "memory", memory)


def _tried(worker: Worker, body: str, seconds: float) -> str:
    """What became of a function of ours that does not end by itself."""
    import numpy as np

    from engine.sandbox.fault import FunctionError

    with worker.session(f"def f(x):\n    {body}", seconds, unconfined=True) as session:
        try:
            session.call({"x": np.ones((1, 1))}, {}, [(1,)])
        except FunctionError as error:
            return f"`{body}`: {error}"
    return f"`{body}`: It was not stopped."


def terminal(environment: Mapping[str, str]) -> Iterator[Finding]:
    name = environment.get("TERM", "")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        yield Finding("terminal", "TERM", "this is none, or its output goes elsewhere", "note")
    elif name in ("", "dumb"):
        hint = "the app needs one that moves the cursor; `deltadeck show` prints without"
        yield Finding("terminal", "TERM", name or "not set", "warning", hint)
    else:
        yield Finding("terminal", "TERM", name)
        yield from _size()
    yield Finding("terminal", "colours", colours(environment))
    encoding = (sys.stdout.encoding or "").lower()
    if encoding.replace("-", "") != "utf8":
        hint = "formulas need UTF-8: set LANG to one that ends in .UTF-8"
        yield Finding("terminal", "encoding", encoding or "none", "warning", hint)
    else:
        yield Finding("terminal", "encoding", "UTF-8")
    yield _pictures()


def _size() -> Iterator[Finding]:
    try:
        size = os.get_terminal_size()
    except OSError:
        return
    small = size.columns < _LEAST[0] or size.lines < _LEAST[1]
    said = f"{size.columns} columns, {size.lines} lines"
    if small:
        hint = f"the app needs {_LEAST[0]} by {_LEAST[1]}"
        yield Finding("terminal", "size", said, "warning", hint)
    else:
        yield Finding("terminal", "size", said)


def colours(environment: Mapping[str, str]) -> str:
    number = counted_colours(environment)
    if not number:
        return "none, as NO_COLOR asks"
    return "16 million" if number > 256 else str(number)


def _pictures() -> Finding:
    try:
        return Finding("terminal", "pictures", f"textual-image {version('textual-image')}")
    except PackageNotFoundError:
        hint = "the extra `images` draws them, in terminals that can"
        return Finding("terminal", "pictures", "shown by their titles", "note", hint)


def code(found: list[Finding]) -> int:
    """The exit code: 0 where all is well, 1 where something is less than it could be, else 2."""
    told = {finding.status for finding in found}
    return 2 if "error" in told else 1 if "warning" in told else 0
