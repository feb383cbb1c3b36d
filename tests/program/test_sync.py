"""`deltadeck sync` as a learner runs it: from nothing to two computers, and what it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.deck.given import write_card
from tests.deck.sync.given import git, git_environment
from tests.program.shell import ITEM, Shell


@pytest.fixture(autouse=True)
def plain_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for key, value in git_environment(tmp_path / "home0").items():
        monkeypatch.setenv(key, value)


def computer(home: Path) -> Shell:
    shell = Shell(home)
    shell.env.update(git_environment(home))
    return shell


@pytest.fixture
def desk(tmp_path: Path) -> Shell:
    return computer(tmp_path / "home1")


@pytest.fixture
def phone(tmp_path: Path) -> Shell:
    """Another computer, with a home of its own."""
    return computer(tmp_path / "home2")


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "r.git")
    return tmp_path / "r.git"


@pytest.fixture
def other(folder: Path, desk: Shell, remote: Path, tmp_path: Path) -> Path:
    """A clone of the desk's collection."""
    desk("init", folder)
    desk("sync", folder, "--init", "--remote", remote)
    git(tmp_path, "clone", "-q", str(remote), "other")
    return tmp_path / "other"


def test_from_one_folder_to_two_computers(
    folder: Path, desk: Shell, phone: Shell, remote: Path, tmp_path: Path
) -> None:
    assert "no collection yet: `deltadeck init`" in desk.refused("sync", folder)
    desk("init", folder)
    said = desk.refused("sync", folder)
    assert "--init" in said
    assert "Syncthing" in said
    done = desk("sync", folder, "--init")
    assert (done.returncode, "has no remote" in done.stderr) == (1, True)
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


@pytest.mark.usefixtures("other")
def test_a_card_that_follows_an_answer_is_no_deed_of_its_own(folder: Path, desk: Shell) -> None:
    plain = write_card(folder, "plain")
    plain.write_text(plain.read_text().replace("status: to_learn\n", ""))
    desk("sync", folder)
    desk("review", "plain", "good", "-C", folder)
    assert "status:" in plain.read_text()
    assert desk("sync", folder).stdout == "Sent to origin: 1 answer.\n"
    desk("review", "--undo", "-C", folder)
    assert desk("sync", folder).stdout == "Sent to origin: 1 event.\n"


def test_two_versions_are_chosen_by_a_command(
    folder: Path, other: Path, desk: Shell, phone: Shell
) -> None:
    for root, word in ((folder, "Desk"), (other, "Phone")):
        path = root / f"{ITEM}.md"
        path.write_text(path.read_text().replace("Max Pooling", word, 1))
    desk("sync", folder)
    value = phone.json("sync", other, "--dry-run")
    assert value["repositories"][0]["conflicts"] == [f"{ITEM}.md"]
    assert value["open"] == []
    done = phone("sync", other)
    assert (done.returncode, "--take" in done.stdout) == (1, True)
    assert "two versions" in phone("lint", other).stdout
    assert "two versions" in phone("doctor", "-C", other).stdout
    found = phone.json("sync", other)["open"]
    assert [Path(each["path"]).name for each in found] == [f"{ITEM}.md"]
    assert "no other version" in phone.refused("sync", other, "--take", "nothing")
    assert "is the other version now" in phone("sync", other, "--take", ITEM).stdout
    assert phone("sync", other).returncode == 0
    assert desk("sync", folder).returncode == 0
    assert "Desk" in (folder / f"{ITEM}.md").read_text()


# Where another program synchronises the folder.

SERVICES = {
    ".stfolder": "Syncthing",
    ".stignore": "Syncthing",
    ".dropbox.cache": "Dropbox",
    ".sync/ID": "Resilio Sync",
    ".nextcloudsync.log": "Nextcloud",
    ".owncloudsync.log": "ownCloud",
}


