"""Lab: an answer that is a NumPy function."""

from __future__ import annotations

from pathlib import Path

from textual.widgets import TextArea

from tests.tui.driving import RIGHT, Driver, running
from tests.tui.lab_driving import in_lab
from tui.widgets.editors import AnswerEditor

FUNCTION = """def backward(x, delta):
    print(x.shape)
    dx = np.zeros_like(x)
    for k in range(delta.shape[0]):
        for l in range(delta.shape[1]):
            r, c = max(k * sh - ph, 0), max(l * sw - pw, 0)
            w = x[r:k * sh - ph + kh, c:l * sw - pw + kw]
            p = np.unravel_index(np.argmax(w), w.shape)
            dx[r + p[0], c + p[1]] += delta[k, l]
    return dx
"""
FAILS = """def backward(x, delta):
    def far(y):
        return y[99]
    return far(x)
"""


async def run(app: Driver, source: str) -> None:
    app.app.screen.query_one(TextArea).load_text(source)
    await app.press("f5")


async def test_a_function_is_run_by_a_key_and_what_it_prints_is_shown(seed: Path) -> None:
    async with in_lab(seed, size=(100, 40)) as app:
        await run(app, FUNCTION)
        assert "✓ correct" in app.shown()
        assert "dx, yours" in app.shown()
        assert "it printed" in app.shown()
        assert "(4, 4)" in app.shown()
        assert "run apart: process, limits" in app.shown()


async def test_of_an_error_only_the_lines_of_the_learner_are_shown(seed: Path) -> None:
    async with in_lab(seed, size=(100, 40)) as app:
        await run(app, FAILS)
        assert "? the function gives no message" in app.shown()
        assert "IndexError: index 99" in app.shown()
        assert "line 4, in backward  return far(x)" in app.shown()
        assert "line 3, in far  return y[99]" in app.shown()
        assert "File" not in app.shown()


async def test_a_wrong_function_has_failing_inputs_too(seed: Path) -> None:
    async with in_lab(seed, size=(100, 40)) as app:
        await run(app, FUNCTION.replace("+= delta", "= delta"))
        assert "✗ wrong" in app.shown()
        await app.press("ctrl+n")
        assert "failing input 1 of " in app.shown()


async def test_leaving_runs_what_was_typed_last(seed: Path) -> None:
    async with running(seed) as app:
        await app.press("enter", "c")
        app.app.screen.query_one(TextArea).load_text(FUNCTION)
        await app.press("escape")
        await app.press("space")
        assert app.screen == "StudyScreen"
        assert "suggested: 4, correct" in app.shown()


async def test_lines_of_a_function_keep_their_indentation(seed: Path) -> None:
    async with in_lab(seed) as app:
        editor = app.app.screen.query_one(AnswerEditor)
        editor.load_text("def backward(x, delta):")
        await app.pilot.press("end", "enter", "x", "enter", "tab", "y", "enter")
        assert editor.text == "def backward(x, delta):\n    x\n        y\n        "
        await app.pilot.press("backspace", "r", "e", "t", "u", "r", "n", "enter")
        assert editor.text.endswith("        y\n    return\n")


async def test_python_is_coloured_and_a_formula_is_not(seed: Path) -> None:
    async with in_lab(seed) as app:
        editor = app.app.screen.query_one(AnswerEditor)
        editor.load_text("def backward(x, delta):\n    return 2 * x")
        await app.settle()
        assert len(editor.get_line(1).spans) == 2
        editor.load_text(RIGHT)
        await app.settle()
        assert not editor.get_line(0).spans


async def test_a_function_runs_by_ctrl_s_too(seed: Path) -> None:
    async with in_lab(seed) as app:
        app.app.screen.query_one(TextArea).load_text("def backward(x, delta):\n    return None")
        await app.press("ctrl+s")
        assert "? the function gives no message" in app.shown()
