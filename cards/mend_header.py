"""Mends of a card's frontmatter: its two `---`, a missing id, the names of a type and a status.

Each takes a text and gives it back as it should be, with what was done; None for nothing to do.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container
from pathlib import Path

from cards.edit import with_field
from cards.frontmatter import Header, read_header
from cards.model import STATUSES, TYPES, CardError
from cards.report import Report
from cards.schema import KNOWN_KEYS, MAX_ID
from cards.text import fold

# LF, CRLF and CR end a line: `^` and `$` know but the first.
_START, _END = r"(?<![^\r\n])", r"(?![^\r\n])"
_ENDING = re.compile(r"\r\n|\n|\r")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_FIELD = re.compile(r"[A-Za-z_][\w-]*[ \t]*:(?=[ \t\r\n])")
_RULE = re.compile(rf"{_START}(?P<blanks> {{0,3}})---[ \t]*{_END}")
_QUESTION = re.compile(
    rf"{_START}\ufeff? {{0,3}}#{{1,6}}[^\w\r\n]*question[^\w\r\n]*{_END}", re.IGNORECASE
)
_ID = re.compile(rf"{_START}\ufeff?id[ \t]*:")
_BLOCK_SCALAR = re.compile(r"[:-][ \t]+[|>]")
_UNFIT = re.compile(r"[^\w.-]+")


def head_of(text: str) -> int:
    return len(text) - len(text.lstrip("\ufeff \t\r\n"))


def ending_of(text: str, at: int = 0) -> str:
    """How the line above an offset is ended, or the first of all lines."""
    for ending in ("\r\n", "\n", "\r"):
        if text.endswith(ending, 0, at):
            return ending
    first = _ENDING.search(text)
    return first[0] if first else "\n"


def _question(text: str) -> re.Match[str] | None:
    """The heading; in a frontmatter that reads, `# Question` is a comment where another follows."""
    header = header_of(text)
    below = _QUESTION.search(text, header.body) if header else None
    return below or _QUESTION.search(text)


def opening(text: str) -> tuple[str, str] | None:
    """Fields above the question, with no `---` above them."""
    at, ending = head_of(text), ending_of(text)
    question = _QUESTION.search(text)
    if question is None or text.startswith("---", at) or not _FIELD.match(text, at):
        return None
    opened = f"{text[:at]}---{ending}{text[at:]}"
    rules = list(_RULE.finditer(text, at, question.start()))
    if _is_whole(opened) or (rules and (not rules[0]["blanks"] or _closes(text, at, rules))):
        return opened, "put `---` above the frontmatter"
    end = _fields_end(text, at, question.start())
    found = header_of(f"---\n{text[at:end]}---\n")
    if rules or not found or not found.fields or not _is_ours(found):
        return None
    fields = f"---{ending}{text[at:end]}---{ending}"
    return text[:at] + fields + text[end:], "put `---` around the frontmatter"


def _is_whole(text: str) -> bool:
    header = header_of(text)
    ours = header is not None and bool(header.fields) and _is_ours(header)
    return header is not None and ours and _QUESTION.search(text, header.body) is not None


def _is_ours(header: Header) -> bool:
    return "id" in header.fields or header.fields.keys() <= KNOWN_KEYS


def _closes(text: str, start: int, rules: list[re.Match[str]]) -> bool:
    """Whether dashes behind blanks can but end the fields above them: YAML reads them as words.

    They are the only ones, the question (the end of where they were looked for) follows at once,
    and no value goes on over lines.
    """
    first = rules[0]
    rest = first.string[first.end() : first.endpos]
    return (
        len(rules) == 1
        and not rest.strip()
        and not _BLOCK_SCALAR.search(text, start, first.start())
    )


def _fields_end(text: str, start: int, stop: int) -> int:
    """Behind the last paragraph of fields: a comment below them may as well be a heading."""
    end = last = place = start
    for line in _LINE.findall(text, start, stop):
        place += len(line)
        if not line.strip():
            end = last
        elif _FIELD.match(line) or (last > end and line[0] in " \t-"):
            last = place
        elif not line.startswith("#"):
            return end
    return last


def closing(text: str) -> tuple[str, str] | None:
    """A frontmatter that runs into the question."""
    at, question = head_of(text), _question(text)
    if question is None or not text.startswith("---", at):
        return None
    rules = list(_RULE.finditer(text, at + 3, question.start()))
    if any(not rule["blanks"] for rule in rules):
        return None
    head = text[: question.start()]
    rest = [line for line in _LINE.findall(head, at + 3) if line.strip()]
    if not all(line[0] in " \t-#" or _FIELD.match(f"{line}\n") for line in rest):
        return None  # words of the card stand there: where it ends, only its author knows
    if not rules:
        rule = f"---{ending_of(text, question.start())}"
        return head + rule + text[question.start() :], "put `---` below the frontmatter"
    if not _closes(text, at, rules):
        return None
    start, end = rules[0].span("blanks")
    return text[:start] + text[end:], "took away the blanks in front of `---`"


def first_line(text: str) -> tuple[str, str] | None:
    at = head_of(text)
    if not text.startswith("---", at) or not text[:at].lstrip("\ufeff"):
        return None
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    return mark + text[at:], "took away what is blank above the frontmatter"


def missing_id(text: str, path: Path, taken: Container[str]) -> tuple[str, str] | None:
    name, ending = _free_id(path.stem, taken), ending_of(text)
    header, question = header_of(text), _question(text)
    if question and _ID.search(text, header.body if header else 0, question.start()):
        return None  # it has one, where none is read: another would cost it its history
    if header is None:
        if text.startswith("---", head_of(text)) or not question:
            return None
        mark = "\ufeff" if text.startswith("\ufeff") else ""
        head = f"{mark}---{ending}id: {name}{ending}---{ending}"
        return head + text[len(mark) :], f"put the id `{name}` in a frontmatter"
    found = header.fields.get("id")
    if found is None and not header.flow:
        first = _ENDING.search(text, header.start)
        if first is None:
            return None
        line = f"id: {name}{first[0]}"
        return text[: first.end()] + line + text[first.end() :], f"put the id `{name}` in"
    if found is not None and isinstance(found.value, str) and not found.value.strip():
        return with_field(text, "id", name), f"put the id `{name}` in"
    return None


def _free_id(stem: str, taken: Container[str]) -> str:
    """An id from a file's name."""
    plain = unicodedata.normalize("NFC", stem.encode("utf-8", "replace").decode())
    name = _UNFIT.sub("_", plain).strip("._-")[: MAX_ID - 10] or "card"
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free


def names(text: str) -> tuple[str, str] | None:
    """A type or a status that is read as another spelling of itself."""
    header = header_of(text)
    for key, known in (("type", TYPES), ("status", STATUSES)):
        found = header.fields.get(key) if header else None
        if found is None or not isinstance(found.value, str) or found.value in known:
            continue
        if (meant := fold(found.value)) in known:
            return with_field(text, key, meant), f"wrote `{key}: {meant}`"
    return None


def header_of(text: str) -> Header | None:
    try:
        return read_header(Report(text, None))
    except CardError:
        return None
