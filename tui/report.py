"""A verdict in words and grids, as plain text: for the command line and wherever no screen is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.cells import labels

if TYPE_CHECKING:
    from engine import Counterexample, Verdict
    from engine.verdict import Grid

SENTENCES = {
    "correct": "✓ correct",
    "correct-except-ties": "✗ right, except where the maximum occurs twice in a window",
    "only-without-overlap": "✗ right only while no two windows share an input",
    "wrong": "✗ wrong",
    "unreadable": "? not read",
}


def verdict_text(verdict: Verdict, answer: str) -> str:
    """The verdict with all that a learner needs to go on, rows joined by newlines."""
    if verdict.verdict == "unreadable":
        return unreadable_text(verdict, answer)
    lines = [f"I read: {verdict.read}", SENTENCES[verdict.verdict]]
    if verdict.misconception:
        lines.append(f"  looks like: {verdict.misconception}")
    if verdict.teaching:
        lines.append(f"  {verdict.teaching}")
    if verdict.wrong_when:
        lines.append(f"  wrong only when: {'; '.join(verdict.wrong_when)}")
    tried = f"{verdict.tried} random inputs, seed {verdict.seed}"
    lines.append(f"  {tried}" + (f"; failed on {verdict.failed}" if verdict.failed else ""))
    if verdict.counterexample:
        lines += ["", *counterexample_lines(verdict.counterexample)]
    return "\n".join(lines)


def unreadable_text(verdict: Verdict, answer: str) -> str:
    """The message, the answer's line with a caret under the place, and the hint."""
    lines = [f"{SENTENCES['unreadable']}: {verdict.message}"]
    rows = answer.splitlines()
    if verdict.line and verdict.column and verdict.line <= len(rows):
        lines += [f"  {row}" for row in _under_caret(rows[verdict.line - 1], verdict.column)]
    if verdict.hint:
        lines.append(f"  {verdict.hint}")
    return "\n".join(lines)


def _under_caret(row: str, column: int, around: int = 60) -> tuple[str, str]:
    """The part of a line about a 1-based column, and a caret under that; safe to print."""
    from cards.text import printable

    start = max(0, column - 1 - around)
    before, after = row[start : column - 1], row[column - 1 : column - 1 + around]
    lead = "…" if start else ""
    tail = "…" if len(row) > column - 1 + around else ""
    shown, left = (printable(text).replace("\t", " ") for text in (after, before))
    return f"{lead}{left}{shown}{tail}", " " * len(lead + left) + "^"


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
