"""The YAML header of a card: its fields with their offsets, and what they mean.

YAML 1.1 makes an integer of `2016_001` and a boolean of `no`; here every scalar is the text that
was written, and `convert` decides what a key means.  One pass over the parser's events keeps the
offsets that a problem and a lossless edit need, and refuses what has no place in a card: aliases (a
bomb of them is a few lines long), deep nesting and a key written twice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import yaml
from frontmatter.default_handlers import YAMLHandler

from cards.model import STATUSES, TYPES, Card, CardError, Diagnostics, Value, quoted
from cards.text import fold, is_plain, macro_name, place, printable, printable_line

_MAX_DEPTH = 16
#: How a value is written.
Form = Literal["scalar", "flow", "block"]
_Loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
# YAML forbids these even in quotes; they are a matter for `printable`, not a reason to refuse a
# card.  They pass through the parser as private characters, one for one, so that offsets stay.
_SEPARATORS = (0x2028, 0x2029)
_HIDDEN = {
    code: 0x10F000 + index
    for index, code in enumerate(
        (*range(9), 11, 12, *range(14, 32), *range(0x7F, 0xA0), *_SEPARATORS, 0xFEFF)
    )
}
_SHOWN = {private: code for code, private in _HIDDEN.items()}
_UNREADABLE = dict.fromkeys((*range(0xD800, 0xE000), 0xFFFE, 0xFFFF), "\ufffd")


@dataclass(frozen=True, slots=True)
class Field:
    """A top-level key with its value; offsets count characters of the whole text."""

    key: str
    value: Value
    key_at: int
    start: int
    end: int
    form: Form
    quote: str
    """The quote around a scalar, or the sign of a block scalar; empty for a plain one."""


@dataclass(frozen=True, slots=True)
class Header:
    fields: dict[str, Field]
    opening: int
    """Offset of the first `---`."""
    start: int
    """Offset of the YAML, after that line's dashes (its line ending is part of the YAML)."""
    closing: int
    """Offset of the second `---`."""
    body: int
    """Offset behind the second `---` line."""
    flow: bool
    """Whether the whole frontmatter is one `{...}`."""


class CardHandler(YAMLHandler):
    """python-frontmatter's protocol for cards; `frontmatter.loads(text, handler=...)` works too."""

    FM_BOUNDARY = re.compile(r"(?<![^\r\n])---[ \t]*(?![^\r\n])")

    def load(self, fm: str, **_: object) -> Any:
        return {field.key: field.value for field in _fields(fm, 0, Diagnostics(fm, None))[0]}


def read_header(report: Diagnostics) -> Header:
    """The frontmatter of `report.text`.  Raises CardError where there is none to read."""
    text = report.text
    opening = len(text) - len(text.lstrip("\ufeff \t\r\n"))
    if opening == len(text):
        hint = "Write the frontmatter first: a line `---`, `id: ...` and a line `---`."
        raise report.fatal(0, "The file is empty.", hint)
    handler = CardHandler()
    if not handler.detect(text[opening:]):
        hint = "Begin the file with a line `---`, then `id: ...`, then a line `---`."
        raise report.fatal(opening, "The card has no frontmatter.", hint)
    try:
        yaml_text, _ = handler.split(text[opening:])
    except ValueError:
        hint = "Close it with a line of three dashes above the question."
        raise report.fatal(opening, "The frontmatter is never closed.", hint) from None
    boundary = handler.FM_BOUNDARY.match(text[opening:])  # a BOM in front is no line's start
    start = opening + (boundary.end() if boundary else 0)
    closing = start + len(yaml_text)
    if text[:opening].lstrip("\ufeff"):
        hint = "Remove the blank lines: other programs look for `---` on the first line."
        report.warn(opening, "The frontmatter does not begin on the first line.", hint)
    fields, flow = _fields(yaml_text, start, report)
    boundary = handler.FM_BOUNDARY.match(text, closing)
    end = boundary.end() if boundary else closing
    body = end + (2 if text.startswith("\r\n", end) else 1 if end < len(text) else 0)
    return Header({f.key: f for f in fields}, opening, start, closing, body, flow)


