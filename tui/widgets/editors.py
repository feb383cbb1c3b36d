"""Text editors: answers, cards, completions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar, cast

from rich.segment import Segment
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.color import Color, ColorParseError
from textual.content import Content
from textual.events import Key, Paste
from textual.geometry import Offset
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import TextArea
from textual.widgets.text_area import Selection

from tui.page.layout import coloured
from tui.page.model import ROLES
from tui.text import visible, visible_line
from tui.widgets.card_completion import Position, inserted, next_blank
from tui.widgets.frame import hidden

if TYPE_CHECKING:
    from tui.terminal import TerminalApp
    from tui.widgets.card_completion import Completion, Offer

#: What an editor takes: in a longer text each key would wait for more than 100 ms.
LONGEST, MOST_LINES = 100_000, 5_000


def excess(text: str, longest: int = LONGEST) -> str:
    """What is too much about a text; "" where it can be edited here."""
    if len(text) > longest:
        return f"it has {len(text):,} characters, and {longest:,} fit here"
    lines = text.count("\n") + 1
    return f"it has {lines:,} lines, and {MOST_LINES:,} fit here" if lines > MOST_LINES else ""


UNDO = "Undo what was typed"
REDO = "Redo what was undone"


class Editor(TextArea):
    """Plain text, edited; what is shown of a line is `visible`, so that control characters never
    reach the terminal, what is kept is the line."""

    BINDINGS: ClassVar[list[BindingType]] = [
        hidden("ctrl+z", "undo", "Undo", id="editor.undo", tooltip=UNDO),
        hidden("ctrl+y", "redo", "Redo", id="editor.redo", tooltip=REDO),
        hidden("ctrl+a", "select_all", "Select all", id="editor.select-all"),
        hidden("ctrl+left", "cursor_word_left", "Word back", id="editor.word-back"),
        hidden("ctrl+right", "cursor_word_right", "Word on", id="editor.word-on"),
        hidden("ctrl+w", "delete_word_left", "Delete the word before", id="editor.cut-back"),
        hidden("ctrl+delete", "delete_word_right", "Delete the word behind", id="editor.cut-on"),
    ]

    longest = LONGEST
    """Characters that pasting may make of the text."""

    def get_line(self, line_index: int) -> Text:
        return Text(visible(self.document.get_line(line_index)), end="", no_wrap=True)

    async def _on_key(self, event: Key) -> None:
        # As a rule a bound key goes up to the app before its action is run, and of a fast burst
        # the letters behind it are in the text by then.
        if not event.is_printable:
            for binding in self._bindings.key_to_bindings.get(event.key, ()):
                if await self.app.run_action(binding.action, self):
                    event.stop()
                    event.prevent_default()
                    return
        await super()._on_key(event)

    def on_paste(self, event: Paste) -> None:
        if self._is_too_long(event.text):
            event.stop()
            event.prevent_default()

    def action_paste(self) -> None:
        if not self._is_too_long(self.app.clipboard):
            super().action_paste()

    def _is_too_long(self, text: str) -> bool:
        kept = self.text.replace(self.selected_text, "", 1)
        if too_much := excess(kept + text, self.longest):
            said = f"Nothing was pasted, for the text would be too large: {too_much}."
            cast("TerminalApp", self.app).say(said, error=True)
        return bool(too_much)


#: The name of a colour of the theme in a role's look.
_COLOUR = re.compile(r"\$([\w-]+)")
_INDENT = 4


class AnswerEditor(Editor):
    """The lab's: formulas, LaTeX, and Python with its colours and its indentation."""

    python = False
    """Whether the text is a function; then lines keep their indentation."""
    _ENDS_BLOCK: ClassVar[re.Pattern[str]] = re.compile(r"\s*(return|pass|break|continue|raise)\b")

    def __init__(
        self, text: str, placeholder: Content, longest: int, completed: Callable[[str, str], str]
    ) -> None:
        """`completed`: how a line may go on that ends with its first text, in an answer that is the
        second.  The cursor stands still, so that nothing moves but what is typed."""
        self._completed = completed
        self._colours: tuple[object, _Styles] = (None, {})
        super().__init__(text, id="answer", placeholder=placeholder, soft_wrap=True)
        self.cursor_blink = self.highlight_cursor_line = False
        self.longest = longest

    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        if self.python:
            key = (self.text, self.app.theme)
            if key != self._colours[0]:
                self._colours = key, _python(self.text, self.app.theme_variables)
            for start, end, style in self._colours[1].get(line_index, ()):
                line.stylize(style, start, end)
        return line

    # Suggestions: faint, behind the cursor; the right arrow, which has nowhere to go, takes one.

    def update_suggestion(self) -> None:
        row, column = self.cursor_location
        line = self.document.get_line(row)
        at_end = column == len(line) and self.selection.is_empty
        self.suggestion = self._completed(line, self.text) if at_end else ""

    def watch_selection(self) -> None:
        self.update_suggestion()

    # Indentation.

    async def _on_key(self, event: Key) -> None:
        before, typed = self._before(), None
        if self.python and event.key == "enter":
            typed = "\n" + self._next_indent(before)
        elif self.python and event.key == "tab" and not before.strip():
            typed = " " * (_INDENT - len(before) % _INDENT)
        if typed is None:
            await super()._on_key(event)
            return
        event.stop()
        event.prevent_default()
        self._replace_via_keyboard(typed, *self.selection)

    def action_delete_left(self) -> None:
        before = self._before()
        if self.python and self.selection.is_empty and before and not before.strip(" "):
            row, column = self.cursor_location
            back = (column - 1) % _INDENT + 1
            self._delete_via_keyboard((row, column - back), (row, column))
            return
        super().action_delete_left()

    def _before(self) -> str:
        row, column = self.cursor_location
        return self.document.get_line(row)[:column]

    def _next_indent(self, before: str) -> str:
        own = before[: len(before) - len(before.lstrip(" "))]
        if before.rstrip().endswith(":"):
            return own + " " * _INDENT
        return own[:-_INDENT] if self._ENDS_BLOCK.match(before) else own


