"""In which language an answer is written, told by its looks alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

if TYPE_CHECKING:
    from engine.exercise import Exercise

Language: TypeAlias = Literal["formula", "latex", "function"]
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)

_VECTORS: Final = ("ones", "diag", "norm", "outer", "softmax")
_FUNCTION: Final = re.compile(
    r"^[ \t]*((async\s+)?def\s+\w+\s*\(|(import|from)\s+\w+|@\w+|\w+\s*=\s*lambda\b)",
    re.MULTILINE,
)


def language_of(answer: str) -> Language:
    """A NumPy function begins with `def`, LaTeX has a backslash; all else is an index formula."""
    if _FUNCTION.search(answer):
        return "function"
    # Ω(k,l) \ {(i,j)}, a set without a place, is no LaTeX.
    return "latex" if re.search(r"\\(?!\s)", answer) else "formula"


def names_of(exercise: Exercise) -> frozenset[str]:
    """The exercise's names of several letters, also as print has them: kh and k_h."""
    told = {name for left, _ in exercise.symbols for name in re.findall(r"[A-Za-z]\w+", left)}
    # Max pooling alone has no vectors: there, what these stand for in print has no meaning.
    vectors = () if exercise.layer == "max-pool" else _VECTORS
    return frozenset((*told, *(f"{name[0]}_{name[1:]}" for name in told), *vectors))
