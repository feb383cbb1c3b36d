"""Keys: the learner's own, their names in sentences, the actions of a screen.

    [keys]
    study.reveal = "x"
    study.good = "3,enter"

is what config.toml says, each action by its id. A mistake there is a sentence and leaves that
action's own keys as they are; nothing is bound twice. A sentence that names a key asks `key_for` at
the moment it is shown (`tests/tui/test_keys.py`). Help and palette show the same actions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from itertools import product
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from textual.binding import Binding
from textual.keys import KEY_NAME_REPLACEMENTS, _character_to_key, format_key, key_to_character
from textual.keys import Keys as KeyNames

if TYPE_CHECKING:
    from textual.app import App
    from textual.dom import DOMNode
    from textual.screen import Screen

#: Screens in which text is written: a letter alone would never reach the action.
_WRITING: Final = ("add", "edit", "source", "lab", "own", "more")

#: These go before all that is written.
_FIRST: Final = ("app.leave", "app.quit", "app.palette")

#: What is on the screen together with a screen's own keys.
_TOGETHER: Final = {
    "study": ("card",),
    "reader": ("card",),
    "browse": ("rows", "card"),
    "edit": ("source", "editor", "card"),
    "source": ("editor",),
    "lab": ("sliders", "board", "parts", "editor"),
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


class RefusedKeyError(ValueError):
    """Keys that an action cannot have; a sentence."""


def read_keys(table: Any, known: Mapping[str, str]) -> Keys:
    """The keys that a `[keys]` table gives; `known` are the ids with the keys they come with."""
    asked, problems = dict[str, str](), list[str]()
    for name, value in _flat(table):
        try:
            asked[name] = _keys(name, value, known)
        except RefusedKeyError as error:
            problems.append(str(error))
    # Who is refused keeps its key, which another may have been given: until all agree.
    while refused := next(_conflicts(asked, known), None):
        name, key, other = refused
        said = f"{name} cannot be {key}: that is {other}. Give that another key first."
        problems.append(said)
        del asked[name]
    return Keys(_with_neighbours(asked, known), tuple(problems))


@cache
def known_keys() -> Mapping[str, str]:
    """Every action's id and its keys, of all screens and of what stands in them."""
    from pkgutil import iter_modules  # for settings that name keys alone

    modules = [import_module("tui.app")]
    for package in map(import_module, ("tui.screens", "tui.widgets")):
        names = (each.name for each in iter_modules(package.__path__, f"{package.__name__}."))
        modules += map(import_module, names)
    return {
        each.id: each.key
        for module in modules
        for owner in vars(module).values()
        if isinstance(owner, type)
        for each in vars(owner).get("BINDINGS", ())
        if isinstance(each, Binding) and each.id
    }


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


def _keys(name: str, value: Any, known: Mapping[str, str]) -> str:
    """The keys in Textual's spelling.  Raises RefusedKeyError."""
    if name not in known:
        close = get_close_matches(name, known, n=1)
        hint = f"Did you mean {close[0]}?" if close else "The help on a screen lists their names."
        raise RefusedKeyError(f"There is no action {name!a}. {hint}")
    if not isinstance(value, str) or not value.strip():
        raise RefusedKeyError(f'The keys of {name} are a text such as "x" or "x,ctrl+x".')
    keys = [_spelt(key) for key in ([","] if value == "," else value.split(","))]
    for key in keys:
        if trouble := _unsendable(key):
            raise RefusedKeyError(f"{name} cannot be {key}: {trouble}")
    typed = [len(key) == 1 or "_" in key or key == "space" for key in keys]
    if name in _FIRST and any(typed):
        hint = "that is a key to write with. Use one with ctrl."
        raise RefusedKeyError(f"{name} cannot be {value!a}: {hint}")
    if name.partition(".")[0] in _WRITING and all(typed):
        hint = "text is written there. Add one with ctrl."
        raise RefusedKeyError(f"{name} needs a key beside {value!a}: {hint}")
    return ",".join(keys)


def _spelt(key: str) -> str:
    key = key.strip() or key
    *modifiers, last = key.split("+") if len(key) > 1 else [key]
    return "+".join([*modifiers, _character_to_key(last) if len(last) == 1 else last.lower()])


