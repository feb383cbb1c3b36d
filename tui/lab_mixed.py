"""Answers in two languages, or in another than was said: the reader's message, made plain."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.languages import language_of

if TYPE_CHECKING:
    from engine import Verdict
    from engine.languages import Language

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
