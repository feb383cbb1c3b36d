"""What the lab says: its lines for a verdict, a formula, an input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from tui import verdict_text

if TYPE_CHECKING:
    from engine import Verdict
    from tui.lab_brief import Brief
    from tui.lab_hints import Hint
    from tui.lab_input import Picture

STILL_AT_IT = Content.styled("still trying it …", "dim")


def question(brief: Brief) -> str:
    """What is asked; of a card's own forward message, that message too."""
    return "\n".join([brief.description, *(f"  {row}" for row in brief.forward)])


def placeholder(brief: Brief) -> Content:
    # As it stands: of a text, [k] would be a style.
    return Content(f"Write what you derived: {brief.left} = …, LaTeX, or {brief.signature}")


def headline(verdict: Verdict | None, width: int) -> Content:
    if verdict is None:
        return Content.styled("the verdict appears here while you type", "dim")
    if verdict.verdict == "unreadable" and verdict.layers:
        return Content.styled("? the function gives no message", "bold $foreground-muted")
    return verdict_text.headline(verdict, width)


def said(verdict: Verdict, answer: str, width: int, hints: Sequence[Hint]) -> Content:
    return verdict_text.details(verdict, answer, width, hints)


def geometry(picture: Picture) -> str:
    pooling = picture.pooling
    if pooling is None:
        return ""
    return verdict_text.geometry(pooling.kernel, pooling.stride, pooling.padding)


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
