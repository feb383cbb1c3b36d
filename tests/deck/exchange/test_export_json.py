"""JSON holds all: what is read back is what was written."""

from __future__ import annotations

import json
from pathlib import Path

from deck.collection import Collection
from deck.events import Practised
from deck.exchange.export.json import written
from deck.exchange.json import read
from tests.deck.exchange.exporting import AT, CARDS, PNG, exported, make
from tests.deck.exchange.taking import imported
from tests.deck.given import NOON, write_card


def test_the_file_is_one_document_with_a_card_a_line(root: Path, tmp_path: Path) -> None:
    report = exported(make(root), tmp_path / "all.json")
    text = (tmp_path / "all.json").read_text("utf-8")
    value = json.loads(text)
    assert (value["format"], value["version"]) == ("deltadeck", 1)
    assert [card["key"] for card in value["cards"]] == [
        json.loads(line.rstrip(","))["key"] for line in text.splitlines()[1 : len(CARDS) + 1]
    ]
    assert report.counts == {"cards": 5, "items": 8, "answers": 10, "media": 1}
    (chain,) = [card for card in value["cards"] if card["key"] == "chain"]
    assert chain["folder"] == ["ML"]
    assert chain["fields"]["exercise"] == {"layer": "relu"}
    assert chain["media"] == {"figs/plot.png": "plot.png"}
    assert chain["question"].startswith("(3p) For")
    assert chain["items"][0]["reviews"][0]["days"] == 5
    (gaps,) = [card for card in value["cards"] if card["key"] == "gaps"]
    assert gaps["items"][1]["reviews"][0]["wait"] == 600
    assert gaps["items"][2]["practice"][0]["rating"] == 3


def test_it_reads_back_as_it_was(root: Path, tmp_path: Path) -> None:
    deck = make(root)
    exported(deck, tmp_path / "all.json")
    bundle = read(tmp_path / "all.json")
    for card in bundle.cards():
        mine = deck.cards[card.key]
        parts = written(mine)
        assert (card.type, card.solution) == (mine.type, parts.solution)
        assert card.question.replace("plot.png", "figs/plot.png") == parts.question.replace(
            "![[figs/plot.png|a plot]]", "![a plot](figs/plot.png)"
        )
        assert {key: card.fields[key] for key in card.fields} == parts.fields
    with bundle.media["plot.png"]() as file:
        assert file.read() == PNG
    assert not bundle.lost


def test_another_collection_takes_up_cards_and_schedules(root: Path, tmp_path: Path) -> None:
    deck = make(root)
    exported(deck, tmp_path / "all.json")
    (tmp_path / "other").mkdir()
    other, _ = imported(tmp_path / "all.json", tmp_path / "other")
    assert set(other.cards) == set(deck.cards)
    for card_id, card in deck.cards.items():
        again = other.cards[card_id]
        assert (again.type, again.solution, again.options, again.points, again.tags) == (
            *(card.type, card.solution, card.options, card.points, card.tags),
        )
        assert again.exercise == card.exercise
    for item in deck.search("", AT):
        assert other.state(item) == deck.state(item), item
        assert other.is_suspended(item) == deck.is_suspended(item)
        past, again_past = ([e.what for e in d.events(item)] for d in (deck, other))
        assert sum(isinstance(each, Practised) for each in past) == sum(
            isinstance(each, Practised) for each in again_past
        )


def test_text_outside_of_question_and_solution_is_named(root: Path, tmp_path: Path) -> None:
    path = write_card(root, "a")
    path.write_text(path.read_text().replace("# Question", "Some words.\n\n# Question"))
    report = exported(Collection.open(root, NOON), tmp_path / "all.json")
    assert [lost.where for lost in report.lost] == ["a"]


def test_no_card_at_all_is_a_file_too(root: Path, tmp_path: Path) -> None:
    exported(Collection.open(root, NOON), tmp_path / "all.json")
    assert json.loads((tmp_path / "all.json").read_text())["cards"] == []
