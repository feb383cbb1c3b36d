"""What the lab's screen says: a verdict, its details, the notation of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from engine.verdict import Case, Counterexample, Verdict
from tui.lab.text import (
    SENTENCES,
    UNTRIED,
    Hint,
    caret,
    cases_blocks,
    cases_parts,
    cases_title,
    sentence,
)
from tui.text import counted, shortened, visible

if TYPE_CHECKING:
    from tui.lab.inputs import Picture
    from tui.lab.server import Brief
    from tui.widgets import grids


# == A verdict in words, for the line under the answer and for the list below it.


STYLES = {
    "correct": "bold $text-success",
    "incomplete": "bold $text-success",
    "wrong-step": "bold $text-warning",
    "correct-except-ties": "bold $text-warning",
    "only-without-overlap": "bold $text-warning",
    "wrong": "bold $text-error",
    "unreadable": "bold $foreground-muted",
}


#: Characters of what was read that are shown again.
ECHO = 1_000
#: Columns that a formula in a hint is set in by.
HINT = 6
#: Lines and columns of what a function printed that are shown.
PRINTED, PRINTED_WIDTH = 6, 200


def headline(verdict: Verdict, width: int = 100) -> Content:
    """ "✓ correct · 300 inputs · seed 7", and less of it where there is less room."""
    kind = verdict.verdict
    text = Content.styled(sentence(verdict, SENTENCES), STYLES[kind])
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
    short = counted(verdict.tried, "input")
    if verdict.failed:
        short = f"failed on {verdict.failed} of {verdict.tried}"
    said = f"{short} inputs" if verdict.failed else short
    seeded = f"{said} · seed {verdict.seed}"
    whole = f"{seeded} · {verdict.left_out} left out" if verdict.left_out else seeded
    about = [f"{whole} · {verdict.about}"] if verdict.about else []
    return [*about, whole, seeded, said, short]


def details(verdict: Verdict, answer: str, width: int, hints: Sequence[Hint] = ()) -> Content:
    """What the learner asked to be told, the smallest input that fails, and what was read."""
    parts: list[Content] = []
    if verdict.verdict == "unreadable":
        parts.append(_where(verdict, answer, width))
    if verdict.step:
        parts += _caret(verdict, answer, width)
    for head, told in cases_parts(verdict):
        parts.append(Content.assemble((f"{head}  ", "dim"), visible(told)))
    for head, said in (("note  ", verdict.remark), ("off   ", _where_off(verdict, bool(hints)))):
        if said:
            parts.append(Content.assemble((head, "dim"), visible(said)))
    for hint in hints:
        parts.append(Content.assemble(("hint  ", "$text-warning"), visible(hint.said)))
        if hint.tex:
            parts.append(_typeset(hint.tex, width - HINT))
    if isinstance(verdict.counterexample, Case):
        parts.append(case(verdict.counterexample, width))
    elif verdict.counterexample:
        parts.append(counterexample(verdict.counterexample, width))
    if verdict.printed:
        parts += [Content.styled("it printed", "dim"), Content(_first_lines(verdict.printed))]
    if verdict.read and not verdict.layers:
        parts.append(Content.assemble(("I read  ", "dim"), shortened(visible(verdict.read), ECHO)))
    if verdict.layers:
        apart = f"run apart: {', '.join(verdict.layers)}"
        parts.append(Content.styled(apart, "dim"))
    return Content("\n").join(parts)


def _where_off(verdict: Verdict, told: bool) -> str:
    """Which entries are off.  On how many inputs stands in the headline; where they are off by
    what the values are, that is the first hint."""
    place, _, often = (verdict.near or "").partition(", on ")
    if place.startswith("only where") and not told:
        return ""
    return place if often or not place.startswith("on ") else ""


def _typeset(tex: str, width: int) -> Content:
    from cards.math import layout

    return Content("\n").join(
        Content(" " * HINT + row) for row in layout(visible(tex), width=width).rows
    )


def _first_lines(printed: str) -> str:
    rows = visible(printed).rstrip("\n").split("\n")
    told = [shortened(row, PRINTED_WIDTH) for row in rows[:PRINTED]]
    return "\n".join([*told, f"… {len(rows) - PRINTED} lines more"] if rows[PRINTED:] else told)


def _where(verdict: Verdict, answer: str, width: int) -> Content:
    """The line of the answer that stopped the reader, a caret under the place, and the hint."""
    parts = _caret(verdict, answer, width)
    lines = visible(answer).replace("\t", " ").split("\n")
    if verdict.line and not verdict.column and not verdict.trace and verdict.line <= len(lines):
        there = (f"line {verdict.line}  ", "dim")
        parts.append(Content.assemble(there, shortened(lines[verdict.line - 1], width)))
    parts.append(Content(visible(verdict.message or "")))
    for number, name in verdict.trace:
        row = lines[number - 1].strip() if number <= len(lines) else ""
        there = (f"  line {number}, in {visible(name)}  ", "dim")
        parts.append(Content.assemble(there, (shortened(row, width), "$foreground-muted")))
    if verdict.hint:
        parts.append(Content.styled(visible(verdict.hint), "$foreground-muted"))
    return Content("\n").join(parts)


def _caret(verdict: Verdict, answer: str, width: int) -> list[Content]:
    """A line of the answer with a caret under the place."""
    styles = ("$foreground-muted", "bold $text-error")
    rows = zip(caret(verdict, visible(answer), width), styles, strict=False)
    return [Content.styled(row, style) for row, style in rows]


def counterexample(found: Counterexample, width: int) -> Content:
    """x, δ, yours and expected side by side, the cells at which they differ marked."""
    from tui.widgets import grids
    from tui.widgets.grids import Lattice

    off = dict.fromkeys(found.cells, grids.OFF)
    window = None
    what = "dx"
    if found.window is not None:
        k, l = found.window  # noqa: E741  (the field's letters)
        window = window_at(k, l, found.kernel, found.stride, found.padding)
        what = f"df[{k},{l}]/dx"
    if window is None:
        columns = [("x", grids.rows(found.x, shaded=True))]
    else:
        columns = [("x", Lattice(found.x, (window,), window).rows())]
    if found.delta is not None:
        columns.append(("δ", grids.rows(found.delta)))
    columns.append((f"{what}, yours", grids.rows(found.yours, off)))
    right = dict.fromkeys(found.cells, grids.MAXIMUM)
    columns.append((f"{what}, expected", grids.rows(found.expected, right)))
    head = f"smallest case: {verdict_text_geometry(found.kernel, found.stride, found.padding)}"
    lines = [Content.styled(head, "dim"), grids.beside(columns, width)]
    if found.note:
        lines.append(Content(visible(found.note)))
    return Content("\n").join(lines)


def case(found: Case, width: int) -> Content:
    """Every array by its name, yours and expected, the cells at which they differ marked."""
    from tui.widgets import grids

    *given, yours, expected = cases_blocks(found)
    # As the board has it: the message from above is δ.
    titles = ["δ" if block.title == "delta" else block.title for block in given]
    columns = [(t, grids.rows(b.rows)) for t, b in zip(titles, given, strict=True)]
    for block, style in ((yours, grids.OFF), (expected, grids.MAXIMUM)):
        marks = dict.fromkeys(yours.marks, style)
        columns.append((block.title, grids.rows(block.rows, marks)))
    lines = [Content.styled(cases_title(found), "dim"), grids.beside(columns, width)]
    if found.note:
        lines.append(Content(visible(found.note)))
    return Content("\n").join(lines)


def verdict_text_geometry(
    kernel: tuple[int, int], stride: tuple[int, int], padding: tuple[int, int]
) -> str:
    """ "kernel 2×2, stride 2, padding 0"."""
    pairs = [("kernel", kernel), ("stride", stride), ("padding", padding)]
    return " · ".join(
        f"{name} {a}×{b}" if a != b or name == "kernel" else f"{name} {a}" for name, (a, b) in pairs
    )


def window_at(
    k: int,
    l: int,  # noqa: E741
    kernel: tuple[int, int],
    stride: tuple[int, int],
    padding: tuple[int, int],
) -> grids.GridWindow:
    """Omega(k, l) as a rectangle of the input; it may reach into the padding."""
    from tui.widgets import grids

    top, left = k * stride[0] - padding[0], l * stride[1] - padding[1]
    return grids.GridWindow(top, left, top + kernel[0], left + kernel[1])


# == What the lab says: its lines for a verdict, a formula, an input.


STILL_AT_IT = Content.styled("still trying it …", "dim")


def question(brief: Brief) -> str:
    """What is asked; of a card's own forward message, that message too."""
    return "\n".join([brief.description, *(f"  {row}" for row in brief.forward)])


