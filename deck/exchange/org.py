"""org-fc: the headings of Org files that are tagged `fc`, with their schedules and answers.

A file is read as a tree of headings (`outline`).  What a heading says becomes a question and its
answer, or a text with clozes (`sides_of`), whose Org markup is turned into Markdown (`OrgMarkup`).
Schedules stand in a drawer of the heading, answers in a table beside the files.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from cards.spans import in_math, spans
from deck.exchange.model import (
    LONGEST_INTERVAL,
    ForeignCard,
    ForeignItem,
    ForeignReview,
    ImportSource,
    Losses,
    content_key,
)
from deck.exchange.normalise import (
    MAX_CLOZES,
    CardDraft,
    cloze_of,
    code_block,
    code_span,
    is_too_large,
)
from deck.exchange.source import NoteFolder, holds_marked

_MARKS = re.compile(rb"^\*+[ \t].*:fc:|^[ \t]*:FC_TYPE:", re.MULTILINE)
_OWN_TAGS = {"fc", "suspended", "noheading", "notitle", "fc-demo"}
#: org-fc's types, and what they are here.
_TYPES = {"normal": "basic", "text-input": "basic", "double": "reversed", "cloze": "cloze"}
_FILES_PEEKED = 500


def looks_like(path: Path, head: bytes) -> bool:
    """A folder with Org files of cards, or such a file."""
    if not path.is_dir():
        return path.suffix.lower() in (".org", "") and _MARKS.search(head) is not None
    return holds_marked(path, ".org", _MARKS, _FILES_PEEKED)


def read(path: Path) -> ImportSource:
    """The cards of a folder's Org files, or of one.  Raises ExchangeError."""
    files = _OrgFiles(NoteFolder(path, Losses()))
    bundle = files.source.bundle("org", files.cards(), "A card is a heading with the tag :fc:.")
    if files.implied:
        what = f"Without org-fc's table of answers: of {files.implied} schedules the last one is "
        bundle.lost.say(path.name, f"{what}known, as Good. Put org-fc-reviews.tsv beside them.")
    return bundle


class _OrgFiles:
    """The files of one import."""

    def __init__(self, source: NoteFolder) -> None:
        self.source, self._lost = source, source.lost
        self.implied = 0
        """Schedules whose answers are not known."""
        self._answers: Answers = {}
        for path in source.files:
            if path.suffix.lower() == ".tsv" and "review" in path.name.casefold():
                answers, unread = answers_of(source.text(path) or "")
                self._answers.update(answers)
                if unread:
                    what = f"{unread} of its lines are no answers of org-fc; they were left out."
                    self._lost.say(source.name(path), what)

    def cards(self) -> Iterator[ForeignCard]:
        for path in self.source.notes(".org"):
            text = self.source.text(path)
            if text is not None:
                yield from self.source.cards(self._drafts(path, outline(text)), path)

    def _drafts(self, path: Path, root: OrgHeading) -> Iterator[CardDraft]:
        for heading in root.all():
            if "fc" in heading.tags:
                where = f"{self.source.name(path)}:{heading.line}"
                if (draft := self._draft(heading, where)) is not None:
                    draft.folder = (*self.source.folders(path), path.stem)
                    yield draft

    def _draft(self, heading: OrgHeading, where: str) -> CardDraft | None:
        properties = heading.properties
        name = properties.get("FC_TYPE", "normal").casefold()
        kind = _TYPES.get(name)
        if kind is None:
            what = f"Cards of the type {name!r} are not read; {', '.join(_TYPES)} are."
            self._lost.say(where, what)
            return None
        if heading.open:
            what = f"Its drawer :{heading.open}: is never closed (:END:): what follows is not read."
            self._lost.say(where, what)
        shown = properties.get("FC_CLOZE_TYPE", "deletion").casefold()
        if kind == "cloze" and shown != "deletion":
            what = f"Its holes are of the type {shown!r}; here each is asked with the others shown."
            self._lost.say(where, what)
        text = "\n".join(line for each in heading.all() for line in each.body)
        if is_too_large(where, text, self._lost):
            return None
        card = sides_of(heading, kind)
        self._lost.say(where, *card.lost)
        if kind == "cloze" and not card.positions:
            self._lost.say(where, "This cloze card has no hole: put {{ }} round a text.")
            return None
        key = properties.get("ID") or content_key(card.question)
        draft = CardDraft(key, where, kind, card.question, card.answer)
        tags = dict.fromkeys((*heading.inherited, *heading.tags))
        draft.fields = {"tags": [tag for tag in tags if tag not in _OWN_TAGS]}
        draft.items = list(self._items(heading, card.positions, where))
        return draft

    def _items(
        self, heading: OrgHeading, positions: dict[str, str], where: str
    ) -> Iterator[ForeignItem]:
        schedules, unread = schedules_of(heading.drawers.get("REVIEW_DATA", []))
        for line in unread:
            self._lost.say(where, f"Its schedule {line!r} cannot be read.")
        suspended = "suspended" in (*heading.inherited, *heading.tags)
        for suffix, name in {suffix: name for name, suffix in positions.items()}.items():
            answers = self._answers.get((heading.properties.get("ID", ""), name), [])
            item = item_of(suffix, schedules.pop(name, None), answers)
            self.implied += bool(item.reviews and not answers)
            if item.reviews or item.due or suspended:
                yield replace(item, suspended=suspended)
        for name, schedule in schedules.items():
            if schedule.interval is not None:
                what = f"Its schedule for the position {name!r} belongs to nothing that it asks."
                self._lost.say(where, what)


