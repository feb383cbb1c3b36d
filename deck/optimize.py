"""Parameters fitted to one's own answers, and what a desired retention would cost.

fit(runs, config, progress)      old and new parameters with their losses; changes nothing
adopt(collection, fit, now)      writes them into settings and journal
reschedule(collection, now)      every review falls due as the settings promise now
workload(...)                    reviews and minutes a day for each desired retention

The work is done in a process of its own (`answer_task`) by fsrs-rs-python, the extra `optimize`, so
that the screen stays live and can stop it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from deck import fsrs
from deck.config import MODELS, Config, Model, model_of
from deck.events import Event, ParametersChanged, Rescheduled
from deck.files import CONFIG, DATA_DIR
from deck.fsrs import surprise
from deck.queue import PACE
from deck.replay import Answer, New, Review, rescheduled
from deck.settings import write_setting
from deck.study_day import study_day

if TYPE_CHECKING:
    from deck.collection import Collection


#: Called with what is being done, and which share of it is (0..1).
Progress = Callable[[str, float], None]

_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from deck.optimize import answer_task; answer_task()"
)


class OptimizeError(ValueError):
    """Nothing was fitted, and nothing was changed; its text says why and what to do."""


def ignore(_stage: str, _share: float) -> None:
    """Progress that nobody watches."""


def run(task: dict[str, Any], progress: Progress = ignore) -> dict[str, Any]:
    """The worker's answer to a task.

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


# The answers as the optimiser takes them, and how well parameters explain them.

#: One item from its first answer on (or from a reset): (rating, study days since the one before,
#: study day as an ordinal).
Run = list[tuple[int, int, int]]


def runs_of(items: Iterable[Sequence[Answer]]) -> list[Run]:
    """The runs of items, each with its answers in order.

    Answers behind a `Rescheduled` that put an item without an answer into review are left out:
    they do not begin with a first answer.
    """
    runs: list[Run] = []
    for answers in items:
        run: Run | None = None
        for answer in answers:
            before, day, rating = answer.before, answer.event.day, answer.event.rating
            assert rating is not None
            if isinstance(before, New):
                run = []
                runs.append(run)
            elif before.repetitions == 0:
                run = None
            if run is not None:
                gap = 0 if isinstance(before, New) else max((day - before.day).days, 0)
                run.append((int(rating), gap, day.toordinal()))
    return runs


def usable(runs: Iterable[Run]) -> int:
    """Answers at least a day after the one before: those that say whether it was remembered."""
    return sum(gap > 0 for run in runs for _, gap, _ in run)


def log_loss(runs: Iterable[Run], model: Model, since: int = 0) -> float | None:
    """Mean of -log of the chance that the model gave to what happened; None of nothing.

    Over the usable answers from the study day `since` (an ordinal) on.
    """
    total, count = 0.0, 0
    for run in runs:
        memory = model.initial(run[0][0])
        for rating, gap, day in run[1:]:
            if gap > 0 and day >= since:
                total += surprise(model.recall(memory, gap), rating > 1)
                count += 1
            memory = model.after(memory, rating, gap)
    return total / count if count else None


def runs_of_collection(collection: Collection, now: datetime) -> list[Run]:
    """Every item's answers, deleted cards' included: they say as much about a memory."""
    ids = [*collection.search("", now), *(each.item_id for each in collection.deleted())]
    return runs_of(collection.answers(item) for item in ids)


# Fits the model's parameters to the learner's own answers; changes nothing.

#: Fewer answers say less about a memory than the several hundred million behind the defaults.
MINIMUM = 1000
#: The last fifth of the answers is what the fit is tested on.
_TESTED = 0.2


@dataclass(frozen=True, slots=True)
class Fit:
    """Old and new parameters, before anything changes."""

    old: tuple[float, ...]
    new: tuple[float, ...]
    old_loss: float
    """Log loss over all answers at least a day after the one before."""
    new_loss: float
    unseen_old: float | None
    """Log loss over the last fifth of them; None where there are none."""
    unseen_new: float | None
    """The same, of parameters fitted to the other four fifths."""
    answers: int
    """All answers."""
    usable: int
    """Those at least a day after the one before."""

    @property
    def better(self) -> bool:
        """Whether the new parameters explain the answers better, also those they had not seen."""
        unseen = self.unseen_old is not None and self.unseen_new is not None
        if unseen and self.unseen_new >= self.unseen_old:  # type: ignore[operator]
            return False
        return self.new_loss < self.old_loss


