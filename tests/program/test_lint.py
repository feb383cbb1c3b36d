"""`deltadeck lint`: what it says of cards, and what `--fix` and `--dry-run` do to files."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from textual.widgets import TextArea

from tests.paths import SEED
from tests.program.shell import ITEM, Shell
from tests.tui.driving import basic, running, write
from tui.commands.lint import apply_fixes, fixes

BODY = "# Question\nWhy?\n# Solution\nBecause.\n"
TAGGED = basic("b").replace("type: basic", "type: basic\ntags: [some-tag]")


@pytest.fixture
def linted(empty: Path) -> Path:
    """With a card that is linked to, settings, and pictures that are there."""
    write(empty, "b", TAGGED)
    (empty / ".deltadeck").mkdir()
    (empty / ".deltadeck" / "config.toml").write_text("[math.macros]\nQ = 'q'\n")
    for name in ("there.png", "sp ace.png", "a_(1).png", "br.png", "r.png"):
        (empty / name).write_bytes(b"")
    return empty


def test_a_formula_is_shown_with_a_caret(linted: Path, shell: Shell) -> None:
    text = "$\\Q \\foo$ [[b]] [[Some Tag]] `[[code]]` $[[x]]$ [[nobody]]"
    path = write(linted, "a", basic("a", text))
    for asked in (linted, path):
        done = shell("lint", asked)
        rows = done.stdout.splitlines()
        assert done.returncode == 1
        assert f"{path}:9:5: formula:" in rows[0]
        assert "\\foo" in rows[0]
        assert rows[2].index("^") == rows[1].index("\\foo")
        assert ["nobody" in row for row in rows[3:]] == [True]


@pytest.mark.parametrize(
    ("question", "code", "said"),
    [
        ("[[nobody]]", 0, ["hint: ", "`nobody`"]),
        ("![x](gone.png)", 1, ["There is no picture `gone.png`."]),
        ("![[gone.png]]", 1, ["There is no picture `gone.png`."]),
        ("![](<no ne.png>)", 1, ["There is no picture `no ne.png`."]),
        ("![](two words.png) <img src=x.png>", 1, ["`two words.png` is not read"]),
        ("![x](there.png) ![](<sp ace.png>) ![x](a_(1).png 't') ![a [b]](br.png)", 0, []),
        ("![r][ref]\n\n[ref]: r.png", 0, []),
    ],
)
def test_links_and_pictures_that_lead_nowhere_are_said(
    linted: Path, shell: Shell, question: str, code: int, said: list[str]
) -> None:
    write(linted, "a", basic("a", question))
    done = shell("lint", linted)
    assert done.returncode == code
    assert done.stdout.count("\n") == 1
    assert all(words in done.stdout for words in said or ["nothing is odd about any"])


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("---\nid: half\ntags: [a, b\n---\n# Question\n", 2, "x.md:"),
        (SEED.read_text(), 2, f"{ITEM}.md"),  # whose id it takes
        (
            "---\nid: one\ntype: derivation\nexercise:\n  given: |\n    s = 2 * x\n"
            f"    y = exq(s)\n  find: dL/dx\n---\n{BODY}",
            1,
            "x.md:7:9: exercise: given: I do not know 'exq'",
        ),
        *(
            (f"---\nid: x\ncourse: A\ntags: []\nexercise: {each}\n---\n{BODY}", 1, "x.md:5:1")
            for each in ("{layer: elephant}", "{layer: max-pool, kernel: 0}", "5")
        ),
        (  # another key that begins so, with the same words
            f"---\nid: x\nexercise_hint:\n  given: y = exq(s)\nexercise:\n  given: y = exq(s)\n"
            f"  find: dL/ds\n---\n{BODY}",
            1,
            "x.md:6:14: exercise: given: I do not know 'exq'",
        ),
        (f"---\nid: x\nexercise_hint: 5\nexercise: 5\n---\n{BODY}", 1, "x.md:4:1"),
    ],
)
def test_a_card_that_cannot_be_is_told_with_its_place_and_hides_no_other(
    shell: Shell, folder: Path, text: str, code: int, said: str
) -> None:
    (folder / "x.md").write_text(text)
    done = shell("lint", folder)
    assert done.returncode == code
    assert "x.md" in done.stdout
    assert said in done.stdout
    if "y = exq(s)\n  find: dL/dx" in text:
        assert "    y = exq(s)\n        ^\n" in done.stdout
    assert shell("show", ITEM, "-C", folder).returncode == 0


def test_a_file_is_told_what_its_collection_has_against_it(folder: Path, shell: Shell) -> None:
    shell("init", folder)
    shutil.copy(SEED, folder / "twin.md")
    other = folder / ".deltadeck/conflicts" / f"{ITEM}.0123abcd.md"
    other.parent.mkdir()
    shutil.copy(SEED, other)
    for name, said, code in (("twin.md", "already used by", 2), (SEED.name, "version", 1)):
        for words in (["lint"], ["lint", "--fix"]):
            done = shell(*words, folder / name)
            assert (done.returncode, said in done.stdout) == (code, True), done
            assert "Nothing is left" not in done.stdout


@pytest.mark.parametrize(("count", "lines"), [(3, 9), (20, 3)])
def test_many_links_that_are_wrong_alike_are_a_line_and_each_is_in_json(
    shell: Shell, empty: Path, count: int, lines: int
) -> None:
    for number in range(count):
        text = f"# Question\n[[note {number}]] ![](pictures/{number}.png)\n# Solution\nYes.\n"
        (empty / f"{number}.md").write_text(f"---\nid: c{number}\n---\n{text}")
        (empty / f"way {number}").symlink_to("/")
    said = shell("lint", empty).stdout
    problems = shell.json("lint", empty)
    places = {(each["path"], each["line"], each["column"]) for each in problems}
    assert len(problems) == len(places) == 3 * count
    assert said.count("\n") == lines
    gathered = f"{count - 1} more links are like it, in {count} files"
    assert said.count(gathered) == (3 if count > 3 else 0)
    if count > 3:
        assert shell("list", "-C", empty).stderr.count("leads out") == 1


# What is mended.

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
    assert len(shell("list", "--ids", "-C", broken).stdout.split()) == 4
    assert shell.json("lint", "--fix", broken) == {"fixed": [], "problems": []}
    assert shell("lint", "--dry-run", broken).stdout == "There is nothing to mend.\n"
    assert contents(broken) == found


def test_a_dry_run_shows_what_a_fix_writes(broken: Path, shell: Shell, tmp_path: Path) -> None:
    (broken / "a link.md").symlink_to("no id.md")
    before = contents(broken)
    shown = shell("lint", "--dry-run", broken)
    assert shown.stdout.count("+id: no_id") == 1
    assert (shown.returncode, shown.stderr) == (1, "")
    assert contents(broken) == before
    diffs = [each["diff"] for each in shell.json("lint", "--dry-run", broken)["fixes"]]
    assert "".join(diffs) == shown.stdout
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


def test_a_file_that_changed_stays(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = list(fixes([broken / "no id.md", broken / "open.md"], None))
    (broken / "no id.md").write_text("saved by another program")
    done, refused = apply_fixes(found, quiet=True)
    assert refused
    assert [fix.path.name for fix in done] == ["open.md"]
    assert "changed on disk" in capsys.readouterr().err
    assert (broken / "no id.md").read_text() == "saved by another program"


def test_what_is_outside_is_not_mended(broken: Path, shell: Shell, empty: Path) -> None:
    (empty / ".deltadeck").mkdir()
    (empty / "link.md").symlink_to(broken / "no id.md")
    (empty / "all").symlink_to(broken)
    before = contents(broken)
    for path in (empty, empty / "link.md", empty / "all" / "no id.md"):
        assert "leads out of the collection" in shell("lint", "--fix", path).stdout
        assert shell("lint", "--dry-run", path).stdout == "There is nothing to mend.\n"
    assert "leads out" in shell.refused("edit", "link.md", "--file", "-", "-C", empty)
    assert contents(broken) == before


# The doctor names commands, and they mend.


def commands_of_the_doctor(folder: Path, shell: Shell) -> list[str]:
    found = shell.json("doctor", "-C", folder)["findings"]
    return [each["command"] for each in found if each["command"]]


def test_every_command_of_the_doctor_mends_what_it_found(broken: Path, shell: Shell) -> None:
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
    names = sorted(words.split()[1] for words in carried_out)
    assert names == ["doctor", "edit", *["lint"] * 4, "sync"]


def test_the_doctor_makes_a_folder_that_is_missing(tmp_path: Path, shell: Shell) -> None:
    [command] = commands_of_the_doctor(tmp_path / "no where", shell)
    assert shell(*shlex.split(command)[1:]).returncode == 0
    assert not commands_of_the_doctor(tmp_path / "no where", shell)


NAMES = ("LOUD.MD", "Mixed.Md", "-dash.md", "-C.md")


def test_a_folder_is_mended_whatever_its_files_are_called(shell: Shell) -> None:
    for name in NAMES:
        (shell.home / name).write_text("---\nid: [half\n---\n" * (name == "-C.md") + BODY)
    found = shell.json("doctor")["findings"]
    commands = {Path(each["name"].split(":")[0]).name: each["command"] for each in found}
    good = f"---\nid: half\n---\n{BODY}".replace("# S", "\n---\n# S").encode()
    for name in NAMES:
        words = [*shlex.split(commands[name])[1:], *(["--file", "-"] if name == "-C.md" else [])]
        assert shell(*words, stdin=good).returncode == 0, words
    assert shell("list", "--ids").stdout.split() == ["half", "dash", "LOUD", "Mixed"]
    text = (shell.home / "LOUD.MD").read_text().replace("Why", "How")
    done = shell("edit", "LOUD.MD", "--file", "-", stdin=text.encode())
    assert (done.returncode, done.stderr) == (0, "")
    assert "How?" in (shell.home / "LOUD.MD").read_text()


async def test_the_app_lists_what_lint_tells_in_its_words_and_the_editor_says_it_too(
    linted: Path, shell: Shell
) -> None:
    poor = basic("poor", "$\\foo$").replace("type: basic", "type: derivation\nexercise: {find: y}")
    write(linted, "a", basic("a", "[[nobody]] ![x](gone.png)"))
    write(linted, "half", "---\nid: [half\n---\n")
    path = write(linted, "poor", poor)
    told = shell.json("lint", linted)
    assert {each["severity"] for each in told} == {"error", "warning", "hint"}
    async with running(linted, (140, 40)) as app:
        await app.do("p", "1 error, 3 warnings, 1 hint", on="ProblemsScreen")
        for each in told:
            kind = "" if each["severity"] == "error" else f"{each['severity']}: "
            place = f"{Path(each['path']).name}:{each['line']}:{each['column']}"
            await app.do("", f"{kind}{place}", f"{each['message']} {each['hint']}"[:130])
        await app.do("down down enter", on="EditScreen")
        mine = [each for each in told if each["path"] == str(path)]
        assert len(mine) == 2
        for each in mine:
            await app.do("", f"warning: line {each['line']}", each["message"])
        app.app.screen.query_one(TextArea).load_text(basic("poor"))
        await app.do("ctrl+s escape", "1 error, 1 warning, 1 hint", gone=("poor.md",))


async def test_the_app_opens_what_it_lists_as_a_problem(tmp_path: Path) -> None:
    (tmp_path / "HALF.MD").write_text("---\nid: [half\n---\n", encoding="utf-8")
    async with running(tmp_path) as app:
        await app.press("p", "enter")
        assert app.screen == "EditScreen"
