"""What Syncthing, Dropbox and others leave beside cards and journals, with git or without."""

from __future__ import annotations

from pathlib import Path

import pytest

from cards import read_card
from deck.collection import Collection
from deck.fsrs import Rating
from deck.journal import journal_files
from deck.repair import examine
from deck.sync.conflicts import clear, conflicts
from deck.sync.run import Statuses
from tests.deck.given import NOON, append_events, card_text, later, line_of, review, write_card
from tests.deck.sync.given import Fleet, begun, events, question, synced
from tests.deck.test_repair import NAMES

CONFLICT_NAMES = [
    "a.sync-conflict-20261121-120000-ABCDEFG.md",  # Syncthing
    "a (conflicted copy 2026-11-21).md",  # Dropbox, older
    "a (Ada's conflicted copy 2026-11-21).md",  # Dropbox
    "a (conflicted copy 2026-11-21 120000).md",  # Nextcloud
    "a_conflict-20261121-120000.md",  # ownCloud
    "a (SFConflict ada@example.org 2026-11-21-12-00-00).md",  # Seafile
    "a.Conflict.md",  # Resilio
    "a [conflicted].md",
    "a [Conflict].md",
    "a [Ada's conflicted copy].md",
    "a.conflict-20261122-101112.md",
    "a.sync-conflict-20261121-120000-ABCDEFG.sync-conflict-20261122-120000-HIJKLMN.md",
]
OTHER_NAMES = [
    "a (In Konflikt stehende Kopie von Ada 2026-11-22).md",  # Dropbox, German
    "a (copie en désaccord d'Ada (maison) 2026-11-22).md",  # French
    "a (Ada 的冲突副本 2026-11-22).md",  # Chinese
    "a-DESKTOP-ABC123.md",  # OneDrive
    "a-ada-safeBackup-0001.md",  # OneDrive on Linux
    *("a 2.md", "a (1).md", "a(1).md"),  # iCloud, Drive, browsers
    *("a - Copy.md", "a (copy).md", "a copy.md", "a copy 2.md"),  # file managers
    *("a - Kopie.md", "a – Kopie (2).md", "a - Kopia.md", "a copia.md", "a - 副本.md"),
    *("Copy of a.md", "Kopie von a.md", "a~1.md"),
]
BROKEN = "---\nid: [\n---\n"


def cleared(root: Path) -> tuple[int, int, list[str]]:
    statuses = Statuses(root, NOON, lambda: None)
    done = clear(root, statuses.of)
    statuses.close()
    return done.journals, done.same, [path.name for path in done.conflicts]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return begun(tmp_path / "cards", "a")


def test_a_copy_of_a_card_is_set_aside_or_chosen_from(root: Path) -> None:
    """Each beside a card of its own."""
    names = [*CONFLICT_NAMES, *OTHER_NAMES]
    folders = [root / f"in{number}" for number in range(len(names))]
    for folder in folders:
        write_card(folder, "a", id=folder.name)

    def copied(question: str) -> None:
        for folder, name in zip(folders, names, strict=True):
            (folder / name).write_text(card_text(folder.name, question))

    copied("Why?")
    assert cleared(root) == (0, len(names), [])
    for _ in range(2):  # the same version again is no other one
        copied("Other?")
        assert cleared(root) == (0, 0, ["a.md"] * len(names))
        versions = {each.path.parent: each.text() for each in conflicts(root)}
        for folder, name in zip(folders, names, strict=True):
            assert list(folder.iterdir()) == [folder / "a.md"], name
            assert question(folder) == "Why?"
            assert b"Other?" in versions[folder], name


