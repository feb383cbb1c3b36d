"""What can be clicked as well as pressed: the options of a card, and the four ratings."""

from __future__ import annotations

import re
from dataclasses import dataclass

from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widgets import Static

from tui.page.model import Link
from tui.ratings import rating_at
from tui.widgets.card_view import CardView

#: As `tui.options_page` writes the beginning of one.
_OPTION = re.compile(r"\s*[▸✓✗]?\s*([A-T])\)")


class OptionsView(CardView):
    @dataclass
    class Picked(Message):
        letter: str

    def on_click(self, event: Click) -> None:
        """Pick the option that the row belongs to; not where a link was meant."""
        at, sheet = event.get_content_offset(self), self._sheet
        if at is None or sheet is None or self._pressed != event.screen_offset:
            return
        if isinstance(self._thing_at(at), Link):
            return
        for row in reversed(sheet.rows[: at.y + 1]):
            if found := _OPTION.match("".join(span.text for span in row.spans)):
                self.post_message(self.Picked(found[1]))
                return


class RatingsLine(Static):
    """A click on a rating is its key."""

    _shown = Content("")

    def put(self, shown: Content) -> None:
        self._shown = shown
        self.update(shown)

    async def on_click(self, event: Click) -> None:
        at, line = event.get_content_offset(self), self._shown.plain.split("\n")[-1]
        if at is not None and at.y == 1 and (rating := rating_at(line, at.x)):
            await self.screen.run_action(f"rate({rating})")
