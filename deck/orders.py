"""The names of the orders in which a queue asks; deck/ordering.py says what they do."""

from __future__ import annotations

from typing import Literal

#: retrievability: the least likely recalled first.  due: the longest due first.  difficulty: the
#: hardest memory first.  interval: the shortest first.  points: the most points first.
ReviewOrder = Literal["retrievability", "due", "difficulty", "interval", "points", "random"]
#: easy: course by course in turn, each course's easy cards first.  path: in the order of the files.
NewOrder = Literal["easy", "path", "random"]
#: Where new items stand: spread between the reviews, before them, or after them.
NewMix = Literal["mix", "before", "after"]
