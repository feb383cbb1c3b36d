r"""Formulas of Anki's fields, to `$...$` and `$$...$$`.

MathJax `\(...\)` and `\[...\]`, its older form `<anki-mathjax>`, LaTeX `[$]...[/$]`, `[$$]...[/$$]`
and `[latex]...[/latex]`, and `$...$` that reads like a formula, which some add-ons draw.  They are
taken out of the HTML before it is read: each leaves a private character with its number.
"""

from __future__ import annotations

import re
from html import unescape

from deck.exchange.anki.inline import without_private

_FORMULA = re.compile(
    r"\\\((?P<round>.*?)\\\)|\\\[(?P<square>.*?)\\\]"
    r"|\[\$\](?P<inline>.*?)\[/\$\]|\[\$\$\](?P<display>.*?)\[/\$\$\]"
    r"|\[latex\](?P<latex>.*?)\[/latex\]"
    r"|<anki-mathjax(?P<attributes>[^>]*)>(?P<mathjax>.*?)</anki-mathjax>"
    r"|(?<![\\\d$])\$\$(?P<dollars>[^$]+)\$\$"
    r"|(?<![\\\d$])\$(?P<dollar>[^\s$](?:[^$\n<>]*[^\s$])?)\$(?![\d$])",
    re.DOTALL | re.IGNORECASE,
)
_BEGIN, _END = "\ue000", "\ue001"
_PLACE = re.compile(f"{_BEGIN}(\\d+){_END}")
_BREAK = re.compile(r"<br\s*/?>|</(?:div|p|li)>", re.IGNORECASE)
_TAG = re.compile(r"<!--.*?-->|</?[A-Za-z][^<>]*>", re.DOTALL)
_MATHLIKE = re.compile(r"[\\^_=<>+]|^\w$|^[A-Za-z]\(|\d\s*[*/·-]\s*\d")
_TEXTUAL = re.compile(r"\\(?:text|mbox|textrm|mathrm)\{[^{}]*\$[^{}]*\}")
_WRAPPED = re.compile(r"\\\[(.*)\\\]|\$\$(.*)\$\$|\\\((.*)\\\)|\$([^$]*)\$", re.DOTALL)
_DISPLAY = re.compile(r"\\begin\{(displaymath|equation|math)\*?\}(.*)\\end\{\1\*?\}", re.DOTALL)


class Formulas:
    """The formulas of one text."""

    def __init__(self) -> None:
        self._found: list[str] = []

    def taken(self, html: str) -> str:
        """The HTML with a place for each formula."""
        html = without_private(html)
        if not ("\\" in html or "$" in html or "[latex]" in html.lower() or "<anki" in html):
            return html
        return _FORMULA.sub(self._take, html)

    def _take(self, found: re.Match[str]) -> str:
        kind = found.lastgroup or ""
        body = found[kind]
        if kind == "dollar" and not _MATHLIKE.search(unescape(body)):
            return found[0]
        display = kind in ("square", "display", "dollars")
        if kind == "mathjax":
            display = "block" in (found["attributes"] or "") and "false" not in found["attributes"]
        tex = plain_tex(body)
        if kind == "latex":
            return self._latex(tex)
        return self._keep(tex, display)

    def _latex(self, tex: str) -> str:
        if found := _WRAPPED.fullmatch(tex.strip()):
            return self._keep(
                next(filter(None, found.groups()), ""), tex.strip()[:2] in ("\\[", "$$")
            )
        if found := _DISPLAY.fullmatch(tex.strip()):
            return self._keep(found[2], found[1] != "math")
        if tex.lstrip().startswith("\\begin{"):
            return self._keep(tex, True)
        if "$" in tex or "\\(" in tex:  # words with formulas among them
            return _FORMULA.sub(self._take, tex.replace("&", "&amp;").replace("<", "&lt;"))
        return self._keep(tex, False)

    def _keep(self, tex: str, display: bool) -> str:
        lines = [" ".join(line.split()) for line in tex.split("\n")]
        lines = [line for line in lines if line]
        if not lines:
            return ""
        tex = "\n".join(lines) if display or "%" in tex else " ".join(lines)
        tex = _TEXTUAL.sub(_round, tex)
        tex = re.sub(r"(?<!\\)\$", r"\\$", tex)
        tex = re.sub(r"<(?=[A-Za-z/!?])", "< ", tex)  # not even a careless reader finds a tag
        if tex.endswith("\\") and not tex.endswith("\\\\"):
            tex += " {}"
        self._found.append(f"$${tex}$$" if display else f"${tex}$")
        return f"{_BEGIN}{len(self._found) - 1}{_END}"

    def put_back(self, text: str) -> str:
        if not self._found:
            return _PLACE.sub("", text)

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
        return text.replace(_BEGIN, "").replace(_END, "")


def _round(found: re.Match[str]) -> str:
    parts = found[0].split("$")
    return (
        "".join(p + (r"\(" if i % 2 == 0 else r"\)") for i, p in enumerate(parts[:-1])) + parts[-1]
    )


def plain_tex(html: str) -> str:
    """LaTeX that an editor of HTML was used for."""
    text = _TAG.sub("", _BREAK.sub("\n", html))
    return unescape(text).replace("\xa0", " ").replace("\u200b", "")
