"""stats: what was done, what it led to, and what comes, as plain data that a screen draws.

tally.Tally             answers counted by day, hour, kind and rating: everything about the past
report.statistics(...)  all figures at once; as_dict() for JSON
"""
