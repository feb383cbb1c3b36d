"""The keys of the study screen."""

from __future__ import annotations

from textual.binding import Binding, BindingType

PICKS = "abcdefghijklmnopqrst"
RATED = {
    1: "Again: I did not know it",
    2: "Hard: I knew it with much effort",
    3: "Good: I knew it",
    4: "Easy: I knew it without any effort",
}
PICK = "Pick an option"
UNDO = "Take back what was done last"
SUSPENDED = "Suspend: set this card aside for good"
BURIED = "Bury: not today, tomorrow again"
RESET = "Reset: make this card new again"
_ON = "space,enter,pagedown,ctrl+d"
LETTERED = {"check": "C", "edit": "E", "suspend": "S"}
"""Actions on keys that are letters of options too."""

KEYS: list[BindingType] = [
    Binding("space", "reveal", "Reveal", id="study.reveal", key_display="space"),
    Binding("enter", "reveal", "Reveal", id="study.reveal-enter", show=False),
    # Shown above the footer, with the intervals.
    Binding("1", "rate(1)", "Again", id="study.again", show=False, tooltip=RATED[1]),
    Binding("2", "rate(2)", "Hard", id="study.hard", show=False, tooltip=RATED[2]),
    Binding("3", "rate(3)", "Good", id="study.good", show=False, tooltip=RATED[3]),
    Binding("4", "rate(4)", "Easy", id="study.easy", show=False, tooltip=RATED[4]),
    Binding("space,enter", "go_on", "Go on", id="study.go-on", key_display="space"),
    Binding("c", "check", "Check", id="study.check", tooltip="Check my derivation in the lab"),
    Binding("e", "edit", "Edit", id="study.edit", tooltip="Edit this card"),
    Binding("u", "undo", "Undo", id="study.undo", tooltip=UNDO),
    Binding("minus", "bury", "Bury", id="study.bury", key_display="-", show=False, tooltip=BURIED),
    Binding(
        *("at,s", "suspend", "Suspend"),
        id="study.suspend",
        key_display="@",
        show=False,
        tooltip=SUSPENDED,
    ),
    Binding("R", "reset", "Reset", id="study.reset", key_display="R", show=False, tooltip=RESET),
    Binding("j,down", "scroll(1)", "Down", id="study.down", show=False),
    Binding("k,up", "scroll(-1)", "Up", id="study.up", show=False),
    Binding(
        "space,enter,pagedown,ctrl+d", "page(1)", "Page down", id="study.page-down", show=False
    ),
    Binding("pageup,ctrl+u", "page(-1)", "Page up", id="study.page-up", show=False),
    Binding("escape,q", "back", "Back", id="study.back", key_display="esc"),
    # Last in the footer's order; c, e and s are letters of options first (see check_action).
    *(
        Binding(
            letter,
            f"pick('{letter.upper()}')",
            "Pick an option",
            show=False,
            id=f"study.pick-{letter}",
        )
        for letter in PICKS
    ),
]