def known_header(report: Diagnostics) -> Header:
    """`read_header` for a text of which several things are asked in a row; it warns of nothing."""
    try:
        return _read(report.text)
    except CardError:
        return read_header(report)  # says of which file


@lru_cache(maxsize=4)
def _read(text: str) -> Header:
    return read_header(Diagnostics(text, None))


def _fields(yaml_text: str, offset: int, report: Diagnostics) -> tuple[list[Field], bool]:
    if fields := _plain_fields(yaml_text, offset):
        return fields, False
    masked, raw = _mask_macros(yaml_text)
    if not is_plain(masked):
        masked = masked.translate(_UNREADABLE).translate(_HIDDEN)
    reader = _EventReader(_Loader(masked), report, offset, len(yaml_text), raw)
    try:
        reader.read()
    except yaml.MarkedYAMLError as error:
        index, message, hint = _explained(error, masked)
        at = offset + min(index, len(yaml_text.rstrip()))
        raise report.fatal(at, message, hint) from None
    return reader.fields, reader.flow


# Most headers have nothing but lines with words and lists of words.  They are read here, as YAML
# reads them and four times as fast; whatever is not exactly of that form is left to YAML.
_NAME = r"\w[\w./-]*(?:(?: |::?)\w[\w./-]*)*"
_PLAIN = re.compile(
    rf"\n(\w{{1,60}}): (?:\[({_NAME}(?:, {_NAME})*)\]|(\w(?:[\w .,/+=()*'&%!?-]*[\w.,)!?])?))(?=\n)"
)


def _plain_fields(yaml_text: str, offset: int) -> list[Field] | None:
    """The fields of such a header; None of any other."""
    fields: dict[str, Field] = {}
    at, last = 0, len(yaml_text) - 1
    while at < last and (found := _PLAIN.match(yaml_text, at)):
        key, names, text = found.groups()
        if key in fields:
            return None
        at = found.end()
        place = offset + found.start(1), offset + found.end(1) + 2, offset + at
        value: Value = text if names is None else [*names.split(", ")]
        fields[key] = Field(key, value, *place, "scalar" if names is None else "flow", "")
    return [*fields.values()] if at == last else None


class _YamlMistake(NamedTuple):
    """A kind of YAML error in a learner's words; `words` is a pattern of the parser's."""

    words: str
    message: str
    hint: str
    at_start: bool = False
    """Whether its place is the start of what could not be read, not where reading stopped."""


_MISTAKES = (
    _YamlMistake(
        "flow (sequence|mapping)",
        "a bracket is not closed where it should be",
        "Close it with `]` or `}`; separate values by commas, and quote one that holds a colon.",
        at_start=True,
    ),
    _YamlMistake(
        "end of stream",
        "a quote is never closed",
        "End the value with the quote that it begins with.",
        at_start=True,
    ),
    _YamlMistake(
        "expected ':'",
        "a line has no colon",
        "Write each field as `key: value`, with a space after the colon.",
        at_start=True,
    ),
    _YamlMistake(
        "unknown escape",
        "a backslash in double quotes begins an unknown escape",
        "Use single quotes, or write the backslash twice.",
    ),
    _YamlMistake(
        "tab character|token \t",
        "a line begins with a tab",
        "Indent it with spaces.",
    ),
    _YamlMistake(
        "mapping values",
        "a colon stands inside a value",
        "Put the value in double quotes; if this is a field of its own, do not indent it.",
    ),
    _YamlMistake(
        "expected key|expected <block end>",
        "something follows a value that has ended",
        "Close quotes and brackets at the end of a value; write each field as `key: value`.",
    ),
)


