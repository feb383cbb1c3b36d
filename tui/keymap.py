"""The learner's own keys: `[keys]` in config.toml, each action by its id.

    [keys]
    study.reveal = "x"
    study.good = "3,enter"

A mistake is a sentence and leaves that action's own keys as they are; nothing is bound twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from textual.binding import Binding

#: Screens in which text is written: a letter alone would never reach the action.
_WRITING: Final = ("add", "edit", "source", "lab", "own", "more")

#: These go before all that is written.
_FIRST: Final = ("app.leave", "app.quit", "app.palette")

#: What is on the screen together with a screen's own keys.
_TOGETHER: Final = {
    "study": ("card",),
    "reader": ("card",),
    "browse": ("rows", "card"),
    "edit": ("source", "card"),
    "lab": ("sliders", "board"),
    "own": ("pick",),
    "add": ("list",),
    "home": ("list",),
    "problems": ("list",),
    "settings": ("list",),
    "statistics": ("list",),
    "exam": ("page",),
    "help": ("page",),
}

#: Keys that reach no program, or arrive as another key.
_SAME: Final = {"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+left_square_bracket": "escape"}
_MODIFIED: Final = ("ctrl+enter", "shift+enter", "ctrl+space+", "ctrl+backspace", "ctrl+tab")


@dataclass(frozen=True, slots=True)
class Keys:
    """`keymap` is Textual's: ids to keys, joined by commas.  `problems` are sentences."""

    keymap: Mapping[str, str]
    problems: tuple[str, ...]


def read_keys(table: Any, known: Mapping[str, str]) -> Keys:
    """The keys that a `[keys]` table gives; `known` are the ids with the keys they come with."""
    asked, problems = dict[str, str](), list[str]()
    for name, value in _flat(table):
        keys, trouble = _keys(name, value, known)
        if trouble:
            problems.append(trouble)
        else:
            asked[name] = keys
    # Who is refused keeps its key, which another may have been given: until all agree.
    while refused := _refused(asked, known):
        problems.append(refused[1])
        del asked[refused[0]]
    return Keys(_with_neighbours(asked, known), tuple(problems))


def _refused(asked: Mapping[str, str], known: Mapping[str, str]) -> tuple[str, str] | None:
    """The first that would share a key, and with which one, as a sentence."""
    now = {**known, **asked}
    found = ((name, _conflict(name, keys, now, known)) for name, keys in asked.items())
    return next(((name, trouble) for name, trouble in found if trouble), None)


def known_keys() -> dict[str, str]:
    """Every action's id and its keys, of all screens and of what stands in them."""
    from importlib import import_module
    from pkgutil import iter_modules

    import tui.screens
    import tui.widgets
    from tui.app import DeltadeckApp

    found = _bindings(vars(DeltadeckApp).get("BINDINGS", ()))
    for package in (tui.screens, tui.widgets):
        for module in iter_modules(package.__path__):
            members = vars(import_module(f"{package.__name__}.{module.name}")).values()
            for each in members:
                if isinstance(each, type) and "BINDINGS" in vars(each):
                    found |= _bindings(vars(each)["BINDINGS"])
    return found


def _bindings(bindings: Iterable[Binding | tuple[str, ...]]) -> dict[str, str]:
    from textual.binding import Binding

    return {each.id: each.key for each in bindings if isinstance(each, Binding) and each.id}


def _flat(table: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """TOML reads `study.reveal = "x"` as a table in a table."""
    if not isinstance(table, Mapping):
        yield before or "keys", table
        return
    for name, value in table.items():
        path = f"{before}.{name}" if before else str(name)
        if isinstance(value, Mapping):
            yield from _flat(value, path)
        else:
            yield path, value


def _keys(name: str, value: Any, known: Mapping[str, str]) -> tuple[str, str]:
    """The keys in Textual's spelling, or what is wrong with them."""
    if name not in known:
        close = get_close_matches(name, known, n=1)
        hint = f"Did you mean {close[0]}?" if close else "The help on a screen lists their names."
        return "", f"There is no action {name!a}. {hint}"
    if not isinstance(value, str) or not value.strip():
        return "", f'The keys of {name} are a text such as "x" or "x,ctrl+x".'
    keys = [_spelt(key) for key in ([","] if value == "," else value.split(","))]
    for key in keys:
        if trouble := _unsendable(key):
            return "", f"{name} cannot be {key}: {trouble}"
    typed = [_is_typed(key) for key in keys]
    if name in _FIRST and any(typed):
        return "", f"{name} cannot be {value!a}: that is a key to write with. Use one with ctrl."
    if name.partition(".")[0] in _WRITING and all(typed):
        return "", f"{name} needs a key beside {value!a}: text is written there. Add one with ctrl."
    return ",".join(keys), ""


def _spelt(key: str) -> str:
    from textual.keys import _character_to_key

    key = key.strip() or key
    *modifiers, last = key.split("+") if len(key) > 1 else [key]
    return "+".join([*modifiers, _character_to_key(last) if len(last) == 1 else last.lower()])


def _unsendable(key: str) -> str:
    from textual.keys import KEY_NAME_REPLACEMENTS, key_to_character
    from textual.keys import Keys as Names

    if key in _SAME:
        return f"terminals send it as {_SAME[key]}."
    if key in _MODIFIED or "ctrl+shift+" in key:
        return "most terminals cannot send it."
    *modifiers, last = key.split("+")
    named = last in {each.value for each in Names} | set(KEY_NAME_REPLACEMENTS.values())
    character = key_to_character(last) or ""
    # "banana" is a character by its name, too: nobody has it on a keyboard.
    there = named or len(last) == 1 or character.isascii()
    if not (there and (named or character)) or not set(modifiers) <= {"ctrl", "shift", "alt"}:
        return "there is no such key. Keys are written like x, space, f5, ctrl+x."
    return ""


def _is_typed(key: str) -> bool:
    return len(key) == 1 or "_" in key or key == "space"


def _conflict(name: str, keys: str, all_keys: Mapping[str, str], known: Mapping[str, str]) -> str:
    for key in keys.split(","):
        for other, taken in all_keys.items():
            if other == name or not meet(name, other) or key not in taken.split(","):
                continue
            if "study.pick-" in name + other:
                continue  # the letters of options go first where there are options
            # Two actions that come with one key know when each of them holds.
            if key in known[name].split(",") and key in known[other].split(","):
                continue
            return f"{name} cannot be {key}: that is {other}. Give that another key first."
    return ""


def meet(one: str, other: str) -> bool:
    """Whether two actions can be on one screen."""
    first, second = one.partition(".")[0], other.partition(".")[0]
    return (
        first == second
        or "app" in (first, second)
        or second in _TOGETHER.get(first, ())
        or first in _TOGETHER.get(second, ())
    )


def _with_neighbours(asked: Mapping[str, str], known: Mapping[str, str]) -> dict[str, str]:
    """Textual empties a key whose action moves away: who shares it is bound again by name."""
    keymap = dict(asked)
    for name in asked:
        left = set(known[name].split(","))
        for other, keys in known.items():
            if other not in keymap and meet(name, other) and left & set(keys.split(",")):
                keymap[other] = keys
    return keymap