# A file as a tree of headings, with what org-fc keeps in them: tags, properties, drawers.

_HEADING = re.compile(r"(\*+)[ \t]+(.*)")
_TAGS = re.compile(r"(?:^|[ \t]+):((?:[\w@#%]+:)+)[ \t]*$")
_STATE = re.compile(
    r"(?:(?:TODO|DONE|NEXT|WAITING|WAIT|HOLD|CANCELLED)\b[ \t]*)?(?:\[#\w\][ \t]*)?"
)
_DRAWER = re.compile(r"[ \t]*:([\w-]+):[ \t]*$")
_PROPERTY = re.compile(r"[ \t]*:([\w+-]+):[ \t]*(.*)")
_PLANNING = re.compile(r"[ \t]*(?:SCHEDULED|DEADLINE|CLOSED):[ \t]*[<\[]")
_FILE_KEYWORD = re.compile(r"#\+(TITLE|FILETAGS):[ \t]*(.*)", re.IGNORECASE)
_BEGIN = re.compile(r"([ \t]*)#\+begin_(\w+)[ \t]*(.*)", re.IGNORECASE)


@dataclass(slots=True)
class OrgHeading:
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
    children: list[OrgHeading] = field(default_factory=list)
    open: str = ""
    """The drawer that nothing closes."""

    def all(self) -> Iterator[OrgHeading]:
        """It and every heading below, in order."""
        waiting = [self]
        while waiting:
            each = waiting.pop()
            yield each
            waiting += reversed(each.children)

    def fill(self, lines: list[str]) -> None:
        """Puts the lines below the heading where they belong."""
        drawer = block = ""
        for line in lines:
            if self.level == 0 and not drawer and (found := _FILE_KEYWORD.match(line)):
                if found[1].upper() == "TITLE":
                    self.title = found[2].strip()
                else:
                    self.tags += tuple(re.findall(r"[\w@#%]+", found[2]))
            elif drawer:
                if line.strip().upper() == ":END:":
                    drawer = ""
                elif drawer == "PROPERTIES" and (found := _PROPERTY.match(line)):
                    self.properties[found[1].upper()] = found[2].strip()
                else:
                    self.drawers[drawer].append(line)
            elif block:
                self.body.append(line)
                block = "" if line.strip().casefold() == block else block
            elif found := _DRAWER.match(line):
                if found[1].upper() != "END":
                    drawer = found[1].upper()
                    self.drawers.setdefault(drawer, [])
            elif not _PLANNING.match(line):
                self.body.append(line)
                if found := _BEGIN.match(line):
                    block = f"#+end_{found[2]}".casefold()
        self.open = drawer


