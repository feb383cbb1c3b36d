"""The system calls that a computation needs once everything is loaded, by machine.

Numbers: the kernel's tables, arch/x86/entry/syscalls/syscall_64.tbl and
include/uapi/asm-generic/unistd.h (aarch64).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


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
