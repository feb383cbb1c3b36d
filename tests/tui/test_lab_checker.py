"""The lab's helper process: what it is asked, and when it is given up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.tui.driving import RIGHT
from tests.tui.lab_driving import GIVEN
from tui.lab import client as lab_checker
from tui.lab.client import FaultError, LabProcess, SupersededError, TooLongError, checked
from tui.lab.requests import ExerciseSpec, InputRequest, LabRequest, LabResponse
from tui.main import main

POOLING = ExerciseSpec(None, ("max-pooling", "backpropagation"), "derivation")
ENDLESS = "def backward(x, delta):\n    while True:\n        pass\n"


def asked(answer: str) -> LabRequest:
    return LabRequest(answer, POOLING, InputRequest(), 60)


def is_right(checker: LabProcess) -> bool:
    verdict = checker.ask(asked(RIGHT)).verdict
    return verdict is not None and verdict.ok


@pytest.fixture(scope="module")
def checker() -> Iterator[LabProcess]:
    made = LabProcess()
    yield made
    made.close()


def test_it_answers_with_verdict_input_and_formula(checker: LabProcess) -> None:
    found = checker.ask(asked(RIGHT))
    assert isinstance(found, LabResponse)
    assert found.verdict is not None
    assert found.verdict.ok
    assert found.picture is not None
    assert found.formula is not None


def test_a_slow_answer_is_given_up_for_a_newer_one(checker: LabProcess) -> None:
    with pytest.raises(SupersededError):
        checker.ask(asked(ENDLESS), newer=lambda: True)
    assert is_right(checker)


def test_an_answer_that_takes_too_long_is_given_up(
    checker: LabProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lab_checker, "LONGEST", 0.2)
    with pytest.raises(TooLongError):
        checker.ask(asked(ENDLESS))


def test_a_process_that_was_killed_is_started_again(checker: LabProcess) -> None:
    checker.start()
    assert checker._process is not None
    os.kill(checker._process.pid, signal.SIGKILL)
    assert is_right(checker)


def test_a_fault_of_ours_is_raised_with_its_traceback(checker: LabProcess) -> None:
    with pytest.raises(FaultError, match="AssertionError"):
        checker.ask(LabRequest(RIGHT, ExerciseSpec("none", (), "basic"), InputRequest(), 60))
    assert is_right(checker)


def test_where_no_process_can_be_had_the_learner_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    monkeypatch.setattr(lab_checker, "shared_process", LabProcess)
    found = checked(asked(RIGHT), lambda: False)
    assert found.verdict is not None
    assert found.verdict.message is not None
    assert "cannot start" in found.verdict.message


NO_NUMPY = """
import asyncio, sys
from pathlib import Path
from tests.tui.driving import running
from tests.tui.lab_driving import write_answer

async def study():
    async with running(Path(sys.argv[1])) as app:
        await app.press("enter", "c")
        await write_answer(app, "dL/dx[j] = sum(delta[k] * W[k,j] for k)")
        assert "wrong" in app.shown(), app.shown()
        await app.press("ctrl+g", "ctrl+r", "ctrl+o", "escape", "escape", "space")
        assert "suggested: 1" in app.shown(), app.shown()

asyncio.run(study())
print("numpy" in sys.modules)
"""


def test_the_process_that_draws_the_screen_never_imports_numpy(folder: Path) -> None:
    (folder / "elu.md").write_text(GIVEN, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", NO_NUMPY, str(folder)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=dict(os.environ),
        check=False,
    )
    assert done.stdout == "False\n", done.stderr


def test_answers_that_take_too_long_get_a_sentence_each_and_the_run_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    deck, answers = tmp_path / "deck", tmp_path / "answers"
    for place in (deck, answers):
        place.mkdir()
    (deck / "elu.md").write_text(GIVEN, encoding="utf-8")
    for name in ("one", "two"):
        (answers / name).write_text("dx = W.T @ (delta * where(s > 0, 1, exp(s)))", "utf-8")
    call = ["check", "elu", "--file", str(answers), "-C", str(deck)]
    monkeypatch.setattr(lab_checker, "LONGEST", 0.0)
    monkeypatch.setattr(lab_checker, "GLANCE", 0.0)
    assert main(call) == 2
    said = capsys.readouterr()
    assert [line.split()[0] for line in said.out.splitlines()] == ["one", "two"]
    assert said.out.count("takes too long to be tried") == 2
    assert said.err == ""
    monkeypatch.undo()
    assert main(call) == 0
