"""Where a card's headings and separators stand, and the parts between them.

A line scanner, not a Markdown parser: it must give the offsets that a lossless edit needs, and
three dashes right under a paragraph are the separator here, where CommonMark makes a heading of
them.  What stands in a code fence or a block of mathematics is neither heading nor separator.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache

from cards.model import Diagnostics, Section
from cards.text import Line, fold, place, printable, split_lines

_ATX = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_TIGHT_ATX = re.compile(r" {0,3}(#{1,6})(\w{1,20}):?[ \t]*$")
_FENCE = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)*(`{3,}+(?!.*`)|~{3,}+)")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_TEX = re.compile(r"\s*(?:(?:[-*+>]|\d{1,9}[.)])\s*)*(?:\\\[|\\begin\{([A-Za-z]+\*?)\})")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
_DOLLARS = re.compile(r"(?<!\\)\$\$")
_NOT_PARAGRAPH = re.compile(r"\s*(?:$|[-*+]\s|>|\||\d{1,9}[.)]\s)")
STRUCTURE = ("question", "solution")
_LONG_LINE = 10_000
#: Lines of a question or a solution that are looked at; the rest of it is one line, and text.
MAX_LINES = 5_000
#: Longer titles are not remembered.
_SHORT = 100


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; `first` and `last` are indices of its lines (two for a setext heading)."""

    level: int
    title: str
    first: int
    last: int
    name: str
    """The title as titles are compared."""
    tight: bool = False
    """`#Question`, without the space."""


@dataclass(frozen=True, slots=True)
class Outline:
    lines: list[Line]
    headings: list[Heading]
    separators: set[int]
    """Line indices of `---` lines."""
    under_text: set[int]
    """Those separators that stand right under a paragraph."""
    inert: set[int]
    r"""Line indices inside a code fence, a `$$` or `\[` block or an environment, their
    delimiters included."""
    unclosed: tuple[tuple[int, str], ...]
    r"""Line index and sign of fences, `$$` and `\begin{...}` that are never closed."""


def title_name(title: str) -> str:
    """A title for comparing: case, emphasis, a final colon and spacing do not matter."""
    return _known_name(title) if len(title) <= _SHORT else _name(title)


def _name(title: str) -> str:
    return fold(title.strip().strip("*_").rstrip(":").strip("*_ "))


#: Most cards have the same few titles.
_known_name = lru_cache(maxsize=1024)(_name)


def scan(lines: list[Line]) -> Outline:
    """The outline of a card's body."""
    inert, unclosed = _inert(lines)
    if len(lines) > MAX_LINES:
        inert.update(index for index, line in enumerate(lines) if "\n" in line.shown)
    headings: list[Heading] = []
    separators: set[int] = set()
    under_text: set[int] = set()
    for index, line in enumerate(lines):
        if not line.shown or line.shown[0] not in " #=-" or index in inert:
            continue
        if heading := _atx(line.shown, index):
            headings.append(heading)
        elif underline := _UNDERLINE.match(line.shown):
            above = _paragraph_above(lines, index, inert, headings, separators)
            title = lines[index - 1].shown.strip()
            if above == 1 and (level := _setext(underline[1], title)):
                headings.append(Heading(level, title, index - 1, index, title_name(title)))
            elif underline[1] == "---":
                separators.add(index)
                if above:
                    under_text.add(index)
    return Outline(lines, headings, separators, under_text, inert, unclosed)


def _atx(shown: str, index: int) -> Heading | None:
    if found := _ATX.match(shown):
        title = shown[found.end() :].strip()
        bare = title.rstrip("#")
        # A closing run of '#' counts only behind a space: "C#" is a title.
        title = bare.rstrip() if bare != bare.rstrip() or not bare else title
        return Heading(len(found[1]), title, index, index, title_name(title))
    tight = _TIGHT_ATX.match(shown)
    if tight and (name := title_name(tight[2])) in STRUCTURE:
        return Heading(len(tight[1]), tight[2], index, index, name, tight=True)
    return None


