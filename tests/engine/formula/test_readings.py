"""Max pooling's answers read, in plain notation and in LaTeX: the table `answers/readings`."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formula.tree import FormulaError
from engine.latex import transcribe as latex
from engine.messages.answer import Read
from engine.pooling import reader as plain
from engine.pooling.evaluate import evaluate
from tests.engine.brute.fuzz import PIECES, cut, read_back
from tests.engine.cases import read_latex, table
from tests.engine.formula.test_values import APART
from tests.material import answers, each_corpus

TABLE = table("readings")
READERS: dict[str, Callable[[str], Read]] = {"plain": plain.read, "latex": read_latex}


@pytest.mark.parametrize(
    ("language", "row"), [(name, row) for name in READERS for row in TABLE[name]]
)
def test_an_answer_is_read_in_our_notation_and_reads_back(
    language: str, row: dict[str, Any]
) -> None:
    echo = row["echo"]
    for text in row["of"]:
        formula = READERS[language](text)
        assert formula.echo == echo, text
        assert plain.read(echo) == formula


@pytest.mark.parametrize(("text", "target"), TABLE["targets"])
def test_the_left_side_decides_the_target_and_without_one_delta_does(
    text: str, target: str
) -> None:
    assert plain.read(text).target.upstream == (target == "dx")


@pytest.mark.parametrize(("tex", "text"), TABLE["bars"])
def test_bars_that_pair_up_are_absolute_values(tex: str, text: str) -> None:
    assert latex.transcription(tex).text == text


@pytest.mark.parametrize("text", ["dx[i,j] = x_ij", "δ_kl · [x = y]", ""])
def test_plain_notation_does_not_look_like_latex(text: str) -> None:
    assert not latex.looks_like_latex(text)
    assert latex.looks_like_latex(rf"{text} \cdot 2")


# Refusals.


@pytest.mark.parametrize("language", READERS)
def test_a_refusal_names_the_place_and_the_way_out(language: str) -> None:
    for text, message, hint, line, column in TABLE[f"refused_{language}"]:
        with pytest.raises(FormulaError) as caught:
            READERS[language](text)
        error = caught.value
        assert message in error.message, text
        assert error.hint
        assert hint in error.hint, text
        assert (error.line, error.column) == (int(line), int(column)), text


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("plain", "1 if x_ij is the best, else 0"),
        ("plain", "x_ij is the the max of x"),
        *(
            ("plain", text)
            for text in (
                "(" * 1_900 + "1" + ")" * 1_900,
                "(" * 5_000 + "1" + ")" * 5_000,
                "-" * 700 + "1",
                "not " * 700,
                "2^" * 390 + "2",
                "1+" * 390 + "1",
                "Σ_k " * 300,
                "1 if i=j else " * 100 + "1",
                "{1 if i=j;" * 70,
                "".join(f"a{n}=a{n + 1}+a{n + 1};" for n in range(60)) + "a60=1;a0",
                "1" * 400,
                "\x00\u202e",
            )
        ),
        *(
            ("latex", tex)
            for tex in ("{" * 3000, r"\frac{" * 600, r"\left(" * 500, "x^" * 1900 + "x")
        ),
    ],
    ids=lambda value: value[:20],
)
def test_other_words_and_depth_and_length_beyond_bounds_are_refused(
    language: str, text: str
) -> None:
    with pytest.raises(FormulaError):
        READERS[language](text)


LISTED = [text for row in TABLE["plain"] for text in row["of"]]
TEX = [entry["answer"] for _, entry in answers("latex")]


@pytest.mark.parametrize("seed", range(2))
def test_a_mangled_answer_is_refused_or_read_and_never_crashes(seed: int) -> None:
    draw = random.Random(seed)
    words = [*PIECES["formula"], *"xf()[]{}=,;+-*/^", "J", "dL", "9e9", "**", "%", "é"]
    for _ in range(300):
        if draw.random() < 0.4:
            text = "".join(draw.choice(words) for _ in range(draw.randrange(1, 30)))
        else:
            text = cut(draw, draw.choice(LISTED), (*words, draw.choice(LISTED)[:20]))
        formula = read_back(text)
        try:
            values = None if formula is None else evaluate(formula, APART)
        except FormulaError:  # too much of it
            continue
        if values is not None:
            shapes = (APART.x.shape, (*APART.f.shape, *APART.x.shape[1:]))
            assert values.shape in shapes, text


@pytest.mark.material
@given(st.sampled_from(TEX), st.randoms(use_true_random=False))
def test_a_mutated_answer_is_read_or_refused_with_a_place(tex: str, draw: random.Random) -> None:
    read_back(cut(draw, tex, PIECES["LaTeX"]), read_latex)


@given(
    st.lists(st.sampled_from([*PIECES["LaTeX"], *"ijklx123+-=(,) \n"]), max_size=40).map("".join),
    st.text(max_size=60),
)
def test_any_pieces_and_any_text_are_read_or_refused_with_a_place(pieces: str, text: str) -> None:
    read_back(pieces, read_latex)
    read_back("\\" + text, read_latex)


@each_corpus
def test_formulas_that_are_no_answers_are_refused_with_a_place(corpus: list[str]) -> None:
    for tex in corpus:
        read_back(tex, read_latex)
