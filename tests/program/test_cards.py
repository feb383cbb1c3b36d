"""`deltadeck init`, `add`, `edit`, `show` and `due` on files of cards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deck import Collection
from tests.paths import MATERIAL, ROOT, SEED
from tests.program.shell import Shell
from tests.tui.driving import CHOICE, Clock, basic, write
from tui.commands.show import card_page
from tui.commands.arguments import COMMANDS
from tui.main import main


def test_init_with_the_starter_deck_gives_twelve_writable_cards(
    shell: Shell, tmp_path: Path
) -> None:
    target = tmp_path / "new"
    assert shell("init", target, "--starter").returncode == 0
    assert len(list(target.glob("*.md"))) == 12
    assert all(path.stat().st_mode & 0o200 for path in target.glob("*.md"))
    assert shell("lint", target).returncode == 0


def test_the_makefile_names_a_folder_and_not_a_command() -> None:
    recipe = (ROOT / "Makefile").read_text()
    assert "deltadeck ./study" in recipe
    assert "study" in COMMANDS  # why a bare `deltadeck study` would open the wrong folder


def test_init_twice_overwrites_nothing(shell: Shell, folder: Path) -> None:
    mine = SEED.read_text().replace("difficulty: 2", "difficulty: 5")
    (folder / SEED.name).write_text(mine)
    assert shell("init", folder, "--starter").returncode == 0
    assert (folder / SEED.name).read_text() == mine


def test_show_prints_the_card_and_its_json(shell: Shell, folder: Path) -> None:
    text = shell("show", "ssu_batch4_004", "--folder", folder).stdout
    assert "(i,j)∈Ω(k,l)" in text
    source = shell("show", "ssu_batch4_004", "--folder", folder, "--source").stdout
    assert r"\max_{(i, j) \in \Omega(k, l)} x_{ij}" in source
    value = json.loads(shell("show", "ssu_batch4_004", "--folder", folder, "--json").stdout)
    assert value["tags"] == ["cnn", "max-pooling", "backpropagation", "gradients"]
    assert value["points"] == 5


def test_show_prints_a_cloze_with_its_text_also_in_a_formula(shell: Shell, folder: Path) -> None:
    text = "---\nid: gaps\ntype: cloze\n---\n\n# Question\nIn $a = {{c1::x}}$ see {{c2::y::why}}.\n"
    (folder / "gaps.md").write_text(text)
    assert "In a = x see y." in shell("show", "gaps", "--folder", folder).stdout


def test_due_counts_a_new_card(shell: Shell, folder: Path) -> None:
    value = json.loads(shell("due", "--folder", folder, "--json").stdout)
    assert [entry["item"] for entry in value["queue"]] == ["ssu_batch4_004"]
    assert sum(deck["new"] for deck in value["decks"] if deck["depth"] == 0) == 1


def test_add_takes_a_card_from_standard_input(shell: Shell, folder: Path) -> None:
    text = SEED.read_text().replace("id: ssu_batch4_004", "id: mine")
    done = shell("add", "--folder", folder, "--file", "-", stdin=text.encode())
    assert done.returncode == 0, done.stderr
    assert (folder / "mine.md").read_text() == text


def test_edit_takes_the_new_text_of_a_card(shell: Shell, folder: Path) -> None:
    text = SEED.read_text().replace("difficulty: 2", "difficulty: 4")
    done = shell("edit", "ssu_batch4_004", "--folder", folder, "--file", "-", stdin=text.encode())
    assert done.returncode == 0, done.stderr
    assert (folder / SEED.name).read_text() == text


@pytest.mark.material
def test_every_card_is_shown_as_it_is(shell: Shell) -> None:
    for each in MATERIAL:
        names = [path.stem for path in each.cards.glob("*.md")]
        assert shell("show", *names, "--folder", each.cards).returncode == 0


def test_an_unknown_card_with_a_near_name(shell: Shell, folder: Path) -> None:
    said = shell.refused("show", "ssu_batch4_04", "--folder", folder)
    assert "ssu_batch4_004" in said


def test_adding_an_id_that_is_taken(shell: Shell, folder: Path) -> None:
    said = shell.refused("add", "--folder", folder, "--file", "-", stdin=SEED.read_bytes())
    assert "taken" in said


def test_an_edit_that_would_not_read(shell: Shell, folder: Path) -> None:
    shell.refused("edit", "ssu_batch4_004", "--folder", folder, "--file", "-", stdin=b"oops")
    assert (folder / SEED.name).read_bytes() == SEED.read_bytes()


def test_an_edit_that_takes_another_cards_id(shell: Shell, folder: Path) -> None:
    other = SEED.read_bytes().replace(b"id: ssu_batch4_004", b"id: other")
    (folder / "other.md").write_bytes(other)
    said = shell.refused(
        "edit", "other", "--folder", folder, "--file", "-", stdin=SEED.read_bytes()
    )
    assert "taken" in said
    assert (folder / "other.md").read_bytes() == other


def test_a_place_where_no_folder_can_be(shell: Shell) -> None:
    assert "cannot be made" in shell.refused("init", "/proc/nothing")


def test_a_folder_that_is_a_file(shell: Shell) -> None:
    assert "README.md" in shell.refused("init", ROOT / "README.md")


FOLDED = "## Part\n\nSee [[b]] and [x](https://a.example), $\\frac12$, `code`."


@pytest.fixture
def collection(empty: Path) -> Collection:
    write(empty, "a", basic("a", FOLDED, "**Solved.**"))
    write(empty, "b", CHOICE.format(id="b"))
    return Collection.open(empty, now=Clock()())


def page(collection: Collection, card: str, width: int = 60, styled: bool = False) -> str:
    return card_page(collection.cards[card], collection, width, styled)


def test_a_pipe_gets_plain_text_with_addresses(collection: Collection) -> None:
    shown = page(collection, "a")
    assert "\x1b" not in shown
    assert "See b and x (https://a.example), 1/2, code." in shown
    assert "▾" not in shown
    assert "Solved." in shown


def test_a_terminal_gets_styles_and_hyperlinks(collection: Collection) -> None:
    shown = page(collection, "a", styled=True)
    assert "\x1b[1mSolved.\x1b[0m" in shown
    assert "\x1b]8;;https://a.example\x1b\\" in shown
    assert shown.count("\x1b]8;;\x1b\\") == shown.count("\x1b]8;;https")


def test_options_and_their_verdict_are_part_of_the_page(collection: Collection) -> None:
    assert " ✓ B) one" in page(collection, "b")
    asked = card_page(collection.cards["b"], collection, 60, styled=False, solution=False)
    assert "   B) one" in asked
    assert "✓" not in asked


def test_the_width_is_kept(
    collection: Collection, empty: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert collection.cards
    assert main(["show", "a", "-C", str(empty), "--width", "20"]) == 0
    rows = capsys.readouterr().out.split("\n\n", 1)[1].split("\n")
    assert max(map(len, rows)) <= 20
    assert main(["show", "a", "-C", str(empty), "--width", "3"]) == 2
    assert "--width" in capsys.readouterr().err


def test_what_a_stranger_wrote_steers_no_terminal(empty: Path) -> None:
    write(empty, "c", basic("c", "[a](https://x.example/%1b]0;t%07) \x1b]0;title\x07 `\x9b31m`"))
    collection = Collection.open(empty, now=Clock()())
    shown = page(collection, "c", styled=True)
    assert "\x1b]0" not in shown
    assert "\x9b" not in shown
    assert "\x07" not in shown


@pytest.mark.parametrize(
    ("setting", "course", "card", "stays"),
    [
        ("", "", "", False),
        ("", "", "true", True),
        ("line_breaks = true", "", "", True),
        ("line_breaks = true", "", "false", False),
        ("", "line_breaks = true", "", True),
        ("line_breaks = true", "line_breaks = false", "", False),
        ("line_breaks = true", "line_breaks = false", "true", True),
    ],
)
def test_line_breaks_stay_as_card_course_and_collection_say(
    empty: Path, setting: str, course: str, card: str, stays: bool
) -> None:
    (empty / ".deltadeck").mkdir(exist_ok=True)
    settings = f"{setting}\n[courses.Algebra]\n{course}\n"
    (empty / ".deltadeck" / "config.toml").write_text(settings)
    head = f"id: a\ncourse: Algebra\ntype: multiple_choice\n{card and f'line_breaks: {card}'}"
    options = "## Options\nA) first\nline\nB) other"
    text = f"---\n{head}\n---\n# Question\none\ntwo\n\n{options}\n\n# Solution\nthree\nfour\n"
    write(empty, "a", text)
    collection = Collection.open(empty, now=Clock()())
    shown = page(collection, "a")
    for words in ("one two", "three four", "first line"):
        assert (words in shown) is not stays
    assert collection.cards["a"].warnings[1:] == ()


def test_what_line_breaks_does_not_take_is_said(empty: Path) -> None:
    write(empty, "a", "---\nid: a\nline_breaks: perhaps\n---\n# Question\nWhy?\n# Solution\nSo.\n")
    (problem,) = Collection.open(empty, now=Clock()()).cards["a"].warnings
    assert "line_breaks" in problem.message
