"""Org-fc."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath

from cards.spans import in_math, spans
from deck.exchange.media import Pictures
from deck.exchange.model import (
    Bundle,
    ExchangeError,
    ForeignCard,
    ForeignItem,
    ForeignReview,
    Keys,
    Lost,
    content_key,
)
from deck.exchange.normalise import MOST, Draft, finished, hidden, is_too_large
from deck.exchange.source import Source, holds_marked

# == The holes of a cloze card: `{{text}}`, `{{text}{hint}@0}`.


_MACRO = re.compile(r"\{\{\{\w+(?:\([^{}\n]*\))?\}\}\}")
_REST = re.compile(r"(?:\{(?P<hint>[^{}\n]{0,500})\})?(?:@(?P<id>\w{1,20}))?\}")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_LONGEST = 5000


@dataclass(frozen=True, slots=True)
class Hole:
    """Offsets into the text; `name` is its position's, "" where it has none."""

    start: int
    end: int
    text: str
    hint: str
    name: str


def holes(text: str) -> list[Hole]:
    """Every hole of a text, in order; braces within one are balanced."""
    closing = _closing(text)
    found: list[Hole] = []
    at = text.find("{{")
    while at >= 0:
        macro = _MACRO.match(text, at)
        hole = None if macro else _hole(text, at, closing.get(at + 1, -1))
        at = text.find("{{", hole.end if hole else macro.end() if macro else at + 1)
        if hole is not None:
            found.append(hole)
    return found


def _closing(text: str) -> dict[int, int]:
    """The brace that closes each opening one; those behind a backslash count for nothing."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            opened.append(brace.start())
        elif brace[0] == "}" and opened:
            found[opened.pop()] = brace.start()
    return found


def _hole(text: str, start: int, end: int) -> Hole | None:
    rest = _REST.match(text, end + 1) if 0 <= end < start + _LONGEST else None
    inner = text[start + 2 : end]
    if rest is None or not inner.strip():
        return None
    return Hole(start, rest.end(), inner, rest["hint"] or "", rest["id"] or "")


# == Org's marks within a line as Markdown: emphasis, code, links, entities; LaTeX stays as it is.
#
# A text is read once, from left to right, as Org does: what begins first is one whole.  The marks
# of
# blocks are set aside meanwhile, as they mean something in Markdown already.


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
_INLINE_MARKS = {"*": ("**", "__"), "/": ("*", "_"), "+": ("~~", "~~")}
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
            mark = "" if sign in within else _INLINE_MARKS[sign]["*" in within or "/" in within]
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


# == A heading's text in Org as Markdown: blocks here, what stands within lines in `inline`.


_BEGIN = re.compile(r"([ \t]*)#\+begin_(\w+)[ \t]*(.*)", re.IGNORECASE)
_KEYWORD = re.compile(r"[ \t]*#(?:\+[\w-]+(?:\[.*?\])?:|[ \t]|$)")
_RULE = re.compile(r"[ \t]*-{5,}[ \t]*$")
_TABLE = re.compile(r"[ \t]*\|")
_TABLE_RULE = re.compile(r"[ \t]*\|[-+|: \t]*-[-+|: \t]*$")
_ITEM = re.compile(
    r"([ \t]*)([-+]|\d{1,9}[.)]|(?<=[ \t])\*)[ \t]+(?:\[@\d+\][ \t]*)?"
    r"(\[[ xX-]\](?:[ \t]+|$))?(.*)"
)
_TERM = re.compile(r"(.{1,200}?)[ \t]+::(?:[ \t]+|$)(.*)")
_FIXED = re.compile(r"[ \t]*:(?:[ ](.*)|$)")
_HEADING = re.compile(r"(\*+)[ \t]+(.*)")
_NOTE = re.compile(r"\[fn:([\w-]{1,50})\][ \t]+(.*)")
_VERBATIM = {"src", "example", "export"}


def to_markdown(lines: list[str], inline: Inline) -> str:
    """The Markdown of some lines, with what is finished set aside in `inline`."""
    lines = textwrap.dedent("\n".join(PRIVATE.sub("", line) for line in lines)).split("\n")
    return "\n".join(_blocks(lines, inline)).strip("\n")


def _blocks(lines: list[str], inline: Inline) -> list[str]:
    made: list[str] = []
    text: list[str] = []
    index = 0

    def flush() -> None:
        if text:
            made.append(inline.converted("\n".join(text)))
            text.clear()

    while index < len(lines):
        line = lines[index]
        if begin := _BEGIN.match(line):
            flush()
            index, inner = _inner(lines, index, begin[2])
            made += _block(begin, inner, inline)
        elif _TABLE.match(line):
            flush()
            rows = _while(_TABLE, lines, index)
            made += _table(rows, inline)
            index += len(rows)
        elif _FIXED.match(line):
            flush()
            fixed = _while(_FIXED, lines, index)
            made.append(_fenced([each.lstrip()[2:] for each in fixed], ""))
            index += len(fixed)
        else:
            if not _KEYWORD.match(line):
                text.append(_line(line, inline))
            index += 1
    flush()
    return made


def _while(pattern: re.Pattern[str], lines: list[str], index: int) -> list[str]:
    end = index
    while end < len(lines) and pattern.match(lines[end]):
        end += 1
    return lines[index:end]


def _inner(lines: list[str], index: int, name: str) -> tuple[int, list[str]]:
    closing = f"#+end_{name}".casefold()
    for at in range(index + 1, len(lines)):
        if lines[at].strip().casefold() == closing:
            return at + 1, lines[index + 1 : at]
    return len(lines), lines[index + 1 :]


def _block(begin: re.Match[str], inner: list[str], inline: Inline) -> list[str]:
    kind = begin[2].casefold()
    if kind in _VERBATIM:
        language = begin[3].split()[0] if kind != "example" and begin[3].split() else ""
        if kind == "export" and language == "latex":
            return [*inner]
        fenced = _fenced(textwrap.dedent("\n".join(inner)).split("\n"), language)
        return [textwrap.indent(fenced, begin[1])]
    if kind == "comment":
        return []
    shown = _blocks(textwrap.dedent("\n".join(inner)).split("\n"), inline)
    if kind == "quote":
        return [f"> {line}".rstrip() for each in shown for line in each.split("\n")]
    return shown


def _fenced(lines: list[str], language: str) -> str:
    """Code, which no rule reads; a comma protects Org's own signs at the beginning of a line."""
    code = "\n".join(re.sub(r"^([ \t]*),(?=,*(?:\*|#\+))", r"\1", line) for line in lines)
    fence = "```"
    while fence in code:
        fence += "`"
    return f"{fence}{language}\n{code}\n{fence}"


