"""The data of the statistics screen: what was asked for, and what is known of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tui.plots.given import REACHES, Reach, Ways

if TYPE_CHECKING:
    from tui.key_names import KeyOf


def ways(key: KeyOf) -> Ways:
    """What to do where a figure has nothing to show; `key` says which key an action has."""
    return Ways(
        study=f"Press {key('statistics.back')}, then {key('list.enter')} on a deck, "
        "and rate the first cards.",
        longer=f"Press {key('statistics.all')} for all that was ever done.",
        check=f"Press {key('study.check')} on a card with an exercise, and write what you derived.",
        add=f"Press {key('app.add', 'app.add-f3')} to write one.",
        exam='Write `[courses."Name"]` and below it `exam = 2027-01-20` into '
        ".deltadeck/config.toml.",
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """What the figures are about."""

    reach: Reach = REACHES[1]
    search: str = ""
    course: str | None = None

    def longer(self, step: int) -> Asked:
        """A longer span, or with -1 a shorter one; at the end it stays."""
        at = min(max(REACHES.index(self.reach) + step, 0), len(REACHES) - 1)
        return replace(self, reach=REACHES[at])

    def next_course(self, courses: list[str], step: int) -> Asked:
        """Round and round through the courses and all of them together."""
        known: list[str | None] = [None, *courses]
        at = known.index(self.course) if self.course in known else 0
        return replace(self, course=known[(at + step) % len(known)])

    @property
    def words(self) -> str:
        """What is chosen, for the top line."""
        chosen = [self.course or "", f"/{self.search}" if self.search else ""]
        return " ".join(filter(None, chosen))


def reach_words(reach: Reach) -> str:
    """The spans in a row, the chosen one marked."""
    names = (f"‹{each.name}›" if each == reach else each.name for each in REACHES)
    return "  ".join(names)
