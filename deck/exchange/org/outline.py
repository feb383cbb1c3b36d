"""An Org file as a tree of headings, with what org-fc keeps in them: tags, properties, drawers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_HEADING = re.compile(r"(\*+)[ \t]+(.*)")
_TAGS = re.compile(r"(?:^|[ \t]+):((?:[\w@#%]+:)+)[ \t]*$")
_STATE = re.compile(
    r"(?:(?:TODO|DONE|NEXT|WAITING|WAIT|HOLD|CANCELLED)\b[ \t]*)?(?:\[#\w\][ \t]*)?"
)
_DRAWER = re.compile(r"[ \t]*:([\w-]+):[ \t]*$")
_PROPERTY = re.compile(r"[ \t]*:([\w+-]+):[ \t]*(.*)")
_PLANNING = re.compile(r"[ \t]*(?:SCHEDULED|DEADLINE|CLOSED):[ \t]*[<\[]")
_KEYWORD = re.compile(r"#\+(TITLE|FILETAGS):[ \t]*(.*)", re.IGNORECASE)
_BLOCK = re.compile(r"[ \t]*#\+begin_(\w+)", re.IGNORECASE)


@dataclass(slots=True)
class Heading:
    """One heading; `line` is 1-based, `body` its text without drawers and sub-headings."""

    level: int
    title: str
    tags: tuple[str, ...]
    line: int
    inherited: tuple[str, ...] = ()
    properties: dict[str, str] = field(default_factory=dict)
    """By their names in capitals."""
    drawers: dict[str, list[str]] = field(default_factory=dict)
    """The lines of each, by its name in capitals."""
    body: list[str] = field(default_factory=list)
    children: list[Heading] = field(default_factory=list)
    open: str = ""
    """The drawer that nothing closes."""

    def all(self) -> Iterator[Heading]:
        """It and every heading below, in order."""
        waiting = [self]
        while waiting:
            each = waiting.pop()
            yield each
            waiting += reversed(each.children)


def outline(text: str) -> Heading:
    """The file as a heading of level 0, whose title is its `#+TITLE:`."""
    lines = text.split("\n")
    root = Heading(0, "", (), 1)
    path = [root]
    own: list[str] = []
    for number, line in enumerate([*lines, "* end"], 1):
        found = _HEADING.match(line)
        if not found:
            own.append(line)
            continue
        _fill(path[-1], own)
        own = []
        if number > len(lines):
            break
        _keywords(root) if path[-1] is root else None
        heading = _heading(len(found[1]), found[2], number)
        while path[-1].level >= heading.level:
            path.pop()
        heading.inherited = (*path[-1].inherited, *path[-1].tags)
        path[-1].children.append(heading)
        path.append(heading)
    return root


def _heading(level: int, text: str, number: int) -> Heading:
    tags = _TAGS.search(text)
    title = text[: tags.start()] if tags else text
    state = _STATE.match(title)
    title = title[state.end() :] if state else title
    names = tuple(tags[1].strip(":").split(":")) if tags else ()
    return Heading(level, title.strip(), names, number)


def _keywords(root: Heading) -> None:
    for line in root.body:
        if found := _KEYWORD.match(line):
            if found[1].upper() == "TITLE":
                root.title = found[2].strip()
            else:
                root.tags += tuple(re.findall(r"[\w@#%]+", found[2]))


def _fill(heading: Heading, lines: list[str]) -> None:
    """Puts the lines below a heading where they belong."""
    drawer, block = "", ""
    for line in lines:
        if drawer:
            if line.strip().upper() == ":END:":
                drawer = ""
            elif drawer == "PROPERTIES" and (found := _PROPERTY.match(line)):
                heading.properties[found[1].upper()] = found[2].strip()
            else:
                heading.drawers[drawer].append(line)
        elif block:
            heading.body.append(line)
            block = "" if line.strip().casefold() == block else block
        elif found := _DRAWER.match(line):
            if found[1].upper() != "END":
                drawer = found[1].upper()
                heading.drawers.setdefault(drawer, [])
        elif not _PLANNING.match(line):
            heading.body.append(line)
            if found := _BLOCK.match(line):
                block = f"#+end_{found[1]}".casefold()
    heading.open = drawer