def _line(line: str, inline: Inline) -> str:
    if _RULE.match(line):
        return inline.set_aside("* * *")
    if found := _HEADING.match(line):
        return f"{inline.set_aside('#' * min(len(found[1]), 6))} {found[2]}"
    if found := _NOTE.match(line):
        return f"{inline.set_aside(f'[^{found[1]}]:')} {found[2]}"
    if found := _ITEM.match(line):
        sign, rest = "-" if found[2] in "-+*" else found[2], found[4]
        if sign == "-" and (term := _TERM.match(rest)):
            bold = inline.set_aside(f"**{inline.converted(term[1], '*')}**")
            rest = f"{bold}: {term[2]}".rstrip()
        box = (found[3] or "").lower()
        return f"{found[1]}{inline.set_aside(f'{sign} {box}')}{rest}"
    return line


def _table(rows: list[str], inline: Inline) -> list[str]:
    """A table needs a head in Markdown: the first row is one."""
    cells = [
        [inline.converted(cell.strip()) for cell in row.strip().strip("|").split("|")]
        for row in rows
        if not _TABLE_RULE.match(row)
    ]
    if not cells:
        return []
    width = max(map(len, cells))
    shown = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in cells]
    return ["", shown[0], f"|{' --- |' * width}", *shown[1:], ""]


# == An Org file as a tree of headings, with what org-fc keeps in them: tags, properties, drawers.


_TAGS = re.compile(r"(?:^|[ \t]+):((?:[\w@#%]+:)+)[ \t]*$")
_STATE = re.compile(
    r"(?:(?:TODO|DONE|NEXT|WAITING|WAIT|HOLD|CANCELLED)\b[ \t]*)?(?:\[#\w\][ \t]*)?"
)
_DRAWER = re.compile(r"[ \t]*:([\w-]+):[ \t]*$")
_PROPERTY = re.compile(r"[ \t]*:([\w+-]+):[ \t]*(.*)")
_PLANNING = re.compile(r"[ \t]*(?:SCHEDULED|DEADLINE|CLOSED):[ \t]*[<\[]")
_OUTLINE_KEYWORD = re.compile(r"#\+(TITLE|FILETAGS):[ \t]*(.*)", re.IGNORECASE)
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
        if found := _OUTLINE_KEYWORD.match(line):
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


# == When org-fc asks a card again, and what was answered: its drawer, and its table of answers.


_RATINGS = {"again": 1, "hard": 2, "good": 3, "easy": 4}
_REVIEW_LONGEST = 36500
Answers = dict[tuple[str, str], list[ForeignReview]]
"""By a card's id and a position's name."""


@dataclass(frozen=True, slots=True)
class Row:
    """A position's line in the drawer."""

    position: str
    due: datetime
    interval: int | None
    """Days, of a card that was answered; None for a new one, or one in learning."""
    last: datetime | None
    """The last answer, where the algorithm keeps it."""


