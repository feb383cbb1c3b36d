"""After any sequence of changes of the files, the index is the one that is built from scratch."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from deck.cards import CardStore
from deck.files import path_key, stamp_of
from deck.index.card_rows import read_file
from deck.index.cards import CardWriter, ChangedFile, settle
from deck.index.store import Store
from tests.deck.given import CLOZE, card_text

FOLDERS = st.sampled_from(["", "a", "a/deep", "b", ".hidden"])
NAMES = st.sampled_from(["one.md", "two.md", "three.MD", "notes.txt"])
IDS = st.sampled_from("xyz")
#: Texts of cards by id (two of one id clash), of broken cards, of a note, of nothing.
TEXTS = st.one_of(
    st.builds(
        lambda card_id, question, status, course: card_text(
            card_id,
            question,
            type="cloze" if question == CLOZE else "basic",
            status=status,
            course=course,
            tags="[nn, cnn]",
        ),
        IDS,
        st.sampled_from(["Why?", "What?", CLOZE]),
        st.sampled_from(["to_learn", "suspended"]),
        st.sampled_from(["Networks", "Control"]),
    ),
    st.sampled_from(["", "---\nid: half\n", "# A note\n", "# Question\nNo frontmatter\n"]),
)

_TABLES = {
    "file": "SELECT key, size, inode, digest, problem FROM file",
    "card": (
        "SELECT f.key, c.id, d.course, d.path, c.type, c.status, c.difficulty, c.tags, c.items,"
        " c.line, c.digest, c.clash FROM card c JOIN file f ON f.file = c.card"
        " JOIN deck d ON d.deck = c.deck"
    ),
    "item": (
        "SELECT t.id, i.key, i.place, i.difficulty, i.several, i.mine, i.aside, i.fresh, d.path"
        " FROM item i JOIN thing t ON t.item = i.item JOIN deck d ON d.deck = i.deck"
    ),
    "name": "SELECT n.name, f.key FROM name n JOIN file f ON f.file = n.card",
    "tag": "SELECT t.tag, f.key FROM tag t JOIN file f ON f.file = t.card",
    "words": (
        "SELECT f.key FROM card c JOIN file f ON f.file = c.card"
        " WHERE c.words IN (SELECT rowid FROM words WHERE words MATCH 'what')"
    ),
}


def rows(store: Store) -> dict[str, list[object]]:
    """All that an index says, without its numbers."""
    return {name: sorted(store.db.execute(sql), key=repr) for name, sql in _TABLES.items()}


class Folder(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.place = Path(tempfile.mkdtemp())
        self.root = self.place / "cards"
        self.root.mkdir()
        self.store = Store(self.place / "index.sqlite")
        self.library = CardStore(self.root, self.store)
        self.changed: list[Path] = []

    def teardown(self) -> None:
        self.store.close()
        shutil.rmtree(self.place)

    @rule(folder=FOLDERS, name=NAMES, text=TEXTS)
    def write(self, folder: str, name: str, text: str) -> None:
        path = self.root / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.changed.append(path)

    @rule(folder=FOLDERS, name=NAMES, text=TEXTS)
    def write_as_long_ago(self, folder: str, name: str, text: str) -> None:
        """A tool that keeps times: only size and inode can tell."""
        self.write(folder, name, text)
        os.utime(self.root / folder / name, (1, 1))

    @rule(folder=FOLDERS, name=NAMES)
    def delete(self, folder: str, name: str) -> None:
        (self.root / folder / name).unlink(missing_ok=True)
        self.changed.append(self.root / folder / name)

    @rule(old=st.tuples(FOLDERS, NAMES), new=st.tuples(FOLDERS, NAMES))
    def move(self, old: tuple[str, str], new: tuple[str, str]) -> None:
        one, two = self.root.joinpath(*old), self.root.joinpath(*new)
        if one.is_file() and two.parent.is_dir():
            one.rename(two)
            self.changed += [one, two]

    @rule(folder=st.sampled_from(["a", "b"]))
    def remove_folder(self, folder: str) -> None:
        self.changed += (self.root / folder).rglob("*")
        shutil.rmtree(self.root / folder, ignore_errors=True)

    @rule()
    def look_at_everything(self) -> None:
        self.library.scan()
        self.changed.clear()

    @rule()
    def look_at_what_changed(self) -> None:
        visible = [
            p for p in self.changed if p.suffix.lower() == ".md" and ".hidden" not in p.parts
        ]
        self.library.scan_files(visible)
        self.changed.clear()

    @rule()
    def start_again(self) -> None:
        self.store.close()
        self.store = Store(self.place / "index.sqlite")
        self.library = CardStore(self.root, self.store)

    @invariant()
    def the_index_is_the_one_built_from_scratch(self) -> None:
        if self.changed:
            return
        self.library.scan()
        fresh = Store(self.place / "fresh.sqlite")
        try:
            anew = CardStore(self.root, fresh)
            anew.scan()
            assert rows(self.store) == rows(fresh)
            assert self.library.problems == anew.problems
            assert dict(self.library.items) == dict(anew.items)
        finally:
            fresh.close()
            for path in self.place.glob("fresh.*"):
                path.unlink()


TestFolder = Folder.TestCase
TestFolder.settings = settings(max_examples=25, stateful_step_count=12, deadline=None)


def test_two_programs_that_look_at_once_agree(tmp_path: Path) -> None:
    """Both look, and find the same new file; the second to write must not stumble over it."""
    root = tmp_path / "cards"
    root.mkdir()
    store = Store(tmp_path / "index.sqlite")
    path = root / "one.md"
    path.write_text(card_text("x"), encoding="utf-8")
    wanted = ChangedFile(path_key(("one.md",)), str(path), stamp_of(path), None)
    row = read_file(path, b"-")
    for _ in range(2):
        change = CardWriter(store, root)
        with store.writing():
            change.put([wanted], [row])
            settle(store, change.names)
    assert list(CardStore(root, store).cards) == ["x"]
    store.close()
