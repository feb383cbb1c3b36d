"""Every setting that the settings screen shows, in its order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["number", "share", "spans", "clock", "switch", "choice", "day", "days", "amount"]


@dataclass(frozen=True, slots=True)
class Setting:
    key: str
    label: str
    help: str
    kind: Kind
    choices: tuple[str, ...] = ()
    scope: Literal["all", "course", "both"] = "all"
    """Whether it is the collection's, a course's, or a course may have its own."""

    @property
    def turns(self) -> bool:
        """Whether its values follow each other and none is written."""
        return self.kind in ("choice", "switch")

    @property
    def offered(self) -> tuple[str, ...]:
        """Of what turns, the values; the theme's are the app's."""
        return self.choices or (("yes", "no") if self.kind == "switch" else ())


@dataclass(frozen=True, slots=True)
class Group:
    name: str
    settings: tuple[Setting, ...]


#: Not in config.toml: it belongs to the screen that one sits at.
THEME: Final = "theme"

_REVIEW_ORDERS = ("retrievability", "due", "difficulty", "interval", "points", "random")

GROUPS: Final = (
    Group(
        "A day",
        (
            Setting(
                "new_per_day", "New items a day", "How many new items a study day brings at most.",
                "number", scope="both",
            ),
            Setting(
                "reviews_per_day", "Reviews a day", "How many reviews a study day brings at most.",
                "number", scope="both",
            ),
            Setting(
                "rollover", "A day begins at",
                "Local time. What you study before it counts for the day before.", "clock",
            ),
            Setting(
                "easy_days", "Easy days",
                "The share of reviews that a weekday takes, such as sat 0.5 sun 0.", "days",
            ),
        ),
    ),
    Group(
        "Memory",
        (
            Setting(
                "desired_retention", "Wanted recall",
                "The chance of recall at which a review falls due: more means more reviews.",
                "share", scope="both",
            ),
            Setting(
                "learning_steps", "Learning steps", "Waits between the first answers: 1m 10m 1d.",
                "spans", scope="both",
            ),
            Setting(
                "relearning_steps", "Relearning steps", "The same, after a review was forgotten.",
                "spans", scope="both",
            ),
            Setting(
                "maximum_interval", "Longest interval",
                "In days: no review is put off for longer.", "number", scope="both",
            ),
            Setting(
                "fuzz", "Spread reviews",
                "Items learnt together fall due on different days, where that evens the load.",
                "switch",
            ),
        ),
    ),
    Group(
        "Order",
        (
            Setting(
                "review_order", "Reviews",
                "What comes first; retrievability: what is nearest to being forgotten.",
                "choice", _REVIEW_ORDERS,
            ),
            Setting(
                "new_order", "New items", "easy: by difficulty; path: as the files lie.",
                "choice", ("easy", "path", "random"),
            ),
            Setting(
                "new_mix", "New among reviews", "Where new items stand among the reviews.",
                "choice", ("mix", "before", "after"),
            ),
            Setting("interleave", "Mix courses", "The reviews of all courses alternate.", "switch"),
            Setting(
                "bury_siblings", "One item of a card",
                "A study day asks only one item of each card.", "switch",
            ),
        ),
    ),
    Group(
        "Leeches",
        (
            Setting(
                "leech_lapses", "Lapses of a leech",
                "So often forgotten, an item is a leech (is:leech finds it); 0 for never.",
                "number",
            ),
            Setting(
                "leech_action", "A leech is", "mark: only found; suspend: put aside, too.",
                "choice", ("mark", "suspend"),
            ),
        ),
    ),
    Group(
        "Exam",
        (
            Setting("exam", "Day of the exam", "Such as 2027-01-20.", "day", scope="course"),
            Setting(
                "target", "Points wanted", "On that day; home says whether they can be reached.",
                "amount", scope="course",
            ),
            Setting(
                "minutes_per_day", "Minutes a day", "What the plan for the exam may take.",
                "amount", scope="both",
            ),
        ),
    ),
    Group(
        "Files",
        (
            Setting(
                "write_status", "Write status",
                "The line `status:` in the card files follows the schedule.", "switch",
            ),
            Setting(
                "line_breaks", "Keep line breaks",
                "Those of a card's text stay on its page, as in Obsidian.", "switch", scope="both",
            ),
        ),
    ),
    Group(
        "Looks",
        (
            Setting(
                THEME, "Theme", "Your own, on this machine; the others travel with the cards.",
                "choice",
            ),
        ),
    ),
)  # fmt: skip