def outline(text: str) -> OrgHeading:
    """The file as a heading of level 0, whose title is its `#+TITLE:`."""
    root = OrgHeading(0, "", (), 1)
    path, body = [root], list[str]()
    for number, line in enumerate(text.split("\n"), 1):
        found = _HEADING.match(line)
        if not found:
            body.append(line)
            continue
        path[-1].fill(body)
        body = []
        level, tags = len(found[1]), _TAGS.search(found[2])
        title = _STATE.sub("", found[2][: tags.start()] if tags else found[2], count=1)
        names = tuple(tags[1].strip(":").split(":")) if tags else ()
        while path[-1].level >= level:
            path.pop()
        inherited = (*path[-1].inherited, *path[-1].tags)
        heading = OrgHeading(level, title.strip(), names, number, inherited)
        path[-1].children.append(heading)
        path.append(heading)
    path[-1].fill(body)
    return root


# What a card says: question and answer, or a text with holes.

#: Stands for a hole while the text around it is converted.
_HOLE, _HOLES = "\ue010{}\ue011", re.compile("\ue010(\\d+)\ue011")
_HOLE_SIGNS = re.compile("[\ue010\ue011]")
_MACRO = re.compile(r"\{\{\{\w+(?:\([^{}\n]*\))?\}\}\}")
_HOLE_END = re.compile(r"(?:\{(?P<hint>[^{}\n]{0,500})\})?(?:@(?P<id>\w{1,20}))?\}")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_LONGEST_HOLE = 5000


@dataclass(slots=True)
class CardSides:
    """The two sides, the suffix of the item at each position's name, and sentences on what was
    left out."""

    question: str = ""
    answer: str = ""
    positions: dict[str, str] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)

    def markdown(self, *lines: str) -> str:
        return OrgMarkup(self.lost).markdown("\n".join(lines))


def sides_of(heading: OrgHeading, kind: str) -> CardSides:
    """The card of a heading; `kind` is one of the values of `_TYPES`."""
    card = CardSides()
    title = [] if "noheading" in heading.tags else [heading.title, ""]
    if kind == "cloze":
        _take_holes("\n".join([*title, *_trimmed(heading.body)]), card)
        card.answer = card.markdown(*_below(heading))
        return card
    names = ("back", "answer")
    back = next((each for each in heading.children if each.title.casefold() in names), None)
    below = _below(heading, back)
    if back is None:  # a compact card: its title asks, its text answers
        card.question = card.markdown(heading.title)
        card.answer = card.markdown(*heading.body, *below)
    else:
        card.question = card.markdown(*title, *_trimmed(heading.body))
        card.answer = card.markdown(*back.body, *_below(back), *below)
    card.positions = {"front": ""} | ({"back": "/r"} if kind == "reversed" else {})
    return card


def _trimmed(lines: list[str]) -> list[str]:
    """The lines without blank ones in front."""
    first = next((at for at, line in enumerate(lines) if line.strip()), len(lines))
    return lines[first:]


def _below(heading: OrgHeading, back: OrgHeading | None = None) -> list[str]:
    """The sub-headings but the back that are no cards of their own, with what is below them."""
    lines: list[str] = []
    waiting = [each for each in reversed(heading.children) if each is not back]
    while waiting:
        each = waiting.pop()
        if "fc" not in each.tags:
            lines += ["", f"*** {each.title}", *_trimmed(each.body)]
            waiting += reversed(each.children)
    return lines


def _take_holes(text: str, card: CardSides) -> None:
    """Makes the question of a cloze card, and the positions of its items."""
    text = _HOLE_SIGNS.sub("", text)
    found, parts, at = holes(text), list[str](), 0
    for index, hole in enumerate(found):
        parts += [text[at : hole.start], _HOLE.format(index)]
        at = hole.end
    numbers = _numbers(found)
    around = card.markdown("".join([*parts, text[at:]]))
    verbatim = [(span.start, span.end) for span in spans(around)]
    formulas = [(span.start, span.end) for span in spans(around) if span.math]

    def filled(mark: re.Match[str]) -> str:
        hole, number = found[int(mark[1])], numbers[int(mark[1])]
        shown = hole.text if in_math(verbatim, mark.start()) else card.markdown(hole.text)
        return cloze_of(number, shown, hole.hint, math=in_math(formulas, mark.start()))

    card.question = _HOLES.sub(filled, around)
    card.positions = {str(number - 1): f"/c{number}" for number in numbers}
    card.positions |= {
        hole.name: f"/c{number}" for hole, number in zip(found, numbers, strict=True) if hole.name
    }


