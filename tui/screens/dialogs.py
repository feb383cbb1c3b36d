"""Questions with a few answers, a difference of two texts, the keys of a screen."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Click
from textual.screen import ModalScreen
from textual.style import Style
from textual.widgets import Static

from tui.keymap import KeyAction, key_for
from tui.text import labelled, visible
from tui.widgets.frame import KeyedScroll, StepScroll

# A question with a few answers, each on a key.


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


# A question about two texts, with what differs between them.

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
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "scroll(1)", "Down", id="difference.down", show=False),
        Binding("k,up", "scroll(-1)", "Up", id="difference.up", show=False),
        Binding(
            "space,pagedown,ctrl+d", "page(1)", "Page down", id="difference.page-down", show=False
        ),
        Binding("pageup,ctrl+u", "page(-1)", "Page up", id="difference.page-up", show=False),
    ]

    def __init__(
        self,
        question: str,
        choices: tuple[Choice, ...],
        theirs: str,
        mine: str,
        names: tuple[str, str] = ("the file", "yours"),
    ) -> None:
        super().__init__(question, choices)
        self._theirs, self._mine, self._names = theirs, mine, names

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(visible(self._question), markup=False)
            with StepScroll(can_focus=False):
                yield Static(difference(self._theirs, self._mine, self._names), id="difference")
            yield ChoicesLine(self._choices)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        return action not in ("scroll", "page") or self.query_one(StepScroll).scrolls

    def action_scroll(self, lines: int) -> None:
        self.query_one(StepScroll).scroll_lines(lines)

    def action_page(self, pages: int) -> None:
        self.query_one(StepScroll).scroll_pages(pages)


def difference(theirs: str, mine: str, names: tuple[str, str] = ("the file", "yours")) -> Content:
    """Line by line: `-` only theirs, `+` only mine, with three lines around."""
    rows = difflib.unified_diff(theirs.splitlines(), mine.splitlines(), lineterm="", n=3)
    shown = [
        Content.assemble((f"- {names[0]}\n", "$text-error"), (f"+ {names[1]}", "$text-success"))
    ]
    for number, row in enumerate(rows):
        if number < 2:  # the names of the files
            continue
        if number > _MOST:
            shown.append(Content.styled("… and more", "dim"))
            break
        text = visible(row.expandtabs(4))
        if row.startswith("@@"):
            shown.append(Content.styled("⋯", "dim"))
        elif row.startswith("-"):
            shown.append(Content.styled(text, "$text-error"))
        elif row.startswith("+"):
            shown.append(Content.styled(text, "$text-success"))
        else:
            shown.append(Content(text))
    return Content("\n").join(shown)


# `?`: the keys of the screen beneath.

#: Columns that the box takes beside its text: border, padding, scroll bar.
_EDGES = 9
_NAMES = "What the actions are called in config.toml"


class HelpScreen(ModalScreen[None]):
    """Each action with its keys; `i` shows the names by which config.toml gives it others."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1,enter,space", "close", "Close", id="help.close"),
        Binding("i", "names", "Names", id="help.names", tooltip=_NAMES),
    ]

    def __init__(self, deeds: list[KeyAction]) -> None:
        super().__init__()
        self._deeds = deeds
        self._names = False

    def compose(self) -> ComposeResult:
        with KeyedScroll(classes="box"):
            yield Static("Keys here", classes="title", markup=False)
            yield Static(id="keys")
            yield Static(classes="keys", markup=False, id="below")

    def on_resize(self) -> None:
        self._show()

    def _show(self) -> None:
        rows = [
            (" ".join(deed.keys), " ".join(deed.ids) if self._names else deed.words)
            for deed in self._deeds
        ]
        # What stands in the box.
        width = max(20, self.app.size.width * 9 // 10 - _EDGES)
        keys = labelled(rows, width, "bold $footer-key-foreground")
        self.query_one("#keys", Static).update(keys)
        close, names = (key_for(self.app, f"help.{name}") for name in ("close", "names"))
        other = "what they do" if self._names else "their names for config.toml"
        below = f"{close} closes this, {names} shows {other}"
        self.query_one("#below", Static).update(Content(below))

    def action_names(self) -> None:
        self._names = not self._names
        self._show()

    def action_close(self) -> None:
        self.dismiss(None)
