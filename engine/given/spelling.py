"""Spellings of whole arrays that the tokens do not know, in characters that they know.

Every place is kept, so that the parser can look up in the learner's own text what was typed: the
`*` of `a ⊗ b`, and the `^` of `v.sum()`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from engine.given.vocabulary import Words

_SIGNS: Final = str.maketrans({"@": "*", "⊗": "*", "⊘": "/", "⟨": "(", "⟩": ")"})
_LIBRARY: Final = re.compile(r"(?<![\w.])(?:np|numpy|jnp|torch|tf)\.(?=[A-Za-z])")
_TURNED: Final = re.compile(r"(?<=[\w)\]'])\.T\b")
_TOTAL: Final = re.compile(r"(?<=[\w)\]'])\.(sum|mean)\((?:axis *= *)?([01]?)\)")
_DOT: Final = re.compile(r"(?<=[\w)\]'])\.dot\(")
_BELOW: Final = r"(_[A-Za-z]+|_\{[A-Za-z, ]+\}|\[[A-Za-z, ]+\])?"
_MARK: Final = r"\^(?:\(\((?P<two>\w)\)\)|[({](?P<one>\w)[)}]|(?P<bare>\w)(?![A-Za-z0-9(]))"
_ABOVE: Final = re.compile(rf"(?<!\w)([A-Za-z]+|δ){_BELOW}{_MARK}{_BELOW}")
#: What a line sets: with n = 2, x^n is a power.
_OWN: Final = re.compile(r"(?<![{_\[(\w])(\w) *:?=")
_WHERE: Final = re.compile(r"(?<![\w.])where\((?=[^\n]*,[^\n]*,)")


def plainly(text: str, words: Words) -> str:
    """The text in characters that the tokens know, every place kept."""
    text = _LIBRARY.sub(lambda found: " " * len(found.group()), text.translate(_SIGNS))
    text = _TURNED.sub("^T", text)
    text = _TOTAL.sub(lambda found: f"^{{{found[1]}{found[2]}}}".ljust(len(found[0])), text)
    text = _DOT.sub("*   (", text)
    own = {*_OWN.findall(text)}
    text = _ABOVE.sub(lambda found: _marked(found, words, own), text)
    return _WHERE.sub("which(", text)


def _marked(found: re.Match[str], words: Words, own: set[str]) -> str:
    """δ^(s)_k of textbooks, the message at s, and p^(i), entry i: what stands above as an index."""
    name, low, *above, lower = found.groups()
    mark, below = "".join(filter(None, above)), (low or lower or "").strip("_{}[]")
    message = name in ("delta", "δ") and mark in words.arrays
    entry = not below and words.arities.get(name) == 1 and mark not in (*words.known, "T")
    if not (message or (entry and mark.isalpha() and mark not in own)):
        return found[0]
    index = f"{{{mark},{below}}}" if "," in below else mark + below
    return f"{name}_{index}".ljust(len(found[0]))
