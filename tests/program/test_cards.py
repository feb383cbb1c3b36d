"""`deltadeck init`, `add`, `edit` and `show`: cards as files, and as pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from cards.parse import analyse
from deck import Collection
from tests.paths import MATERIAL, ROOT, SEED, STARTER
from tests.program.shell import ITEM, Shell
from tests.tui.driving import CHOICE, Clock, basic, write
from tui.commands.arguments import COMMANDS
from tui.commands.show import card_page
from tui.main import main


def test_init_gives_writable_cards_and_overwrites_nothing(shell: Shell, empty: Path) -> None:
    mine = SEED.read_text().replace("difficulty: 2", "difficulty: 5")
    (empty / SEED.name).write_text(mine)
    assert shell("init", empty, "--starter").returncode == 0
    assert (empty / SEED.name).read_text() == mine
    assert len(list(empty.glob("*.md"))) == len(list(STARTER.glob("*.md")))
    assert all(path.stat().st_mode & 0o200 for path in empty.glob("*.md"))
    assert shell("lint", empty).returncode == 0
    assert "cannot be made" in shell.refused("init", "/proc/nothing")
    assert "README.md" in shell.refused("init", ROOT / "README.md")


def test_the_makefile_names_a_folder_and_not_a_command() -> None:
    assert "deltadeck ./study" in (ROOT / "Makefile").read_text()
    assert "study" in COMMANDS  # why a bare `deltadeck study` would open the wrong folder


def test_show_prints_the_card_its_source_and_its_json(seed: Shell) -> None:
    assert "(i,j)∈Ω(k,l)" in seed("show", ITEM).stdout
    source = seed("show", ITEM, "--source").stdout
    assert r"\max_{(i, j) \in \Omega(k, l)} x_{ij}" in source
    value = seed.json("show", ITEM)
    assert value["tags"] == ["cnn", "max-pooling", "backpropagation", "gradients"]
    assert value["points"] == 5
    text = "---\nid: gaps\ntype: cloze\n---\n\n# Question\nIn $a = {{c1::x}}$ see {{c2::y::why}}.\n"
    (seed.folder / "gaps.md").write_text(text)
    assert "In a = x see y." in seed("show", "gaps").stdout


@pytest.mark.material
def test_every_card_is_shown(shell: Shell) -> None:
    for each in MATERIAL:
        names = [path.stem for path in each.cards.glob("*.md")]
        assert shell("show", *names, "-C", each.cards).returncode == 0


def test_cards_are_added_and_edited_as_texts_and_no_id_is_taken_twice(seed: Shell) -> None:
    text, given = SEED.read_text(), ("--file", "-")
    mine, edited = text.replace(f"id: {ITEM}", "id: mine"), text.replace("ty: 2", "ty: 4")
    assert seed("add", *given, stdin=mine.encode()).returncode == 0
    assert (seed.folder / "mine.md").read_text() == mine
    assert seed("edit", ITEM, *given, stdin=edited.encode()).returncode == 0
    assert (seed.folder / SEED.name).read_text() == edited
    assert "taken" in seed.refused("add", *given, stdin=text.encode())
    assert "taken" in seed.refused("edit", "mine", *given, stdin=text.encode())
    seed.refused("edit", "mine", *given, stdin=b"oops")
    assert (seed.folder / "mine.md").read_text() == mine
    seed("review", "mine", "good")
    renamed = mine.replace("id: mine", "id: other").encode()
    assert "would stay behind" in seed.refused("edit", "mine", *given, stdin=renamed)
    assert ITEM in seed.refused("show", "ssu_batch4_04"), "a near name"


# As pages.


@pytest.fixture
def collection(empty: Path) -> Collection:
    folded = "## Part\n\nSee [[b]] and [x](https://a.example), $\\frac12$, `code`."
    write(empty, "a", basic("a", folded, "**Solved.**"))
    write(empty, "b", CHOICE.format(id="b"))
    return Collection.open(empty, now=Clock()())


def page(collection: Collection, card: str, width: int = 60, styled: bool = False) -> str:
    return card_page(collection.cards[card], collection, width, styled)


def test_a_pipe_gets_plain_text_and_a_terminal_hyperlinks(collection: Collection) -> None:
    shown = page(collection, "a")
    assert "\x1b" not in shown
    assert "See b and x (https://a.example), 1/2, code." in shown
    assert "▾" not in shown
    shown = page(collection, "a", styled=True)
    assert "\x1b[1mSolved.\x1b[0m" in shown
    assert shown.count("\x1b]8;;\x1b\\") == shown.count("\x1b]8;;https://a.example\x1b\\") == 1


def test_options_and_their_verdict_are_part_of_the_page(collection: Collection) -> None:
    assert " ✓ B) one" in page(collection, "b")
    asked = card_page(collection.cards["b"], collection, 60, styled=False, solution=False)
    assert "   B) one" in asked
    assert "✓" not in asked


@pytest.mark.usefixtures("collection")
def test_the_width_is_kept(empty: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "a", "-C", str(empty), "--width", "20"]) == 0
    rows = capsys.readouterr().out.split("\n\n", 1)[1].split("\n")
    assert max(map(len, rows)) <= 20
    assert main(["show", "a", "-C", str(empty), "--width", "3"]) == 2
    assert "--width" in capsys.readouterr().err


def test_what_a_stranger_wrote_steers_no_terminal(empty: Path) -> None:
    write(empty, "c", basic("c", "[a](https://x.example/%1b]0;t%07) \x1b]0;title\x07 `\x9b31m`"))
    shown = page(Collection.open(empty, now=Clock()()), "c", styled=True)
    assert not any(sign in shown for sign in ("\x1b]0", "\x9b", "\x07"))


@pytest.mark.parametrize(
    ("setting", "course", "card", "stays"),
    [
        ("", "", "", False),
        ("", "", "true", True),
        ("true", "", "", True),
        ("true", "", "false", False),
        ("", "true", "", True),
        ("true", "false", "", False),
        ("true", "false", "true", True),
        ("", "", "perhaps", False),
    ],
)
def test_line_breaks_stay_as_card_course_and_collection_say(
    empty: Path, setting: str, course: str, card: str, stays: bool
) -> None:
    own, of_all, of_course = (
        value and f"line_breaks{sign} {value}\n"
        for value, sign in ((card, ":"), (setting, " ="), (course, " ="))
    )
    (empty / ".deltadeck").mkdir()
    settings = f"{of_all}[courses.Algebra]\n{of_course}"
    (empty / ".deltadeck" / "config.toml").write_text(settings)
    head = f"id: a\ncourse: Algebra\ntype: multiple_choice\n{own}"
    options = "## Options\nA) first\nline\nB) other"
    text = f"---\n{head}---\n# Question\none\ntwo\n\n{options}\n\n# Solution\nthree\nfour\n"
    write(empty, "a", text)
    collection = Collection.open(empty, now=Clock()())
    shown = page(collection, "a")
    for words in ("one two", "three four", "first line"):
        assert (words in shown) is not stays
    said = [problem.message for problem in analyse(collection.cards["a"].source)[1]]
    assert any("line_breaks" in message for message in said) is (card == "perhaps")
