"""SettingsScreen: every setting with its value, the collection's and each course's."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from deck.config import Config, Setting, settings_text
from deck.errors import CollectionError
from deck.files import CONFIG, DATA_DIR
from deck.settings import (
    GROUPS,
    THEME,
    SettingError,
    next_of,
    put_settings,
    shown,
    typed,
    write_setting,
)
from tui.screens.base import DeckScreen
from tui.text import visible, visible_line
from tui.theme import DARK, LIGHT
from tui.widgets.frame import Footer, KeyedList, TopLine

if TYPE_CHECKING:
    from pathlib import Path

    from deck.settings import Value

#: Columns of a row: what a setting is called, and its value.
_LABEL, _VALUE = 22, 22
_DEFAULT = "Back to the default"


class SettingField(Input):
    """The line in which a value is written; hidden until one is asked for."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Set", id="settings.set", tooltip="Leave empty for the default")
    ]


class SettingsScreen(DeckScreen[None]):
    """A change is written at once, and can be taken back while the screen is open."""

    # A share of the width would be cut by the margins of what stands below.
    DEFAULT_CSS = "SettingsScreen #settings { width: 100%; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l", "turn(1)", "Next value", id="settings.next", show=False),
        Binding("left,h", "turn(-1)", "Previous value", id="settings.before", show=False),
        Binding("c", "course", "Course", id="settings.course", tooltip="Settings of a course"),
        Binding(
            *("backspace", "default", "Default"),
            id="settings.default",
            key_display="⌫",
            tooltip=_DEFAULT,
        ),
        Binding("u", "undo", "Undo", id="settings.undo", tooltip="Undo the last change"),
        Binding("escape,q", "back", "Back", id="settings.back", key_display="esc"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._course = ""
        """The course whose settings are shown; empty: the collection's."""
        self._changes: list[tuple[str, str]] = []
        """The file's text before and after each change that was made here."""
        self._rows: list[Setting | None] = []
        """Of each row its setting; None of a heading."""

    def compose(self) -> ComposeResult:
        yield TopLine("Settings")
        yield KeyedList("Change", id="settings")
        yield Static("", id="about", markup=False)
        yield SettingField(id="value", select_on_focus=True, compact=True)
        yield Footer()

    def on_mount(self) -> None:
        self._field.display = False
        self._fill()
        self._list.focus()

    def collection_changed(self) -> None:
        self._fill()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """What holds by default has no default to go back to."""
        if action == "default":
            return self._setting is not None and self._value(self._setting)[1]
        return action != "undo" or bool(self._changes)

    def place(self) -> str:
        return self._course

    @property
    def _list(self) -> KeyedList:
        return self.query_one("#settings", KeyedList)

    @property
    def _field(self) -> SettingField:
        return self.query_one(SettingField)

    @property
    def _setting(self) -> Setting | None:
        """The one under the cursor."""
        at = self._list.highlighted
        return self._rows[at] if at is not None and at < len(self._rows) else None

    # What is shown.

    def _fill(self) -> None:
        rows, options = self._list, list[Option]()
        at = rows.highlighted
        self._rows = []
        for name, group in GROUPS.items():
            settings = [
                setting
                for setting in group
                if setting.scope == "both" or (setting.scope == "course") == bool(self._course)
            ]
            if settings:
                title = Content.styled(f"\n{name}" if options else name, "bold")
                options += [Option(title, disabled=True), *map(self._row, settings)]
                self._rows += [None, *settings]
        rows.clear_options()
        rows.add_options(options)
        rows.highlighted = 1 if at is None or at >= len(options) else at
        self.query_one(TopLine).right = self._course or "every course"
        self._tell()

    def _row(self, setting: Setting) -> Option:
        """What it is called, its value, and where that comes from unless it is set here."""
        value, is_own = self._value(setting)
        whence = "as the collection" if self._course and value else "default"
        if setting.scope == "course":
            whence = "not set"
        if setting.key == THEME:
            whence = "as the terminal"
        row = Content.assemble(
            f"  {setting.label}".ljust(_LABEL),
            ((visible_line(value) or "–").ljust(_VALUE), "bold" if is_own else ""),
            ("" if is_own else whence, "dim"),
        )
        return Option(row)

    def _value(self, setting: Setting) -> tuple[str, bool]:
        """A setting's value as it holds here, and whether it is set here."""
        if setting.key == THEME:
            themes = self.deltadeck.themes
            return self.app.theme, themes is not None and self.app.theme != themes.suited
        config = self.collection.config
        value = getattr(config, setting.key, None)
        if not self._course:
            return shown(setting, value), value != getattr(Config(), setting.key)
        mine = getattr(config.courses.get(self._course), setting.key, None)
        return shown(setting, value if mine is None else mine), mine is not None

    @on(OptionList.OptionHighlighted)
    def _tell(self) -> None:
        self.refresh_bindings()
        if setting := self._setting:
            keys = " ".join(self.key(f"settings.{id}") for id in ("before", "next"))
            choices = f"  {keys} {', '.join(setting.offered) or 'turn'}" if setting.turns else ""
            self.query_one("#about", Static).update(visible(f"{setting.help}{choices}"))

    # What is changed.

    @on(OptionList.OptionSelected)
    def _change(self) -> None:
        if (setting := self._setting) is None:
            return
        if setting.turns:
            self.action_turn(1)
        else:
            # Written over the value as it is.
            self._field.value, self._field.display = self._value(setting)[0], True
            self._field.focus()

    def action_turn(self, step: int) -> None:
        if (setting := self._setting) is None or not setting.turns:
            return
        if setting.key == THEME:
            ours, every = (DARK, LIGHT), self.app.available_themes
            themes = sorted(every, key=lambda name: (name not in ours, name))
            self.app.theme = next_of(themes, self.app.theme, step)
            self._fill()
        else:
            value = next_of(setting.offered, self._value(setting)[0], step)
            self._put(setting, typed(setting, value))

    @on(Input.Submitted, "#value")
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if (setting := self._setting) is None:
            return
        try:
            value = typed(setting, event.value) if event.value.strip() else None
        except SettingError as error:
            said = Content.styled(visible(str(error)), "$text-error")
            self.query_one("#about", Static).update(said)
            return
        self._close_field()
        self._put(setting, value)

    def action_default(self) -> None:
        if (setting := self._setting) is None:
            return
        if setting.key != THEME:
            self._put(setting, None)
        elif themes := self.deltadeck.themes:
            self.app.theme = themes.forget()
            self._fill()

    @property
    def _file(self) -> Path:
        return self.collection.root / DATA_DIR / CONFIG

    def _put(self, setting: Setting, value: Value | None) -> None:
        table = ("courses", self._course) if self._course else ()
        try:
            change = write_setting(self._file, setting.key, value, table)
        except CollectionError as error:
            self.deltadeck.say(str(error), error=True)
            return
        if change[0] != change[1]:
            self._changes.append(change)
        self._taken_up()

    def action_undo(self) -> None:
        before, after = self._changes[-1]
        try:
            if settings_text(self._file) == after:
                put_settings(self._file, before)
                self._changes.pop()
            else:
                self._changes.clear()
                said = "Another program changed the settings since: nothing was taken back."
                self.deltadeck.say(said, error=True)
        except CollectionError as error:
            self.deltadeck.say(str(error), error=True)
        except OSError as error:
            self.deltadeck.say(f"The settings cannot be written: {error.strerror}.", error=True)
        else:
            self._taken_up()

    def _taken_up(self) -> None:
        if self.deltadeck.reread():
            self._fill()

    def action_course(self) -> None:
        """The next course's settings, after the last one the collection's again."""
        decks = self.collection.decks(self.deltadeck.clock())
        names = ["", *(deck.name for deck in decks if deck.depth == 0 and deck.name)]
        at = names.index(self._course) if self._course in names else 0
        self._course = names[(at + 1) % len(names)]
        self._fill()

    # Leaving.

    def action_back(self) -> None:
        if self._field.display:
            self._close_field()
            self._tell()
        else:
            self.dismiss(None)

    def _close_field(self) -> None:
        self._field.display = False
        self._list.focus()
