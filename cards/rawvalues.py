r"""Macros are written as LaTeX, not as YAML: the rest of their line is taken as it stands.

YAML would end `KL: D(#1 \,\|\, #2)` at the blank before `#2`, and make a mapping of `set: {#1}`.
The lines below `macros:` are therefore read here first; YAML is given letters in their place, one
for one, so that every offset stays.
"""

from __future__ import annotations

import re

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")
_TABLE = re.compile(r"(?:macros|'macros'|\"macros\")[ \t]*:[ \t]*(?:#.*)?")
_ENTRY = re.compile(r"([ \t]+)(?:'[^']*'|\"[^\"]*\"|[^\s#'\"]\S*?)[ \t]*:[ \t]+(\S.*)")
_QUOTED = re.compile(r"(?:\"(?:[^\"\\]|\\.)*+\"|'(?:[^']|'')*+')[ \t]*(?:#.*)?")
# "#1" is an argument; another sign behind the "#", and a comment begins.
_COMMENT = re.compile(r"[ \t]+#(?![1-9#]).*")


def take_raw(yaml_text: str) -> tuple[str, dict[int, str]]:
    """The YAML with the values of macros masked, and those values by their offsets."""
    if "macros" not in yaml_text:
        return yaml_text, {}
    lines = [(found.start(), found[0].rstrip("\r\n")) for found in _LINE.finditer(yaml_text)]
    raw: dict[int, str] = {}
    within = False
    for number, (start, line) in enumerate(lines):
        if line.strip() and not line[0].isspace():
            within = bool(_TABLE.fullmatch(line)) or (within and line.startswith("#"))
        elif within and (entry := _ENTRY.fullmatch(line)) and not _is_yaml(entry, lines, number):
            raw[start + entry.start(2)] = _COMMENT.sub("", entry[2]).rstrip()
    pieces: list[str] = []
    at = 0
    for start, value in raw.items():
        pieces += [yaml_text[at:start], "x" * len(value)]
        at = start + len(value)
    return "".join([*pieces, yaml_text[at:]]), raw


def _is_yaml(entry: re.Match[str], lines: list[tuple[int, str]], number: int) -> bool:
    """Whether a value is quoted, or goes on in the next line: then it is YAML's business."""
    below = next((line for _, line in lines[number + 1 :] if line.strip()), "")
    longer = _indent(below) > len(entry[1]) and not below.lstrip().startswith("#")
    return longer or bool(_QUOTED.fullmatch(entry[2]))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))
