"""Elements that a browser does not draw at first: the learner did not see what is in them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

_STYLE = re.compile(r"display\s*+:\s*+none|visibility\s*+:\s*+(?:hidden|collapse)", re.I)
#: They have no content, and no end.
_VOID = {
    "area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
}  # fmt: skip
#: The next of its kind ends it, where its end is left out.
_ENDED_BY_NEXT = {"p"}


class Undrawn:
    """Whether one is within such an element; told by its tags, counted."""

    __slots__ = ("_depth", "_tag")

    def __init__(self) -> None:
        self._tag, self._depth = "", 0

    def __bool__(self) -> bool:
        return bool(self._tag)

    def takes(self, tag: str, close: bool, hidden: bool) -> bool:
        """Whether a tag is of such an element, or within it: nothing more is to be done then."""
        if tag == self._tag and not close and tag in _ENDED_BY_NEXT:
            self._tag = ""
        if not self._tag:
            if close or not hidden:
                return False
            if tag not in _VOID:
                self._tag, self._depth = tag, 1
        elif tag == self._tag:
            self._depth += -1 if close else 1
            if not self._depth:
                self._tag = ""
        return True


def is_hidden(tag: str, attributes: Mapping[str, str], sheet: frozenset[str]) -> bool:
    """Whether an element is not drawn; `sheet`: what a style sheet hides (`hidden_by`)."""
    if "hidden" in attributes or _STYLE.search(attributes.get("style", "")):
        return True
    if not sheet:
        return False
    names = [f".{name}" for name in attributes.get("class", "").split()]
    names.append(f"#{attributes.get('id', '')}")
    return any(selector in sheet for name in names for selector in (name, tag + name))


_BESIDE = re.compile(
    r"/\*.*?(?:\*/|\Z)|@[^{};]{0,2000}+(?:;|\{(?:[^{}]*+\{[^{}]*+\})*+[^{}]*+\})|</?style[^<>]*>",
    re.DOTALL,
)
_SHOWN = re.compile(r"display\s*+:|visibility\s*+:", re.I)


@lru_cache(maxsize=256)
def hidden_by(css: str) -> frozenset[str]:
    """The selectors `.class`, `#id` and `tag.class` that a style sheet never draws.

    Rules for some screens only (`@media`) and within other elements count for nothing: then the
    text is drawn here.
    """
    if _STYLE.search(css) is None:
        return frozenset()
    found: set[str] = set()
    for rule in _BESIDE.sub("", css).split("}"):
        selectors, _, rules = rule.rpartition("{")
        simple = (each.strip().removeprefix(".card ").strip() for each in selectors.split(","))
        names = {each for each in simple if re.fullmatch(r"\w*[.#][\w-]+", each)}
        if _STYLE.search(rules):
            found |= names - {".card"}
        elif _SHOWN.search(rules):
            found -= names
    return frozenset(found)