class Hole(NamedTuple):
    """`{{text}}`, `{{text}{hint}@0}`: offsets into a text; `name` is its position's, or ""."""

    start: int
    end: int
    text: str
    hint: str
    name: str


def holes(text: str) -> list[Hole]:
    """Every hole of a text, in order; braces within one are balanced."""
    closing: dict[int, int] = {}
    opened: list[int] = []
    for brace in _BRACE.finditer(text):  # those behind a backslash count for nothing
        if brace[0] == "{":
            opened.append(brace.start())
        elif brace[0] == "}" and opened:
            closing[opened.pop()] = brace.start()
    found: list[Hole] = []
    at = text.find("{{")
    while at >= 0:
        following = at + 1
        end = closing.get(at + 1, -1)
        if macro := _MACRO.match(text, at):
            following = macro.end()
        elif at + 2 <= end < at + _LONGEST_HOLE and (rest := _HOLE_END.match(text, end + 1)):
            inner = text[at + 2 : end]
            if inner.strip():
                found.append(Hole(at, rest.end(), inner, rest["hint"] or "", rest["id"] or ""))
                following = rest.end()
        at = text.find("{{", following)
    return found


def _numbers(found: list[Hole]) -> list[int]:
    """Each hole's number here: one more than its name there, or the next that is free."""
    named = {hole.name: int(hole.name) + 1 for hole in found if hole.name.isdigit()}
    free = iter(number for number in range(1, 10**6) if number not in named.values())
    for hole in found:
        if hole.name and hole.name not in named:
            named[hole.name] = next(free)
    given = (named[hole.name] if hole.name else next(free) for hole in found)
    return [min(number, MAX_CLOZES) for number in given]


