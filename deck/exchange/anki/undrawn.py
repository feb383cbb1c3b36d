"""Elements that a browser does not draw: what is in them is nothing that the learner saw."""

from __future__ import annotations

import re
from collections.abc import Mapping

_STYLE = re.compile(r"display\s*+:\s*+none|visibility\s*+:\s*+(?:hidden|collapse)", re.I)
#: They have no content, and no end.
_VOID = {
    "area",
    "base",
    "br",
    "col",
    "hr",
    "img",
    "input",
    "link",
    "meta",
    "source",
    "track",
    "wbr",
}
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


def is_hidden(attributes: Mapping[str, str]) -> bool:
    """Whether the attributes of a tag say that it is not drawn."""
    return "hidden" in attributes or _STYLE.search(attributes.get("style", "")) is not None
