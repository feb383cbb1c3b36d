"""The system calls of a process and its children that touch the disk, stopped one by one.

The process is forked with a filter (seccomp, Linux 5.6 or later) by which the kernel asks this one
before each such call, whoever makes it: Python, SQLite or git.  The answer lets the call happen,
fails it, does the half of a write, or is the end of them all.  Nothing is traced otherwise, so
that a call costs some 50 µs.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import platform
import select
import signal
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

_MACHINES = {"x86_64": (0xC000003E, 317), "aarch64": (0xC00000B7, 277)}
#: Each call's number on x86_64 and aarch64 (-1: none), and which argument says what it concerns: a
#: handle (h), a path (p), a path below a handle (d).
_CALLS = {
    "open": (2, -1, "p0"), "openat": (257, 56, "d0"), "creat": (85, -1, "p0"),
    "write": (1, 64, "h0"), "pwrite64": (18, 68, "h0"), "writev": (20, 66, "h0"),
    "fsync": (74, 82, "h0"), "fdatasync": (75, 83, "h0"), "sync": (162, 81, ""),
    "syncfs": (306, 267, "h0"), "rename": (82, -1, "p1"), "renameat": (264, 38, "d2"),
    "renameat2": (316, 276, "d2"), "link": (86, -1, "p1"), "linkat": (265, 37, "d2"),
    "unlink": (87, -1, "p0"), "unlinkat": (263, 35, "d0"), "rmdir": (84, -1, "p0"),
    "symlink": (88, -1, "p1"), "symlinkat": (266, 36, "d1"), "mkdir": (83, -1, "p0"),
    "mkdirat": (258, 34, "d0"), "truncate": (76, 45, "p0"), "ftruncate": (77, 46, "h0"),
    "fallocate": (285, 47, "h0"), "utimensat": (280, 88, "d0"), "chmod": (90, -1, "p0"),
    "fchmod": (91, 52, "h0"), "fchmodat": (268, 53, "d0"), "copy_file_range": (326, 285, "h2"),
    "sendfile": (40, 71, "h0"),
}  # fmt: skip
#: Reading; not stopped unless it is asked for.
_READS = {"read": (0, 63, "h0"), "pread64": (17, 67, "h0"), "getdents64": (217, 61, "h0")}
#: Which argument of an opening says how.
_FLAGS = {"open": 1, "openat": 2}
_PIDFD_OPEN, _PIDFD_GETFD = 434, 438
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
#: Seconds after which a process that does nothing is stuck.
_PATIENCE = 60.0

Act = Callable[[Connection], None]


class Call(NamedTuple):
    """A call that is about to happen."""

    name: str
    path: str
    """What it concerns, below the folder that is watched; the target of two."""
    inode: int
    """Of the open file that it concerns; 0 of a call by paths."""
    writes: int
    """Bytes."""
    reads: bool = False
    """Whether it only reads, or opens to read."""


class Fate(NamedTuple):
    """What becomes of a call."""

    errno: int = 0
    half: bool = False
    """The half of the write is done first."""
    kill: bool = False


HAPPENS = Fate()
Decide = Callable[[Call, list[Any]], Fate]


class Ended(NamedTuple):
    """How a process came to its end."""

    said: list[Any]
    killed: bool
    code: int


def unavailable() -> str:
    """Why no calls can be stopped on this machine; "" where they can."""
    if platform.system() != "Linux" or platform.machine() not in _MACHINES:
        return "system calls are stopped on Linux (x86_64, aarch64) alone"
    try:
        done = stopped(lambda _: os.unlink("/nowhere"), Path("/nowhere"), lambda *_: HAPPENS)  # noqa: PTH108
    except OSError as error:
        return f"the system lets no one stop system calls: {error.strerror}"
    return "" if done.code == 1 else "the system lets no one stop system calls"


def stopped(act: Act, folder: Path, decide: Decide, reads: bool = False) -> Ended:
    """Runs `act` in a process of its own; `decide` is asked before each call that concerns what is
    in `folder`, with what `act` has sent so far."""
    ours, theirs = socket.socketpair()
    hears, says = Pipe(duplex=False)
    child = os.fork()
    if child == 0:
        _become(act, theirs, says, reads)
    theirs.close()
    says.close()
    said: list[Any] = []
    try:
        listener = _received(ours)
        try:
            killed = _serve(child, listener, folder, lambda call: decide(call, _hear(hears, said)))
        finally:
            os.close(listener)
    except BaseException:
        _kill(child)
        os.waitpid(child, 0)
        raise
    finally:
        ours.close()
    _, status = os.waitpid(child, 0)
    _hear(hears, said)
    hears.close()
    return Ended(said, killed, os.waitstatus_to_exitcode(status))


def forked(act: Act) -> Ended:
    """The same without any call stopped."""
    hears, says = Pipe(duplex=False)
    child = os.fork()
    if child == 0:
        _run(act, says)
    says.close()
    said: list[Any] = []
    with suppress(EOFError):
        while True:
            said.append(hears.recv())
    hears.close()
    return Ended(said, False, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def _hear(hears: Connection, said: list[Any]) -> list[Any]:
    with suppress(EOFError):
        while hears.poll():
            said.append(hears.recv())
    return said


# In the child.


def _become(act: Act, socket_: socket.socket, says: Connection, reads: bool) -> None:
    try:
        os.setsid()
        listener = _filtered(reads)
        socket.send_fds(socket_, [b"."], [listener])
        os.close(listener)
        socket_.close()
    except OSError as error:
        socket_.send(struct.pack("i", error.errno or errno.ENOSYS))
        os._exit(3)
    _run(act, says)


def _run(act: Act, says: Connection) -> None:
    code = 1
    try:
        act(says)
        code = 0
    finally:
        os._exit(code)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def _filtered(reads: bool) -> int:
    """Has the kernel ask before the calls, from now on; the handle at which it does."""
    system = ctypes.CDLL(None, use_errno=True)
    code = _program(reads)
    held = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(code) // 8, ctypes.addressof(held))
    if system.prctl(38, 1, 0, 0, 0):  # PR_SET_NO_NEW_PRIVS
        raise OSError(ctypes.get_errno(), "no_new_privs")
    # SECCOMP_SET_MODE_FILTER, with SECCOMP_FILTER_FLAG_NEW_LISTENER
    listener = system.syscall(_MACHINES[platform.machine()][1], 1, 8, ctypes.byref(program))
    if listener < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return int(listener)


def _program(reads: bool) -> bytes:
    load, equal, any_bit, done = 0x20, 0x15, 0x45, 0x06  # BPF_LD, BPF_JEQ, BPF_JSET, BPF_RET
    allow, ask = 0x7FFF0000, 0x7FC00000  # SECCOMP_RET_ALLOW, SECCOMP_RET_USER_NOTIF
    machine, column = _MACHINES[platform.machine()][0], _column()
    code = [(load, 0, 0, 4), (equal, 1, 0, machine), (done, 0, 0, allow), (load, 0, 0, 0)]
    for name, call in (_CALLS | (_READS if reads else {})).items():
        number, flags = call[:2][column], _FLAGS.get(name)
        if number < 0:
            continue
        if flags is None or reads:
            code += [(equal, 0, 1, number), (done, 0, 0, ask)]
        else:
            code += [(equal, 0, 4, number), (load, 0, 0, 16 + 8 * flags), (any_bit, 0, 1, _WRITES)]
            code += [(done, 0, 0, ask), (done, 0, 0, allow)]
    return b"".join(struct.pack("HBBI", *each) for each in [*code, (done, 0, 0, allow)])


def _column() -> int:
    return 0 if platform.machine() == "x86_64" else 1


# In the parent.

_NOTICE, _ANSWER = struct.Struct("QIIiIQ6Q"), struct.Struct("QqiI")
_RECEIVE, _SEND = 0xC0502100, 0xC0182101  # SECCOMP_IOCTL_NOTIF_RECV, _SEND
_HAPPEN = 1  # SECCOMP_USER_NOTIF_FLAG_CONTINUE


def _received(ours: socket.socket) -> int:
    data, handles, _, _ = socket.recv_fds(ours, 4, 1)
    if not handles:
        number = struct.unpack("i", data)[0] if len(data) == 4 else errno.ENOSYS
        raise OSError(number, os.strerror(number))
    return handles[0]


def _serve(child: int, listener: int, folder: Path, decide: Callable[[Call], Fate]) -> bool:
    """Answers until the last process is gone; whether they were killed."""
    column, below = _column(), f"{folder}/"
    names = {call[column]: (name, call[2]) for name, call in (_CALLS | _READS).items()}
    waiting, killed = select.poll(), False
    waiting.register(listener, select.POLLIN)
    while True:
        events = waiting.poll(_PATIENCE * 1000)
        if not events:
            _kill(child)
            raise TimeoutError(f"the program is stuck in {folder}")
        if not events[0][1] & select.POLLIN:
            return killed
        notice = bytearray(_NOTICE.size)
        try:
            fcntl.ioctl(listener, _RECEIVE, notice)
        except OSError:  # whoever asked was killed meanwhile
            continue
        number, task, _, call, _, _, *given = _NOTICE.unpack(notice)
        if killed:  # what was begun in a session of its own, as git is
            _kill(task)
            continue
        name, form = names[call]
        value, code, flags = 0, 0, _HAPPEN
        with suppress(FileNotFoundError, ProcessLookupError):
            path, inode = _concerned(task, form, given)
            if path is None or path.startswith(below):
                writes = given[2] if name in ("write", "pwrite64") else 0
                opens = name in _FLAGS and not given[_FLAGS[name]] & _WRITES
                reads = opens or name in _READS
                fate = decide(Call(name, (path or "")[len(below) :], inode, writes, reads))
                if fate.half and writes > 1:
                    value, flags = _half(task, name, given), 0
                if fate.kill:
                    killed = True
                    _kill(child)
                    _kill(task)
                    continue
                if fate.errno:
                    code, flags = -fate.errno, 0
        with suppress(OSError):
            fcntl.ioctl(listener, _SEND, _ANSWER.pack(number, value, code, flags))


def _kill(task: int) -> None:
    """It, and what runs in its session."""
    with suppress(ProcessLookupError):
        os.killpg(os.getpgid(task), signal.SIGKILL)


def _concerned(task: int, form: str, given: list[int]) -> tuple[str | None, int]:
    """The path that a call concerns, and the inode of its open file; None of all files."""
    if not form:
        return None, 0
    kind, at = form[0], int(form[1])
    if kind == "h":
        link = f"/proc/{task}/fd/{given[at]}"
        return os.readlink(link), os.stat(link).st_ino  # noqa: PTH115, PTH116
    path = _text(task, given[at + (kind == "d")])
    if path.startswith("/"):
        return os.path.normpath(path), 0
    handle = ctypes.c_int(given[at] & 0xFFFFFFFF).value if kind == "d" else -100  # AT_FDCWD
    place = f"/proc/{task}/cwd" if handle == -100 else f"/proc/{task}/fd/{handle}"
    return os.path.normpath(os.path.join(os.readlink(place), path)), 0  # noqa: PTH115, PTH118


def _text(task: int, address: int) -> str:
    if not address:
        return ""
    for size in (256, 4096):
        data, ended, _ = _memory(task, address, size).partition(b"\0")
        if ended:
            break
    return os.fsdecode(data)


def _memory(task: int, address: int, size: int) -> bytes:
    """As much of it as there is up to the next page that is none."""
    handle = os.open(f"/proc/{task}/mem", os.O_RDONLY)
    try:
        return os.pread(handle, size, address)
    finally:
        os.close(handle)


def _half(task: int, name: str, given: list[int]) -> int:
    """Does the half of a write; how many bytes these are."""
    data = _memory(task, given[1], given[2] // 2)
    with _taken(task, given[0]) as handle:
        return os.write(handle, data) if name == "write" else os.pwrite(handle, data, given[3])


@contextmanager
def _taken(task: int, handle: int) -> Iterator[int]:
    """Another process's handle: the same open file, with its place in it."""
    system = ctypes.CDLL(None, use_errno=True)
    status = Path(f"/proc/{task}/status").read_text(encoding="ascii", errors="replace")
    process = system.syscall(_PIDFD_OPEN, int(status.split("Tgid:")[1].split()[0]), 0)
    taken = system.syscall(_PIDFD_GETFD, process, handle, 0)
    os.close(process)
    if taken < 0:
        raise OSError(ctypes.get_errno(), "no handle can be taken of a process")
    try:
        yield taken
    finally:
        os.close(taken)
