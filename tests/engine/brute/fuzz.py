"""Rubbish for each reader: answers with pieces cut, doubled and put elsewhere, and plain noise."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

from engine.formula import reader as formula
from engine.formula.tree import FormulaError
from engine.latex import transcribe as latex
from engine.pooling.exercise import PoolingExercise
from engine.sandbox.function_answer import shared_worker
from engine.sandbox.wire import FunctionError
from tests.engine.brute.answers import FORMULAS, FUNCTIONS, LATEX

Clock: TypeAlias = Callable[[], float]

_PIECES: Final = {
    "formula": (
        *("sum(", "for k,l", "if", "else", "otherwise", "in", "Omega(k,l)", "argmax", "[", "]"),
        *("(", ")", "{", "}", "==", "<", "delta", "x[i,j]", "δ_kl", "Σ_{", "∂", "∂L/∂x_ij", "*"),
        *(
            "^",
            "-",
            "+",
            "/",
            "//",
            "|",
            ",",
            ";",
            "\n",
            ":",
            "i*",
            "'",
            "1e9",
            "0",
            "_",
            "..",
            "…",
        ),
        *("where", "𝟙[", "⟦", "max(", "range(", "count(", "dx[i,j] =", "J", "f'", "\u200b", "\x00"),
    ),
    "latex": (
        *(r"\frac{", r"\sum_{", r"\begin{cases}", r"\end{cases}", "&", r"\\", "^*", "_{kl}", "}"),
        *(r"\text{if }", r"\arg\max", r"\left(", r"\right)", "|", "{", "=", r"\quad", r"\partial"),
        *(r"\mathbb{I}[", r"\delta_{", r"\in", r"\Omega(k,l)", r"\begin{aligned}", r"\substack{"),
        *(r"\mathrm{", r"\def\x{\x}", r"\newcommand{\a}{", "$", "%", "#", "~", "^", "_", "\\", "é"),
    ),
    "function": (
        *("def backward(x, delta):\n", "    ", "\t", "return dx", "for k in range(3):", "while 1:"),
        *(
            "lambda",
            ":",
            "(",
            ")",
            "[",
            "]",
            "import os",
            "np.",
            "**",
            "'''",
            '"',
            "\\",
            "\n",
            "==",
        ),
        *("=", "@", "async ", "await ", "yield ", "\x00", "é", "0x", "1_", "f'{", "}", "if True:"),
    ),
}


def formulas(seed: int, many: int) -> Iterator[str]:
    yield from _fuzzed(seed, many, FORMULAS, _PIECES["formula"])


def latex_texts(seed: int, many: int) -> Iterator[str]:
    yield from _fuzzed(seed, many, LATEX, _PIECES["latex"])


def functions(seed: int, many: int) -> Iterator[str]:
    yield from _fuzzed(seed, many, FUNCTIONS, _PIECES["function"])


def _fuzzed(
    seed: int, many: int, answers: tuple[str, ...], pieces: tuple[str, ...]
) -> Iterator[str]:
    rng = random.Random(seed)
    for _ in range(many):
        kind = rng.random()
        if kind < 0.6:
            yield _cut(rng, rng.choice(answers), pieces)
        elif kind < 0.8:
            yield "".join(rng.choice(pieces) for _ in range(rng.randint(1, 60)))
        elif kind < 0.9:
            yield rng.choice(pieces) * rng.randint(1, 900)
        else:
            yield "".join(
                chr(rng.choice((rng.randint(9, 126), rng.randint(1, 0x2FFF))))
                for _ in range(rng.randint(0, 200))
            )


def _cut(rng: random.Random, text: str, pieces: tuple[str, ...]) -> str:
    for _ in range(rng.randint(1, 5)):
        start = rng.randint(0, len(text))
        end = rng.randint(start, min(len(text), start + 8))
        middle = rng.choice(("", rng.choice(pieces), text[start:end] * 2))
        text = text[:start] + middle + text[end:]
    return text


def _read_formula(text: str) -> None:
    try:
        found = formula.read(text)
    except FormulaError as error:
        _has_a_place(error, text)
    else:
        assert formula.read(found.echo).tree == found.tree


def _read_latex(text: str) -> None:
    try:
        latex.read(text)
    except FormulaError as error:
        _has_a_place(error, text)


def _has_a_place(error: FormulaError, text: str) -> None:
    lines = text.split("\n")
    assert error.message
    assert error.hint
    assert 1 <= error.line <= len(lines)
    assert 1 <= error.column <= len(lines[error.line - 1]) + 1


def _read_function(text: str) -> None:
    """One input, in the confined child: it compiles and runs, or says why not."""
    grader = PoolingExercise().grader()
    handed = grader.handed(grader.drawn(0, 24)[0])
    arrays = {name: array[:1] for name, array in handed.arrays.items()}
    with shared_worker().session(text) as session:
        try:
            session.call(arrays, handed.scalars, list(handed.targets.values()), handed.given)
        except FunctionError as error:
            told = error.fault.message
            assert told


READERS: Final[dict[str, Callable[[str], None]]] = {
    "formulas": _read_formula,
    "LaTeX": _read_latex,
    "functions": _read_function,
}


def tried(
    texts: Iterable[str], read: Callable[[str], None], clock: Clock = time.perf_counter
) -> tuple[list[str], list[float]]:
    """What a reader raised that it should not have, and its seconds on each text.

    A pause is looked at again, and the least of it counts: another program may have been the cause.
    """
    crashed: list[str] = []
    pauses: list[float] = []
    for text in texts:
        seconds = _timed(text, read, crashed, clock)
        again = (_timed(text, read, [], clock) for _ in range(3 if seconds > 0.02 else 0))
        pauses.append(min((seconds, *again)))
    return crashed, pauses


def _timed(text: str, read: Callable[[str], None], crashed: list[str], clock: Clock) -> float:
    start = clock()
    try:
        read(text)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a crash
        crashed.append(f"{type(error).__name__}: {error}: {text!r}")
    return clock() - start