# Markup: blocks of lines first, then what stands within a line, read once from left to right, as
# Org does: what begins first is one whole.

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
_FOOTNOTE = re.compile(r"\[fn:([\w-]{1,50})\][ \t]+(.*)")
#: Around the number of finished text, which is put back last.
_OPEN, _CLOSE = "\ue000", "\ue001"
_PRIVATE = re.compile(f"[{_OPEN}{_CLOSE}]")
_ASIDE = re.compile(f"{_OPEN}(\\d+){_CLOSE}")
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
#: Markdown's marks, and those within bold or italics; what is bold or italic already is so once.
_EMPHASIS = {"*": ("**", "__"), "/": ("*", "_"), "+": ("~~", "~~")}
_PICTURES = {".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".bmp", ".tif", ".tiff", ".avif"}
_WEB = re.compile(r"(?:https?|mailto|doi|ftp):")
_DEEPEST = 8


class OrgMarkup:
    """Turns one text into Markdown; sentences about what has no equal go to `lost`."""

    def __init__(self, lost: list[str]) -> None:
        self._lost = lost
        self._aside: list[str] = []

    def markdown(self, text: str) -> str:
        lines = textwrap.dedent(_PRIVATE.sub("", text)).split("\n")
        text = "\n".join(self._blocks(lines)).strip("\n")
        while _OPEN in text:
            text = _ASIDE.sub(lambda found: self._aside[int(found[1])], text)
        return text.strip()

    def _finished(self, text: str) -> str:
        """A mark that stands for Markdown that no further rule reads."""
        self._aside.append(text)
        return f"{_OPEN}{len(self._aside) - 1}{_CLOSE}"

    def _blocks(self, lines: list[str]) -> list[str]:
        made, text, at = list[str](), list[str](), 0
        while at <= len(lines):
            end, block = self._block(lines, at)
            if end > at:
                if text:
                    made.append(self._inline("\n".join(text)))
                    text.clear()
                made += block
            elif not _KEYWORD.match(lines[at]):
                text.append(self._line(lines[at]))
            at = max(end, at + 1)
        return made

    def _block(self, lines: list[str], at: int) -> tuple[int, list[str]]:
        """Where the block that begins here ends, and its Markdown; `at` for a line of text."""
        if at == len(lines):
            return at + 1, []
        if begin := _BEGIN.match(lines[at]):
            closing = f"#+end_{begin[2]}".casefold()
            behind = range(at + 1, len(lines))
            end = next((n for n in behind if lines[n].strip().casefold() == closing), len(lines))
            return min(end + 1, len(lines)), self._begun(begin, lines[at + 1 : end])
        for pattern in (_TABLE, _FIXED):
            end = at
            while end < len(lines) and pattern.match(lines[end]):
                end += 1
            if end > at and pattern is _TABLE:
                return end, self._table(lines[at:end])
            if end > at:
                return end, [_code_block([line.lstrip()[2:] for line in lines[at:end]])]
        return at, []

    def _begun(self, begin: re.Match[str], inner: list[str]) -> list[str]:
        """What stands between `#+begin_` and `#+end_`."""
        kind = begin[2].casefold()
        lines = textwrap.dedent("\n".join(inner)).split("\n")
        if kind in ("src", "example", "export"):
            language = begin[3].split()[0] if kind != "example" and begin[3].split() else ""
            if kind == "export" and language == "latex":
                return inner
            return [textwrap.indent(_code_block(lines, language), begin[1])]
        if kind == "comment":
            return []
        shown = self._blocks(lines)
        if kind != "quote":
            return shown
        return [f"> {line}".rstrip() for each in shown for line in each.split("\n")]

    def _table(self, rows: list[str]) -> list[str]:
        """A table needs a head in Markdown: the first row is one."""
        cells = [
            [self._inline(cell.strip()) for cell in row.strip().strip("|").split("|")]
            for row in rows
            if not _TABLE_RULE.match(row)
        ]
        if not cells:
            return []
        width = max(map(len, cells))
        shown = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in cells]
        return ["", shown[0], f"|{' --- |' * width}", *shown[1:], ""]

    def _line(self, line: str) -> str:
        """A line of text, with the marks at its beginning as Markdown's."""
        if _RULE.match(line):
            return self._finished("* * *")
        if found := _HEADING.match(line):
            return f"{self._finished('#' * min(len(found[1]), 6))} {found[2]}"
        if found := _FOOTNOTE.match(line):
            return f"{self._finished(f'[^{found[1]}]:')} {found[2]}"
        if found := _ITEM.match(line):
            sign, rest = "-" if found[2] in "-+*" else found[2], found[4]
            if sign == "-" and (term := _TERM.match(rest)):
                bold = self._finished(f"**{self._inline(term[1], '*')}**")
                rest = f"{bold}: {term[2]}".rstrip()
            box = (found[3] or "").lower()
            return f"{found[1]}{self._finished(f'{sign} {box}')}{rest}"
        return line

    def _inline(self, text: str, within: str = "") -> str:
        """What stands within lines; `within` are the signs of what the text is a part of."""
        return _TOKEN.sub(lambda found: self._token(found, within), text)

    def _token(self, found: re.Match[str], within: str) -> str:
        if found["math"] or found["address"]:
            return found[0]
        if found["code"]:
            return code_span(found["code"].replace("\n", " "))
        if found["sign"] and len(within) < _DEEPEST:
            sign = found["sign"].replace("_", "/")  # Markdown underlines nothing
            mark = "" if sign in within else _EMPHASIS[sign]["*" in within or "/" in within]
            return f"{mark}{self._inline(found['text'], within + sign)}{mark}"
        if found["target"]:
            return self._link(found["target"], found["label"] or "", within)
        if found["note"]:
            return f"[^{found['note']}]"
        if found["entity"]:
            return f"$\\{found['entity']}$"
        if found["end"]:
            return "\\\n"
        return f"\\{found['raw']}" if found["raw"] else _escaped(found[0])

    def _link(self, target: str, label: str, within: str) -> str:
        shown = self._inline(label, within + "[[") if len(within) < _DEEPEST else _escaped(label)
        if _WEB.match(target):
            return f"[{shown}]({_address(target)})" if label else f"<{target}>"
        path = target.removeprefix("file+sys:").removeprefix("file:").partition("::")[0]
        if target.startswith("attachment:"):
            what = f"The attachment {target[11:]!r} was not looked for; link it as a file."
            self._lost.append(what)
            return shown or _escaped(target[11:])
        if PurePosixPath(path).suffix.lower() in _PICTURES and not target.startswith(("id:", "*")):
            return f"![{shown}]({_address(path)})"
        if target.startswith("file:") or path.startswith(("./", "../", "/", "~")):
            return f"[{shown or _escaped(path)}](<{path}>)"
        # A heading, or an Org id: there is no such thing to go to here.
        return shown or _escaped(target.lstrip("*#").removeprefix("id:"))


