"""Folders of cards for the screens' tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.paths import SEED
from tests.tui.driving import CHOICE, basic, write
from tests.tui.quiet import quiet

CONFIG = """
new_per_day = 36
[courses."Agenda"]
new_per_day = 23
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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Empty, and named so that it looks the same in every run."""
    made = tmp_path / "study"
    made.mkdir()
    return made


@pytest.fixture
def seed(folder: Path) -> Path:
    """The one card with a derivation."""
    shutil.copy(SEED, folder)
    return folder


@pytest.fixture
def two(folder: Path) -> Path:
    """Two plain cards."""
    write(folder, "first", basic("first", "What is [bold]one[/bold]?", "It is $x_*$ *one*."))
    write(folder, "second", basic("second"))
    return folder


@pytest.fixture
def choice(folder: Path) -> Path:
    write(folder, "pick", CHOICE.format(id="pick"))
    return folder


@pytest.fixture(autouse=True)
def quiet_is_no_guess(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pilot guesses by the processor's time whether the app is idle, and is wrong at times."""
    for module in ("textual.app", "textual.pilot"):
        monkeypatch.setattr(f"{module}.wait_for_idle", quiet)


@pytest.fixture(scope="session")
def with_everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Something for every key: long cards, options, an exercise, exams, problems."""
    folder = tmp_path_factory.mktemp("everything") / "study"
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


@pytest.fixture
def cards(with_everything: Path, folder: Path) -> Path:
    """The courses Agenda, Choices, Pooling, and one with an exercise."""
    return shutil.copytree(with_everything, folder, dirs_exist_ok=True)
