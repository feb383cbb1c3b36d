"""What is done while calls fail, act by act, and the laws that hold afterwards.

A session is played once without a fault; `Facts` are taken after each act.  After a fault, what was
acknowledged is there, once; what was begun is there, not at all, or (of many) from its beginning;
all else is as it was.  Then the rest is done without faults, and ends where the session ended.
"""

from __future__ import annotations

import io
import json
import re
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from cards import CardError, read_card
from cards.edit import replace_section
from deck.backup import back_up, backups, bring_back, read_backup, restore
from deck.collection import Collection
from deck.errors import CollectionError, JournalError
from deck.events import (
    Buried,
    Event,
    LineError,
    Reset,
    StatusLines,
    Suspended,
    Undone,
    fixed_id,
    read_line,
)
from deck.fsrs import Rating
from deck.index.lines import read_journal
from deck.recording import AnswerInput
from deck.repair import examine, repair
from deck.replay import dedupe_events, replay
from tests.deck.given import (
    CLOZE,
    NOON,
    append_events,
    configure,
    journal_of,
    later,
    line_of,
    rated,
    review,
    streamed,
    write_card,
)
from tests.deck.sync.given import copied, edit
from tui.main import main

CARDS, OWN = "cards", "own"
"""The collection, and the user's data and cache, below the folder of a session."""
#: What a kill may leave, and what says nothing of what was done.
_ASIDE = re.compile(
    r"(.*/)?\.git/.*|.*\.deltadeck-tmp|own/cache/.*|own/home/.*|own/data/deltadeck/device.*"
    r"|.*/\.deltadeck/(lock|\.gitignore|drafts/.*|imports/.*|conflicts/.*|.*-\d{8}T\d{6}Z.*)"
    r"|.*\.(torn|aside)|remote\.git/.*|lab/.*"
)


class RefusedError(Exception):
    """A command that ended with exit code 2, and what it said."""


@dataclass
class Hand:
    """Who does the acts."""

    folder: Path
    _open: list[Collection] = field(default_factory=list)

    @property
    def root(self) -> Path:
        return self.folder / CARDS

    @property
    def collection(self) -> Collection:
        if not self._open:
            self._open.append(Collection.open(self.root, NOON, "desk"))
            self._open[0].finish_status()
        return self._open[0]

    def close(self) -> None:
        while self._open:
            self._open.pop().close()

    def types(self, *words: str) -> None:
        """A command, as it is typed."""
        self.close()
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = main([*words, "-C", str(self.root)])
        if code == 2:
            raise RefusedError(err.getvalue().strip())


Act = Callable[[Hand], object]


@dataclass(frozen=True)
class Session:
    """`begin` makes the folder in which the acts are done."""

    begin: Callable[[Path], object]
    acts: Sequence[Act]
    replaces: bool = False
    """Whether an act that is stopped half-way is taken back by the doctor."""
    reads: bool = True
    """Whether reading may fail too."""


# Playing.


def play(acts: Sequence[Act], folder: Path, says: Connection) -> None:
    """Does the acts, each a second time where it was refused, until one is refused twice."""
    hand = Hand(folder)
    try:
        for number, act in enumerate(acts):
            says.send(("began", number))
            if not _done(act, hand, number, says) and not _done(act, hand, number, says):
                break
        hand.close()
        says.send(("closed", sorted(sys.modules)))
    except BaseException:
        says.send(("fell", traceback.format_exc()))
        raise


def _done(act: Act, hand: Hand, number: int, says: Connection) -> bool:
    try:
        act(hand)
    except (CardError, CollectionError, JournalError, RefusedError) as error:
        recorded = error.recorded if isinstance(error, JournalError) else None
        if isinstance(error, RefusedError) and "othing was recorded" in str(error):
            recorded = 0
        says.send(("refused", number, str(error), recorded))
        return False
    says.send(("done", number))
    return True


# What is there.


class Facts(NamedTuple):
    events: Counter[str]
    """Those of the journal, but for the lines of `status:`, by what they say."""
    files: dict[str, bytes]
    """All but the journal's, by their paths; of cards without `status:`."""


def facts(folder: Path) -> Facts:
    found = list(dedupe_events(read_journal(folder / CARDS / ".deltadeck").events))
    known = {event.id: event for event in found}
    files = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and not (_ASIDE.fullmatch(name) or name.endswith(".jsonl")):
            data = path.read_bytes()
            if name.endswith(".md"):
                data = re.sub(rb"^status:.*\n", b"", data, flags=re.MULTILINE)
            if name.endswith(".zip"):  # named by its time, and by what is in it
                assert read_backup(path)
                name, data = f"backup {path.name[:16]}", b""
            files[name] = data
    told = (_told(event, known) for event in found if not isinstance(event.what, StatusLines))
    return Facts(Counter(told), files)


