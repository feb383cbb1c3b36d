"""Obsidian's Spaced Repetition plugin: its cards, decks and schedules."""

from __future__ import annotations

import json
import unicodedata
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deck.exchange.model import ForeignCard, ForeignItem, Losses
from deck.exchange.normalise import finished
from deck.exchange.obsidian import Note, Settings, deck_of
from tests.deck.exchange.foreign import cases, imported, read, reviewed, saved
from tests.deck.given import NOON

BIOLOGY = """\
---
tags: [biology, flashcards/science]
---
# The cell

What makes ATP?::The mitochondria
<!--SR:!2023-10-16,4,270-->

- Powerhouse:::Mitochondrion ^abc-1
<!--SR:!2023-10-16,4,270!2000-01-01,1,250-->

As per the definition
of "multiline"
?
same goes for
the answer

front
??
back
<!--SR:!2024-01-02,10,250!2024-02-03,30,250-->

Kaleida, funded to the tune of ==$40 million==^[USD]
in ==1991==^[year]
<!--SR:!2024-05-01,30,250-->

```python
x = "no::card"
==no==
```

`inline::code` and $a==b$ hide nothing, and this is no card.

<!--
Out::of sight
-->
"""


_KALEIDA = "funded to the tune of {{c1::$40 million::USD}}\nin {{c2::1991::year}}"


def note(text: str, told: Settings | None = None) -> tuple[list[ForeignCard], Losses]:
    lost = Losses()
    cards = Note("a.md", (), text, told or Settings(), lost).drafts()
    found = [finished(card, lost) for card in cards]
    return [card for card in found if card is not None], lost


def sides(text: str, told: Settings | None = None) -> list[tuple[str, str, str]]:
    return [(card.type, card.question, card.solution) for card in note(text, told)[0]]


def due(item: ForeignItem) -> date:
    """The day on which an item is due there, by its last answer."""
    review = item.reviews[-1]
    return date.fromordinal(review.at.date().toordinal() + (review.days or 0))


def test_a_note_is_read_with_the_schedules_of_its_items() -> None:
    assert sides(BIOLOGY) == [
        ("basic", "What makes ATP?", "The mitochondria"),
        ("reversed", "Powerhouse", "Mitochondrion"),
        ("basic", 'As per the definition\nof "multiline"', "same goes for\nthe answer"),
        ("reversed", "front", "back"),
        ("cloze", f"Kaleida, {_KALEIDA}", ""),
    ]
    cards, lost = note(BIOLOGY)
    found = {
        card.question[:8] + item.suffix: (due(item), item.reviews[0].days, item.reviews[0].rating)
        for card in cards
        for item in card.items
    }
    assert found == {
        "What mak": (date(2023, 10, 16), 4, 3),
        "Powerhou": (date(2023, 10, 16), 4, 3),
        "front": (date(2024, 1, 2), 10, 3),
        "front/r": (date(2024, 2, 3), 30, 3),
        "Kaleida,/c1": (date(2024, 5, 1), 30, 3),
    }
    assert not lost
    text = "#flashcards\nQ::A <!--SR:!fsrs,2025-03-01T10:00:00.000Z,7,7.1,5.2,2,3,0,0,-->\n"
    (card,), lost = note(text)
    assert (card.solution, card.items[0].reviews[0].days, lost) == ("A", 7, [])


@pytest.mark.parametrize(
    ("text", "decks"),
    [
        ("#flashcards\nQ::A\n", ["flashcards"]),
        ("#flashcards/deckA\nQ::A\n\n#flashcards/deckB/sub\nR::B\n", ["deckA", "deckB/sub"]),
        ("#flashcards/A\nQ::A\n\n#flashcards/B R::B\n\nS::C\n", ["A", "B", "A"]),
        ("Q::A\n\n#flashcards/late\n", ["late"]),
        ("#flashcards/A\nQ\n?\nA\n", ["A"]),
        ("---\ntags: flashcards/front other\n---\nQ::A\n", ["front"]),
        ("#flashcards/words #flashcards/tv/quiz\nA group of cats::clowder\n", ["words"]),
    ],
)
def test_tags_are_decks(text: str, decks: list[str]) -> None:
    cards, _ = note(text)
    assert ["/".join(card.folder) for card in cards] == decks
    assert not any("#" in card.question for card in cards)
    if "quiz" in text:
        assert cards[0].fields["tags"] == ["tv/quiz"], "a second deck is a tag"


PARTS = st.one_of(
    st.sampled_from(
        ["数学", "ěščř", "🧠", "👩\u200d🔬", "a-b", "c_d", "हिन्दी", "y2024", "É", "ß1"]
    ),
    st.text(st.characters(categories=("L", "Mn", "So")), min_size=1, max_size=5).map(
        lambda text: unicodedata.normalize("NFC", "x" + text)
    ),
)
TAGS = st.lists(PARTS, min_size=1, max_size=3).map("/".join)


@given(tag=TAGS, deck=TAGS, beside=TAGS)
def test_a_tag_of_any_script_names_a_deck_wherever_it_stands(
    tag: str, deck: str, beside: str
) -> None:
    told = Settings(tags=(tag,))
    folder = (deck.split("/")[0], *deck.split("/")[1:])
    other = f"o{beside}"
    for text in (
        f"#{tag}/{deck}\nQ::A\n",
        f"Some words, (#{tag}/{deck}), and more.\n\nQ::A\n",
        f"Q::A\n\n* #{unicodedata.normalize('NFD', tag)}/{deck}\n",
        f"#{tag}/{deck} Q::A\n",
    ):
        cards, lost = note(text, told)
        assert [(card.question, card.folder) for card in cards] == [("Q", folder)], text
        assert not lost
    for front in (
        f'["{other}", "{tag}/{deck}"]', f'"#{other} #{tag}/{deck}"', f"{other}, {tag}/{deck}",
        f"\n  - {other}\n  - '#{tag}/{deck}'",
    ):  # fmt: skip
        (card,), _ = note(f"---\ntags: {front}\n---\nQ::A\n", told)
        expected = [] if deck_of(other, (tag,)) else [other]
        assert (card.folder, card.fields["tags"]) == (folder, expected), front