_Styles = dict[int, list[tuple[int, int, str]]]
"""By line: from and to which column, and the style."""


def _python(text: str, variables: dict[str, str]) -> _Styles:
    found: _Styles = {}
    line = column = 0
    for piece, role in coloured(text, "python"):
        named = _COLOUR.search(ROLES[role][1]) if role else None
        for number, part in enumerate(piece.split("\n")):
            if number:
                line, column = line + 1, 0
            if named and part:
                # Rich knows neither "auto" nor transparency.
                with suppress(ColorParseError):
                    style = Color.parse(variables.get(named[1], "")).rich_color.name
                    found.setdefault(line, []).append((column, column + len(part), style))
            column += len(part)
    return found


class CardEditor(Editor):
    """The editor of a card's source, with marks at lines that have problems.

    While a list of completions is open, its keys are the list's; all others close it.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"gutter--error", "gutter--warning"}
    DEFAULT_CSS = """
    CardEditor .gutter--error { color: $text-error; }
    CardEditor .gutter--warning { color: $text-warning; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        # Before the other one: the footer shows the first key of those that do the same.
        Binding("enter", "take", "Complete", id="source.take", key_display="enter"),
        Binding("tab", "accept", "Complete", id="source.accept", key_display="tab"),
        Binding("tab", "next_blank", "Next blank", id="source.next-blank", key_display="tab"),
        Binding("down", "choose(1)", "Next completion", id="source.next", show=False),
        Binding("up", "choose(-1)", "Previous completion", id="source.before", show=False),
        # With names, as a key whose action moves away takes those without one along.
        Binding("down", "cursor_down", "", id="source.down", show=False),
        Binding("up", "cursor_up", "", id="source.up", show=False),
        Binding("escape", "close", "Close the list", id="source.close", show=False),
    ]

    popup: CompletionList | None = None
    is_new = False
    """Whether the text is a new card's, some of which is there to be written over."""
    offered: Offer | None = None
    _marks: Mapping[int, str] = {}

    # Problems.

    def mark(self, lines: Mapping[int, str]) -> None:
        """Marks in the gutter: a line (from 0) to "error" or "warning"."""
        if lines != self._marks:
            self._marks = dict(lines)
            self._line_cache.clear()
            self.refresh()

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        if not self._marks or not self.show_line_numbers:
            return strip
        try:
            line, section = self.wrapped_document._offset_to_line_info[y + self.scroll_offset.y]
        except IndexError:
            return strip
        if section or line not in self._marks:
            return strip
        at = self.gutter_width - 2
        style = self.get_component_rich_style(f"gutter--{self._marks[line]}")
        sign = Strip([Segment("●", style)], 1)
        return Strip.join([strip.crop(0, at), sign, strip.crop(at + 1)])

    # What a new card leaves to be written over.

    @property
    def _blank(self) -> tuple[Position, Position] | None:
        return next_blank(self.document.lines, self.cursor_location)

    def action_next_blank(self) -> None:
        """Select it, so that what is typed takes its place."""
        if (blank := self._blank) is not None:
            self.selection = Selection(*blank)

    # Completions.

    def offer(self, found: Offer | None) -> None:
        """Open the list below the cursor, or close it."""
        self.offered = found if self.has_focus else None
        if self.popup is not None:
            completions = self.offered.completions if self.offered else ()
            self.popup.show(completions, self.cursor_screen_offset)
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        if action == "next_blank":
            return self.is_new and self.offered is None and bool(self._blank)
        if action == "take":
            return self._takes
        if action in ("undo", "redo"):
            return bool(self.history.undo_stack if action == "undo" else self.history.redo_stack)
        return self.offered is not None or action not in ("accept", "close", "choose")

    async def _on_key(self, event: Key) -> None:
        if event.key == "tab" and self.offered is None and not (self.is_new and self._blank):
            event.stop()
            event.prevent_default()
            self.insert(" " * self.indent_width)
            return
        await super()._on_key(event)

    @property
    def _takes(self) -> bool:
        """Whether enter takes what is offered: where one chose it, or what is begun goes on so."""
        if self.offered is None or self.popup is None:
            return False
        row, column = self.cursor_location
        written = self.document.get_line(row)[self.offered.place.column : column]
        return self.popup.moved or self.offered.follows(written, self.popup.chosen)

    def action_take(self) -> None:
        self.action_accept()

    def action_choose(self, step: int) -> None:
        if self.popup is not None and self.offered is not None:
            self.popup.step(step)
            self.refresh_bindings()

    def action_close(self) -> None:
        self.offer(None)

    def action_accept(self) -> None:
        """Put a completion in the place of what is written."""
        if self.offered is None or self.popup is None:
            return
        place, (row, column) = self.offered.place, self.cursor_location
        text, before = inserted(self.popup.chosen.text)
        # What the list would write a second time: the brackets behind a link.
        behind = self.document.get_line(row)[column:]
        if text.endswith("]]") and behind.startswith("]]"):
            text = text.removesuffix("]]")
        self.offer(None)
        self.replace(text, (row, place.column), (row, column), maintain_selection_offset=False)
        lines = text[:before].split("\n")
        end = place.column + before if len(lines) == 1 else len(lines[-1])
        self.move_cursor((row + len(lines) - 1, end))

    def on_blur(self) -> None:
        self.offer(None)


