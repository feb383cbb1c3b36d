"""A collection with something for every key: long cards, options, an exercise, exams, problems."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.paths import SEED
from tests.tui.driving import CHOICE, basic, write

CONFIG = """
new_per_day = 500
[courses."Agenda"]
exam = 2027-01-20
[courses."Choices"]
exam = 2027-02-20
"""
ROOM = "\n\n".join(f"A line of text, number {n}, with [[c1]]." for n in range(12))
WIDE = " + ".join(f"x_{{{n}}}" for n in range(60))
LONG = f"""---
id: ID
course: Agenda
type: basic
---

# Question
## First

{ROOM}

$${WIDE}$$

## Second

{ROOM}

---
# Solution
## Third

{ROOM}
"""


def everything(folder: Path) -> Path:
    """Made at `folder`: the courses Agenda, Choices, Pooling, and one with an exercise."""
    (folder / ".deltadeck").mkdir(parents=True)
    (folder / ".deltadeck" / "config.toml").write_text(CONFIG, encoding="utf-8")
    for number in range(24):
        write(folder, f"c{number}", LONG.replace("ID", f"c{number}"))
    for number in range(12):
        write(folder, f"pick{number}", CHOICE.format(id=f"pick{number}"))
    write(folder, "one", basic("one"))
    for number in range(20):
        write(folder, f"half{number}", "---\nid: [half\n---\n# Question\n")
    shutil.copy(SEED, folder)
    return folder
