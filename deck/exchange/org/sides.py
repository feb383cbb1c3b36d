"""What a card of org-fc says: question and answer, or a text with holes, as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from cards.spans import in_math, spans
from deck.exchange import clozes
from deck.exchange.org.holes import Hole, holes
from deck.exchange.org.inline import Inline
from deck.exchange.org.markup import to_markdown
from deck.exchange.org.outline import Heading

#: org-fc's types, and what they are here.
TYPES = {"normal": "basic", "text-input": "basic", "double": "reversed", "cloze": "cloze"}
_BACKS = ("back", "answer")
#: Stands for a hole while the text around it is converted.
_MARK, _MARKS = "\ue010{}\ue011", re.compile("\ue010(\\d+)\ue011")
_PRIVATE = re.compile("[\ue010\ue011]")


@dataclass(slots=True)
class Said:
    """The two sides, the suffix of the item at each position's name, and sentences on what was
    left out."""

    question: str = ""
    answer: str = ""
    positions: dict[str, str] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)

    def markdown(self, lines: Iterable[str]) -> str:
        inline = Inline()
        made = inline.put_back(to_markdown("\n".join(lines).split("\n"), inline))
        self.lost += inline.lost
        return made.strip()


def said(heading: Heading, kind: str) -> Said:
    """The card of a heading; `kind` is one of the values of `TYPES`."""
    made = Said()
    if kind == "cloze":
        _holes(heading, made)
        return made
    back = next((each for each in heading.children if each.title.casefold() in _BACKS), None)
    below = _below(heading, back)
    if back is None:
        # A compact card: its title asks, its text answers.
        made.question = made.markdown([heading.title])
        made.answer = made.markdown([*heading.body, *below])
    else:
        title = [] if "noheading" in heading.tags else [heading.title, ""]
        made.question = made.markdown([*title, *_bare(heading.body)])
        made.answer = made.markdown([*back.body, *_below(back), *below])
    made.positions = {"front": ""} | ({"back": "/r"} if kind == "reversed" else {})
    return made


def _bare(lines: list[str]) -> list[str]:
    """The lines without blank ones in front."""
    first = next((at for at, line in enumerate(lines) if line.strip()), len(lines))
    return lines[first:]


def _below(heading: Heading, but: Heading | None = None) -> list[str]:
    """The sub-headings that are no cards of their own, with what stands below them."""
    lines: list[str] = []
    waiting = [each for each in reversed(heading.children) if each is not but]
    while waiting:
        each = waiting.pop()
        if "fc" not in each.tags:
            lines += ["", f"*** {each.title}", *_bare(each.body)]
            waiting += reversed(each.children)
    return lines


def _holes(heading: Heading, made: Said) -> None:
    title = [] if "noheading" in heading.tags else [heading.title, ""]
    text = _PRIVATE.sub("", "\n".join([*title, *_bare(heading.body)]))
    found, parts, at = holes(text), [], 0
    for index, hole in enumerate(found):
        parts += [text[at : hole.start], _MARK.format(index)]
        at = hole.end
    numbers = _numbers(found)
    around = made.markdown(["".join([*parts, text[at:]])])
    verbatim = [(span.start, span.end) for span in spans(around)]
    formulas = [(span.start, span.end) for span in spans(around) if span.math]

    def filled(mark: re.Match[str]) -> str:
        hole, number = found[int(mark[1])], numbers[int(mark[1])]
        raw = in_math(verbatim, mark.start())
        shown = hole.text if raw else made.markdown([hole.text])
        return clozes.hidden(number, shown, hole.hint, math=in_math(formulas, mark.start()))

    made.question = _MARKS.sub(filled, around)
    made.answer = made.markdown(_below(heading))
    made.positions = {str(number - 1): f"/c{number}" for number in numbers}
    made.positions |= {
        hole.name: f"/c{number}" for hole, number in zip(found, numbers, strict=True) if hole.name
    }


def _numbers(found: list[Hole]) -> list[int]:
    """Each hole's number here: one more than its name there, or the next that is free."""
    named = {hole.name: int(hole.name) + 1 for hole in found if hole.name.isdigit()}
    free = iter(number for number in range(1, 10**6) if number not in named.values())
    for hole in found:
        if hole.name and hole.name not in named:
            named[hole.name] = next(free)
    given = (named[hole.name] if hole.name else next(free) for hole in found)
    return [min(number, clozes.MOST) for number in given]
