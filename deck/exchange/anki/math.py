r"""Formulas of Anki's fields, to `$...$` and `$$...$$`.

MathJax `\(...\)` and `\[...\]`, its older form `<anki-mathjax>`, LaTeX `[$]...[/$]`, `[$$]...[/$$]`
and `[latex]...[/latex]`, and `$...$` that reads like a formula, which some add-ons draw.  They are
taken out of the HTML before it is read: each leaves a private character with its number.
"""

from __future__ import annotations

import re
from html import unescape
from itertools import cycle

_OPENER = re.compile(r"\\\(|\\\[|\[\$\$?\]|\[latex\]|<anki-mathjax|(?<![\\\d$])\$", re.IGNORECASE)
_IN_DOLLARS = re.compile(
    r"\$\$(?P<dollars>[^$]+)\$\$|\$(?P<dollar>[^\s$](?:[^$\n<>]*[^\s$])?)\$(?![\d$])"
)
_CLOSERS = {
    "\\(": re.compile(r"\\\)"),
    "\\[": re.compile(r"\\\]"),
    "[$]": re.compile(r"\[/\$\]"),
    "[$$]": re.compile(r"\[/\$\$\]"),
    "[latex]": re.compile(r"\[/latex\]", re.IGNORECASE),
    "<anki-mathjax": re.compile("</anki-mathjax>", re.IGNORECASE),
}
_TAG_END = re.compile(">")
#: Private characters, which no text of a stranger keeps: they stand for formulas and marks.
PRIVATE = re.compile("[\ue000-\ue0ff]")
_BEGIN, _END = "\ue000", "\ue001"
#: Before the number of a formula that stands on a line of its own, and \ue001.
DISPLAY = "\ue002"
_PLACE = re.compile(f"[{_BEGIN}{DISPLAY}](\\d+){_END}")
_OWN = re.compile(f"[{_BEGIN}{DISPLAY}{_END}]")
_BREAK = re.compile(r"<br\s*/?>|</(?:div|p|li)>", re.IGNORECASE)
_TAG = re.compile(r"<!--.*?(?:-->|\Z)|</?[A-Za-z][^<>]*>", re.DOTALL)
_MATHLIKE = re.compile(r"[\\^_=<>+]|^\w$|^[A-Za-z]\(|\d\s*[*/·-]\s*\d")
_TEXTUAL = re.compile(r"\\(?:text|mbox|textrm|mathrm)\{[^{}]*\}")
#: A sign behind a backslash counts for nothing; only a dollar that has none is the group.
_DOLLAR = re.compile(r"\\.|(\$)", re.DOTALL)
_WRAPPED = re.compile(r"\\\[(.*)\\\]|\$\$(.*)\$\$|\\\((.*)\\\)|\$([^$]*)\$", re.DOTALL)
_DISPLAY = re.compile(r"\\begin\{(displaymath|equation|math)\*?\}(.*)\\end\{\1\*?\}", re.DOTALL)


