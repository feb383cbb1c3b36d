"""`deltadeck sync` as a learner runs it: from nothing to two computers, and what it says."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.deck.given import write_card
from tests.deck.sync.given import git, git_environment
from tests.program.shell import Shell

ITEM = "ssu_batch4_004"


@pytest.fixture
def shells(tmp_path: Path) -> tuple[Shell, Shell]:
    """Two computers, each with a home of its own."""
    shells = Shell(tmp_path / "home1"), Shell(tmp_path / "home2")
    for number, shell in enumerate(shells):
        shell.env.update(git_environment(tmp_path / f"home{number + 1}"))
    return shells


@pytest.fixture
def remote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for key, value in git_environment(tmp_path / "home0").items():
        monkeypatch.setenv(key, value)
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", tmp_path / "r.git"], check=True)
    return tmp_path / "r.git"


def test_from_one_folder_to_two_computers(
    folder: Path, shells: tuple[Shell, Shell], remote: Path, tmp_path: Path
) -> None:
    desk, phone = shells
    assert "deltadeck init" in desk.refused("sync", folder)
    desk("init", folder)
    said = desk.refused("sync", folder)
    assert "--init" in said
    assert "Syncthing" in said
    done = desk("sync", folder, "--init")
    assert done.returncode == 1
    assert "has no remote" in done.stderr
    done = desk("sync", folder, "--remote", remote)
    assert (done.returncode, done.stderr) == (0, "")
    other = tmp_path / "other"
    git(tmp_path, "clone", "-q", str(remote), str(other))
    assert phone("sync", other).stdout == "other: nothing new.\n"
    desk("review", ITEM, "good", "-C", folder)
    phone("review", ITEM, "again", "-C", other)
    assert desk("sync", folder).stdout == "Sent to origin: 1 answer.\n"
    done = phone("sync", "--folder", other)
    assert done.stdout == "Sent to origin: 1 answer.\nReceived from origin: 1 answer.\n"
    assert desk("sync", folder, "-m", "Week 1").stdout == "Received from origin: 1 answer.\n"
    assert "1 answer on " in git(folder, "log", "--format=%s")


def test_a_card_that_follows_an_answer_is_no_deed_of_its_own(
    folder: Path, shells: tuple[Shell, Shell], remote: Path
) -> None:
    shell = shells[0]
    shell("init", folder)
    shell("sync", folder, "--init", "--remote", remote)
    write_card(folder, "plain")
    text = (folder / "plain.md").read_text()
    (folder / "plain.md").write_text(text.replace("status: to_learn\n", ""))
    shell("sync", folder)
    shell("review", "plain", "good", "-C", folder)
    assert "status:" in (folder / "plain.md").read_text()
    assert shell("sync", folder).stdout == "Sent to origin: 1 answer.\n"
    shell("review", "--undo", "-C", folder)
    assert shell("sync", folder).stdout == "Sent to origin: 1 event.\n"


def test_git_as_it_comes_leads_two_computers_to_one_collection(
    folder: Path, shells: tuple[Shell, Shell], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bare repository's HEAD names another branch than ours, and a clone came too early."""
    desk, phone = shells
    for key, value in git_environment(tmp_path / "home0").items():
        monkeypatch.setenv(key, value)
    git(tmp_path, "init", "-q", "--bare", "-b", "master", "old.git")
    git(tmp_path, "clone", "-q", "old.git", "early")
    assert "no collection yet" in phone.refused("sync", tmp_path / "early")
    desk("init", folder)
    assert desk("sync", folder, "--init", "--remote", tmp_path / "old.git").returncode == 0
    git(tmp_path, "clone", "-q", "old.git", "late")
    for name in ("early", "late"):
        assert phone("sync", tmp_path / name).returncode == 0
        assert (tmp_path / name / f"{ITEM}.md").exists()
    heads = git(tmp_path / "old.git", "for-each-ref", "--format=%(refname)").split()
    assert heads == ["refs/heads/master"]


