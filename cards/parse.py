"""Text to `Card`: its frontmatter, what stands in each part, and all that is odd about it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from cards import cloze
from cards.cloze import MAX_CLOZE_CHARACTERS, items_of
from cards.files import read_text, refuse_large_text
from cards.frontmatter import Header, convert, known_header, read_header
from cards.links import related, report_leaving
from cards.model import Card, CardError, Diagnostics, Option, Problem, quoted
from cards.outline import (
    MAX_LINES,
    STRUCTURE,
    Outline,
    Parts,
    markdown,
    outline_of,
    own_part,
    parts_of,
    question_markdown,
    sections_of,
    trimmed,
)
from cards.text import first_control, printable_line

_PLACEHOLDERS = frozenset({"", "n/a", "n.a.", "—", "–", "-", "--", "---", "…", "..."})
_OPTION = re.compile(
    r"\s*(?:[-*+]\s+)?(?:\*\*|__)?(?:\(([A-Za-z])\)|([A-Za-z])([.)]))(?:\*\*|__)?(?=\s|$)(.*)"
)
_CORRECT = re.compile(
    r"\s*(?:[-*+>]\s+)?[*_]{0,3}correct\s+answers?\s*+[*_]{0,3}\s*+:\s*[*_]{0,3}(?=\s|$|[^*_])(.*)",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"\s*(\*{0,2})\(\s*(\d{1,6}(?:[.,]\d{1,6})?)\s*"
    r"(?:p|pts?|points?|b|bod|body|bodů)\.?\s*\)\1[ \t]*:?\s*",
    re.IGNORECASE,
)
# Possessive: the two runs of spaces behind a comma could share them out in 2^n ways.
_WORD = r"(?:(?i:and|or|und|oder|et|ou|nebo)|a)\b"
_AND = re.compile(rf"[\s.]*+(?:,\s*+(?:{_WORD})?+|[;/&+]|{_WORD})\s*+")
#: A letter, and a remark in brackets behind it.
_LETTER = re.compile(
    r"(?:(?i:options?|answers?)\s++)?\(?([A-Za-z])(?!\w)[).]{0,2}\s*+"
    r"(?:\(((?:[^()]|\([^()]*+\))*+)\)|\[([^\[\]]*+)\])?\s*+"
)
_MARKS = re.compile(r"[*`]+")
_LETTER_AND_TEXT = re.compile(r"\(?([A-Z])(?:\)|[.:](?=\s)|\s+[—–-](?=\s))")


@lru_cache(maxsize=4)  # an answer's file is read before, saved, and read for the index
def parse_card(text: str, path: Path | None = None) -> Card:
    """The card in `text`.  Raises CardError for the first thing that keeps it from being read."""
    report = Diagnostics(text, path, errors_only=True)
    card = _analyse(report)
    if card is None:
        raise CardError(min(report.problems, key=_by_place))
    return card


def parse_header(text: str, path: Path | None = None) -> Card:
    """The card as far as its frontmatter tells: no question, no items.  Raises CardError where the
    frontmatter does not read."""
    report = Diagnostics(text, path)
    card = convert(known_header(report), report)
    if (error := report.first_error()) is not None:
        raise CardError(error)
    return card


def read_card(path: Path, root: Path | None = None) -> Card:
    """The card in a file.  Raises CardError, also where the file cannot be read."""
    path = Path(path)
    return parse_card(read_text(path, root), path)


def analyse(text: str, path: Path | None = None) -> tuple[Card | None, tuple[Problem, ...]]:
    """The card, or None where it has errors, and all that is wrong with it, from top to bottom."""
    report = Diagnostics(text, path)
    card = _analyse(report)
    return card, tuple(sorted(report.problems, key=_by_place))


def _by_place(problem: Problem) -> tuple[int, int]:
    return problem.line, problem.column


def _analyse(report: Diagnostics) -> Card | None:
    try:
        refuse_large_text(report)
        card = _read(report)
    except CardError as error:
        if error.problem not in report.problems:
            report.problems.append(error.problem)
        return None
    return None if report.first_error() else card


def _read(report: Diagnostics) -> Card | None:
    """None where an error keeps the card from being read; what else is odd is reported too."""
    header = read_header(report)
    said = convert(header, report)
    outline = outline_of(report, header.body)
    parts = parts_of(outline)
    _check_parts(outline, parts, said.type, header, report)
    if not report.errors_only:
        _check_structure(outline, parts, report)
    if parts.question is None or report.first_error():
        return None
    choice = _read_choice(outline, parts, said.correct)
    points, question = _take_points(question_markdown(outline, parts, choice.intro))
    solution = markdown(outline, parts.solution) if parts.solution else ""
    _check_choice(choice, said.type, outline, report)
    if said.type == "cloze":
        _check_clozes(question, outline.lines[parts.question.start - 1].start, report)
    if said.type == "numeric" and not any(sign.isdigit() for sign in choice.correct):
        hint = "Add a line such as `answer: 0.03`, and `tolerance: 5%` if you like."
        report.warn(header.opening, "The numeric card gives no number as its answer.", hint)
    if report.first_error():
        return None
    return replace(
        said,
        question=question,
        solution=solution,
        points=points,
        options=choice.options,
        correct=choice.correct,
        correct_letters=tuple(letter for letter in choice.named if letter in choice.real),
        sections=sections_of(outline),
        related=_related(outline),
        items=items_of(said.id, said.type, question, solution),
    )


def _related(outline: Outline) -> tuple[str, ...]:
    """Names under headings that begin with "Related", each once."""
    headings = (each for each in outline.headings if each.name.startswith("related"))
    names = (name for each in headings for name in related(outline, own_part(outline, each)))
    return tuple(dict.fromkeys(map(printable_line, names)))


# What is odd or wrong, each with its place and its way out.


def _check_parts(
    outline: Outline, parts: Parts, kind: str, header: Header, report: Diagnostics
) -> None:
    """Missing parts are errors, empty ones warnings."""
    end = len(report.text.rstrip())
    if parts.question is None:
        hint = "Add a line `# Question` below the frontmatter."
        report.error(header.closing, "The card has no `# Question`.", _unless_open(outline, hint))
    elif not trimmed(outline, parts.question):
        heading = outline.lines[parts.question.start - 1]
        report.warn(heading.start, "The question is empty.", "Write it below `# Question`.")
    if parts.solution is None and kind != "cloze":
        hint = "Add a line `# Solution` below the question, and the solution under it."
        report.error(end, "The card has no `# Solution`.", _unless_open(outline, hint))
    elif parts.solution is not None and not trimmed(outline, parts.solution):
        heading = outline.lines[parts.solution.start - 1]
        report.warn(heading.start, "The solution is empty.", "Write it below `# Solution`.")


def _unless_open(outline: Outline, hint: str) -> str:
    for index, sign in outline.unclosed:
        if sign[0] in "`~":
            line = outline.lines[index].number
            return f"Close the code fence of line {line}: it swallows what follows."
    return hint


def _check_structure(outline: Outline, parts: Parts, report: Diagnostics) -> None:
    """Separators, headings, links and signs that mislead are warnings."""
    if len(outline.lines) > MAX_LINES:
        message = f"Behind {MAX_LINES:,} lines, headings and options are not looked for."
        report.warn(outline.lines[MAX_LINES].start, message, "Split the card into several.")
    _check_lines(outline, parts, report)
    report_leaving(outline, report)
    control = first_control(report.text)
    if control is not None:
        hint = "They are left out of what is shown; remove them in your editor."
        report.warn(control, "The card holds control characters.", hint)


def _check_lines(outline: Outline, parts: Parts, report: Diagnostics) -> None:
    for index in sorted(outline.under_text):
        hint = "Put a blank line above it: other programs make a heading of the text."
        report.warn(outline.lines[index].start, "`---` stands right under a paragraph.", hint)
    for index, sign in outline.unclosed:
        message = f"{quoted(sign)} is opened and never closed."
        closing = quoted(sign.replace("\\begin", "\\end"))
        report.warn(outline.lines[index].start, message, f"Close it with {closing}.")
    seen: dict[str, int] = {}
    for heading in outline.headings:
        line = outline.lines[heading.first]
        if heading.tight:
            hint = "Put a space between `#` and the title."
            report.warn(line.start, f"`#{heading.title}` is read as a heading.", hint)
        if heading.name in STRUCTURE and heading.name in seen:
            message = f"There is a second heading {quoted(heading.title)}; the first counts."
            report.warn(line.start, message, f"The first is in line {seen[heading.name]}.")
        seen.setdefault(heading.name, line.number)
    first = min((r.start for r in (parts.question, parts.solution) if r), default=0)
    titles = {index for h in outline.headings for index in (h.first, h.last)}
    for index, line in enumerate(outline.lines[:first]):
        if line.shown.strip() and index not in titles:
            hint = "Move it below `# Question`."
            report.warn(line.start, "This text above the question is not shown.", hint)
            break


def _check_choice(choice: _Choice, kind: str, outline: Outline, report: Diagnostics) -> None:
    """Each letter stands once.  There are right letters, each is that of an option, and beside no
    other option's text."""
    letters: set[str] = set()
    for option, index in zip(choice.options, choice.lines, strict=True):
        if option.letter in letters:
            message = f"There are two options {option.letter}."
            report.warn(outline.lines[index].start, message, "Give each a letter of its own.")
        letters.add(option.letter)
    at = len(report.text.rstrip()) if choice.correct_at is None else choice.correct_at
    if not choice.real:
        if kind == "multiple_choice":
            hint = "Add `## Options` below the question, with lines `A) ...`."
            report.warn(at, "A multiple-choice card has fewer than two options.", hint)
        return
    hint = "Write the right letters, such as `**Correct Answer:** B`."
    if not choice.named:
        report.warn(at, "The solution names no option as the correct answer.", hint)
    for letter in choice.named:
        if letter not in choice.real:
            report.warn(at, f"The correct answer {letter} is not among the options.", hint)
    for letter in contradicted(choice.correct, choice.options):
        report.warn(at, f"The correct answer {letter} has the text of another option.", hint)