def _code_block(lines: list[str], language: str = "") -> str:
    """Code, which no rule reads; a comma protects Org's own signs at the beginning of a line."""
    bare = (re.sub(r"^([ \t]*),(?=,*(?:\*|#\+))", r"\1", line) for line in lines)
    return code_block("\n".join(bare), language)


def _escaped(text: str) -> str:
    return re.sub(r"[\\`*_~<>&$\[\]]", r"\\\g<0>", text)


def _address(target: str) -> str:
    return f"<{target}>" if re.search(r"[\s()]", target) else target


# Schedules, in a drawer of the heading, and answers, in a table of their own.

_RATINGS = {"again": 1, "hard": 2, "good": 3, "easy": 4}
Answers = dict[tuple[str, str], list[ForeignReview]]
"""By a card's id and a position's name."""


class DrawerLine(NamedTuple):
    """A position's line in the drawer."""

    due: datetime
    interval: int | None
    """Days, of a card that was answered; None for a new one, or one in learning."""
    last: datetime | None
    """The last answer, where the algorithm keeps it."""


def schedules_of(lines: Iterable[str]) -> tuple[dict[str, DrawerLine], list[str]]:
    """The lines of a REVIEW_DATA drawer by their positions, and those that cannot be read."""
    names: list[str] = []
    found: dict[str, DrawerLine] = {}
    unread: list[str] = []
    for line in map(str.strip, lines):
        if not line.startswith("|") or line.startswith("|-"):
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not names:
            names = [cell.casefold() for cell in cells]
            continue
        row = dict(zip(names, cells, strict=False))
        said = row.get("last-review", row.get("last_review", ""))
        try:
            due = _time(row["due"])
            last = _time(said) if said not in ("", "nil", "None") else None
            interval = _days(row.get("interval", ""))
            if interval is None and last is not None:
                interval = _days(str((due - last).total_seconds() / 86400))
            found[row["position"]] = DrawerLine(due, interval, last)
        except (KeyError, ValueError, OverflowError):
            unread.append(line[:80])
    return found, unread


def item_of(suffix: str, schedule: DrawerLine | None, answers: list[ForeignReview]) -> ForeignItem:
    """An item with the answers that are known, else with the last one as its schedule implies."""
    due, interval, last = schedule or (None, None, None)
    if answers:
        *before, ended = sorted(answers, key=lambda review: review.at)
        ended = replace(ended, days=interval or ended.days)
        return ForeignItem(suffix, (*before, ended), due=due if interval else None)
    if due is None or interval is None:
        return ForeignItem(suffix)
    key = f"due {due.isoformat()} {interval}"
    at = last or due - timedelta(days=interval)
    answer = ForeignReview(at, 3, days=interval, key=key, implied=True)
    return ForeignItem(suffix, (answer,), due=due)


def answers_of(text: str) -> tuple[Answers, int]:
    """The answers in org-fc's table of them (tabs between its cells), and how many lines are none.

    Its interval is the one before each answer: what an answer led to stands in the next line.
    """
    found: Answers = {}
    unread = 0
    for line in filter(str.strip, text.split("\n")):
        cells = line.split("\t")
        rating = _RATINGS.get(cells[7].strip().casefold()) if len(cells) > 8 else None
        try:
            at = _time(cells[0])
        except ValueError:
            rating = None
        if rating is None:
            unread += 1
            continue
        reviews = found.setdefault((cells[2].strip(), cells[3].strip()), [])
        if reviews:
            reviews[-1] = replace(reviews[-1], days=_days(cells[6]))
        took = min(max(round(_number(cells[8]) * 1000), 0), 86_400_000)
        reviews.append(ForeignReview(at, rating, took, key=f"{at.isoformat()} {rating}"))
    return found, unread


def _time(text: str) -> datetime:
    at = datetime.fromisoformat(text.strip())
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _number(text: str) -> float:
    """0 for what is none, or cannot be."""
    with suppress(ValueError):
        if -1e9 < (number := float(text)) < 1e9:
            return number
    return 0


def _days(text: str) -> int | None:
    days = round(_number(text))
    return days if 1 <= days <= LONGEST_INTERVAL else None
