"""A formula between dollars with words around it, as an answer is copied out of notes."""

from __future__ import annotations

import re
from typing import Final

_FORMULA: Final = re.compile(
    r"""(?P<before>[^$\\=]*)
        (?P<open>\$\$?)(?P<formula>[^$]+)(?P=open)
        [\s.,;!]*""",
    re.VERBOSE,
)
#: Words that a condition, or another answer, may begin with: what they say is not left out.
_SAYING: Final = re.compile(
    r"\b(if|iff|when|where|with|only|otherwise|else|unless|not|no|never|except|for|minus|times|let)\b",
    re.IGNORECASE,
)


def without(answer: str) -> str:
    """The answer with the words that lead up to its one formula made blanks, every place kept.

    Anything else stays as it is: several formulas, words behind, or words that may be conditions.
    """
    found = _FORMULA.fullmatch(answer)
    if found is None or not re.search(r"[^\W\d_]{2}", found["before"]):
        return answer
    if _SAYING.search(found["before"]):
        return answer
    start, end = found.span("formula")
    blank = re.sub(r"[^\n]", " ", answer)
    return blank[:start] + answer[start:end] + blank[end:]
