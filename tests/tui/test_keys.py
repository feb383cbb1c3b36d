"""Keys of the learner's own, the sentences that name them, and the palette that shows them."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.binding import Binding
from textual.command import CommandPalette
from textual.screen import Screen

from tests.paths import ROOT
from tests.tui.driving import CHOICE, Driver, basic, running, write
from tui.app import PaletteCommand, commands
from tui.keymap import available_actions, key_for, known_keys, read_keys, spelt

KNOWN = known_keys()


def test_every_action_may_keep_its_own_keys_and_two_may_change_places() -> None:
    found = read_keys(dict(KNOWN), KNOWN)
    assert found.problems == ()
    assert found.keymap == KNOWN
    assert read_keys({"study": {"edit": "u", "undo": "e"}}, KNOWN).problems == ()


def every_screen(base: type[Screen[Any]]) -> Iterator[type[Screen[Any]]]:
    for screen in base.__subclasses__():
        yield screen
        yield from every_screen(screen)


def test_every_key_of_a_screen_can_be_rebound_and_leads_somewhere() -> None:
    ours = {each for each in every_screen(Screen) if each.__module__.startswith("tui.")}
    assert len(ours) > 12
    for screen in ours:
        for binding in vars(screen).get("BINDINGS", ()):
            assert isinstance(binding, Binding)
            action = binding.action.partition("(")[0]
            assert binding.id
            assert action.startswith("app.") or hasattr(screen, f"action_{action}"), action


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
        ('card.link = "c"', "that is reader.check"),
        ("study.edit = 3", "a text such as"),
        ('[study]\nedit = ""', "a text such as"),
    ],
)
def test_a_mistake_is_a_sentence_and_changes_nothing(text: str, said: str) -> None:
    found = read_keys(tomllib.loads(text), KNOWN)
    [problem] = found.problems
    assert said in problem
    assert found.keymap == {}


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


async def test_the_chosen_key_works_and_is_shown_and_a_mistake_is_told(two: Path) -> None:
    (two / ".deltadeck").mkdir()
    (two / ".deltadeck" / "config.toml").write_text(
        '[keys]\nstudy.reveal = "x"\nstudy.reveel = "y"\n'
    )
    async with running(two) as app:
        await app.do("", "Did you mean study.reveal")
        await app.do("enter", "x Reveal")
        await app.do("x", "Again")


# No sentence names a key by itself.

#: A sentence with a key in it: "press x", "ctrl+s opens", "`a`", "u takes it back", "escape goes".
NAMES_A_KEY = re.compile(
    r"\b[Pp]ress \w"
    r"|\b(?:ctrl|alt|shift)\+\w"
    r"|\bF\d\d?\b"
    r"|\b(?:escape|enter|space|tab|backspace|page ?up|page ?down|esc)\b"
    r"|`[^`\w]`|`\w`"
    r"|(?:^|[\s(])[b-zB-HJ-Z@?*/+] (?!is\b|yours)(?:[a-z]+s|again)\b"
    r"|[:(] [b-zB-HJ-Z@?*/+]\)?$"
    r"|[←→↑↓]"
)
#: What is typed at a prompt, or is the key of a text field itself: none of these can be rebound.
ELSEWHERE = {
    "tui/commands/plain_study.py",  # words that are typed, and entered
    "tui/keymap.py",  # how a key is written in config.toml
    "tui/lab/verdict.py",  # the right arrow of a text field
    "tui/plots/bars.py",  # how often a button is pressed
}


def modules() -> Iterator[tuple[Path, ast.Module]]:
    """Those whose words stand on a screen: the command line has its own."""
    for path in sorted((ROOT / "tui").rglob("*.py")):
        if "commands" not in path.parts and str(path.relative_to(ROOT)) not in ELSEWHERE:
            yield path, ast.parse(path.read_text(encoding="utf-8"))


def called(node: ast.Call) -> str:
    """The name of what is called, without what it belongs to."""
    return str(getattr(node.func, "id", "") or getattr(node.func, "attr", ""))


def sentences(tree: ast.Module) -> Iterator[ast.Constant]:
    """Texts of several words that may be shown: not docstrings, not the keys of bindings."""
    hidden: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            hidden.add(id(node.value))
        if isinstance(node, ast.Call) and called(node) in ("Binding", "Choice", "hidden", "_first"):
            hidden |= {id(part) for part in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in hidden:
            yield node


def test_no_sentence_names_a_key_by_itself() -> None:
    for sentence in (
        "Press a to write.",
        " is out of reach: x",
        "`?` lists",
        "u undoes that",
    ):
        assert NAMES_A_KEY.search(sentence)
    assert not [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.value!r}"
        for path, tree in modules()
        for node in sentences(tree)
        if isinstance(node.value, str) and " " in node.value.strip()
        if NAMES_A_KEY.search(node.value)
    ]


def test_only_keys_of_actions_that_exist_are_asked_for() -> None:
    names = {
        part.value
        for _, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and called(node) in ("key_for", "key")
        for part in node.args
        if isinstance(part, ast.Constant) and isinstance(part.value, str) and "." in part.value
    }
    assert len(names) > 10
    assert names <= set(KNOWN)


@pytest.mark.parametrize(
    ("key", "said"),
    [
        *(("question_mark", "?"), ("minus", "-"), ("at", "@"), ("G", "G"), ("f8", "F8")),
        *(("ctrl+s", "ctrl+s"), ("alt+comma", "alt+,"), ("escape", "escape"), ("f", "f")),
        *(("space", "space"), ("pagedown", "pagedown"), ("left", "←")),
    ],
)
def test_a_key_is_spelt_as_it_is_said(key: str, said: str) -> None:
    assert spelt(key) == said


# With keys of the learner's own.

OWN = {
    "home.add": "n",
    "home.problems": "ctrl+e",
    "home.more": "m",
    "study.back": "f9",
    "study.undo": "w",
    "study.suspend": "y",
    "study.bury": "v",
    "study.again": "9",
    "study.good": "ctrl+t",
    "statistics.back": "f11",
    "statistics.next": "o",
    "statistics.before": "O",
    "statistics.all": "7",
    "list.enter": "ctrl+y",
    "app.add": "f7",
    "app.add-f3": "f10",
    "app.leave": "ctrl+b",
    "app.quit": "ctrl+k",
    "add.write": "f6",
    "problems.back": "backspace",
    "hand.check": "ctrl+g",
    "help.close": "x",
    "settings.next": "greater_than_sign",
    "settings.before": "less_than_sign",
}


def rebound(folder: Path) -> Path:
    (folder / ".deltadeck").mkdir(exist_ok=True)
    rows = "".join(f'{name} = "{key}"\n' for name, key in OWN.items())
    (folder / ".deltadeck" / "config.toml").write_text(f"[keys]\n{rows}", encoding="utf-8")
    return folder


async def test_an_empty_collection_and_one_with_nothing_but_problems(folder: Path) -> None:
    async with running(rebound(folder)) as app:
        assert app.said() == []  # all of these keys can be had
        await app.do("", "Press n to write the first one, or")
        await app.do("n", "F6 opens", on="AddScreen")
        await app.do("f6", on="EditScreen")
        await app.home()
        write(folder, "half", "---\nid: [half\n---\n# Question\n")
        app.app.reread()
        await app.do("r", "Press ctrl+e to see what cannot be read.", "ctrl+e shows where")
        await app.do("ctrl+e", on="ProblemsScreen")
        write(folder, "half", basic("half"))
        app.app.reread()
        await app.do("backspace ctrl+e", "Every card reads", "backspace goes back.")


async def test_a_sitting_and_the_statistics_of_nothing(two: Path) -> None:
    async with running(rebound(two), (70, 24)) as app:
        await app.do("s", "O ‹ 1 of", "› o")
        seen = ""
        for _ in range(14):
            await app.press("o")
            seen += " ".join(app.shown().split())
        assert "Press F11, then ctrl+y on a deck" in seen
        await app.do("f11", on="HomeScreen")
        await app.do("ctrl+y space", "9 Again", "ctrl+t Good")
        await app.do("v", "w undoes that")
        await app.do("w y", "is suspended; w undoes that")
        await app.do("space 4", "F9 goes back to the decks, w undoes the last rating")
        await app.do("w space 9", on="StudyScreen")
        await app.do("f9", on="HomeScreen")


async def test_settings_help_and_leaving(seed: Path) -> None:
    async with running(rebound(seed), (50, 20)) as app:
        await app.do("", "leave with ctrl+b")  # for it is too small
        await app.pilot.resize_terminal(100, 30)
        await app.press("comma")
        seen = ""
        for _ in range(8):
            await app.press("j")
            seen += app.shown()
        assert "< > " in seen
        await app.do("question_mark", "x closes this")
        await app.do("x escape ctrl+y c ctrl+o", "ctrl+g checks it")
        await app.do("ctrl+g", gone=("checks it",))
        await app.do("escape escape f9 slash ctrl+b", "Press ctrl+b again")
        await app.press("ctrl+b")
        assert app.app.return_code == 0


async def test_the_key_that_works_here_is_named(two: Path) -> None:
    """Where letters are options, another one than where they are not."""
    write(two, "pick", CHOICE.format(id="pick"))
    async with running(two) as app:
        assert key_for(app.app, "edit.save") == "ctrl+s"
        await app.press("s")
        assert key_for(app.app, "app.add", "app.add-f3") == "a"
        await app.do("escape j enter", on="StudyScreen")
        assert key_for(app.app, "app.add", "app.add-f3") == "F3"
        await app.do("a", on="StudyScreen")
        await app.do("f3", on="AddScreen")
        await app.do("escape minus", "u undoes that")


# The palette: everything that can be done here, the way to everywhere, keys beside it.

#: Screens and the commands that lead there.
WAYS = {
    "StudyScreen": "Study",
    "OwnSessionScreen": "Timed",
    "MoreTodayScreen": "More",
    "ExamScreen": "Exam",
    "AddScreen": "Write a new card",
    "BrowseScreen": "Browse",
    "StatisticsScreen": "Stats",
    "SettingsScreen": "Settings",
    "ProblemsScreen": "Problems",
    "HelpScreen": "Help",
}
#: Keys from home to screens; of a sitting, beside which no other begins, and to others.
SITTINGS, OTHERS = ("enter", "G enter c", "enter e"), ("", "b", "comma", "t")


def listed(app: Driver) -> list[PaletteCommand]:
    return list(commands(app.app, app.app.screen))


async def test_the_palette_holds_all_that_a_screen_does_and_the_way_to_the_others(
    cards: Path,
) -> None:
    async with running(cards) as app:
        for way in (*SITTINGS, *OTHERS):
            await app.home()
            await app.do(way)
            found = listed(app)
            keys = {name: one.key for one in found for name in one.names}
            for deed in available_actions(app.app.screen):
                if deed.binding.action != "command_palette":  # one is there
                    assert keys[deed.ids[0]] == " ".join(deed.keys)
            assert max(Counter(one.words for one in found).values()) == 1
            for screen, begins in WAYS.items():
                begun = screen in ("StudyScreen", "OwnSessionScreen", "ExamScreen")
                held = screen != "MoreTodayScreen" or way[:1] != "G"  # of that deck all is offered
                if held and not (begun and way in SITTINGS):
                    starts = (begins, f"Add: {begins}")
                    assert any(one.words.startswith(starts) for one in found), (way, screen)
            assert any(one.words.startswith("Theme") and one.listed for one in found)


async def run(app: Driver, one: PaletteCommand) -> None:
    done = one.run()
    assert done is not None
    await done
    await app.settle()


async def test_the_palette_is_searched_by_words_and_by_names_and_shows_the_key_beside(
    cards: Path,
) -> None:
    config = cards / ".deltadeck" / "config.toml"
    text = config.read_text(encoding="utf-8")
    config.write_text(text + '[keys]\napp.palette = "f6"\n', encoding="utf-8")
    async with running(cards, (100, 40)) as app:
        await app.do("", "f6 palette")
        for typed, screen in (("statistics", "StatisticsScreen"), ("browse", "BrowseScreen")):
            await app.press("comma", "f6")
            assert isinstance(app.app.screen, CommandPalette)
            await app.do(f"={typed} enter", on=screen)
            await app.press("escape", "escape")
        await app.do("f6 =nord enter")
        assert app.app.theme == "nord"
        await app.do("enter f6", "Reveal  space")
        await app.do("=settings", ", on the decks' screen")
        await app.home()
        # A card can be written where letters are options.
        await app.do("j j enter f6 =new␣card", "Write a new card  F3")
        await app.do("enter", on="AddScreen")


async def test_the_palette_leads_to_every_screen_from_another_and_back(cards: Path) -> None:
    async with running(cards) as app:
        await app.press("comma")
        settings = app.app.screen
        for screen, begins in WAYS.items():
            starts = (begins, f"Add: {begins}")
            await run(app, next(one for one in listed(app) if one.words.startswith(starts)))
            assert app.screen == screen
            await app.press("escape")
            assert app.app.screen is settings, screen
        await app.do("escape enter e x")
        decks = next(one for one in listed(app) if one.words.startswith("Decks"))
        await run(app, decks)
        assert app.screen == "ConfirmScreen"  # something would be lost
        await app.press("d")
        await run(app, decks)
        assert app.screen == "HomeScreen"
