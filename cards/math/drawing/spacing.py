"""Gaps between the atoms of a row, after TeX's table (The TeXbook, chapter 18), in whole cells.

To TeX's classes come those that cells need:
    sign    a plus or minus with nothing before it to add to
    large   an operator such as ∑, which stays off a bracket too
    fence   brackets with what they hold: "open" on its left, "close" on its right
    ratio   a fraction on one line
"""

from __future__ import annotations

from collections.abc import Sequence

#: Kinds after which + is a sign: nothing, and all that has no value to add to.
_BEFORE_SIGN = frozenset({None, "open", "bin", "op", "large", "rel", "punct", "sign"})
#: Kinds before which a + cannot add.
_AFTER_SIGN = frozenset({"rel", "close", "punct"})

_TABLE = """
        ord op large bin rel open close punct inner fence ratio sign
ord     0 1 1 1 1 0 0 0 1 0 1 0
op      1 1 1 1 1 0 0 0 1 0 1 1
large   1 1 1 1 1 1 0 0 1 1 1 1
bin     1 1 1 1 1 1 1 1 1 1 1 1
rel     1 1 1 1 0 1 0 0 1 1 1 1
open    0 0 0 0 0 0 0 0 0 0 0 0
close   0 1 1 1 1 0 0 0 1 0 1 0
punct   1 1 1 1 1 1 0 0 1 1 1 1
inner   1 1 1 1 1 1 0 0 1 1 1 1
fence   0 1 1 1 1 0 0 0 1 0 1 0
ratio   1 1 1 1 1 1 0 0 1 1 1 1
sign    0 0 0 0 1 0 0 0 1 0 0 0
"""
_LINES = _TABLE.strip().splitlines()
GAPS: dict[tuple[str, str], int] = {
    (left, right): int(gap)
    for left, *gaps in map(str.split, _LINES[1:])
    for right, gap in zip(_LINES[0].split(), gaps, strict=True)
}
_WORDS = frozenset({"op", "large"})
#: Within scripts only operators keep off what they work on.
SCRIPT_GAPS: dict[tuple[str, str], int] = {
    (left, right): gap
    if {left, right} & _WORDS and {left, right} <= {*_WORDS, "ord", "ratio"}
    else 0
    for (left, right), gap in GAPS.items()
}


def resolve(kinds: Sequence[str], chars: Sequence[str], before: str | None) -> list[str]:
    """The kinds of a row with signs told from operators, and opening bars from closing ones.

    `chars[i]` is the character of the i-th atom, "" for what is none; `before` the kind of what
    precedes the row.  The kind "space" is passed over.
    """
    resolved: list[str] = []
    last: str | None = before
    last_bin = -1
    open_bars: list[str] = []
    for index, kind in enumerate(kinds):
        if kind == "bin":
            if last in _BEFORE_SIGN:
                kind = "sign"
            else:
                last_bin = index
        elif kind == "ord" and chars[index] in ("|", "‖"):
            kind = _bar(chars[index], last, open_bars)
        elif last == "bin" and kind in _AFTER_SIGN and last_bin >= 0:
            resolved[last_bin] = "ord"
        resolved.append(kind)
        if kind != "space":
            last = kind
    return resolved


def _bar(char: str, last: str | None, open_bars: list[str]) -> str:
    """Whether a bar opens, closes, or neither can be told."""
    if open_bars and open_bars[-1] == char and last not in _BEFORE_SIGN:
        open_bars.pop()
        return "close"
    if last in _BEFORE_SIGN:
        open_bars.append(char)
        return "open"
    return "ord"