def _explained(error: yaml.MarkedYAMLError, text: str) -> tuple[int, str, str]:
    """The offset of a YAML error, what is wrong there, and the way out."""
    index = error.problem_mark.index if error.problem_mark else 0
    because = " ".join(part for part in (error.context, error.problem) if part)
    said = f"{because} {text[index : index + 1]}"
    hint = "Put a value that begins with a sign, such as `@` or `%`, in double quotes."
    other = _YamlMistake("", because, hint)
    found = next((each for each in _MISTAKES if re.search(each.words, said)), other)
    if found.at_start and error.context_mark:
        index = error.context_mark.index
    return index, f"The frontmatter is not YAML: {found.message}.", found.hint


class _EventReader:
    """Values from the parser's events, no deeper than `_MAX_DEPTH`."""

    def __init__(
        self, loader: Any, report: Diagnostics, offset: int, length: int, raw: dict[int, str]
    ) -> None:
        self.events = iter(loader.get_event, None)
        self.report, self.offset, self.length, self.raw = report, offset, length, raw
        self.fields: list[Field] = []
        self.flow = False

    def read(self) -> None:
        documents = 0
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    message = "The frontmatter holds two documents."
                    raise self.report.fatal(self.at(event.start_mark), message, "Keep one.")
            elif isinstance(event, yaml.MappingStartEvent):
                self.flow = bool(event.flow_style)
                self.mapping(1)
            elif isinstance(event, yaml.NodeEvent):
                self.refuse_alias(event)
                message = "The frontmatter is not a list of `key: value` lines."
                hint = "Write each field as `key: value`, with a space after the colon."
                raise self.report.fatal(self.at(event.start_mark), message, hint)

    def at(self, mark: Any) -> int:
        return self.offset + min(int(mark.index), self.length)

    def text(self, event: Any) -> str:
        text: str = event.value
        text = text if text.isascii() else text.translate(_SHOWN)
        return self.raw.get(self.at(event.start_mark) - self.offset, text) if self.raw else text

    def value(self, event: Any, depth: int) -> tuple[Value, Any]:
        """The value that `event` begins, inside so many collections, and the mark where it ends."""
        if type(event) is yaml.ScalarEvent:
            return self.text(event), event.end_mark
        self.refuse_alias(event)
        if depth >= _MAX_DEPTH:
            message = f"The frontmatter is nested more than {_MAX_DEPTH} deep."
            raise self.report.fatal(self.at(event.start_mark), message, "Keep its values flat.")
        if type(event) is yaml.MappingStartEvent:
            return self.mapping(depth + 1)
        values: list[Value] = []
        while type(each := next(self.events)) is not yaml.SequenceEndEvent:
            values.append(self.value(each, depth + 1)[0])
        return values, each.end_mark

    def mapping(self, depth: int) -> tuple[dict[str, Value], Any]:
        """A mapping whose start was read, and its end; the outermost one fills `fields`."""
        values: dict[str, Value] = {}
        seen: dict[str, int] = {}
        while type(first := next(self.events)) is not yaml.MappingEndEvent:
            key, key_at = self.key(first, seen, depth)
            event = next(self.events)
            values[key], end = self.value(event, depth)
            if depth == 1:
                scalar = type(event) is yaml.ScalarEvent
                form: Form = "scalar" if scalar else "flow" if event.flow_style else "block"
                quote = (event.style or "") if scalar else ""
                place = self.at(event.start_mark), self.at(end)
                self.fields.append(Field(key, values[key], key_at, *place, form, quote))
        return values, first.end_mark

    def key(self, event: Any, seen: dict[str, int], depth: int) -> tuple[str, int]:
        """A key with its offset, which is put among the `seen` ones."""
        key, _ = self.value(event, depth)
        start = self.at(event.start_mark)
        if not isinstance(key, str):
            message = "A key of the frontmatter is not a text."
            raise self.report.fatal(start, message, "Use a plain name.")
        if key in seen:
            first, second = (place(self.report.text, at)[0] for at in (seen[key], start))
            message = f"The key {quoted(key)} is written twice, in lines {first} and {second}."
            raise self.report.fatal(start, message, "Keep one of them.")
        seen[key] = start
        return key, start

    def refuse_alias(self, event: Any) -> None:
        if type(event) is yaml.AliasEvent:
            hint = "Write the value out where it is needed."
            at = self.at(event.start_mark)
            raise self.report.fatal(at, "YAML aliases are not read in cards.", hint)


