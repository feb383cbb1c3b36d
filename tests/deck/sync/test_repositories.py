"""Collections within larger repositories, and without a remote."""

from __future__ import annotations

from pathlib import Path

import pytest

from cards import read_card
from deck.collection import Collection
from deck.errors import CollectionError
from deck.sync.commit import make_repository
from tests.deck.given import write_card
from tests.deck.sync.given import Fleet, git, synced


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A repository of other things, with a collection in a folder of it; the collection."""
    top, there = tmp_path / "large", tmp_path / "there.git"
    root = top / "study" / "cards"
    write_card(root, "a")
    Collection.init(root)
    make_repository(top)
    (top / "work.txt").write_text("one\n")
    git(top, "add", "work.txt")
    git(top, "commit", "-qm", "work")
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(there))
    git(top, "remote", "add", "origin", str(there))
    synced(root)
    return root


def test_only_the_collection_is_committed_and_what_is_staged_stays_staged(large: Path) -> None:
    top = large.parents[1]
    (top / "work.txt").write_text("two\n")
    (top / "staged.txt").write_text("staged\n")
    (top / "loose.md").write_text("loose\n")
    git(top, "add", "staged.txt")
    write_card(large, "b")
    synced(large)
    assert git(top, "show", "--format=", "--name-only", "HEAD") == "study/cards/b.md\n"
    status = git(top, "status", "--porcelain")
    assert sorted(status.splitlines()) == [" M work.txt", "?? loose.md", "A  staged.txt"]


@pytest.fixture
def other(large: Path) -> Path:
    """Somebody else's clone of it, in which other work was done and pushed."""
    folder = large.parents[2]
    git(folder, "clone", "-q", "there.git", "other")
    (folder / "other/work.txt").write_text("theirs\n")
    git(folder / "other", "commit", "-qam", "work")
    git(folder / "other", "push", "-q")
    return folder / "other"


@pytest.mark.usefixtures("other")
def test_other_files_are_merged_unless_they_have_changes_here(large: Path) -> None:
    top = large.parents[1]
    (top / "work.txt").write_text("mine\n")
    write_card(large, "b")
    with pytest.raises(CollectionError, match="changes that are not committed"):
        synced(large)
    assert (top / "work.txt").read_text() == "mine\n"
    git(top, "add", "work.txt")
    with pytest.raises(CollectionError, match="staged"):
        synced(large)
    git(top, "reset", "-q", "--hard")
    synced(large)
    assert (top / "work.txt").read_text() == "theirs\n"
    assert git(top, "status", "--porcelain") == ""


@pytest.mark.usefixtures("other")
def test_a_conflict_outside_of_the_collection_is_left_to_the_learner(large: Path) -> None:
    top = large.parents[1]
    (top / "work.txt").write_text("mine\n")
    git(top, "commit", "-qam", "work")
    with pytest.raises(CollectionError, match="no part of the collection"):
        synced(large)
    assert (top / "work.txt").read_text() == "mine\n"


def test_caches_locks_drafts_and_strangers_do_not_travel(fleet: Fleet) -> None:
    root = fleet["desk"]
    for name in (".deltadeck/lock", ".deltadeck/drafts/x.md", ".0123456789abcdef.deltadeck-tmp",
                 ".deltadeck/journal/desk/2026-11.jsonl.aside", ".obsidian/x.md", "a.out",
                 ".deltadeck/replaced-1/x.jsonl"):  # fmt: skip
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")
    (root / "picture.png").write_bytes(b"\x89PNG\r\n")
    (root / "asked.py").write_text("x")
    git(root, "add", "asked.py")
    fleet.settle()
    found = git(root, "ls-files").splitlines()
    assert [name for name in found if not name.startswith(".deltadeck/")] == [
        "a.md", "asked.py", "b.md", "c.md", "picture.png",
    ]  # fmt: skip
    assert [name for name in found if name.startswith(".deltadeck/")] == [
        ".deltadeck/.gitattributes", ".deltadeck/.gitignore", ".deltadeck/config.toml",
    ]  # fmt: skip
    assert (fleet["phone"] / "picture.png").read_bytes() == b"\x89PNG\r\n"


ALLOWED = ("-c", "protocol.file.allow=always")


def inner(folder: Path) -> Path:
    """A repository with a card, to be a submodule."""
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "receive.denyCurrentBranch", "ignore")
    moved(folder, "inside")
    return folder


def moved(folder: Path, name: str) -> None:
    write_card(folder, name)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", name)


