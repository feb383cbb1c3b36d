"""Several programs, devices and a watcher on one collection: nothing is lost, and all end alike."""

from __future__ import annotations

import random
import shutil
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck.collection import Collection
from deck.events import Buried, Reset, StatusLines
from deck.fsrs import DEFAULT_PARAMETERS, Rating
from deck.index import journal
from deck.index.lines import read_journal
from deck.repair import examine
from deck.replay import New, replay
from tests.deck.children import SERVER, begun
from tests.deck.given import (
    CLOZE,
    NOON,
    append_events,
    configure,
    later,
    opened,
    review,
    write_card,
)

# Devices that are merged by copying files.


ITEMS = ["a", "b", "c/c1", "c/c2"]
DEVICES = ["desk", "phone", "tablet"]

#: What a device does, or that it copies the files of others.
ACTS = st.tuples(
    st.sampled_from(DEVICES),
    st.sampled_from(["rate", "rate", "rate", "undo", "suspend", "reset", "bury", "copy", "copy"]),
    st.sampled_from(ITEMS),
    st.sampled_from(Rating),
    st.integers(-2, 20),
    st.sampled_from(DEVICES),
)


class Fleet:
    """A folder a device, each with the same cards and its own clock."""

    def __init__(self, folder: Path) -> None:
        self.roots = {device: folder / device for device in DEVICES}
        for root in self.roots.values():
            for item in "ab":
                write_card(root, item)
            write_card(root, "c", CLOZE, type="cloze")
        self.decks = {name: Collection.open(root, NOON, name) for name, root in self.roots.items()}
        self.days = dict.fromkeys(DEVICES, 0)

    def copy(self, to: str, source: str) -> None:
        """The files that another device has: its own, and those that it got from the third."""
        if to == source:
            return
        theirs, ours = (self.roots[name] / ".deltadeck" / "journal" for name in (source, to))
        for path in sorted(theirs.glob("*/*.jsonl")):
            if path.parent.name != to:  # nobody but the device itself writes its files
                target = ours / path.parent.name / path.name
                if not target.exists() or target.stat().st_size < path.stat().st_size:
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path, target)

    def act(self, device: str, what: str, item: str, rating: Rating, days: int, other: str) -> None:
        deck = self.decks[device]
        self.days[device] += days
        now = later(days=self.days[device])
        match what:
            case "rate":
                deck.rate(item, rating, now, 1000)
            case "undo":
                deck.undo(now)
            case "suspend":
                deck.suspend(item, now, on=rating > 2)
            case "reset":
                deck.record(item, Reset(), now)
            case "bury":
                deck.record(item, Buried((now + timedelta(days=3)).date()), now)
            case "copy":
                self.copy(device, other)

    def settle(self, orders: list[tuple[str, str]]) -> None:
        for to, source in [*orders, *((a, b) for a in DEVICES for b in DEVICES)] * 2:
            self.copy(to, source)

    def close(self) -> None:
        for deck in self.decks.values():
            deck.close()


def told(deck: Collection) -> object:
    deck.queue(NOON)
    return [
        (deck.state(item), deck.events(item), deck.answers(item), deck._history.folded(item))
        for item in ITEMS
    ]


@given(st.lists(ACTS, max_size=12), st.permutations([(a, b) for a in DEVICES for b in DEVICES]))
def test_devices_that_copy_each_others_files_end_in_one_state(
    tmp_path_factory: pytest.TempPathFactory,
    acts: list[tuple[str, str, str, Rating, int, str]],
    orders: list[tuple[str, str]],
) -> None:
    fleet = Fleet(tmp_path_factory.mktemp("fleet"))
    for act in acts:
        fleet.act(*act)
    fleet.settle(orders)
    first, *others = (told(deck) for deck in fleet.decks.values())
    assert all(other == first for other in others)
    for device, root in fleet.roots.items():
        journal = read_journal(root / ".deltadeck")
        assert journal.problems == ()
        deck = fleet.decks[device]
        states = replay(journal.events, deck.config)
        assert all(deck.state(item) == states.get(item, New()) for item in ITEMS)
        assert examine(root) == []
    fleet.close()
    fresh = Collection.open(fleet.roots["desk"], NOON, "desk")
    assert told(fresh) == first
    fresh.close()


# Two programs on one collection at once.


CARDS = [f"card{number}" for number in range(8)]
EACH = 40


def answering(says: Connection, together: Barrier, root: Path, device: str, seed: int) -> None:
    """Answers, looks and undoes as fast as it can; once all have, says what it did and sees."""
    chance, made = random.Random(seed), []
    collection = Collection.open(root, NOON, device)
    first = collection._store.generation
    together.wait()
    for number in range(EACH):
        item, at = chance.choice(CARDS), later(seconds=number)
        event = collection.rate(item, Rating(chance.randint(1, 4)), at, 1000)
        assert event in collection.events(item)
        made.append(event.id)
        if number % 10 == 3:
            collection.queue(at)
        if number % 10 == 7 and (undone := collection.undo(at)):
            made.append(undone.id)
    together.wait()
    seen = {event.id for item in CARDS for event in collection.events(item)}
    states = [collection.state(item) for item in CARDS]
    says.send((made, seen, states, collection._store.generation - first))


