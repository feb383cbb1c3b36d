"""`python -m tests.bench.exporting [cards]`: a large collection into each format.

For each: seconds, seconds of a processor, peak memory, and the file's size.  Every card has ten
answers; the index is there already, as it is in daily use.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.large import make

_FORMATS = ("all.apkg", "all.json", "all.csv", "all.html", "items", "journal")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as home:
        place = Path(home)
        env = os.environ | {"XDG_CACHE_HOME": home, "XDG_DATA_HOME": home}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        make(place / "cards", count)
        _run(["due", "-C", str(place / "cards")], env)
        print(f"{count:,} cards")
        for name in _FORMATS:
            path = place / (name if "." in name else f"{name}.csv")
            more = [] if "." in name else ["--format", name]
            spent = _run(["export", "--to", str(path), "-C", str(place / "cards"), *more], env)
            print(f"  {name:14} {spent}  {path.stat().st_size / 1e6:8.1f} MB")


def _run(arguments: list[str], env: dict[str, str]) -> str:
    """Runs a command; its seconds, processor seconds and peak memory."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    script = (
        "import resource, sys; from tui.main import main; code = main(sys.argv[1:]); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024); sys.exit(code)"
    )
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, check=True, env=env, capture_output=True, text=True)
    after, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - start
    spent = sum(after[:2]) - sum(before[:2])
    peak = done.stdout.splitlines()[-1]
    return f"{seconds:7.1f} s  {spent:7.1f} s of a processor  {peak:>4} MB peak"


if __name__ == "__main__":
    main()