@given(tag=TAGS)
def test_what_only_looks_like_a_tag_is_none(tag: str) -> None:
    told = Settings(tags=(tag, "123", "2024/12"))
    for text in (
        f"# {tag}\n\nQ::A\n", f"##{tag} x\n\nQ::A\n", f"see https://x.org/#{tag}\n\nQ::A\n",
        f"[there](#{tag})\n\nQ::A\n", f"[[note#{tag}]]\n\nQ::A\n", f"a#{tag}\n\nQ::A\n",
        f"``` sh\n #{tag}\n```\n\nQ::A\n", f"````\n```\n #{tag}\n````\n\nQ::A\n",
        f"~~~\n```\n #{tag}\n~~~\n\nQ::A\n", f"$a + #{tag}$ and ` #{tag} `\n\nQ::A\n",
        f"$$\na\n #{tag}\n$$\n\nQ::A\n", "#123 #2024/12\n\nQ::A\n", f"\\#{tag}\n\nQ::A\n",
    ):  # fmt: skip
        assert note(text, told) == ([], []), text


@given(tags=st.lists(TAGS, min_size=1, max_size=3, unique_by=str.casefold))
@settings(max_examples=8)  # each is a whole import
def test_tags_of_any_script_are_listed_and_found(
    tags: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    listed = "".join(f"  - '{tag}'\n" for tag in tags)
    text = f"---\ntags:\n  - flashcards\n{listed}---\nQ::A\n"
    vault = saved(tmp_path_factory.mktemp("vault"), "obsidian", text)
    deck, _ = imported(vault, tmp_path_factory.mktemp("cards"))
    (card,) = deck.cards.values()
    assert card.tags == tuple(tags)
    for tag in tags:
        assert deck.search(f'tag:"{tag}"', NOON) == [card.id]


@pytest.mark.parametrize(("text", "question"), cases("obsidian"))
def test_what_is_marked_is_hidden(text: str, question: str) -> None:
    assert sides(f"#flashcards\n\n{text}\n") == [("cloze", question, "")]


def test_colons_in_what_is_hidden_end_nothing() -> None:
    found = sides("#flashcards\nIn ==std::vector== it\n", Settings(line=";;;"))
    assert found == [("cloze", r"In {{c1::std:\:vector}} it", "")]


def test_the_vault_s_own_settings_count(root: Path) -> None:
    told = {
        "flashcardTags": ["#cards"],
        "clozePatterns": ["**[123;;]answer[;;hint]**", "<<answer>>"],
        "singleLineCardSeparator": ";;",
        "multilineCardEndMarker": "+++",
        "noteFoldersToIgnore": ["templates/**"],
    }
    place = ".obsidian/plugins/obsidian-spaced-repetition/data.json"
    saved(root, "", json.dumps({"settings": told}), place)
    text = "#cards/x\nQ;;A\n\n==no==\n\n**yes**\n+++\n\nF\n?\none\n\ntwo\n+++\nafter\n"
    saved(root, "obsidian", text)
    saved(root, "", "#cards\nQ;;A\n", "templates/t.md")
    cards, bundle = read(root)
    assert [(card.question, card.solution, card.folder) for card in cards] == [
        ("Q", "A", ("x",)),
        ("{{c1::yes}}", "", ("x",)),
        ("F", "one\n\ntwo", ("x",)),
    ]
    assert "<<answer>>" in bundle.lost[0].what


def test_a_note_that_is_reviewed_as_a_whole_is_a_card(root: Path) -> None:
    front = "---\nsr-due: 2024-07-01\nsr-interval: 3\nsr-ease: 269\ntags: [review, maths]\n---\n"
    (card,), _ = read(saved(root, "", f"{front}Text.\n", "Chain rule.md"))
    assert (card.question, card.solution, card.wanted_id) == ("Chain rule", "Text.", "chain_rule")
    assert (due(card.items[0]), card.items[0].reviews[0].days) == (date(2024, 7, 1), 3)
    assert card.fields["tags"] == ["maths"]


def test_keys_are_the_block_s_name_or_what_it_says() -> None:
    before, after = (
        {card.question: card.key for card in note(text)[0]}
        for text in (BIOLOGY, "Intro.\n\n" + BIOLOGY.replace("2023-10-16", "2024-10-16"))
    )
    assert before == after or set(after) <= set(before)
    assert before["Powerhouse"] == "^abc-1"
    assert len(set(before.values())) == len(before)


@pytest.mark.parametrize("due", ["2026-12-24", "2026-11-20", "2026-12-11", "2026-11-22"])
def test_a_card_is_due_on_its_day_however_long_its_interval(root: Path, due: str) -> None:
    lines = [f"q{days}::a <!--SR:!{due},{days},250-->\n" for days in (1, 20, 36500)]
    deck, done = imported(saved(root.parent, "obsidian", "#flashcards\n" + "\n".join(lines)), root)
    assert [lost.where for lost in done.lost if "left out" in lost.what] == ["flashcards: q36500"]
    for days in (1, 20, 36500):
        assert reviewed(deck, f"q{days}").due_day == date.fromisoformat(due)
