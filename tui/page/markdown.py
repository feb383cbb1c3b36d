"""Spans back to Markdown."""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import NamedTuple

from tui.page.model import Link, Span, Thing, Units

_SIGNS = {"bold": "**", "italic": "*", "strike": "~~"}


class Sign(NamedTuple):
    """What opens and closes a run of text, of one thing where it belongs to one."""

    opening: str
    closing: str
    thing: Thing | None = None


class Writer:
    """Takes pieces of text with their signs; signs go around words, never around blanks."""

    def __init__(self) -> None:
        self._text = ""
        self._open: list[Sign] = []
        self._blanks = ""

    def add(self, text: str, signs: tuple[Sign, ...] = ()) -> None:
        core = text.strip(" ")
        if not core:
            self._blanks += text
            return
        kept = 0
        while kept < min(len(signs), len(self._open)) and signs[kept] == self._open[kept]:
            kept += 1
        self._close(kept)
        self._text += self._blanks + text[: len(text) - len(text.lstrip(" "))]
        for sign in signs[kept:]:
            self._text += sign.opening
            self._open.append(sign)
        self._text += core
        self._blanks = text[len(text.rstrip(" ")) :]

    def glue(self, glue: str) -> None:
        """What stands between two rows: nothing or a space within a line of text."""
        if "\n" in glue:
            self._close(0)
            self._text += glue
            self._blanks = ""
        elif glue:
            self._blanks = glue

    def done(self) -> str:
        self._close(0)
        return self._text + self._blanks

    def _close(self, kept: int) -> None:
        for sign in reversed(self._open[kept:]):
            self._text += sign.closing
        del self._open[kept:]


def signs(span: Span, whole: Set[Thing] | None = None) -> tuple[Sign, ...]:
    """The signs of a span; a link has its own only where it is in `whole`, or that is None."""
    # Words behind "math" are of the formula, whose LaTeX says them.
    words = span.style.partition("math")[0].split()
    found = [Sign(_SIGNS[word], _SIGNS[word]) for word in words if word in _SIGNS]
    thing = span.thing
    if isinstance(thing, Link) and any(thing.signs) and (whole is None or thing in whole):
        found.insert(0, Sign(*thing.signs, thing))
    if "code" in words:
        ticks = "``" if "`" in span.text else "`"
        found.append(Sign(ticks, ticks))
    return tuple(found)


def inline(units: Units, escape: Callable[[str], str]) -> str:
    """Units of text as one line of Markdown; `escape` is for what is no formula."""
    writer = Writer()
    for number, unit in enumerate(units):
        if number and unit.space:
            writer.glue(" ")
        for part in unit.parts:
            if not isinstance(part, Span):
                writer.add(part.copy)
            elif part.thing is None or isinstance(part.thing, Link):
                writer.add(escape(part.text), signs(part))
            else:
                writer.add(part.thing.copy)
    return writer.done().strip()
