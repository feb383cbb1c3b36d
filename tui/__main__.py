"""`deltadeck`, or `python -m tui`: the process, with its streams and the garbage collector.

It imports nothing of ours before it has said that it was started.
"""

import gc
import os
import sys


def run() -> int:
    """Run the program; returns its exit code."""
    # Loading takes longer than a blink: a line says that the key was heard; `tui.start` wipes it.
    if _opens_the_app(sys.argv[1:]) and _is_terminal():
        os.write(1, b"deltadeck \xe2\x80\xa6\r")
    _speak_utf8()
    gc.disable()  # what is imported stays
    try:
        from tui.main import main  # behind the line, which it would keep waiting

        code = main()
    except KeyboardInterrupt:  # before there was anything to interrupt
        return 130
    gc.freeze()  # what is left goes with the process: Python need not look through it three times
    return code


def _opens_the_app(arguments: list[str]) -> bool:
    """A first guess, without the parser: where it is unsure, nothing is said."""
    folders = [each for each in arguments if each != "study"]
    return all(not each.startswith("-") and os.path.isdir(each) for each in folders)  # noqa: PTH112


def _is_terminal() -> bool:
    """Whether both ends are a terminal that can wipe a line."""
    return os.environ.get("TERM", "dumb") != "dumb" and os.isatty(0) and os.isatty(1)


def _speak_utf8() -> None:
    """Write UTF-8 into pipes and files whatever the locale says, and never fail to.

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


if __name__ == "__main__":
    sys.exit(run())
