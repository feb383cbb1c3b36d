"""A verdict in words and grids, as plain text: for the command line and wherever no screen is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui import cases
from tui.cells import labels

if TYPE_CHECKING:
    from engine import Counterexample, Verdict
    from engine.verdict import Case, Grid, Shown

SENTENCES = {
    "correct": "✓ correct",
    "incomplete": "✓ right so far",
    "wrong-step": "✗ the result is right; this step is not",
    "correct-except-ties": "✗ right, except where the maximum occurs twice in a window",
    "only-without-overlap": "✗ right only while no two windows share an input",
    "wrong": "✗ wrong",
    "unreadable": "? not read",
}

#: Of a wrong answer that was tried on no input.
UNTRIED = "the shapes do not fit"


def verdict_text(verdict: Verdict, answer: str) -> str:
    """The verdict with all that a learner needs to go on, rows joined by newlines."""
    if verdict.verdict == "unreadable":
        return unreadable_text(verdict, answer)
    lines = [f"I read: {verdict.read}", cases.sentence(verdict, SENTENCES)]
    if verdict.step:
        lines += [f"  {row}" for row in caret(verdict, answer)]
    lines += [f"  {head}: {names}" for head, names in cases.parts(verdict)]
    if verdict.misconception:
        lines.append(f"  looks like: {verdict.misconception}")
    if verdict.teaching:
        lines.append(f"  {verdict.teaching}")
    if verdict.remark:
        lines.append(f"  {verdict.remark}")
    if verdict.near:
        lines.append(f"  off: {verdict.near}")
    if verdict.wrong_when:
        lines.append(f"  wrong only when: {'; '.join(verdict.wrong_when)}")
    lines.append(f"  {_tried(verdict)}")
    lines += function_lines(verdict)
    if verdict.counterexample:
        lines += ["", *shown_lines(verdict.counterexample)]
    return "\n".join(lines)


def _tried(verdict: Verdict) -> str:
    if not verdict.tried:
        return f"{UNTRIED}, so it was tried on no input of {verdict.about}"
    of = f" of {verdict.about}" * bool(verdict.about)
    tried = f"{verdict.tried} random input{'s' * (verdict.tried > 1)}{of}, seed {verdict.seed}"
    tried += f"; failed on {verdict.failed}" if verdict.failed else ""
    if verdict.left_out:
        tried += f"; {verdict.left_out} more left out, which cannot be judged"
    return tried


def unreadable_text(verdict: Verdict, answer: str) -> str:
    """The message, the answer's line with a caret under the place, and the hint."""
    lines = [f"{SENTENCES['unreadable']}: {verdict.message}"]
    lines += [f"  {row}" for row in caret(verdict, answer)]
    if verdict.hint:
        lines.append(f"  {verdict.hint}")
    if verdict.about:
        lines.append(f"  the exercise is about {verdict.about}")
    return "\n".join([*lines, *function_lines(verdict)])


def caret(verdict: Verdict, answer: str, width: int = 76) -> tuple[str, ...]:
    """The answer's line and a caret under the verdict's place; nothing where it has none."""
    rows = answer.split("\n")
    if not (answer and verdict.line and verdict.column and verdict.line <= len(rows)):
        return ()
    return under_caret(rows[verdict.line - 1], verdict.column, width)


def verdict_line(name: str, verdict: Verdict, width: int) -> str:
    """One line for one of many answers: its file, the verdict, and the reason."""
    from cards.text import one_line, printable

    reason = verdict.message or verdict.misconception or "; ".join(verdict.wrong_when)
    reason = reason or "; ".join(": ".join(row) for row in cases.parts(verdict))
    said = cases.sentence(verdict, SENTENCES) + (f": {reason}" if reason else "")
    return f"{printable(name):<{width}}  {one_line(printable(said))}"


def function_lines(verdict: Verdict) -> list[str]:
    """Of a function: its lines on the way to an error, what it printed, what confined it."""
    from cards.text import printable

    lines = [f"  line {number}, in {printable(name)}" for number, name in verdict.trace]
    if verdict.printed:
        lines += ["  it printed:", *(f"    {printable(row)}" for row in _first(verdict.printed))]
    if verdict.layers:
        lines.append(f"  run in a process of its own ({', '.join(verdict.layers)})")
    return lines


