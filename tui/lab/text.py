"""A verdict in words and grids, as plain text: for the command line, and for the lab's screens.

No Textual and no NumPy here: the helper process and `deltadeck check` import it.
"""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from cards.text import printable, printable_line
from engine.exercise import language_of
from engine.verdict import Counterexample, Step, Verdict
from tui.text import plural, under_caret

if TYPE_CHECKING:
    from cards.model import Card
    from engine.exercise import Language
    from engine.verdict import Numbers
    from tui.lab.requests import ExerciseInfo

SENTENCES = {
    "correct": "✓ correct",
    "incomplete": "✓ right so far",
    "wrong-step": "✗ the result is right; this step is not",
    "correct-but-slow": "✗ right, but it takes too many steps",
    "correct-except-ties": "✗ right, except where the maximum occurs twice in a window",
    "only-without-overlap": "✗ right only while no two windows share an input",
    "wrong": "✗ wrong",
    "unreadable": "? not read",
}
_NO_RESULT = "? your function gave no result"
#: What stands before a side of a derivation, and what it means.
MARKS: dict[str, tuple[str, str]] = {
    "defines": ("·", "says what something is"),
    "follows": ("✓", "follows"),
    "wrong": ("✗", "does not follow"),
    "carried": ("↓", "follows from what is wrong"),
    "again": ("✓", "right again"),
    "unread": ("?", "is not read"),
    "unchecked": ("–", "is not checked"),
}
#: Of every function, below its verdict.
SANDBOX = "ran in a sandbox; `deltadeck doctor` lists what it keeps out"
#: Beside max pooling there are kinks, not only ties.
_KINKS = "✗ right, except where the derivative does not exist"
#: Of what is no derivative.
_TIES = "✗ right, except at ties"
#: What the answer is where the one condition that it fails under does not hold.
_ONLY = {
    "an input lies in no window": "✗ right wherever windows cover the input, wrong at what is left "
    "over beside them"
}
#: Of a wrong answer that was tried on no input.
UNTRIED = "the shapes do not fit"
#: dx[i,j], dL/dx[j]: the left side of a message.
_MESSAGE = re.compile(r"d(\w)(?:\[[^\]]*\])?\s*$|d[A-Za-z]+/d(\w+)\s*(?:\[|$)")
#: An answer that is right on a smaller share is right by chance: that says nothing of it.
_BY_CHANCE = 0.1
_DISPLAY = re.compile(r"\$\$(.+?)\$\$|\\\[(.+?)\\\]", re.DOTALL)
_FUNCTION = re.compile(r"\bdef\s+\w+\s*\(")
#: No text is looked at that is longer than an answer can be.
_LONGEST = 10_000

#: Columns between two arrays of a case.
_GAP = 4

Grid = Sequence[Sequence[float]]


# What a verdict says.


def sentence(verdict: Verdict) -> str:
    """The verdict in words; left-over pixels are told apart from what is wrong everywhere."""
    kind, said = verdict.verdict, SENTENCES[verdict.verdict]
    count = len(verdict.parts) + len(verdict.open)
    if kind == "correct" and count:
        return f"{said}: all {count} parts"
    if kind == "incomplete":
        return f"{said}, {len(verdict.parts)} of {count} parts"
    if kind == "wrong" and verdict.message:
        return "✗ your function fails on some inputs"
    if kind == "wrong" and count:
        return f"{said}: {asked(verdict)}"
    if len({step.line for step in verdict.steps}) > 1 and kind in ("wrong", "wrong-step"):
        place = f"line {verdict.line}"
        return f"✗ the result is right; {place} is not" if kind != "wrong" else f"{said}: {place}"
    if kind == "unreadable" and verdict.layers:
        return _NO_RESULT
    shown = verdict.counterexample
    if kind == "correct-except-ties" and shown is not None and shown.windows is None:
        return _KINKS if "/" in shown.target else _TIES
    if kind == "wrong" and len(verdict.wrong_when) == 1:
        return _ONLY.get(verdict.wrong_when[0], said)
    return said


def asked(verdict: Verdict) -> str:
    """What the answer is the answer to, "dx" or "dy[k]/dx[j]"; of a function, its numbers say."""
    shown = verdict.counterexample
    if shown is not None:
        return shown.target
    return verdict.read.rpartition("\n")[2].partition("=")[0].strip()


