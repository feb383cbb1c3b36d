"""A question with a few answers, each on a key."""

from __future__ import annotations

from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.events import Click
from textual.screen import ModalScreen
from textual.style import Style
from textual.widgets import Static

from tui.text import visible


@dataclass(frozen=True, slots=True)
class Choice:
    key: str
    result: str
    """What the screen returns."""
    label: str


class ConfirmScreen(ModalScreen[str]):
    """Returns the `result` of the choice taken; escape takes the last one."""

    def __init__(self, question: str, choices: tuple[Choice, ...]) -> None:
        super().__init__()
        self._question = question
        self._choices = choices
        for choice in choices:
            self._bindings.bind(choice.key, f"take('{choice.result}')", choice.label)
        self._bindings.bind("escape", f"take('{choices[-1].result}')", show=False)

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(visible(self._question), markup=False)
            yield ChoicesLine(self._choices)

    def on_mount(self) -> None:
        self.app.clear_notifications()  # what was said before must not lie over the answers

    def action_take(self, result: str) -> None:
        self.dismiss(result)


class ChoicesLine(Static):
    """The choices with their keys; a click on one takes it."""

    def __init__(self, choices: tuple[Choice, ...]) -> None:
        super().__init__(keys_line(choices), classes="keys")
        self._choices = choices

    def on_click(self, event: Click) -> None:
        meta = event.style.meta.get("choice")
        if isinstance(meta, str):
            self.screen.dismiss(meta)


def keys_line(choices: tuple[Choice, ...]) -> Content:
    """On one line, or broken between choices: a no-break space keeps each in one piece."""
    return Content("    ").join(
        Content.assemble(
            (choice.key, "bold $footer-key-foreground"), f" {choice.label}".replace(" ", "\xa0")
        ).stylize(Style.from_meta({"choice": choice.result}))
        for choice in choices
    )