def _first(text: str, most: int = 20) -> list[str]:
    rows = text.rstrip("\n").split("\n")
    return rows if len(rows) <= most else [*rows[:most], f"… {len(rows) - most} lines more"]


def under_caret(row: str, column: int, width: int = 76) -> tuple[str, str]:
    """The part of a line about a 1-based column, and a caret under that; safe to print."""
    from rich.cells import cell_len

    from cards.text import printable

    at, most = column - 1, width - 2  # without a "…" at each end
    start = max(0, min(at - most // 2, len(row) - most)) if cell_len(row) > width else 0
    end = start + (most if cell_len(row) > width else width)
    left, shown = (printable(text).replace("\t", " ") for text in (row[start:at], row[at:end]))
    lead = "…" * (start > 0) + left
    return f"{lead}{shown}{'…' * (end < len(row))}", " " * cell_len(lead) + "^"


def shown_lines(shown: Shown) -> list[str]:
    """The smallest failing input, of max pooling or of any other forward message."""
    from engine.verdict import Case

    return case_lines(shown) if isinstance(shown, Case) else counterexample_lines(shown)


def case_lines(case: Case) -> list[str]:
    """Every array by its name, yours and expected beside them, bad cells marked."""
    drawn = [(block.title, _grid(block.rows, set(block.marks))) for block in cases.blocks(case)]
    lines = [cases.title(case), *("  " + row for row in _wrapped(drawn))]
    return [*lines, f"  {case.note}"] if case.note else lines


def _wrapped(blocks: list[tuple[str, list[str]]], width: int = 96) -> list[str]:
    """Titled blocks side by side, in as many bands as the width asks for."""
    bands: list[list[tuple[str, list[str]]]] = [[]]
    used = 0
    for title, rows in blocks:
        wide = max(len(title), *(len(row) for row in rows)) + 4
        if bands[-1] and used + wide > width:
            bands.append([])
            used = 0
        bands[-1].append((title, rows))
        used += wide
    return [row for band in bands for row in _beside(band)]


def counterexample_lines(case: Counterexample) -> list[str]:
    """The smallest failing input: x, delta, yours and expected side by side, bad cells marked."""

    def pair(values: tuple[int, int]) -> str:
        return f"{values[0]}x{values[1]}"

    shape = f"kernel {pair(case.kernel)}, stride {pair(case.stride)}"
    if any(case.padding):
        shape += f", padding {pair(case.padding)}"
    title = f"smallest case ({shape}):"
    if case.window is not None:
        title = f"smallest case ({shape}; window k,l = {case.window[0]},{case.window[1]}):"
    marked = set(case.cells)
    blocks = [("x", _grid(case.x))]
    if case.delta is not None:
        blocks.append(("delta", _grid(case.delta)))
    name = "dx" if case.target == "dx" else "df/dx"
    blocks.append((f"{name}, yours", _grid(case.yours, marked)))
    blocks.append((f"{name}, expected", _grid(case.expected)))
    lines = [title, *("  " + row for row in _beside(blocks))]
    return [*lines, f"  {case.note}"] if case.note else lines


def _grid(grid: Grid, marked: set[tuple[int, int]] | None = None) -> list[str]:
    cells = [
        [text + ("!" if marked and (i, j) in marked else "") for j, text in enumerate(row)]
        for i, row in enumerate(labels(grid))
    ]
    width = max((len(cell) for row in cells for cell in row), default=1)
    return ["  ".join(f"{cell:>{width}}" for cell in row) for row in cells]


def _beside(blocks: list[tuple[str, list[str]]], gap: int = 4) -> list[str]:
    """Titled blocks of rows, side by side."""
    height = max(len(rows) for _, rows in blocks)
    columns = []
    for title, rows in blocks:
        width = max(len(title), *(len(row) for row in rows)) if rows else len(title)
        column = [title, *rows, *[""] * (height - len(rows))]
        columns.append([f"{row:<{width}}" for row in column])
    return [(" " * gap).join(parts).rstrip() for parts in zip(*columns, strict=True)]
