"""Verdicts, hints and counterexamples in words and grids of plain text."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from engine.exercise import language_of
from engine.verdict import Verdict
from tui.text import counted

if TYPE_CHECKING:
    from cards.model import Card
    from engine.exercise import Language
    from engine.verdict import Case, Counterexample, Numbers, Shown
    from engine.verdict import Grid as ReportGrid
    from tui.lab.server import Brief


# == Answers in two languages, or in another than was said: the reader's message, made plain.


_FUNCTION = re.compile(r"\bdef\s+\w+\s*\(")
#: No text is looked at that is longer than an answer can be.
_LONGEST = 10_000


def plainly(verdict: Verdict, answer: str, said: Language | None = None) -> Verdict:
    """The verdict; of what could not be read, with the likely reason.

    `said` is the language that the learner named, None where it was told by its looks.
    """
    if verdict.verdict != "unreadable" or len(answer) > _LONGEST or not answer.strip():
        return verdict
    if (at := _begins(answer)) is not None:
        line = answer.count("\n", 0, at) + 1
        column = at - (answer.rfind("\n", 0, at) + 1) + 1
        message = "This looks like a function, but something else stands before it."
        hint = "clear what stands before `def`"
        return replace(verdict, message=message, hint=hint, line=line, column=column, trace=())
    looks = language_of(answer)
    if said == "function" and looks != "function" and "def " not in f"{verdict.message}":
        message = "This is not a function: write def backward(...)."
        hint = "or leave out --numpy: a formula is told by its looks"
        return replace(verdict, message=message, hint=hint, line=None, column=None, trace=())
    if said == "latex" and looks == "formula":
        return replace(
            verdict,
            message="This is not LaTeX; leave out --latex.",
            hint="LaTeX has backslashes, as in \\delta; without them this is an index formula",
            line=None,
            column=None,
        )
    return verdict


def function_within(answer: str) -> bool:
    """Whether a function stands behind something else: what that is, nobody can typeset."""
    return len(answer) <= _LONGEST and _begins(answer) is not None


def _begins(answer: str) -> int | None:
    """Where a function begins that has something else than Python before it."""
    found = _FUNCTION.search(answer)
    if found is None or not (before := answer[: found.start()]).strip():
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            # Decorators and imports may stand there.
            ast.parse(f"{before}def f(): pass")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return found.start()
    return None


# == A counterexample of named arrays as titled grids, for the screens and the command line.


#: What the answer is where the one condition that it fails under does not hold.
_ONLY = {
    "an input lies in no window": "✗ right wherever windows cover the input, wrong at what is left "
    "over beside them"
}
_KINKS = "✗ right, except where the derivative does not exist"


@dataclass(frozen=True, slots=True)
class Block:
    title: str
    rows: list[list[float]]
    marks: frozenset[tuple[int, int]] = frozenset()
    """The (row, column) of the cells to point at."""


def cases_blocks(case: Case) -> list[Block]:
    """Every input, what the forward message comes to, the answer and what is expected."""
    inputs = [Block(name, grid(values)) for name, values in case.inputs.items()]
    values = [Block(name, grid(values)) for name, values in case.values.items()]
    marks = frozenset(_place(case.yours, cell) for cell in case.cells)
    yours = Block(f"{case.target}, yours", grid(case.yours), marks)
    return [*inputs, *values, yours, Block(f"{case.target}, expected", grid(case.expected))]


def cases_title(case: Case) -> str:
    """ "smallest case:", with the place that is farthest off."""
    if not case.indices or not case.cells:
        return "smallest case:"
    at = ", ".join(
        f"{letter} = {place}" for letter, place in zip(case.indices, case.cells[0], strict=True)
    )
    return f"smallest case (off at {at}):"


def grid(values: Numbers) -> list[list[float]]:
    """Any array as rows: a number is one cell, a vector one row, more than two axes more rows."""
    nested: Any = values
    if not isinstance(nested, list):
        return [[nested]]
    if not nested or not isinstance(nested[0], list):
        return [list(nested)]
    return [row for part in nested for row in (grid(part))]


def _place(values: Numbers, cell: Sequence[int]) -> tuple[int, int]:
    """Where a cell of an array stands in its grid."""
    row = 0
    nested: Any = values
    for index in cell[:-1]:
        row += sum(len(grid(part)) for part in nested[:index])
        nested = nested[index]
    return row, cell[-1] if cell else 0


def asked(verdict: Verdict) -> str:
    """What the answer is the answer to, "dx" or "dy[k]/dx[j]"; of a function, its numbers say."""
    shown = verdict.counterexample
    if shown is not None:
        return shown.target
    return verdict.read.rpartition("\n")[2].partition("=")[0].strip()


def cases_parts(verdict: Verdict) -> list[tuple[str, str]]:
    """Of a chain, the side that is not right; of several parts, which are right, and which not."""
    step = "this step" if verdict.verdict == "wrong-step" else "it goes wrong at"
    right = verdict.parts if verdict.open else ()
    rows = ((step, verdict.step), ("right", ", ".join(right)), ("open", ", ".join(verdict.open)))
    return [(head, said) for head, said in rows if said]


def sentence(verdict: Verdict, sentences: dict[str, str]) -> str:
    """The verdict in words: beside max pooling there are kinks, not only ties.

    Left-over pixels are told apart from what is wrong everywhere.
    """
    from engine.verdict import Case

    shown = verdict.counterexample
    count = len(verdict.parts) + len(verdict.open)
    if verdict.verdict == "correct" and count:
        return f"{sentences['correct']}: all {count} parts"
    if verdict.verdict == "incomplete":
        return f"{sentences['incomplete']}, {len(verdict.parts)} of {count} parts"
    if verdict.verdict == "wrong" and count:
        return f"{sentences['wrong']}: {asked(verdict)}"
    if verdict.verdict == "correct-except-ties" and isinstance(shown, Case):
        return _KINKS
    if verdict.verdict == "wrong" and len(verdict.wrong_when) == 1:
        return _ONLY.get(verdict.wrong_when[0], sentences["wrong"])
    return sentences[verdict.verdict]


# == The numbers of a matrix as text, for the screens and the command line; no Textual here.


Grid = Sequence[Sequence[float]]


def labels(grid: Grid) -> list[list[str]]:
    """The numbers as short as they can be while different numbers look different."""
    values = {value for row in grid for value in row if _is_number(value)}
    digits = next(
        (n for n in (4, 6, 9, 12) if len({f"{v:.{n}g}" for v in values}) == len(values)), 17
    )
    return [
        [_short(f"{value:.{digits}g}") if _is_number(value) else "?" for value in row]
        for row in grid
    ]


def _is_number(value: float | None) -> bool:
    # Undefined cells of a learner's formula: NaN, or None where they went through JSON.
    return value is not None and value == value


def _short(number: str) -> str:
    """Drop what a matrix does not need: "0.25" is ".25", "-0" is "0"."""
    if number == "-0":
        return "0"
    return number.replace("0.", ".", 1) if number.startswith(("0.", "-0.")) else number


# == One hint after the other: where an answer fails, the mistake by its name, the line itself.


@dataclass(frozen=True, slots=True)
class Hint:
    said: str
    tex: str = ""
    """A formula that stands below."""


#: dx[i,j], dL/dx[j]: the left side of a message.
_MESSAGE = re.compile(r"d(\w)(?:\[[^\]]*\])?\s*$|d[A-Za-z]+/d(\w+)\s*(?:\[|$)")
#: An answer that is right on a smaller share is right by chance: that says nothing of it.
_BY_CHANCE = 0.1
_DISPLAY = re.compile(r"\$\$(.+?)\$\$|\\\[(.+?)\\\]", re.DOTALL)


def hints(verdict: Verdict, brief: Brief, card: Card) -> tuple[Hint, ...]:
    """What may be told of a wrong answer, from the least to the most; nothing of other answers."""
    if verdict.verdict in ("correct", "incomplete", "unreadable"):
        return ()
    line = solution(brief, card, asked(verdict))
    every = (Hint(where(verdict)), Hint(mistake(verdict)), line)
    return tuple(hint for hint in every if hint.said)


def where(verdict: Verdict) -> str:
    """Which inputs fail; nothing where that says nothing: nearly all, of no one kind."""
    if not verdict.tried:
        return ""
    if verdict.wrong_when:
        return f"It is wrong only when {'; '.join(verdict.wrong_when)}."
    if verdict.failed == verdict.tried:
        return "It fails on every input, so look at the smallest case."
    right = verdict.tried - verdict.failed
    if right < _BY_CHANCE * verdict.tried:
        return ""
    return f"It is right on {counted(right, 'input')} of {verdict.tried}, of no one kind."


def mistake(verdict: Verdict) -> str:
    """The misconception with its sentence; where there is none, how near the answer is."""
    if verdict.misconception:
        named = f"It looks like this: {verdict.misconception}."
        return f"{named} {verdict.teaching}" if verdict.teaching else named
    return near(verdict)


def near(verdict: Verdict) -> str:
    """How far off the smallest case is, at its most telling cell."""
    shown = verdict.counterexample
    if shown is None or not shown.cells:
        return ""
    cell = shown.cells[0]
    yours, right = labels([[_at(shown.yours, cell), _at(shown.expected, cell)]])[0]
    count = len(shown.cells)
    off = "One entry is" if count == 1 else f"{count} entries are"
    at = ",".join(map(str, cell))
    return f"{off} off in the smallest case: at [{at}] it says {yours}, and {right} is expected."


def solution(brief: Brief, card: Card, left: str) -> Hint:
    """The line of the card's solution, or else a right answer in our notation."""
    tex = solution_line(card.solution, left)
    if tex:
        return Hint("The line of the solution:", tex)
    if brief.answer:
        return Hint(f"A right answer: {brief.answer}")
    rows = [row.strip() for row in card.solution.splitlines() if row.strip()]
    return Hint(f"The solution begins: {rows[0]}" if rows else "")


