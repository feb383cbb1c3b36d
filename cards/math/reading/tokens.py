r"""Source to tokens: control words, control characters, and single characters.

Nothing is lost: the tokens joined are the source, so that their places follow from their lengths.
A comment is one token, and so is a run of blanks; the reader passes over them.
"""

from __future__ import annotations

import re
from itertools import accumulate

#: Marks that belong to the character before them.
_MARKS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f"

_PATTERN = (
    r"\\(?:[A-Za-z]+|.)?"  # a command; a lone backslash at the end
    r"|[{}^_&$]"  # these never take a mark
    r"|[ \t\r\n\f\v]+"
    r"|%[^\n]*(?:\n[ \t]*)?"  # a comment takes its line's end along
    r"|#[1-9]"
    rf"|.[{_MARKS}]*"
)
_TOKEN = re.compile(_PATTERN, re.DOTALL)
_TOKEN_OR_VERBATIM = re.compile(rf"\\verb(\*?)([^A-Za-z*\n])[^\n]*?\2|{_PATTERN}", re.DOTALL)

#: What ends the tokens; no source holds an empty token.
END = ""

_LENGTH = re.compile(
    r"\s*([-+]?\s*(?:\d+(?:[.,]\d*)?|[.,]\d+))\s*(em|ex|mu|pt|bp|dd|cc|nc|nd|pc|in|cm|mm|sp|px)"
    r"(?:\s*(?:plus|minus)\s*[-+]?[\d.]+\s*(?:fil+|[a-z]{2}))*"
)
#: Of a ten-point font, as TeX's plain format has it.
_EMS = {
    "em": 1.0, "ex": 0.431, "mu": 1 / 18, "pt": 0.1, "bp": 0.100375, "dd": 0.107, "cc": 1.284,
    "nc": 1.28, "nd": 0.1067, "pc": 1.2, "in": 7.227, "cm": 2.845, "mm": 0.2845, "sp": 0.0,
    "px": 0.100375,
}  # fmt: skip


def tokens_of(source: str) -> list[str]:
    """The tokens of `source`; joined, they are `source` again."""
    if "\\verb" in source:
        return [found[0] for found in _TOKEN_OR_VERBATIM.finditer(source)]
    return _TOKEN.findall(source)


def places_of(tokens: list[str]) -> list[int]:
    """Where each token starts, and after the last of them where the source ends."""
    return [0, *accumulate(map(len, tokens))]


def length_at(text: str) -> tuple[float, int] | None:
    r"""A length such as `1em`, `-.5 ex` or `18mu` at the start of `text`.

    Returns its width in em and how many characters it takes, or None where there is none.
    """
    found = _LENGTH.match(text)
    if found is None:
        return None
    number = "".join(found[1].split()).replace(",", ".")
    return float(number) * _EMS[found[2]], found.end()
