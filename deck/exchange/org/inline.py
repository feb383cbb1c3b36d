r"""Org's marks within a line as Markdown: emphasis, code, links, entities; LaTeX stays as it is.

What is finished is set aside under a private character each, so that no later rule reads it again.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

#: The private characters: an opening, decimal digits, a closing.
OPEN, CLOSE = "\ue000", "\ue001"
PRIVATE = re.compile(f"[{OPEN}{CLOSE}]")
_ASIDE = re.compile(f"{OPEN}(\\d+){CLOSE}")
_BEFORE, _BEHIND = r"(?<![^\s\-–—('\"{])", r"(?![^\s\-–—.,;:!?'\")}\[\\])"
_TAKEN = re.compile(
    r"(?P<math>\\\((?:[^\\]|\\\\|\\(?![()\\]))*+\\\)|\\\[(?:[^\\]|\\\\|\\(?![\[\]\\]))*+\\\]"
    r"|\$\$[^$]++\$\$|(?<![\w$\\])\$(?![\s$])[^$\n]{1,500}(?<![\s\\])\$(?!\w)"
    r"|\\begin\{(?P<env>[A-Za-z]{1,20}\*?)\}.{0,3000}?\\end\{(?P=env)\})"
    rf"|{_BEFORE}(?P<sign>[=~])(?P<code>[^\s=~](?:[^\n]{{0,400}}?\S)?)(?P=sign){_BEHIND}"
    r"|\[\[(?P<target>[^\[\]\n]{1,1000})\](?:\[(?P<label>[^\[\]]{1,1000})\])?\]"
    r"|\[fn:(?P<note>[\w-]{1,50})\]"
    r"|\\(?P<entity>[A-Za-z]{2,20})(?:\{\}|(?![A-Za-z{]))"
    r"|(?P<raw>[`<])",
    re.DOTALL,
)
_EMPHASIS = re.compile(
    rf"{_BEFORE}(?P<sign>[*/_+])(?P<text>[^\s](?:(?:[^\n]|\n(?!\s*\n)){{0,400}}?\S)?)"
    rf"(?P=sign){_BEHIND}"
)
_MARKS = {"*": "**", "/": "*", "_": "*", "+": "~~"}
_PICTURES = {".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".bmp", ".tif", ".tiff", ".avif"}
_WEB = re.compile(r"(?:https?|mailto|doi|ftp):")
_DEEPEST = 8


class Inline:
    """Converts the lines of one card; `lost` are sentences about what has no equal."""

    def __init__(self) -> None:
        self._aside: list[str] = []
        self.lost: list[str] = []

    def set_aside(self, text: str) -> str:
        """A mark that stands for finished text until `put_back`."""
        self._aside.append(text)
        return f"{OPEN}{len(self._aside) - 1}{CLOSE}"

    def put_back(self, text: str) -> str:
        for _ in range(_DEEPEST):
            if OPEN not in text:
                break
            text = _ASIDE.sub(lambda found: self._aside[int(found[1])], text)
        return text

    def converted(self, text: str, depth: int = 0) -> str:
        """The text with what is finished set aside."""
        text = _TAKEN.sub(lambda found: self._taken(found, depth), text)
        return self._emphasis(text, depth)

    def _emphasis(self, text: str, depth: int) -> str:
        if depth >= _DEEPEST:
            return text

        def marked(found: re.Match[str]) -> str:
            sign = _MARKS[found["sign"]]
            return self.set_aside(f"{sign}{self._emphasis(found['text'], depth + 1)}{sign}")

        return _EMPHASIS.sub(marked, text)

    def _taken(self, found: re.Match[str], depth: int) -> str:
        if found["math"]:
            return self.set_aside(found["math"])
        if found["code"]:
            fence = "``" if "`" in found["code"] else "`"
            gap = " " if fence == "``" else ""
            return self.set_aside(f"{fence}{gap}{found['code']}{gap}{fence}")
        if found["target"]:
            return self._link(found["target"], found["label"] or "", depth)
        if found["note"]:
            return self.set_aside(f"[^{found['note']}]")
        if found["entity"]:
            return self.set_aside(f"$\\{found['entity']}$")
        return self.set_aside(f"\\{found['raw']}")

    def _link(self, target: str, label: str, depth: int) -> str:
        shown = self.converted(label, depth + 1) if label and depth < _DEEPEST else label
        if _WEB.match(target):
            return self.set_aside(f"[{shown}]({target})" if label else f"<{target}>")
        path = target.removeprefix("file+sys:").removeprefix("file:").partition("::")[0]
        if target.startswith("attachment:"):
            self.lost.append(
                f"The attachment {target[11:]!r} was not looked for; link it as a file."
            )
            return self.set_aside(shown or target[11:])
        if PurePosixPath(path).suffix.lower() in _PICTURES and not target.startswith(("id:", "*")):
            named = f"<{path}>" if re.search(r"[\s()]", path) else path
            return self.set_aside(f"![{shown}]({named})")
        if target.startswith("file:") or path.startswith(("./", "../", "/", "~")):
            return self.set_aside(f"[{shown or path}](<{path}>)")
        # A heading, or an Org id: there is no such thing to go to here.
        return self.set_aside(shown or target.lstrip("*#").removeprefix("id:"))
