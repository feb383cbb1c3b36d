"""exam: what is expected on the day of the exam, and what to study for it.

    outlook(stakes, day, config)         expected points on that day, with their uncertainty
    make_plan(stakes, exam, ...)         which items on which days, most points per minute first
    best_next(stakes, exam, ...)         what to study now
    reach(stakes, exam, ...)             whether a target can be reached, and what it would take

Assumed: items are recalled independently; whoever recalls in a review answers Good, whoever does
not answers Again and learns the item again; a new item is learnt with Good.
"""

from deck.exam.belief import Stake
from deck.exam.outlook import Outlook, outlook
from deck.exam.plan import Plan, PlanDay, best_next, make_plan
from deck.exam.reach import Reach, reach

__all__ = [
    "Outlook",
    "Plan",
    "PlanDay",
    "Reach",
    "Stake",
    "best_next",
    "make_plan",
    "outlook",
    "reach",
]
