"""Another program's reader of a card's body, from docs/card-format.md alone: its parts and titles.

It uses nothing of ours; a test holds what it reads to what we read, on random lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_TIGHT = re.compile(r" {0,3}(#{1,6})(question|solution):?[ \t]*$", re.IGNORECASE)
_SIGNS = r"\s*(?:[-*+]\s+|\d+[.)]\s+)*"
_OTHER = re.compile(r"\s*(?:[-*+]\s|\d+[.)]\s|>|\|)")


@dataclass(frozen=True)
class Body:
    headings: list[tuple[int, str]]
    question: str | None
    solution: str | None


def read(lines: Sequence[str]) -> Body:
    held = _blocks(lines)
    titles: dict[int, tuple[int, str, int]] = {}
    """By its last line: level, title, first line."""
    rules: dict[int, bool] = {}
    """A separator's line, and whether it stands right under a paragraph."""
    for at, line in enumerate(lines):
        if at in held:
            continue
        if found := _hash(line):
            titles[at] = (*found, at)
        elif re.match(r" {0,3}(=+|-+)[ \t]*$", line):
            _underline(lines, at, held, titles, rules)
    first = {last: begun for last, (_, _, begun) in titles.items()}
    asked = [last for last, (_, title, _) in titles.items() if _name(title) == "question"]
    solved = [last for last, (_, title, _) in titles.items() if _name(title) == "solution"]
    question = asked[0] if asked else None
    behind = [last for last in solved if question is None or last > question]
    solution = next(iter(behind or solved), None)

    def text(of: int | None, other: int | None) -> str | None:
        if of is None:
            return None
        end = first[other] if other is not None and other > of else len(lines)
        return _text(lines, of + 1, end, rules)

    headings = [(level, title) for level, title, _ in titles.values()]
    return Body(headings, text(question, solution), text(solution, question))


def _name(title: str) -> str:
    return title.strip(" *_").rstrip(":").strip(" *_").casefold()


def _hash(line: str) -> tuple[int, str] | None:
    found = _ATX.match(line) or _TIGHT.match(line)
    return (len(found[1]), found[2] or "") if found else None


def _underline(
    lines: Sequence[str],
    at: int,
    held: set[int],
    titles: dict[int, tuple[int, str, int]],
    rules: dict[int, bool],
) -> None:
    def words(index: int) -> bool:
        free = index not in held and index not in titles and index not in rules
        return index >= 0 and free and bool(lines[index].strip())

    sign, above = lines[at].strip(), lines[at - 1].strip() if at else ""
    one = words(at - 1) and not words(at - 2) and not _OTHER.match(lines[at - 1])
    structure = _name(above) in ("question", "solution")
    if one and (sign[0] == "=" or (len(sign) > 1 and (sign != "---" or structure))):
        titles[at] = (1 if sign[0] == "=" else 2, above, at - 1)
    elif sign == "---":
        rules[at] = words(at - 1)


def _text(lines: Sequence[str], start: int, end: int, rules: dict[int, bool]) -> str:
    def bare(index: int) -> bool:
        return index in rules or not lines[index].strip()

    while end > start and bare(end - 1):
        end -= 1
    while start < end and bare(start):
        start += 1
    return "\n".join(("\n" if rules.get(at) else "") + lines[at] for at in range(start, end))


def _blocks(lines: Sequence[str]) -> set[int]:
    held: set[int] = set()
    at = 0
    while at < len(lines):
        last = _last(lines, at)
        held |= set(range(at, last + 1)) if last is not None else set()
        at = at + 1 if last is None else last + 1
    return held


def _last(lines: Sequence[str], at: int) -> int | None:
    """The last line of the block that begins in a line, if one does."""
    line = lines[at]
    if fence := re.match(_SIGNS + r"(`{3,}(?!.*`)|~{3,})", line):
        ending = re.compile(rf"\s*{fence[1][0]}{{{len(fence[1])},}}[ \t]*$")
        later = range(at + 1, len(lines))
        return next((index for index in later if ending.match(lines[index])), len(lines) - 1)
    if _odd(line):
        later = _within(lines, at)
        return next((index for index in later if index > at and _odd(lines[index])), None)
    opened = re.match(r"\s*(?:(?:[-*+>]|\d+[.)])\s*)*(?:\\\[|\\begin\{(\w+\*?)\})", line)
    return _formula_end(lines, at, opened[1] or "") if opened else None


def _formula_end(lines: Sequence[str], at: int, name: str) -> int | None:
    first, last = (rf"\begin{{{name}}}", rf"\end{{{name}}}") if name else (r"\[", r"\]")
    depth = 0
    for index in _within(lines, at):
        if not name and index > at and first in lines[index]:
            return None
        depth += lines[index].count(first) - lines[index].count(last)
        if last in lines[index] and depth <= 0:
            return index if index > at else None
    return None


def _within(lines: Sequence[str], at: int) -> range:
    """From a line on to where the search for a formula's end ends."""
    blank = False
    for index in range(at, len(lines)):
        blank = blank or not lines[index].strip()
        found = _hash(lines[index])
        if blank and found and _name(found[1]) in ("question", "solution"):
            return range(at, index)
    return range(at, len(lines))


def _odd(line: str) -> bool:
    bare = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", line)
    return len(re.findall(r"(?<!\\)\$\$", bare)) % 2 == 1