def _kept(root: Path) -> set[str]:
    """What the events of any file say, also of one set aside, and of the backups."""
    files = [path.read_bytes() for path in (root / ".deltadeck").rglob("*.jsonl*")]
    files += [data for each in backups(root) for data in read_backup(each.path).values()]
    events = []
    for line in (line for data in files for line in data.split(b"\n")):
        with suppress(LineError):
            events.append(read_line(line))
    known = {event.id: event for event in events}
    return {_told(event, known) for event in events}


def _told(event: Event, known: dict[str, Event]) -> str:
    target = known.get(event.what.target) if isinstance(event.what, Undone) else None
    what = f"{event.what.on}" if isinstance(event.what, Suspended) else ""
    what += f" of {target.item} {target.at}" if target else ""
    return f"{type(event.what).__name__} {event.item} {event.at} {what}"


# The laws.


class Said(NamedTuple):
    """What a session said until it ended."""

    done: int = 0
    """Acts that were acknowledged."""
    begun: bool = False
    """Whether one more was."""
    refused: tuple[str, int | None] | None = None
    """The sentence, and how many events it says are recorded; of the one more."""
    fell: str = ""


def said(messages: Sequence[tuple[object, ...]]) -> Said:
    now = Said()
    for message in messages:
        match message:
            case ("began", int(number)):
                now = Said(number, True)
            case ("done", int(number)):
                now = Said(number + 1)
            case ("refused", int(number), str(sentence), None | int() as recorded):
                if now.refused and now.refused[1] != 0:  # the first time, and that still holds
                    recorded = now.refused[1]
                now = Said(number, True, (sentence, recorded))
            case ("fell", str(text)):
                now = now._replace(fell=text)
    return now


def judge(session: Session, folder: Path, told: Said, known: Sequence[Facts]) -> None:
    """What is there after a fault, and that it goes on from there.  Raises AssertionError."""
    assert not told.fell, told.fell
    if told.refused:
        sentence = told.refused[0]
        assert re.search(r"[.!?)`]$", sentence.strip()), f"no sentence: {sentence!r}"
        assert "Traceback" not in sentence
    root, before = folder / CARDS, known[told.done]
    after = known[min(told.done + told.begun, len(known) - 1)]
    if session.replaces:
        repair(root)
        assert not before.events.keys() - _kept(root), "in no file any more"
        there = facts(folder).events
        assert there in (before.events, after.events, before.events | after.events), there
    found = facts(folder)
    if not session.replaces:
        least, most = before.events & after.events, before.events | after.events
        assert not least - found.events, f"lost: {least - found.events}"
        assert not found.events - most, f"not asked for, or twice: {found.events - most}"
        if told.refused and told.refused[1] is not None:
            count = (found.events - before.events).total()
            assert count == told.refused[1], f"{count} recorded, said: {told.refused[0]}"
    for name in sorted({*found.files, *before.files, *after.files}):
        allowed = [each.files.get(name) for each in (before, after)]
        assert found.files.get(name) in allowed, f"{name}: {found.files.get(name)!r}"
    _agrees(root)
    _goes_on(session, folder, told, found, known)


def _agrees(root: Path) -> None:
    """The index that was left behind, with a fresh fold of the journal."""
    collection = Collection.open(root, NOON, "desk")
    collection.queue(later(days=1))
    bad = [p for p in collection.problems if p.severity == "error" and not p.path]
    assert not bad, bad
    events = list(dedupe_events(read_journal(root / ".deltadeck").events))
    states = replay(events, collection.config)
    for item in collection.ids() & states.keys():
        if collection.has_item(item):
            assert collection.state(item) == states[item], f"{item}: the index differs"
    collection.close()


