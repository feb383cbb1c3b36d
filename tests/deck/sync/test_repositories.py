"""Collections within larger repositories, and without a remote."""

from __future__ import annotations

from pathlib import Path

import pytest

from deck.errors import CollectionError
from deck.sync.commit import make_repository
from tests.deck.given import write_card
from tests.deck.sync.given import Fleet, begun, commit, git, question, synced


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A repository of other things, with a collection in a folder of it; the collection.

    Another clone of it did other work, and pushed that.
    """
    top, there = tmp_path / "large", tmp_path / "there.git"
    root = begun(top / "study" / "cards", "a")
    make_repository(top)
    (top / "work.txt").write_text("one\n")
    git(top, "add", "work.txt")
    git(top, "commit", "-qm", "work")
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(there))
    git(top, "remote", "add", "origin", str(there))
    synced(root)
    git(tmp_path, "clone", "-q", "there.git", "other")
    (tmp_path / "other/work.txt").write_text("theirs\n")
    commit(tmp_path / "other")
    git(tmp_path / "other", "push", "-q")
    return root


def test_only_the_collection_is_committed_and_other_changes_are_never_written_over(
    large: Path,
) -> None:
    top = large.parents[1]
    (top / "work.txt").write_text("mine\n")
    (top / "staged.txt").write_text("staged\n")
    (top / "loose.md").write_text("loose\n")
    git(top, "add", "staged.txt")
    write_card(large, "b")
    with pytest.raises(CollectionError, match="changes that are not committed"):
        synced(large)
    assert git(top, "show", "--format=", "--name-only", "HEAD") == "study/cards/b.md\n"
    others = ["?? loose.md", "A  staged.txt"]
    assert sorted(git(top, "status", "--porcelain").splitlines()) == [" M work.txt", *others]
    git(top, "add", "work.txt")
    with pytest.raises(CollectionError, match="staged"):
        synced(large)
    assert (top / "work.txt").read_text() == "mine\n"
    git(top, "checkout", "-q", "HEAD", "--", "work.txt")
    synced(large)
    assert (top / "work.txt").read_text() == "theirs\n"
    assert sorted(git(top, "status", "--porcelain").splitlines()) == others


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


# Repositories within the collection.


def with_submodule(fleet: Fleet) -> Path:
    """The desk's collection has a submodule with a card, which is staged."""
    inner, root = fleet.folder / "inner", fleet["desk"]
    inner.mkdir()
    git(inner, "init", "-q", "-b", "main")
    git(inner, "config", "receive.denyCurrentBranch", "ignore")
    write_card(inner, "inside")
    commit(inner)
    git(root, *ALLOWED, "submodule", "--quiet", "add", str(inner), "sub/one")
    return root / "sub/one"


ALLOWED = ("-c", "protocol.file.allow=always")


def moved(submodule: Path, card: str) -> None:
    """It has another card; what it is part of is told."""
    write_card(submodule, card)
    commit(submodule)
    git(submodule.parents[1], "commit", "-qm", "its new state", "sub/one")


def test_a_submodule_is_named_on_every_computer_and_its_content_left_alone(fleet: Fleet) -> None:
    desk, phone = fleet["desk"], fleet["phone"]
    submodule = with_submodule(fleet)
    write_card(desk, "new1")
    write_card(phone, "new2")
    fleet.sync("phone")
    assert fleet.sync("desk").nested == ["sub/one"]
    assert git(desk, "ls-files", "--stage", "sub/one").startswith("160000 "), "it stays staged"
    git(desk, "commit", "-qm", "a submodule")
    for _ in range(2):
        assert [fleet.sync(name).nested for name in fleet.names] == [["sub/one"]] * 2
    assert git(phone, "status", "--porcelain") == ""
    assert list((phone / "sub/one").iterdir()) == [], "as after git pull"
    git(phone, *ALLOWED, "submodule", "--quiet", "update", "--init")
    moved(submodule, "more")
    git(submodule, "push", "-q")
    fleet.sync("desk", "phone")
    assert git(phone, "rev-parse", "HEAD:sub/one") == git(desk, "rev-parse", "HEAD:sub/one")
    assert not (phone / "sub/one/more.md").exists(), "that is git's to fetch"
    git(desk, "rm", "-qf", "sub/one")
    git(desk, "commit", "-qm", "no submodule")
    assert fleet.sync("desk").nested == []
    assert fleet.sync("phone").nested == ["sub/one"]
    assert (phone / "sub/one/inside.md").exists(), "what was fetched stays"
    assert git(phone, "ls-files", "sub") == ""


def test_a_submodule_that_both_sides_moved_is_left_to_git(fleet: Fleet) -> None:
    with_submodule(fleet)
    git(fleet["desk"], "commit", "-qm", "a submodule")
    fleet.sync("desk", "phone")
    git(fleet["phone"], *ALLOWED, "submodule", "--quiet", "update", "--init")
    for name in fleet.names:
        moved(fleet[name] / "sub/one", name)
    fleet.sync("desk")
    with pytest.raises(CollectionError, match=r"phone/sub/one: .*\(a submodule\).*git pull"):
        fleet.sync("phone")


def test_repositories_that_git_does_not_know_are_named(fleet: Fleet) -> None:
    names = ["two/levels", "with space", "p\u0159\xedklad", ".hidden", "bare/levels", "\xed bare"]
    for name in names:
        folder = fleet["desk"] / name
        write_card(folder, "inside")
        git(folder, "init", "-q")
        if "bare" not in name:
            commit(folder)
    write_card(fleet["desk"], "new")
    for dry in (True, False):
        assert synced(fleet["desk"], dry=dry).repositories[0].nested == sorted(names)
    fleet.settle()
    assert not list(fleet["phone"].rglob("inside.md"))
    assert (fleet["phone"] / "new.md").exists()


# What is in the way, and what has nowhere to go.


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
    root = begun(tmp_path / "cards", "a")
    make_repository(root)
    assert synced(root, message="Week 1").repositories[0].remote is None
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
    assert question(fleet["phone"]) == "Phone?"


def test_a_repository_that_a_server_made_with_a_readme_is_joined(fleet: Fleet) -> None:
    folder = fleet.folder / "server"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "LICENSE").write_text("x")
    commit(folder, "Initial commit")
    git(fleet.folder, "clone", "-q", "--bare", "server", "server.git")
    root = fleet["desk"]
    git(root, "remote", "set-url", "origin", "../server.git")
    for ref in ("refs/deltadeck/origin/main", "refs/remotes/origin/main"):
        git(root, "update-ref", "-d", ref)
    synced(root)
    assert (root / "LICENSE").exists()
    assert git(root, "rev-parse", "HEAD") == git(fleet.folder / "server.git", "rev-parse", "main")