def test_two_versions_are_said_everywhere_and_chosen_by_a_command(
    folder: Path, shells: tuple[Shell, Shell], remote: Path, tmp_path: Path
) -> None:
    desk, phone = shells
    desk("init", folder)
    desk("sync", folder, "--init", "--remote", remote)
    other = tmp_path / "other"
    git(tmp_path, "clone", "-q", str(remote), str(other))
    for root, word in ((folder, "Desk"), (other, "Phone")):
        path = root / f"{ITEM}.md"
        path.write_text(path.read_text().replace("Max Pooling", word, 1))
    desk("sync", folder)
    value = json.loads(phone("sync", other, "--dry-run", "--json").stdout)
    assert value["repositories"][0]["conflicts"] == [f"{ITEM}.md"]
    assert value["open"] == []
    done = phone("sync", other)
    assert done.returncode == 1
    assert "--take" in done.stdout
    assert "two versions" in phone("lint", other).stdout
    assert "two versions" in phone("doctor", "-C", other).stdout
    value = json.loads(phone("sync", other, "--json").stdout)
    assert [Path(each["path"]).name for each in value["open"]] == [f"{ITEM}.md"]
    assert "no other version" in phone.refused("sync", other, "--take", "nothing")
    assert "is the other version now" in phone("sync", other, "--take", ITEM).stdout
    assert phone("sync", other).returncode == 0
    assert desk("sync", folder).returncode == 0
    assert "Desk" in (folder / f"{ITEM}.md").read_text()


def test_a_folder_of_syncthing_needs_no_git(folder: Path, shells: tuple[Shell, Shell]) -> None:
    shell = shells[0]
    shell("init", folder)
    (folder / ".stfolder").mkdir()
    copy = folder / f"{ITEM}.sync-conflict-20261121-120000-ABCDEFG.md"
    copy.write_bytes((folder / f"{ITEM}.md").read_bytes())
    done = shell("sync", folder)
    assert (done.returncode, done.stdout) == (
        0,
        "1 copy of cards set aside: they say nothing new.\n"
        f"{folder}: Syncthing synchronises it, so there is nothing for git to do.\n",
    )
    assert not copy.exists()


SERVICES = {
    ".stfolder": "Syncthing",
    ".stignore": "Syncthing",
    ".dropbox.cache": "Dropbox",
    ".sync/ID": "Resilio Sync",
    ".nextcloudsync.log": "Nextcloud",
    ".owncloudsync.log": "ownCloud",
}


@pytest.mark.parametrize("mark", SERVICES)
@pytest.mark.parametrize("has_git", [True, False])
def test_a_folder_that_another_program_synchronises_is_well_as_it_is(
    mark: str, has_git: bool, tmp_path: Path, shells: tuple[Shell, Shell]
) -> None:
    shell, deck = shells[0], tmp_path / "shared" / "deck"
    shell("init", deck)
    if not has_git:
        (tmp_path / "empty").mkdir()
        shell.env["PATH"] = str(tmp_path / "empty")
    shell.refused("sync", deck)
    (tmp_path / "shared" / mark).parent.mkdir(exist_ok=True)
    (tmp_path / "shared" / mark).mkdir()
    for more in ((), ("--dry-run",)):
        done = shell("sync", deck, *more)
        assert (done.returncode, done.stderr) == (0, "")
        assert f"{SERVICES[mark]} synchronises it" in done.stdout
    value = json.loads(shell("sync", deck, "--json").stdout)
    assert (value["repositories"], value["open"]) == ([], [])
    shell.refused("sync", deck, "--remote", tmp_path / "nowhere.git")


def test_a_program_that_is_only_installed_synchronises_nothing(
    folder: Path, shells: tuple[Shell, Shell]
) -> None:
    shells[0]("init", folder)
    for name in (".dropbox", ".sync"):
        (folder.parent / name).mkdir()
    assert "--init" in shells[0].refused("sync", folder)


def test_a_repository_within_syncthing_s_folder_is_synced_by_git(
    folder: Path, shells: tuple[Shell, Shell], remote: Path
) -> None:
    shells[0]("init", folder)
    (folder / ".stfolder").mkdir()
    done = shells[0]("sync", folder, "--init", "--remote", remote)
    assert (done.returncode, done.stdout.startswith("Sent to origin: ")) == (0, True)


def test_repositories_within_the_collection_are_named_each_time(
    folder: Path, shells: tuple[Shell, Shell], remote: Path
) -> None:
    shell = shells[0]
    shell("init", folder)
    inner = folder / "papers of Ada"
    inner.mkdir()
    git(inner, "init", "-q")
    for _ in range(2):
        done = shell("sync", folder, "--init", "--remote", remote)
        assert done.returncode == 0
        assert f"{inner} is a git repository of its own" in done.stderr
        assert f"`git -C '{inner}' push`" in done.stderr
    value = json.loads(shell("sync", folder, "--json").stdout)
    assert value["repositories"][0]["nested"] == ["papers of Ada"]