def _goes_on(
    session: Session, folder: Path, told: Said, found: Facts, known: Sequence[Facts]
) -> None:
    hand, first = Hand(folder), told.done
    for lock in [*folder.glob("*/.git/**/*.lock"), *folder.glob("remote.git/**/*.lock")]:
        lock.unlink()  # as a sync that comes across one says
    if told.begun and found == known[first + 1]:
        first += 1
    for act in session.acts[first:]:
        act(hand)
    hand.close()
    if any(each.mends for each in examine(hand.root)):
        repair(hand.root)
        findings = [f"{each.problem}" for each in examine(hand.root) if each.mends]
        assert not findings, findings
    end = facts(folder)
    assert end.events == known[-1].events, f"the end: {end.events - known[-1].events} too many"
    for name in {*end.files, *known[-1].files}:
        assert end.files.get(name) == known[-1].files.get(name), f"the end: {name}"


# The sessions.


def _cards(folder: Path) -> Path:
    root = folder / CARDS
    for name in "abcde":
        write_card(root, name)
    write_card(root / "more", "pair", CLOZE, type="cloze")
    configure(root, "# mine\nwrite_status = true\nnew_per_day = 9\n")
    append_events(root / ".deltadeck", [review(item="b", at=later(days=-9))], "phone")
    return root


def _studied(folder: Path) -> None:
    """A collection that was used before, with its index."""
    root = _cards(folder)
    collection = Collection.open(root, NOON, "desk")
    collection.rate("e", Rating.GOOD, later(days=-3), 1000)
    collection.close()


def _torn(folder: Path) -> None:
    """A journal whose last lines a crash left: one half, one without its line feed."""
    _studied(folder)
    with journal_of(folder / CARDS).open("ab") as file:
        file.write(b'{"v":1,"id":"01')
    whole = line_of(review(item="b", at=later(days=10)))
    journal_of(folder / CARDS, name="2026-12.jsonl").write_bytes(whole[:-1])


def _rate(item: str, rating: Rating, at: datetime) -> Act:
    return lambda hand: rated(hand.collection, item, rating, at)


def _together(hand: Hand) -> None:
    """Answers that do not wait for one another; those that are recorded are not given again."""
    at = later(minutes=4)
    own = hand.collection.events
    rest = [i for i in ("c", "d", "pair/c1") if all(e.at != at for e in own(i))]
    streamed(hand.collection, [AnswerInput(i, Rating.HARD) for i in rest], at)
    hand.collection.settle()


def _foreign(hand: Hand) -> None:
    """Answers of other months, which are other files."""
    times = [later(days=31 * number, seconds=1) for number in range(3)]
    events = [review(item="d", at=at) for at in times]
    hand.collection.record_foreign(replace(e, id=fixed_id(e.at, f"d{e.at}")) for e in events)


def _record(item: str, what: Reset | Buried | Suspended, at: datetime) -> Act:
    return lambda hand: hand.collection.record(item, what, at)


_ANSWERS: list[Act] = [
    _rate("a", Rating.GOOD, later()),
    _rate("b", Rating.AGAIN, later(minutes=1)),
    lambda hand: hand.collection.undo(later(minutes=2)),
    lambda hand: hand.collection.record_check("a", {"answer": "x" * 9000}, later(minutes=3)),
    _together,
    lambda hand: hand.collection.suspend("a", later(minutes=5)),
    _record("e", Buried(later(days=4).date()), later(minutes=6)),
    lambda hand: hand.collection.suspend("a", later(minutes=7), on=False),
    _record("c", Reset(), later(minutes=8)),
    _rate("pair/c2", Rating.EASY, later(days=11)),
]


def _text(name: str, number: int) -> Act:
    """An edit of a card's question, as the editor saves it."""

    def act(hand: Hand) -> None:
        path, text = hand.root / f"{name}.md", f"Version {number} of {{{{c1::it}}}}."
        replace_section(path, "Question", text, read_card(path).source)

    return act


def _types(*words: str) -> Act:
    return lambda hand: hand.types(*words)


def _add(name: str) -> Act:
    """A new card from a file; where it is there, it was added before."""

    def act(hand: Hand) -> None:
        if not (hand.root / "Networks" / f"{name}.md").exists():
            hand.types("add", "--file", str(hand.folder / f"{name}.txt"))

    return act


def _with_texts(folder: Path) -> None:
    _studied(folder)
    for name in ("new", "other"):
        path = write_card(folder / "own", name)
        path.rename(folder / f"{name}.txt")


_EDITS: list[Act] = [
    _text("a", 1),
    _text("more/pair", 2),
    _add("new"),
    _types("config", "new_per_day", "7"),
    _types("config", "desired_retention", "0.85", "--course", "Networks"),
    _text("a", 3),
    _add("other"),
    _types("config", "new_per_day", "--unset"),
]