def fit(runs: Sequence[Run], config: Config, progress: Progress = ignore) -> Fit:
    """Raises OptimizeError where there is too little to learn from, or nothing to do it with."""
    answers, enough = sum(map(len, runs)), usable(runs)
    _refuse_few(answers, enough, config)
    days = sorted(day for run_ in runs for _, gap, day in run_ if gap > 0)
    cut = days[int(len(days) * (1 - _TESTED))]
    steps = len(config.relearning_steps)
    result = run({"kind": "fit", "runs": list(runs), "cut": cut, "steps": steps}, progress)
    new, earlier = (
        tuple(
            min(max(number, low), high)
            for number, (low, high) in zip(found, fsrs.BOUNDS, strict=bool(found))
        )
        for found in (result["parameters"], result["earlier"])
    )
    make = MODELS[config.model]
    old_loss, new_loss = log_loss(runs, model_of(config)), log_loss(runs, make(new))
    assert old_loss is not None
    assert new_loss is not None
    unseen_old = log_loss(runs, model_of(config), cut)
    unseen_new = log_loss(runs, make(earlier), cut) if earlier else None
    return Fit(config.parameters, new, old_loss, new_loss, unseen_old, unseen_new, answers, enough)


def _refuse_few(answers: int, enough: int, config: Config) -> None:
    if config.model != fsrs.MODEL:
        raise OptimizeError(
            f"Only {fsrs.MODEL} can be fitted, and the settings use {config.model}."
        )
    if answers < MINIMUM:
        raise OptimizeError(
            f"A fit needs {MINIMUM:,} reviews, and there have been {answers:,}: on fewer, "
            "parameters follow chance more than memory, and the defaults serve you better. "
            "Keep studying."
        )
    if enough < MINIMUM // 10:
        raise OptimizeError(
            f"Only {enough} of {answers:,} reviews came a day or more after the one before, and "
            "only those say what is remembered. Keep studying for some weeks."
        )


# Puts new parameters to work.  Two steps, as the learner may want the first alone.


def adopt(collection: Collection, parameters: tuple[float, ...], now: datetime) -> Event:
    """Parameters for every answer from now on; what is due stays.  Settings first, then journal.

    Memories follow from all answers, so they are computed anew; due days were promised.

    Raises:
        CollectionError: the settings cannot be written.
        JournalError: the journal cannot; the settings hold.
    """
    write_setting(collection.root / DATA_DIR / CONFIG, "parameters", parameters)
    collection.reload(now)
    return collection.record("", ParametersChanged(collection.config.model, parameters), now)


def reschedule(collection: Collection, now: datetime) -> Event | None:
    """Every review falls due as today's settings promise; None where nothing moves.

    One event, so that one undo puts all of them back.  Days are filled evenly, never before today.
    """
    today = study_day(now, collection.config.rollover)
    load: Counter[int] = Counter()
    due: dict[str, date] = {}
    for card in collection.cards.values():
        config = collection.config.of_course(card.course)
        for item in card.items:
            state = collection.state(item.id)
            if isinstance(state, Review):
                day = rescheduled(state, item.id, config, today, load)
                load[day.toordinal()] += 1
                if day != state.due_day:
                    due[item.id] = day
    return collection.record("", Rescheduled(due), now) if due else None


# What a desired retention costs: the simulator's year, for one's own pace and ratings.

RETENTIONS = tuple(round(0.70 + 0.02 * step, 2) for step in range(15))
_SEEDS = (1, 2, 3)
#: From so many reviews on, one's own ratings are believed.
_ENOUGH = 100


@dataclass(frozen=True, slots=True)
class Point:
    retention: float
    reviews: float
    """A day."""
    minutes: float
    """A day."""
    remembered: float
    """Items remembered at the end."""

    @property
    def minutes_per_item(self) -> float:
        """A day, for each item that is remembered."""
        return self.minutes / self.remembered if self.remembered else float("inf")


