"""What stands beside the decks: the day, the exams; and while there are no decks yet, how far
the first reading has come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from textual.content import Content

from tui.exams import ExamLine
from tui.overview import Overview, Row
from tui.text import counted, initials, one_line
from tui.today import bar

#: Of a first start, in their order.
STAGES = {"cards": "Cards", "reviews": "Reviews", "schedules": "Schedules"}
#: Columns of the three counts, and what stands above them.
NUMBERS = 16
COUNTS = f"{'new':>5}{'learn':>6}{'due':>5}"
#: From so many columns on, the day stands beside the decks; and how many it takes there.
WIDE = 76
_BESIDE = 30
_LABEL = 11
#: "  1,000,000 of 1,000,000", and a margin.
_COUNTED = 28
_BAR = 12


def day_panel(seen: Overview) -> Content:
    """What is left of today, and what was done."""
    if not seen.rows:
        return Content("")
    lines = [Content.styled("Today", "bold")]
    if seen.left:
        lines.append(Content(f"{counted(seen.left, 'card')}, about {seen.minutes} min"))
    else:
        lines.append(Content(f"Nothing is left. {seen.back}"))
    if seen.more_new:
        lines.append(Content.styled("New cards wait: + takes more today.", "dim"))
    if seen.done:
        full, rest = bar(seen.done, seen.done + seen.left, _BAR)
        total = f"  {seen.done} of {seen.done + seen.left}"
        lines.append(Content.assemble((full, "$success"), (rest, "dim"), total))
        if seen.studied >= 1:
            lines.append(Content.styled(f"{seen.studied:.0f} min studied", "dim"))
    return Content("\n").join(lines)


def exam_panel(exams: Sequence[ExamLine], wide: bool) -> Content:
    """Days left and points; on a narrow screen a line for each exam."""
    if not exams:
        return Content("")
    lines = [Content.styled("Exams" if len(exams) > 1 else "Exam", "bold")]
    for exam in exams:
        name = one_line(initials(exam.course) if len(exam.course) > 16 else exam.course)
        when = "today" if exam.days == 0 else f"in {counted(exam.days, 'day')}"
        points = f"{exam.expected:.0f} of {exam.points:g} p expected"
        head = f"{name} {when}" + ("" if wide else f": {points}")
        lines.append(Content(head))
        if wide:
            lines.append(Content(f"  {points}"))
            lines.append(Content.styled(f"  {exam.stopped:.0f} p if you stop now", "dim"))
        if exam.target is not None:
            lines.append(_target(exam, exam.target))
    return Content("\n").join(lines)


def _target(exam: ExamLine, target: float) -> Content:
    if exam.reached:
        return Content.styled(f"  {target:g} p is within reach", "$text-success")
    return Content.styled(f"  {target:g} p is out of reach: x", "$text-warning")


def troubles_line(seen: Overview, root: Path) -> str:
    """What is wrong, and the key that leads there; empty where nothing is."""
    if seen.gone:
        return (
            f"The folder {one_line(str(root.absolute()))} is gone, with the cards "
            "in it. Bring it back and press r; until then no answer can be recorded."
        )
    errors = sum(problem.severity == "error" for problem in seen.problems)
    odd = len(seen.problems) - errors
    said = [f"{counted(errors, 'problem')} found"] if errors else []
    said += [counted(odd, "warning")] if odd else []
    return f"{' and '.join(said)}: p shows where, and what to do." if said else ""


def reading_panel(progress: Mapping[str, tuple[int, int]], folder: str, width: int) -> Content:
    """How far a first start has come, a bar for each kind of what is read."""
    lines = [Content(f"Reading the cards in {folder} …")]
    shown = [(STAGES[what], *progress[what]) for what in STAGES if what in progress]
    if shown:
        lines.append(Content(""))
    for label, done, total in shown:
        full, rest = bar(done, total, max(6, min(30, width - _LABEL - _COUNTED)))
        counts = f"  {done:,} of {total:,}"
        lines.append(
            Content.assemble(f"{label:{_LABEL}}", (full, "$primary"), (rest, "dim"), counts)
        )
    return Content("\n").join(lines)


def tree_columns(width: int) -> int:
    """Of a row of the tree, on a screen of so many columns."""
    return max(30, min(70, width - (_BESIDE if width >= WIDE else 0) - 2))


def deck_row(row: Row, width: int) -> Content:
    """A deck of the tree: its name, and its new, learning and due items."""
    indent = "  " * row.depth
    label = Content(indent + one_line(row.name)).truncate(width - NUMBERS, ellipsis=True)
    label = label.pad_right(width - NUMBERS - label.cell_length)
    numbers: list[tuple[str, str]] = []
    styles = ("$text-primary", "$text-warning", "$text-success")
    for count, style in zip(row.counts, styles, strict=True):
        wide = 6 if style == styles[1] else 5
        numbers.append((f"{count or '–':>{wide}}", style if count else "dim"))
    return Content.assemble(label.stylize("bold") if row.depth == 0 else label, *numbers)
