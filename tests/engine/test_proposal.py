"""The exercise that is proposed for a card, and what the card's own solution is worth under it."""

from __future__ import annotations

from typing import Any

import pytest

from cards.model import Card
from cards.parse import read_card
from engine.checking import check
from engine.exercise import ExerciseError
from engine.proposal import proposed, solution_verdict
from tests.engine.cases import made, table
from tests.paths import STARTER

CARDS = table("proposals")


def cards(key: str) -> list[Any]:
    return [pytest.param(card, id=card["name"]) for card in CARDS if key in card]


@pytest.mark.parametrize("card", cards("keys"))
def test_a_card_gets_the_exercise_that_its_text_means(card: dict[str, Any]) -> None:
    found = proposed(card["question"], card["solution"], card.get("tags", ()))
    assert found.keys == card["keys"]
    assert found.verdict.verdict == card["verdict"]
    assert any(card.get("remark", "") in remark for remark in (*found.remarks, ""))
    # What is proposed is an exercise as it stands, with that verdict.
    assert check(card["solution"], made(found.keys)).verdict == card["verdict"]


@pytest.mark.parametrize("card", cards("missing"))
def test_where_none_can_be_made_it_says_what_is_missing(card: dict[str, Any]) -> None:
    with pytest.raises(ExerciseError, match=card["missing"]):
        proposed(card["question"], card["solution"])


@pytest.mark.parametrize("text", ["def f(x, delta):\n    return delta", "dx = 2 * delta"])
def test_a_solution_that_is_a_program_is_never_run(text: str) -> None:
    found = solution_verdict(text, made({"given": "y[k] = 2 * x[k]", "find": "dL/dx[k]"}))
    assert found.verdict in ("unreadable", "correct")
    assert not found.layers


SOLVED = [card for card in map(read_card, sorted(STARTER.glob("*.md"))) if card.exercise]


@pytest.mark.parametrize(
    "card",
    # Formulas about the windows of max pooling stand between words there.
    [card for card in SOLVED if not card.id.startswith("pool_")],
    ids=lambda card: card.id,
)
def test_the_solution_of_a_starter_card_is_right(card: Card) -> None:
    solution = next(each.body for each in card.sections if each.title == "Solution")
    solution = solution.removeprefix("```python\n").removesuffix("\n```")
    assert check(solution, made(card.exercise)).verdict == "correct"


# A solution in words: what its author explains beside the result need not be read.

POOL = {"layer": "max-pool", "kernel": 3, "stride": 2, "find": "dx"}
SENT = (
    r"$$ \delta_{x,ij} = \sum_{(k,l) : (i,j) \in \Omega(k,l)} \delta_{f,kl} "
    r"\mathbb{I}[(i,j) = \arg\max_{(p,q) \in \Omega(k,l)} x_{pq}] $$"
)


def of_solution(keys: object, text: str) -> tuple[str, int | None]:
    found = solution_verdict(text, made(keys))
    return found.verdict, found.line


def test_a_solution_is_right_where_what_is_asked_for_is_whatever_stands_beside_it() -> None:
    words = f"An input can reach the loss through every window that holds it:\n{SENT}\n"
    assert of_solution(POOL, words) == ("correct", None)
    steps = f"{words}1. **The chain rule**, so $\\delta_x = (0, 0, 110)$ and $3 = ?$ here.\n"
    assert of_solution(POOL, steps) == ("correct", None)
    assert of_solution(POOL, steps.replace(r"\delta_{f,kl}", r"2 \delta_{f,kl}"))[0] == "wrong"
    # Without what is asked for, it says where the reader stops.
    assert of_solution(POOL, "The sum over all windows of it is $3 = ?$ here.")[0] == "unreadable"


def test_an_equation_may_be_said_once_more_behind_that_is() -> None:
    linear = {"given": "y[m] = sum(W[m,k] * f[k] for k)", "find": "dL/df[k]"}
    said = r"\delta_{f,k} = \sum_m \delta_{y,m} W_{m,k}, \qquad \text{that is} \quad "
    said += r"\delta_f = W^\top \delta_y."
    assert of_solution(linear, f"Go back:\n$$ {said} $$") == ("correct", None)
    wrong = said.replace(r"W^\top", "2 W^\\top")
    assert of_solution(linear, f"Go back:\n$$ {wrong} $$")[0] != "correct"
