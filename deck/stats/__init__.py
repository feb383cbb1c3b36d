"""stats: what was done, what it led to, and what comes, as plain data that a screen draws.

Tally            answers counted by day, hour, kind and rating; everything about the past is in it
statistics(...)  all figures at once; as_dict() for JSON
"""

from deck.stats.report import Statistics, statistics
from deck.stats.tally import Tally

__all__ = ["Statistics", "Tally", "statistics"]