def _check_clozes(question: str, at: int, report: Diagnostics) -> None:
    clozes = cloze.find(question)
    hint = "Mark what is to be recalled as `{{c1::text}}` or `{{c1::text::hint}}`."
    if not clozes.found:
        report.error(at, "The cloze card has no cloze.", hint)
    elif clozes.unclosed:
        report.warn(at, "A cloze is opened and never closed.", "Close it with `}}`.")
    if len(clozes.numbers) * len(question) > MAX_CLOZE_CHARACTERS:
        report.error(at, "The card has too many clozes.", "Split it into several.")


# The options of a choice question, its right letters, and the points in front of a question.


@dataclass(frozen=True, slots=True)
class _Choice:
    options: tuple[Option, ...]
    lines: list[int]
    """The line index that each stands on."""
    intro: list[str]
    """The lines above the first of them."""
    correct: str
    correct_at: int | None
    """Where the solution names it."""
    real: frozenset[str]
    """The letters of those that are no placeholders."""
    named: tuple[str, ...]
    """The letters that `correct` names, where there are options."""


def _read_choice(outline: Outline, parts: Parts, answer: str) -> _Choice:
    """A card's options, and the right one: `answer` of the header, or what the solution says."""
    options, lines, intro = _read_options(outline, parts.options or range(0))
    written, at = _read_correct(outline, parts.solution or range(0))
    correct = answer or written
    real = frozenset(option.letter for option in options if not option.placeholder)
    named = correct_letters(correct, options) if real else ()
    return _Choice(options, lines, intro, correct, at, real, named)


