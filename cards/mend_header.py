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

_FIELD = re.compile(r"[A-Za-z_][\w-]*[ \t]*:(?=[ \t\r\n])")
_CLOSING = re.compile(r"^---[ \t]*\r?$", re.MULTILINE)
_QUESTION = re.compile(r"^\ufeff? {0,3}#{1,6}[^\w\n]*question[^\w\n]*$", re.I | re.MULTILINE)
_ID = re.compile(r"^\ufeff?id[ \t]*:", re.MULTILINE)
_UNFIT = re.compile(r"[^\w.-]+")


def head_of(text: str) -> int:
    return len(text) - len(text.lstrip("\ufeff \t\r\n"))


def ending_of(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def opening(text: str) -> tuple[str, str] | None:
    """Fields above the question, with no `---` above them."""
    at, ending = head_of(text), ending_of(text)
    question = _QUESTION.search(text)
    if question is None or text.startswith("---", at) or not _FIELD.match(text, at):
        return None
    closing = _CLOSING.search(text, at)
    if closing and closing.start() < question.start():
        return f"{text[:at]}---{ending}{text[at:]}", "put `---` above the frontmatter"
    end = _fields_end(text, at, question.start())
    found = header_of(f"---\n{text[at:end]}---\n")
    if not found or not found.fields or not _is_ours(found):
        return None
    fields = f"---{ending}{text[at:end]}---{ending}"
    return text[:at] + fields + text[end:], "put `---` around the frontmatter"


def _is_ours(header: Header) -> bool:
    return "id" in header.fields or header.fields.keys() <= KNOWN_KEYS


def _fields_end(text: str, start: int, stop: int) -> int:
    """Behind the last paragraph of fields: a comment below them may as well be a heading."""
    end = last = place = start
    for line in text[start:stop].splitlines(keepends=True):
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
    at, question = head_of(text), _QUESTION.search(text)
    if question is None or not text.startswith("---", at):
        return None
    if _CLOSING.search(text, at + 3, question.start()):
        return None
    head = text[: question.start()]
    rest = [line for line in head[at + 3 :].splitlines() if line.strip()]
    if not all(line[0] in " \t-#" or _FIELD.match(f"{line}\n") for line in rest):
        return None  # words of the card stand there: where it ends, only its author knows
    return (
        f"{head}---{ending_of(text)}{text[question.start() :]}",
        "put `---` below the frontmatter",
    )


def first_line(text: str) -> tuple[str, str] | None:
    at = head_of(text)
    if not text.startswith("---", at) or not text[:at].lstrip("\ufeff"):
        return None
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    return mark + text[at:], "took away what is blank above the frontmatter"


def missing_id(text: str, path: Path, taken: Container[str]) -> tuple[str, str] | None:
    name, ending = _free_id(path.stem, taken), ending_of(text)
    header, question = header_of(text), _QUESTION.search(text)
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
        below = text.index("\n", header.start) + 1 if "\n" in text[header.start :] else None
        if below is None:
            return None
        return f"{text[:below]}id: {name}{ending}{text[below:]}", f"put the id `{name}` in"
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
