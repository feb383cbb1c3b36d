"""What home showed last, kept so that the next start shows it at once.

It is shown where it still holds: the same study day, no learning step that came due meanwhile, the
same journal and settings.  The cards may have changed while the program was away; home looks at
them as soon as it is painted, as it does with an index.  Derived: delete it and nothing is lost.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

from tui.overview import Overview, Row, Trouble
from tui.version import VERSION

_PRIVATE = ".deltadeck"


def read(folder: Path, now: datetime) -> Overview | None:
    """What home showed last of the collection in `folder`; None where it does not hold at `now`."""
    try:
        kept: Any = json.loads(_file(folder).read_text("utf-8"))
        begins, ends = (datetime.fromisoformat(kept[name]) for name in ("made", "until"))
        if kept["version"] != VERSION or kept["stamp"] != stamp(folder) or not begins <= now < ends:
            return None
        seen = kept["seen"]
        rows = tuple(Row(r["name"], r["key"], r["depth"], tuple(r["counts"])) for r in seen["rows"])
        troubles = tuple(Trouble(severity) for severity in seen["problems"])
        return Overview(**{**seen, "rows": rows, "problems": troubles, "until": ends})
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep(folder: Path, seen: Overview, found: list[Any], now: datetime) -> None:
    """Keep what home shows; `found` is the `stamp` from before it was asked for."""
    if seen.gone or not seen.left:
        return  # what it says of the time that is left would be old
    kept = {
        "version": VERSION,
        "made": now.isoformat(),
        "until": seen.until.isoformat(),
        "stamp": found,
        "seen": {
            **{name: value for name, value in asdict(seen).items() if name != "until"},
            "problems": [each.severity for each in seen.problems],
        },
    }
    path = _file(folder)
    draft = path.with_suffix(f".{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(json.dumps(kept), "utf-8")
        draft.replace(path)
    except OSError:
        # The next start computes it, as the first one did.
        return


def stamp(folder: Path) -> list[Any]:
    """Sizes and times of the settings and of every file of the journal."""
    private = folder / _PRIVATE
    files = [private / "config.toml", *sorted(private.glob("journal/*/*.jsonl"))]
    return [_stat(path) for path in files]


def _stat(path: Path) -> list[Any]:
    try:
        found = path.stat()
    except OSError:
        return [path.name]
    return [path.name, found.st_size, found.st_mtime_ns]


def _file(folder: Path) -> Path:
    from platformdirs import user_cache_path

    name = blake2b(os.fsencode(os.path.realpath(folder)), digest_size=12).hexdigest()
    return user_cache_path("deltadeck") / "home" / f"{name}.json"