def _read_options(
    outline: Outline, lines: range
) -> tuple[tuple[Option, ...], list[int], list[str]]:
    """The options in a part of the card, their lines, and the lines above the first of them.

    A line that begins none continues the one above it.
    """
    texts: list[tuple[str, list[str]]] = []
    at: list[int] = []
    intro: list[str] = []
    for index in lines:
        shown = outline.lines[index].shown
        found = None if index in outline.inert else _OPTION.match(shown)
        if found and _begins(found, texts[-1][0] if texts else None):
            texts.append(((found[1] or found[2]).upper(), [found[4].strip()]))
            at.append(index)
        elif texts:
            texts[-1][1].append(shown.strip())
        else:
            intro.append(shown)
    options = []
    for letter, pieces in texts:
        text = "\n".join(pieces).strip()
        options.append(Option(letter, text, text.casefold() in _PLACEHOLDERS))
    real = [option for option in options if not option.placeholder]
    if len(real) == 1:  # nothing to choose from: it is a part of the question
        del at[options.index(real[0])]
        options.remove(real[0])
        intro.append(f"\n{real[0].letter}) {real[0].text}")
    return tuple(options), at, intro


def _begins(found: re.Match[str], last: str | None) -> bool:
    # "A." also begins a name or an abbreviation: with a full stop it must be the next letter.
    letter = (found[1] or found[2]).upper()
    return found[3] != "." or letter == (chr(ord(last) + 1) if last else "A")


