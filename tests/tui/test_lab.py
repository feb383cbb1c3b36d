"""Lab: the verdict while typing, what is shown of it, and what stays of it."""

from __future__ import annotations

from pathlib import Path

from textual.events import Key, Paste
from textual.widgets import TextArea

from tests.tui.driving import RIGHT, UNREADABLE, WRONG, journal, running
from tests.tui.lab_driving import in_lab, write_answer


async def test_a_right_answer_is_accepted_while_it_is_written(seed: Path) -> None:
    async with in_lab(seed) as app:
        await write_answer(app, RIGHT)
        assert "✓ correct" in app.shown()
        assert "300 inputs · seed 0" in app.shown()
        assert f"I read  {RIGHT}" in app.shown()


async def test_what_was_read_is_typeset(seed: Path) -> None:
    async with in_lab(seed, size=(120, 40)) as app:
        await write_answer(app, RIGHT)
        assert "δₖₗ · [(i, j) = arg max Ω(k, l)]" in app.shown()
        await write_answer(app, r"\delta_{x,ij} = \frac{1}{4} \sum_{k,l} \delta_{f,kl}")
        assert "δₓ,ᵢⱼ = ─" in app.shown()


async def test_a_wrong_answer_shows_the_smallest_case_on_which_it_fails(seed: Path) -> None:
    async with in_lab(seed) as app:
        await write_answer(app, WRONG)
        shown = app.shown()
        assert "✗ wrong" in shown
        assert "every input of the window" not in shown
        assert "dx, yours" in shown
        assert "dx, expected" in shown
        assert "✗1" in shown


async def test_an_unreadable_answer_has_a_caret_under_the_place_and_a_hint(seed: Path) -> None:
    async with in_lab(seed) as app:
        await write_answer(app, UNREADABLE)
        lines = app.shown().splitlines()
        at = next(n for n, line in enumerate(lines) if line.strip() == "^")
        assert lines[at - 1][lines[at].index("^") :].startswith("detla")
        assert any("delta" in line for line in lines[at + 1 : at + 3])


async def test_the_newest_text_has_the_verdict(seed: Path) -> None:
    async with in_lab(seed) as app:
        editor = app.app.screen.query_one(TextArea)
        for answer in (WRONG, UNREADABLE, RIGHT):
            editor.load_text(answer)
        await app.settle()
        assert "✓ correct" in app.shown()


async def test_letters_go_into_the_answer(seed: Path) -> None:
    async with in_lab(seed) as app:
        await app.press("r", "n", "q", "question_mark")
        assert app.screen == "LabScreen"
        assert app.app.screen.query_one(TextArea).text == "rnq?"


async def test_keys_of_a_burst_act_in_their_order(seed: Path) -> None:
    async with in_lab(seed) as app:
        for key in ("a", "b", "left", "c", "home", "d", "end", "backspace", "e"):
            app.app.post_message(Key(key, key if len(key) == 1 else None))
        await app.settle()
        assert app.app.screen.query_one(TextArea).text == "dace"


async def test_the_input_is_shown_with_its_windows_and_can_be_changed(seed: Path) -> None:
    async with in_lab(seed) as app:
        before = app.shown()
        assert "kernel ‹2›  stride ‹2›  padding ‹0›" in before
        assert "window (0,0) of 4: its maximum is x[" in before
        assert "┃" in before
        await app.press("ctrl+r")
        assert "input 2" in app.shown()


async def test_the_notation_is_a_key_away(seed: Path) -> None:
    async with in_lab(seed) as app:
        await app.press("ctrl+t")
        assert "argmax(k,l)" in app.shown()
        assert "for example" in app.shown()


async def test_leaving_writes_the_check_and_suggests_a_rating(seed: Path) -> None:
    async with running(seed) as app:
        await app.press("enter", "c")
        await write_answer(app, RIGHT)
        app.clock.move(seconds=110)
        await app.press("escape")
        assert app.screen == "StudyScreen"
        [check] = journal(seed, "check")
        assert check["item"] == "ssu_batch4_004"
        assert RIGHT in str(check)
        await app.press("space")
        assert "suggested: 3, correct in 1:50" in app.shown()


async def test_a_wrong_answer_that_stood_costs_the_first_try(seed: Path) -> None:
    async with running(seed) as app:
        await app.press("enter", "c")
        await write_answer(app, WRONG)
        app.clock.move(seconds=30)
        await write_answer(app, RIGHT)
        await app.press("escape", "space")
        assert "suggested: 2, correct after 1 wrong" in app.shown()


async def test_an_answer_after_hints_is_called_hard_and_the_journal_says_so(seed: Path) -> None:
    async with running(seed) as app:
        await app.press("enter", "c")
        await write_answer(app, WRONG)
        await app.press("ctrl+g", "ctrl+g")
        await write_answer(app, RIGHT)
        await app.press("escape")
        [event] = journal(seed, "check")
        check = event["data"]
        assert check["answer"] == RIGHT
        assert (check["verdict"], check["hints"], check["seed"]) == ("correct", 2, 0)
        await app.press("space")
        assert "suggested: 2, correct after 2 hints" in app.shown()
        await app.press("4")
        [review] = journal(seed, "review")
        assert review["check"]["hints"] == 2


