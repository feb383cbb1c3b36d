"""`deltadeck lint`: everything worth saying about a card, and the fixes of `--fix`.

A fix is made where only one thing can be meant, and touches no more.  It never changes what a card
that reads says (its question, its solution, its tags ...): one that would is left out.  Pure text:
who writes the file looks whether it still is what was read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from cards.edit import with_field
from cards.frontmatter import KNOWN_KEYS, MAX_ID, Header, read_header
from cards.links import edited
from cards.math.latex.parse import parse
from cards.math.tree import Macro
from cards.model import STATUSES, TYPES, Card, CardError, Diagnostics, Problem
from cards.outline import Outline, outline_of, parts_of, trimmed
from cards.parse import analyse
from cards.spans import spans
from cards.text import first_invisible, fold


def lint_card(
    text: str, path: Path | None = None, macros: Mapping[str, str] | None = None
) -> tuple[Problem, ...]:
    """All problems of the card in `text`, from top to bottom; never raises for bad text.

    `macros` are the collection's; the card's own come first.
    """
    card, problems = analyse(text, path)
    if card is None:
        return problems
    report = Diagnostics(text, path)
    at = first_invisible(text)
    if at is not None:
        message = f"The card holds an invisible character (U+{ord(text[at]):04X})."
        report.hint(at, message, "It is not shown, and a search does not match across it.")
    formulas = formula_problems(text, path, {**(macros or {}), **card.macros})
    found = (*problems, *formulas, *report.problems)
    return tuple(sorted(found, key=lambda problem: (problem.line, problem.column)))


#: In front of every message: it is about mathematics.
_FORMULA = "formula: "


def formula_problems(
    text: str, path: Path | None, macros: Mapping[str, str | Macro]
) -> tuple[Problem, ...]:
    """A warning for all that the typesetter cannot read in a card, in the order of the text.

    `macros` are those of the card and its collection; a formula's own hold for later ones.
    """
    report = Diagnostics(text, path)
    try:
        body = read_header(report).body
    except CardError:
        return ()
    report.problems.clear()
    known = dict(macros)
    shown = text[body:]
    for span in spans(shown):
        if span.math:
            first, last = span.tex
            formula = parse(shown[first:last], known)
            known |= formula.macros
            for problem in formula.problems:
                at = body + first + problem.span[0]
                report.warn(at, _FORMULA + problem.message, problem.hint)
    return tuple(report.problems)


# Fixes

#: More mends than any text needs: each is needed once or twice.
_MOST = 30
#: What may differ between two readings of a card that says the same.
_FREE = {"id", "items", "source", "warnings", "sections", "path"}


@dataclass(frozen=True, slots=True)
class Fixed:
    text: str
    done: tuple[str, ...]
    """What was mended, a few words each; empty where the text is as it was."""


Mend = tuple[str, str] | None
"""A text as it should be, and what was done to it; None where there is nothing to do."""
Step = Callable[[str], Mend]


def fix(text: str, path: Path, taken: Container[str] = frozenset()) -> Fixed:
    """The text of a card file with all mends; `taken` are ids that a missing one may not be."""

    def name(text: str) -> Mend:
        return _add_id(text, path, taken)

    steps = (_open_header, _close_header, _trim_start, name, _spell_names, *_BODY)
    done: dict[str, None] = {}
    for _ in range(_MOST):  # one mend may make room for another, also for one that was tried before
        found = next((made for step in steps if (made := _helpful(step, text))), None)
        if found is None:
            break
        text = found[0]
        done[found[1]] = None
    return Fixed(text, tuple(done))


def _helpful(step: Step, text: str) -> Mend:
    """What a step makes of a text, if it helps: it need not be done again, and nothing is lost."""
    found = step(text)
    if found is None or not _says_the_same(text, found[0]):
        return None
    again = step(found[0])
    return None if again and again[1] == found[1] else found


def _says_the_same(before: str, after: str) -> bool:
    """Whether a card that reads still says the same, or one that does not has less against it."""
    was, wrong = analyse(before)
    now, still = analyse(after)
    if was is not None:
        known = {problem.message for problem in wrong}
        kept = [each.name for each in fields(Card) if each.name not in _FREE]
        same = now is not None and all(getattr(was, key) == getattr(now, key) for key in kept)
        return same and all(problem.message in known for problem in still)
    errors, left = (
        [problem.message for problem in each if problem.severity == "error"]
        for each in (wrong, still)
    )
    # One error may hide another: then it is another one that keeps the card from being read.
    return now is not None or len(left) < len(errors) or left[0] != errors[0]


# The body.


def _outline(text: str) -> Outline | None:
    header = _header_of(text)
    return outline_of(Diagnostics(text, None), header.body) if header else None


def _tight_rules(text: str) -> Mend:
    """A separator right under a paragraph gets its blank line."""
    outline = _outline(text)
    if outline is None or not outline.under_text:
        return None
    places = [outline.lines[index].start for index in outline.under_text]
    pieces = {place: _ending_of(text, place) for place in places}
    return _inserted(text, pieces), "put a blank line above `---`"


def _tight_headings(text: str) -> Mend:
    outline = _outline(text)
    pieces = {}
    for heading in outline.headings if outline else ():
        start = outline.lines[heading.first].start if outline else 0
        if heading.tight and (signs := re.compile(r"[ ]{0,3}#+").match(text, start)):
            pieces[signs.end()] = " "
    return (_inserted(text, pieces), "put a space behind the `#` of a heading") if pieces else None


def _rule_between(text: str) -> Mend:
    """The separator between question and solution."""
    outline = _outline(text)
    parts = parts_of(outline) if outline else None
    if outline is None or parts is None or not parts.question or parts.solution is None:
        return None
    if parts.solution.start < parts.question.start:
        return None
    heading = next(h for h in outline.headings if h.last == parts.solution.start - 1)
    words = trimmed(outline, parts.question)
    if any(words.stop <= index < heading.first for index in outline.separators):
        return None
    blank = not outline.lines[heading.first - 1].shown.strip()
    place = outline.lines[heading.first].start
    ending = _ending_of(text, place)
    rule = f"---{ending}" if blank else f"{ending}---{ending}"
    return _inserted(text, {place: rule}), "put `---` between question and solution"


def _inserted(text: str, pieces: dict[int, str]) -> str:
    return edited(text, [(at, at, piece) for at, piece in sorted(pieces.items())])


_BODY: tuple[Step, ...] = (_tight_headings, _tight_rules, _rule_between)


# Fixes of the frontmatter: a text as it should be, with what was done; None for nothing to do

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


def _start_of(text: str) -> int:
    return len(text) - len(text.lstrip("\ufeff \t\r\n"))


def _ending_of(text: str, at: int = 0) -> str:
    """How the line above an offset is ended, or the first of all lines."""
    for ending in ("\r\n", "\n", "\r"):
        if text.endswith(ending, 0, at):
            return ending
    first = _ENDING.search(text)
    return first[0] if first else "\n"


def _question(text: str) -> re.Match[str] | None:
    """The heading; in a frontmatter that reads, `# Question` is a comment where another follows."""
    header = _header_of(text)
    below = _QUESTION.search(text, header.body) if header else None
    return below or _QUESTION.search(text)


def _open_header(text: str) -> Mend:
    """Fields above the question, with no `---` above them."""
    at, ending = _start_of(text), _ending_of(text)
    question = _QUESTION.search(text)
    if question is None or text.startswith("---", at) or not _FIELD.match(text, at):
        return None
    opened = f"{text[:at]}---{ending}{text[at:]}"
    rules = list(_RULE.finditer(text, at, question.start()))
    if _is_whole(opened) or (rules and (not rules[0]["blanks"] or _closes(text, at, rules))):
        return opened, "put `---` above the frontmatter"
    end = _fields_end(text, at, question.start())
    found = _header_of(f"---\n{text[at:end]}---\n")
    if rules or not found or not _is_ours(found):
        return None
    fields = f"---{ending}{text[at:end]}---{ending}"
    return text[:at] + fields + text[end:], "put `---` around the frontmatter"


def _is_whole(text: str) -> bool:
    header = _header_of(text)
    ours = header is not None and _is_ours(header)
    return header is not None and ours and _QUESTION.search(text, header.body) is not None


def _is_ours(header: Header) -> bool:
    return bool(header.fields) and ("id" in header.fields or header.fields.keys() <= KNOWN_KEYS)


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


def _close_header(text: str) -> Mend:
    """A frontmatter that runs into the question."""
    at, question = _start_of(text), _question(text)
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
        rule = f"---{_ending_of(text, question.start())}"
        return head + rule + text[question.start() :], "put `---` below the frontmatter"
    if not _closes(text, at, rules):
        return None
    start, end = rules[0].span("blanks")
    return text[:start] + text[end:], "took away the blanks in front of `---`"


def _trim_start(text: str) -> Mend:
    at = _start_of(text)
    if not text.startswith("---", at) or not text[:at].lstrip("\ufeff"):
        return None
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    return mark + text[at:], "took away what is blank above the frontmatter"


def _add_id(text: str, path: Path, taken: Container[str]) -> Mend:
    name, ending = _free_id(path.stem, taken), _ending_of(text)
    put = f"put the id `{name}` in"
    header, question = _header_of(text), _question(text)
    if question and _ID.search(text, header.body if header else 0, question.start()):
        return None  # it has one, where none is read: another would cost it its history
    if header is None:
        if text.startswith("---", _start_of(text)) or not question:
            return None
        mark = "\ufeff" if text.startswith("\ufeff") else ""
        head = f"{mark}---{ending}id: {name}{ending}---{ending}"
        return head + text[len(mark) :], f"{put} a frontmatter"
    found = header.fields.get("id")
    if found is not None and isinstance(found.value, str) and not found.value.strip():
        return with_field(text, "id", name), put
    first = _ENDING.search(text, header.start)
    if found is not None or header.flow or first is None:
        return None
    return text[: first.end()] + f"id: {name}{first[0]}" + text[first.end() :], put


def _free_id(stem: str, taken: Container[str]) -> str:
    """An id from a file's name."""
    plain = unicodedata.normalize("NFC", stem.encode("utf-8", "replace").decode())
    name = _UNFIT.sub("_", plain).strip("._-")[: MAX_ID - 10] or "card"
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free


def _spell_names(text: str) -> Mend:
    """A type or a status that is read as another spelling of itself."""
    header = _header_of(text)
    for key, known in (("type", TYPES), ("status", STATUSES)):
        found = header.fields.get(key) if header else None
        if found is None or not isinstance(found.value, str) or found.value in known:
            continue
        if (meant := fold(found.value)) in known:
            return with_field(text, key, meant), f"wrote `{key}: {meant}`"
    return None


def _header_of(text: str) -> Header | None:
    try:
        return read_header(Diagnostics(text, None))
    except CardError:
        return None
