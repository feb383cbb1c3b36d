"""What is odd or wrong in the body of a card, each as a problem with its place and its way out."""

from __future__ import annotations

from cards import cloze
from cards.frontmatter import Header
from cards.items import MAX_CLOZE_CHARACTERS
from cards.links import report_leaving
from cards.model import Card
from cards.options import Found, contradicted, correct_letters
from cards.outline import MAX_LINES, STRUCTURE, Outline
from cards.parts import Parts, trimmed
from cards.report import Report, quoted
from cards.schema import Schema
from cards.text import first_control


def check_structure(
    outline: Outline, parts: Parts, schema: Schema, header: Header, report: Report
) -> None:
    """Missing parts are errors; separators, headings and signs that mislead are warnings."""
    end = len(report.text.rstrip())
    if parts.question is None:
        hint = "Add a line `# Question` below the frontmatter."
        report.error(header.closing, "The card has no `# Question`.", _unless_open(outline, hint))
    elif not trimmed(outline, parts.question):
        heading = outline.lines[parts.question.start - 1]
        report.warn(heading.start, "The question is empty.", "Write it below `# Question`.")
    if parts.solution is None and schema.type != "cloze":
        hint = "Add a line `# Solution` below the question, and the solution under it."
        report.error(end, "The card has no `# Solution`.", _unless_open(outline, hint))
    elif parts.solution is not None and not trimmed(outline, parts.solution):
        heading = outline.lines[parts.solution.start - 1]
        report.warn(heading.start, "The solution is empty.", "Write it below `# Solution`.")
    if len(outline.lines) > MAX_LINES:
        message = f"Behind {MAX_LINES:,} lines, headings and options are not looked for."
        report.warn(outline.lines[MAX_LINES].start, message, "Split the card into several.")
    _check_lines(outline, parts, report)
    report_leaving(outline, report)
    control = first_control(report.text)
    if control is not None:
        hint = "They are left out of what is shown; remove them in your editor."
        report.warn(control, "The card holds control characters.", hint)


def _unless_open(outline: Outline, hint: str) -> str:
    for index, sign in outline.unclosed:
        if sign[0] in "`~":
            line = outline.lines[index].number
            return f"Close the code fence of line {line}: it swallows what follows."
    return hint


def _check_lines(outline: Outline, parts: Parts, report: Report) -> None:
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


def check_options(
    card: Card, found: Found, answered: int | None, outline: Outline, report: Report
) -> None:
    """Letters written twice, right letters that no option has, choices without options."""
    letters: set[str] = set()
    for option, index in zip(found.options, found.at, strict=True):
        if option.letter in letters:
            message = f"There are two options {option.letter}."
            report.warn(outline.lines[index].start, message, "Give each a letter of its own.")
        letters.add(option.letter)
    at = outline.lines[answered].start if answered is not None else len(report.text.rstrip())
    real = {option.letter for option in found.options if not option.placeholder}
    if card.type == "multiple_choice" and not real:
        hint = "Add `## Options` below the question, with lines `A) ...`."
        report.warn(at, "A multiple-choice card has fewer than two options.", hint)
    if not card.is_choice:
        return
    named = correct_letters(card.correct, card.options)
    hint = "Write the right letters, such as `**Correct Answer:** B`."
    if not named:
        report.warn(at, "The solution names no option as the correct answer.", hint)
    for letter in named:
        if letter not in real:
            report.warn(at, f"The correct answer {letter} is not among the options.", hint)
    for letter in contradicted(card.correct, card.options):
        report.warn(at, f"The correct answer {letter} has the text of another option.", hint)


def check_items(card: Card, question_at: int, header: Header, report: Report) -> None:
    """A cloze card without clozes, or with too many; a numeric card without a number."""
    if card.type == "cloze":
        clozes = cloze.find(card.question)
        hint = "Mark what is to be recalled as `{{c1::text}}` or `{{c1::text::hint}}`."
        if not clozes.found:
            report.error(question_at, "The cloze card has no cloze.", hint)
        elif clozes.unclosed:
            report.warn(question_at, "A cloze is opened and never closed.", "Close it with `}}`.")
        if len(clozes.numbers) * len(card.question) > MAX_CLOZE_CHARACTERS:
            report.error(question_at, "The card has too many clozes.", "Split it into several.")
    if card.type == "numeric" and not any(sign.isdigit() for sign in card.correct):
        hint = "Add a line such as `answer: 0.03`, and `tolerance: 5%` if you like."
        report.warn(header.opening, "The numeric card gives no number as its answer.", hint)
