"""The YAML between the two `---` lines: every scalar as the text that was written.

YAML 1.1 makes an integer of `2016_001` and a boolean of `no`; here nothing is resolved, and what
a key means is decided by `cards.schema`.  One pass over the parser's events keeps the offsets
that a problem and a lossless edit need, and refuses what has no place in a card: aliases (a bomb
of them is a few lines long), deep nesting and a key written twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import yaml
from frontmatter.default_handlers import YAMLHandler

from cards.model import CardError, Value
from cards.plain import plain_entries
from cards.rawvalues import take_raw
from cards.report import Report, quoted
from cards.text import is_plain

MAX_DEPTH = 16
Kind = Literal["scalar", "flow", "block"]
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
    kind: Kind
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
        return {field.key: field.value for field in _fields(fm, 0, Report(fm, None))[0]}


def read_header(report: Report) -> Header:
    """The frontmatter of `report.text`.  Raises CardError where there is none to read."""
    text = report.text
    opening = len(text) - len(text.lstrip("\ufeff \t\r\n"))
    if opening == len(text):
        hint = "Write the frontmatter first: a line `---`, `id: ...` and a line `---`."
        raise report.failure(0, "The file is empty.", hint)
    handler = CardHandler()
    if not handler.detect(text[opening:]):
        hint = "Begin the file with a line `---`, then `id: ...`, then a line `---`."
        raise report.failure(opening, "The card has no frontmatter.", hint)
    try:
        yaml_text, _ = handler.split(text[opening:])
    except ValueError:
        hint = "Close it with a line of three dashes above the question."
        raise report.failure(opening, "The frontmatter is never closed.", hint) from None
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


def _fields(yaml_text: str, offset: int, report: Report) -> tuple[list[Field], bool]:
    plain = plain_entries(yaml_text)
    if plain is not None:
        return [_plain_field(offset, *entry) for entry in plain], False
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        masked, raw = take_raw(yaml_text)
        if not is_plain(masked):
            masked = masked.translate(_UNREADABLE).translate(_HIDDEN)
        events = yaml.parse(masked, Loader=loader)
        return _Builder(report, offset, len(yaml_text), raw).build(events)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = offset + min(mark.index if mark else 0, len(yaml_text.rstrip()))
        because = " ".join(part for part in (error.context, error.problem) if part)
        hint = "Put a value that holds a colon or begins with a sign in double quotes."
        raise report.failure(at, f"The frontmatter is not YAML: {because}.", hint) from None


def _plain_field(offset: int, key: str, value: Value, key_at: int, start: int, end: int) -> Field:
    kind: Kind = "scalar" if isinstance(value, str) else "flow"
    return Field(key, value, offset + key_at, offset + start, offset + end, kind, "")


@dataclass(slots=True)
class _Frame:
    """A collection that is being read; `seen` maps the keys of a mapping to their offsets."""

    value: list[Value] | dict[str, Value]
    start: int
    flow: bool
    seen: dict[str, int]
    key: str | None = None


class _Builder:
    """Values from events, on a stack of our own: no nesting can exhaust Python's."""

    def __init__(self, report: Report, offset: int, length: int, raw: dict[int, str]) -> None:
        self.report, self.offset, self.length, self.raw = report, offset, length, raw
        self.stack: list[_Frame] = []
        self.fields: list[Field] = []
        self.flow = False

    def build(self, events: Iterator[Any]) -> tuple[list[Field], bool]:
        documents = 0
        for event in events:
            at = self.offset + min(event.start_mark.index, self.length)
            end = self.offset + min(event.end_mark.index, self.length)
            match event:
                case yaml.ScalarEvent(value=text):
                    shown = text if text.isascii() else text.translate(_SHOWN)
                    value = self.raw.get(at - self.offset, shown)
                    self.add(value, at, end, "scalar", event.style or "")
                case yaml.DocumentStartEvent():
                    documents += 1
                    if documents > 1:
                        raise self.fail(at, "The frontmatter holds two documents.", "Keep one.")
                case yaml.AliasEvent():
                    hint = "Write the value out where it is needed."
                    raise self.fail(at, "YAML aliases are not read in cards.", hint)
                case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                    self.open(event, at)
                case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                    frame = self.stack.pop()
                    kind: Kind = "flow" if frame.flow else "block"
                    self.add(frame.value, frame.start, end, kind, "")
        return self.fields, self.flow

    def open(self, event: Any, at: int) -> None:
        mapping = isinstance(event, yaml.MappingStartEvent)
        if not self.stack and not mapping:
            raise self.not_a_mapping(at)
        if len(self.stack) >= MAX_DEPTH:
            message = f"The frontmatter is nested more than {MAX_DEPTH} deep."
            raise self.fail(at, message, "Keep its values flat.")
        if not self.stack:
            self.flow = bool(event.flow_style)
        self.stack.append(_Frame({} if mapping else [], at, bool(event.flow_style), {}))

    def add(self, value: Value, start: int, end: int, kind: Kind, quote: str) -> None:
        if not self.stack:
            if kind == "scalar":
                raise self.not_a_mapping(start)
            return
        frame = self.stack[-1]
        if isinstance(frame.value, list):
            frame.value.append(value)
        elif frame.key is None:
            self.begin_key(frame, value, start)
        else:
            frame.value[frame.key] = value
            if len(self.stack) == 1:
                key_at = frame.seen[frame.key]
                self.fields.append(Field(frame.key, value, key_at, start, end, kind, quote))
            frame.key = None

    def begin_key(self, frame: _Frame, key: Value, start: int) -> None:
        if not isinstance(key, str):
            raise self.fail(start, "A key of the frontmatter is not a text.", "Use a plain name.")
        if key in frame.seen:
            first = self.report.problem(frame.seen[key], "", "", "error").line
            second = self.report.problem(start, "", "", "error").line
            message = f"The key {quoted(key)} is written twice, in lines {first} and {second}."
            raise self.fail(start, message, "Keep one of them.")
        frame.key, frame.seen[key] = key, start

    def not_a_mapping(self, at: int) -> CardError:
        message = "The frontmatter is not a list of `key: value` lines."
        return self.fail(
            at, message, "Write each field as `key: value`, with a space after the colon."
        )

    def fail(self, at: int, message: str, hint: str) -> CardError:
        return self.report.failure(at, message, hint)
