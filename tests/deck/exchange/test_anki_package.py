"""Anki's packages: generations, limits, damage, and what cards their notes become."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cards.parse import parse_card
from deck.collection import Collection
from deck.exchange.anki import package as unpacking
from deck.exchange.anki.html import to_markdown
from deck.exchange.anki.notes import looks_like, sides
from deck.exchange.model import ExchangeError, ForeignCard, ImportSource
from deck.exchange.normalise import card_text
from deck.exchange.plan import Plan, Summary, look
from deck.exchange.readers import reader_of
from deck.exchange.source import HEAD
from deck.fsrs import Rating
from tests.deck.exchange.foreign import read, reviewed, source, take_in
from tests.deck.exchange.packages import (
    CLOZE,
    CREATED,
    NOW,
    OPTIONAL,
    REVERSED,
    TWO,
    Given,
    Made,
    altered,
    package,
    zipped,
    zstd,
)

#: Made by Anki 26.09 itself: the same collection in its present format, and in the older one.
REAL = Path(__file__).parent / "anki"


def only(tmp_path: Path, note: Made, new: bool = False) -> ForeignCard:
    (card,), _ = read(package(tmp_path / "a.apkg", [note], new=new))
    return card


# What Anki itself wrote.


def test_both_formats_of_anki_hand_over_the_same() -> None:
    cards, current = read(REAL / "current.apkg")
    same, legacy = read(REAL / "legacy.apkg")
    assert cards == same
    assert current.lost == legacy.lost == []
    media = {name: open_().read() for name, open_ in current.media.items()}
    assert media == {name: open_().read() for name, open_ in legacy.media.items()}
    assert media["tone.mp3"] == b"ID3fake"


def test_the_kinds_of_notes_become_kinds_of_cards_with_their_standing() -> None:
    cards = {card.question.split("\n")[0]: card for card in read(REAL / "current.apkg")[0]}
    cloze = "{{c1::Backward}} and {{c2::forward::which?}} messages:"
    assert {words: card.type for words, card in cards.items()} == {
        "What does **max pooling** do? ![](max%20pool.png)": "basic",
        "house": "reversed",
        "dog": "basic",  # of an optional reversed note whose field is empty
        "cat": "reversed",
        "tree": "basic",
        cloze: "cloze",
    }
    tree = cards["tree"]
    assert tree.solution == "strom", "what is typed is compared with this"
    assert (tree.fields["tags"], tree.items[0].buried) == (["flag::red"], date(2026, 11, 22))
    assert cards["house"].folder == ("Languages", "Czech")
    assert [item.suspended for item in cards["house"].items] == [False, True]
    formula = "$${{c3::\\frac{\\partial L}{\\partial x} }}$$"
    assert cards[cloze].question == f"{cloze}\n\n{formula}"
    assert cards[cloze].solution == "- one\n- two"
    due = cards["dog"].items[0].due
    assert due is not None
    assert due.date() == date(2026, 12, 3), "set by hand, on a card that had no answer"


def test_a_package_is_known_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "download"
    path.write_bytes((REAL / "current.apkg").read_bytes())
    assert reader_of(path).name == "anki"
    other = tmp_path / "a.zip"
    zipped(other, {"x": b"y"})
    assert not looks_like(other, other.read_bytes()[:HEAD])


# ForeignHistories.


def test_answers_say_what_they_led_to(tmp_path: Path) -> None:
    steps: list[tuple[Given, tuple[object, ...]]] = [
        (Given(30, 1, -60, 0), ("answer", 1, None, timedelta(seconds=60))),
        (Given(29.9, 3, 1, 0), ("answer", 3, 1, None)),
        (Given(28, 3, 4, 1), ("answer", 3, 4, None)),
        (Given(27, 2, 9, 3, 0), ("cram", 2, 9, None)),  # a preview in a filtered deck
        (Given(24, 0, 30, 4), ("set", 0, 30, None)),  # the due day, set by hand
        (Given(23, 0, 0, 4, 0), ("reset", 0, None, None)),  # forgotten
        (Given(22, 9, 3, 1), ("answer", 4, 3, None)),  # no button has this number: the last one
    ]
    card = only(tmp_path, Made("g", ("q", "a"), answers={0: [given for given, _ in steps]}))
    found = [(r.what, r.rating, r.days, r.wait) for r in card.items[0].reviews]
    # The card is new now, and no line of it says so.
    assert found == [*(led_to for _, led_to in steps), ("reset", 0, None, None)]


@pytest.mark.parametrize(
    ("card", "day"),
    [
        ({"type": 2, "queue": 2, "due": 700, "ivl": 20}, 700),
        # In a filtered deck it keeps its own.
        ({"type": 2, "queue": 2, "due": -100_000, "odue": 690, "odid": 1, "ivl": 20}, 690),
    ],
)
def test_a_due_day_counts_from_day_0(tmp_path: Path, card: dict[str, int], day: int) -> None:
    item = only(tmp_path, Made("g", ("q", "a"), cards={0: card})).items[0]
    assert item.due is not None
    assert item.due.date() == CREATED.date() + timedelta(days=day)
    assert (item.reviews, item.interval) == ((), 20)


@pytest.mark.parametrize(
    ("at", "hour", "free", "new"),
    [
        ("02:33", None, 21, True),
        ("04:00", None, 22, False),
        ("02:33", 2, 22, True),
        ("23:59", 23, 22, False),
    ],
)
def test_buried_until_tomorrow(
    tmp_path: Path, at: str, hour: int | None, free: int, new: bool
) -> None:
    note = Made("g", ("q", "a"), cards={0: {"queue": -3}})
    hours = f"INSERT INTO config VALUES ('rollover', 0, 0, CAST('{hour}' AS BLOB));"
    if not new:
        hours = f"UPDATE col SET conf = json_set(conf, '$.rollover', {hour});"
    modified = f"UPDATE col SET mod = unixepoch('2026-11-21 {at}') * 1000;"
    sql = modified + hours * (hour is not None)
    (card,), _ = read(altered(package(tmp_path / "a.apkg", [note], new=new), sql))
    assert card.items[0].buried == date(2026, 11, free)


# Shapes of notes.


def test_templates_that_ask_something_else_are_cards_of_their_own(tmp_path: Path) -> None:
    note = Made("g", ("q", "a"), REVERSED, cards={0: {}, 1: {}})
    card = only(tmp_path, note)
    assert (card.key, card.type, [i.suffix for i in card.items]) == ("g", "reversed", ["", "/r"])
    only_back = Made("g", ("q", "a"), REVERSED, cards={1: {}})
    card = only(tmp_path, only_back)
    assert (card.key, card.type, card.question, card.solution) == ("g:1", "basic", "a", "q")


@pytest.mark.parametrize("new", [False, True])
def test_decks_tags_and_clozes_of_either_schema(tmp_path: Path, new: bool) -> None:
    note = Made("g", ("{{c2::x}} y", "z"), CLOZE, "A::B/C", "t u::v", cards={1: {"flags": 3}})
    card = only(tmp_path, note, new)
    assert card.folder == ("A", "B/C")
    assert card.fields["tags"] == ["t", "u::v", "flag::green"]
    assert (card.question, card.solution) == ("{{c2::x}} y", "z")
    assert [item.suffix for item in card.items] == ["/c2"]


def test_cards_that_are_empty_in_anki_are_left_out_and_said(tmp_path: Path) -> None:
    both = {0: [Given(3)], 1: [Given(2)]}
    notes = [
        Made("a", ("q", "a", ""), OPTIONAL, answers=both, cards={0: {}, 1: {}}),
        Made("b", ("q", "a", "y"), OPTIONAL, answers=both, cards={0: {}, 1: {}}),
        Made("c", ("{{c1::x}}", ""), CLOZE, answers=both, cards={0: {}, 1: {}}),
        Made("d", ("q", "a"), answers=both, cards={0: {}, 1: {}}),
        Made("e", ("<div><br /></div>", "a")),
        Made("f", ("<br>&nbsp;", "a")),
    ]
    cards, bundle = read(package(tmp_path / "a.apkg", notes))
    made = [(card.key, [item.suffix for item in card.items]) for card in cards]
    assert made == [("a", [""]), ("b", ["", "/r"]), ("c", ["/c1"]), ("d", [""])]
    assert ["Empty Cards" in lost.what for lost in bundle.lost] == [True] * 5


def test_what_cannot_be_a_card_is_said(tmp_path: Path) -> None:
    notes = [
        Made("a", ("x" * 5_000_000, "")),
        Made("b", ("x" * 1_100_000, "")),
        Made("c", ("no cloze", ""), CLOZE),
        Made("d", ("{{c1::image-occlusion:rect:left=.1}}", ""), CLOZE),
        Made("e", ("", "")),
        Made("f", ("fine", ""), 99),
        Made("g", ("fine", "yes")),
    ]
    cards, bundle = read(package(tmp_path / "a.apkg", notes))
    assert [card.key for card in cards] == ["g"]
    assert len(bundle.lost) == 6
    assert "5.0 MB" in bundle.lost[0].what


def test_a_medium_that_the_package_lacks_is_said(tmp_path: Path) -> None:
    path = package(tmp_path / "a.apkg", [Made("a", ('<img src="x.png">', ""))], {"x.png": b"1"})
    lacking = tmp_path / "b.apkg"
    with zipfile.ZipFile(path) as full:
        zipped(lacking, {name: full.read(name) for name in ("collection.anki2", "media")})
    bundle = source(lacking)
    Collection.init(tmp_path / "cards")
    look(Plan(bundle, Collection.open(tmp_path / "cards", NOW), NOW))
    assert ["x.png" in lost.what for lost in bundle.lost] == [True]


def refused(path: Path) -> str:
    with pytest.raises(ExchangeError) as found:
        read(path)
    said = str(found.value)
    assert said.startswith(str(path))
    return said


@pytest.mark.parametrize("name", ["current", "legacy"])
def test_any_damage_is_a_sentence_or_does_no_harm(tmp_path: Path, name: str) -> None:
    data = (REAL / f"{name}.apkg").read_bytes()
    path = tmp_path / "a.apkg"
    for cut in range(0, len(data), len(data) // 12):
        path.write_bytes(data[:cut])
        refused(path)
    for at in range(50, len(data), len(data) // 30):
        path.write_bytes(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])
        try:
            _, bundle = read(path)
            for opened in bundle.media.values():
                with opened() as file:
                    file.read()
        except ExchangeError:
            continue


def test_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it is unpacked, or while it is, where no size is declared."""
    monkeypatch.setattr(unpacking, "_ALWAYS", 1_000_000)
    path = zipped(tmp_path / "a.apkg", {"collection.anki21b": zstd.compress(bytes(9_000_000))})
    assert "could fill the disk" in refused(path)
    zipped(path, {"collection.anki2": b""})
    data, size = path.read_bytes(), (600_000_000).to_bytes(4, "little")
    at = data.index(b"PK\x01\x02") + 24  # the size that the directory declares
    path.write_bytes(data[:at] + size + data[at + 4 :])
    assert "could fill the disk" in refused(path)


