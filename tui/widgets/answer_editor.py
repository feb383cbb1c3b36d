"""The lab's editor: formulas, LaTeX, and Python with its colours and its indentation."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual.content import Content
from textual.events import Key

from tui.widgets.editor import Editor

#: Roles of the theme for kinds of tokens, the first that fits.
_COLOURS = (
    ("Token.Comment", "text-muted"),
    ("Token.Keyword", "text-accent"),
    ("Token.Operator.Word", "text-accent"),
    ("Token.Literal.String", "text-success"),
    ("Token.Literal.Number", "text-warning"),
    ("Token.Name.Function", "text-primary"),
    ("Token.Name.Builtin", "text-secondary"),
)
_INDENT = 4


class AnswerEditor(Editor):
    """`python` says whether the text is a function; then lines keep their indentation."""

    python: bool = False
    completed: Callable[[str, str], str] | None = None
    """How a line may go on that ends with the first text, in an answer that is the second."""
    _ENDS_BLOCK: ClassVar[re.Pattern[str]] = re.compile(r"\s*(return|pass|break|continue|raise)\b")

    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        if self.python:
            for start, end, style in self._coloured().get(line_index, ()):
                line.stylize(style, start, end)
        return line

    def _coloured(self) -> dict[int, list[tuple[int, int, str]]]:
        """Styles by line, of the text as it is now."""
        key = (self.text, self.app.theme)
        if key != getattr(self, "_coloured_for", None):
            self._coloured_for = key
            self._colours = _python(self.text, self.app.theme_variables)
        return self._colours

    @classmethod
    def made(
        cls, text: str, placeholder: Content, longest: int, completed: Callable[[str, str], str]
    ) -> AnswerEditor:
        """The one of the lab; its cursor stands still, so that nothing moves but what is typed."""
        editor = cls(text, id="answer", placeholder=placeholder, soft_wrap=True)
        editor.cursor_blink = editor.highlight_cursor_line = False
        editor.longest, editor.completed = longest, completed
        return editor

    # Suggestions: faint, behind the cursor; the right arrow, which has nowhere to go, takes one.

    def update_suggestion(self) -> None:
        row, column = self.cursor_location
        line = self.document.get_line(row)
        at_end = column == len(line) and self.selection.is_empty
        self.suggestion = self.completed(line, self.text) if at_end and self.completed else ""

    def watch_selection(self) -> None:
        self.update_suggestion()

    # Indentation.

    async def _on_key(self, event: Key) -> None:
        if self.python and event.key == "enter":
            event.stop()
            event.prevent_default()
            self._replace_via_keyboard("\n" + self._next_indent(), *self.selection)
        elif self.python and event.key == "tab" and not self._before().strip():
            event.stop()
            event.prevent_default()
            room = _INDENT - len(self._before()) % _INDENT
            self._replace_via_keyboard(" " * room, *self.selection)
        else:
            await super()._on_key(event)

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

    def _next_indent(self) -> str:
        before = self._before()
        own = before[: len(before) - len(before.lstrip(" "))]
        if before.rstrip().endswith(":"):
            return own + " " * _INDENT
        return own[:-_INDENT] if self._ENDS_BLOCK.match(before) else own


def _python(text: str, variables: dict[str, str]) -> dict[int, list[tuple[int, int, str]]]:
    from pygments.lexers.python import PythonLexer

    found: dict[int, list[tuple[int, int, str]]] = {}
    line = column = 0
    for kind, piece in PythonLexer(stripnl=False, ensurenl=False).get_tokens(text):
        name = str(kind)
        role = next((role for prefix, role in _COLOURS if name.startswith(prefix)), "")
        style = _colour(variables.get(role, "")) if role else ""
        for number, part in enumerate(piece.split("\n")):
            if number:
                line, column = line + 1, 0
            if style and part:
                found.setdefault(line, []).append((column, column + len(part), style))
            column += len(part)
    return found


def _colour(value: str) -> str:
    """A theme's colour for Rich, which knows neither "auto" nor transparency."""
    from textual.color import Color, ColorParseError

    try:
        return Color.parse(value).rich_color.name
    except ColorParseError:
        return ""