def test_a_copy_that_cannot_be_read_is_known_by_a_name_that_says_conflict(root: Path) -> None:
    for number, name in enumerate(CONFLICT_NAMES):
        write_card(root / f"in{number}", "a", id=f"in{number}")
        (root / f"in{number}" / name).write_text(BROKEN)
    for name in OTHER_NAMES:
        (root / name).write_text(BROKEN)
    assert cleared(root) == (0, 0, ["a.md"] * len(CONFLICT_NAMES))
    found = {each.path.parent: each.text() for each in conflicts(root)}
    for number, name in enumerate(CONFLICT_NAMES):
        assert found[root / f"in{number}"] == BROKEN.encode(), name
    assert all((root / other).exists() for other in OTHER_NAMES)


def test_copies_of_copies_and_of_long_names_are_versions_of_the_one_card(root: Path) -> None:
    """The names that begin alike are of other cards, or of the same in another folder."""
    names = ("a.sync-conflict-20261121-120000-X", "a.sync-conflict-20261121-120000-X (1)", "a 2")
    for number, name in enumerate(names):
        (root / f"{name}.md").write_text(card_text("a", question=f"Version {number}?"))
    for name in ("a-b", "a-b-c", "a-bc", "sub/a"):
        write_card((root / name).parent, Path(name).name)
    (root / "a-b-c 2.md").write_text(card_text("a-b-c", question="Other?"))
    assert sorted(cleared(root)[2]) == ["a-b-c.md", *["a.md"] * 3]
    found = [conflict.path for conflict in conflicts(root)]
    assert sorted(found) == sorted([root / "a-b-c.md", *[root / "a.md"] * 3])


def test_files_that_only_look_like_copies_stay(root: Path) -> None:
    for name in ("a 2", "a copy", "a (of Ada)", "lonely (1)", "conflict", "a.sync-conflict"):
        write_card(root, name, id=name.replace(" ", "-"))
    (root / "b.md").symlink_to("/proc/self/mem")  # which nobody can read
    write_card(root, "b 2")
    assert cleared(root) == (0, 0, [])
    assert len(list(root.glob("*.md"))) == 9


@pytest.mark.parametrize("name", [NAMES[0], "2026-11 (In Konflikt stehende Kopie von Ada).jsonl"])
def test_a_copy_of_a_journal_is_united(root: Path, name: str) -> None:
    private = root / ".deltadeck"
    append_events(private, [review()])
    (private / "journal/desk" / name).write_bytes(line_of(review(random=1)))
    if "Konflikt" in name:
        assert any("doctor --repair" in str(problem) for problem in journal_files(private)[1])
    assert cleared(root) == (1, 0, [])
    assert len(events(root)) == 2
    assert examine(root) == []
    assert cleared(root) == (0, 0, [])


def test_a_status_that_two_computers_wrote_follows_the_history(root: Path) -> None:
    collection = Collection.open(root, NOON, "desk")
    collection.rate("a", Rating.EASY, NOON, 0)
    collection.close()
    phone = review(Rating.AGAIN, at=later(days=30), random=1)
    append_events(root / ".deltadeck", [phone], "phone")
    (root / "a.sync-conflict-20261121-120000-X.md").write_text(
        (root / "a.md").read_text().replace("reviewing", "learning")
    )
    assert cleared(root) == (0, 1, [])
    assert read_card(root / "a.md").status == "learning"


@pytest.mark.parametrize("name", ["config.sync-conflict-20261121-120000-X", "config-LAPTOP-A1B2"])
def test_settings_that_two_computers_wrote_are_chosen_from(root: Path, name: str) -> None:
    (root / f".deltadeck/{name}.toml").write_text("new_per_day = 3\n")
    assert cleared(root) == (0, 0, ["config.toml"])
    assert [conflict.path.name for conflict in conflicts(root)] == ["config.toml"]


def test_in_a_repository_copies_are_cleared_before_anything_is_committed(fleet: Fleet) -> None:
    path = fleet["desk"] / "a (conflicted copy 2026-11-21).md"
    path.write_text(card_text("a", question="Other?"))
    assert [found.name for found in synced(fleet["desk"]).copies.conflicts] == ["a.md"]
    fleet.settle()
    fleet.agree()
    assert len(conflicts(fleet["phone"])) == 1
    assert not path.exists()
