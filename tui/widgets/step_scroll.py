"""What scrolls by keys, each of which counts, also where they come faster than the paints."""

from __future__ import annotations

from textual.containers import VerticalScroll


class StepScroll(VerticalScroll, inherit_bindings=False):
    """Textual scrolls after the next paint, to where a key would lead from the last one: of two
    keys before a paint, one was lost."""

    _ahead = 0
    """Rows that keys asked for and no paint has shown."""

    @property
    def scrolls(self) -> bool:
        """Whether there is more than is seen."""
        return self.max_scroll_y > 0

    def scroll_lines(self, lines: int) -> None:
        """After the next paint, which may be of what is longer than this."""
        self._ahead += lines
        self.call_after_refresh(self._catch_up)

    def scroll_pages(self, pages: int) -> None:
        """A page less two rows, so that one finds one's place again."""
        self.scroll_lines(pages * max(1, self.size.height - 2))

    def forget_steps(self) -> None:
        """What is shown now is not what they were asked for."""
        self._ahead = 0

    def _catch_up(self) -> None:
        ahead, self._ahead = self._ahead, 0
        if ahead:
            self.scroll_to(y=self.scroll_y + ahead, animate=False, immediate=True)
