"""A seccomp filter, through ctypes: the calls of `syscalls.py` and no other (seccomp(2)).

A refused call fails with EPERM, so that the learner reads "Operation not permitted" at the line
that asked for it.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
from typing import Final

from engine.sandbox.syscalls import MACHINES, Machine

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW: Final = 0x7FFF0000
_KILL: Final = 0x80000000
_REFUSE: Final = 0x00050000 | errno.EPERM
_NUMBER, _ARCHITECTURE, _THIRD_ARGUMENT = 0, 4, 32
_EXECUTABLE: Final = 0x4
#: Calls of x86-64's 32-bit face carry this bit and other numbers.
_X32: Final = 0x40000000
_SET_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2


def program(machine: Machine) -> bytes:
    """The filter in the kernel's format: 8 bytes an instruction (linux/filter.h)."""
    calls = machine.allowed
    end = len(calls) + len(machine.mapping)
    lines: list[tuple[int, int, int, int]] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, machine.audit),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_JUMP_AT_LEAST, end, 0, _X32),
    ]
    # Behind the comparisons stand: refuse, load the argument, test it, refuse, allow.
    for at, call in enumerate(machine.mapping):
        lines.append((_JUMP_EQUAL, end - at, 0, call))
    for at, call in enumerate(calls, len(machine.mapping)):
        lines.append((_JUMP_EQUAL, end - at + 3, 0, call))
    lines += [
        (_RETURN, 0, 0, _REFUSE),
        (_LOAD, 0, 0, _THIRD_ARGUMENT),
        (_JUMP_ANY_BIT, 0, 1, _EXECUTABLE),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)


def forbid_calls() -> None:
    """Confine this process for good.  Raises OSError where the kernel refuses, or LookupError."""
    code = program(MACHINES[platform.machine()])
    buffer = ctypes.create_string_buffer(code, len(code))
    # struct sock_fprog: the number of instructions, padded to a pointer, and where they are.
    header = struct.pack("@HP", len(code) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.prctl(
        _SET_SECCOMP, _FILTER, ctypes.create_string_buffer(header, len(header)), 0, 0
    ):
        raise OSError(ctypes.get_errno(), "seccomp")
