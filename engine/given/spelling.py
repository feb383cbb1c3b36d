"""Spellings of whole arrays that the tokens do not know, in characters that they know.

Every place is kept, so that the parser can look up in the learner's own text what was typed: the
`*` of `a ⊗ b`, and the `^` of `v.sum()`.
"""

from __future__ import annotations

import re
from typing import Final

_SIGNS: Final = str.maketrans({"@": "*", "⊗": "*", "⊘": "/", "⟨": "(", "⟩": ")"})
_LIBRARY: Final = re.compile(r"(?<![\w.])(?:np|numpy|jnp|torch|tf)\.(?=[A-Za-z])")
_TURNED: Final = re.compile(r"(?<=[\w)\]'])\.T\b")
_TOTAL: Final = re.compile(r"(?<=[\w)\]'])\.(sum|mean)\(\)")
_DOT: Final = re.compile(r"(?<=[\w)\]'])\.dot\(")
_WHERE: Final = re.compile(r"(?<![\w.])where\((?=[^\n]*,[^\n]*,)")


def plainly(text: str) -> str:
    """The text in characters that the tokens know, every place kept."""
    text = _LIBRARY.sub(lambda found: " " * len(found.group()), text.translate(_SIGNS))
    text = _TURNED.sub("^T", text)
    text = _TOTAL.sub(lambda found: f"^{{{found[1]}}}", text)
    text = _DOT.sub("*   (", text)
    return _WHERE.sub("which(", text)