@dataclass(frozen=True, slots=True)
class Workload:
    points: tuple[Point, ...]
    days: int
    items: int

    @property
    def cheapest(self) -> float:
        """The retention at which a remembered item costs the least time."""
        return min(self.points, key=lambda point: point.minutes_per_item).retention


def workload(
    items: int,
    config: Config,
    ratings: Mapping[str, Sequence[int]],
    pace: Mapping[str, float] = PACE,
    days: int = 365,
    progress: Progress = ignore,
) -> Workload:
    """`ratings`: how often Again to Easy was given, by kind (`Statistics.ratings`).

    Raises:
        OptimizeError: there is nothing to simulate, or nothing to do it with.
    """
    if items == 0:
        raise OptimizeError("There is no item to simulate. Write cards first.")
    if config.model != fsrs.MODEL:
        raise OptimizeError(f"Only {fsrs.MODEL} can be simulated.")
    task = {
        "kind": "workload",
        "parameters": list(config.parameters),
        "retentions": RETENTIONS,
        "seeds": _SEEDS,
        "simulator": _simulator(items, config, ratings, pace, days),
    }
    points = (Point(**point) for point in run(task, progress)["points"])
    return Workload(tuple(points), days, items)


def _simulator(
    items: int,
    config: Config,
    ratings: Mapping[str, Sequence[int]],
    pace: Mapping[str, float],
    days: int,
) -> dict[str, object]:
    found: dict[str, object] = {
        "deck_size": items,
        "learn_span": days,
        "learn_limit": config.new_per_day,
        "review_limit": config.reviews_per_day,
        "max_cost_perday": 86400.0,
        "max_ivl": float(config.maximum_interval),
        "learning_step_count": len(config.learning_steps),
        "relearning_step_count": len(config.relearning_steps),
        "state_rating_costs": [[pace[kind]] * 4 for kind in ("new", "learning", "review")],
    }
    first = ratings.get("new", ())
    if sum(first) >= _ENOUGH:
        found["first_rating_prob"] = [count / sum(first) for count in first]
    kinds = [ratings.get(kind, (0, 0, 0, 0)) for kind in ("young", "mature")]
    recalled = [sum(counts) for counts in zip(*kinds, strict=True)][1:]
    if sum(recalled) >= _ENOUGH:
        found["review_rating_prob"] = [count / sum(recalled) for count in recalled]
    return found


# The worker's side.


_MISSING = (
    "The optimiser is not installed. Install the extra `optimize`: "
    "`pip install 'deltadeck[optimize]'` (or fsrs-rs-python)."
)


def answer_task() -> None:
    """The worker: answers the one task on standard input."""
    task = json.loads(sys.stdin.read())
    try:
        import fsrs_rs_python as library
    except ImportError:
        return _say(error=_MISSING)
    answer = _fitted if task["kind"] == "fit" else _simulated
    try:
        return _say(result=answer(task, library))
    except (ValueError, RuntimeError) as error:
        hint = "Nothing was changed; fit again when there are more answers."
        return _say(error=f"The optimiser found no parameters: {error}. {hint}")


def _say(**message: Any) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def _fitted(task: dict[str, Any], library: Any) -> dict[str, Any]:
    """Fitted to all answers, and to those before the day `cut`, for a test on the rest."""
    _say(stage="reading the answers", share=0.1)
    everything, owners = _items(task["runs"], library, sys.maxsize)
    early, early_owners = _items(task["runs"], library, task["cut"])
    fitted = []
    for share, items, cards in ((0.3, early, early_owners), (0.6, everything, owners)):
        _say(stage="fitting the parameters", share=share)
        model = library.FSRS([])
        found = model.compute_parameters(items, cards, True, task["steps"]) if items else []
        fitted.append([round(float(number), 4) for number in found])
    _say(stage="comparing", share=0.95)
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


def _simulated(task: dict[str, Any], library: Any) -> dict[str, Any]:
    config = library.default_simulator_config()
    for name, value in task["simulator"].items():
        setattr(config, name, value)
    points = []
    for number, retention in enumerate(task["retentions"]):
        _say(stage="simulating", share=number / len(task["retentions"]))
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