def placeholder(brief: Brief) -> Content:
    # As it stands: of a text, [k] would be a style.
    return Content(f"Write what you derived: {brief.left} = …, LaTeX, or {brief.signature}")


def lab_text_headline(verdict: Verdict | None, width: int) -> Content:
    if verdict is None:
        return Content.styled("the verdict appears here while you type", "dim")
    if verdict.verdict == "unreadable" and verdict.layers:
        return Content.styled("? the function gives no message", "bold $foreground-muted")
    return headline(verdict, width)


def said(verdict: Verdict, answer: str, width: int, hints: Sequence[Hint]) -> Content:
    return details(verdict, answer, width, hints)


def geometry(picture: Picture) -> str:
    pooling = picture.pooling
    if pooling is None:
        return ""
    return verdict_text_geometry(pooling.kernel, pooling.stride, pooling.padding)


def nothing_fails(verdict: Verdict | None) -> str:
    if verdict is None or verdict.verdict == "unreadable":
        return "There is no answer yet that could fail."
    if not verdict.ok and not verdict.tried:
        return "The shapes do not fit, so there is no input to try it on."
    return "No input fails."


def no_hint(verdict: Verdict | None) -> str:
    if verdict is not None and verdict.verdict == "correct":
        return "It is correct: there is nothing to hint at."
    if verdict is not None and verdict.verdict == "incomplete":
        return f"What is written is right. Still open: {', '.join(verdict.open)}."
    if verdict is not None:
        return "Hints are about an answer that can be read; Notation shows how one is written."
    return "Write something first, even a guess: the hints are about your answer."


def notation(brief: Brief) -> Content:
    """The symbols an answer may use, and one that is well formed."""
    narrow = 13
    wide = max([narrow, *(len(symbol) + 2 for symbol, _ in brief.symbols)])
    lines = [
        Content.assemble((f"{symbol:{wide}}", "bold"), meaning) for symbol, meaning in brief.symbols
    ]
    latex = r"\delta_{x,ij} = \sum_{k,l} …" if brief.pooling else r"\frac{\partial L}{…} = …"
    said = (
        ("for example", brief.example),
        ("or LaTeX", latex),
        ("or NumPy", f"{brief.signature}  …"),
        ("→", "takes the word that stands faintly"),
    )
    lines += [Content.assemble((f"{head:{narrow}}", "dim"), text) for head, text in said]
    return Content("\n").join(lines)
