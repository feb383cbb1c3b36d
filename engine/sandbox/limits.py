"""The limits that every Unix has: time, memory, files, processes, and no rights beyond nobody's."""

from __future__ import annotations

import os
import platform
import resource
import signal
from pathlib import Path
from typing import Final

from engine.sandbox.wire import MEMORY

CPU_SECONDS: Final = 2
_NOBODY: Final = 65534
_SET_DEATH_SIGNAL, _SET_DUMPABLE = 1, 4


def limit_resources() -> None:
    """Raises OSError or ValueError where the system refuses."""
    hard = resource.RLIM_INFINITY
    wanted = {
        # The second one kills, whatever became of the first one's signal.
        resource.RLIMIT_CPU: (CPU_SECONDS, CPU_SECONDS + 1),
        resource.RLIMIT_FSIZE: (0, 0),
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_NPROC: (0, 0),
    }
    if platform.system() == "Linux":  # elsewhere the system's libraries alone take more
        wanted[resource.RLIMIT_AS] = (MEMORY + _address_space(),) * 2
    for which, (soft, most) in wanted.items():
        _, allowed = resource.getrlimit(which)
        if allowed != hard:
            soft, most = min(soft, allowed), min(most, allowed)
        resource.setrlimit(which, (soft, most))


def _address_space() -> int:
    try:
        pages = Path("/proc/self/statm").read_text().split()[0]
    except OSError:  # no /proc, as in a bare chroot: more than the warm process takes
        return MEMORY
    return int(pages) * resource.getpagesize()


def drop_rights() -> None:
    """Become nobody, from root.  Raises OSError where the system refuses."""
    os.setgroups([])
    os.setresgid(_NOBODY, _NOBODY, _NOBODY)
    os.setresuid(_NOBODY, _NOBODY, _NOBODY)


def die_with_parent() -> None:
    """On Linux: end when the warm process ends, and let no one look into our memory."""
    if platform.system() == "Linux":
        import ctypes

        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        libc.prctl(_SET_DUMPABLE, 0, 0, 0, 0)