def _unsendable(key: str) -> str:
    """Why a terminal does not send the key; "" where it does."""
    if key in _SAME:
        return f"terminals send it as {_SAME[key]}."
    if key in _MODIFIED or "ctrl+shift+" in key:
        return "most terminals cannot send it."
    *modifiers, last = key.split("+")
    named = last in {each.value for each in KeyNames} | set(KEY_NAME_REPLACEMENTS.values())
    character = key_to_character(last) or ""
    # "banana" is a character by its name, too: nobody has it on a keyboard.
    there = named or len(last) == 1 or character.isascii()
    if not (there and (named or character)) or not set(modifiers) <= {"ctrl", "shift", "alt"}:
        return "there is no such key. Keys are written like x, space, f5, ctrl+x."
    return ""


def _conflicts(
    asked: Mapping[str, str], known: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    """The actions that would share a key: one, the key, and the other."""
    now = {**known, **asked}
    for name, keys in asked.items():
        for key, (other, taken) in product(keys.split(","), now.items()):
            if other == name or not meet(name, other) or key not in taken.split(","):
                continue
            # The letters of options go first where there are options; two actions that come with
            # one key know when each of them holds.
            come_with_it = all(key in known[each].split(",") for each in (name, other))
            if "study.pick-" not in name + other and not come_with_it:
                yield name, key, other


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


# The key of an action in a sentence.


#: The key of the first of these actions that can be pressed.
KeyOf = Callable[..., str]

#: Said in full: a footer has no room for these, a sentence has.
_WORDS = ("escape", "enter", "pagedown", "pageup", "delete", "backspace")


def key_for(app: App[Any], *actions: str) -> str:
    """The key of an action (`study.undo`), spelt as it is said.

    Of several actions and keys it is the first that can be pressed on the present screen: where a
    letter picks an option or is written, another one is named.
    """
    every = [key for action in actions for key in _keys_of(app, action)]
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


def _keys_of(app: App[Any], action: str) -> list[str]:
    """The learner's own, else those that the action comes with, first looked for where it costs
    nothing: on the screens that are open."""
    if own := app._keymap.get(action):
        return own.split(",")
    nodes = (n for screen in reversed(app.screen_stack) for n in (screen, *screen.walk_children()))
    for node in (*nodes, app):
        bindings = node._bindings.key_to_bindings.values()
        if keys := [each.key for some in bindings for each in some if each.id == action]:
            return keys
    return known_keys()[action].split(",")


# What can be done on a screen now.


class KeyAction(NamedTuple):
    binding: Binding
    """The first of its keys."""
    node: DOMNode
    """Whose action it is."""
    keys: tuple[str, ...]
    """As the footer shows them."""
    ids: tuple[str, ...]
    """Its names in config.toml; several where letters do the same to something else."""

    @property
    def words(self) -> str:
        """What it does."""
        return self.binding.tooltip or self.binding.description

    @property
    def matters(self) -> bool:
        """Whether it does something; the others move about."""
        return self.binding.show or bool(self.binding.tooltip)


def available_actions(screen: Screen[Any], soon: bool = False) -> list[KeyAction]:
    """Those that can be done now, the focused widget's first; nothing twice.  With `soon` also
    what is disabled, as a rating is before the reveal."""
    found: dict[str, KeyAction] = {}
    for active in screen.active_bindings.values():
        binding = active.binding
        # Ours have ids; the toolkit's own (scroll left, copy) would bury them.
        if not (active.enabled or soon) or not binding.description or not binding.id:
            continue
        keys: tuple[str, ...] = (screen.app.get_key_display(binding),)
        one = KeyAction(binding, active.node, keys, (binding.id,))
        if first := found.get(one.words):
            keys = tuple(dict.fromkeys((*first.keys, *keys)))
            if all(len(key) == 1 and key.isalpha() for key in keys):
                keys = tuple(sorted(keys))
            ids = tuple(dict.fromkeys((*first.ids, *one.ids)))
            one = first._replace(keys=keys, ids=ids)
        found[one.words] = one
    return list(found.values())
