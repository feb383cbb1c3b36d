r"""Which parts of a Markdown text are formulas: scanned before cloze, wikilinks and emphasis.

The rules are those of the parser in `cards.markdown`.  A dollar opens no formula before a space or
behind a digit, and closes none behind a space or before a digit, so that prices stay prices.
`\(...\)` and `\[...\]` are formulas where what they hold reads like one: Markdown's own meaning of
`\(` is a bracket.  An environment is one where `\begin` is the first thing on its line.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

# What a formula within backslashed brackets may be made of: no second opening, no dollar, and no
# end of the paragraph where it is within a line.
_ROUND = r"\\\((?P<round>(?:[^\\\n$]|\\[^()\[\]]|\n(?!\s*\n))++)\\\)"
_SQUARE = r"\\\[(?P<square>(?:[^\\$]|\\[^()\[\]])++)\\\](?!\()"
# Fences and code spans, then display and inline mathematics; what is escaped is passed over as one
# token.  The repetitions are possessive and exclude their delimiters: none of them backtracks.
_SPAN = re.compile(
    r"(?P<fence>^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<ticks>`{3,}+(?=[^`\n]*$)|~{3,}+)"
    r"[ \t]*(?P<info>[^\s`]*)[^\n]*$)"
    rf"|{_ROUND}|{_SQUARE}"
    r"|(?P<begin>\\begin\{[A-Za-z]+\*?\})"
    r"|\\."
    r"|(?P<code>(?<!`)(?P<tick>`++)[^`\n]++(?P=tick)(?!`))"
    r"|(?P<display>\$\$(?:[^$\\]|\\.|\$(?!\$))++\$\$)"
    r"|(?P<inline>(?<![\d$])\$(?![\s$])(?:[^$\\\n]|\\.|\n(?!\s*\n))++(?<!\s)\$(?![\d$]))",
    re.DOTALL | re.MULTILINE,
)
BRACKETED = re.compile(f"{_ROUND}|{_SQUARE}", re.DOTALL)
_ENDS = re.compile(r"\\\\|\\(?P<what>begin|end)\{(?P<name>[A-Za-z]+\*?)\}")
_FIRST = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*")
_SIGNS = re.compile(r"\\[A-Za-z,;:!|{}]|[\^_=<>+*/|∈≤≥≠→×·∑∫]|\w\(|\d[.,]?\d|[α-ωΑ-Ω]")
_WORD = re.compile(r"[^\W\d_]{4,}|[^\W\d_]{2,}[ \n]+[^\W\d_]{2,}")
#: Environments of LaTeX that hold text, though the typesetter reads them inside formulas.
_TEXTUAL = frozenset({"center", "tabular", "subequations"})


class Span(NamedTuple):
    """A formula or a piece of code; `tex` are the offsets of the LaTeX within its delimiters."""

    start: int
    end: int
    tex: tuple[int, int]
    math: bool
    display: bool


def spans(text: str) -> Iterator[Span]:
    """Every formula and every piece of code, in order."""
    closing = environments(text)
    at = 0
    while found := _SPAN.search(text, at):
        span = _span(text, found, closing)
        at = span.end if span else found.end()
        if span:
            yield span


def math_spans(text: str) -> list[tuple[int, int]]:
    """The (start, end) offsets of formulas, delimiters included, in order."""
    if "$" not in text and "\\" not in text and "math" not in text:
        return []
    return [(span.start, span.end) for span in spans(text) if span.math]


def in_math(spans: list[tuple[int, int]], offset: int) -> bool:
    """Whether an offset lies inside one of the spans."""
    index = bisect_right(spans, (offset, len(spans) and spans[-1][1])) - 1
    return index >= 0 and spans[index][0] < offset < spans[index][1]


def environments(text: str) -> dict[int, int]:
    r"""Where each mathematical environment ends, by the offset of its `\begin`."""
    if "\\begin{" not in text:
        return {}
    from cards.math.latex.environments import KINDS  # 15 ms, for the cards that have one

    found: dict[int, int] = {}
    opened: list[tuple[str, int]] = []
    for mark in _ENDS.finditer(text):
        if mark["what"] == "begin":
            opened.append((mark["name"], mark.start()))
        elif mark["what"] and opened and opened[-1][0] == mark["name"]:
            name, start = opened.pop()
            if name.removesuffix("*") in KINDS and name not in _TEXTUAL:
                found[start] = mark.end()
    return found


def reads_as_math(found: re.Match[str]) -> bool:
    r"""Whether a match of `BRACKETED` is a formula, and not a word in brackets: `card\(s\)`."""
    tex = found["square"] or found["round"]
    if _SIGNS.search(tex):
        return True
    if not (bare := tex.strip()) or _WORD.search(tex) or _behind_letter(found):
        return False
    # A citation, a task.
    return found["square"] is None or not (bare.isdigit() or bare in "xX")


def _behind_letter(found: re.Match[str]) -> bool:
    return found.start() > 0 and found.string[found.start() - 1].isalpha()


def _span(text: str, found: re.Match[str], closing: dict[int, int]) -> Span | None:
    start, end = found.span()
    match found.lastgroup:
        case "fence":
            return _fenced(text, found)
        case "round" | "square" as kind:
            if reads_as_math(found):
                return Span(start, end, found.span(kind), True, kind == "square")
            return Span(start, start + 2, (start, start), False, False)
        case "begin":
            last = closing.get(start)
            line = text.rfind("\n", 0, start) + 1
            if last is None or not _FIRST.fullmatch(text, line, start):
                return None
            return Span(start, last, (start, last), True, True)
        case "code":
            return Span(start, end, (start, end), False, False)
        case "display":
            return Span(start, end, (start + 2, end - 2), True, True)
        case "inline":
            return Span(start, end, (start + 1, end - 1), True, False)
    return None


def _fenced(text: str, found: re.Match[str]) -> Span:
    sign = found["ticks"]
    closing = re.compile(rf"^[ \t>]*{sign[0]}{{{len(sign)},}}[ \t]*$", re.MULTILINE)
    last = closing.search(text, min(found.end() + 1, len(text)))
    inner = (min(found.end() + 1, len(text)), last.start() if last else len(text))
    math = found["info"] == "math"
    return Span(found.start(), last.end() if last else len(text), inner, math, True)