def test_a_medium_that_is_larger_than_its_list_says_or_damaged_is_not_copied(
    tmp_path: Path,
) -> None:
    path = package(tmp_path / "a.apkg", [], {"x": b"1234"}, new=True)
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
        checksum = archive.getinfo("0").CRC.to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(checksum, bytes(4)))
    with source(path).media["x"]() as file, pytest.raises(ExchangeError, match="is damaged"):
        file.read()
    zipped(path, entries | {"0": zstd.compress(bytes(9999))})
    with source(path).media["x"]() as file, pytest.raises(ExchangeError, match="more than it"):
        file.read()


def test_a_password_is_a_sentence(tmp_path: Path) -> None:
    path = package(tmp_path / "a.apkg", [Made("a", ("q", "a"))])
    data = bytearray(path.read_bytes())
    at = 0
    while (at := data.find(b"PK\x01\x02", at)) >= 0:
        data[at + 8] |= 1
        at += 4
    path.write_bytes(data)
    assert "password" in refused(path)


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE revlog",
        "DELETE FROM col",
        "UPDATE col SET models = '[1'",
        "UPDATE cards SET nid = 'x'",
        "UPDATE col SET crt = 'soon'",
        "UPDATE col SET crt = 99999999999999999",
        "UPDATE col SET crt = 1e300",
        "UPDATE cards SET ord = 'x'",
        "DROP TABLE cards; CREATE VIEW cards AS SELECT load_extension('x') AS nid",
        "DROP TABLE notes; CREATE VIRTUAL TABLE notes USING fts5(id, guid, mid, tags, flds)",
    ],
)
def test_a_strange_database_is_a_sentence(tmp_path: Path, sql: str) -> None:
    path = package(tmp_path / "a.apkg", [Made("a", ("q", "a"), answers={0: [Given(3)]})])
    refused(altered(path, sql))


