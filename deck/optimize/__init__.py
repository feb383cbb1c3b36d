"""optimize: parameters fitted to one's own answers, and what a retention would cost.

fit(runs, config, progress)        old and new parameters with their losses; changes nothing
adopt(collection, fit, now)        writes them into settings and journal
reschedule(collection, now)        every review falls due as the settings promise now
workload(...)                      reviews and minutes a day for each desired retention

The work is done in a process of its own by fsrs-rs-python, the extra `optimize`.
"""

from deck.optimize.adopt import adopt, reschedule
from deck.optimize.fit import MINIMUM, Fit, fit
from deck.optimize.job import OptimizeError
from deck.optimize.runs import Run, runs_of
from deck.optimize.workload import Workload, workload

__all__ = [
    "MINIMUM",
    "Fit",
    "OptimizeError",
    "Run",
    "Workload",
    "adopt",
    "fit",
    "reschedule",
    "runs_of",
    "workload",
]
