r"""The words of \text{...}: those that a derivation needs, and no guess at any other."""

from __future__ import annotations

import re
from typing import Final

from engine.formula.problem import OffsetError

_THEN: Final = (
    r"then|thus|hence|therefore|so|finally|consequently|it follows that|tedy|pak|dann|i\.e\."
)
_GIVES: Final = "get|gets|have|has|obtain|obtains|follows|gives"
#: What each phrase says in the notation of engine/formula.  Longer ones first where they overlap.
_PHRASES: Final = (
    (r"where the sum (is|runs|goes|ranges|is taken) over( all)?", "over"),
    (r"if and only if|if|iff|when(ever)?|wenn|falls|pokud|když", "if"),
    (r"otherwise|elsewhere|else|in all other cases|in any other case|jinak|sonst", "otherwise"),
    (r"with", "with"),
    (r"(and )?where( we define)?|kde|let|mit|wobei", "where"),
    (r"and|a zároveň|und", "and"),
    (r"or|nebo|oder", "or"),
    (r"such that|s\.? ?t\.?", ":"),
    (r"(for|over) (all|each|every|any)", "forall"),
    (r"for", "for"),
    (r"over", "over"),
    (rf"(and )?({_THEN})(,? (we|one|it|this) ({_GIVES})( that)?)?", "then"),
    (r"all", "all"),
    (r"is not in|not in", "not in"),
    (r"(is|lies|are|being) in|belongs to|in", "in"),
    (r"(is|are) equal to|equals|is", "="),
    (r"is not equal to|is not|not", "not"),
)
_WINDOW: Final = re.compile(
    r"(?:(?:is|was|be|equals|attains|achieves|attained) )?(?:the |a )?"
    r"(?:(?:position|place|location|index|coordinates?) of (?:the )?)?"
    r"(?:arg ?max(?:imum)?|max(?:imum|imal)?|largest|greatest|biggest|highest)",
)
_OF: Final = re.compile(
    r"(?: (?:value|element|entry|input|number|pixel|one|index|position))?"
    r"(?: (?:in|of|over|within|inside|from))?"
    r"(?: (?:its|the|that|this))?(?: (?:pooling|corresponding|respective))?(?: window)?"
)
_TABLE: Final = tuple((re.compile(rf"(?:{pattern})(?![^\W_])"), said) for pattern, said in _PHRASES)


def words(text: str, at: int) -> list[tuple[str, int]]:
    """Pieces of notation with their places; "MAX" for "was the maximum in its window".

    Raises OffsetError at the first word that is not known.
    """
    pieces: list[tuple[str, int]] = []
    position = 0
    lowered = text.lower()
    while position < len(text):
        if not lowered[position].isalnum():
            if lowered[position] in "(),:;=<>":
                pieces.append((text[position], at))
            elif lowered[position] not in " .!?'’\n\t\xa0~":
                raise _stranger(text, position, at)
            position += 1
            continue
        found = _WINDOW.match(lowered, position)
        if found and not re.match(r"[^\W_]", lowered[found.end() :]):
            tail = _OF.match(lowered, found.end())
            pieces.append(("MAX", at))
            position = tail.end() if tail else found.end()
            continue
        for pattern, said in _TABLE:
            match = pattern.match(lowered, position)
            if match:
                pieces.append((f" {said} ", at))
                position = match.end()
                if said == "then" and text[position : position + 1] == ":":
                    position += 1
                break
        else:
            raise _stranger(text, position, at)
    return pieces


def _stranger(text: str, position: int, at: int) -> OffsetError:
    rest = " ".join(text[position:].split())
    shown = rest if len(rest) <= 40 else rest[:39] + "…"
    return OffsetError(
        f"I do not understand the words '{shown}'.",
        r"write it as a formula, as in \text{if } (i,j) = \arg\max_{(p,q) \in \Omega(k,l)} x_{pq}",
        at,
    )
