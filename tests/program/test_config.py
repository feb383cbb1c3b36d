"""`deltadeck config`: every setting with its value and whose it is; get, set, unset, edit."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from deck.config import settings_of
from tests.program.shell import Shell
from tests.program.terminal import Terminal

COURSE = "Statistical Machine Learning"


@pytest.fixture
def file(folder: Path) -> Path:
    return folder / ".deltadeck" / "config.toml"


def listed(seed: Shell, *more: str) -> dict[str, tuple[object, str]]:
    rows = seed.json("config", *more)
    return {row["key"]: (row["value"], row["source"]) for row in rows}


def test_every_setting_is_told_with_its_value_and_whose_it_is(seed: Shell, file: Path) -> None:
    found = listed(seed)
    assert found.keys() == settings_of(course=False).keys()
    assert {source for _, source in found.values()} == {"default"}
    assert found["new_per_day"] == (20, "default")
    assert found["learning_steps"] == (["1m", "10m"], "default")
    assert found["rollover"] == ("04:00", "default")
    assert not file.exists()
    own = listed(seed, "--course", COURSE.lower())
    assert own.keys() == settings_of(course=True).keys()
    assert own["exam"] == (None, "default")


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("new_per_day", "30", 30),
        ("desired_retention", "92%", 0.92),
        ("learning_steps", "1m, 2h", ["1m", "2h"]),
        ("learning_steps", '["1m", "2h"]', ["1m", "2h"]),
        ("relearning_steps", "none", []),
        ("rollover", "03:30", "03:30"),
        ("fuzz", "no", False),
        ("easy_days", "sat 0.5 sun 0", {"sat": 0.5, "sun": 0.0}),
        ("easy_days", "{sat = 0.5}", {"sat": 0.5}),
        ("searches.hard", "difficulty>=4", "difficulty>=4"),
        ("keys.study.reveal", "x", "x"),
        ("math.macros.R", r"\mathbb{R}", r"\mathbb{R}"),
    ],
)
def test_what_is_set_is_told_and_can_be_unset(
    seed: Shell, file: Path, key: str, text: str, value: object
) -> None:
    told = seed("config", key, text)
    assert told.returncode == 0, told.stderr
    assert told.stdout.startswith(f"{key} = ")
    assert listed(seed)[key] == (value, "collection")
    before = file.read_text()
    again = seed("config", key, seed("config", key).stdout.strip())
    assert again.returncode == 0, again.stderr
    assert file.read_text() == before
    assert seed("config", key, "--unset").returncode == 0
    assert listed(seed).get(key, (None, "default"))[1] == "default"


def test_a_course_has_its_own_and_every_other_line_stays(seed: Shell, file: Path) -> None:
    def config(*words: str) -> str:
        done = seed("config", *words, "--course", COURSE)
        assert done.returncode == 0
        return done.stderr

    file.parent.mkdir()
    file.write_text("# mine\nnew_per_day = 7  # few\n")
    assert "is over" in config("exam", "2020-01-01")
    assert not config("exam", "2999-01-20")
    config("new_per_day", "3")
    assert file.read_text().startswith("# mine\nnew_per_day = 7  # few\n")
    own = listed(seed, "--course", COURSE)
    assert own["exam"] == ("2999-01-20", "course")
    assert own["new_per_day"] == (3, "course")
    assert listed(seed)["new_per_day"] == (7, "collection")
    config("new_per_day", "--unset")
    assert not config("exam", "--unset")
    assert listed(seed, "--course", COURSE)["new_per_day"] == (7, "collection")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("new_per_day -- -3", "whole number"),
        ("new_per_day -1", "new_per_day cannot be '-1'"),
        ("desired_retention 3", "70 to 99 %"),
        ("learning_steps soon", "30s 10m"),
        ("parameters [1,2]", "21 numbers"),
        ("model FSRS-9", "FSRS-6"),
        ("new_per_dy 3", "Did you mean new_per_day"),
        ("exam 2030-01-20", "--course"),
        ("fuzz no --course S", "no course 'S'"),
        ("searches.bad tag:(", "tag:("),
        ("keys.study.reveall x", "study.reveal"),
        ("searches.none", "no searches.none"),
        ("--unset", "KEY --unset"),
        ("fuzz no --unset", "exclude"),
        ("--edit --json", "--edit"),
    ],
)
def test_what_no_setting_takes_is_refused(seed: Shell, file: Path, words: str, said: str) -> None:
    assert said in seed.refused("config", *words.split(), rows=4)
    assert not file.exists()


def test_a_broken_file_is_mended_in_the_editor_as_the_doctor_says(seed: Shell, file: Path) -> None:
    file.parent.mkdir()
    file.write_text("new_per_day = many\n")
    assert seed("due").returncode == 2
    command = f"deltadeck config --edit --folder {seed.folder}"
    assert f"`{command}`" in seed("doctor").stdout
    script = seed.folder.parent / "editor.py"
    script.write_text(
        "import pathlib, sys; p = pathlib.Path(sys.argv[1]); t = p.read_text()\n"
        "p.write_text(t.replace('many', '-5') if 'many' in t else 'fuzz = false')"
    )
    env = seed.env | {"EDITOR": f"{sys.executable} {script}", "VISUAL": ""}
    with Terminal(*command.split()[1:], env=env) as at:
        at.see("Edit again?")
        at.press("\r")
        at.see("Saved")
    assert file.read_text() == "fuzz = false"
    assert seed("due").returncode == 0


def test_one_wrong_line_is_replaced_while_another_is_named(seed: Shell, file: Path) -> None:
    file.parent.mkdir()
    file.write_text('# mine\nnew_per_day = "many"\nfuzz = 3  # no\n')
    assert "many" in seed.refused("config", "new_per_day")
    assert "whole number" in seed.refused("config", "new_per_day", "few")
    done = seed("config", "new_per_day", "7")
    assert (done.returncode, done.stdout) == (1, "new_per_day = 7 (collection)\n")
    assert "config.toml:3:1: The setting fuzz cannot be 3." in done.stderr
    assert "new_per_day" not in done.stderr
    assert file.read_text() == "# mine\nnew_per_day = 7\nfuzz = 3  # no\n"
    assert seed("config", "fuzz", "--unset").returncode == 0
    assert seed("due").returncode == 0


def test_the_editor_may_mend_one_wrong_line_and_add_none(seed: Shell, file: Path) -> None:
    file.parent.mkdir()
    file.write_text('new_per_day = "many"\nfuzz = 3\n')
    script = seed.folder.parent / "editor.py"
    script.write_text(
        "import pathlib, sys; p = pathlib.Path(sys.argv[1]); t = p.read_text()\n"
        "p.write_text(t.replace('3', '4') if '3' in t else 'new_per_day = 7\\nfuzz = 3\\n')"
    )
    env = seed.env | {"EDITOR": f"{sys.executable} {script}", "VISUAL": ""}
    with Terminal("config", "--edit", "--folder", seed.folder, env=env) as at:
        at.see("fuzz cannot be 4.", "Edit again?")
        at.press("\r")
        at.see("Saved", "fuzz cannot be 3.")
        assert at.wait() == 1
    assert file.read_text() == "new_per_day = 7\nfuzz = 3\n"
