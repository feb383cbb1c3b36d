"""What the frontmatter's texts mean: identity, tags, difficulty, type, status and the rest."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from cards.frontmatter import Field, Header
from cards.macro_name import macro_name
from cards.model import STATUSES, TYPES, Value
from cards.report import Report, quoted
from cards.text import fold, one_line, printable

_COMMON = {
    *("id", "course", "tags", "difficulty", "type", "status", "exercise", "macros", "line_breaks")
}
_NUMERIC = {"answer", "tolerance"}
#: Every key that means something to us, in one type of card or another.
KNOWN_KEYS = _COMMON | _NUMERIC
_TOLERANCE = re.compile(r"[+]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*%?", re.IGNORECASE)
MAX_ID = 200


@dataclass(frozen=True, slots=True)
class Schema:
    """The converted frontmatter; unknown keys are in `extra`."""

    id: str
    course: str
    tags: tuple[str, ...]
    difficulty: int | None
    type: str
    status: str
    answer: str
    tolerance: str
    exercise: Value | None
    macros: dict[str, str]
    line_breaks: bool | None
    extra: dict[str, Value] = field(default_factory=dict)


def convert(header: Header, report: Report) -> Schema:
    """The schema of a header; what does not fit is reported, and has its default here."""
    fields = header.fields
    kind = _choice(fields.get("type"), TYPES, "basic", report)
    known = _COMMON | _NUMERIC if kind == "numeric" else _COMMON
    exercise, breaks = fields.get("exercise"), fields.get("line_breaks")
    return Schema(
        id=_identity(header, report),
        course=_text(fields.get("course"), report),
        tags=_tags(fields.get("tags"), report),
        difficulty=_difficulty(fields.get("difficulty"), report),
        type=kind,
        status=_choice(fields.get("status"), STATUSES, "to_learn", report),
        answer=_text(fields.get("answer"), report) if kind == "numeric" else "",
        tolerance=_tolerance(fields.get("tolerance"), report) if kind == "numeric" else "",
        exercise=clean(exercise.value) if exercise and exercise.value else None,
        macros=_macros(fields.get("macros"), report),
        line_breaks=_choice(breaks, ("true", "false"), "false", report) == "true"
        if breaks
        else None,
        extra={printable(f.key): clean(f.value) for f in fields.values() if f.key not in known},
    )


def clean(value: Value) -> Value:
    """A value with every text in it made printable (nesting is bounded by the reader)."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return [clean(each) for each in value]
    return {printable(key): clean(each) for key, each in value.items()}


def _text(found: Field | None, report: Report) -> str:
    if found is None:
        return ""
    if not isinstance(found.value, str):
        hint = "Write it on one line, in quotes where it holds `[`, `{` or a colon."
        report.warn(found.start, f"`{found.key}` is not a text.", hint)
        return ""
    return one_line(found.value)


def _identity(header: Header, report: Report) -> str:
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
    return one_line(value)


def unsafe_id(name: str) -> str:
    """Why a text cannot be a card's id (ids name files and items), or an empty text."""
    if "/" in name or "\\" in name:
        return "holds a slash"
    if one_line(name) != name or "\n" in name or "\t" in name:
        return "holds control characters or begins or ends with a space"
    if name.startswith("."):
        return "begins with a dot"
    if len(name) > MAX_ID:
        return f"is longer than {MAX_ID} characters"
    return ""


def _tags(found: Field | None, report: Report) -> tuple[str, ...]:
    if found is None:
        return ()
    value = found.value
    if isinstance(value, str):
        parts: list[Value] = list(value.split(",") if "," in value else value.split())
    elif isinstance(value, list):
        parts = value
    else:
        parts = [value]
    texts = [one_line(part).lstrip("#").strip() for part in parts if isinstance(part, str)]
    if len(texts) < len(parts):
        hint = "Write `tags: [first, second]`."
        report.warn(found.start, "`tags` holds something that is not a text.", hint)
    return tuple(dict.fromkeys(text for text in texts if text))


def _difficulty(found: Field | None, report: Report) -> int | None:
    text = _text(found, report)
    if found is None or (not text and isinstance(found.value, str)):
        return None
    if text in {"1", "2", "3", "4", "5"}:
        return int(text)
    report.warn(found.start, "`difficulty` is not a number from 1 to 5.", "Write a digit, 1 to 5.")
    return None


def _macros(found: Field | None, report: Report) -> dict[str, str]:
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


def _choice(found: Field | None, names: tuple[str, ...], default: str, report: Report) -> str:
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


def _tolerance(found: Field | None, report: Report) -> str:
    text = _text(found, report)
    if found is not None and text and not _TOLERANCE.fullmatch(text):
        hint = "Write a share such as `5%`, or a distance such as `0.01`."
        report.warn(found.start, f"The tolerance {quoted(text)} is not a number.", hint)
    return text