def parts(verdict: Verdict) -> list[tuple[str, str]]:
    """Of a chain, the side that is not right; of several parts, which are right, and which not."""
    step = "this step" if verdict.verdict == "wrong-step" else "it goes wrong at"
    right = verdict.parts if verdict.open else ()
    rows = ((step, verdict.step), ("right", ", ".join(right)), ("open", ", ".join(verdict.open)))
    return [(head, said) for head, said in rows if said]


def legend(verdict: Verdict) -> str:
    """What the marks before the lines of a derivation mean, beyond right and wrong."""
    marks = dict.fromkeys(step.mark for step in verdict.steps)
    told = {m: " ".join(MARKS[m]) for m in marks if m not in ("follows", "wrong", "defines")}
    if "again" in told:  # its sign alone is that of what follows
        lines = dict.fromkeys(str(step.line) for step in verdict.steps if step.mark == "again")
        told["again"] += f" in {'line' if len(lines) == 1 else 'lines'} {', '.join(lines)}"
    return "   ".join(told.values())


def verdict_text(verdict: Verdict, answer: str) -> str:
    """The verdict with all that a learner needs to go on, rows joined by newlines."""
    if verdict.verdict == "unreadable":
        lines = [f"{sentence(verdict)}: {verdict.message}"]
        below = [
            *caret(verdict, answer),
            *_line(verdict, answer),
            verdict.hint,
            verdict.about and f"the exercise is about {verdict.about}",
        ]
    else:
        steps = [_step(step) for step in verdict.steps]
        lines = [*(steps or [f"I read: {verdict.read}"]), sentence(verdict)]
        wrong_when = "; ".join(verdict.wrong_when)
        below = [
            verdict.message,
            *(caret(verdict, answer) if verdict.step else ()),
            *(f"{head}: {names}" for head, names in parts(verdict)),
            verdict.misconception and f"likely mistake: {verdict.misconception}",
            verdict.teaching,
            verdict.remark,
            verdict.near and f"off: {verdict.near}",
            wrong_when and f"{'fails' if verdict.message else 'wrong'} only when: {wrong_when}",
            _tried(verdict),
        ]
    lines += [f"  {row}" for row in below if row]
    # Of a function: its lines on the way to an error, what it printed, what confined it.
    lines += [f"  line {number}, in {printable(name)}" for number, name in verdict.trace]
    if verdict.printed:
        rows = first_rows(verdict.printed, 20)
        lines += ["  it printed:", *(f"    {printable(row)}" for row in rows)]
    if verdict.layers:
        lines.append(f"  {SANDBOX}")
    if verdict.counterexample and verdict.verdict != "unreadable":
        lines += ["", *_shown_lines(verdict.counterexample)]
    return "\n".join(lines)


def _step(step: Step) -> str:
    """A side of a derivation behind its mark and its line."""
    sign, means = MARKS[step.mark]
    told = step.read or f"{means}: {step.message or ''}".rstrip(": ")
    more = f"   ({means})" if step.mark in ("carried", "again") else ""
    return f"{sign} {step.line:>2}  {told}{more}"


def _tried(verdict: Verdict) -> str:
    if not verdict.tried:
        return f"{UNTRIED}, so it was tried on no input of {verdict.about}"
    of = f" of {verdict.about}" * bool(verdict.about)
    tried = f"{verdict.tried} random input{'s' * (verdict.tried > 1)}{of}, seed {verdict.seed}"
    tried += f"; failed on {verdict.failed}" if verdict.failed else ""
    if verdict.left_out:
        tried += f"; {verdict.left_out} more left out, which cannot be judged"
    return tried


def caret(verdict: Verdict, answer: str, width: int = 76) -> tuple[str, ...]:
    """The answer's line and a caret under the verdict's place; nothing where it has none."""
    rows = answer.split("\n")
    if not (answer and verdict.line and verdict.column and verdict.line <= len(rows)):
        return ()
    return under_caret(rows[verdict.line - 1], verdict.column, width)


def _line(verdict: Verdict, answer: str) -> Iterator[str]:
    """The line of a function that does not compile, where its place in it is not known."""
    rows = answer.splitlines()
    if verdict.line and not verdict.column and not verdict.trace and verdict.line <= len(rows):
        yield f"line {verdict.line}: {printable(rows[verdict.line - 1].strip())}"