_SCHEDULE = ("did", "mod", "type", "queue", "due", "ivl", "odue", "odid", "flags")
_ANSWERED = ("cid", "ease", "ivl", "factor", "time", "type")


@pytest.mark.parametrize("value", ["'abc'", "x'ff'", "NULL", "1e300", "-9e999", "0.5"])
def test_a_column_that_holds_no_number_costs_no_other_note(tmp_path: Path, value: str) -> None:
    columns = [
        *((f"cards SET {name}", "nid") for name in _SCHEDULE),
        *((f"revlog SET {name}", "cid / 100") for name in _ANSWERED),
        *(("notes SET guid", "id"), ("notes SET tags", "id")),
    ]
    card = {"type": 2, "queue": 2, "due": 700, "ivl": 20}
    notes = [
        Made(f"g{n}", (f"q{n}", "a"), answers={0: [Given(5)] * (n % 2)}, cards={0: card})
        for n in range(2 * len(columns))
    ]
    updates = [
        f"UPDATE {column} = {value} WHERE {key} IN ({2 * place + 1}, {2 * place + 2});"
        for place, (column, key) in enumerate(columns)
    ]
    made, bundle = read(altered(package(tmp_path / "a.apkg", notes), "".join(updates)))
    assert len(made) == len(notes)
    for card_ in made:
        assert all(0 < (review.days or 1) <= 36_500 for review in card_.items[0].reviews)
    if value == "'abc'":
        said = " ".join(lost.what for lost in bundle.lost)
        assert all(f"can be: {name}." in said for name in ["deck", *_SCHEDULE[1:]])
        assert said.count("1 of its answers hold") == 5


