"""All layers together, outermost last: each alone would stop most of what the others stop."""

from __future__ import annotations

import os
import sys

from engine.sandbox import landlock, seccomp
from engine.sandbox.limits import die_with_parent, drop_rights, limit_resources


def available() -> tuple[str, ...]:
    """The layers that this machine has, as `doctor` and the lab name them."""
    layers = ["process", "limits"]
    if os.geteuid() == 0:
        layers.append("nobody")
    if landlock.version():
        layers.append("landlock")
    if seccomp.supported():
        layers.append("seccomp")
    return tuple(layers)


def confine(layers: tuple[str, ...]) -> None:
    """Give up everything but the memory, the clock and the descriptors 0 to 3.

    For good, and in this order: what a later layer forbids, an earlier one still needs.  Raises
    OSError where a layer that should be there cannot be had; nothing may run then.
    """
    os.closerange(4, os.sysconf("SC_OPEN_MAX") if os.sysconf("SC_OPEN_MAX") < 65536 else 65536)
    os.environ.clear()
    sys.path.clear()
    sys.path_importer_cache.clear()
    die_with_parent()
    if "nobody" in layers:
        drop_rights()
        die_with_parent()  # a change of user resets it
    limit_resources()
    if "landlock" in layers:
        landlock.forbid_files()
    if "seccomp" in layers:
        seccomp.forbid_calls()