class Formulas:
    """The formulas of one text."""

    def __init__(self) -> None:
        self._found: list[str] = []

    def taken(self, html: str) -> str:
        """The HTML with a place for each formula."""
        html = PRIVATE.sub("\ufffd", html)
        if not ("\\" in html or "$" in html or "[latex]" in html.lower() or "<anki" in html):
            return html
        return self._replaced(html)

    def _replaced(self, html: str) -> str:
        parts: list[str] = []
        ahead = ForwardSearch(html)
        at = look = 0
        while opener := _OPENER.search(html, look):
            look = opener.end()
            taken = self._take(html, opener, ahead)
            if taken is not None:
                place, end = taken
                parts += [html[at : opener.start()], place]
                at = look = end
        parts.append(html[at:])
        return "".join(parts)

    def _take(
        self, html: str, opener: re.Match[str], ahead: ForwardSearch
    ) -> tuple[str, int] | None:
        """What stands for the formula that begins here, and where it ends; None for none."""
        kind, begin = opener[0].lower(), opener.end()
        if kind == "$":
            return self._dollars(_IN_DOLLARS.match(html, opener.start()))
        end = ahead.of(_CLOSERS[kind], begin)
        if end is None:
            return None
        display = kind in ("\\[", "[$$]")
        if kind == "<anki-mathjax":
            bracket = ahead.of(_TAG_END, begin)
            if bracket is None or bracket.start() > end.start():
                return None
            attributes = html[begin : bracket.start()]
            display = "block" in attributes and "false" not in attributes
            begin = bracket.end()
        tex = plain_tex(html[begin : end.start()])
        return self._latex(tex) if kind == "[latex]" else self._keep(tex, display), end.end()

    def _dollars(self, found: re.Match[str] | None) -> tuple[str, int] | None:
        if found is None:
            return None
        if found["dollar"] and not _MATHLIKE.search(unescape(found["dollar"])):
            return found[0], found.end()
        body = found["dollar"] or found["dollars"]
        return self._keep(plain_tex(body), not found["dollar"]), found.end()

    def _latex(self, tex: str) -> str:
        if found := _WRAPPED.fullmatch(tex.strip()):
            inside = next(filter(None, found.groups()), "")
            return self._keep(inside, tex.strip()[:2] in ("\\[", "$$"))
        if found := _DISPLAY.fullmatch(tex.strip()):
            return self._keep(found[2], found[1] != "math")
        if tex.lstrip().startswith("\\begin{"):
            return self._keep(tex, True)
        if "$" in tex or "\\(" in tex:  # words with formulas among them
            return self._replaced(tex.replace("&", "&amp;").replace("<", "&lt;"))
        return self._keep(tex, False)

    def _keep(self, tex: str, display: bool) -> str:
        lines = [" ".join(line.split()) for line in tex.split("\n")]
        lines = [line for line in lines if line]
        if not lines:
            return ""
        tex = "\n".join(lines) if display or "%" in tex else " ".join(lines)
        tex = _TEXTUAL.sub(_round, tex)
        tex = _DOLLAR.sub(lambda found: r"\$" if found[1] else found[0], tex)
        tex = re.sub(r"<(?=[A-Za-z/!?])", "< ", tex)  # not even a careless reader finds a tag
        if tex.endswith("\\") and not tex.endswith("\\\\"):
            tex += " {}"
        self._found.append(f"$${tex}$$" if display else f"${tex}$")
        return f"{DISPLAY if display else _BEGIN}{len(self._found) - 1}{_END}"

    def put_back(self, text: str) -> str:
        if not self._found:
            return _OWN.sub("", text)

        def put(found: re.Match[str]) -> str:
            number = int(found[1][:9])
            if number >= len(self._found):
                return ""
            formula = self._found[number]
            # A dollar beside a digit, or another, would be money to the reader of the card.
            before = text[found.start() - 1 : found.start()]
            after = text[found.end() : found.end() + 1]
            left = " " if before and (before.isdigit() or before in "$" + _END) else ""
            right = " " if after.isdigit() or after == "$" else ""
            return left + formula + right

        text = _PLACE.sub(put, text)
        return _OWN.sub("", text)


def _round(found: re.Match[str]) -> str:
    r"""Formulas within words, which are `\(...\)` here: a dollar there would end the formula."""
    if sum(bool(dollar) for dollar in _DOLLAR.findall(found[0])) % 2:
        return found[0]  # prices
    sides = cycle((r"\(", r"\)"))
    return _DOLLAR.sub(lambda each: next(sides) if each[1] else each[0], found[0])


def plain_tex(html: str) -> str:
    """LaTeX that an editor of HTML was used for."""
    text = _TAG.sub("", _BREAK.sub("\n", html))
    return unescape(text).replace("\xa0", " ").replace("\u200b", "")


# Formulas in MathML, which are mostly pasted from a page that had them in LaTeX as well.  Such a
# page leaves the LaTeX in an `<annotation>`.  Of a formula without one, the words are what it says
# where it is a row of signs; a fraction, a power, a root would become another formula.

_MATH = re.compile(r"<math\b([^<>]{0,2000})>((?:[^<]++|<(?!/?math\b))*+)</math\s*>", re.IGNORECASE)
_MATH_END = re.compile(r"</math\s*>", re.IGNORECASE)
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
    return _MATH.sub(_its_tex, html)


def _its_tex(formula: re.Match[str]) -> str:
    begun = _TEX.search(formula[2])
    ended = _TEX_END.search(formula[2], begun.end()) if begun else None
    if not begun or not ended:
        return formula[0]
    left, right = ("\\[", "\\]") if _BLOCK.search(formula[1]) else ("\\(", "\\)")
    return left + formula[2][begun.end() : ended.start()] + right


def is_built(at: int, ahead: ForwardSearch) -> bool:
    """Whether a formula whose content begins at `at` is more than a row of signs."""
    end = ahead.of(_MATH_END, at)
    found = ahead.of(_BUILT, at)
    return end is not None and found is not None and found.start() < end.start()


# Where the next of something is, asked from places that only go forward: a text is read once.


class ForwardSearch:
    """The places of each pattern in a text, found as they are asked for.

    A search from every opener for a closer that is not there would take the square of the text's
    length; an answer holds until a place behind it is asked for, and "none" for good.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: dict[re.Pattern[str], tuple[int, re.Match[str] | None]] = {}

    def of(self, pattern: re.Pattern[str], at: int) -> re.Match[str] | None:
        """The first match that begins at `at` or behind it."""
        since, found = self._found.get(pattern, (len(self._text) + 1, None))
        if since <= at and (found is None or found.start() >= at):
            return found
        found = pattern.search(self._text, at)
        self._found[pattern] = at, found
        return found
