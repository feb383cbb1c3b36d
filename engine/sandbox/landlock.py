"""Landlock, through ctypes: no path, no port, no signal to others (landlock(7))."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from typing import Final

_CREATE, _RESTRICT = 444, 446  # the same numbers on every machine
_VERSION_FLAG: Final = 1
_SET_NO_NEW_PRIVILEGES: Final = 38
#: Rights over files known to each version of the interface, as the number of their bits.
_FILE_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_NETWORK_RIGHTS: Final = 0b11  # bind, connect: since version 4
_SCOPES: Final = 0b11  # abstract sockets, signals: since version 6


def version() -> int:
    """The interface's version in this kernel; 0 where there is none."""
    if platform.system() != "Linux":
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    asked = (ctypes.c_long(_CREATE), None, ctypes.c_size_t(0), ctypes.c_long(_VERSION_FLAG))
    return max(0, int(libc.syscall(*asked)))


def forbid_files() -> None:
    """Confine this process for good.  Raises OSError where the kernel refuses."""
    known = version()
    if not known:
        raise OSError(errno.ENOSYS, "landlock")
    rules = struct.pack(
        "=QQQ",
        (1 << _FILE_RIGHTS.get(known, 16)) - 1,
        _NETWORK_RIGHTS if known >= 4 else 0,
        _SCOPES if known >= 6 else 0,
    )
    # An older kernel takes a shorter structure.
    rules = rules[: 8 if known < 4 else 16 if known < 6 else 24]
    libc = ctypes.CDLL(None, use_errno=True)
    handed, size = ctypes.create_string_buffer(rules, len(rules)), ctypes.c_size_t(len(rules))
    handle = libc.syscall(ctypes.c_long(_CREATE), handed, size, ctypes.c_long(0))
    if handle < 0:
        raise OSError(ctypes.get_errno(), "landlock")
    try:
        if libc.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.syscall(
            ctypes.c_long(_RESTRICT), handle, ctypes.c_long(0)
        ):
            raise OSError(ctypes.get_errno(), "landlock")
    finally:
        os.close(handle)