def test_odd_times_are_left_out_and_long_intervals_end(tmp_path: Path) -> None:
    far = (datetime(2999, 1, 1, tzinfo=UTC) - NOW) / timedelta(days=1)
    answers, odd = [Given(-2 * far), Given(3, 3, 5)], {"due": 10**8, "mod": -5}
    note = Made("a", ("q", "a"), answers={0: answers}, cards={0: {"type": 2, "ivl": 5, **odd}})
    path = package(tmp_path / "a.apkg", [note])
    item = read(path)[0][0].items[0]
    assert [review.days for review in item.reviews] == [5]
    assert item.due is None
    for days in ("99999999999", "9223372036854775807", "1e300"):
        (card,), bundle = read(altered(path, f"UPDATE cards SET due = 700, ivl = {days}"))
        assert card.items[0].due is not None
        assert ["ivl" in lost.what for lost in bundle.lost] == [True]


# A card's sides: templates with a note's fields in them.

FIELDS = {"F": "front", "B": "back", "E": "more", "P": '<img src="p.png">', "N": ""}
_RULE = "<hr id=answer>"


@pytest.mark.parametrize(
    ("front", "back", "solution"),
    [
        ("{{F}}", "{{FrontSide}}\n\n<hr id=answer>\n\n{{B}}", "back"),
        ("{{F}}", "<div class=q>{{FrontSide}}</div><hr class=x id='answer'/>{{B}}", "back"),
        ("<b>{{F}}</b>", '<div>{{F}}</div><br><hr id="answer">{{B}}', "back"),
        ("{{F}}{{type:B}}", "{{F}}<hr id=answer>{{type:B}}", "back"),
        ("{{F}}", f"{{{{B}}}}{_RULE}{{{{FrontSide}}}}", "back"),
        ("{{F}}", f"<b>{{{{B}}}}</b>{_RULE}{{{{E}}}}", "**back**\n\n* * *\n\nmore"),
        ("{{F}}", f"<b>{{{{B}}}}</b>{_RULE}{{{{N}}}}", "**back**"),
        ("{{F}}", f"{{{{FrontSide}}}}<p>{{{{B}}}}</p>{_RULE}{{{{E}}}}", "back\n\n* * *\n\nmore"),
        ("{{F}}", f"{{{{P}}}}{_RULE}{{{{B}}}}", "![](p.png)\n\n* * *\n\nback"),
        ("{{F}}", f"{{{{F}}}}{_RULE}{{{{B}}}}{_RULE}{{{{E}}}}", "back\n\n* * *\n\nmore"),
        ("{{F}}", f"{{{{F}}}}{{{{#N}}}}{_RULE}{{{{N}}}}{{{{/N}}}}", "front"),
        ("{{F}}", f"{{{{F}}}}{{{{#E}}}}{_RULE}{{{{B}}}}{{{{/E}}}}", "back"),
        ("{{F}}", f"<!-- {{{{FrontSide}}}}{_RULE} -->{{{{B}}}}", "back"),
        ("{{F}}", "{{FrontSide}}<br>{{B}}", "back"),
        ("{{F}}", "", ""),
    ],
)
def test_only_the_front_is_cut_from_the_back(front: str, back: str, solution: str) -> None:
    assert to_markdown(sides(front, back, FIELDS).back).text == solution


