"""Fitting: refused on too little, better on what it has seen and has not, undone at will."""

from __future__ import annotations

import random
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from deck import Collection, Rating, Review, optimize
from deck.config import Config, model_of
from deck.errors import CollectionError
from deck.events import ParametersChanged, Undone
from deck.fsrs import DEFAULT_PARAMETERS, Fsrs6
from deck.optimize import (
    OptimizeError,
    Run,
    adopt,
    fit,
    log_loss,
    reschedule,
    runs_of,
    runs_of_collection,
    usable,
    workload,
)
from deck.queue import PACE
from deck.replay import answers_of
from tests.deck.given import EXACT, NOON, append_events, configure, event, later, review, write_card

#: A learner who remembers longer than the defaults say at first, and gains less by reviews.
KEEN = (*DEFAULT_PARAMETERS[:2], 9.0, 20.0, *DEFAULT_PARAMETERS[4:8], 1.2, *DEFAULT_PARAMETERS[9:])


def studied(items: int, w: tuple[float, ...] = KEEN, seed: int = 1) -> list[Run]:
    rng, model, runs = random.Random(seed), Fsrs6(w), []
    for _ in range(items):
        day = 738000 + rng.randint(0, 300)
        run: Run = [(rng.choice((1, 3, 3, 4)), 0, day)]
        memory = model.initial(run[0][0])
        for _ in range(9):
            gap = max(1, round(model.interval(memory, 0.9) * rng.uniform(0.5, 1.5)))
            rating = 3 if rng.random() < model.recall(memory, gap) else 1
            day += gap
            run.append((rating, gap, day))
            memory = model.after(memory, rating, gap)
        runs.append(run)
    return runs


def test_a_fit_on_too_few_reviews_is_refused_with_the_reason() -> None:
    with pytest.raises(OptimizeError, match=r"A fit needs 1,000 reviews, and there have been 990"):
        fit(studied(99), Config())
    same_day: list[Run] = [[(3, 0, 1)] * 20 for _ in range(60)]
    with pytest.raises(OptimizeError, match="Only 0 of 1,200"):
        fit(same_day, Config())


def test_a_fit_explains_the_answers_better_and_shows_by_how_much() -> None:
    runs, stages = studied(300), []
    found = fit(runs, Config(), lambda stage, share: stages.append((stage, share)))
    assert found.better
    assert found.new_loss < found.old_loss
    assert found.unseen_new is not None
    assert found.unseen_old is not None
    assert found.unseen_new < found.unseen_old
    assert found.old == DEFAULT_PARAMETERS
    assert (found.answers, found.usable) == (3000, 2700)
    assert [share for _, share in stages] == sorted(share for _, share in stages)
    assert len(stages) > 2
    truth = log_loss(runs, Fsrs6(KEEN))
    assert truth is not None
    assert found.new_loss == pytest.approx(truth, rel=0.03)
    assert not replace(found, unseen_new=found.unseen_old).better


