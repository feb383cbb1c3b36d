"""Lab: the input that is shown, its windows, the failing ones, and the hints."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from engine.exercise import exercise_for
from tests.tui.driving import RIGHT, UNREADABLE, WRONG, running
from tests.tui.lab_driving import FIXED, GIVEN, in_lab, write_answer
from tui.lab.inputs import picture
from tui.lab.requests import InputRequest

OVERLAP = "dx[i,j] = delta[k,l] if x[i,j] == max(window(k,l)) else 0"
SLOPE_FORGOTTEN = "dL/dx[j] = sum(delta[k] * W[k,j] for k)"


async def test_messages_flow_back_window_by_window(seed: Path) -> None:
    async with in_lab(seed) as app:
        await app.press("ctrl+l")
        assert "dx, after 1 of 4" in app.shown()
        assert "goes to dx[" in app.shown()
        await app.press("ctrl+l")
        assert "dx, after 2 of 4" in app.shown()
        assert "window (0,1) of 4" in app.shown()


async def test_no_grid_moves_while_messages_flow_back(seed: Path) -> None:
    async with in_lab(seed) as app:
        await write_answer(app, WRONG)
        at = set()
        for _ in range(5):
            # The first one is the board's, above that of the smallest case.
            title = next(row for row in app.shown().splitlines() if "dx, yours" in row)
            at.add(title.index("dx, yours"))
            await app.press("ctrl+l")
        assert len(at) == 1


async def test_arrows_step_through_the_windows_once_the_board_has_the_focus(seed: Path) -> None:
    async with in_lab(seed) as app:
        await app.press("tab", "right", "right", "right", "left")
        assert "dx, after 2 of 4" in app.shown()


async def test_sliders_turn_kernel_stride_and_padding(seed: Path) -> None:
    async with in_lab(seed) as app:
        await app.press("tab", "tab", "up", "right", "down")
        assert "kernel ‹3›  stride ‹1›  padding ‹0›" in app.shown()
        await app.press("right", "up")
        assert "padding ‹1›" in app.shown()


async def test_padding_never_exceeds_half_the_kernel(seed: Path) -> None:
    async with in_lab(seed) as app:
        await app.press("tab", "tab", "right", "right", "up", "left", "left", "down")
        assert "kernel ‹1›  stride ‹2›  padding ‹0›" in app.shown()


async def test_a_window_that_the_card_fixes_has_no_sliders(folder: Path) -> None:
    (folder / "fixed.md").write_text(FIXED, encoding="utf-8")
    async with in_lab(folder) as app:
        assert "kernel 3×3 · stride 2 · padding 0" in app.shown()
        assert "kernel ‹" not in app.shown()
        assert "df[0,0]/dx, engine" in app.shown()


async def test_letters_do_what_they_say_where_nothing_is_written(seed: Path) -> None:
    async with in_lab(seed) as app:
        await write_answer(app, WRONG)
        await app.press("tab", "r")
        assert "input 2" in app.shown()
        await app.press("n")
        assert "failing input 1 of " in app.shown()
        await app.press("h")
        assert "hint  It " in app.shown()


async def test_the_next_failing_input_is_one_on_which_the_answer_fails(seed: Path) -> None:
    async with in_lab(seed, size=(100, 40)) as app:
        await write_answer(app, OVERLAP)
        await app.press("ctrl+n")
        assert "failing input 1 of " in app.shown()
        assert " ✗?" in app.shown()
        await app.press("ctrl+n")
        assert "failing input 2 of " in app.shown()


async def test_of_a_right_answer_no_input_fails(seed: Path) -> None:
    async with in_lab(seed) as app:
        await write_answer(app, RIGHT)
        await app.press("ctrl+n")
        assert "No input fails." in app.said()


async def test_hints_come_one_at_a_time(seed: Path) -> None:
    async with in_lab(seed, size=(100, 40)) as app:
        await write_answer(app, WRONG)
        assert "hint  " not in app.shown()
        await app.press("ctrl+g")
        assert "hint  It " in app.shown()
        assert "every input of the window" not in app.shown()
        await app.press("ctrl+g")
        assert "every input of the window gets the gradient" in app.shown()
        assert "The line of the solution" not in app.shown()
        await app.press("ctrl+g")
        assert "hint  The line of the solution:" in app.shown()
        assert "δₓ,ᵢⱼ =" in app.shown()
        await app.press("ctrl+g")
        assert "That was the last hint." in app.said()


async def test_hints_that_were_given_stay_while_the_answer_is_mended(seed: Path) -> None:
    async with in_lab(seed, size=(100, 40)) as app:
        await write_answer(app, f"{OVERLAP} + 1")
        await app.press("ctrl+g")
        await write_answer(app, OVERLAP)
        assert "hint  It is wrong only when windows overlap" in app.shown()


async def test_hints_are_folded_for_a_new_answer_and_open_again_at_the_key(seed: Path) -> None:
    async with in_lab(seed, size=(100, 40)) as app:
        await write_answer(app, WRONG)
        await app.press("ctrl+g", "ctrl+g")
        assert app.shown().count("hint  ") == 2
        await write_answer(app, f"{WRONG} + 0")
        assert app.shown().count("hint  ") == 2
        await write_answer(app, "J[k,l,i,j] = 1 if x[i,j] > 0 else 0")
        assert "✗ wrong" in app.shown()
        assert "hint  " not in app.shown()
        await app.press("ctrl+g")
        assert app.shown().count("hint  ") == 1


async def test_a_function_that_gives_the_message_is_told_its_line_not_the_jacobians(
    seed: Path,
) -> None:
    async with in_lab(seed, size=(120, 50)) as app:
        await write_answer(app, "def backward(x, delta):\n    return 0 * x")
        await app.press("f5")
        await app.settle()
        await app.press("ctrl+g", "ctrl+g", "ctrl+g")
        assert "The line of the solution:" in app.shown()
        assert "δₓ,ᵢⱼ =" in app.shown()


async def test_what_the_lab_said_does_not_cover_the_ratings(seed: Path) -> None:
    async with running(seed) as app:
        await app.press("enter", "c")
        await write_answer(app, RIGHT)
        await app.press("ctrl+g")
        assert "It is correct: there is nothing to hint at." in app.said()
        await app.press("escape", "space")
        assert app.said() == []


async def test_there_is_no_hint_about_what_cannot_be_read(seed: Path) -> None:
    async with in_lab(seed) as app:
        await app.press("ctrl+g")
        await write_answer(app, UNREADABLE)
        await app.press("ctrl+g")
        assert len(app.said()) == 2
        assert "hint  " not in app.shown()


async def test_any_forward_message_is_shown_with_what_it_comes_to(folder: Path) -> None:
    (folder / "elu.md").write_text(GIVEN, encoding="utf-8")
    async with in_lab(folder, size=(100, 40)) as app:
        for name in (" W ", " x ", " s ", " y ", " δ ", "dL/dx[j], engine"):
            assert name in app.shown()
        await write_answer(app, SLOPE_FORGOTTEN)
        assert "✗ wrong" in app.shown()
        assert "∑ δₖ · Wₖⱼ" in app.shown()
        await app.press("ctrl+g", "ctrl+g", "ctrl+g")
        assert "It is wrong only when" in app.shown()
        assert "∑ δₖf′(sₖ)Wₖⱼ" in app.shown()
        await app.press("ctrl+n")
        assert "failing input 1 of " in app.shown()


async def test_before_anything_is_written_the_lab_says_how_an_answer_is_written(
    folder: Path,
) -> None:
    (folder / "elu.md").write_text(GIVEN, encoding="utf-8")
    async with in_lab(folder) as app:
        assert "Write what you derived: dL/dx[j] = …" in app.shown()
        assert "def backward(W, x, delta):" in app.shown()
        assert "the upstream message dL/dy[k]" in app.shown()
        assert "hint" not in app.shown()


def test_the_input_shown_says_where_each_message_comes_from() -> None:
    """No number stands twice in an input, and no message is 0."""
    for layer in ("linear", "softmax", "relu", "attention", "layer-norm", "cross-entropy"):
        exercise = exercise_for({"layer": layer}, (), "derivation")
        assert exercise is not None
        for seed in range(1, 5):
            shown = picture(exercise, InputRequest(seed), None)
            delta = shown.inputs.get("δ")
            assert delta is None or 0.0 not in flat(delta)
            assert any(flat(shown.right))
            x = flat(shown.inputs.get("x", []))
            assert len(set(x)) == len(x)


def flat(values: Any) -> list[float]:
    return [values] if not isinstance(values, list) else [n for part in values for n in flat(part)]


async def test_the_sort_of_values_can_be_chosen_for_any_exercise(folder: Path) -> None:
    (folder / "elu.md").write_text(GIVEN, encoding="utf-8")
    async with in_lab(folder) as app:
        await app.press("tab", "tab", *["up"] * 5)
        assert "values ‹constant›" in app.shown()
        values = flat(app.app.screen._found.picture.inputs["x"])  # type: ignore[attr-defined]
        assert len(set(values)) == 1


async def test_a_failing_input_says_its_windows_in_place_of_the_sliders(seed: Path) -> None:
    async with in_lab(seed) as app:
        await write_answer(app, WRONG)
        await app.press("ctrl+n")
        assert "kernel ‹" not in app.shown()
        assert re.search(r"kernel \d×\d · stride", app.shown())
        await app.press("ctrl+r")
        assert "kernel ‹2›" in app.shown()
