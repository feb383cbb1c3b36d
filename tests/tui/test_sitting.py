"""The last page of a sitting says what was learned and what to watch."""

from __future__ import annotations

from tui.study.session import SessionAnswer, Stage
from tui.study.text import summary


def given(
    item: str,
    rating: int,
    before: Stage = "review",
    after: Stage = "review",
    *,
    lapses: int = 0,
    leech: bool = False,
    practice: bool = False,
    verdict: str = "",
) -> SessionAnswer:
    return SessionAnswer(item, rating, before, after, 30.0, lapses, leech, practice, verdict)


def said(*answers: SessionAnswer) -> dict[str, str]:
    return dict(summary(answers, 0.9))


def test_nothing_answered_is_nothing_said() -> None:
    assert summary((), 0.9) == []


def test_cards_are_counted_once_and_the_time_of_all_answers() -> None:
    rows = said(given("a", 1), given("a", 3), given("b", 3))
    assert rows["Answered"] == "2 cards in 2 min"
    assert said(given("a", 3))["Answered"] == "1 card"


def test_a_card_is_learned_when_its_last_answer_took_it_into_review() -> None:
    rows = said(
        given("a", 3, "new", "learning"),
        given("b", 4, "new", "review"),
        given("c", 3, "new", "learning"),
        given("a", 3, "learning", "review"),
    )
    assert rows["New"] == "2 cards learned, 1 more begun"
    assert said(given("c", 3, "new", "learning"))["New"] == "1 card begun"


def test_recall_is_that_of_the_first_answers_to_reviews() -> None:
    rows = said(given("a", 1), given("a", 3, "learning"), given("b", 3), given("c", 3, "new"))
    assert rows["Recalled"] == "1 of 2, 50 % (asked for 90 %)"


def test_what_was_not_known_is_to_be_watched_the_worst_first() -> None:
    rows = said(given("a", 1), given("b", 1), given("b", 1, "learning"), given("c", 3))
    assert rows["To watch"] == "b (2×), a"
    many = said(*(given(str(number), 1) for number in range(6)))
    assert many["To watch"].endswith("and 2 more")


def test_a_leech_is_named_with_the_way_out() -> None:
    rows = said(given("a", 1, lapses=8, leech=True))
    assert rows["Leech"] == "a, forgotten 8 times: rewrite it, or set it aside"


def test_derivations_are_counted_by_their_verdicts() -> None:
    rows = said(given("a", 3, verdict="correct"), given("b", 1, verdict="wrong"), given("c", 3))
    assert rows["Derived"] == "1 of 2 derivations correct"


def test_a_derivation_that_was_not_correct_in_the_end_is_named_with_its_verdict() -> None:
    rows = said(
        given("a", 1, verdict="wrong"),
        given("b", 2, verdict="correct-except-ties"),
        given("a", 3, "learning", verdict="correct"),
        given("c", 1, verdict="wrong"),
    )
    assert rows["To derive"] == "b (correct except ties), c (wrong)"
    assert "To derive" not in said(given("a", 3, verdict="correct"))


def test_practice_learns_nothing() -> None:
    assert "New" not in said(given("a", 3, "new", "new", practice=True))
