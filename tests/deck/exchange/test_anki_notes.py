"""Notes of Anki: templates, what no side shows at once, notes of two cards."""

from __future__ import annotations

import json
import tempfile
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cards.parse import parse_card
from deck.collection import Collection
from deck.exchange.anki.html import hidden_by, to_markdown
from deck.exchange.anki.notes import read, sides
from deck.exchange.apply import take
from deck.exchange.model import ImportSource
from deck.exchange.normalise import card_text
from deck.exchange.plan import Summary, plan
from deck.fsrs import Rating
from deck.replay import Review
from tests.deck.exchange import packages
from tests.deck.exchange.packages import NOW, Given, Made, altered, package

FIELDS = {"F": "front", "B": "back", "E": "more", "P": '<img src="p.png">', "N": ""}
_RULE = "<hr id=answer>"


def both(front: str, back: str) -> tuple[str, str]:
    made = sides(front, back, FIELDS)
    return to_markdown(made.front).text, to_markdown(made.back).text


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
    assert both(front, back)[1] == solution


def test_a_hint_is_drawn_after_a_click() -> None:
    made = sides("{{F}} {{hint:E}}{{hint:N}}", "{{FrontSide}}<hr id=answer>{{B}}", FIELDS)
    front = to_markdown(made.front)
    assert (front.text, [(t, m.text) for t, m in front.hidden]) == ("front", [("E", "more")])
    assert made.drawn == {"F", "E", "N", "B"}
    made = sides("{{F}}{{#E}}{{hint:kanji:E}}{{/E}}", "{{kana:B}}", FIELDS)
    assert [(t, m.text) for t, m in to_markdown(made.front).hidden] == [("E", "more")]


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ('a<div style="display:none">b<div>c</div>d</div>e', "ae"),
        ("a<span hidden>b</span>c", "ac"),
        ("a<span Hidden=''>b<br><img src=x></span>c", "ac"),
        ("a <i style='color:red; VISIBILITY : hidden'>b<b>c</b></i>d", "a d"),
        ("a<img src=x hidden>b<input hidden>c", "abc"),
        ("a<p hidden>b<p>c", "a\n\nc"),
        ("a<div hidden><script>'</div>'</script>b</div>c", "ac"),
        ("a<div hidden>b", "a"),
        ("a<svg style='display:none'><path></svg>b", "ab"),
        ("<div style='overflow:hidden' title='hidden'>a</div>", "a"),
        (
            "<a href='https://x.y/?hidden=display:none'>a</a>",
            "[a](https://x.y/?hidden=display:none)",
        ),
        ("<div style='display:block'>a</div>", "a"),
    ],
)
def test_what_is_not_drawn_is_not_read(html: str, markdown: str) -> None:
    made = to_markdown(html)
    assert (made.text, list(made.media), made.lost) == (markdown, [], [])


@pytest.mark.parametrize("tag", ["svg", "canvas", "object", "embed", "iframe"])
def test_what_is_drawn_and_cannot_be_here_is_said(tag: str) -> None:
    made = to_markdown(f"a<{tag} data=x>b</{tag}>c")
    assert (made.text, [f"<{tag}>" in lost for lost in made.lost]) == ("ac", [True])


_HALF = "<mfrac><mn>1</mn><mn>2</mn></mfrac>"


def test_a_formula_in_mathml_never_says_another() -> None:
    made = to_markdown(f"a <math><mrow>{_HALF}</mrow></math> b")
    assert (made.text, len(made.lost)) == ("a b", 1)
    made = to_markdown("<math><mi>x</mi><mo>=</mo><mn>1</mn></math><sup>2</sup>")
    assert (made.text, made.lost) == ("x=1²", [])