def test_progress_can_stop_the_work() -> None:
    def stop(_stage: str, _share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(studied(150), Config(), stop)


def test_without_the_extra_the_way_to_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = [path for path in sys.path if "site-packages" not in path]
    root = str(Path(__file__).parents[2])
    monkeypatch.setattr(sys, "path", [root, *bare])
    code = "import sys; sys.flags; " + optimize._START
    monkeypatch.setattr(optimize, "_START", code)
    with pytest.raises(OptimizeError, match=r"pip install 'deltadeck\[optimize\]'"):
        optimize.run({"kind": "fit", "runs": [], "cut": 0, "steps": 1})


def test_runs_are_the_answers_with_their_study_days_and_start_over_after_a_reset() -> None:
    from deck.events import Reset

    events = [
        review(Rating.EASY),
        review(Rating.AGAIN, at=later(days=9)),
        review(Rating.GOOD, at=later(days=9, minutes=10)),
        event(Reset(), at=later(days=20)),
        review(Rating.HARD, at=later(days=21)),
    ]
    (first, second) = runs_of([list(answers_of("a", events, set(), EXACT))])
    day = NOON.date().toordinal()
    assert first == [(4, 0, day), (1, 9, day + 9), (3, 0, day + 9)]
    assert second == [(2, 0, day + 21)]
    assert usable([first, second]) == 1


def test_the_loss_is_that_of_the_statistics(root: Path) -> None:
    rng, events, at = random.Random(4), [], NOON
    for item in "abcdef":
        write_card(root, item)
        at = NOON
        for number in range(6):
            at += timedelta(days=rng.choice((1, 4, 20)))
            events.append(review(rng.choice(list(Rating)), item, at, random=number))
    configure(root, "learning_steps = []\nrelearning_steps = []\n")
    append_events(root / ".deltadeck", events)
    now = later(days=200)
    collection = Collection.open(root, now, "desk")
    shown = collection.statistics(now).calibration
    runs = runs_of_collection(collection, now)
    assert shown.answers == usable(runs)
    assert log_loss(runs, model_of(collection.config)) == pytest.approx(shown.log_loss)


def test_adopting_changes_settings_and_journal_and_moves_nothing_due(root: Path) -> None:
    write_card(root, "a")
    configure(root, "# mine\nnew_per_day = 7\n\n[keys]\nreveal = 'x'\n")
    collection = Collection.open(root, NOON, "desk")
    collection.rate("a", Rating.EASY, NOON, 0)
    before = collection.state("a")
    made = adopt(collection, KEEN, later(days=1))
    assert made.what == ParametersChanged("FSRS-6", KEEN)
    again = Collection.open(root, later(days=1), "desk")
    for known in (collection, again):
        state = known.state("a")
        assert isinstance(state, Review)
        assert isinstance(before, Review)
        assert state.memory.stability == KEEN[3]
        assert state.due_day == before.due_day
        assert known.config.parameters == KEEN
        assert known.config.new_per_day == 7
    text = (root / ".deltadeck" / "config.toml").read_text()
    assert text.startswith("# mine\nnew_per_day = 7\n")
    assert "[keys]\nreveal = 'x'" in text


def test_rescheduling_moves_everything_at_once_and_an_undo_takes_it_back(root: Path) -> None:
    configure(root, "fuzz = false\nnew_per_day = 99\n")
    for number in range(5):
        write_card(root, f"c{number}")
    collection = Collection.open(root, NOON, "desk")
    for number in range(5):
        collection.rate(f"c{number}", Rating.EASY, NOON, 0)
    before = [collection.state(f"c{number}") for number in range(5)]
    assert reschedule(collection, NOON) is None
    adopt(collection, KEEN, NOON)
    move = reschedule(collection, NOON)
    assert move is not None
    for known in (collection, Collection.open(root, NOON, "desk")):
        after = known.state("c3")
        assert isinstance(after, Review)
        assert after.due_day == NOON.date() + timedelta(days=20)
    collection.record("", Undone(move.id), NOON)
    for number in range(5):
        state, was = collection.state(f"c{number}"), before[number]
        assert isinstance(state, Review)
        assert isinstance(was, Review)
        assert state.due_day == was.due_day


def test_settings_that_cannot_be_written_change_nothing(root: Path) -> None:
    write_card(root, "a")
    collection = Collection.open(root, NOON, "desk")
    configure(root, "new_per_day = = 3")
    with pytest.raises(CollectionError, match="The setting parameters cannot be written"):
        adopt(collection, KEEN, NOON)
    assert collection.config.parameters == DEFAULT_PARAMETERS


def test_more_retention_costs_more_reviews_and_leaves_more_remembered() -> None:
    found = workload(200, Config(), {"young": (10, 20, 200, 30)}, PACE, days=120)
    reviews = [point.reviews for point in found.points]
    remembered = [point.remembered for point in found.points]
    assert reviews[0] < reviews[7] < reviews[-1]
    assert remembered[0] < remembered[-1] <= 200
    assert all(point.minutes > 0 for point in found.points)
    assert 0.7 <= found.cheapest <= 0.98