def _paragraph_above(
    lines: list[Line],
    index: int,
    inert: set[int],
    headings: list[Heading],
    separators: set[int],
) -> int:
    """How many lines of paragraph end right above a line: 0, 1, or 2 for more than one."""
    heading = headings[-1].last if headings else -1

    def is_text(at: int) -> bool:
        taken = at < 0 or at == heading or at in inert or at in separators
        return not taken and bool(lines[at].shown.strip())

    if not is_text(index - 1):
        return 0
    return 2 if is_text(index - 2) or _NOT_PARAGRAPH.match(lines[index - 1].shown) else 1


def _setext(underline: str, title: str) -> int:
    """The heading level that an underline gives to a line above it, or 0."""
    if underline[0] == "=":
        return 1
    if underline == "---":
        return 2 if title_name(title) in STRUCTURE else 0
    return 2 if len(underline) > 1 else 0


def _inert(lines: list[Line]) -> tuple[set[int], tuple[tuple[int, str], ...]]:
    inert: set[int] = set()
    unclosed: list[tuple[int, str]] = []
    index, left = 0, 1_000 + 10 * len(lines)
    while index < len(lines):
        end, fence, shown = index, None, lines[index].shown
        if ("```" in shown or "~~~" in shown) and (fence := _FENCE.match(shown)):
            end = _fence_end(lines, index, fence[1])
            if end == len(lines):
                unclosed.append((index, fence[1]))
        elif "$$" in shown and _opens_math(shown):
            end = _math_end(lines, index)
            if end == index:
                unclosed.append((index, "$$"))
        elif ("\\[" in shown or "\\begin" in shown) and (opening := _TEX.match(shown)):
            end, passed = _tex_end(lines, index, opening[1] or "", left)
            if end == len(lines):
                end, left = index, left - passed
                if opening[1]:
                    unclosed.append((index, f"\\begin{{{opening[1]}}}"))
        if end > index or fence:
            inert.update(range(index, min(end, len(lines) - 1) + 1))
        index = end + 1
    return inert, tuple(unclosed)


def _fence_end(lines: list[Line], index: int, sign: str) -> int:
    closing = re.compile(rf"\s*{re.escape(sign[0])}{{{len(sign)},}}[ \t]*$")
    after = range(index + 1, len(lines))
    return next((at for at in after if closing.match(lines[at].shown)), len(lines))


def _opens_math(shown: str) -> bool:
    if "$$" not in shown:
        return False
    # The search for code spans is quadratic in hostile lines.
    if "`" in shown and len(shown) < _LONG_LINE:
        shown = _CODE_SPAN.sub("", shown)
    escaped = "\\$" in shown
    return (len(_DOLLARS.findall(shown)) if escaped else shown.count("$$")) % 2 == 1


def _tex_end(lines: list[Line], index: int, name: str, most: int) -> tuple[int, int]:
    r"""The line that closes a `\[` or an environment, which may be the same; else `len(lines)`.

    Looks at no more than `most` lines; also returns at how many it looked.
    """
    first, last = (f"\\begin{{{name}}}", f"\\end{{{name}}}") if name else ("\\[", "\\]")
    level, blank, at = 0, False, index
    for at in range(index, min(len(lines), index + most)):
        shown = lines[at].shown
        blank = blank or not shown.strip()
        heading = _atx(shown, at) if blank else None
        if (heading and heading.name in STRUCTURE) or (not name and at > index and first in shown):
            break
        level += shown.count(first) - shown.count(last)
        if last in shown and level <= 0:
            return at, at + 1 - index
    return len(lines), at + 1 - index


def _math_end(lines: list[Line], index: int) -> int:
    """The line that closes a `$$`; `index` itself where none does.

    A lone `$$` in the question must not swallow the solution: behind a blank line, a heading
    that carries the structure ends the search.
    """
    blank = False
    for at in range(index + 1, len(lines)):
        shown = lines[at].shown
        if _opens_math(shown):
            return at
        blank = blank or not shown.strip()
        heading = _atx(shown, at) if blank else None
        if heading and heading.name in STRUCTURE:
            return index
    return index


# The parts, as ranges of lines and as Markdown