def test_a_hint_is_drawn_after_a_click() -> None:
    made = sides("{{F}} {{hint:E}}{{hint:N}}", "{{FrontSide}}<hr id=answer>{{B}}", FIELDS)
    front = to_markdown(made.front)
    assert (front.text, [(t, m.text) for t, m in front.hidden]) == ("front", [("E", "more")])
    assert made.drawn == {"F", "E", "N", "B"}
    made = sides("{{F}}{{#E}}{{hint:kanji:E}}{{/E}}", "{{kana:B}}", FIELDS)
    assert [(t, m.text) for t, m in to_markdown(made.front).hidden] == [("E", "more")]


# Nothing vanishes without a word.

_CSS = ".card { color: red } .gone, #gone2 { display: none }"
_NAMES = ("A", "B", "C")
_AROUND = (
    *("{}", "<b>{}</b>", "<div>{}</div>", "{}<br>", "<ul><li>{}</ul>", "<td>{}", "<pre>{}</pre>"),
    *('<div style="display: none">{}</div>', '<i class="x gone">{}</i>', "<p id=gone2>{}"),
    *("<p hidden>{}<p>", "<details><summary>more</summary>{}</details>", "<details open>{}"),
    *("<textarea>{}</textarea>", "<noscript>{}</noscript>", "<select><option>{}</select>"),
    *("<template>{}</template>", '<span style="visibility:hidden">{}</span>', "<x-y>{}</x-y>"),
)
_IN_TEMPLATE = (
    *("{{F}}", "{{hint:F}}", "{{#F}}yes{{/F}}", "{{^F}}no{{/F}}", "{{kana:F}}", "{{tts en_US:F}}"),
    *("<div class=gone>{{F}}</div>", "<script>var x = '{{F}}'</script>", "{{type:F}}", ""),
    *("<table><tr><td>{{F}}</table>", "<h1>{{F}}</h1>", "<!-- {{F}} -->", "{{cloze:F}}"),
)