def solution_line(text: str, read: str = "") -> str:
    """The displayed formula of a solution that is the answer to what `read` answers.

    Told by its looks, from the left side of what was read: dL/dx is the message at x, written
    with a delta or as a derivative of the loss; else it is a derivative of what is above.
    """
    formulas = [" ".join((one or other).split()) for one, other in _DISPLAY.findall(text)]
    left = read.rpartition("\n")[2].partition("=")[0]
    message = _MESSAGE.match(left.strip())
    if message:
        name = re.escape(message[1] or message[2])
        wanted = re.compile(rf"\\delta_(\{{\s*)?\(?{name}\b|partial\s*(\\\w+\s*\{{)?[LEJ]\b")
    else:
        wanted = re.compile(r"\\frac\{\s*\\partial\s*[a-zA-Z]")
    # What is asked for stands left of the "=".
    best = [f for f in formulas if wanted.search(f.partition("=")[0])]
    told = best or [f for f in formulas if "partial" in f or "delta" in f] or formulas
    return told[0] if told else ""


def _at(values: Any, cell: tuple[int, ...]) -> float:
    for index in cell:
        values = values[index]
    number: float = values
    return number


# == A verdict in words and grids, as plain text: for the command line and wherever no screen is.


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
    lines = [f"I read: {verdict.read}", sentence(verdict, SENTENCES)]
    if verdict.step:
        lines += [f"  {row}" for row in caret(verdict, answer)]
    lines += [f"  {head}: {names}" for head, names in cases_parts(verdict)]
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
    reason = reason or "; ".join(": ".join(row) for row in cases_parts(verdict))
    said = sentence(verdict, SENTENCES) + (f": {reason}" if reason else "")
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
    drawn = [(block.title, _grid(block.rows, set(block.marks))) for block in cases_blocks(case)]
    lines = [cases_title(case), *("  " + row for row in _wrapped(drawn))]
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


def _grid(grid: ReportGrid, marked: set[tuple[int, int]] | None = None) -> list[str]:
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