_STRUCTURE = re.compile(
    r"^ {0,3}#{1,6}[ \t]*[*_]*(?:question|solution)[*_: \t]*$", re.IGNORECASE | re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Parts:
    """Ranges of line indices; None where the card has no such part."""

    question: range | None
    solution: range | None
    options: range | None


def outline_of(report: Diagnostics, body: int) -> Outline:
    """The outline of a text's body, with the line numbers of the whole file."""
    text = report.text
    lines = split_lines(text, body, place(text, body)[0], MAX_LINES)
    for _ in STRUCTURE:
        cut = len(lines) > MAX_LINES and "\n" in lines[-1].shown
        if not cut or not (found := _STRUCTURE.search(text, lines[-1].start)):
            break
        # Question and solution are found wherever they stand.
        rest, at = lines.pop(), found.start()
        if at > rest.start:
            lines.append(rest._replace(end=at - 1, shown=printable(text[rest.start : at - 1])))
        lines += split_lines(text, at, place(text, at)[0], MAX_LINES)
    return scan(lines)


def parts_of(outline: Outline) -> Parts:
    """Where question, options and solution stand; the solution may come first."""
    question = next((h for h in outline.headings if h.name == "question"), None)
    solutions = [h for h in outline.headings if h.name == "solution"]
    after = [h for h in solutions if question is None or h.first > question.first]
    solution = next(iter(after or solutions), None)

    def extent(heading: Heading | None, other: Heading | None) -> range | None:
        if heading is None:
            return None
        ends = other is not None and other.first > heading.first
        return range(heading.last + 1, other.first if other and ends else len(outline.lines))

    asked = extent(question, solution)
    return Parts(asked, extent(solution, question), _options_in(outline, asked))


def _options_in(outline: Outline, asked: range | None) -> range | None:
    for heading in outline.headings:
        if asked and heading.first in asked and heading.name == "options":
            end = own_part(outline, heading).stop
            after = [s for s in outline.separators if heading.last < s]
            return range(heading.last + 1, min([end, *after]))
    return None


def own_part(outline: Outline, heading: Heading) -> range:
    """The lines below a heading, up to the next one of any level."""
    following = bisect_right(outline.headings, heading.last, key=lambda h: h.first)
    ended = following < len(outline.headings)
    stop = outline.headings[following].first if ended else len(outline.lines)
    return range(heading.last + 1, stop)


def trimmed(outline: Outline, lines: range) -> range:
    """The lines without blank ones and separators at their ends."""
    at, separators = outline.lines, outline.separators
    start, stop = lines.start, lines.stop
    while stop > start and (stop - 1 in separators or not at[stop - 1].shown.strip()):
        stop -= 1
    while start < stop and (start in separators or not at[start].shown.strip()):
        start += 1
    return range(start, stop)


def markdown(outline: Outline, lines: range) -> str:
    """Some lines as printable Markdown, with bare ends.

    A separator right under a paragraph gets its blank line: a Markdown parser would make a
    heading of the two.
    """
    shown: list[str] = []
    for index in trimmed(outline, lines):
        if index in outline.under_text:
            shown.append("")
        shown.append(outline.lines[index].shown)
    return "\n".join(shown).rstrip()


def question_markdown(outline: Outline, parts: Parts, intro: list[str]) -> str:
    """The question without its options; what introduces them in words stays."""
    asked = parts.question
    if asked is None or parts.options is None:
        return markdown(outline, asked) if asked else ""
    heading = next(h for h in outline.headings if h.last == parts.options.start - 1)
    pieces = [markdown(outline, range(asked.start, heading.first)), "\n".join(intro).strip()]
    pieces.append(markdown(outline, range(parts.options.stop, asked.stop)))
    return "\n\n".join(piece for piece in pieces if piece)


def sections_of(outline: Outline) -> tuple[Section, ...]:
    """Every headed part in the order of the file, each without the parts below it."""
    return tuple(
        Section(
            heading.level,
            heading.title,
            markdown(outline, own_part(outline, heading)),
            outline.lines[heading.first].number,
        )
        for heading in outline.headings
    )
