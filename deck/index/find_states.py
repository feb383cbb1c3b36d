"""States and numbers of a search as conditions on the table `state`."""

from __future__ import annotations

STATES = {
    "learning": "learning",
    "relearning": "learning AND relearning",
    "review": "NOT learning",
    "young": "NOT learning AND stability < :mature",
    "mature": "NOT learning AND stability >= :mature",
    "overdue": "NOT learning AND due < :day",
    "leech": ":leech > 0 AND lapses >= :leech",
}
#: The items.
DUE = """
SELECT item FROM (
    SELECT item FROM state WHERE learning = 1 AND due <= :now AND there = 2
    UNION ALL SELECT item FROM state WHERE learning = 0 AND due <= :day AND there = 2)
WHERE item NOT IN (SELECT item FROM held WHERE buried > :day)
"""
NUMBERS = {
    "s": "stability",
    "d": "difficulty",
    "interval": "CASE WHEN learning THEN 0 ELSE interval END",
    "due": "CASE WHEN learning THEN step_day(due) ELSE due END - :day",
    "reps": "repetitions",
    "lapses": "lapses",
    "r": "recall(stability, difficulty, day)",
}
#: Of a new item these are 0; it has no other number.
ZERO_OF_NEW = ("reps", "lapses")
