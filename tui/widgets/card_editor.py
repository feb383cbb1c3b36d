"""The editor of a card's source: marks at lines with problems, and a list of completions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.events import Key
from textual.strip import Strip
from textual.widgets.text_area import Selection

from tui.widgets.editor import Editor
from tui.writing.blanks import Place, next_blank
from tui.writing.snippets import inserted

if TYPE_CHECKING:
    from tui.widgets.completion_list import CompletionList
    from tui.writing.completing import Completion, Offer


UNDO = "Take back what was typed"
REDO = "Type again what was taken back"


class CardEditor(Editor):
    """While a list of completions is open, its keys are the list's; all others close it."""

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
        Binding("up", "choose(-1)", "Completion before", id="source.before", show=False),
        # With names, as a key whose action moves away takes those without one along.
        Binding("down", "cursor_down", "", id="source.down", show=False),
        Binding("up", "cursor_up", "", id="source.up", show=False),
        Binding("ctrl+z", "undo", "Undo", id="source.undo", show=False, tooltip=UNDO),
        Binding("ctrl+y", "redo", "Redo", id="source.redo", show=False, tooltip=REDO),
        Binding("escape", "close", "Close the list", id="source.close", show=False),
    ]

    popup: CompletionList | None = None
    is_new = False
    """Whether the text is a new card's, some of which is there to be written over."""
    _offer: Offer | None = None
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
    def _blank(self) -> tuple[Place, Place] | None:
        return next_blank(self.document.lines, self.cursor_location)

    def action_next_blank(self) -> None:
        """Select it, so that what is typed takes its place."""
        if (blank := self._blank) is not None:
            self.selection = Selection(*blank)

    # Completions.

    def offer(self, found: Offer | None) -> None:
        """Open the list below the cursor, or close it."""
        self._offer = found if self.has_focus else None
        if self.popup is not None:
            found_now = self._offer.completions if self._offer else ()
            self.popup.show(found_now, self.cursor_screen_offset)
        self.refresh_bindings()

    @property
    def offered(self) -> Offer | None:
        return self._offer

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        if action == "next_blank":
            return self.is_new and self._offer is None and bool(self._blank)
        if action == "take":
            return self._takes
        if action in ("undo", "redo"):
            return bool(self.history.undo_stack if action == "undo" else self.history.redo_stack)
        return self._offer is not None or action not in ("accept", "close", "choose")

    async def _on_key(self, event: Key) -> None:
        if event.key == "tab" and self._offer is None and not (self.is_new and self._blank):
            event.stop()
            event.prevent_default()
            self.insert(" " * self.indent_width)
            return
        await super()._on_key(event)

    @property
    def _takes(self) -> bool:
        """Whether enter takes what is offered: where one chose it, or what is begun goes on so."""
        if self._offer is None or self.popup is None:
            return False
        row, column = self.cursor_location
        written = self.document.get_line(row)[self._offer.place.column : column]
        return self.popup.moved or self._offer.follows(written, self.popup.chosen)

    def action_take(self) -> None:
        self.action_accept()

    def action_choose(self, step: int) -> None:
        if self.popup is not None and self._offer is not None:
            self.popup.step(step)
            self.refresh_bindings()

    def action_close(self) -> None:
        self.offer(None)

    def action_accept(self) -> None:
        if self._offer is None or self.popup is None:
            return
        self.complete(self.popup.chosen)

    def complete(self, chosen: Completion) -> None:
        """Put a completion in the place of what is written."""
        if self._offer is None:
            return
        place, (row, column) = self._offer.place, self.cursor_location
        text, before = inserted(chosen.text)
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