async def test_the_answer_is_still_there_when_the_lab_is_opened_again(seed: Path) -> None:
    async with running(seed) as app:
        await app.press("enter", "c")
        await write_answer(app, WRONG)
        await app.press("escape", "c")
        assert app.app.screen.query_one(TextArea).text == WRONG
        await app.press("escape")
        assert len(journal(seed, "check")) == 1


async def test_a_right_answer_that_was_cleared_counts(seed: Path) -> None:
    async with running(seed) as app:
        await app.press("enter", "c")
        await write_answer(app, WRONG)
        await app.press("escape", "c")
        await write_answer(app, RIGHT)
        await write_answer(app, "")
        await app.press("escape", "space")
        assert "suggested: 1" not in app.shown()
        assert "correct" in app.shown()
        assert [event["data"]["verdict"] for event in journal(seed, "check")] == [
            "wrong",
            "correct",
        ]


async def test_a_wrong_answer_that_was_cleared_suggests_nothing(seed: Path) -> None:
    async with running(seed) as app:
        await app.press("enter", "c")
        await write_answer(app, WRONG)
        await app.press("escape", "c")
        await write_answer(app, "")
        await app.press("escape", "space")
        assert "suggested" not in app.shown()


async def test_escape_closes_the_notation_before_the_lab(seed: Path) -> None:
    async with running(seed) as app:
        await app.press("enter", "c")
        await write_answer(app, UNREADABLE)
        await app.press("ctrl+t")
        assert "for example" in app.shown()
        await app.press("escape")
        assert app.screen == "LabScreen"
        assert "for example" not in app.shown()
        await app.press("escape")
        assert app.screen == "StudyScreen"


async def test_a_card_without_an_exercise_has_no_lab(two: Path) -> None:
    async with running(two) as app:
        await app.press("enter", "c")
        assert app.screen == "StudyScreen"


async def test_the_caret_stays_under_its_place_in_a_line_wider_than_the_screen(seed: Path) -> None:
    async with in_lab(seed, size=(60, 20)) as app:
        await write_answer(app, f"{RIGHT} * 1 * 1 * detla[k,l]")
        lines = app.shown().splitlines()
        at = next(n for n, line in enumerate(lines) if line.strip() == "^")
        assert lines[at - 1][lines[at].index("^") :].startswith("detla")


async def test_a_megabyte_is_not_pasted_into_an_answer(seed: Path) -> None:
    async with in_lab(seed) as app:
        await write_answer(app, RIGHT)
        app.app.post_message(Paste("delta[k,l] + " * 80_000))
        await app.settle()
        assert app.app.screen.query_one(TextArea).text == RIGHT
        said = f"it has {1_040_000 + len(RIGHT):,} characters, and 10,000 fit here"
        assert any("Nothing was pasted" in each and said in each for each in app.said())
        assert "✓ correct" in app.shown()


async def test_an_answer_that_is_too_long_is_said_in_a_line_and_never_recorded(seed: Path) -> None:
    async with running(seed) as app:
        await app.press("enter", "c")
        await write_answer(app, "delta[k,l] + " * 1_000)
        assert "The answer has 13000 characters" in app.shown()
        await app.press("escape")
        assert journal(seed, "check") == []


async def test_each_letter_does_what_its_ctrl_key_does_while_writing(seed: Path) -> None:
    """Beside the editor r, n, h, w, t and b need no ctrl; shift+tab leads back into it."""
    async with in_lab(seed, size=(100, 40)) as app:
        await write_answer(app, WRONG)
        await app.press("tab")
        for letter, shown in (
            ("r", "input 2"),
            ("n", "failing input 1 of "),
            ("w", "after 1 of "),
            ("h", "hint  "),
            ("t", "How an answer is written"),
        ):
            assert shown not in app.shown()
            await app.press(letter)
            assert shown in app.shown()
        await app.press("b")
        assert app.screen == "HandScreen"
        await app.press("q", "tab", "shift+tab", "x")
        assert app.app.screen.query_one(TextArea).text == f"x{WRONG}"


async def test_prose_around_a_formula_is_read_and_its_formula_typeset(seed: Path) -> None:
    prose = (
        r"The message is $\delta_{x,ij} = \sum_{k,l} \delta_{kl} "
        r"[(i,j) = \arg\max_{\Omega(k,l)} x]$."
    )
    async with in_lab(seed, size=(120, 40)) as app:
        await write_answer(app, prose)
        assert "✓ correct" in app.shown()
        assert "δₓ,ᵢⱼ = " in app.shown()
        assert "dx, yours" in app.shown()
