"""The way in: says at once that the program is coming, then loads the command line.

Loading Textual takes longer than a blink; a line on the screen after some hundredths of a second
tells that the key was heard.  It is wiped when the app is left, so that no trace of it stays.
"""

from __future__ import annotations

import gc
import os
import sys

_WIPE = b"\r\x1b[2K"


def main() -> int:
    if _opens_the_app(sys.argv[1:]) and _is_terminal():
        os.write(1, b"deltadeck \xe2\x80\xa6\r")
    _speak_utf8()
    gc.disable()  # what is imported stays
    try:
        from tui.cli import main as run

        code = run()
    except KeyboardInterrupt:  # before there was anything to interrupt
        return 130
    gc.freeze()  # what is left goes with the process: Python need not look through it three times
    return code


def _speak_utf8() -> None:
    """What goes into a pipe or a file is UTF-8 whatever the locale says, and never an error.

    A terminal gets what it reads.  A name that is no text (a file's may be any bytes) is written
    as its escape, which in JSON means the same name.  A stream that is closed swallows all, and
    has nothing to read.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
            continue
        as_it_is = stream.isatty() or "PYTHONIOENCODING" in os.environ
        encoding = stream.encoding if as_it_is else "utf-8"
        if (encoding, "backslashreplace") != (stream.encoding, stream.errors):
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def wipe() -> None:
    """Take the first line away again; the cursor stands on it."""
    if _is_terminal():
        os.write(1, _WIPE)


def _opens_the_app(arguments: list[str]) -> bool:
    """A first guess, without the parser: where it is unsure, nothing is said."""
    folders = [each for each in arguments if each != "study"]
    return all(not each.startswith("-") and os.path.isdir(each) for each in folders)  # noqa: PTH112


def _is_terminal() -> bool:
    """Whether both ends are a terminal that knows how to wipe a line."""
    return os.environ.get("TERM", "dumb") != "dumb" and os.isatty(0) and os.isatty(1)