_WIDEST = 60


class CompletionList(Widget):
    """What can be completed, below the cursor and over everything else.  It never has the focus:
    the editor passes its keys on."""

    DEFAULT_CSS = """
    CompletionList {
        position: absolute; overlay: screen; constrain: inside inflect; display: none;
        width: auto; height: auto; background: $panel; color: $foreground; padding: 0 1;
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._found: Sequence[Completion] = ()
        self._at = 0
        self.moved = False
        """Whether the learner chose among them."""

    @property
    def chosen(self) -> Completion:
        return self._found[self._at]

    def show(self, found: Sequence[Completion], cursor: Offset) -> None:
        """Open at `cursor`, a place on the screen; nothing found closes it."""
        self._found, self._at, self.moved = found, 0, False
        self.display = bool(found)
        if found:
            self.absolute_offset = cursor + Offset(0, 1)
            self.refresh(layout=True)

    def step(self, step: int) -> None:
        self._at, self.moved = (self._at + step) % len(self._found), True
        self.refresh()

    def render(self) -> Content:
        width = max((len(one.label) for one in self._found), default=0)
        rows = []
        for at, one in enumerate(self._found):
            about = visible_line(one.about)
            row = Content.assemble(
                one.label.ljust(width), (f"  {about}" if about else "", "$foreground-muted")
            ).truncate(_WIDEST, ellipsis=True)
            rows.append(row.stylize("reverse") if at == self._at else row)
        return Content("\n").join(rows)
