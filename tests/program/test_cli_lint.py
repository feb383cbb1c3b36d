"""`deltadeck lint --fix` and `--dry-run` on files, and the doctor's commands, carried out."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.program.shell import Shell
from tui.commands.lint import apply, fixes

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
    done, refused = apply(found, quiet=True)
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
