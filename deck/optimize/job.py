"""Runs the optimiser in a process of its own, so that the screen stays live and can stop it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

#: Called with what is being done, and which share of it is (0..1).
Progress = Callable[[str, float], None]

_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from deck.optimize.worker import main; main()"
)
MISSING = (
    "The optimiser is not installed. Install the extra `optimize`: "
    "`pip install 'deltadeck[optimize]'` (or fsrs-rs-python)."
)


class OptimizeError(ValueError):
    """Nothing was fitted, and nothing was changed; its text says why and what to do."""


def ignore(_stage: str, _share: float) -> None:
    """Progress that nobody watches."""


def run(task: dict[str, Any], progress: Progress = ignore) -> dict[str, Any]:
    """The worker's answer to a task (deck/optimize/worker.py).

    An exception out of `progress` stops the worker.

    Raises:
        OptimizeError: the extra is missing, or the worker failed.
    """
    command = [sys.executable, "-c", _START, json.dumps(sys.path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, **pipes, text=True, encoding="utf-8") as process:  # type: ignore[call-overload]
        try:
            process.stdin.write(json.dumps(task))
            process.stdin.close()
            for line in process.stdout:
                said = json.loads(line)
                if "result" in said:
                    result: dict[str, Any] = said["result"]
                    return result
                if "error" in said:
                    raise OptimizeError(said["error"])
                progress(said["stage"], said["share"])
        except BrokenPipeError:
            pass
        finally:
            process.kill()
    raise OptimizeError("The optimiser stopped without an answer. Nothing was changed; try again.")
