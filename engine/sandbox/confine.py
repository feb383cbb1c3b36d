"""Layers that confine this process, outermost last, and what they were found to refuse.

No layer is believed in: a child tries what it must not do, and tells the app before it is given any
code.  What was not refused is open to the function, and the app asks before it runs one.
"""

from __future__ import annotations

import errno
import mmap
import os
import platform
import resource
import signal
import socket
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine.sandbox.wire import MEMORY, TOO_MUCH_MEMORY, Confinement

try:
    import ctypes
except ImportError:  # Python may have been built without it: there, these layers are missing
    ctypes = None  # type: ignore[assignment]

# -- The limits that every Unix has: time, memory, files, processes, and no rights beyond nobody's.


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
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        libc.prctl(_SET_DUMPABLE, 0, 0, 0, 0)


# -- The system calls that a computation needs once everything is loaded, by machine.
#
# Numbers: the kernel's tables, arch/x86/entry/syscalls/syscall_64.tbl and
# include/uapi/asm-generic/unistd.h (aarch64).


@dataclass(frozen=True, slots=True)
class Machine:
    audit: int
    """AUDIT_ARCH_* of linux/audit.h, which a filter sees with each call."""
    allowed: tuple[int, ...]
    mapping: tuple[int, ...]
    """mmap and mprotect: allowed unless they ask for executable memory."""


# In the order: read write close lseek fstat munmap brk mremap madvise futex rt_sigprocmask
# rt_sigreturn sigaltstack clock_gettime gettimeofday getrandom getpid gettid sched_yield exit
# exit_group restart_syscall
MACHINES: Final = {
    "x86_64": Machine(
        audit=0xC000003E,
        allowed=(
            *(0, 1, 3, 8, 5, 11, 12, 25, 28, 202, 14),
            *(15, 131, 228, 96, 318, 39, 186, 24, 60, 231, 219),
        ),
        mapping=(9, 10),
    ),
    "aarch64": Machine(
        audit=0xC00000B7,
        allowed=(
            *(63, 64, 57, 62, 80, 215, 214, 216, 233, 98, 135),
            *(139, 132, 113, 169, 278, 172, 178, 124, 93, 94, 128),
        ),
        mapping=(222, 226),
    ),
}


# -- Landlock, through ctypes: no path, no port, no signal to others (landlock(7)).


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


# -- A seccomp filter, through ctypes: the calls of `MACHINES` and no other (seccomp(2)).
#
# A refused call fails with EPERM, so that the learner reads "Operation not permitted" at the line
# that asked for it.


_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW: Final = 0x7FFF0000
_KILL: Final = 0x80000000
_REFUSE: Final = 0x00050000 | errno.EPERM
_NUMBER, _ARCHITECTURE, _THIRD_ARGUMENT = 0, 4, 32
_EXECUTABLE: Final = 0x4
#: Calls of x86-64's 32-bit face carry this bit and other numbers.
_X32: Final = 0x40000000
_SET_SECCOMP, _FILTER = 22, 2


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


# -- All layers together.

#: In this order: a change of user resets the first; what one forbids, those before it need.
_THEN: Final = (("", die_with_parent), ("landlock", forbid_files), ("seccomp", forbid_calls))
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
