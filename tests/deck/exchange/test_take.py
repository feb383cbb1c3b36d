"""Taking what a plan says: twice is once, two devices are one, and the learner's word stays."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards.model import Value
from deck import Collection, New, Rating, Review
from deck.event import Suspended
from deck.exchange import anki
from deck.exchange import take as taking
from deck.exchange.bundle import (
    Bundle,
    ExchangeError,
    ForeignCard,
    ForeignItem,
    ForeignReview,
)
from deck.exchange.plan import look, plan
from deck.exchange.summary import Summary
from deck.exchange.take import take
from deck.journal import read_journal
from tests.deck.given import NOON, card_text

CARD = ForeignCard("k1", "why", ("Networks", "Pooling"), "basic", "Why?", "Because.")


def bundle(*cards: ForeignCard, media: dict[str, bytes] | None = None) -> Bundle:
    opened = {name: (lambda data=data: io.BytesIO(data)) for name, data in (media or {}).items()}
    return Bundle("anki", "a.apkg", len(cards), lambda: iter(cards), opened)


def taken(
    root: Path, *cards: ForeignCard, media: dict[str, bytes] | None = None, device: str = "desk"
) -> Summary:
    collection = Collection.open(root, NOON, device)
    return take(plan(bundle(*cards, media=media), collection, NOON))


def answers(*days: tuple[int, int, int]) -> tuple[ForeignReview, ...]:
    """(days ago, rating, days until the next), oldest first."""
    return tuple(
        ForeignReview(NOON - timedelta(days=ago), rating, 4000, ivl, key=f"r{ago}")
        for ago, rating, ivl in days
    )


def learnt(*days: tuple[int, int, int], **more: object) -> ForeignCard:
    item = ForeignItem(reviews=answers(*days), **more)  # type: ignore[arg-type]
    return replace(CARD, items=(item,))


def tree(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file() and path.name != "lock")
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


# Cards.


def test_a_dry_run_says_what_the_import_does_and_writes_nothing(root: Path) -> None:
    cards = (learnt((9, 3, 4), (5, 3, 9), suspended=True), replace(CARD, key="k2"))
    said = look(plan(bundle(*cards), Collection.open(root, NOON, "desk"), NOON))
    assert tree(root) == {}
    done = taken(root, *cards)
    assert said == done
    assert (done.new, done.reviews, done.suspended) == (2, 2, 1)


def test_a_card_reads_back_as_it_was_meant(root: Path) -> None:
    fields: dict[str, Value] = {"course": "Networks", "tags": ["a", "b::c"]}
    taken(root, replace(CARD, fields=fields))
    card = Collection.open(root, NOON).cards["why"]
    assert card.path == root / "Networks" / "Pooling" / "why.md"
    assert (card.question, card.solution) == ("Why?", "Because.")
    assert (card.course, card.tags, card.extra["source"]) == ("Networks", ("a", "b::c"), "anki:k1")
    assert card.warnings == ()


@pytest.mark.parametrize(
    "text",
    ["# Solution\nx", "a\n\n---\n\nb", "```\nopen", "Question\n===", "x\n\n## Options\nA) b", "$$"],
)
def test_a_text_that_looks_like_parts_of_a_card_stays_text(root: Path, text: str) -> None:
    taken(root, replace(CARD, question=text), replace(CARD, key="k2", solution=f"Well:\n\n{text}"))
    cards = Collection.open(root, NOON).cards
    assert len(cards) == 2
    assert cards["why"].solution == "Because."
    assert len([each for each in cards.values() if each.question == "Why?"]) == 1


def test_two_cards_of_one_wanted_id_get_two(root: Path) -> None:
    (root / "other.md").write_text(card_text("taken"))
    done = taken(root, CARD, replace(CARD, key="k2"), replace(CARD, key="k3", wanted_id="Taken"))
    ids = done.listed["new"]
    assert ids[0] == "why"
    assert len(set(ids)) == 3
    assert not set(ids) & {"taken", "Taken"}
    assert ids[1].startswith("why_")


def test_a_second_import_takes_what_changed_and_nothing_else(root: Path) -> None:
    taken(root, CARD, replace(CARD, key="k2", wanted_id="two"))
    before = tree(root)
    again = taken(root, CARD, replace(CARD, key="k2", wanted_id="two"))
    assert (again.new, again.changed, again.unchanged) == (0, 0, 2)
    assert tree(root) == before
    changed = taken(root, replace(CARD, solution="Otherwise."), replace(CARD, key="k2"))
    assert (changed.new, changed.changed, changed.unchanged) == (0, 1, 1)
    assert Collection.open(root, NOON).cards["why"].solution == "Otherwise."


def test_what_was_edited_here_is_kept(root: Path) -> None:
    taken(root, CARD)
    path = root / "Networks" / "Pooling" / "why.md"
    path.write_text(path.read_text().replace("Because.", "Mine."))
    same = taken(root, CARD)
    assert (same.kept, same.unchanged) == (0, 1)
    changed = taken(root, replace(CARD, solution="Otherwise."))
    assert (changed.kept, changed.listed["kept"]) == (1, ["why"])
    assert "Mine." in path.read_text()


def test_a_status_line_and_another_place_are_no_edits(root: Path) -> None:
    taken(root, CARD)
    path = root / "Networks" / "Pooling" / "why.md"
    moved = root / "mine.md"
    path.rename(moved)
    moved.write_text(moved.read_text().replace("to_learn", "learning"))
    done = taken(root, replace(CARD, solution="Otherwise."))
    assert (done.new, done.changed) == (0, 1)
    assert "Otherwise." in moved.read_text()
    assert "status: learning" in moved.read_text()
    assert not path.exists()


def test_without_its_notes_an_import_overwrites_nothing(root: Path) -> None:
    taken(root, CARD)
    shutil.rmtree(root / ".deltadeck" / "imports")
    done = taken(root, replace(CARD, solution="Otherwise."))
    assert (done.kept, done.changed) == (1, 0)
    assert taken(root, CARD).unchanged == 1
    assert taken(root, replace(CARD, solution="Otherwise.")).changed == 1, "noted again"


def test_folders_below_the_one_named(root: Path) -> None:
    collection = Collection.open(root, NOON)
    card = replace(CARD, folder=("Networks", "../..", "CON", ".hid", "a/b"),
                   fields={"course": "Networks"})  # fmt: skip
    take(plan(bundle(card), collection, NOON, "From Anki"))
    (path,) = root.rglob("*.md")
    parts = ("From Anki", "Networks", "_", "_CON", "hid", "a_b", "why.md")
    assert path.relative_to(root).parts == parts
    assert "course:" not in path.read_text(), "the folders alone are the decks"
    for outside in ("../x", "/x", "a/../../x", ".deltadeck", "~/x", "C:\\x"):
        with pytest.raises(ExchangeError, match="inside the collection"):
            plan(bundle(card), collection, NOON, outside)


# Histories.


def test_an_item_is_due_when_it_is_due_there(root: Path) -> None:
    taken(root, learnt((30, 3, 4), (26, 1, 1), (25, 3, 40)))
    state = Collection.open(root, NOON).state("why")
    assert isinstance(state, Review)
    assert state.due_day == NOON.date() + timedelta(days=15)
    assert (state.repetitions, state.lapses) == (3, 1)


def test_a_due_day_that_no_answer_says_holds(root: Path) -> None:
    due = NOON + timedelta(days=3)
    taken(root, learnt((30, 3, 4), (26, 3, 40), due=due, changed=NOON))
    state = Collection.open(root, NOON).state("why")
    assert isinstance(state, Review)
    assert state.due_day == due.date()


def test_a_format_without_answers_keeps_its_due_days(root: Path) -> None:
    due = NOON + timedelta(days=30)
    taken(root, learnt(due=due), replace(CARD, key="k2", items=(ForeignItem(due=NOON),)))
    collection = Collection.open(root, NOON)
    states = [collection.state(item) for item in collection.cards]
    assert sorted(s.due_day for s in states if isinstance(s, Review)) == [NOON.date(), due.date()]


def test_forgotten_there_is_new_here(root: Path) -> None:
    reset = ForeignReview(NOON - timedelta(days=2), 0, key="x", what="reset")
    item = ForeignItem(reviews=(*answers((30, 3, 4), (26, 3, 40)), reset))
    taken(root, replace(CARD, items=(item,)))
    assert Collection.open(root, NOON).state("why") == New()


def test_the_status_line_says_what_the_schedule_says(root: Path) -> None:
    taken(root, learnt((30, 3, 4), (26, 3, 40)))
    card = Collection.open(root, NOON).cards["why"]
    assert card.status in ("reviewing", "mastered")
    collection = Collection.open(root, NOON)
    collection.rate("why", Rating.AGAIN, NOON, 0)
    assert collection.cards["why"].status == "learning"
    newer = learnt((30, 3, 4), (26, 3, 40))
    later = ForeignReview(NOON + timedelta(hours=1), 3, days=2, key="later")
    item = replace(newer.items[0], reviews=(*newer.items[0].reviews, later))
    done = taken(root, replace(CARD, items=(item,)))
    assert (done.unchanged, done.reviews) == (1, 1)
    assert Collection.open(root, NOON).cards["why"].status == "reviewing"


def test_an_undo_takes_back_no_imported_answer(root: Path) -> None:
    taken(root, learnt((30, 3, 4)), replace(CARD, key="k2", wanted_id="two"))
    collection = Collection.open(root, NOON, "desk")
    assert collection.undo(NOON) is None
    own = collection.rate("two", Rating.GOOD, NOON - timedelta(days=60), 0)
    undone = collection.undo(NOON)
    assert undone is not None
    assert undone.item == own.item == "two"


def test_suspended_there_is_suspended_here_until_someone_says_otherwise(root: Path) -> None:
    put_aside = learnt((9, 3, 4), suspended=True, changed=NOON - timedelta(days=1))
    assert taken(root, put_aside).suspended == 1
    assert taken(root, put_aside).suspended == 0
    collection = Collection.open(root, NOON, "desk")
    assert collection.is_suspended("why")
    taken(root, learnt((9, 3, 4), changed=NOON - timedelta(hours=1)))
    assert not Collection.open(root, NOON).is_suspended("why"), "taken up again there"
    collection.suspend("why", NOON)
    taken(root, learnt((9, 3, 4)))
    assert Collection.open(root, NOON).is_suspended("why"), "put aside here, which stays"
    collection.suspend("why", NOON, on=False)
    taken(root, put_aside)
    assert not Collection.open(root, NOON).is_suspended("why"), "taken up here, which stays"


def test_answers_of_the_future_are_left_out_and_said(root: Path) -> None:
    done = taken(root, learnt((9, 3, 4), (-400, 3, 9)))
    assert done.reviews == 1
    assert ["cannot be" in lost.what for lost in done.lost] == [True]


def test_an_imported_answer_is_no_answer_of_today_unless_it_is(root: Path) -> None:
    taken(root, learnt((9, 3, 4), (0, 3, 9)))
    assert Collection.open(root, NOON).today(NOON).reviewed == 1


# Media.


def test_media_come_beside_the_cards_under_names_that_are_safe(root: Path) -> None:
    names = ["../../up.png", "a b.png", "con.png", "CON.PNG", "x.md", "ok.png", "a\\b:c.png"]
    shown = " ".join(f"![](<{name}>)" for name in names)
    card = replace(CARD, question=f"See {shown} [s](a%20b.png)", media=tuple(names))
    done = taken(root, card, media={name: name.encode() for name in names})
    assert done.media == len(names)
    files = {p.name: p.read_bytes() for p in (root / "media").iterdir()}
    assert sorted(files.values()) == sorted(name.encode() for name in names)
    assert not any(name.lower().startswith("con.") or name.endswith(".md") for name in files)
    assert not (root.parent / "up.png").exists()
    question = Collection.open(root, NOON).cards["why"].question
    assert all(f"media/{name}" in question for name in files)
    assert "ok.png" in files


def test_another_file_is_not_overwritten_and_an_own_one_is_renewed(root: Path) -> None:
    card = replace(CARD, question="![](x.png)", media=("x.png",))
    (root / "media").mkdir()
    (root / "media" / "x.png").write_bytes(b"mine")
    taken(root, card, media={"x.png": b"theirs"})
    assert (root / "media" / "x.png").read_bytes() == b"mine"
    (copy,) = (p for p in (root / "media").iterdir() if p.name != "x.png")
    assert copy.read_bytes() == b"theirs"
    assert copy.name in Collection.open(root, NOON).cards["why"].question
    assert taken(root, card, media={"x.png": b"theirs"}).media == 0
    (root / "media" / "x.png").unlink()
    other = replace(card, key="k2")
    taken(root, other, media={"x.png": b"1"})
    taken(root, other, media={"x.png": b"2"})
    assert (root / "media" / "x.png").read_bytes() == b"2"


# Laws.


ITEMS = st.lists(
    st.tuples(st.integers(1, 400), st.integers(1, 4), st.integers(1, 300)), max_size=4, unique=True
)


@st.composite
def packages(draw: st.DrawFn) -> tuple[ForeignCard, ...]:
    cards = []
    for number in range(draw(st.integers(0, 3))):
        days = sorted({day[0]: day for day in draw(ITEMS)}.values(), reverse=True)
        item = ForeignItem(
            reviews=answers(*days),
            suspended=draw(st.booleans()),
            due=draw(st.none() | st.just(NOON + timedelta(days=7))),
            buried=draw(st.none() | st.just(date(2026, 11, 25))),
            changed=draw(st.none() | st.just(NOON - timedelta(hours=3))),
        )
        solution = draw(st.sampled_from(["One.", "Two.", "# Solution", ""]))
        cards.append(replace(CARD, key=f"k{number}", solution=solution, items=(item,)))
    return tuple(cards)


def standing(root: Path) -> dict[str, object]:
    collection = Collection.open(root, NOON)
    return {item: (collection.state(item), collection.is_suspended(item))
            for item in collection.cards}  # fmt: skip


@settings(max_examples=15, deadline=None)
@given(packages())
def test_to_import_twice_is_to_import_once(
    tmp_path_factory: pytest.TempPathFactory, cards: Sequence[ForeignCard]
) -> None:
    root = tmp_path_factory.mktemp("cards")
    taken(root, *cards)
    once, stands = tree(root), standing(root)
    again = taken(root, *cards)
    assert tree(root) == once
    assert standing(root) == stands
    assert (again.new, again.changed, again.kept, again.reviews) == (0, 0, 0, 0)


@settings(max_examples=15, deadline=None)
@given(packages())
def test_two_devices_that_import_alone_have_one_history(
    tmp_path_factory: pytest.TempPathFactory, cards: Sequence[ForeignCard]
) -> None:
    roots = [tmp_path_factory.mktemp(name) for name in ("desk", "phone")]
    for root in roots:
        taken(root, *cards, device=root.name[:-1])
    stands = standing(roots[0])
    count = len(read_journal(roots[0] / ".deltadeck").events)
    for path in (roots[1] / ".deltadeck").rglob("*.*l*"):
        target = roots[0] / path.relative_to(roots[1])
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    assert standing(roots[0]) == stands
    events = read_journal(roots[0] / ".deltadeck").events
    assert len({event.id for event in events}) == count
    assert taken(roots[0], *cards).reviews == 0


# What stops an import.


def test_whatever_stops_it_a_second_import_finishes(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each system call that makes a name fails once, as on a disk that is full just then."""
    cards = [replace(learnt((9, 3, 4)), key=f"k{n}", wanted_id=f"c{n}") for n in range(3)]
    whole = tmp_path / "whole"
    whole.mkdir()
    taken(whole, *cards)
    link, calls = os.link, [0]
    for failing in range(1, 4):

        def failing_link(source: str, target: str, failing: int = failing) -> None:
            calls[0] += 1
            if calls[0] == failing:
                raise OSError(28, "No space left on device")
            link(source, target)

        monkeypatch.setattr(os, "link", failing_link)
        calls[0] = 0
        with pytest.raises(ExchangeError, match="disk is full"):
            taken(root, *cards)
        for path in root.rglob("*.md"):
            assert path.read_text().endswith("Because.\n")
        assert not list(root.rglob("*.deltadeck-tmp"))
        monkeypatch.setattr(os, "link", link)
        shutil.rmtree(root)
        root.mkdir()
    calls[0] = 0
    monkeypatch.setattr(os, "link", failing_link)
    with pytest.raises(ExchangeError):
        taken(root, *cards)
    monkeypatch.setattr(os, "link", link)
    taken(root, *cards)
    cards_of = {name: data for name, data in tree(whole).items() if name.endswith(".md")}
    assert {name: data for name, data in tree(root).items() if name.endswith(".md")} == cards_of
    assert standing(root) == standing(whole)