# Macros are written as LaTeX, not as YAML, which would end `KL: D(#1 \,\|\, #2)` at the blank
# before `#2`, and make a mapping of `set: {#1}`.  So the lines below `macros:` are read here first,
# and YAML is given letters in the place of their values, one for one, so that every offset stays.

_ANY_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")
_TABLE = re.compile(r"(?:macros|'macros'|\"macros\")[ \t]*:[ \t]*(?:#.*)?")
_ENTRY = re.compile(r"([ \t]+)(?:'[^']*'|\"[^\"]*\"|[^\s#'\"]\S*?)[ \t]*:[ \t]+(\S.*)")
_QUOTED = re.compile(r"(?:\"(?:[^\"\\]|\\.)*+\"|'(?:[^']|'')*+')[ \t]*(?:#.*)?")
# "#1" is an argument; another sign behind the "#", and a comment begins.
_COMMENT = re.compile(r"[ \t]+#(?![1-9#]).*")


def _mask_macros(yaml_text: str) -> tuple[str, dict[int, str]]:
    """The YAML with the values of macros masked, and those values by their offsets."""
    if "macros" not in yaml_text:
        return yaml_text, {}
    lines = [(found.start(), found[0].rstrip("\r\n")) for found in _ANY_LINE.finditer(yaml_text)]
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
    indent = len(below) - len(below.lstrip(" \t"))
    longer = indent > len(entry[1]) and not below.lstrip().startswith("#")
    return longer or bool(_QUOTED.fullmatch(entry[2]))


# What the fields mean.

_COMMON = {
    *("id", "course", "tags", "difficulty", "type", "status", "exercise", "macros", "line_breaks")
}
_NUMERIC = {"answer", "tolerance"}
#: Every key that means something to us, in one type of card or another.
KNOWN_KEYS = _COMMON | _NUMERIC
_TOLERANCE = re.compile(r"[+]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*%?", re.IGNORECASE)
MAX_ID = 200


def convert(header: Header, report: Diagnostics) -> Card:
    """The card as far as its header tells; what does not fit is reported, and has its default here.

    `correct` is the `answer` of a numeric card.
    """
    fields = header.fields
    kind = _choice(fields.get("type"), TYPES, "basic", report)
    numeric = kind == "numeric"
    known = _COMMON | _NUMERIC if numeric else _COMMON
    exercise, breaks = fields.get("exercise"), fields.get("line_breaks")
    line_breaks = _choice(breaks, ("true", "false"), "false", report) == "true"
    extra = {printable(f.key): _clean(f.value) for f in fields.values() if f.key not in known}
    return Card(
        id=_identity(header, report),
        question="",
        solution="",
        course=_text(fields.get("course"), report),
        tags=_tags(fields.get("tags"), report),
        difficulty=_difficulty(fields.get("difficulty"), report),
        type=kind,
        status=_choice(fields.get("status"), STATUSES, "to_learn", report),
        correct=_text(fields.get("answer"), report) if numeric else "",
        tolerance=_tolerance(fields.get("tolerance"), report) if numeric else "",
        exercise=_clean(exercise.value) if exercise and exercise.value else None,
        macros=MappingProxyType(_macros(fields.get("macros"), report)),
        line_breaks=line_breaks if breaks else None,
        extra=MappingProxyType(extra),
        path=report.path,
        source=report.text,
    )


