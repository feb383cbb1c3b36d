"""`deltadeck lint`: what it says of cards, and what `--fix` and `--dry-run` do to files."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from deck import Collection
from tests.deck.given import NOON, write_card
from tests.paths import SEED
from tests.program.shell import Shell
from tests.tui.driving import basic, running, write
from tui.commands.lint import CardChecker, apply_fixes, fixes
from tui.main import main

TEXT = "$\\Q \\foo$ [[b]] [[Some Tag]] `[[code]]` $[[x]]$ [[nobody]]"
TAGGED = basic("b").replace("type: basic", "type: basic\ntags: [some-tag]")


@pytest.fixture
def linted(empty: Path) -> Path:
    write(empty, "b", TAGGED)
    (empty / ".deltadeck").mkdir()
    (empty / ".deltadeck" / "config.toml").write_text("[math.macros]\nQ = 'q'\n")
    return empty


def lint(capsys: pytest.CaptureFixture[str], *paths: Path) -> tuple[int, list[str]]:
    code = main(["lint", *map(str, paths)])
    return code, capsys.readouterr().out.splitlines()


def test_a_formula_is_shown_with_a_caret(linted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(linted, "a", basic("a", TEXT))
    for asked in (linted, path):
        code, rows = lint(capsys, asked)
        assert code == 1
        assert f"{path}:9:5: formula:" in rows[0]
        assert "\\foo" in rows[0]
        assert rows[2].index("^") == rows[1].index("\\foo")
        assert ["nobody" in row for row in rows[3:]] == [True]


def test_a_link_to_no_card_fails_nothing(linted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(linted, "a", basic("a", "[[nobody]]"))
    code, rows = lint(capsys, linted)
    assert code == 0
    assert rows[0].startswith("hint: ")
    assert "`nobody`" in rows[0]


@pytest.mark.parametrize("picture", ["![x](gone.png)", "![[gone.png]]", "![x](there.png)"])
def test_a_picture_that_is_missing_is_said(
    linted: Path, picture: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (linted / "there.png").write_bytes(b"")
    write(linted, "a", basic("a", picture))
    code, rows = lint(capsys, linted)
    assert code == ("gone" in picture)
    assert any("`gone.png`" in row for row in rows) == ("gone" in picture)


THERE = ("sp ace.png", "a_(1).png", "br.png", "r.png")


def said(root: Path, question: str) -> list[str]:
    write_card(root, "a", question=question, type="basic")
    deck = Collection.open(root, NOON)
    return [problem.message for problem in CardChecker(deck).problems(deck.cards["a"], None)]


def test_no_picture_that_is_there_is_missed(tmp_path: Path) -> None:

    for name in THERE:
        (tmp_path / name).write_bytes(b"")
    shown = "![](<sp ace.png>) ![x](a_(1).png 't') ![a [b]](br.png) ![r][ref]\n\n[ref]: r.png"
    assert not said(tmp_path, shown)


def test_one_that_is_not_is_named_whole(tmp_path: Path) -> None:
    messages = said(tmp_path, "![](<no ne.png>) ![](two words.png) <img src=x.png>")
    assert "There is no picture `no ne.png`." in messages
    assert any("`two words.png` is not read" in message for message in messages)
    assert len(messages) == 2


BODY = "# Question\nWhy?\n# Solution\nBecause.\n"
FILES = {
    "no id.md": f"---\ncourse: A\n---\n{BODY}",
    "sub/plain.md": BODY.replace("\n", "\r\n").rstrip(),
    "sub/Plain.md": BODY,
    "open.md": f"---\nid: open\n\n{BODY}",
    "README.md": "# A deck\nNo card.\n",
}


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    folder = tmp_path / "broken"
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*.md")}


def test_all_that_is_safe_is_mended_once_and_every_card_reads(broken: Path, shell: Shell) -> None:
    assert shell("lint", broken).returncode == 2
    done = shell("lint", "--fix", broken)
    assert done.returncode == 0, done.stdout
    assert "no id.md: put the id `no_id` in" in done.stdout
    found = contents(broken)
    assert found["README.md"] == FILES["README.md"].encode()
    assert found["sub/plain.md"].startswith(b"---\r\nid: plain\r\n---\r\n# Question\r\n")
    assert json.loads(shell("list", "--json", "-C", broken).stdout)[0]["id"]
    assert len(shell("list", "--ids", "-C", broken).stdout.split()) == 4
    again = json.loads(shell("lint", "--fix", "--json", broken).stdout)
    assert again == {"fixed": [], "problems": []}
    assert contents(broken) == found


def test_the_diff_of_a_dry_run_is_what_the_fix_would_write(
    broken: Path, shell: Shell, tmp_path: Path
) -> None:
    (broken / "a link.md").symlink_to("no id.md")
    before = contents(broken)
    shown = shell("lint", "--dry-run", broken)
    assert shown.stdout.count("+id: no_id") == 1
    assert (shown.returncode, shown.stderr) == (1, "")
    assert contents(broken) == before
    value = json.loads(shell("lint", "--dry-run", "--json", broken).stdout)
    assert "".join(each["diff"] for each in value["fixes"]) == shown.stdout
    if shutil.which("patch") is None:
        pytest.skip("patch is not installed here")
    copy = tmp_path / "copy"
    shutil.copytree(broken, copy, symlinks=True)
    diff = shown.stdout.replace(str(broken), str(copy))
    subprocess.run(
        ["patch", "-p0", "--binary", "-d/"], input=diff.encode(), capture_output=True, check=True
    )
    assert shell("lint", "--fix", broken).stderr == ""
    assert contents(copy) == contents(broken)


def test_nothing_to_mend_is_no_change(shell: Shell, folder: Path) -> None:
    assert shell("lint", "--dry-run", folder).stdout == "There is nothing to mend.\n"


def test_a_file_that_changed_meanwhile_stays_and_the_others_are_mended(
    broken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = list(fixes([broken / "no id.md", broken / "open.md"], None))
    (broken / "no id.md").write_text("saved by another program")
    done, refused = apply_fixes(found, quiet=True)
    assert refused
    assert [fix.path.name for fix in done] == ["open.md"]
    assert "changed on disk" in capsys.readouterr().err
    assert (broken / "no id.md").read_text() == "saved by another program"


def test_every_command_that_the_doctor_names_mends_what_it_found(
    broken: Path, shell: Shell
) -> None:
    shell("init", broken)
    shutil.copy(broken / "open.md", broken / "twin.md")
    shell("lint", "--fix", broken / "no id.md")
    other = broken / ".deltadeck/conflicts/no id.0123abcd.md"
    other.parent.mkdir()
    other.write_text((broken / "no id.md").read_text().replace("Why", "How"))
    assert shell("review", "no_id", "good", "-C", broken).returncode == 0
    [journal] = broken.glob(".deltadeck/journal/*/*.jsonl")
    journal.write_bytes(journal.read_bytes() + b"{torn")
    carried_out: list[str] = []
    while commands := commands_of_the_doctor(broken, shell):
        assert not set(commands) & set(carried_out), "it was carried out, and is named again"
        for words in map(shlex.split, commands):
            is_edit = words[1] == "edit"
            mended = Path(words[2]).read_text().replace("id: open", "id: twin") if is_edit else ""
            done = shell(*words[1:], *(["--file", "-"] if is_edit else []), stdin=mended.encode())
            # Of a card that reads now, it may be said that another has its id.
            assert done.returncode in (0, 1) or "already used" in done.stdout, done
        carried_out += commands
    assert sorted(words.split()[1] for words in carried_out) == sorted(
        ["doctor", "edit", "sync", *["lint"] * 4]
    )


def commands_of_the_doctor(folder: Path, shell: Shell) -> list[str]:
    found = json.loads(shell("doctor", "--json", "-C", folder).stdout)["findings"]
    return [each["command"] for each in found if each["command"]]


def test_of_a_single_file_is_said_what_its_collection_has_against_it(
    folder: Path, shell: Shell
) -> None:
    shell("init", folder)
    [card] = folder.glob("*.md")
    shutil.copy(card, folder / "twin.md")
    other = folder / ".deltadeck/conflicts" / f"{card.stem}.0123abcd.md"
    other.parent.mkdir()
    other.write_text(card.read_text())
    for name, said, code in (("twin.md", "already used by", 2), (card.name, "version", 1)):
        for words in (["lint"], ["lint", "--fix"]):
            done = shell(*words, folder / name)
            assert (done.returncode, said in done.stdout) == (code, True), done
            assert "Nothing is left" not in done.stdout


def test_the_doctor_makes_a_folder_that_is_missing(tmp_path: Path, shell: Shell) -> None:
    value = json.loads(shell("doctor", "--json", "-C", tmp_path / "no where").stdout)
    [command] = [each["command"] for each in value["findings"] if each["command"]]
    assert shell(*shlex.split(command)[1:]).returncode == 0
    value = json.loads(shell("doctor", "--json", "-C", tmp_path / "no where").stdout)
    assert not [each for each in value["findings"] if each["command"]]


@pytest.mark.parametrize("count", [3, 90])
def test_many_links_that_are_wrong_alike_are_a_line_and_each_is_in_json(
    shell: Shell, tmp_path: Path, count: int
) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    for number in range(count):
        text = f"# Question\n[[note {number}]] ![](pictures/{number}.png)\n# Solution\nYes.\n"
        (folder / f"{number}.md").write_text(f"---\nid: c{number}\n---\n{text}")
        (folder / f"way {number}").symlink_to("/")
    said = shell("lint", folder)
    problems = json.loads(shell("lint", "--json", folder).stdout)
    places = {(each["path"], each["line"], each["column"]) for each in problems}
    assert len(problems) == len(places) == 3 * count
    lines = said.stdout.splitlines()
    assert len(lines) == (9 if count == 3 else 3)
    if count > 3:
        assert sum(f"{count - 1} more" in line for line in lines) == 3
        assert sum(f"in {count} files" in line for line in lines) == 3
        assert shell("doctor", folder).stdout.count("leads out") == 1
        assert shell("list", "--folder", folder).stderr.count("leads out") == 1


def test_what_a_link_leads_to_outside_is_not_mended(
    broken: Path, shell: Shell, tmp_path: Path
) -> None:
    folder = tmp_path / "deck"
    (folder / ".deltadeck").mkdir(parents=True)
    (folder / "link.md").symlink_to(broken / "no id.md")
    (folder / "all").symlink_to(broken)
    before = contents(broken)
    for path in (folder, folder / "link.md", folder / "all" / "no id.md"):
        assert "leads out of the collection" in shell("lint", "--fix", path).stdout
        assert shell("lint", "--dry-run", path).stdout == "There is nothing to mend.\n"
    assert "leads out" in shell.refused("edit", "link.md", "--file", "-", "-C", folder)
    assert contents(broken) == before


BARE = "# Question\nWhy?\n# Solution\nBecause.\n"
NAMES = ("LOUD.MD", "Mixed.Md", "-dash.md", "-C.md")


@pytest.fixture
def bare(shell: Shell) -> Path:
    """The current folder of the shell; none of its cards can be read yet."""
    for name in NAMES:
        (shell.home / name).write_text(BARE)
    return shell.home


def test_a_folder_is_mended_whatever_its_files_are_called(bare: Path, shell: Shell) -> None:
    assert shell("lint", "--fix").returncode == 0
    assert shell("list", "--ids").stdout.split() == ["C", "dash", "LOUD", "Mixed"]
    text = (bare / "LOUD.MD").read_text()
    done = shell("edit", "LOUD.MD", "--file", "-", stdin=text.replace("Why", "How").encode())
    assert (done.returncode, done.stderr) == (0, "")
    assert "How?" in (bare / "LOUD.MD").read_text()


def test_the_doctor_s_commands_can_be_typed_as_they_are(bare: Path, shell: Shell) -> None:
    (bare / "-C.md").write_text("---\nid: [half\n---\n" + BARE)
    found = json.loads(shell("doctor", "--json").stdout)["findings"]
    commands = {Path(each["name"].split(":")[0]).name: each["command"] for each in found}
    for name in NAMES:
        command, good = commands[name], f"---\nid: half\n---\n{BARE}".replace("# S", "\n---\n# S")
        words = [*shlex.split(command)[1:], *(["--file", "-"] if name == "-C.md" else [])]
        done = shell(*words, stdin=good.encode())
        assert done.returncode == 0, (command, done)
    assert len(shell("list", "--ids").stdout.split()) == len(NAMES)


async def test_the_app_opens_what_it_lists_as_a_problem(tmp_path: Path) -> None:
    (tmp_path / "HALF.MD").write_text("---\nid: [half\n---\n", encoding="utf-8")
    async with running(tmp_path) as app:
        await app.press("p", "enter")
        assert app.screen == "EditScreen"


def test_lint_points_at_the_formula_that_cannot_be_read(shell: Shell, tmp_path: Path) -> None:
    card = (
        "---\nid: one\ntype: derivation\nexercise:\n  given: |\n    s = 2 * x\n"
        "    y = exq(s)\n  find: dL/dx\n---\n# Question\nQ\n\n---\n# Solution\nS\n"
    )
    (tmp_path / "one.md").write_text(card)
    done = shell("lint", str(tmp_path / "one.md"))
    assert done.returncode == 1
    assert "one.md:7:9: exercise: given: I do not know 'exq'" in done.stdout
    assert "    y = exq(s)\n        ^\n" in done.stdout


def test_a_half_written_card(shell: Shell, folder: Path) -> None:
    (folder / "half.md").write_text("---\nid: half\ntags: [a, b\n---\n# Question\n")
    done = shell("lint", folder)
    assert done.returncode == 2
    assert "half.md:" in done.stdout
    # One bad file never hides the rest.
    assert shell("show", "ssu_batch4_004", "--folder", folder).returncode == 0


def test_a_duplicate_id_names_both_files(shell: Shell, folder: Path) -> None:
    shutil.copy(SEED, folder / "copy.md")
    done = shell("lint", folder)
    assert done.returncode == 2
    assert "copy.md" in done.stdout
    assert "ssu_batch4_004.md" in done.stdout


@pytest.mark.parametrize("exercise", ["{layer: elephant}", "{layer: max-pool, kernel: 0}", "5"])
def test_an_exercise_that_cannot_be_is_linted(shell: Shell, folder: Path, exercise: str) -> None:
    text = SEED.read_text().replace("difficulty: 2", f"exercise: {exercise}")
    (folder / SEED.name).write_text(text)
    done = shell("lint", folder)
    assert done.returncode == 1
    assert f"{SEED.name}:5:1" in done.stdout