def first_rows(text: str, most: int) -> list[str]:
    """The first rows of a text, and how many more there are."""
    rows = text.rstrip("\n").split("\n")
    return rows if len(rows) <= most else [*rows[:most], f"… {len(rows) - most} lines more"]


def verdict_line(name: str, verdict: Verdict, width: int) -> str:
    """One line for one of many answers: its file, the verdict, and the reason."""
    reason = verdict.message or verdict.misconception or "; ".join(verdict.wrong_when)
    reason = reason or "; ".join(": ".join(row) for row in parts(verdict))
    said = sentence(verdict) + (f": {reason}" if reason else "")
    return f"{printable(name):<{width}}  {printable_line(printable(said))}"


# The smallest input that fails, as titled grids.


@dataclass(frozen=True, slots=True)
class GridBlock:
    title: str
    rows: list[list[float]]
    marks: frozenset[tuple[int, int]] = frozenset()
    """The (row, column) of the cells to point at."""


def blocks(shown: Counterexample) -> list[GridBlock]:
    """Every input, what the forward message comes to, the answer and what is expected."""
    given = [
        GridBlock(name, grid(of))
        for part in (shown.inputs, shown.values)
        for name, of in part.items()
    ]
    marks = frozenset(_place(shown.yours, cell) for cell in shown.cells)
    yours = GridBlock(f"{shown.target}, yours", grid(shown.yours), marks)
    return [*given, yours, GridBlock(f"{shown.target}, expected", grid(shown.expected))]


def title(case: Counterexample) -> str:
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


def labels(grid: Grid) -> list[list[str]]:
    """The numbers as short as they can be while different numbers look different; what is not
    there yet (None) is a dot."""
    values = {value for row in grid for value in row if _is_number(value)}
    digits = next(
        (n for n in (4, 6, 9, 12) if len({f"{v:.{n}g}" for v in values}) == len(values)), 17
    )
    return [
        [
            _short(f"{value:.{digits}g}") if _is_number(value) else "·" if value is None else "?"
            for value in row
        ]
        for row in grid
    ]


def _is_number(value: float | None) -> bool:
    # Undefined cells of a learner's formula are NaN.
    return value is not None and value == value


def _short(number: str) -> str:
    """Drop what a matrix does not need: "0.25" is ".25", "-0" is "0"."""
    if number == "-0":
        return "0"
    return number.replace("0.", ".", 1) if number.startswith(("0.", "-0.")) else number


def _shown_lines(shown: Counterexample) -> list[str]:
    """The smallest failing input, every array by its name, the bad cells marked."""
    drawn = [_grid_lines(block) for block in blocks(shown)]
    windows = shown.windows
    if windows is None:
        head, rows = title(shown), _beside(drawn, 92)
    else:
        shape = f"kernel {_pair(windows.kernel)}, stride {_pair(windows.stride)}"
        shape += f", padding {_pair(windows.padding)}" if any(windows.padding) else ""
        head, rows = f"smallest case ({shape}):", _beside(drawn)
    return [head, *(f"  {row}" for row in rows), *([f"  {shown.note}"] if shown.note else [])]


def _pair(values: tuple[int, int]) -> str:
    return f"{values[0]}x{values[1]}"


def _grid_lines(block: GridBlock) -> list[str]:
    """The title and the rows, the bad cells marked."""
    cells = [
        [text + "!" * ((i, j) in block.marks) for j, text in enumerate(row)]
        for i, row in enumerate(labels(block.rows))
    ]
    width = max((len(cell) for row in cells for cell in row), default=1)
    return [block.title, *("  ".join(f"{cell:>{width}}" for cell in row) for row in cells)]


def _beside(columns: Sequence[list[str]], width: int = sys.maxsize) -> list[str]:
    """Columns of rows side by side, in as many bands as the width asks for."""
    widths = [max(map(len, column)) for column in columns]
    return [
        (" " * _GAP)
        .join(part.ljust(wide) for part, wide in zip(row, widths[band], strict=True))
        .rstrip()
        for band in bands(widths, width, _GAP)
        for row in zip_longest(*columns[band], fillvalue="")
    ]


