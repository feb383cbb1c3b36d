"""The optimiser's process."""

from __future__ import annotations

import json
import sys
from typing import Any

MISSING = (
    "The optimiser is not installed. Install the extra `optimize`: "
    "`pip install 'deltadeck[optimize]'` (or fsrs-rs-python)."
)


def main() -> None:
    """Answers the one task on standard input."""
    task = json.loads(sys.stdin.read())
    try:
        import fsrs_rs_python as library
    except ImportError:
        return _say({"error": MISSING})
    answer = _fit if task["kind"] == "fit" else _workload
    try:
        return _say({"result": answer(task, library)})
    except (ValueError, RuntimeError) as error:
        hint = "Nothing was changed; fit again when there are more answers."
        return _say({"error": f"The optimiser found no parameters: {error}. {hint}"})


def _say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def _stage(stage: str, share: float) -> None:
    _say({"stage": stage, "share": share})


def _fit(task: dict[str, Any], library: Any) -> dict[str, Any]:
    """Fitted to all answers, and to those before the day `cut`, for a test on the rest."""
    _stage("reading the answers", 0.1)
    everything, owners = _items(task["runs"], library, sys.maxsize)
    early, early_owners = _items(task["runs"], library, task["cut"])
    fitted = []
    for share, items, cards in ((0.3, early, early_owners), (0.6, everything, owners)):
        _stage("fitting the parameters", share)
        model = library.FSRS([])
        found = model.compute_parameters(items, cards, True, task["steps"]) if items else []
        fitted.append([round(float(number), 4) for number in found])
    _stage("comparing", 0.95)
    return {"parameters": fitted[1], "earlier": fitted[0]}


def _items(runs: list[list[list[int]]], library: Any, before: int) -> tuple[list[Any], list[int]]:
    """An example for each usable answer: all answers up to it."""
    items, owners = [], []
    for number, run in enumerate(runs):
        reviews = [library.FSRSReview(rating, gap) for rating, gap, _ in run]
        for at, (_, gap, day) in enumerate(run):
            if at and gap > 0 and day < before:
                items.append(library.FSRSItem(reviews[: at + 1]))
                owners.append(number)
    return items, owners


def _workload(task: dict[str, Any], library: Any) -> dict[str, Any]:
    config = library.default_simulator_config()
    for name, value in task["simulator"].items():
        setattr(config, name, value)
    points = []
    for number, retention in enumerate(task["retentions"]):
        _stage("simulating", number / len(task["retentions"]))
        runs = [library.simulate(task["parameters"], retention, config, s) for s in task["seeds"]]
        days, count = config.learn_span, len(runs)
        points.append(
            {
                "retention": retention,
                "reviews": sum(sum(run.review_cnt_per_day) for run in runs) / days / count,
                "minutes": sum(sum(run.cost_per_day) for run in runs) / 60 / days / count,
                "remembered": sum(run.memorized_cnt_per_day[-1] for run in runs) / count,
            }
        )
    return {"points": points}
