"""Computers that share a collection by a bare repository, driven as the program does."""

from __future__ import annotations

import atexit
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from cards import read_card
from cards.edit import replace_section
from deck.collection import Collection
from deck.index.lines import read_journal
from deck.sync.commit import make_repository
from deck.sync.run import RepositoryResult, SyncOptions, SyncResult, sync
from tests.deck.given import CLOZE, NOON, write_card

ITEMS = ("a", "b", "c/c1", "c/c2")


def git_environment(home: Path) -> dict[str, str]:
    home.mkdir(parents=True, exist_ok=True)
    who = {f"GIT_{role}_NAME": "Ada" for role in ("AUTHOR", "COMMITTER")}
    who |= {f"GIT_{role}_EMAIL": "ada@example.org" for role in ("AUTHOR", "COMMITTER")}
    own = {"HOME": str(home), "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    # A packing in the background would outlive the test's folder.
    still = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "maintenance.auto"}
    return own | who | still | {"GIT_CONFIG_VALUE_0": "false"}


def git(folder: Path, *words: str, check: bool = True) -> str:
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, check=check, timeout=60)
    return done.stdout.decode()


def commit(folder: Path, message: str = "by hand") -> None:
    """Commits all that is in a repository."""
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", message)


def edit(path: Path, section: str, text: str) -> None:
    replace_section(path, section, text, read_card(path).source)


def question(root: Path, name: str = "a") -> str:
    return read_card(root / f"{name}.md").question


def synced(root: Path, **wish: object) -> SyncResult:
    values = {"remote": None, "message": None, "dry": False} | wish
    return sync(root, NOON, SyncOptions(**values))  # type: ignore[arg-type]


def events(root: Path) -> set[str]:
    return {event.id for event in read_journal(root / ".deltadeck").events}


def files(root: Path) -> dict[str, bytes]:
    """Every card, record and journal, by path."""
    found = [*root.rglob("*.md"), *root.rglob("*.jsonl"), *root.rglob("config.toml")]
    kept = [path for path in found if "drafts" not in path.parts]
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(kept) if p.is_file()}


def begun(root: Path, *cards: str) -> Path:
    """A collection that no other computer has yet."""
    for card in cards:
        write_card(root, card)
    Collection.init(root)
    return root


class Fleet:
    """A folder for each computer, with the same three cards, and the repository between them."""

    def __init__(self, folder: Path, names: tuple[str, ...]) -> None:
        self.folder, self.names = folder, names
        self.remote = folder / "remote.git"
        if self.remote.exists():  # a copy of one that was made before
            return
        folder.mkdir(parents=True, exist_ok=True)
        git(folder, "init", "-q", "--bare", "-b", "main", str(self.remote))
        first = folder / names[0]
        write_card(first, "c", CLOZE, type="cloze")
        make_repository(begun(first, "a", "b"))
        synced(first, remote="../remote.git")
        for name in names[1:]:
            self.clone(name)
            synced(folder / name)

    def clone(self, name: str) -> Path:
        """Another computer's, by an address that holds wherever the fleet is copied to."""
        git(self.folder, "clone", "-q", self.remote.name, name)
        git(self.folder / name, "remote", "set-url", "origin", f"../{self.remote.name}")
        return self.folder / name

    def __getitem__(self, name: str) -> Path:
        return self.folder / name

    def open(self, name: str) -> Collection:
        return Collection.open(self[name], NOON, name)

    def sync(self, *names: str) -> RepositoryResult:
        """In this order; what the last one did with the only repository."""
        done = [synced(self[name]).repositories[0] for name in names]
        return done[-1]

    def settle(self) -> None:
        """Until nobody has anything that the others have not."""
        self.sync(*self.names, *self.names[:-1])

    def agree(self) -> None:
        """All are the same, file by file, and git has nothing left to do."""
        first, *others = (files(self[name]) for name in self.names)
        assert all(other == first for other in others)
        heads = {git(self[name], "rev-parse", "HEAD") for name in self.names}
        assert heads == {git(self.remote, "rev-parse", "main")}
        for name in self.names:
            assert git(self[name], "status", "--porcelain") == ""


Step = Callable[[Fleet], object]
_TEMPLATES: dict[tuple[tuple[str, ...], Step | None], Path] = {}


def copied(folder: Path, *names: str, after: Step | None = None) -> Fleet:
    """A fleet that has synced once, with `after` done to it; made once a run, and copied."""
    if (names, after) not in _TEMPLATES:
        made = Path(tempfile.mkdtemp(prefix="deltadeck-fleet-"))
        atexit.register(shutil.rmtree, made, ignore_errors=True)
        if after is None:
            Fleet(made / "fleet", names)
        else:
            after(copied(made, *names))
        _TEMPLATES[names, after] = made / "fleet"
    shutil.copytree(_TEMPLATES[names, after], folder / "fleet", symlinks=True)
    return Fleet(folder / "fleet", names)