def test_a_folder_that_another_program_synchronises_is_well_as_it_is(
    folder: Path, tmp_path: Path, desk: Shell, remote: Path
) -> None:
    desk("init", folder)
    for name in (".dropbox", ".sync"):  # a program that is only installed synchronises nothing
        (tmp_path / name).mkdir()
    assert "--init" in desk.refused("sync", folder)
    for mark, name in SERVICES.items():
        (tmp_path / mark).mkdir(exist_ok=True)
        done = desk("sync", folder, "--dry-run")
        assert (done.returncode, done.stderr) == (0, "")
        assert f"{name} synchronises it" in done.stdout
        (tmp_path / mark).rmdir()
    (folder / ".stfolder").mkdir()
    copy = folder / f"{ITEM}.sync-conflict-20261121-120000-ABCDEFG.md"
    copy.write_bytes((folder / f"{ITEM}.md").read_bytes())
    path, desk.env["PATH"] = desk.env["PATH"], str(tmp_path)  # without git
    done = desk("sync", folder)
    assert (done.returncode, done.stdout) == (
        0,
        "1 copy of cards set aside: they say nothing new.\n"
        f"{folder}: Syncthing synchronises it, so there is nothing for git to do.\n",
    )
    assert not copy.exists()
    value = desk.json("sync", folder)
    assert (value["repositories"], value["open"]) == ([], [])
    desk.env["PATH"] = path
    desk.refused("sync", folder, "--remote", tmp_path / "nowhere.git")
    done = desk("sync", folder, "--init", "--remote", remote)
    assert (done.returncode, done.stdout.startswith("Sent to origin: ")) == (0, True)


# Repositories within.


@pytest.mark.usefixtures("other")
def test_repositories_within_the_collection_are_named_each_time(folder: Path, desk: Shell) -> None:
    inner = folder / "papers of Ada"
    inner.mkdir()
    git(inner, "init", "-q")
    for _ in range(2):
        done = desk("sync", folder)
        assert done.returncode == 0
        assert f"{inner} is a git repository of its own" in done.stderr
        assert f"`git -C '{inner}' push`" in done.stderr
    assert desk.json("sync", folder)["repositories"][0]["nested"] == ["papers of Ada"]


def test_a_submodule_that_was_not_fetched_is_no_place_for_git(
    folder: Path, other: Path, desk: Shell, phone: Shell, tmp_path: Path
) -> None:
    """In its empty folder, a command of git's would be about the repository around it."""
    git(tmp_path, "init", "-q", "papers")
    git(tmp_path / "papers", "commit", "-q", "--allow-empty", "-m", "none")
    local = ("-c", "protocol.file.allow=always")
    for path in ("one", "two/levels deep"):
        git(folder, *local, "submodule", "--quiet", "add", str(tmp_path / "papers"), path)
    git(folder, "commit", "-qm", "papers")
    assert desk("sync", folder).stderr.count("its files are not synced") == 2
    said = phone("sync", other).stderr
    assert said.count("not fetched") == 2
    assert "push" not in said
    for command in re.findall(r"`git (.*?)`", said):
        git(tmp_path, *local, *shlex.split(command))
    assert (other / "two/levels deep/.git").exists()
    assert phone("sync", other).stderr.count("its files are not synced") == 2


# A class.


def test_a_class_as_the_page_has_it_comes_out_clean(
    folder: Path, desk: Shell, phone: Shell, remote: Path, tmp_path: Path
) -> None:
    desk("init", folder)
    (folder / ".gitignore").write_text(".deltadeck/\n")
    done = desk("sync", folder, "--init", "--remote", remote)
    assert (done.returncode, "--reviews ADDRESS" in done.stderr) == (0, True)
    assert ".deltadeck" not in git(remote, "ls-tree", "-r", "--name-only", "main")
    git(tmp_path, "clone", "-q", str(remote), "mine")
    mine = tmp_path / "mine"
    done = phone("sync", mine, "--class")
    assert (done.returncode, "--reviews ADDRESS" in done.stderr) == (0, True)
    git(tmp_path, "init", "-q", "--bare", "own.git")
    done = phone("sync", mine, "--reviews", "../own.git")
    assert (done.returncode, done.stderr) == (0, "")
    phone("review", ITEM, "good", "-C", mine)
    cards, reviews = phone.json("sync", mine, "--dry-run")["repositories"]
    assert (cards["pulls_only"], reviews["pulls_only"]) == (True, False)
    assert reviews["sent"]["answers"] == 1
    assert git(mine, "status", "--porcelain") == ""
    said = phone("sync", mine).stdout.splitlines()
    assert said[0] == "mine: nothing new."
    assert said[1].startswith("Sent to origin of the reviews")


def test_what_cannot_be_meant_is_refused(folder: Path, desk: Shell) -> None:
    desk("init", folder)
    (folder / "deck").mkdir()
    for words, said in (
        ([folder, "-C", folder], "named twice"),
        ([folder / "deck"], f"part of the collection {folder}"),
        ([folder, "-m", " "], "--message is empty"),
        (["--folder", folder, "--class"], "in no repository"),
        (["-C", folder, "--class", "--dry-run"], "leave out --dry-run"),
        ([folder / "nothing"], "not a folder"),
    ):
        assert said in desk.refused("sync", *words)
    desk.env["PATH"] = str(folder)
    assert "`git` is not here" in desk.refused("sync", folder)
