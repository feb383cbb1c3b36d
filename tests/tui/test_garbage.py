"""What nothing needs any more is given back while the learner reads, and after a sitting."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.driving import basic, running, write
from tui.collection_service import begin_collecting, sweep, sweep_all


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """The collector of the tests is the interpreter's own."""
    thresholds = gc.get_threshold()
    sweep_all()
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)


class _Round:
    """Holds itself."""

    def __init__(self) -> None:
        self.me = self


def test_a_sweep_takes_rounds_that_nothing_holds() -> None:
    lost = weakref.ref(_Round())
    sweep()
    assert lost() is None


def test_what_was_taken_to_stay_is_swept_when_a_sitting_is_over() -> None:
    held = _Round()
    lost = weakref.ref(held)
    gc.freeze()
    del held
    sweep()
    assert lost() is not None
    sweep_all()
    assert lost() is None


def test_the_first_sweep_finds_what_start_up_needed_only_once() -> None:
    held = _Round()
    lost = weakref.ref(held)
    begin_collecting()
    del held
    sweep()
    assert lost() is None


async def test_of_a_sitting_that_was_left_nothing_stays(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path, name, basic(name))
    async with running(tmp_path) as driver:
        await driver.press("enter", "space", "3", "space")
        lost = weakref.ref(driver.app.screen)
        await driver.press("escape")
        await driver.rest()
        assert lost() is None