def review_rows(lines: Iterable[str]) -> tuple[list[Row], list[str]]:
    """The lines of a REVIEW_DATA drawer, by their columns' names, and those that cannot be read."""
    names: list[str] = []
    found: list[Row] = []
    unread: list[str] = []
    for line in lines:
        bare = line.strip()
        if not bare.startswith("|") or bare.startswith("|-"):
            continue
        cells = [cell.strip() for cell in bare.strip("|").split("|")]
        if not names:
            names = [cell.casefold() for cell in cells]
            continue
        try:
            found.append(_row(dict(zip(names, cells, strict=False))))
        except (KeyError, ValueError, OverflowError):
            unread.append(bare[:80])
    return found, unread


def review_item(suffix: str, row: Row | None, answers: list[ForeignReview]) -> ForeignItem:
    """An item with the answers that are known, else with the last one as its row implies it."""
    if answers:
        *before, last = sorted(answers, key=lambda review: review.at)
        days = row.interval if row else None
        key, at, rating = last.key, last.at, last.rating
        ended = ForeignReview(at, rating, last.milliseconds, days or last.days, key)
        return ForeignItem(suffix, (*before, ended), due=row.due if row and days else None)
    if row is None or row.interval is None:
        return ForeignItem(suffix)
    at = row.last or row.due - timedelta(days=row.interval)
    key = f"due {row.due.isoformat()} {row.interval}"
    answer = ForeignReview(at, 3, days=row.interval, key=key, implied=True)
    return ForeignItem(suffix, (answer,), due=row.due)


def answers_of(text: str) -> tuple[Answers, int]:
    """The answers in org-fc's table of them (tabs between its cells), and how many lines are none.

    Its interval is the one before each answer: what an answer led to stands in the next line.
    """
    found: Answers = {}
    intervals: dict[tuple[str, str], list[int | None]] = {}
    unread = 0
    for line in text.split("\n"):
        if not line.strip():
            continue
        cells = line.split("\t")
        rating = _RATINGS.get(cells[7].strip().casefold()) if len(cells) > 8 else None
        try:
            at = _time(cells[0])
        except ValueError:
            rating = None
        if rating is None:
            unread += 1
            continue
        where = (cells[2].strip(), cells[3].strip())
        took = min(round((_number(cells[8]) or 0) * 1000), 86_400_000)
        review = ForeignReview(at, rating, max(took, 0), key=f"{at.isoformat()} {rating}")
        found.setdefault(where, []).append(review)
        intervals.setdefault(where, []).append(_days(cells[6]))
    for where, reviews in found.items():
        led = [*intervals[where][1:], None]
        found[where] = [
            ForeignReview(each.at, each.rating, each.milliseconds, days, each.key)
            for each, days in zip(reviews, led, strict=True)
        ]
    return found, unread


def _row(cells: dict[str, str]) -> Row:
    due = _time(cells["due"])
    last_text = cells.get("last-review", cells.get("last_review", ""))
    last = _time(last_text) if last_text not in ("", "nil", "None") else None
    interval = _days(cells.get("interval", ""))
    if interval is None and last is not None:
        interval = _days(str((due - last).total_seconds() / 86400))
    return Row(cells["position"], due, interval, last)


def _time(text: str) -> datetime:
    at = datetime.fromisoformat(text.strip())
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if -1e9 < number < 1e9 else None


def _days(text: str) -> int | None:
    number = _number(text.strip())
    days = round(number) if number is not None else 0
    return days if 1 <= days <= _REVIEW_LONGEST else None


# == What a card of org-fc says: question and answer, or a text with holes, as Markdown.


#: org-fc's types, and what they are here.
TYPES = {"normal": "basic", "text-input": "basic", "double": "reversed", "cloze": "cloze"}
_BACKS = ("back", "answer")
#: Stands for a hole while the text around it is converted.
_MARK, _SIDES_MARKS = "\ue010{}\ue011", re.compile("\ue010(\\d+)\ue011")
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
        return hidden(number, shown, hole.hint, math=in_math(formulas, mark.start()))

    made.question = _SIDES_MARKS.sub(filled, around)
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
    return [min(number, MOST) for number in given]


# == org-fc: headings of Org files that are tagged `fc`, with their schedules.
#
# outline.py   a file -> its headings, with tags, properties, drawers
# sides.py     a heading -> question and answer; holes.py  what a cloze card hides
# markup.py    Org's blocks as Markdown, inline.py what stands within a line
# review.py    schedules and answers


_MARKS = re.compile(rb"^\*+[ \t].*:fc:|^[ \t]*:FC_TYPE:", re.MULTILINE)
_OWN_TAGS = {"fc", "suspended", "noheading", "notitle", "fc-demo"}
_LOOKS = 500


