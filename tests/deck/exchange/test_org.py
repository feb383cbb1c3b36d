"""org-fc: cards in Org files, their schedules, and Org's marks as Markdown."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cards.markdown import parser
from deck.exchange.org import OrgMarkup
from tests.deck.exchange.foreign import cases, read, saved

#: A file of org-fc's with a card of each type, and its table of answers.
THEIRS = Path(__file__).parent / "org"
DEMO, ANSWERS = ((THEIRS / name).read_text() for name in ("Demo.org", "org-fc-reviews.tsv"))
CLOZE = "* T :fc:\n:PROPERTIES:\n:FC_TYPE: cloze\n:END:\n"


def markdown(text: str) -> str:
    return OrgMarkup([]).markdown(text)


def test_cards_are_headings_with_the_tag_and_their_schedules(root: Path) -> None:
    cards, _ = read(saved(root, "org", DEMO, "Demo.org"))
    minus = "It is **minus one**.\n\n### Source\nEuler, *Introductio*."
    style = "What is the name of this style of card?", "This card uses the `compact` style."
    cloze = "Cloze\n\nA {{c1::cloze **deletion**}} has {{c2::$\\frac{a}{b}$::a fraction}}."
    assert [(card.key, card.type, card.question, card.solution) for card in cards] == [
        ("9f80ab65", "basic", "Normal card\n\nWhat is \\(e^{i\\pi}\\)?", minus),
        ("9ecfadf9", "basic", *style),
        ("855253c7", "reversed", "Double\n\nOne side.", "The other."),
        ("2ffc8b34", "cloze", cloze, ""),
    ]
    assert cards[0].fields["tags"] == ["maths", "analysis"]
    assert {card.folder for card in cards} == {("Demo",)}
    (item,), none, double, holes = (card.items for card in cards)
    assert item.reviews[0].days == 107
    assert item.due == datetime(2020, 4, 7, 1, 1, tzinfo=UTC)
    assert not none, "not answered yet"
    assert double[0].reviews[0].at == datetime(2026, 2, 1, 8, tzinfo=UTC)
    assert (double[0].reviews[0].days, double[1].reviews) == (10, ())
    assert {item.suffix: item.reviews[0].days for item in holes} == {"/c1": 6, "/c2": 8}


def test_the_table_of_answers_is_read(root: Path) -> None:
    saved(root, "", f"{ANSWERS}torn\n", "org-fc-reviews.tsv")
    cards, found = read(saved(root, "org", DEMO))
    first, second = cards[3].items
    told = [(each.rating, each.days, each.milliseconds) for each in first.reviews]
    assert told == [(1, None, 12340), (3, 1, 3000), (4, 6, 3000)]
    assert len(second.reviews) == 1
    assert "1 of its lines" in found.lost[0].what


@pytest.mark.parametrize(("text", "expected"), cases("org"))
def test_org_becomes_markdown(text: str, expected: str) -> None:
    assert markdown(text) == expected


KINDS = {"*": "strong", "/": "em", "_": "em", "+": "s", "=": "code", "~": "code"}


def marked(kind: str, inner: str) -> str:
    """In signs that stand in no text."""
    return f"\ue010{kind}\ue011{inner}\ue012"


def as_org(text: str, within: tuple[str, ...] = ()) -> str:
    """Org's rule, a character at a time (org-element--parse-generic-emphasis, and at most one line
    feed in a body): what begins first is one, and ends where it first may."""
    found, at = "", 0
    while at < len(text):
        end = closing(text, at)
        if not end:
            found += text[at]
            at += 1
            continue
        kind, body = KINDS[text[at]], text[at + 1 : end]
        if kind == "code":
            found += marked(kind, body.replace("\n", " "))
        elif kind in within:
            found += as_org(body, within)
        else:
            found += marked(kind, as_org(body, (*within, kind)))
        at = end + 1
    return found


def closing(text: str, at: int) -> int:
    sign, before = text[at], text[at - 1 : at]
    if sign not in KINDS or before not in ("", *" \n\t-–—('\"{"):
        return 0
    for end in range(at + 2, len(text)):
        body, behind = text[at + 1 : end], text[end + 1 : end + 2]
        bare = text[end] == sign and not body[0].isspace() and not body[-1].isspace()
        ends = behind in ("", *" \n\t-–—.,;:!?'\")}[\\") and body.count("\n") < 2
        if bare and ends:
            return end
    return 0


def as_markdown(text: str) -> str:
    """What our parser reads in a text of one paragraph."""
    opened, inline, end = parser().parse(text)
    assert (opened.type, end.type) == ("paragraph_open", "paragraph_close")
    found = ""
    for token in inline.children or []:
        if token.type == "code_inline":
            found += marked("code", token.content)
        elif token.type in ("softbreak", "hardbreak"):
            found += "\n"
        elif token.nesting:
            begin, _, end_sign = marked(token.type.removesuffix("_open"), "\n").partition("\n")
            found += begin if token.nesting == 1 else end_sign
        else:
            assert token.type in ("text", "text_special"), token
            found += token.content
    return found


#: No letter follows a backslash (an entity), and nothing is a link or a formula.
PIECES = [
    *"ab1*/_+=~`<>&;#!(){}[]|.,-'\" \né数—^",
    *("word", "&amp;", "ab*cd", "a_b", " =", "= ", " *", "* ", " /", "/ ", "``", "~~", "**"),
    *("__", "\\_", "\\*", "5$ ", "<b>", "](x)"),
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=24).map("".join)


def paragraph(text: str) -> str:
    """One that begins no block in either language."""
    lines = [f"w {' '.join(line.split(' '))}".rstrip(" ") for line in text.split("\n")]
    return "\n".join(line for line in lines)


@given(TEXTS)
@example("=a= and =b=")
@example("*A* and *B*")
@example("/i/ _u_ +s+ ~c~ *b* =v=")
@example("*/_+*a*+_/* +a +b+ c+ /a /b/ c/")
@example("*a\nb* *a\nb\nc* =a\n b= a* b * c *d*e *f*g* h*")
@example("=`= ~``a`~ =*a*= =a\\= `b` a*b*c _a b_c_ \\ end")
@example("*a =b* c= d* _x_ __y__ ***z***")
def test_a_paragraph_of_org_says_the_same_in_markdown(text: str) -> None:
    text = paragraph(text)
    assert as_markdown(markdown(text)) == as_org(text), markdown(text)


@pytest.mark.parametrize(("text", "question"), cases("org_holes"))
def test_holes_are_clozes(root: Path, text: str, question: str) -> None:
    (card,), _ = read(saved(root, "org", f"{CLOZE}{text}\n"))
    assert card.question == f"T\n\n{question}"


def test_cards_may_stand_in_cards(root: Path) -> None:
    text = "* Outer :fc:\nBody.\n** Inner :fc:\nInside.\n*** Note\nMore.\n** Plain\nText.\n"
    outer, inner = read(saved(root, "org", text))[0]
    assert outer.solution == "Body.\n\n### Plain\nText."
    assert inner.solution == "Inside.\n\n### Note\nMore."
    deep = "".join(f"{'*' * level} H\n" for level in range(2, 1200))
    assert read(saved(root, "org", f"* Outer :fc:\n{deep}"))[0][0].solution.count("H") == 1198


def test_a_link_to_a_picture_is_one_and_holes_in_code_keep_the_code(root: Path) -> None:
    saved(root, "", b"1", "x.png")
    source = "#+begin_src awk\n  {{*x*}@0} { y; }\n#+end_src\n"
    text = f"* Q :fc:\n[[file:./x.png]]\n{CLOZE}{source}"
    (card, code), _ = read(saved(root, "org", text))
    assert (card.solution, card.media) == ("![](x.png)", ("x.png",))
    assert code.question == "T\n\n```awk\n{{c1::*x*}} { y; }\n```"
