"""The options of a choice card: picked with their letters, marked after the reveal."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from cards.model import Option
from tui.widgets.markdown_text import inline


class OptionsView(Widget):
    """One option a line, wrapped under its text."""

    DEFAULT_CSS = """
    OptionsView { height: auto; width: 1fr; margin: 1 0 0 0; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._options: list[tuple[str, Content]] = []
        self._picked: frozenset[str] = frozenset()
        self._correct: tuple[str, ...] | None = None

    def show(
        self,
        options: tuple[Option, ...],
        picked: frozenset[str],
        correct: tuple[str, ...] | None,
    ) -> None:
        """`correct` is None before the reveal."""
        real = [option for option in options if not option.placeholder]
        self._options = [(option.letter, inline(option.text)) for option in real]
        self._picked, self._correct = picked, correct
        self.display = bool(real)
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return self._at(width).plain.count("\n") + 1 if self._options else 0

    def render(self) -> Content:
        return self._at(self.size.width)

    def _at(self, width: int) -> Content:
        lines: list[Content] = []
        for letter, text in self._options:
            sign, style = self._mark(letter)
            for row, line in enumerate(text.wrap(max(10, width - 6))):
                head = f" {sign} {letter}) " if row == 0 else " " * 6
                lines.append(Content.assemble((head, style), line.stylize(style)))
        return Content("\n").join(lines)

    def _mark(self, letter: str) -> tuple[str, str]:
        picked = letter in self._picked
        if self._correct is None:
            return ("▸", "bold $primary") if picked else (" ", "")
        if letter in self._correct:
            return "✓", "$text-success"
        return ("✗", "$text-error") if picked else (" ", "dim")
