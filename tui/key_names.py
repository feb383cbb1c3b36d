"""The key of an action in a sentence: the one that works now, also where config.toml gives another.

    f"Press {key_for(app, 'home.add')} to write the first one."

Every sentence that names a key asks here at the moment it is shown (`tests/tui/test_key_names.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from textual.keys import format_key

if TYPE_CHECKING:
    from textual.app import App
    from textual.binding import Binding

#: The key of the first of these actions that can be pressed.
KeyOf = Callable[..., str]

#: Said in full: a footer has no room for these, a sentence has.
_WORDS = ("escape", "enter", "pagedown", "pageup", "delete", "backspace")


def key_for(app: App[Any], *actions: str) -> str:
    """The key of an action (`study.undo`), spelt as it is said.

    Of several actions and keys it is the first that can be pressed on the present screen: where a
    letter picks an option or is written, another one is named.
    """
    every = [key for action in actions for key in _keys(app, action)]
    if len(every) == 1:
        return spelt(every[0])
    active = app.screen.active_bindings
    here = (key for key in every if key in active and active[key].binding.id in actions)
    return spelt(next(here, every[0]))


def spelt(key: str) -> str:
    """ "question_mark" as "?", "f8" as "F8", "ctrl+s" as itself."""
    *modifiers, last = key.split("+")
    if len(last) > 1 and last[0] == "f" and last[1:].isdigit():
        last = last.upper()
    return "+".join([*modifiers, last if last in _WORDS else format_key(last)])


def _keys(app: App[Any], action: str) -> list[str]:
    """The learner's own, else those that the action comes with."""
    keys = app._keymap.get(action) or next(_usual(app, action), "")
    return keys.split(",")


def _usual(app: App[Any], action: str) -> Iterator[str]:
    """First where it costs nothing: on the screens that are open."""
    for screen in reversed(app.screen_stack):
        for node in (screen, *screen.walk_children()):
            yield from _of(action, node._bindings.key_to_bindings.values())
    yield from _of(action, app._bindings.key_to_bindings.values())
    yield _all()[action]


def _of(action: str, bindings: Iterable[Iterable[Binding]]) -> Iterator[str]:
    keys = [each.key for some in bindings for each in some if each.id == action]
    if keys:
        yield ",".join(keys)


@lru_cache(1)
def _all() -> dict[str, str]:
    from tui.keymap import known_keys

    return known_keys()
