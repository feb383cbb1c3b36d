from __future__ import annotations

import os
import signal

import pytest
from hypothesis import settings

# What decides whether a change lands tries the same examples each time, so that a change is never
# refused for what another one did, nor for a machine that is busy.  `make explore` tries new ones,
# and four times as many.
settings.register_profile("gate", max_examples=25, derandomize=True, deadline=None)
settings.register_profile("explore", print_blob=True)
settings.load_profile("gate")

# A shell's background job ignores Ctrl+C, and so would every program that a test starts there.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index is kept in the test's own folder, not in the user's cache; and no test waits for
    the disk, as only a power cut could tell the difference."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(os, "sync", lambda: None)