def _read_correct(outline: Outline, lines: range) -> tuple[str, int | None]:
    """The text behind "**Correct Answer:**", up to the end of its paragraph, and its offset."""
    stops = {h.first for h in outline.headings} | outline.separators
    for index in lines:
        shown = outline.lines[index].shown
        found = "correct" in shown.lower() and index not in outline.inert and _CORRECT.match(shown)
        if not found:
            continue
        pieces = [found[1].strip()]
        for after in range(index + 1, lines.stop):
            shown = outline.lines[after].shown.strip()
            if after in stops or (not shown and any(pieces)):
                break
            pieces.append(shown)
        return "\n".join(pieces).strip(), outline.lines[index].start
    return "", None


def correct_letters(correct: str, options: tuple[Option, ...]) -> tuple[str, ...]:
    """The letters that `correct` names, whether or not there are such options; () for words.

    "B", "A, C", "A and C (both)", "AC", "B) because ...", or the very text of an option.
    """
    return tuple(dict.fromkeys(letter for letter, _ in _named(correct, options)))


def contradicted(correct: str, options: tuple[Option, ...]) -> list[str]:
    """The letters that `correct` names beside the text of another option."""
    texts = {(option.letter, option.text.casefold()) for option in options}
    named = [(one, remark.strip(" .*_").casefold()) for one, remark in _named(correct, options)]
    others = {text for _, text in texts} - {""}
    return [each[0] for each in named if each[1] in others and each not in texts]


def _named(correct: str, options: tuple[Option, ...]) -> list[tuple[str, str]]:
    """Letters, each with what stands beside it."""
    text = correct.strip().strip("*_").strip()
    letters = [option.letter for option in options]
    if len(letter := text.strip("().")) == 1 and letter.isalpha():
        return [(letter.upper(), "")]
    same = [o.letter for o in options if o.text.casefold() == text.casefold() and not o.placeholder]
    if same:
        return [(same[0], "")]
    plain = _MARKS.sub("", text)[:10_000]
    texts = {o.letter: " ".join(_MARKS.sub("", o.text).split()) for o in options}
    for each in (" ".join(plain.split()), plain.partition("\n")[0]):
        if listed := _listed(each, texts):
            return listed
    if 1 < len(text) <= len(letters) and set(text) <= set(letters) and len(set(text)) == len(text):
        return [(letter, "") for letter in text]
    begun = _LETTER_AND_TEXT.match(text)
    return [(begun[1], text[begun.end() :].strip())] if begun else []


def _listed(text: str, texts: Mapping[str, str]) -> list[tuple[str, str]]:
    """The letters of a text that holds nothing but letters, remarks on them, and their options'
    own texts."""
    found: list[tuple[str, str]] = []
    text, at = text.rstrip(" ."), 0
    while item := _LETTER.match(text, at):
        found.append((item[1], item[2] or item[3] or ""))
        end, own = item.end(), texts.get(item[1], "").rstrip(" .")
        end += len(own) * text.startswith(own, end)
        if end == len(text):
            return found if all(letter.isupper() for letter, _ in found) else []
        between = _AND.match(text, end)
        if between is None:
            break
        at = between.end()
    return []


def _take_points(question: str) -> tuple[float | None, str]:
    """The points that "(5p)" in front of a question gives, and the question without them."""
    found = _POINTS.match(question)
    if not found:
        return None, question
    return float(found[2].replace(",", ".")), question[found.end() :]