def test_a_submodule_is_named_on_every_computer_and_its_content_left_alone(
    fleet: Fleet, tmp_path: Path
) -> None:
    root, source = fleet["desk"], inner(tmp_path / "inner")
    git(root, *ALLOWED, "submodule", "--quiet", "add", str(source), "sub/one")
    write_card(root, "new1")
    write_card(fleet["phone"], "new2")
    fleet.sync("phone")
    assert fleet.sync("desk").repositories[0].nested == ["sub/one"]
    assert git(root, "ls-files", "--stage", "sub/one").startswith("160000 "), "it stays staged"
    git(root, "commit", "-qm", "a submodule")
    for _ in range(2):
        for name in fleet.names:
            assert fleet.sync(name).repositories[0].nested == ["sub/one"], name
    assert git(fleet["phone"], "status", "--porcelain") == ""
    assert list((fleet["phone"] / "sub/one").iterdir()) == [], "as after git pull"
    git(fleet["phone"], *ALLOWED, "submodule", "--quiet", "update", "--init")
    moved(root / "sub/one", "more")
    write_card(root, "new")
    fleet.settle()
    assert (fleet["phone"] / "new.md").exists()
    assert not (fleet["phone"] / "sub/one/more.md").exists()
    git(root / "sub/one", "push", "-q")
    git(root, "commit", "-qm", "its new state", "sub/one")
    fleet.settle()
    state = git(root, "rev-parse", "HEAD:sub/one")
    assert git(fleet["phone"], "rev-parse", "HEAD:sub/one") == state
    git(root, "rm", "-qf", "sub/one")
    git(root, "commit", "-qm", "no submodule")
    write_card(fleet["phone"], "another")
    fleet.settle()
    assert fleet.sync("desk").repositories[0].nested == []
    assert (fleet["phone"] / "sub/one/inside.md").exists(), "what was fetched stays"
    assert fleet.sync("phone").repositories[0].nested == ["sub/one"]
    assert git(fleet["phone"], "ls-files", "sub") == ""


def test_a_submodule_that_both_sides_moved_is_left_to_git(fleet: Fleet, tmp_path: Path) -> None:
    root, source = fleet["desk"], inner(tmp_path / "inner")
    git(root, *ALLOWED, "submodule", "--quiet", "add", str(source), "sub")
    git(root, "commit", "-qm", "a submodule")
    fleet.settle()
    git(fleet["phone"], *ALLOWED, "submodule", "--quiet", "update", "--init")
    for name in ("desk", "phone"):
        moved(fleet[name] / "sub", name)
        git(fleet[name], "commit", "-qm", "its new state", "sub")
    fleet.sync("desk")
    with pytest.raises(CollectionError, match=r"phone/sub: .*\(a submodule\).*git pull"):
        fleet.sync("phone")


@pytest.mark.parametrize("name", ["two/levels", "with space", "p\u0159\xedklad", ".hidden"])
@pytest.mark.parametrize("has_commit", [True, False])
def test_a_repository_that_git_does_not_know_is_named(
    fleet: Fleet, name: str, has_commit: bool
) -> None:
    folder = fleet["desk"] / name
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    write_card(folder, "inside")
    if has_commit:
        moved(folder, "more")
    write_card(fleet["desk"], "new")
    for dry in (True, False):
        assert synced(fleet["desk"], dry=dry).repositories[0].nested == [name]
    fleet.settle()
    assert not list(fleet["phone"].rglob("inside.md"))
    assert (fleet["phone"] / "new.md").exists()


def test_a_file_in_the_way_is_named_and_kept(fleet: Fleet) -> None:
    (fleet["phone"] / ".git/info/exclude").write_text("*.png\n")
    (fleet["phone"] / "picture.png").write_bytes(b"mine")
    (fleet["desk"] / "picture.png").write_bytes(b"theirs")
    fleet.sync("desk")
    with pytest.raises(CollectionError, match="is here, and not in git"):
        fleet.sync("phone")
    assert (fleet["phone"] / "picture.png").read_bytes() == b"mine"


def test_nothing_is_written_through_a_link(fleet: Fleet, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    write_card(fleet["desk"] / "sub", "new")
    fleet.sync("desk")
    (fleet["phone"] / "sub").symlink_to(outside)
    with pytest.raises(CollectionError, match="link"):
        fleet.sync("phone")
    assert list(outside.iterdir()) == []


def test_without_a_remote_the_work_is_committed(tmp_path: Path) -> None:
    root = tmp_path / "cards"
    write_card(root, "a")
    Collection.init(root)
    make_repository(root)
    report = synced(root, message="Week 1")
    assert report.repositories[0].remote is None
    assert git(root, "log", "-1", "--format=%s") == "Week 1\n"
    assert git(root, "status", "--porcelain") == ""


def test_a_dry_run_says_it_all_and_changes_nothing(fleet: Fleet) -> None:
    write_card(fleet["desk"], "a", question="Desk?")
    write_card(fleet["phone"], "a", question="Phone?")
    write_card(fleet["phone"], "new")
    fleet.sync("desk")
    before = git(fleet["phone"], "rev-parse", "HEAD"), git(fleet["phone"], "status", "--porcelain")
    (done,) = synced(fleet["phone"], dry=True).repositories
    assert (done.sent.added, done.sent.changed) == (1, 1)
    assert done.merged.conflicts == ["a.md"]
    assert not done.pushed
    after = git(fleet["phone"], "rev-parse", "HEAD"), git(fleet["phone"], "status", "--porcelain")
    assert after == before
    assert read_card(fleet["phone"] / "a.md").question == "Phone?"


def test_a_repository_that_a_server_made_with_a_readme_is_joined(fleet: Fleet) -> None:
    folder = fleet.folder / "server"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "LICENSE").write_text("x")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "Initial commit")
    git(fleet.folder, "clone", "-q", "--bare", "server", "server.git")
    root = fleet["desk"]
    git(root, "remote", "set-url", "origin", "../server.git")
    for ref in ("refs/deltadeck/origin/main", "refs/remotes/origin/main"):
        git(root, "update-ref", "-d", ref)
    synced(root)
    assert (root / "LICENSE").exists()
    assert git(root, "rev-parse", "HEAD") == git(fleet.folder / "server.git", "rev-parse", "main")
