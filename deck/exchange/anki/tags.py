"""The elements of HTML that mean something to a card, by what they do."""

from __future__ import annotations

import re

#: To the marks of `inline.OPEN`.
MARKS = {
    "b": "b", "strong": "b", "i": "i", "em": "i", "cite": "i", "dfn": "i", "var": "i",
    "s": "s", "del": "s", "strike": "s",
}  # fmt: skip
LINES = {
    "div", "section", "article", "header", "footer", "main", "aside", "nav", "address", "figure",
    "figcaption", "form", "fieldset", "legend", "dl", "dt", "dd", "details", "summary", "center",
    "caption", "body", "html", "p",
}  # fmt: skip
HEADINGS = {"h1": 3, "h2": 3, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
BOXES = {"ul", "ol", "blockquote", "li", "table", "tr", "td", "th"}
CODE = {"code", "kbd", "samp", "tt"}
#: Signs for what stands lower or higher, until the whole text is known.
RAISED = {"sub": "\ue02a", "sup": "\ue02b", "rt": " ("}
_BOLD = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)", re.IGNORECASE)
_ITALIC = re.compile(r"font-style\s*:\s*italic", re.IGNORECASE)


def mark_of_style(style: str) -> str:
    """The mark that an inline style stands for, or an empty text."""
    return "b" if _BOLD.search(style) else "i" if _ITALIC.search(style) else ""
