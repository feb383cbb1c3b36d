"""The keys of the decks' screen."""

from __future__ import annotations

from textual.binding import Binding, BindingType

SEARCHED = "Study what a search finds"
AHEAD = "Study reviews before their day"
CRAM = "Cram: practise without changing the schedule"
TIMED = "Study for so many minutes"
MORE = "Take more cards today than the limits allow"
STATISTICS = "What was done, what is remembered, what comes"
SETTINGS = "The settings of the collection"
BROWSED = "Search the cards, look through them, change them"
PROBLEMS = "What cannot be read"
EXAM = "The plan for an exam, and what to study for it now"
LEFT = "The card that was being written when the program ended"
STARTER = "Begin with the cards that come with deltadeck"

KEYS: list[BindingType] = [
    Binding("enter", "starter", "Starter deck", id="home.starter", tooltip=STARTER),
    Binding("ctrl+o", "left", "Unsaved card", id="home.left", tooltip=LEFT),
    Binding("slash", "own('search')", "Search", id="home.search", tooltip=SEARCHED),
    Binding("t", "own('minutes')", "Timed", id="home.timed", show=False, tooltip=TIMED),
    Binding("f", "own('ahead')", "Ahead", id="home.ahead", show=False, tooltip=AHEAD),
    Binding("c", "own('cram')", "Cram", id="home.cram", show=False, tooltip=CRAM),
    Binding("plus", "more", "More", id="home.more", key_display="+", show=False, tooltip=MORE),
    Binding("x", "exam", "Exam", id="home.exam", show=False, tooltip=EXAM),
    Binding("a", "add", "Add", id="home.add", tooltip="Write a new card"),
    Binding("b", "go('browse')", "Browse", id="home.browse", tooltip=BROWSED),
    Binding("s", "go('statistics')", "Stats", id="home.statistics", tooltip=STATISTICS),
    Binding(
        "comma",
        "go('settings')",
        "Settings",
        id="home.settings",
        key_display=",",
        show=False,
        tooltip=SETTINGS,
    ),
    Binding("p", "go('problems')", "Problems", id="home.problems", tooltip=PROBLEMS),
    Binding("r", "reload", "Reload", id="home.reload", show=False, tooltip="Read the disk"),
    Binding("q", "app.quit", "Quit", id="home.quit"),
]