def test_a_package_that_breaks_off_leaves_what_it_gave(root: Path) -> None:
    def broken() -> object:
        yield learnt((9, 3, 4))
        raise ExchangeError("it is damaged")

    collection = Collection.open(root, NOON, "desk")
    made = plan(Bundle("anki", "a", 2, broken), collection, NOON)  # type: ignore[arg-type]
    with pytest.raises(ExchangeError, match="damaged"):
        take(made)
    assert isinstance(Collection.open(root, NOON).state("why"), Review)


def test_many_answers_are_recorded_in_parts(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(taking, "_TOGETHER", 2)
    cards = [replace(learnt((9, 3, 4)), key=f"k{n}", wanted_id=f"c{n}") for n in range(5)]
    taken(root, *cards)
    assert len(read_journal(root / ".deltadeck").events) == 5


def test_the_learners_own_answers_stand_between_the_imported(root: Path) -> None:
    taken(root, learnt((30, 3, 4)))
    collection = Collection.open(root, NOON, "desk")
    collection.rate("why", Rating.GOOD, NOON - timedelta(days=20), 0)
    taken(root, learnt((30, 3, 4), (10, 3, 33)))
    state = Collection.open(root, NOON).state("why")
    assert isinstance(state, Review)
    assert (state.repetitions, state.due_day) == (3, NOON.date() + timedelta(days=23))
    assert not [e for e in collection.events("why") if isinstance(e.what, Suspended)]
    assert all(e.at < datetime(2027, 1, 1, tzinfo=UTC) for e in collection.events("why"))


def test_every_card_of_a_real_package_is_due_as_in_anki(root: Path) -> None:
    path = Path(__file__).parent / "anki" / "current.apkg"
    now = datetime(2026, 11, 22, 12, tzinfo=UTC)
    take(plan(anki.read(path), Collection.open(root, now, "desk"), now))
    collection = Collection.open(root, now)
    ours = {card.extra["source"]: card.items for card in collection.cards.values()}
    seen = 0
    for card in anki.read(path).cards():
        for theirs, item in zip(card.items, ours[f"anki:{card.key}"], strict=True):
            state = collection.state(item.id)
            assert collection.is_suspended(item.id) is theirs.suspended
            if theirs.due is None:
                assert state == New()
                continue
            assert isinstance(state, Review)
            assert state.due_day == theirs.due.date()
            seen += 1
    assert seen == 5
