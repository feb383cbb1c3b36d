"""The keys of the lab: a letter by itself, and one with ctrl for while an answer is written."""

from __future__ import annotations

from textual.binding import Binding, BindingType

_NEW = "Another random input"
_FAILING = "The next input on which the answer fails"
_HINT = "One hint more: which inputs fail, the mistake by its name, the line itself"
_WINDOW = "The next window, its maximum lit, and what flows back"
_HAND = "Fill in the message of one small input by hand"

# No letter may be needed while the text field has the focus, and no key that it knows itself.
KEYS: list[BindingType] = [
    Binding("escape", "back", "Back", id="lab.back", key_display="esc"),
    Binding("f5,ctrl+s", "run", "Run", id="lab.run", tooltip="Run the function now"),
    Binding("ctrl+r,r", "draw", "New", id="lab.new-input", tooltip=_NEW),
    Binding("ctrl+n,n", "failing", "Fails", id="lab.next-failing", tooltip=_FAILING),
    Binding("ctrl+g,h", "hint", "Hint", id="lab.hint", tooltip=_HINT),
    Binding("ctrl+o,b", "by_hand", "Hand", id="lab.by-hand", tooltip=_HAND),
    Binding("ctrl+l,w", "window(1)", "Window", show=False, id="lab.window", tooltip=_WINDOW),
    Binding("ctrl+t,t", "notation", "Notation", id="lab.notation", tooltip="How to write it"),
    Binding("tab", "go(1)", "Go on", id="lab.next-part", show=False, tooltip="To the next part"),
    Binding("shift+tab", "go(-1)", "Go back", id="lab.part-before", show=False),
]