def looks_like(path: Path, head: bytes) -> bool:
    """A folder with Org files of cards, or such a file."""
    if not path.is_dir():
        return path.suffix.lower() in (".org", "") and _MARKS.search(head) is not None
    return holds_marked(path, ".org", _MARKS, _LOOKS)


def read(path: Path) -> Bundle:
    """The cards of a folder's Org files, or of one.  Raises ExchangeError."""
    lost: list[Lost] = []
    reading = _Reading(path, lost)
    cards = list(reading.cards())
    if reading.implied:
        what = f"Without org-fc's table of answers: of {reading.implied} schedules the last one is "
        lost.append(Lost(path.name, f"{what}known, as Good. Put org-fc-reviews.tsv beside them."))
    if not cards and not lost:
        raise ExchangeError(f"{path}: no card was found. A card is a heading with the tag :fc:.")
    return Bundle("org", str(path), len(cards), lambda: iter(cards), reading.pictures.media, lost)


class _Reading:
    """One import."""

    def __init__(self, path: Path, lost: list[Lost]) -> None:
        self.lost = lost
        self.source = Source(path, lost)
        self.pictures = Pictures(self.source)
        self.implied = 0
        self._keys = Keys()
        self._answers = self._read_answers()

    def cards(self) -> Iterator[ForeignCard]:
        for path in self.source.notes(".org"):
            text = self.source.text(path)
            if text is None:
                continue
            where = self.source.name(path)
            folder = (*self.source.folders(path), path.stem)
            for heading in outline(text).all():
                if "fc" in heading.tags:
                    card = self._card(heading, path, folder, f"{where}:{heading.line}")
                    if card is not None:
                        yield card

    def _read_answers(self) -> Answers:
        found: Answers = {}
        for path in self.source.files():
            if path.suffix.lower() == ".tsv" and "review" in path.name.casefold():
                text = self.source.text(path)
                more, unread = answers_of(text or "")
                found.update(more)
                if unread:
                    what = f"{unread} of its lines are no answers of org-fc; they were left out."
                    self.lost.append(Lost(self.source.name(path), what))
        return found

    def _card(
        self, heading: Heading, path: Path, folder: tuple[str, ...], where: str
    ) -> ForeignCard | None:
        name = heading.properties.get("FC_TYPE", "normal").casefold()
        kind = TYPES.get(name)
        if kind is None:
            what = f"Cards of the type {name!r} are not read; {', '.join(TYPES)} are."
            self.lost.append(Lost(where, what))
            return None
        if heading.open:
            what = f"Its drawer :{heading.open}: is never closed (:END:): what follows is not read."
            self.lost.append(Lost(where, what))
        shown = heading.properties.get("FC_CLOZE_TYPE", "deletion").casefold()
        if kind == "cloze" and shown != "deletion":
            what = f"Its holes are of the type {shown!r}; here each is asked with the others shown."
            self.lost.append(Lost(where, what))
        if is_too_large(
            where, "\n".join(line for h in heading.all() for line in h.body), self.lost
        ):
            return None
        card = said(heading, kind)
        self.lost += [Lost(where, sentence) for sentence in card.lost]
        if kind == "cloze" and not card.positions:
            self.lost.append(Lost(where, "This cloze card has no hole: put {{ }} round a text."))
            return None
        key = heading.properties.get("ID") or content_key(card.question)
        draft = Draft(self._keys.unique(key), where, kind, card.question, card.answer)
        tags = dict.fromkeys((*heading.inherited, *heading.tags))
        draft.fields = {"tags": [tag for tag in tags if tag not in _OWN_TAGS]}
        draft.folder = folder
        draft.items = list(self._items(heading, card.positions, where))
        self.pictures.put(draft, path)
        return finished(draft, self.lost)

    def _items(
        self, heading: Heading, positions: dict[str, str], where: str
    ) -> Iterator[ForeignItem]:
        rows, unread = review_rows(heading.drawers.get("REVIEW_DATA", []))
        for line in unread:
            self.lost.append(Lost(where, f"Its schedule {line!r} cannot be read."))
        by_name = {row.position: row for row in rows}
        suspended = "suspended" in (*heading.inherited, *heading.tags)
        for suffix, name in {suffix: name for name, suffix in positions.items()}.items():
            answers = self._answers.get((heading.properties.get("ID", ""), name), [])
            item = review_item(suffix, by_name.pop(name, None), answers)
            self.implied += bool(item.reviews and not answers)
            if item.reviews or item.due or suspended:
                yield replace(item, suspended=suspended)
        for name, row in by_name.items():
            if row.interval is not None:
                what = f"Its schedule for the position {name!r} belongs to nothing that it asks."
                self.lost.append(Lost(where, what))
