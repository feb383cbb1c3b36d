"""When a running app has nothing left to do, told by its own queues and not by the clock.

Textual's pilot calls an app idle that used little of the processor for a while, which a busy
machine makes any app look like.
"""

from __future__ import annotations

import asyncio
from asyncio import Task
from collections.abc import Iterator
from typing import Any

from textual._context import active_app
from textual.app import App
from textual.screen import Screen


async def quiet(*_seconds: float) -> None:
    """Until no task of the loop is ready to run and nothing waits to be painted.

    Neither threads nor timers are waited for; takes the place of `textual._wait.wait_for_idle`.
    """
    app = active_app.get()
    await _drained()
    while _paints(app):
        await _drained()


def waiting(screen: Screen[Any]) -> Iterator[Task[None]]:
    """The timers of a screen that are to go off once."""
    timers = (timer for node in screen.walk_children() for timer in node._timers)
    for timer in (*screen._timers, *timers):
        task = timer._task
        if timer._repeat == 0 and task is not None and not task.done():
            yield task


async def _drained() -> None:
    """Until every task waits for something other than its turn."""
    ready = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]
    await asyncio.sleep(0)
    while ready:
        await asyncio.sleep(0)


def _paints(app: App[Any]) -> bool:
    """Do what the next sixtieth of a second would, take up a new size and paint; whether there
    was something to be done."""
    if app._exit or not app.screen_stack or app._batch_count:
        return False
    if app._resize_event is not None:
        app._check_resize()
        return True
    painted = [_paint(screen) for screen in (*app._background_screens, app.screen)]
    return any(painted)


def _paint(screen: Screen[Any]) -> bool:
    # One in the background says of itself that it is to be painted again whenever it was.
    waits = bool(
        screen._layout_required
        or screen._scroll_required
        or (screen._repaint_required and screen is screen.app.screen)
        or screen._recompose_required
        or screen._dirty_widgets
        or screen._callbacks
    )
    if waits:
        screen._on_timer_update()
    return waits
