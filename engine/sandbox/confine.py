"""All layers together, outermost last, and what they were found to refuse.

No layer is believed in: a child tries what it must not do, and tells the app before it is given any
code.  What was not refused is open to the function, and the app asks before it runs one.
"""

from __future__ import annotations

import errno
import mmap
import os
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from engine.sandbox.limits import die_with_parent, drop_rights, limit_resources
from engine.sandbox.wire import MEMORY, TOO_MUCH_MEMORY, Confinement

#: In this order: a change of user resets the first; what one forbids, those before it need.
_THEN: Final = [("", die_with_parent)]
with suppress(ImportError):  # Python may have been built without ctypes
    from engine.sandbox.landlock import forbid_files
    from engine.sandbox.seccomp import forbid_calls

    _THEN.extend((("landlock", forbid_files), ("seccomp", forbid_calls)))
_REFUSED: Final = (errno.EPERM, errno.EACCES, errno.EAGAIN, errno.ENOMEM)


def confine() -> Confinement:
    """Give up everything but the memory, the clock and the descriptors 0 to 3, for good.

    A layer that this machine lacks is left out; what that leaves open is found by trying.
    """
    os.closerange(4, min(os.sysconf("SC_OPEN_MAX"), 65536))
    os.environ.clear()
    os.chdir("/")
    sys.path.clear()
    sys.path_importer_cache.clear()
    nobody = [("nobody", drop_rights)] if os.geteuid() == 0 else []
    layers = ["process"]
    for name, layer in (("limits", limit_resources), *nobody, *_THEN):
        # The machine may lack a call, a filter of ours, a symbol of libc.
        with suppress(OSError, LookupError, ValueError, AttributeError, ImportError):
            layer()
            layers += [name] if name else []
    left = [what for what, tries in TRIES.items() if not all(map(_refused, tries))]
    return Confinement(tuple(layers), tuple(left))


def _refused(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError as error:
        return error.errno in _REFUSED
    return False


def _fork() -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


#: What a function must not do, as it is said, and calls that do it where they are let.  None does
#: harm: no file is called "", so where it is not refused, it is not found.
TRIES: Final[dict[str, tuple[Callable[[], object], ...]]] = {
    "reading files": (lambda: os.scandir("/"), lambda: os.open("/dev/null", os.O_RDONLY)),
    "writing or deleting files": (lambda: os.open("/dev/null", os.O_WRONLY),),
    "emptying files": (lambda: os.truncate("", 0),),
    "changing the rights of files": (lambda: os.chmod("", 0),),  # noqa: PTH101 (no Path is "")
    "using the network": (
        socket.socket,
        lambda: socket.socket(type=socket.SOCK_DGRAM),
        lambda: socket.socket(socket.AF_UNIX),
    ),
    "running programs": (
        lambda: os.execv("", ["-"]),
        lambda: mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_EXEC),
    ),
    "leaving processes behind": (_fork,),
    "reaching your other programs": (lambda: os.kill(os.getppid(), 0),),
    TOO_MUCH_MEMORY: (lambda: mmap.mmap(-1, 2 * MEMORY, prot=0),),
}