def _clean(value: Value) -> Value:
    """A value with every text in it made printable (nesting is bounded by the reader)."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return [_clean(each) for each in value]
    return {printable(key): _clean(each) for key, each in value.items()}


def _text(found: Field | None, report: Diagnostics) -> str:
    if found is None:
        return ""
    if not isinstance(found.value, str):
        hint = "Write it on one line, in quotes where it holds `[`, `{` or a colon."
        report.warn(found.start, f"`{found.key}` is not a text.", hint)
        return ""
    return printable_line(found.value)


def _identity(header: Header, report: Diagnostics) -> str:
    found = header.fields.get("id")
    hint = "Add a line such as `id: my_card_001` below the first `---`."
    if found is None:
        report.error(header.opening, "The card has no `id`.", hint)
        return ""
    value = found.value
    if not isinstance(value, str) or not value.strip():
        at = found.key_at if not value else found.start
        report.error(at, "The card's `id` is empty or not a text.", hint)
        return ""
    if reason := unsafe_id(value):
        report.error(
            found.start, f"The id {quoted(value)} {reason}.", "Use letters, digits, `_` or `-`."
        )
    return printable_line(value)


def unsafe_id(name: str) -> str:
    """Why a text cannot be a card's id (ids name files and items), or an empty text."""
    if "/" in name or "\\" in name:
        return "holds a slash"
    if printable_line(name) != name or "\n" in name or "\t" in name:
        return "holds control characters or begins or ends with a space"
    if name.startswith("."):
        return "begins with a dot"
    if len(name) > MAX_ID:
        return f"is longer than {MAX_ID} characters"
    return ""


def _tags(found: Field | None, report: Diagnostics) -> tuple[str, ...]:
    value = found.value if found else []
    if isinstance(value, str):
        value = [*value.split(",")] if "," in value else [*value.split()]
    parts = value if isinstance(value, list) else [value]
    texts = [printable_line(part).lstrip("#").strip() for part in parts if isinstance(part, str)]
    if found and len(texts) < len(parts):
        hint = "Write `tags: [first, second]`."
        report.warn(found.start, "`tags` holds something that is not a text.", hint)
    return tuple(dict.fromkeys(text for text in texts if text))


def _difficulty(found: Field | None, report: Diagnostics) -> int | None:
    text = _text(found, report)
    if found is None or (not text and isinstance(found.value, str)):
        return None
    if text in {"1", "2", "3", "4", "5"}:
        return int(text)
    report.warn(found.start, "`difficulty` is not a number from 1 to 5.", "Write a digit, 1 to 5.")
    return None


def _macros(found: Field | None, report: Diagnostics) -> dict[str, str]:
    value = found.value if found else None
    if found is None or not value:
        return {}
    table = value if isinstance(value, dict) else {}
    macros = {
        name: printable(body)
        for key, body in table.items()
        if isinstance(body, str) and (name := macro_name(key))
    }
    if len(macros) < len(table) or not table:
        hint = "Write a line each, indented: `R: \\mathbb{R}`, the name without its backslash."
        report.warn(found.start, "`macros` is not a mapping of LaTeX commands to texts.", hint)
    return macros


def _choice(found: Field | None, names: tuple[str, ...], default: str, report: Diagnostics) -> str:
    text = _text(found, report)
    if found is None or not text or text in names:
        return text or default
    hint = f"Use one of: {', '.join(names)}."
    if fold(text) in names:
        report.warn(found.start, f"`{found.key}` is read as `{fold(text)}`.", hint)
        return fold(text)
    message = f"I do not know the {found.key} {quoted(text)}; it is read as `{default}`."
    report.warn(found.start, message, hint)
    return default


def _tolerance(found: Field | None, report: Diagnostics) -> str:
    text = _text(found, report)
    if found is not None and text and not _TOLERANCE.fullmatch(text):
        hint = "Write a share such as `5%`, or a distance such as `0.01`."
        report.warn(found.start, f"The tolerance {quoted(text)} is not a number.", hint)
    return text