@pytest.mark.parametrize("devices", [("desk", "desk"), ("desk", "phone")])
def test_many_answers_of_two_programs_at_once(root: Path, devices: tuple[str, str]) -> None:
    for item in CARDS:
        write_card(root, item)
    opened(root).close()
    together = SERVER.Barrier(2, timeout=300)
    programs = [begun(answering, together, root, name, n) for n, name in enumerate(devices)]
    told = [hears.recv() for _, hears in programs]
    for program, _ in programs:
        program.join()
    acknowledged = {event for made, *_ in told for event in made}
    assert len(acknowledged) == sum(len(made) for made, *_ in told) >= 2 * EACH
    known = read_journal(root / ".deltadeck")
    # A status line that the other program wrote meanwhile is kept for an undo.
    kept = {event.id for event in known.events if isinstance(event.what, StatusLines)}
    assert {event.id for event in known.events} == acknowledged | kept
    assert known.problems == ()
    assert examine(root) == []
    folded = replay(known.events, opened(root).config)
    for _, seen, states, rebuilt in told:
        assert seen | kept == acknowledged | kept
        assert states == [folded.get(item, New()) for item in CARDS]
        assert rebuilt == 0, "neither threw the index away"


def test_other_settings_reach_each_of_two_programs(root: Path) -> None:
    for item in "ab":
        write_card(root, item)
    first = opened(root)
    first.rate("a", Rating.EASY, NOON, 1000)
    second = opened(root)
    before = second.preview("a", later(days=9))
    configure(root, "desired_retention = 0.8\n")
    for each in (first, second):
        each.reload(NOON)
        assert each.preview("a", later(days=9)) != before
        assert each.preview("a", later(days=9)) == opened(root).preview("a", later(days=9))


def test_an_answer_that_another_program_takes_back_changes_no_word_of_the_learner(
    root: Path,
) -> None:
    path = write_card(root, "a", status="mastered")
    first, second = opened(root), opened(root)
    text = path.read_text()
    first.rate("a", Rating.GOOD, NOON, 1000)
    assert second.undo(NOON) is not None
    first.settle()
    assert path.read_text() == text


def test_two_programs_that_see_the_same_new_file_at_once_take_it_up_once(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both read its lines, and one is first to write them into the index."""
    write_card(root, "a")
    one, two = (opened(root) for _ in range(2))
    generations = one._store.generation, two._store.generation
    look_into, turns = journal._look_into, list[Collection]()

    def look(*given: object) -> object:
        """`two` takes up everything between the reading and the writing of `one`."""
        found = look_into(*given)  # type: ignore[arg-type]
        if not turns:
            turns.append(two)
            two.queue(NOON)
        return found

    monkeypatch.setattr(journal, "_look_into", look)
    for number in range(5):
        append_events(root / ".deltadeck", [review(random=number)], f"device{number}")
        turns.clear()
        one.queue(NOON)
        assert turns
    assert len(one.events("a")) == len(two.events("a")) == 5
    assert (one._store.generation, two._store.generation) == generations
    count = one._store.db.execute("SELECT count(*), count(DISTINCT id) FROM event").fetchone()
    assert count == (5, 5)


# What changes on the disk while a program runs is there without being asked for.


#: Seconds after which a change that was not seen never will be.
PATIENCE = 20


class Watched:
    """A collection in which each change can be waited for."""

    def __init__(self, root: Path) -> None:
        self.collection = opened(root)
        self._changed = threading.Condition()
        self._watcher = self.collection.watch(self._tell)

    def _tell(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def until(self, there: Callable[[], bool]) -> bool:
        with self._changed:
            return self._changed.wait_for(there, PATIENCE)

    def stop(self) -> None:
        self._watcher.stop()
        self.collection.close()


@pytest.fixture
def watched(root: Path) -> Iterator[Watched]:
    write_card(root / "deck", "a")
    made = Watched(root)
    yield made
    made.stop()


def test_what_comes_changes_moves_and_goes_is_seen(root: Path, watched: Watched) -> None:
    """Files, folders, settings, and the answers of another program."""
    collection, cards = watched.collection, watched.collection.cards
    write_card(root / "deck", "b")
    assert watched.until(lambda: list(cards) == ["a", "b"])
    write_card(root / "deck", "a", question="Another question?")
    assert watched.until(lambda: cards["a"].question == "Another question?")
    (root / "deck" / "b.md").unlink()
    assert watched.until(lambda: list(cards) == ["a"])
    Collection.open(root, NOON, "phone").rate("a", Rating.EASY, NOON, 0)
    assert watched.until(lambda: collection.today(NOON).reviewed == 1)
    state = collection.state("a")
    configure(root, "new_per_day = 7")
    assert watched.until(lambda: collection.config.new_per_day == 7)
    configure(root, 'new_per_day = "many"')
    assert watched.until(lambda: any("many" in str(each) for each in collection.problems))
    assert collection.config.new_per_day == 7, "those that could be read last hold"
    fitted = [*DEFAULT_PARAMETERS[:3], 20.0, *DEFAULT_PARAMETERS[4:]]
    configure(root, f"parameters = {fitted}")
    assert watched.until(lambda: collection.problems == ())
    assert watched.until(lambda: collection.state("a") != state), "folded by the new parameters"
    state = collection.state("a")
    (root / "deck").rename(root / "elsewhere")
    assert watched.until(lambda: [d.name for d in collection.decks(NOON)][-1] == "elsewhere")
    assert collection.state("a") == state, "a card that moved keeps its history"
    shutil.rmtree(root / "elsewhere")
    assert watched.until(lambda: not cards)


def test_a_folder_in_the_place_of_the_one_that_was_watched_is_watched(
    root: Path, watched: Watched
) -> None:
    """A disk that was pulled out and came back, a fresh clone."""
    cards = watched.collection.cards
    root.rename(root.with_name("before"))
    write_card(root, "new")
    assert watched.until(lambda: list(cards) == ["new"])
    write_card(root, "newer")
    assert watched.until(lambda: list(cards) == ["new", "newer"])
