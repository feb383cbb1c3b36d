"""Keys of the learner's own: what is bound, what is refused, and what the screens then say."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.driving import running
from tui.keymap import known_keys, read_keys

KNOWN = known_keys()


def problems(text: str) -> tuple[str, ...]:
    return read_keys(tomllib.loads(text), KNOWN).problems


def test_every_action_may_keep_its_own_keys() -> None:
    found = read_keys(dict(KNOWN), KNOWN)
    assert found.problems == ()
    assert found.keymap == KNOWN


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('study.god = "3"', "Did you mean study.good"),
        ('study.edit = "ctrl+banana"', "no such key"),
        ('edit.save = "ctrl+i"', "terminals send it as tab"),
        ('lab.hint = "x"', "text is written there"),
        ('app.palette = "x"', "a key to write with"),
        ('study.edit = "1"', "that is study.again"),
        ('settings.course = "j"', "that is list.down"),
        ('study.edit = "a"', "that is app.add"),
        ('home.add = "?"', "that is app.help"),
        ('card.link = "c"', "that is study.check"),
        ("study.edit = 3", "a text such as"),
        ('[study]\nedit = ""', "a text such as"),
    ],
)
def test_a_mistake_is_a_sentence_and_changes_nothing(text: str, said: str) -> None:
    found = read_keys(tomllib.loads(text), KNOWN)
    [problem] = found.problems
    assert said in problem
    assert found.keymap == {}


def test_two_actions_may_change_places() -> None:
    assert problems('study.edit = "u"\nstudy.undo = "e"') == ()


@given(
    st.dictionaries(
        st.sampled_from(sorted(KNOWN)), st.sampled_from(["x", "f9", "ctrl+x", "1", "space,y"])
    )
)
def test_no_key_of_a_screen_does_two_things(table: dict[str, str]) -> None:
    keymap = {**KNOWN, **read_keys(table, KNOWN).keymap}
    for screen in ("study", "edit", "home"):
        mine = {
            name: keys
            for name, keys in keymap.items()
            if name.startswith((f"{screen}.", "app.")) and not name.startswith("study.pick-")
        }
        for name, keys in mine.items():
            for other, taken in mine.items():
                shared = set(keys.split(",")) & set(taken.split(","))
                both = set(KNOWN[name].split(",")) & set(KNOWN[other].split(","))
                assert name == other or shared <= both


async def test_the_chosen_key_works_and_is_shown(two: Path) -> None:
    (two / ".deltadeck").mkdir()
    (two / ".deltadeck" / "config.toml").write_text('[keys]\nstudy.reveal = "x"\n')
    async with running(two) as driver:
        await driver.press("enter")
        assert "x Reveal" in driver.shown()
        await driver.press("x")
        assert "Again" in driver.shown()


async def test_a_mistake_is_told_when_the_app_opens(two: Path) -> None:
    (two / ".deltadeck").mkdir()
    (two / ".deltadeck" / "config.toml").write_text('[keys]\nstudy.reveel = "x"\n')
    async with running(two) as driver:
        assert any("study.reveal" in said for said in driver.said())
