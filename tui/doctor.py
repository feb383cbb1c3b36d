"""What works on this machine and in this collection, and what does not: findings, as values."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tui.doctor_collection import cards, journal, kept
from tui.doctor_finding import Finding
from tui.doctor_recording import recording
from tui.theme import colours as counted_colours

#: Every layer that may confine a function, with what it promises and where it exists.
LAYERS: dict[str, tuple[str, str]] = {
    "process": ("an error or an endless loop in it never reaches the app; 3 seconds", ""),
    "limits": ("2 s of processor, 1 GB of memory, no file written, no process started", ""),
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
    """Which layers confine the functions that answers may be."""
    from engine.sandbox.worker import Worker, WorkerError

    try:
        with Worker() as worker:
            active = worker.layers
    except WorkerError as error:
        hint = "answers as formulas and in LaTeX are checked all the same"
        yield Finding("functions", "process", str(error), "error", hint)
        return
    for name, (promise, where) in LAYERS.items():
        if name in active:
            yield Finding("functions", name, promise)
        elif name == "nobody":
            yield Finding("functions", name, "not needed: you are not root", "note")
        else:
            hint = f"{where}; without it, check only functions that you trust"
            yield Finding("functions", name, f"missing: {promise}", "warning", hint)


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