def test_a_submodule_that_was_not_fetched_is_no_place_for_git(
    folder: Path, shells: tuple[Shell, Shell], remote: Path, tmp_path: Path
) -> None:
    """In its empty folder, a command of git's would be about the repository around it."""
    desk, phone = shells
    desk("init", folder)
    desk("sync", folder, "--init", "--remote", remote)
    git(tmp_path, "init", "-q", "papers")
    git(tmp_path / "papers", "commit", "-q", "--allow-empty", "-m", "none")
    local = ("-c", "protocol.file.allow=always")
    for path in ("one", "two/levels deep"):
        git(folder, *local, "submodule", "--quiet", "add", str(tmp_path / "papers"), path)
    git(folder, "commit", "-qm", "papers")
    assert desk("sync", folder).stderr.count("its files are not synced") == 2
    other = tmp_path / "on the phone"
    git(tmp_path, "clone", "-q", str(remote), str(other))
    said = phone("sync", other).stderr
    assert said.count("not fetched") == 2
    assert "push" not in said
    for command in re.findall(r"`git (.*?)`", said):
        git(tmp_path, *local, *shlex.split(command))
    assert (other / "two/levels deep/.git").exists()
    assert phone("sync", other).stderr.count("its files are not synced") == 2


def test_a_class_is_set_up_by_one_command(
    folder: Path, shells: tuple[Shell, Shell], remote: Path, tmp_path: Path
) -> None:
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "lecture 1")
    git(folder, "push", "-q", str(remote), "main")
    shell, mine = shells[0], tmp_path / "mine"
    git(tmp_path, "clone", "-q", str(remote), str(mine))
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "own.git")
    done = shell("sync", mine, "--class", "--reviews", tmp_path / "own.git")
    assert done.returncode == 0, done
    shell("review", ITEM, "good", "-C", mine)
    value = json.loads(shell("sync", mine, "--json").stdout)
    assert [each["pulls_only"] for each in value["repositories"]] == [True, False]
    assert value["repositories"][1]["sent"]["answers"] == 1
    assert git(mine, "status", "--porcelain") == ""
    assert "journal" in git(tmp_path / "own.git", "ls-tree", "-r", "--name-only", "main")


def test_a_class_as_the_page_has_it_comes_out_clean(
    folder: Path, shells: tuple[Shell, Shell], remote: Path, tmp_path: Path
) -> None:
    teacher, learner = shells
    teacher("init", folder)
    (folder / ".gitignore").write_text(".deltadeck/\n")
    done = teacher("sync", folder, "--init", "--remote", remote)
    assert (done.returncode, "--reviews ADDRESS" in done.stderr) == (0, True)
    assert ".deltadeck" not in git(remote, "ls-tree", "-r", "--name-only", "main")
    git(tmp_path, "clone", "-q", str(remote), "mine")
    mine = tmp_path / "mine"
    done = learner("sync", mine, "--class")
    assert (done.returncode, "--reviews ADDRESS" in done.stderr) == (0, True)
    git(tmp_path, "init", "-q", "--bare", "own.git")
    done = learner("sync", mine, "--reviews", "../own.git")
    assert (done.returncode, done.stderr) == (0, "")
    learner("review", ITEM, "good", "-C", mine)
    said = learner("sync", mine).stdout.splitlines()
    assert said[0] == "mine: nothing new."
    assert said[1].startswith("Sent to origin of the reviews")


def test_what_cannot_be_meant_is_refused(folder: Path, shells: tuple[Shell, Shell]) -> None:
    shell = shells[0]
    shell("init", folder)
    assert "named twice" in shell.refused("sync", folder, "-C", folder)
    (folder / "deck").mkdir()
    assert f"part of the collection {folder}" in shell.refused("sync", folder / "deck")
    assert "--message is empty" in shell.refused("sync", folder, "-m", " ")
    assert "in no repository" in shell.refused("sync", "--folder", folder, "--class")
    assert "leave out --dry-run" in shell.refused("sync", "-C", folder, "--class", "--dry-run")
    assert "no folder" in shell.refused("sync", folder / "nothing")
    shell.env["PATH"] = str(folder)
    assert "`git` is not here" in shell.refused("sync", folder)
