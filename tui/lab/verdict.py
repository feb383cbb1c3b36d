"""What the lab's screen says of an exercise and of an answer: Textual's `Content`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from cards.math import layout
from engine.verdict import Counterexample, Verdict
from tui.lab import grids
from tui.lab.grids import Lattice
from tui.lab.text import (
    SANDBOX,
    UNTRIED,
    Hint,
    blocks,
    caret,
    first_rows,
    legend,
    parts,
    sentence,
    title,
)
from tui.text import plural, shortened, visible

if TYPE_CHECKING:
    from engine.verdict import ShownWindows
    from tui.lab.requests import Cell, ExerciseInfo, PoolingView

STILL_AT_IT = Content.styled("still trying it …", "dim")
#: Characters of what was read that are shown again.
ECHO = 1_000
#: Columns that a formula in a hint is set in by.
HINT = 6
#: Lines and columns of what a function printed that are shown.
PRINTED, PRINTED_WIDTH = 6, 200
STYLES = {
    "correct": "bold $text-success",
    "incomplete": "bold $text-success",
    "wrong-step": "bold $text-warning",
    "correct-but-slow": "bold $text-warning",
    "correct-except-ties": "bold $text-warning",
    "only-without-overlap": "bold $text-warning",
    "wrong": "bold $text-error",
    "unreadable": "bold $foreground-muted",
}


# The exercise.


def placeholder(brief: ExerciseInfo) -> Content:
    # As it stands: of a text, [k] would be a style.
    if not brief.left:
        return Content(f"Write a NumPy function: {brief.signature}")
    return Content(f"Write what you derived: {brief.left} = …, LaTeX, or {brief.signature}")


def notation(brief: ExerciseInfo) -> Content:
    """What is asked, in the symbols an answer may use, and how another message is written."""
    narrow = 13
    wide = max([narrow, *(len(symbol) + 2 for symbol, _ in brief.symbols)])
    latex = r"\delta_{x,ij} = \sum_{k,l} …" if brief.pooling else r"\frac{\partial L}{…} = …"
    others = (("or LaTeX", latex), ("or NumPy", f"{brief.signature}  …")) if brief.left else ()
    faint = ("→", "takes the word that stands faintly")
    said = (("for example", brief.example), *others, faint)
    symbols = [Content.assemble((f"{name:{wide}}", "bold"), what) for name, what in brief.symbols]
    examples = [Content.assemble((f"{head:{narrow}}", "dim"), text) for head, text in said]
    return Content("\n").join([Content(visible(brief.description)), *symbols, *examples])


def geometry(pooling: PoolingView | ShownWindows) -> str:
    """ "kernel 2×2 · stride 2 · padding 0"."""
    pairs = (("kernel", pooling.kernel), ("stride", pooling.stride), ("padding", pooling.padding))
    return " · ".join(
        f"{name} {a}×{b}" if a != b or name == "kernel" else f"{name} {a}" for name, (a, b) in pairs
    )


def window_at(window: Cell, pooling: PoolingView | ShownWindows) -> grids.GridWindow:
    """Omega(k, l) as a rectangle of the input; it may reach into the padding."""
    (k, l), (down, across) = window, pooling.stride  # noqa: E741
    top, left = k * down - pooling.padding[0], l * across - pooling.padding[1]
    return grids.GridWindow(top, left, top + pooling.kernel[0], left + pooling.kernel[1])


def checklist(asked: Sequence[str], given: Collection[str], chosen: int | None = None) -> Content:
    """The messages that are asked for, each with a mark where it was given."""
    rows: list[tuple[str, str]] = []
    for n, part in enumerate(asked):
        done = part in given
        rows += [
            ("✓ " if done else "· ", "$text-success" if done else "dim"),
            (part, "reverse" if n == chosen else ""),
            ("   ", ""),
        ]
    return Content.assemble(*rows)


# The line under the answer.


def headline(verdict: Verdict | None, width: int = 100, offer: str = "") -> Content:
    """ "✓ correct · 300 inputs · seed 7", and less of it where there is less room."""
    if verdict is None:
        return Content.styled(offer or "the verdict appears here while you type", "dim")
    text = Content.styled(sentence(verdict), STYLES[verdict.verdict])
    for tried in _tried(verdict):
        if text.cell_length + 3 + cell_len(tried) <= width:
            return Content.assemble(text, ("   " + tried, "dim"))
    return text


def _tried(verdict: Verdict) -> list[str]:
    """What an answer was tried on, in ever fewer words."""
    if verdict.verdict == "unreadable":
        return []
    if not verdict.tried:
        return [f"{UNTRIED}: there is no input to try it on", UNTRIED]
    short = plural(verdict.tried, "input")
    if verdict.failed:
        short = f"failed on {verdict.failed} of {verdict.tried}"
    said = f"{short} inputs" if verdict.failed else short
    seeded = f"{said} · seed {verdict.seed}"
    whole = f"{seeded} · {verdict.left_out} left out" if verdict.left_out else seeded
    about = [f"{whole} · {verdict.about}"] if verdict.about else []
    return [*about, whole, seeded, said, short]


# What stands below it.


def details(verdict: Verdict, answer: str, width: int, hints: Sequence[Hint] = ()) -> Content:
    """What the learner asked to be told, the smallest input that fails, and what was read."""
    said: list[Content] = []
    if verdict.message:
        said.append(_where(verdict, answer, width))
    if verdict.step:
        said += _caret(verdict, answer, width)
    for head, told in parts(verdict)[: bool(verdict.step)]:  # the checklist has the others
        said.append(Content.assemble((f"{head}  ", "dim"), visible(told)))
    if marks := legend(verdict):
        said.append(Content.styled(marks, "dim"))
    for head, note in (("note  ", verdict.remark), ("off   ", _where_off(verdict, bool(hints)))):
        if note:
            said.append(Content.assemble((head, "dim"), visible(note)))
    for hint in hints:
        said.append(Content.assemble(("hint  ", "$text-warning"), visible(hint.said)))
        if hint.tex:
            rows = layout(visible(hint.tex), width=width - HINT).rows
            said += [Content(" " * HINT + row) for row in rows]
    if verdict.counterexample:
        said.append(counterexample(verdict.counterexample, width))
    if verdict.printed:
        first = first_rows(visible(verdict.printed), PRINTED)
        printed = "\n".join(shortened(row, PRINTED_WIDTH) for row in first)
        said += [Content.styled("it printed", "dim"), Content(printed)]
    if verdict.layers:
        said.append(Content.styled(SANDBOX, "dim"))
    elif verdict.read:
        said.append(Content.assemble(("I read  ", "dim"), shortened(visible(verdict.read), ECHO)))
    return Content("\n").join(said)


def _where(verdict: Verdict, answer: str, width: int) -> Content:
    """The line of the answer that stopped the reader, a caret under the place, and the hint."""
    said = _caret(verdict, answer, width)
    lines = visible(answer).replace("\t", " ").split("\n")
    if verdict.line and not verdict.column and not verdict.trace and verdict.line <= len(lines):
        there = (f"line {verdict.line}  ", "dim")
        said.append(Content.assemble(there, shortened(lines[verdict.line - 1], width)))
    said.append(Content(visible(verdict.message or "")))
    for number, name in verdict.trace:
        row = lines[number - 1].strip() if number <= len(lines) else ""
        there = (f"  line {number}, in {visible(name)}  ", "dim")
        said.append(Content.assemble(there, (shortened(row, width), "$foreground-muted")))
    if verdict.hint:
        said.append(Content.styled(visible(verdict.hint), "$foreground-muted"))
    return Content("\n").join(said)


def _caret(verdict: Verdict, answer: str, width: int) -> list[Content]:
    """A line of the answer with a caret under the place."""
    styles = ("$foreground-muted", "bold $text-error")
    rows = zip(caret(verdict, visible(answer), width), styles, strict=False)
    return [Content.styled(row, style) for row, style in rows]


def _where_off(verdict: Verdict, told: bool) -> str:
    """Which entries are off.  On how many inputs stands in the headline; where they are off by
    what the values are, that is the first hint."""
    place, _, often = (verdict.near or "").partition(", on ")
    if place.startswith("only where") and not told:
        return ""
    return place if often or not place.startswith("on ") else ""


def counterexample(shown: Counterexample, width: int) -> Content:
    """Every array by its name, yours and expected, the cells at which they differ marked."""
    windows = shown.windows
    one = window_at(windows.one, windows) if windows is not None and windows.one else None
    head = title(shown) if windows is None else f"smallest case: {geometry(windows)}"
    *given, yours, expected = blocks(shown)
    columns = []
    for block in given:
        rows = grids.rows(block.rows, shaded=block.title == "x" and windows is not None)
        if block.title == "x" and one is not None:
            rows = Lattice(block.rows, (one,), one).rows()
        # As the board has it: the message from above is δ.
        columns.append(("δ" if block.title == "delta" else block.title, rows))
    for block, style in ((yours, grids.OFF), (expected, grids.MAXIMUM)):
        marks = dict.fromkeys(yours.marks, style)
        columns.append((block.title, grids.rows(block.rows, marks)))
    lines = [Content.styled(head, "dim"), grids.beside(columns, width)]
    if shown.note:
        lines.append(Content(visible(shown.note)))
    return Content("\n").join(lines)


# What is said of a key that has nothing to do.


def nothing_fails(verdict: Verdict | None) -> str:
    if verdict is None or verdict.verdict == "unreadable":
        return "There is no answer yet that could fail."
    if not verdict.ok and not verdict.tried:
        return "The shapes do not fit, so there is no input to try it on."
    return "No input fails."


def no_attempt(step: int) -> str:
    return f"Nothing was tried {'before' if step < 0 else 'after'} this."


def no_hint(verdict: Verdict | None) -> str:
    if verdict is None:
        return "Write something first, even a guess: the hints are about your answer."
    if verdict.verdict == "correct":
        return "It is correct: there is nothing to hint at."
    if verdict.verdict == "incomplete":
        return f"What is written is right. Still open: {', '.join(verdict.open)}."
    return "Hints are about an answer that can be read; Notation shows how one is written."
