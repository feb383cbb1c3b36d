"""Where a collection's index lies: in the user's cache folder, by the collection's own path."""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path


def index_path(root: Path) -> Path:
    """The database's file; nothing is made.  One folder under two names has one index."""
    import platformdirs

    try:
        real = os.path.realpath(root)
    except ValueError:  # no folder can have this name: opening it says so
        real = str(root)
    name = blake2b(os.fsencode(real), digest_size=12).hexdigest()
    return platformdirs.user_cache_path("deltadeck") / "index" / f"{name}.sqlite"
