"""SettingsScreen: every setting with its value."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from deck.config import Setting
from deck.settings import GROUPS, THEME, RefusedError, default_of, next_of, shown, typed
from tui.keymap import key_for
from tui.screens.base import DeckScreen
from tui.text import one_line, visible
from tui.theme import DARK, LIGHT
from tui.widgets.frame import Footer, KeyedList, TopLine

if TYPE_CHECKING:
    from deck.settings import Value

# Settings: every one with its value, changed in place, the collection's and each course's.


class SettingsScreen(DeckScreen[None]):
    """A change is written at once, and can be taken back while the screen is open."""

    # A share of the width would be cut by the margins of what stands below.
    DEFAULT_CSS = "SettingsScreen #settings { width: 100%; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l", "turn(1)", "Next value", id="settings.next", show=False),
        Binding("left,h", "turn(-1)", "Value before", id="settings.before", show=False),
        Binding("c", "course", "Course", id="settings.course", tooltip="Settings of a course"),
        Binding(
            "backspace", "default", "Default", id="settings.default", key_display="⌫",
            tooltip="What holds where nothing is set",
        ),
        Binding("u", "undo", "Undo", id="settings.undo", tooltip="Take the last change back"),
        Binding("escape,q", "back", "Back", id="settings.back", key_display="esc"),
    ]  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._course = ""
        """The course whose settings are shown; empty: the collection's."""
        self._before: list[str] = []
        self._rows: list[Setting | None] = []

    def compose(self) -> ComposeResult:
        yield TopLine("Settings")
        yield KeyedList("Change", id="settings")
        yield Static("", id="about", markup=False)
        yield SettingField("value")
        yield Footer()

    def on_mount(self) -> None:
        self._fill()
        self._list.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """What holds by default has no default to go back to."""
        setting = self._setting if self._rows else None
        if action == "default":
            return setting is not None and self._value(setting)[1]
        return action != "undo" or bool(self._before)

    def place(self) -> str:
        return self._course

    @property
    def _list(self) -> KeyedList:
        return self.query_one("#settings", KeyedList)

    # What is shown.

    def _fill(self) -> None:
        rows = self._list
        at = rows.highlighted
        rows.clear_options()
        self._rows = []
        options = []
        for group in GROUPS:
            settings = [one for one in group.settings if self._is_here(one)]
            if not settings:
                continue
            title = Content.styled(f"\n{group.name}" if self._rows else group.name, "bold")
            options.append(Option(title, disabled=True))
            options += [Option(self._row(one)) for one in settings]
            self._rows += [None, *settings]
        rows.add_options(options)
        rows.highlighted = 1 if at is None or at >= len(options) else at
        self.query_one(TopLine).right = self._course or "every course"
        self._tell()

    def _is_here(self, setting: Setting) -> bool:
        return setting.scope == "both" or (setting.scope == "course") == bool(self._course)

    def _row(self, setting: Setting) -> Content:
        return row_of(setting, *self._value(setting), bool(self._course))

    def _value(self, setting: Setting) -> tuple[str, bool]:
        """A setting's value as it holds here, and whether it is set here."""
        if setting.key == THEME:
            themes = self.deltadeck.themes
            return self.app.theme, themes is not None and self.app.theme != themes.suited
        config = self.deltadeck.open_collection.config
        if self._course:
            mine = getattr(config.courses.get(self._course), setting.key, None)
            if mine is not None:
                return shown(setting, mine), True
            return shown(setting, getattr(config, setting.key, None)), False
        value = getattr(config, setting.key)
        return shown(setting, value), value != default_of(setting.key)

    @property
    def _setting(self) -> Setting | None:
        at = self._list.highlighted
        return self._rows[at] if at is not None and at < len(self._rows) else None

    @on(OptionList.OptionHighlighted)
    def _tell(self) -> None:
        self.refresh_bindings()
        if setting := self._setting:
            keys = " ".join(key_for(self.app, f"settings.{id}") for id in ("before", "next"))
            choices = f"  {keys} {', '.join(setting.offered) or 'turn'}" if setting.turns else ""
            self._say(f"{setting.help}{choices}")

    def _say(self, words: str, trouble: bool = False) -> None:
        said = Content.styled(visible(words), "$text-error" if trouble else "")
        self.query_one("#about", Static).update(said)

    # What is changed.

    @on(OptionList.OptionSelected)
    def _change(self) -> None:
        if (setting := self._setting) is None:
            return
        if setting.turns:
            self.action_turn(1)
            return
        self.query_one(SettingField).ask(self._value(setting)[0])

    def action_turn(self, step: int) -> None:
        if (setting := self._setting) is None or not setting.turns:
            return
        if setting.key == THEME:
            self._turn_theme(step)
            return
        value = next_of(setting.offered, self._value(setting)[0], step)
        self._put(setting, typed(setting, value))

    def _turn_theme(self, step: int) -> None:
        themes = sorted(
            self.app.available_themes, key=lambda name: (name not in (DARK, LIGHT), name)
        )
        self.app.theme = next_of(themes, self.app.theme, step)
        self._fill()

    @on(Input.Submitted, "#value")
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if (setting := self._setting) is None:
            return
        try:
            value = typed(setting, event.value) if event.value.strip() else None
        except RefusedError as error:
            self._say(str(error), trouble=True)
            return
        self._close_field()
        self._put(setting, value)

    @property
    def _file(self) -> Path:
        from deck.files import CONFIG, DATA_DIR

        return self.deltadeck.open_collection.root / DATA_DIR / CONFIG

    def action_default(self) -> None:
        if (setting := self._setting) is None:
            return
        if setting.key == THEME:
            if themes := self.deltadeck.themes:
                self.app.theme = themes.forget()
            self._fill()
        else:
            self._put(setting, None)

    def _put(self, setting: Setting, value: Value | None) -> None:
        from deck.errors import CollectionError
        from deck.settings import write_setting

        table = ("courses", self._course) if self._course else ()
        try:
            before, after = write_setting(self._file, setting.key, value, table)
        except CollectionError as error:
            self.deltadeck.say(str(error), error=True)
            return
        if before != after:
            self._before.append(before)
        self._taken_up()

    def action_undo(self) -> None:
        from deck.settings import put_settings

        try:
            put_settings(self._file, self._before[-1])
        except OSError as error:
            self.deltadeck.say(f"The settings cannot be written: {error.strerror}.", error=True)
            return
        self._before.pop()
        self._taken_up()

    def _taken_up(self) -> None:
        if self.deltadeck.reread():
            self._fill()

    def action_course(self) -> None:
        """The next course's settings, after the last one the collection's again."""
        now = self.deltadeck.clock()
        decks = self.deltadeck.open_collection.decks(now)
        names = ["", *(deck.name for deck in decks if deck.depth == 0 and deck.name)]
        at = names.index(self._course) if self._course in names else 0
        self._course = names[(at + 1) % len(names)]
        self._fill()

    # Leaving.

    def action_back(self) -> None:
        if self.query_one(SettingField).display:
            self._close_field()
            self._tell()
        else:
            self.dismiss(None)

    def _close_field(self) -> None:
        self.query_one(SettingField).display = False
        self._list.focus()


# The line in which a setting's value is written.


class SettingField(Input):
    """Hidden until a value is asked for."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Set", id="settings.set", tooltip="Empty: what holds by default")
    ]

    def __init__(self, id: str) -> None:
        super().__init__(id=id, select_on_focus=True, compact=True)
        self.display = False

    def ask(self, value: str) -> None:
        """Begin to write, over the value as it is."""
        self.value, self.display = value, True
        self.focus()


# A setting's row: what it is called, its value, and whose that is.

_LABEL, _VALUE = 22, 22


def row_of(setting: Setting, value: str, is_own: bool, is_course: bool) -> Content:
    """`is_own`: it is set here; `is_course`: here is a course, not the collection."""
    return Content.assemble(
        f"  {setting.label}".ljust(_LABEL),
        ((one_line(value) or "–").ljust(_VALUE), "bold" if is_own else ""),
        ("" if is_own else _from(setting, value, is_course), "dim"),
    )


def _from(setting: Setting, value: str, is_course: bool) -> str:
    """Where a value comes from that is not set here."""
    if setting.key == THEME:
        return "as the terminal"
    if setting.scope == "course":
        return "not set"
    return "as the collection" if is_course and value else "default"