def made_with(
    folder: Path, fields: list[str], *templates: tuple[str, str]
) -> tuple[list[ForeignCard], ImportSource]:
    """What a package of one note is, a card a template."""
    made = [
        {"name": f"Card {n}", "ord": n, "qfmt": front, "afmt": back}
        for n, (front, back) in enumerate(templates)
    ]
    flds = [{"name": name, "ord": n} for n, name in enumerate(_NAMES)]
    models = json.dumps({"1": {"name": "Own", "css": _CSS, "flds": flds, "tmpls": made}})
    note = Made("g", fields, cards={n: {} for n in range(len(templates))})
    sql = "UPDATE col SET models = '{}';".format(models.replace("'", "''"))
    return read(altered(package(folder / "a.apkg", [note]), sql))


@st.composite
def _fields(draw: st.DrawFn) -> list[str]:
    words = (f"word{name}{n}" for name in _NAMES for n in range(3))
    count = st.integers(1, 3)
    fields = []
    for _ in _NAMES:
        text = ""
        for _ in range(draw(count)):
            one = draw(st.sampled_from(_AROUND)).format(next(words))
            text += draw(st.sampled_from(_AROUND)).format(one)
        fields.append(text)
    return fields


_SIDE = st.tuples(*[st.sampled_from(_IN_TEMPLATE)] * 3).map(
    lambda parts: "".join(part.replace("F", name) for part, name in zip(parts, _NAMES, strict=True))
)


@given(_fields(), st.lists(st.tuples(_SIDE, _SIDE), min_size=1, max_size=2))
@example(["wordA0", "wordB0", "wordC0"], [("{{A}}", "{{FrontSide}}<hr id=answer>{{B}}")])
def test_every_word_of_a_field_is_in_a_card_or_reported(
    tmp_path_factory: pytest.TempPathFactory, fields: list[str], templates: list[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.getbasetemp()
    cards, bundle = made_with(folder, fields, *(("{{A}}" + f, b) for f, b in templates))
    shown = "\n".join(f"{card.question}\n{card.solution}" for card in cards)
    said = "\n".join(f"{lost.where} {lost.what}" for lost in bundle.lost)
    for name, text in zip(_NAMES, fields, strict=True):
        for word in {f"word{name}{n}" for n in range(3) if f"word{name}{n}" in text}:
            assert word in shown or f"field '{name}'" in said or (not cards and said)
    for card in cards:
        read_back = parse_card(card_text(card, "x", "", "to_learn", {}))
        assert read_back.solution.strip() == card.solution.strip()


_BACK = "{{FrontSide}}<hr id=answer>"


@pytest.mark.parametrize(
    ("fields", "templates", "question", "solution"),
    [
        (
            ["why", "think", "note"],
            ("{{A}} {{hint:B}} <div class=gone>{{C}}</div>", f"{_BACK}so"),
            "why",
            "so\n\n> [!hint]- B\n> think\n\n> [!info]- C\n> note",
        ),
        (  # What is shown elsewhere is not said twice.
            ["why", "so", "x <b>y</b>"],
            ("{{A}} {{hint:B}}", f"{_BACK}{{{{B}}}}<p hidden>{{{{A}}}}</p><p>{{{{C}}}}"),
            "why",
            "so\n\nx **y**",
        ),
        # A solution that is only hidden is drawn.
        (["why", "so", ""], ("{{A}}", "<p class=gone>{{B}}</p>"), "why", "so"),
    ],
)
def test_the_hidden_is_below_the_solution(
    tmp_path: Path, fields: list[str], templates: tuple[str, str], question: str, solution: str
) -> None:
    ((card,), _) = made_with(tmp_path, fields, templates)
    assert (card.question, card.solution) == (question, solution)


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("<svg><path></svg>", "left out"),
        ("<img src='data:image/png;base64,x'>", "left out"),
        ("x " * 600_000, "'C'"),
    ],
    ids=["a drawing", "data", "too long"],
)
def test_a_field_that_cannot_be_here_is_said(tmp_path: Path, field: str, words: str) -> None:
    (card,), bundle = made_with(tmp_path, ["why", "so", field], ("{{A}}", "{{B}}"))
    assert (card.question, card.solution) == ("why", "so")
    assert [words in lost.what for lost in bundle.lost] == [True]


