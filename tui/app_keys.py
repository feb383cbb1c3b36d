"""The keys of every screen, but for dialogs, which answer to none but their own and ctrl's."""

from __future__ import annotations

from textual.binding import Binding, BindingType

COPY = "Copy what the mouse was drawn over; leave where nothing is selected"
HELP = "The keys of this screen"
ADD = "Write a new card"
SUSPENDED = "Stop for now and go to the shell; `fg` there comes back"
PALETTE = "All that can be done, by its name"

KEYS: list[BindingType] = [
    Binding("ctrl+c", "interrupt", "Copy", id="app.leave", show=False, priority=True, tooltip=COPY),
    Binding("f12", "redraw", "Paint anew", id="app.redraw", key_display="F12", show=False),
    Binding(
        "ctrl+z",
        "suspend_process",
        "Stop",
        id="app.suspend",
        show=False,
        priority=True,
        tooltip=SUSPENDED,
    ),
    Binding("ctrl+q", "quit", "Quit", id="app.quit", show=False, priority=True),
    Binding(
        "ctrl+p",
        "command_palette",
        "palette",
        id="app.palette",
        show=False,
        priority=True,
        tooltip=PALETTE,
    ),
    Binding("a", "add", "Add", id="app.add", show=False, tooltip=ADD),
    # Where text is written, and where letters are answers.
    Binding("f3", "add(True)", "Add", id="app.add-f3", key_display="F3", show=False, tooltip=ADD),
    Binding("question_mark", "help", "Help", id="app.help", key_display="?", tooltip=HELP),
    # The footer shows this one where text is written, and `?` with it.
    Binding("f1", "help", "Help", id="app.help-f1", key_display="F1", tooltip=HELP),
]
