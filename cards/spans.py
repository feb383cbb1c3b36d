"""Which parts of a Markdown text are formulas: scanned before cloze, wikilinks and emphasis.

The rules are those of the parser in `cards.markdown`: a dollar opens no formula before a space or
behind a digit, and closes none behind a space or before a digit, so that prices stay prices.
"""

from __future__ import annotations

import re
from bisect import bisect_right

# A code span, then display and inline mathematics; escaped dollars are passed over as one token.
# The repetitions are possessive and exclude their delimiters: none of them backtracks.
_SPAN = re.compile(
    r"\\."
    r"|(?P<code>`[^`\n]++`(?!`))"
    r"|(?P<display>\$\$(?:[^$\\]|\\.|\$(?!\$))++\$\$)"
    r"|(?P<inline>(?<![\d$])\$(?![\s$])(?:[^$\\\n]|\\.|\n(?!\s*\n))++(?<!\s)\$(?![\d$]))",
    re.DOTALL,
)


def math_spans(text: str) -> list[tuple[int, int]]:
    """The (start, end) offsets of formulas, dollars included, in order."""
    if "$" not in text:
        return []
    return [(m.start(), m.end()) for m in _SPAN.finditer(text) if m["display"] or m["inline"]]


def in_math(spans: list[tuple[int, int]], offset: int) -> bool:
    """Whether an offset lies inside one of the spans."""
    index = bisect_right(spans, (offset, len(spans) and spans[-1][1])) - 1
    return index >= 0 and spans[index][0] < offset < spans[index][1]
