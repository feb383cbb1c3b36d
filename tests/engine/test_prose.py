"""Words around a formula."""

from __future__ import annotations

import random

import pytest

from engine.prose import stranger, tells_why, without
from tests.engine.cases import judged, table

TABLE = table("prose")
RIGHT = TABLE["right"]


@pytest.mark.parametrize(("answer", "left"), TABLE["left"])
def test_words_around_a_formula_are_left_out(answer: str, left: str) -> None:
    assert without(answer).strip() == left
    assert len(without(answer)) == len(answer)


@pytest.mark.parametrize("answer", TABLE["stays"])
def test_what_may_mean_something_stays(answer: str) -> None:
    assert without(answer) == answer


MARKS = ("", ":", ",", ".", ": ", ".:")


def written(rng: random.Random, layer: str) -> tuple[str, str]:
    """A right answer amid words, and those words."""
    kinds = [rng.choice(("saying", "empty")) for _ in range(rng.randint(1, 4))]
    said = " ".join(rng.choice(TABLE[kind].split()) for kind in kinds)
    plain, tex, left = RIGHT[layer]
    if rng.random() < 0.3:
        plain = f"{left} = {plain}"
    plain = rng.choice((plain, f"({plain})")) if "=" not in plain[:12] else plain
    mark = rng.choice(MARKS)
    command = rng.choice(("text", "textit", "mbox", "textrm"))
    form = rng.choice(
        (
            f"{said}{mark} {plain}",
            f"{said}{mark}\n{plain}",
            f"{plain} {said}",
            f"{plain}, {said}",
            f"{plain}.\n{said}",
            f"{said}{mark} ${plain}$",
            f"${plain}$ {said}",
            rf"\{command}{{{said}{mark} }} {tex}",
            rf"\{command}{{{said}{mark} }} ({tex})",
            rf"{tex} \{command}{{ {said}}}",
            rf"{tex} \\ \{command}{{ {said}}}",
        )
    )
    return form, said


@pytest.mark.parametrize("layer", RIGHT)
def test_a_right_answer_amid_words_is_right_only_if_they_say_nothing(layer: str) -> None:
    rng = random.Random(5)
    read = 0
    for _ in range(120):
        answer, said = written(rng, layer)
        found = judged(layer, answer, trials=2).verdict
        if found.startswith(("correct", "only")):
            read += 1
            assert stranger(said) is None or tells_why(said), answer
    assert read > 10


@pytest.mark.parametrize("layer", RIGHT)
@pytest.mark.parametrize(("command", "word"), [
    ("text", "half of"), ("mbox", "twice"), ("textit", "minus"), ("textrm", "the square of"),
    ("textbf", "up to sign:"), ("text", "-"), ("mbox", "minus"),
])  # fmt: skip
def test_a_text_that_says_something_is_refused_at_its_place(
    layer: str, word: str, command: str
) -> None:
    found = judged(layer, rf"\{command}{{{word}}} ({RIGHT[layer][1]})", trials=2)
    assert found.verdict == "unreadable"
    assert found.line == 1
    assert found.column is not None
    assert found.column <= len(command) + 3 + len(word)
    assert "leave the words away" in (found.hint or "")