def bands(widths: Sequence[int], width: int, gap: int) -> list[slice]:
    """Which columns of these widths stand beside each other in `width`, `gap` between them."""
    found: list[slice] = []
    used = width
    for number, wide in enumerate(widths):
        if used + gap + wide > width:
            found.append(slice(number, number))
            used = -gap
        found[-1] = slice(found[-1].start, number + 1)
        used += gap + wide
    return found


# Hints: where an answer fails, the mistake by its name, the line itself.


@dataclass(frozen=True, slots=True)
class Hint:
    said: str
    tex: str = ""
    """A formula that stands below."""


def hints(verdict: Verdict, brief: ExerciseInfo, card: Card) -> tuple[Hint, ...]:
    """What may be told of a wrong answer, from the least to the most; nothing of other answers."""
    if verdict.verdict in ("correct", "incomplete", "unreadable"):
        return ()
    every = [Hint(where(verdict)), Hint(mistake(verdict))]
    if not verdict.steps:  # of a derivation it would be the next line
        every.append(_solution(brief, card, asked(verdict)))
    return tuple(hint for hint in every if hint.said)


def where(verdict: Verdict) -> str:
    """Which inputs fail; nothing where that says nothing: nearly all, or no pattern."""
    if not verdict.tried:
        return ""
    if verdict.wrong_when:
        does = "fails" if verdict.message else "is wrong"
        return f"It {does} only when {'; '.join(verdict.wrong_when)}."
    if verdict.failed == verdict.tried:
        return "It fails on every input, so look at the smallest case."
    right = verdict.tried - verdict.failed
    if right < _BY_CHANCE * verdict.tried:
        return ""
    return f"Right on {right} of {plural(verdict.tried, 'input')}, with no pattern."


def mistake(verdict: Verdict) -> str:
    """The misconception with its sentence; where there is none, how near the answer is."""
    if verdict.misconception:
        named = f"Likely mistake: {verdict.misconception}."
        return f"{named} {verdict.teaching}" if verdict.teaching else named
    return _near(verdict)


def _near(verdict: Verdict) -> str:
    """How far off the smallest case is, at its most telling cell."""
    shown = verdict.counterexample
    if shown is None or not shown.cells or verdict.message:
        return ""
    cell = shown.cells[0]
    yours, right = labels([[_at(shown.yours, cell), _at(shown.expected, cell)]])[0]
    count = len(shown.cells)
    off = "One entry is" if count == 1 else f"{count} entries are"
    at = ",".join(map(str, cell))
    return f"{off} off in the smallest case: at [{at}] it says {yours}, and {right} is expected."


def _at(values: Any, cell: tuple[int, ...]) -> float:
    for index in cell:
        values = values[index]
    number: float = values
    return number


def _solution(brief: ExerciseInfo, card: Card, left: str) -> Hint:
    """The line of the card's solution, or else a right answer in our notation."""
    tex = solution_line(card.solution, left)
    if tex:
        return Hint("The line of the solution:", tex)
    if brief.answer:
        return Hint(f"A right answer: {brief.answer}")
    rows = [row.strip() for row in card.solution.splitlines() if row.strip()]
    # Of a program, neither its fence nor its name is a hint.
    rows = [row for row in rows if not row.startswith(("```", "~~~", "def "))]
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


# Answers in two languages, or in another than was said.


def plainly(verdict: Verdict, answer: str, said: Language | None = None) -> Verdict:
    """The verdict; of what could not be read, with the likely reason.

    `said` is the language that the learner named, None where it was told by its looks.
    """
    if verdict.verdict != "unreadable" or len(answer) > _LONGEST or not answer.strip():
        return verdict
    unread = replace(verdict, line=None, column=None)
    if (at := _begins(answer)) is not None:
        return replace(
            verdict,
            message="This looks like a function, but something else stands before it.",
            hint="clear what stands before `def`",
            line=answer.count("\n", 0, at) + 1,
            column=at - answer.rfind("\n", 0, at),
            trace=(),
        )
    looks = language_of(answer)
    if said == "function" and looks != "function" and "def " not in f"{verdict.message}":
        message = "This is not a function: write def backward(...)."
        hint = "or leave out --numpy: a formula is detected"
        return replace(unread, message=message, hint=hint, trace=(), layers=())
    if said == "latex" and looks == "formula":
        message = "This is not LaTeX; leave out --latex."
        hint = "LaTeX has backslashes, as in \\delta; without them this is an index formula"
        return replace(unread, message=message, hint=hint)
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
