"""A question about two texts, with what differs between them."""

from __future__ import annotations

import difflib
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from tui.screens.confirm import Choice, ChoicesLine, ConfirmScreen
from tui.text import visible
from tui.widgets.step_scroll import StepScroll

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