# Notes of two cards.

LATER = NOW + timedelta(minutes=9)
REVIEW = {"type": 2, "queue": 2, "due": 700, "ivl": 9}


def took(root: Path, extra: str, answered: bool = True) -> Summary:
    """The note is a mirror image where it has no extra."""
    given = {0: [Given(20, 3, 9)], 1: [Given(19, 3, 8)]} if answered else {}
    cards = {0: REVIEW, 1: REVIEW} if answered else {0: {}, 1: {}}
    note = Made("g", ("word", "means", extra), TWO, answers=given, cards=cards)
    return take_in(root, package(root.parent / "a.apkg", [note]))


def shapes(root: Path) -> dict[str, str]:
    return {card.id: card.type for card in Collection.open(root, NOW).cards.values()}


def test_two_cards_stay_two_when_they_become_mirror_images(root: Path) -> None:
    took(root, "more")
    assert shapes(root) == {"word": "basic", "means": "basic"}
    done = took(root, "")
    assert (done.new, done.changed, done.reviews, done.lost) == (0, 1, 0, [])
    assert shapes(root) == {"word": "basic", "means": "basic"}
    assert Collection.open(root, NOW).cards["word"].solution == "means"
    assert (took(root, "").unchanged, took(root, "more").changed) == (2, 1)


@pytest.mark.parametrize("answered", [True, False])
def test_both_ways_become_two_with_their_answers(root: Path, answered: bool) -> None:
    took(root, "", answered)
    deck = Collection.open(root, NOW, "desk")
    deck.rate("word/r", Rating.EASY, LATER, 2000)
    before, count = reviewed(deck, "word/r"), len(deck.answers("word/r"))
    deck.rate("word/r", Rating.AGAIN, LATER + timedelta(minutes=1), 900)
    deck.undo(LATER + timedelta(minutes=2))
    done = took(root, "more", answered)
    assert (done.new, done.changed) == (1, 1)
    assert ["goes on where word/r was" in lost.what for lost in done.lost] == [True]
    assert shapes(root) == {"word": "basic", "means": "basic"}
    deck = Collection.open(root, NOW)
    after = reviewed(deck, "means")
    assert (after.repetitions, after.interval) == (before.repetitions, before.interval)
    assert len(deck.answers("means")) == count, "what was undone here stays undone"
    again = took(root, "more", answered)
    assert (again.unchanged, again.reviews, again.lost) == (2, 0, [])
    assert (took(root, "", answered).changed, len(shapes(root))) == (1, 2)


def test_a_card_that_was_edited_here_goes_on_asking_both_ways(root: Path) -> None:
    assert took(root, "").new == 1
    assert shapes(root) == {"word": "reversed"}
    path = root / "Networks" / "word.md"
    path.write_text(path.read_text().replace("means", "mine"))
    assert (took(root, "").unchanged, took(root, "").reviews) == (1, 0)
    assert took(root, "more").listed == {"kept": ["word"]}
    assert shapes(root) == {"word": "reversed"}
    assert Collection.open(root, NOW).cards["word"].solution == "mine"
