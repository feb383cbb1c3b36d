r"""Formulas in MathML, which are mostly pasted from a page that had them in LaTeX as well.

Such a page leaves the LaTeX in an `<annotation>`.  Of a formula without one, the words are what it
says where it is a row of signs; a fraction, a power, a root would become another formula.
"""

from __future__ import annotations

import re

from deck.exchange.anki.scan import Next

_MATH = re.compile(r"<math\b([^<>]{0,2000})>", re.IGNORECASE)
_END = re.compile(r"</math\s*>", re.IGNORECASE)
_TEX = re.compile(r"<annotation\b[^<>]{0,500}?x-tex[^<>]{0,500}>", re.IGNORECASE)
_TEX_END = re.compile("</annotation", re.IGNORECASE)
_BUILT = re.compile(
    r"<(?:mfrac|msup|msub|msubsup|msqrt|mroot|mover|munder|munderover|mtable|mmultiscripts|mfenced"
    r"|menclose|annotation|annotation-xml)\b",
    re.IGNORECASE,
)
_BLOCK = re.compile(r"display\s*=\s*[\"']?block", re.IGNORECASE)


def with_tex(html: str) -> str:
    """The HTML with each formula that brings its LaTeX in its place."""
    parts: list[str] = []
    ahead = Next(html)
    at = 0
    while opener := ahead.of(_MATH, at):
        end = ahead.of(_END, opener.end())
        if end is None:
            break
        tex = _tex(html[opener.end() : end.start()])
        parts.append(html[at : opener.start()])
        if tex is None:
            parts.append(html[opener.start() : end.end()])
        else:
            left, right = ("\\[", "\\]") if _BLOCK.search(opener[1]) else ("\\(", "\\)")
            parts.append(left + tex + right)
        at = end.end()
    parts.append(html[at:])
    return "".join(parts)


def _tex(inside: str) -> str | None:
    begin = _TEX.search(inside)
    end = _TEX_END.search(inside, begin.end()) if begin else None
    return inside[begin.end() : end.start()] if begin and end else None


def is_built(at: int, ahead: Next) -> bool:
    """Whether a formula whose content begins at `at` is more than a row of signs."""
    end = ahead.of(_END, at)
    found = ahead.of(_BUILT, at)
    return end is not None and found is not None and found.start() < end.start()
