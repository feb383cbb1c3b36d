"""Runs a command on a machine that lacks something: `-m tests.engine.sandbox.without landlock CMD`.

A filter in the kernel, inherited by all that the command starts, refuses as an old kernel or a
container does: no Landlock (ENOSYS), no seccomp (EINVAL), or a limit of memory that is taken and
not held, as on macOS.  Several are named with commas between them.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000
_X86: Final = platform.machine() == "x86_64"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A call that ends at once with an error (0: as if it were done)."""

    number: int
    error: int
    equal: tuple[tuple[int, int], ...] = ()
    """Arguments, by their place, and the values that they must have."""
    unlike: tuple[tuple[int, int], ...] = ()

    def lines(self) -> list[tuple[int, int, int, int]]:
        tests = [(_EQUAL, 0, value, at) for at, value in self.equal]
        tests += [(_EQUAL, 1, value, at) for at, value in self.unlike]
        left = 2 * len(tests) + 1
        found = [(_LOAD, 0, 0, 0), (_EQUAL, 0, left, self.number)]
        for kind, unlike, value, at in tests:
            left -= 2
            found.append((_LOAD, 0, 0, 16 + 8 * at))
            found.append((kind, left * unlike, left * (not unlike), value))
        return [*found, (_RETURN, 0, 0, _ERROR | self.error)]


LACKS: Final[dict[str, tuple[Refusal, ...]]] = {
    "nothing": (),
    "landlock": tuple(Refusal(number, errno.ENOSYS) for number in (444, 445, 446)),
    "seccomp": (
        Refusal(157 if _X86 else 167, errno.EINVAL, equal=((0, 22),)),
        Refusal(317 if _X86 else 277, errno.ENOSYS),
    ),
    "pidfd": (Refusal(434, errno.ENOSYS),),
    # prlimit of the address space, where it sets one.
    "memory": (Refusal(302 if _X86 else 261, 0, equal=((1, 9),), unlike=((2, 0),)),),
}


def command(lacks: str, *arguments: str) -> list[str]:
    """The command that runs Python with `arguments` on such a machine."""
    return [sys.executable, "-m", "tests.engine.sandbox.without", lacks, sys.executable, *arguments]


def _lack(lacks: Sequence[str]) -> None:
    lines = [line for lack in lacks for refusal in LACKS[lack] for line in refusal.lines()]
    code = b"".join(struct.pack("=HBBI", *line) for line in [*lines, (_RETURN, 0, 0, _ALLOW)])
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("@HP", len(code) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    held = ctypes.create_string_buffer(header, len(header))
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, held, 0, 0):
        raise OSError(ctypes.get_errno(), "the filter of this test")


if __name__ == "__main__":
    _lack(sys.argv[1].split(","))
    os.execv(sys.argv[2], sys.argv[2:])
