"""Keys: the learner's own, their names in sentences, the actions of a screen, the palette.

    [keys]
    study.reveal = "x"
    study.good = "3,enter"

is what config.toml says, each action by its id. A mistake there is a sentence and leaves that
action's own keys as they are; nothing is bound twice. A sentence that names a key asks `key_for` at
the moment it is shown (`tests/tui/test_keys.py`). Help and palette show the same actions.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.keys import format_key

if TYPE_CHECKING:
    from textual.app import App
    from textual.binding import Binding
    from textual.dom import DOMNode
    from textual.screen import Screen

    from tui.app import DeltadeckApp


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


# While the app runs.


def palette() -> type[Provider]:
    """Loaded when it is opened."""

    return Commands


class OwnKeys:
    """`[keys]` of config.toml as it was last taken up."""

    def __init__(self) -> None:
        self._table: Any = None

    def take(self, app: DeltadeckApp) -> None:
        """Bind what config.toml says now; what it cannot say is told, and stays as it was."""
        table = app.open_collection.config.extra.get("keys")
        if table == self._table:
            return
        self._table = table

        keys = read_keys(table or {}, known_keys())
        app.set_keymap(dict(keys.keymap))
        for problem in keys.problems:
            app.say(f"config.toml, [keys]: {problem}", error=True)


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

    return known_keys()


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
        deed = KeyAction(
            binding, active.node, (screen.app.get_key_display(binding),), (binding.id,)
        )
        found[deed.words] = _joined(found[deed.words], deed) if deed.words in found else deed
    return list(found.values())


def _joined(first: KeyAction, other: KeyAction) -> KeyAction:
    keys = list(dict.fromkeys((*first.keys, *other.keys)))
    if all(len(key) == 1 and key.isalpha() for key in keys):
        keys.sort()
    ids = dict.fromkeys((*first.ids, *other.ids))
    return first._replace(keys=tuple(keys), ids=tuple(ids))


# The command palette.


_THERE = "on the decks' screen"
#: Of the decks' screen: what begins a sitting.  There is one at a time.
_SITTINGS = ("list.enter", "home.search", "home.timed", "home.ahead", "home.cram", "home.exam")
#: From a screen as often until something asks back: marks, a list or a field may be open.
_BACKS = 3


@dataclass(frozen=True, slots=True)
class Command:
    words: str
    run: Callable[[], Awaitable[Any] | None]
    key: str = ""
    where: str = ""
    """Where the key works, unless that is here."""
    names: tuple[str, ...] = ()
    """It is found by these, too."""
    listed: bool = True
    """Whether it is shown before anything is typed."""

    def shown(self, words: Content) -> Content:
        """A row: the words, of which what is searched may be lit, and the key."""
        key = f"  {self.key}" if self.key else ""
        where = f" {self.where}" if self.where else ""
        return Content.assemble(words, (key, "bold $accent"), (where, "dim"))


class Commands(Provider):
    """Rows for `app.COMMANDS`."""

    async def discover(self) -> Hits:
        for one in commands(cast("DeltadeckApp", self.app), self.screen):
            if one.listed:
                yield DiscoveryHit(one.shown(Content(one.words)), one.run, text=one.words)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for one in commands(cast("DeltadeckApp", self.app), self.screen):
            score = max(map(matcher.match, (one.words, *one.names)))
            if score > 0:
                row = one.shown(matcher.highlight(one.words))
                yield Hit(score, row, one.run, text=one.words)


def commands(app: DeltadeckApp, screen: Screen[Any]) -> Iterator[Command]:
    """First what `screen` itself does, then where one can go, then what the program does."""
    here = [deed for deed in available_actions(screen) if deed.binding.action != "command_palette"]
    here.sort(key=lambda deed: (not deed.matters, deed.node is app))
    yield from (_command(app, deed) for deed in here)
    yield from _elsewhere(app, screen, {deed.words for deed in here})
    yield from _program(app)


def _command(app: DeltadeckApp, deed: KeyAction, where: str = "") -> Command:
    name, words = deed.binding.description, deed.words
    if not words.casefold().startswith(name.casefold()):
        words = f"{name}: {words}"
    run = partial(app.run_action, deed.binding.action, deed.node)
    return Command(words, run, " ".join(deed.keys), where, deed.ids)


def _elsewhere(app: DeltadeckApp, screen: Screen[Any], known: set[str]) -> Iterator[Command]:
    """What the decks' screen leads to, without going back there first."""
    from tui.screens.home import HomeScreen
    from tui.screens.study import StudyScreen

    stack = app.screen_stack
    home = next((each for each in stack if isinstance(each, HomeScreen)), None)
    if home is None or screen is home:
        return
    yield Command("Decks: back to the first screen", partial(go_home, app), names=("home",))
    sitting = any(isinstance(each, StudyScreen) for each in stack)
    for deed in available_actions(home):
        begins = sitting and any(name in _SITTINGS for name in deed.ids)
        if deed.matters and deed.words not in known and not begins:
            yield _command(app, deed, _THERE)


def _program(app: DeltadeckApp) -> Iterator[Command]:
    yield Command("Theme: another look", app.action_change_theme)
    yield Command(
        "Screenshot: keep a picture of this screen", lambda: _picture(app), names=("svg",)
    )
    for name in sorted(app.available_themes):
        yield Command(f"Theme: {name}", partial(setattr, app, "theme", name), listed=False)


def _picture(app: DeltadeckApp) -> None:
    """Once the palette is gone from the screen."""
    app.set_timer(0.1, app.deliver_screenshot)


async def go_home(app: DeltadeckApp) -> None:
    """Leave one screen after the other as its own key does; one that asks something stays."""
    from tui.screens.home import HomeScreen

    backs = 0
    while not isinstance(app.screen, HomeScreen) and backs < _BACKS:
        before = app.screen
        if not await app.run_action("screen.back"):
            return
        backs = backs + 1 if app.screen is before else 0
