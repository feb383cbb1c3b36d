"""Notes of Anki: templates, what no side shows at once, notes of two cards."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cards.parse import parse_card
from deck.collection import Collection
from deck.exchange.anki.html import to_markdown
from deck.exchange.anki.notes import sides
from deck.exchange.model import ForeignCard, ImportSource
from deck.exchange.normalise import card_text
from deck.exchange.plan import Summary
from deck.fsrs import Rating
from tests.deck.exchange import packages
from tests.deck.exchange.foreign import read, reviewed, take_in
from tests.deck.exchange.packages import NOW, Given, Made, altered, package

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

TWO = 7
SIDES = [("a", "{{W}}", "{{M}}{{#E}}<br>{{E}}{{/E}}"), ("b", "{{M}}", "{{W}}")]
LATER = NOW + timedelta(minutes=9)
REVIEW = {"type": 2, "queue": 2, "due": 700, "ivl": 9}


@pytest.fixture(autouse=True)
def _two(monkeypatch: pytest.MonkeyPatch) -> None:
    types = {**packages.TYPES, TWO: ("Two", 0, ["W", "M", "E"], SIDES)}
    monkeypatch.setattr(packages, "TYPES", types)


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
