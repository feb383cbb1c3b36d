"""Wikilinks under Related Concepts, and links or embeds that would leave the collection."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cards.outline import Outline
from cards.report import Report, quoted

_WIKI = re.compile(r"(!?)\[\[([^\[\]\n]{1,500})\]\]")
_AUTO = re.compile(r"<(file:[^<>\s]{1,1000})>", re.IGNORECASE)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_WEB = {"http", "https", "mailto", "doi"}
#: Letters of lines with links that are looked at; no card is read slowly for its warnings.
_LOOKED_AT = 60_000
#: Without one of these, a target stays in the folder.
_ODD = re.compile(r"[%\\/:~]|\.\.")


def related(outline: Outline, lines: range) -> tuple[str, ...]:
    """The names in [[wikilinks]] of some lines, aliases and anchors left out, each once."""
    names = [
        found[2].partition("|")[0].partition("#")[0].strip()
        for index in lines
        if index not in outline.inert
        for found in _WIKI.finditer(outline.lines[index].shown)
        if not found[1]
    ]
    return tuple(dict.fromkeys(name for name in names if name))


def report_leaving(outline: Outline, report: Report) -> None:
    """Warns of every link or embed whose target is outside the folder of the cards."""
    left = _LOOKED_AT
    for index, line in enumerate(outline.lines):
        shown = line.shown[: max(0, left)]
        if index in outline.inert or not ("[" in shown or "<" in shown):
            continue
        left -= len(shown)
        for embed, target, at in _targets(shown):
            if leaves(target):
                what = "embed" if embed else "link"
                hint = "Put the file beside the card and name it by its file name alone."
                message = f"The {what} to {quoted(target)} leaves the collection; it is not opened."
                report.warn(line.start + at, message, hint)


def _targets(shown: str) -> Iterator[tuple[bool, str, int]]:
    if "[[" in shown or "](" in shown or "]:" in shown:
        from cards.embeds import definitions, find  # for the few lines that have one

        for each in find(shown):
            yield each.embed, each.name, each.start
        for defined in definitions(shown).values():
            yield False, defined.name, defined.start
    if "<" in shown:
        for found in _AUTO.finditer(shown):
            yield False, found[1], found.start()


def leaves(target: str) -> bool:
    """Whether a link's target is absolute, climbs above the card's folder, or is a `file:` address.

    Addresses of the web are links out of the program, not into the disk: they do not count.
    """
    if not _ODD.search(target):
        return False
    target = re.sub(r"%2[eE]", ".", re.sub(r"%2[fF]|%5[cC]|\\", "/", target.strip()))
    scheme = _SCHEME.match(target)
    if scheme:
        name = scheme[1].lower()  # "Fact: one" is a title, not an address
        return name not in _WEB and (name == "file" or "/" in target)
    if target.startswith(("/", "~")):
        return True
    depth = 0
    for part in target.split("#", 1)[0].split("/"):
        depth += -1 if part == ".." else 0 if part in {"", "."} else 1
        if depth < 0:
            return True
    return False
