"""Rubbish for each reader: answers with pieces cut, doubled and put elsewhere, and plain noise."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from engine.formula.tree import FormulaError
from engine.messages.answer import Read
from engine.pooling import reader as formula
from engine.pooling.exercise import PoolingExercise
from engine.sandbox.function_answer import shared_worker
from engine.sandbox.wire import FunctionBatch, FunctionError
from tests.engine.brute.answers import FORMULAS, FUNCTIONS, LATEX
from tests.engine.cases import read_latex


def _words(text: str) -> list[str]:
    return text.split(" ")


PIECES: Final = {
    "formula": (
        *_words("sum( if else otherwise in Omega(k,l) argmax [ ] ( ) { } == < delta x[i,j] δ_kl"),
        *_words("Σ_{ ∂ ∂L/∂x_ij * ^ - + / // | , ; : i* ' 1e9 0 _ .. … where 𝟙[ ⟦ max( range("),
        *("for k,l", "count(", "dx[i,j] =", "J", "f'", "\n", "\u200b", "\x00"),
    ),
    "LaTeX": (
        *_words(r"\frac{ \sum_{ \begin{cases} \end{cases} & \\ ^* _{kl} } \arg\max \left( \right)"),
        *_words(r"| { = \quad \partial \mathbb{I}[ \delta_{ \in \Omega(k,l) \begin{aligned}"),
        *_words(r"\substack{ \mathrm{ \def\x{\x} \newcommand{\a}{ $ % # ~ ^ _ \ é"),
        r"\text{if }",
    ),
    "function": (
        *("def backward(x, delta):\n", "    ", "\t", "return dx", "for k in range(3):", "while 1:"),
        *("lambda", "import os", "np.", "async ", "await ", "yield ", "if True:", "\n", "\x00"),
        *_words(": ( ) [ ] ** ''' \" \\ == = @ é 0x 1_ f'{ }"),
    ),
}
_ANSWERS: Final = {"formula": FORMULAS, "LaTeX": LATEX, "function": FUNCTIONS}


def texts(kind: str, seed: int, many: int) -> Iterator[str]:
    rng = random.Random(seed)
    pieces = PIECES[kind]
    for _ in range(many):
        how = rng.random()
        if how < 0.6:
            yield cut(rng, rng.choice(_ANSWERS[kind]), pieces)
        elif how < 0.8:
            yield "".join(rng.choice(pieces) for _ in range(rng.randint(1, 60)))
        elif how < 0.9:
            yield rng.choice(pieces) * rng.randint(1, 900)
        else:
            ranges = ((9, 126), (1, 0x2FFF))
            signs = (rng.randint(*rng.choice(ranges)) for _ in range(rng.randint(0, 200)))
            yield "".join(map(chr, signs))


def cut(rng: random.Random, text: str, pieces: Sequence[str]) -> str:
    """Some places of a text replaced by nothing, by a piece, or by themselves twice."""
    for _ in range(rng.randint(1, 5)):
        start = rng.randint(0, len(text))
        end = rng.randint(start, min(len(text), start + 8))
        middle = rng.choice(("", rng.choice(pieces), text[start:end] * 2))
        text = text[:start] + middle + text[end:]
    return text


# Readers, each with what must hold of what it reads or refuses.


def read_back(text: str, read: Callable[[str], Read] = formula.read) -> Read | None:
    """The formula, which reads back, or None: refused with a place and a way out."""
    try:
        found = read(text)
    except FormulaError as error:
        refused = error
    else:
        assert formula.read(found.echo) == found
        return found
    lines = text.split("\n")
    assert refused.message
    assert refused.hint
    assert 1 <= refused.line <= len(lines)
    assert 1 <= refused.column <= len(lines[refused.line - 1]) + 1
    return None


def _run(text: str) -> None:
    """One input, in the confined child: it compiles and runs, or says why not."""
    grader = PoolingExercise().grader()
    handed = grader.handed(grader.drawn(0, 24)[0])
    arrays = {name: array[:1] for name, array in handed.arrays.items()}
    fault = "none"
    with shared_worker().session(text) as session:
        try:
            session.call(
                FunctionBatch(arrays, handed.scalars, [*handed.targets.values()], handed.given)
            )
        except FunctionError as error:
            fault = error.fault.message
    assert fault


READERS: Final[dict[str, Callable[[str], object]]] = {
    "formula": read_back,
    "LaTeX": lambda text: read_back(text, read_latex),
    "function": _run,
}


def tried(
    some: Iterable[str],
    read: Callable[[str], object],
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[list[str], list[float]]:
    """What a reader raised that it should not have, and its seconds on each text.

    A pause is looked at again, and the least of it counts: another program may have been the cause.
    """
    crashed: list[str] = []
    pauses: list[float] = []
    for text in some:
        seconds: list[float] = []
        while not seconds or (seconds[0] > 0.02 and len(seconds) < 4):
            start = clock()
            try:
                read(text)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is a crash
                if not seconds:
                    crashed.append(f"{type(error).__name__}: {error}: {text!r}")
            seconds.append(clock() - start)
        pauses.append(min(seconds))
    return crashed, pauses
