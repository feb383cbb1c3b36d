"""Cards in the index: after any sequence of changes of the files, it is the one that is built from
scratch; names, tags, dates and orders come from it as the cards are now."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path
from statistics import median
from threading import Thread

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from deck.cards import CardStore
from deck.collection import Collection
from deck.events import Reviewed
from deck.exam import ExamItem
from deck.fsrs import Rating
from deck.index import card_rows
from deck.index.cards import By
from deck.index.store import SAID, Store
from deck.queue import ENOUGH, PACE
from deck.replay import Answer, Learning, New
from tests.deck.given import CLOZE, NOON, card_text, configure, later, write_card

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

WORDS = (
    "SELECT f.key FROM card c JOIN file f ON f.file = c.card"
    " WHERE c.words IN (SELECT rowid FROM words WHERE words MATCH 'what')"
)


def rows(store: Store) -> dict[str, list[object]]:
    """All that an index says, without its numbers."""
    asked = SAID | {"words": WORDS}
    return {name: sorted(store.db.execute(sql), key=repr) for name, sql in asked.items()}


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

    @rule(folder=FOLDERS, name=NAMES, text=TEXTS, keeps_time=st.booleans())
    def write(self, folder: str, name: str, text: str, keeps_time: bool) -> None:
        """Of a tool that keeps times, only size and inode can tell."""
        path = self.root / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if keeps_time:
            os.utime(path, (1, 1))
        self.changed.append(path)

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
TestFolder.settings = settings(max_examples=10, stateful_step_count=12)


# Names, tags and a deck's first card.

CARD = "---\nid: {id}\n{more}---\n# Question\nx\n# Solution\ny\n"


@pytest.fixture
def cards(root: Path) -> Collection:
    (root / "deck").mkdir()
    _write(root / "deck/strided-pooling.md", "pool_stride", "course: Nets\ntags: [cnn, a b]\n")
    _write(root / "relu.md", "relu", "title: Rectified Linear Unit\ntags: [cnn]\n")
    _write(root / "x.md", "elu", "aliases: [exponential unit, relu, Čárka]\n")
    return Collection.open(root, NOON)


def _write(path: Path, card_id: str, more: str = "") -> None:
    path.write_text(CARD.format(id=card_id, more=more), encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "card"),
    [
        ("pool_stride", "pool_stride"),
        ("Pool Stride", "pool_stride"),
        ("strided-pooling", "pool_stride"),
        ("rectified linear unit", "relu"),
        ("Exponential-Unit", "elu"),
        ("čárka", "elu"),
        ("relu", "relu"),
        ("X", "elu"),
        ("Čeština", None),
        ("", None),
    ],
)
def test_a_name_is_an_id_then_a_file_then_a_title(
    cards: Collection, name: str, card: str | None
) -> None:
    assert cards.called(name) == card


def test_a_new_card_is_not_found_by_the_words_of_a_deleted_one(cards: Collection) -> None:
    for word in ("zebra", "lion"):
        path = cards.root / f"{word}.md"
        path.write_text(CARD.format(id=word, more="").replace("x", word), encoding="utf-8")
        cards.reload(NOON)
        (cards.root / "zebra.md").unlink(missing_ok=True)
        cards.reload(NOON)
    assert [cards.search(word, NOON) for word in ("zebra", "lion")] == [[], ["lion"]]


def test_names_and_tags_are_those_of_the_cards_as_they_are_now(cards: Collection) -> None:
    """Also where another program took one up; a card whose id is taken has none."""
    assert cards.tags() == ["a b", "cnn"]
    assert cards.called("Leaky Unit") is None
    _write(cards.root / "leaky.md", "lrelu", "title: Leaky unit\n")
    _write(cards.root / "zz.md", "relu", "title: Second\ntags: [second]\n")
    Collection.open(cards.root, NOON)
    assert cards.called("Leaky Unit") == "lrelu"
    (cards.root / "leaky.md").unlink()
    cards.reload(NOON)
    assert [cards.called(name) for name in ("Leaky Unit", "Second", "zz")] == [None] * 3
    assert cards.tags() == ["a b", "cnn"]


def test_the_first_card_of_a_deck(cards: Collection) -> None:
    assert cards.first_card("Nets") == cards.first_card("Nets › deck") == "pool_stride"
    assert cards.first_card(cards.root.name) == "relu"
    assert cards.first_card("Nowhere") is None


# When cards were added, and what an exam is about: what the cards would say.


def test_a_card_was_added_on_the_day_it_names_else_when_it_changed_or_was_answered(
    root: Path,
) -> None:
    """Once, however many items it has; a search narrows."""
    cloze = "{{c1::Backward}} and {{c2::forward}}."
    write_card(root, "one", cloze, type="cloze", created="2026-03-01", tags="[x]")
    write_card(root, "20260405_two")
    then = (NOON - timedelta(days=10)).timestamp()
    for name in ("old", "answered"):
        os.utime(write_card(root, name), (then, then))
    collection = Collection.open(root, NOON, "desk")
    said = {date(2026, 3, 1): 1, date(2026, 4, 5): 1}
    changed, answered = (NOON.date() - timedelta(days=days) for days in (10, 20))
    assert collection.added(NOON) == said | {changed: 2}
    collection.rate("answered", Rating.GOOD, later(days=-20), 1000)
    assert collection.added(NOON) == said | {changed: 1, answered: 1}
    assert collection.added(NOON, "tag:x") == {date(2026, 3, 1): 1}


def pace_of(answers: Iterable[Answer]) -> dict[str, float]:
    """Median seconds of an answer by kind; `PACE` where there are few."""
    took: dict[str, list[float]] = {kind: [] for kind in PACE}
    for answer in answers:
        kind = "new" if isinstance(answer.before, New) else "review"
        kind = "learning" if isinstance(answer.before, Learning) else kind
        if isinstance(answer.event.what, Reviewed):
            took[kind].append(answer.event.what.milliseconds / 1000)
    return {kind: median(t) if len(t) >= ENOUGH else PACE[kind] for kind, t in took.items()}


def test_stakes_are_those_of_the_cards(root: Path) -> None:
    write_card(root, "one", "(3p) Why?")
    write_card(root, "two", "{{c1::a}} {{c2::b}}", type="cloze")
    write_card(root, "aside", status="suspended")
    write_card(root, "other", course="Control")
    configure(root, "[courses.Networks]\nexam = 2027-02-01\n[courses.Nothing]\nexam = 2027-02-02\n")
    collection = Collection.open(root, NOON, "desk")
    for number in range(30):
        seconds = 1000 * (number + 1)
        collection.rate("one", Rating.GOOD, later(days=3 * number, seconds=number), seconds)
    collection.rate("two/c1", Rating.AGAIN, later(days=90), 9000)
    found = collection.exam("Networks", NOON)
    assert sorted(found.stakes, key=lambda stake: stake.item_id) == [
        ExamItem(item, points, collection.state(item))
        for item, points in (("one", 3.0), ("two/c1", 0.5), ("two/c2", 0.5))
    ]
    answers = [a for stake in found.stakes for a in collection.answers(stake.item_id)]
    assert found.pace == pace_of(answers)
    nothing = collection.exam("Nothing", NOON)
    assert (nothing.stakes, nothing.pace) == ([], pace_of([]))


# Found items in another order: sorted by a number, those without one last.


@pytest.fixture(scope="module")
def sorted_by(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    root = tmp_path_factory.mktemp("cards")
    for number, name in enumerate("abcdef"):
        write_card(root, name, "Why?", created=f"2026-11-{10 + number:02d}")
    made = Collection.init(root, NOON)
    for days, answers in ((9, "aabd"), (3, "bcd"), (0, "de")):
        for count, name in enumerate(answers):
            at = NOON - timedelta(days=days, minutes=30 - count)
            made.rate(name, Rating((ord(name) + count) % 4 + 1), at, 1000)
    return made


@pytest.mark.parametrize("by", ["due", "stability", "difficulty"])
def test_items_are_sorted_by_where_they_stand(sorted_by: Collection, by: By) -> None:
    found = sorted_by.search("", NOON, by)
    states = [sorted_by.state(item) for item in found]
    known = [state for state in states if not isinstance(state, New)]
    assert [isinstance(state, New) for state in states] == sorted(
        isinstance(state, New) for state in states
    )
    memories = [getattr(state.memory, by, 0.0) for state in known]
    assert memories == sorted(memories, reverse=by == "difficulty")
    assert found[-1] == "f"


def test_the_newest_card_comes_first_and_the_files_order_is_the_usual_one(
    sorted_by: Collection,
) -> None:
    assert sorted_by.search("", NOON, "added") == list("fedcba")
    assert sorted_by.search("a or e", NOON, "added")[0] == "e"
    assert sorted_by.search("", NOON) == sorted_by.search("", NOON, "files") == list("abcdef")


def test_another_thread_hears_of_what_was_written_since(root: Path) -> None:
    for number in (5, 3, 9):
        write_card(root / f"{9 - number}", f"card{number}", CLOZE)
    library = CardStore(root, Store(root / "index.sqlite"))
    library.scan()
    heard: list[list[str]] = []

    def ask() -> None:
        heard.append(library.in_order(None))

    for _ in range(2):
        thread = Thread(target=ask)
        thread.start()
        thread.join()
    write_card(root, "later", "x")
    CardStore(root, Store(root / "index.sqlite")).scan()
    ask()
    assert heard[0] == heard[1] == [name for name in heard[2] if name != "later"]


@pytest.mark.parametrize("meanwhile", ["same", "gone"])
@pytest.mark.parametrize("is_known", [False, True])
def test_two_programs_that_look_at_the_same_file_at_once_agree(
    root: Path, monkeypatch: pytest.MonkeyPatch, is_known: bool, meanwhile: str
) -> None:
    """The second to write does not stumble over what the first one wrote, or took out."""
    one, two = (CardStore(root, Store(root / "index.sqlite")) for _ in range(2))
    path = write_card(root, "x")
    if is_known:
        one.scan()
        write_card(root, "x", "Another question?")
    read = card_rows.read_files

    def between(files: list[tuple[str, bytes]]) -> list[card_rows.FileRow | None]:
        found = read(files)
        monkeypatch.setattr(card_rows, "read_files", read)
        if meanwhile == "gone":
            path.unlink()
        two.scan()
        return found

    monkeypatch.setattr(card_rows, "read_files", between)
    one.scan()
    one.scan()
    assert list(one.cards) == list(two.cards) == ([] if meanwhile == "gone" else ["x"])
