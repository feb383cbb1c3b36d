"""What comes back from a check: a verdict as plain data, ready for a screen, a journal or JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite, isnan
from typing import Any, Literal, TypeAlias

Outcome = Literal[
    "correct",
    "incomplete",
    "wrong-step",
    "correct-but-slow",
    "correct-except-ties",
    "only-without-overlap",
    "wrong",
    "unreadable",
]
#: What becomes of one side of a line of a derivation.  What follows from a side that is wrong is
#: carried; behind one that is wrong, what is right is right again.
Mark = Literal["defines", "follows", "wrong", "carried", "again", "unread", "unchecked"]
#: What a side does: what the statistics tell apart.
Kind = Literal["definition", "derivative", "chain rule", "rewriting", "bound"]
#: Numbers in as many dimensions as an array has; a plain number for none.
Numbers: TypeAlias = "float | list[Numbers]"


@dataclass(frozen=True, slots=True)
class ShownWindows:
    """The windows of max pooling that a counterexample is shown with."""

    kernel: tuple[int, int]
    stride: tuple[int, int]
    padding: tuple[int, int]
    one: tuple[int, int] | None = None
    """Of a Jacobian the (k, l) whose row is shown, in x's shape."""


@dataclass(frozen=True, slots=True)
class Counterexample:
    """The smallest input found on which the answer fails."""

    target: str
    """What is compared: dL/dx[j], dy[k]/dx[j]; of max pooling dx, df[0,1]/dx."""
    indices: tuple[str, ...]
    """The letters of `yours` and `expected`, one for each of their dimensions."""
    inputs: dict[str, Numbers]
    """Every input by its name, then the upstream message as `delta`, where there is one."""
    values: dict[str, Numbers]
    """What the forward message comes to: s, y, ... by name; {} of max pooling."""
    yours: Numbers
    expected: Numbers
    cells: list[tuple[int, ...]]
    """The indices at which the answer is off, most telling first."""
    note: str = ""
    """One sentence where `expected` is not the only right answer (ties, kinks)."""
    windows: ShownWindows | None = None
    """None of other messages than max pooling's."""

    def as_dict(self) -> dict[str, Any]:
        """Plain data.  Max pooling has one input, and its windows in place of what is computed."""
        plain = asdict(self)
        windows = plain.pop("windows")
        if windows is None:
            return plain
        one = windows.pop("one")
        arrays = {"x": self.inputs["x"], "delta": self.inputs.get("delta")}
        told = {key: plain[key] for key in ("yours", "expected", "cells")}
        target = "dx" if one is None else "J"
        return {**windows, "target": target, **arrays, **told, "window": one, "note": self.note}


@dataclass(frozen=True, slots=True)
class Mistake:
    """A known wrong rule."""

    name: str
    teaching: str
    """The sentence that mends it."""


@dataclass(frozen=True, slots=True)
class Step:
    """One side of a line of a derivation."""

    line: int
    """1-based, as is `column`: its place in the answer."""
    column: int
    mark: Mark
    kind: Kind
    read: str
    """As it was understood; "" where it cannot be read."""
    message: str | None = None
    """What stands in the way, where it cannot be read or does not fit."""


@dataclass(frozen=True, slots=True)
class Verdict:
    verdict: Outcome
    read: str
    """What was understood, as a formula in our own notation; empty when unreadable."""
    seed: int
    tried: int
    """How many random inputs the answer was tried on."""
    misconception: str | None = None
    """The known wrong rule that the wrong numbers agree with."""
    teaching: str | None = None
    """One sentence that mends the misconception."""
    wrong_when: tuple[str, ...] = ()
    """Conditions that every failing input shares: "windows overlap", "there is padding", ..."""
    near: str | None = None
    """Of a near miss: which entries are off, and on how many inputs: "only the diagonal"."""
    counterexample: Counterexample | None = None
    failed: int = 0
    """On how many of the inputs tried the answer failed."""
    left_out: int = 0
    """How many inputs were drawn and not tried: nothing says what would be right there."""
    remark: str | None = None
    """Of a right answer: where, beyond what the card states, it would not hold."""
    message: str | None = None
    """Of an unreadable answer: what is wrong.  Of a function that fails on some inputs and is wrong
    for that: what it says on the smallest of them."""
    hint: str | None = None
    line: int | None = None
    """1-based, as is `column`."""
    column: int | None = None
    step: str | None = None
    """Of a chain a = b = c: the side that is not right, as it was understood; `line` and `column`
    are its place."""
    step_kind: Kind | None = None
    """Of a derivation: what the first side that is not right does."""
    steps: tuple[Step, ...] = ()
    """Of a derivation of several lines: each side of each line."""
    parts: tuple[str, ...] = ()
    """Of an exercise that asks for several messages: which of them are right."""
    open: tuple[str, ...] = ()
    """Which are not given yet, or not right."""
    trace: tuple[tuple[int, str], ...] = ()
    """Of a function that failed: its lines on the way to the error, each with its function."""
    printed: str | None = None
    """Of a function: the first of what it printed, as it came."""
    layers: tuple[str, ...] = ()
    """Of a function: what confined it, see engine/sandbox."""
    about: str = ""
    """The forward message that the answer is to, in a few words."""

    @property
    def ok(self) -> bool:
        return self.verdict == "correct"

    def as_dict(self) -> dict[str, Any]:
        """Plain data with every field, for JSON and for the journal.

        JSON knows no NaN and no infinity: an undefined number is None, an infinite one the text
        "inf" or "-inf".
        """
        case = self.counterexample
        shown = case.as_dict() if case is not None else None
        plain: dict[str, Any] = _plain({**asdict(self), "counterexample": shown})
        return plain


@dataclass(frozen=True, slots=True)
class Proposal:
    """An exercise for a card, with what the card's own solution is worth under it."""

    keys: Mapping[str, Any]
    """As a card has them under `exercise`."""
    verdict: Verdict
    remarks: tuple[str, ...] = ()
    """What the card's author should look at, in sentences."""


def _plain(value: Any) -> Any:
    match value:
        case dict():
            return {key: _plain(part) for key, part in value.items()}
        case list() | tuple():
            return [_plain(part) for part in value]
        case float() if not isfinite(value):
            return None if isnan(value) else str(value)
    return value
