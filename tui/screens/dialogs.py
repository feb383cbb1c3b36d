"""Questions with a few answers, a difference of two texts, the keys of a screen."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Click
from textual.screen import ModalScreen
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Static

from tui.keymap import KeyAction, key_for
from tui.text import labelled, visible
from tui.widgets.frame import KeyedScroll, StepScroll, scrolling


@dataclass(frozen=True, slots=True)
class Choice:
    key: str
    result: str
    """What the screen returns."""
    label: str


class ConfirmScreen(ModalScreen[str]):
    """A question; returns the `result` of the choice taken, by its key or a click.  Escape takes
    the last one."""

    def __init__(self, question: str, choices: tuple[Choice, ...]) -> None:
        super().__init__()
        self._question = question
        self._choices = choices
        for choice in choices:
            self._bindings.bind(choice.key, f"take('{choice.result}')", choice.label)
        self._bindings.bind("escape", f"take('{choices[-1].result}')", show=False)

    def compose(self) -> ComposeResult:
        # On one line, or broken between choices: a no-break space keeps each in one piece.
        choices = Content("    ").join(
            Content.assemble(
                (choice.key, "bold $footer-key-foreground"),
                f" {choice.label}".replace(" ", "\xa0"),
            ).stylize(Style.from_meta({"choice": choice.result}))
            for choice in self._choices
        )
        with Vertical(classes="box"):
            yield Static(visible(self._question), markup=False)
            yield from self.details()
            yield Static(choices, classes="keys")

    def details(self) -> Iterator[Widget]:
        """What stands between the question and its answers."""
        yield from ()

    def on_mount(self) -> None:
        self.app.clear_notifications()  # what was said before must not lie over the answers

    def on_click(self, event: Click) -> None:
        choice = event.style.meta.get("choice")
        if isinstance(choice, str):
            self.dismiss(choice)

    def action_take(self, result: str) -> None:
        self.dismiss(result)


#: Of a long difference, so many lines are shown.
_MOST = 2000


class DifferenceScreen(ConfirmScreen):
    """`ConfirmScreen` with the lines that only `mine`, or only `theirs`, has."""

    CSS = """
    DifferenceScreen .box { width: 90%; max-width: 110; height: 80%; }
    DifferenceScreen StepScroll {
        height: 1fr; margin: 1 0; background: $background; padding: 0 1;
        scrollbar-size-vertical: 1;
    }
    DifferenceScreen #difference { width: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*scrolling("difference", "space,pagedown,ctrl+d")]

    def __init__(
        self,
        question: str,
        choices: tuple[Choice, ...],
        theirs: str,
        mine: str,
        names: tuple[str, str] = ("the file", "yours"),
    ) -> None:
        super().__init__(question, choices)
        self._difference = difference(theirs, mine, names)

    def details(self) -> Iterator[Widget]:
        yield StepScroll(Static(self._difference, id="difference"), can_focus=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        return action not in ("lines", "pages") or self.query_one(StepScroll).scrolls

    def action_lines(self, lines: int) -> None:
        self.query_one(StepScroll).scroll_lines(lines)

    def action_pages(self, pages: int) -> None:
        self.query_one(StepScroll).scroll_pages(pages)


def difference(theirs: str, mine: str, names: tuple[str, str] = ("the file", "yours")) -> Content:
    """Line by line: `-` only theirs, `+` only mine, with three lines around."""
    rows = list(difflib.unified_diff(theirs.splitlines(), mine.splitlines(), lineterm="", n=3))
    shown = [Content.styled(f"- {names[0]}", "$text-error")]
    shown.append(Content.styled(f"+ {names[1]}", "$text-success"))
    # The first two are the names of the files.
    for row in rows[2 : _MOST + 1]:
        text, style = visible(row.expandtabs(4)), ""
        if row.startswith("@@"):
            text, style = "⋯", "dim"
        elif row.startswith(("-", "+")):
            style = "$text-error" if row.startswith("-") else "$text-success"
        shown.append(Content.styled(text, style))
    if len(rows) > _MOST + 1:
        shown.append(Content.styled("… and more", "dim"))
    return Content("\n").join(shown)


Notes = Sequence[tuple[str, Sequence[tuple[str, str]]]]
"""Titles, each with its rows: a sign or a word, and what it means."""
#: Columns that the box takes beside its text: border, padding, scroll bar.
_EDGES = 9
_NAMES = "What the actions are called in config.toml"


class HelpScreen(ModalScreen[None]):
    """The keys of the screen beneath, and what else it says of itself; `i` shows the names by which
    config.toml gives it other keys."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1,enter,space", "close", "Close", id="help.close"),
        Binding("i", "names", "Names", id="help.names", tooltip=_NAMES),
    ]

    def __init__(self, deeds: list[KeyAction], notes: Notes = ()) -> None:
        super().__init__()
        self._deeds, self._notes = deeds, notes
        self._names = False

    def compose(self) -> ComposeResult:
        with KeyedScroll(classes="box"):
            yield Static("Keys here", classes="title", markup=False)
            yield Static(id="keys")
            yield Static(classes="keys", markup=False, id="below")

    def on_resize(self) -> None:
        rows = [
            (" ".join(deed.keys), " ".join(deed.ids) if self._names else deed.words)
            for deed in self._deeds
        ]
        # What stands in the box.
        width = max(20, self.app.size.width * 9 // 10 - _EDGES)
        style = "bold $footer-key-foreground"
        parts = [labelled(rows, width, style)]
        for title, notes in self._notes:
            parts += [Content.styled(f"\n{title}\n", "bold"), labelled(notes, width, style)]
        self.query_one("#keys", Static).update(Content("\n").join(parts))
        close, names = (key_for(self.app, f"help.{name}") for name in ("close", "names"))
        other = "what the keys do" if self._names else "the actions' names for config.toml"
        self.query_one("#below", Static).update(f"{close} closes this; {names} shows {other}")

    def action_names(self) -> None:
        self._names = not self._names
        self.on_resize()

    def action_close(self) -> None:
        self.dismiss(None)