@pytest.mark.parametrize(
    ("attributes", "markdown"), [("", r"a $\frac{1}{2}=x$ b"), ("display='block'", None)]
)
def test_mathml_that_brings_its_latex_is_that(attributes: str, markdown: str | None) -> None:
    tex = '<annotation encoding="application/x-tex">\\frac{1}{2}=x</annotation>'
    made = to_markdown(f"a <math {attributes}><semantics>{_HALF}{tex}</semantics></math> b")
    assert made.text == (markdown or "a\n\n$$\\frac{1}{2}=x$$\n\nb")
    assert made.lost == []


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
    folder: Path, fields: list[str], templates: list[tuple[str, str]], css: str = _CSS
) -> ImportSource:
    """A package of one note, a card a template."""
    made = [
        {"name": f"Card {n}", "ord": n, "qfmt": front, "afmt": back}
        for n, (front, back) in enumerate(templates)
    ]
    flds = [{"name": name, "ord": n} for n, name in enumerate(_NAMES)]
    models = json.dumps({"1": {"name": "Own", "css": css, "flds": flds, "tmpls": made}})
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
@settings(max_examples=60)
@example(["wordA0", "wordB0", "wordC0"], [("{{A}}", "{{FrontSide}}<hr id=answer>{{B}}")])
def test_every_word_of_every_field_is_in_a_card_or_its_field_in_the_report(
    fields: list[str], templates: list[tuple[str, str]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        bundle = made_with(Path(folder), fields, [("{{A}}" + f, b) for f, b in templates])
        cards = list(bundle.cards())
    shown = "\n".join(f"{card.question}\n{card.solution}" for card in cards)
    said = "\n".join(f"{lost.where} {lost.what}" for lost in bundle.lost)
    for name, text in zip(_NAMES, fields, strict=True):
        for word in {f"word{name}{n}" for n in range(3) if f"word{name}{n}" in text}:
            assert word in shown or f"field '{name}'" in said or (not cards and said)
    for card in cards:
        read_back = parse_card(card_text(card, "x", "", "to_learn", {}))
        assert read_back.solution.strip() == card.solution.strip()


def test_what_is_hidden_stands_folded_below_the_solution_and_not_in_the_question(
    tmp_path: Path,
) -> None:
    sides = "{{A}} {{hint:B}} <div class=gone>{{C}}</div>", "{{FrontSide}}<hr id=answer>so"
    (card,) = made_with(tmp_path, ["why", "think", "note"], [sides]).cards()
    assert card.question == "why"
    assert card.solution == "so\n\n> [!hint]- B\n> think\n\n> [!info]- C\n> note"


def test_what_is_shown_elsewhere_is_not_said_twice(tmp_path: Path) -> None:
    front, back = "{{A}} {{hint:B}}", "{{FrontSide}}<hr id=answer>{{B}}<p hidden>{{A}}</p><p>{{C}}"
    (card,) = made_with(tmp_path, ["why", "so", "x <b>y</b>"], [(front, back)]).cards()
    assert (card.question, card.solution) == ("why", "so\n\nx **y**")


def test_a_solution_that_is_only_hidden_is_drawn(tmp_path: Path) -> None:
    (card,) = made_with(tmp_path, ["why", "so", ""], [("{{A}}", "<p class=gone>{{B}}</p>")]).cards()
    assert (card.question, card.solution) == ("why", "so")


@pytest.mark.parametrize("field", ["<svg><path></svg>", "<img src='data:image/png;base64,x'>"])
def test_a_field_that_nothing_shows_and_that_cannot_be_here_is_said(
    tmp_path: Path, field: str
) -> None:
    bundle = made_with(tmp_path, ["a", "b", field], [("{{A}}", "{{B}}")])
    assert len(list(bundle.cards())) == 1
    assert ["left out" in lost.what for lost in bundle.lost] == [True]


def test_a_field_that_would_make_the_card_too_long_is_named(tmp_path: Path) -> None:
    bundle = made_with(tmp_path, ["why", "so", "x " * 600_000], [("{{A}}", "{{B}}")])
    (card,) = bundle.cards()
    assert (card.question, card.solution) == ("why", "so")
    assert ["'C'" in lost.what for lost in bundle.lost] == [True]


@pytest.mark.parametrize(
    ("css", "hidden"),
    [
        (".a { display : none }", {".a"}),
        (".card .a, div.b, #c { VISIBILITY: hidden; }", {".a", "div.b", "#c"}),
        ("<style>.a{display:none}</style>", {".a"}),
        (".a { display: none } .a { display: block }", set()),
        ("@media print { .a { display: none } } .b { display: none }", {".b"}),
        ("@import 'x'; /* .a { display: none } */ .b { display: none }", {".b"}),
        (".a .b, .c:hover, .d > p, body { display: none }", set()),
        (".a { display: none", {".a"}),
        ("}}{ display: none } .a { display: none }", {".a"}),
        ("x" * 300_000 + "display:none" + "@{" * 30_000, set()),
    ],
)
def test_a_style_sheet_hides_what_it_never_draws(css: str, hidden: set[str]) -> None:
    assert hidden_by(css) == hidden


TWO = 7
SIDES = [("a", "{{W}}", "{{M}}{{#E}}<br>{{E}}{{/E}}"), ("b", "{{M}}", "{{W}}")]
LATER = NOW + timedelta(minutes=9)
REVIEW = {"type": 2, "queue": 2, "due": 700, "ivl": 9}


@pytest.fixture(autouse=True)
def _two(monkeypatch: pytest.MonkeyPatch) -> None:
    types = {**packages.TYPES, TWO: ("Two", 0, ["W", "M", "E"], SIDES)}
    monkeypatch.setattr(packages, "TYPES", types)


def took(root: Path, extra: str, answered: bool = True, now: datetime = NOW) -> Summary:
    """The note is a mirror image where it has no extra."""
    given = {0: [Given(20, 3, 9)], 1: [Given(19, 3, 8)]} if answered else {}
    cards = {0: REVIEW, 1: REVIEW} if answered else {0: {}, 1: {}}
    note = Made("g", ("word", "means", extra), TWO, answers=given, cards=cards)
    path = package(root.parent / "a.apkg", [note])
    return take(plan(read(path), Collection.open(root, now, "desk"), now))


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
def test_a_card_that_asked_both_ways_becomes_two_with_its_answers(
    root: Path, answered: bool
) -> None:
    took(root, "", answered)
    deck = Collection.open(root, NOW, "desk")
    deck.rate("word/r", Rating.EASY, LATER, 2000)
    before = deck.state("word/r")
    assert isinstance(before, Review)
    done = took(root, "more", answered)
    assert (done.new, done.changed) == (1, 1)
    assert ["goes on where word/r was" in lost.what for lost in done.lost] == [True]
    assert shapes(root) == {"word": "basic", "means": "basic"}
    deck = Collection.open(root, NOW, "desk")
    after = deck.state("means")
    assert isinstance(after, Review)
    assert after.repetitions == before.repetitions
    assert after.interval == before.interval
    assert len(deck.answers("means")) == len(deck.answers("word/r"))
    again = took(root, "more", answered)
    assert (again.unchanged, again.reviews, again.lost) == (2, 0, [])
    assert (took(root, "", answered).changed, len(shapes(root))) == (1, 2)


def test_what_was_undone_here_stays_undone(root: Path) -> None:
    took(root, "", answered=False)
    deck = Collection.open(root, NOW, "desk")
    deck.rate("word/r", Rating.EASY, LATER, 2000)
    deck.undo(LATER + timedelta(minutes=1))
    took(root, "more", answered=False)
    assert Collection.open(root, NOW).answers("means") == []


def test_a_card_that_was_edited_here_goes_on_asking_both_ways(root: Path) -> None:
    took(root, "")
    path = root / "Networks" / "word.md"
    path.write_text(path.read_text().replace("means", "mine"))
    done = took(root, "more")
    assert (done.new, done.kept, done.listed["kept"]) == (0, 1, ["word"])
    assert shapes(root) == {"word": "reversed"}
    assert Collection.open(root, NOW).cards["word"].solution == "mine"


def test_a_package_without_extra_makes_one_card(root: Path) -> None:
    assert took(root, "").new == 1
    assert shapes(root) == {"word": "reversed"}
    assert (took(root, "").unchanged, took(root, "").reviews) == (1, 0)