def _foreign_cards(version: str) -> str:
    reviews = [
        {"at": f"2026-{month:02}-03T10:00:00+00:00", "rating": 3, "milliseconds": 900}
        for month in (9, 10, 11)
    ]
    cards = [
        {
            "key": f"k{n}",
            "front": f"Which {n}? {version * (n == 1)}",
            "back": "That.",
            "tags": ["t"],
        }
        | ({"reviews": reviews} if n else {})
        for n in range(4)
    ]
    return json.dumps(cards)


def _with_packages(folder: Path) -> None:
    _studied(folder)
    for name in ("one", "two"):
        (folder / f"{name}.json").write_text(_foreign_cards(name))


def _import(name: str) -> Act:
    return lambda hand: hand.types("import", str(hand.folder / f"{name}.json"), "--into", "taken")


def _with_backup(folder: Path) -> None:
    _studied(folder)
    root = folder / CARDS
    assert back_up(root, NOON)
    (root / ".deltadeck" / "journal" / "phone" / "2026-11.jsonl").unlink()
    append_events(root / ".deltadeck", [review(item="c", at=later(minutes=1), random=3)])
    configure(root, "new_per_day = 3\n")


def _restore(hand: Hand) -> None:
    restore(hand.root, backups(hand.root)[-1].path, later(days=1))


_BACKED: list[Act] = [
    lambda hand: back_up(hand.root, later(hours=1)),
    lambda hand: bring_back(hand.root, backups(hand.root)[-1].path),
    _rate("d", Rating.GOOD, later(hours=2)),
    _restore,
]


def _with_damage(folder: Path) -> None:
    _studied(folder)
    one, two, three = (line_of(review(item="c", at=later(seconds=n), random=n)) for n in (1, 2, 3))
    with journal_of(folder / CARDS).open("ab") as file:
        file.write(b"nonsense\n\xff\xfe\0\n" + one + one + two[:-1] + three + b'{"v":1,"to')
    copy = journal_of(folder / CARDS, name="2026-11 (conflicted copy 2026-11-21).jsonl")
    copy.write_bytes(line_of(review(item="a", at=later(seconds=9), random=9)))


_REPAIRED: list[Act] = [
    _types("doctor", "--repair"),
    _rate("d", Rating.GOOD, later(hours=2)),
]


_INDEXED: list[Act] = [
    lambda hand: hand.collection.queue(NOON),
    lambda hand: hand.collection.statistics(NOON),
    lambda hand: hand.collection.search("why", NOON),
    _text("a", 9),
    lambda hand: hand.collection.reload(NOON),
    _types("due"),
    _types("list"),
]


def _unlike(folder: Path) -> None:
    """Two computers, each with answers and edits that the other has not."""
    fleet = copied(folder / "made", CARDS, "lab")
    for name, item, number in ((CARDS, "a", 1), ("lab", "b", 2)):
        collection = Collection.open(fleet[name], NOON, {CARDS: "desk"}.get(name, name))
        collection.rate(item, Rating.GOOD, later(minutes=number), 1000)
        collection.close()
        edit(fleet[name] / f"{item}.md", "Question", f"Of {name}?")
    edit(fleet["lab"] / "c.md", "Question", CLOZE.replace("messages", "passes"))
    fleet.sync("lab")
    for name in (CARDS, "lab", "remote.git"):
        (folder / "made" / "fleet" / name).rename(folder / name)
    (folder / "made" / "fleet").rmdir()
    (folder / "made").rmdir()


_SYNCED: list[Act] = [
    _types("sync"),
    _rate("c/c1", Rating.GOOD, later(hours=2)),
    _types("sync"),
]

SESSIONS: dict[str, Session] = {
    "answers": Session(_studied, _ANSWERS, reads=False),
    "first": Session(
        lambda folder: write_card(folder / CARDS, "d"),
        [
            _rate("d", Rating.GOOD, NOON),
            lambda hand: Collection.init(hand.root, NOON).close(),
            _foreign,
        ],
    ),
    "torn": Session(
        _torn, [_rate("a", Rating.GOOD, NOON), _rate("c", Rating.GOOD, later(days=11))]
    ),
    "edits": Session(_with_texts, _EDITS),
    "import": Session(_with_packages, [_import("one"), _import("two")]),
    "backup": Session(_with_backup, _BACKED, replaces=True, reads=False),
    "repair": Session(_with_damage, _REPAIRED, reads=False),
    "index": Session(_cards, _INDEXED),
    "sync": Session(_unlike, _SYNCED),
}
