r"""Org's marks within a line as Markdown: emphasis, code, links, entities; LaTeX stays as it is.

A text is read once, from left to right, as Org does: what begins first is one whole.  The marks of
blocks are set aside meanwhile, as they mean something in Markdown already.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

#: The private characters: an opening, decimal digits, a closing.
OPEN, CLOSE = "\ue000", "\ue001"
PRIVATE = re.compile(f"[{OPEN}{CLOSE}]")
_ASIDE = re.compile(f"{OPEN}(\\d+){CLOSE}")
#: Org's emphasis: what may stand before its first sign and behind its last one; its body neither
#: begins nor ends with a blank, and has one line feed at most.
_BEFORE, _BEHIND = r"(?<![^\s\-–—('\"{])", r"(?![^\s\-–—.,;:!?'\")}\[\\])"
_BODY = r"(?=\S)[^\n]{1,1000}?(?:\n[^\n]{0,1000}?)?(?<=\S)"
_TOKEN = re.compile(
    r"(?P<math>\\\((?:[^\\]|\\\\|\\(?![()\\]))*+\\\)|\\\[(?:[^\\]|\\\\|\\(?![\[\]\\]))*+\\\]"
    r"|\$\$[^$]++\$\$|(?<![\w$\\])\$(?![\s$])[^$\n]{1,500}(?<![\s\\])\$(?!\w)"
    r"|\\begin\{(?P<env>[A-Za-z]{1,20}\*?)\}.{0,3000}?\\end\{(?P=env)\})"
    rf"|{_BEFORE}(?P<fixed>[=~])(?P<code>{_BODY})(?P=fixed){_BEHIND}"
    rf"|{_BEFORE}(?P<sign>[*/_+])(?P<text>{_BODY})(?P=sign){_BEHIND}"
    r"|\[\[(?P<target>[^\[\]\n]{1,1000})\](?:\[(?P<label>[^\[\]]{1,1000})\])?\]"
    r"|\[fn:(?P<note>[\w-]{1,50})\]"
    r"|\\(?P<entity>[A-Za-z]{2,20})(?:\{\}|(?![A-Za-z{]))"
    r"|(?P<address>\b(?:https?|ftp)://[^\s<>\[\]()\"'*]+)"
    r"|(?P<end>\\\\[ \t]*\n(?=[ \t]*\S))"
    # What means something in Markdown, and nothing in Org; `\[` would begin a formula of ours.
    r"|(?P<raw>[`<$~\]]|\\(?=[!-/:-@\[-`{-~]|$)|\*(?!\s)|(?<!\s)\*|(?<![^\W_])_|_(?![^\W_])"
    r"|&(?=#?\w+;)|^>|^[=-](?=[=-]*[ \t]*$))",
    re.DOTALL | re.MULTILINE,
)
#: And of what stands within bold or italics; what is bold or italic already is so once.
_MARKS = {"*": ("**", "__"), "/": ("*", "_"), "+": ("~~", "~~")}
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
        while OPEN in text:
            text = _ASIDE.sub(lambda found: self._aside[int(found[1])], text)
        return text

    def converted(self, text: str, within: str = "") -> str:
        """The text as Markdown; `within` are the signs of what it is a part of."""
        return _TOKEN.sub(lambda found: self._taken(found, within), text)

    def _taken(self, found: re.Match[str], within: str) -> str:
        if found["math"] or found["address"]:
            return found[0]
        if found["code"]:
            return _code(found["code"].replace("\n", " "))
        if found["sign"] and len(within) < _DEEPEST:
            sign = found["sign"].replace("_", "/")  # Markdown underlines nothing
            mark = "" if sign in within else _MARKS[sign]["*" in within or "/" in within]
            return f"{mark}{self.converted(found['text'], within + sign)}{mark}"
        if found["target"]:
            return self._link(found["target"], found["label"] or "", within)
        if found["note"]:
            return f"[^{found['note']}]"
        if found["entity"]:
            return f"$\\{found['entity']}$"
        if found["end"]:
            return "\\\n"
        return f"\\{found['raw']}" if found["raw"] else _plain(found[0])

    def _link(self, target: str, label: str, within: str) -> str:
        shown = self.converted(label, within + "[[") if len(within) < _DEEPEST else _plain(label)
        if _WEB.match(target):
            return f"[{shown}]({_address(target)})" if label else f"<{target}>"
        path = target.removeprefix("file+sys:").removeprefix("file:").partition("::")[0]
        if target.startswith("attachment:"):
            self.lost.append(
                f"The attachment {target[11:]!r} was not looked for; link it as a file."
            )
            return shown or _plain(target[11:])
        if PurePosixPath(path).suffix.lower() in _PICTURES and not target.startswith(("id:", "*")):
            return f"![{shown}]({_address(path)})"
        if target.startswith("file:") or path.startswith(("./", "../", "/", "~")):
            return f"[{shown or _plain(path)}](<{path}>)"
        # A heading, or an Org id: there is no such thing to go to here.
        return shown or _plain(target.lstrip("*#").removeprefix("id:"))


def _code(text: str) -> str:
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    gap = " " if "`" in (text[0], text[-1]) else ""
    return f"{fence}{gap}{text}{gap}{fence}"


def _plain(text: str) -> str:
    return re.sub(r"[\\`*_~<>&$\[\]]", r"\\\g<0>", text)


def _address(target: str) -> str:
    return f"<{target}>" if re.search(r"[\s()]", target) else target
