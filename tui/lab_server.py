"""The lab's helper process: answers requests over its pipes, one at a time, until they close.

NumPy holds the interpreter's lock for milliseconds at a time; in a process of its own a check
never makes a key wait, and one that takes too long can be ended.  Frames are pickles between two
processes of one program: what a learner's function returns never reaches them (engine/sandbox).
"""

from __future__ import annotations

import pickle
import struct
import sys
import traceback
from typing import IO, Any, Final

#: Of a frame: the length of the pickle that follows.
HEAD: Final = struct.Struct("!I")


class FaultError(RuntimeError):
    """A fault of ours in the helper, with its traceback."""


def write(stream: IO[bytes], what: Any) -> None:
    data = pickle.dumps(what, pickle.HIGHEST_PROTOCOL)
    stream.write(HEAD.pack(len(data)) + data)
    stream.flush()


def read(stream: IO[bytes]) -> Any:
    """Raises EOFError where the other side is gone."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        raise EOFError
    (length,) = HEAD.unpack(head)
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return pickle.loads(data)


def answer(request: Any) -> Any:
    """What a request comes to; it is one of ours, told by its type."""
    from tui.commands.check import CheckAsked, verdict_of
    from tui.lab_brief import BriefAsked, known
    from tui.lab_hand import HandAsked, sheet
    from tui.lab_work import Asked, find

    if isinstance(request, Asked):
        return find(request)
    if isinstance(request, CheckAsked):
        return verdict_of(request)
    if isinstance(request, BriefAsked):
        return known(request)
    assert isinstance(request, HandAsked)
    return sheet(request)


def main() -> None:
    """Serve standard input."""
    source, target = sys.stdin.buffer, sys.stdout.buffer
    _warm()
    while True:
        try:
            request = read(source)
        except EOFError:
            return
        try:
            found = answer(request)
        except Exception:  # noqa: BLE001  (the edge of this process: it is raised in the other)
            found = FaultError(traceback.format_exc())
        write(target, found)


def _warm() -> None:
    """What the first request would wait for."""
    from importlib import import_module

    for name in ("cards.math", "engine.checking", "engine.pooling_grader", "tui.lab_work"):
        import_module(name)
