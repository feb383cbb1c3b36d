"""Pictures that notes show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cards import parse_card
from cards.links import embeds
from deck.collection import Collection
from deck.exchange import hashcards, obsidian, table
from deck.exchange import json as json_cards
from deck.exchange.model import ForeignCard, ImportSource
from tests.deck.exchange.exporting import AT, PNG, exported
from tests.deck.exchange.taking import imported

FORMS = {
    "Screenshot (1).png": "![](Screenshot%20(1).png)",
    "br.png": "![a [b]](br.png)",
    "one.png": "![a](one.png 'title')",
    "two.png": '![a](two.png "title")',
    "sp ace.png": "![n](<sp ace.png>)",
    "r.png": "![r][ref]",
    "a_(b).png": "![x](a_(b).png)",
    "h.png": '<img alt="of it" src="h.png">',
}
QUESTION = " ".join(FORMS.values())
DEFINED = "Because.\n\n[ref]: r.png"


def files(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in FORMS:
        (folder / name).write_bytes(PNG)


def write(root: Path, question: str, solution: str) -> None:
    root.mkdir(parents=True, exist_ok=True)
    text = f"---\nid: all\n---\n\n# Question\n{question}\n\n---\n\n# Solution\n{solution}\n"
    (root / "all.md").write_text(text, "utf-8")


def read(program: str, root: Path) -> tuple[ForeignCard, ImportSource]:
    files(root)
    if program == "table":
        quoted = QUESTION.replace('"', '""')
        (root / "v.csv").write_text(f'question,answer\n"{quoted}","{DEFINED}"\n', "utf-8")
        bundle = table.read(root / "v.csv")
    elif program == "obsidian":
        text = f"#flashcards\n{QUESTION}\n?\nBecause.\n\n[ref]: r.png\n"
        (root / "v.md").write_text(text, "utf-8")
        bundle = obsidian.read(root)
    elif program == "hashcards":
        (root / "v.md").write_text(f"Q: {QUESTION}\nA: {DEFINED}\n", "utf-8")
        bundle = hashcards.read(root)
    else:
        (root / "v.json").write_text(json.dumps([{"question": QUESTION, "answer": DEFINED}]))
        bundle = json_cards.read(root / "v.json")
    (card,) = bundle.cards()
    return card, bundle


@pytest.mark.parametrize("program", ["table", "obsidian", "hashcards", "json"])
def test_every_form_comes_in(root: Path, program: str) -> None:
    card, bundle = read(program, root)
    assert set(card.media) == set(bundle.media) == set(FORMS)
    assert [each.name for each in embeds(card.question)] == list(FORMS)
    assert "![of it](h.png)" in card.question
    assert not bundle.lost


def test_they_are_in_the_files_that_are_written(root: Path, tmp_path: Path) -> None:
    read("table", tmp_path / "in")
    imported(tmp_path / "in" / "v.csv", root)
    (path,) = [path for path in root.rglob("*.md") if ".deltadeck" not in path.parts]
    card = parse_card(path.read_text("utf-8"))
    names = [each.name for each in embeds(card.question)]
    assert len(names) == len(FORMS)
    assert all((path.parent / name).is_file() or (root / name).is_file() for name in names)


@pytest.mark.parametrize(
    "text", ["![](two words.png)", "![a][nowhere]", '<img src="https://example.org/a.png">']
)
def test_what_is_no_picture_is_said(root: Path, text: str) -> None:
    written = text.replace('"', '""')
    (root / "v.csv").write_text(f'question,answer\n"{written}",a\n', "utf-8")
    bundle = table.read(root / "v.csv")
    (card,) = bundle.cards()
    (lost,) = bundle.lost
    assert card.question == text
    assert lost.where == "v.csv:2"


def test_json_takes_every_form_along(root: Path, tmp_path: Path) -> None:
    files(root)
    write(root, QUESTION, DEFINED)
    report = exported(Collection.open(root, AT), tmp_path / "all.json")
    assert not report.lost
    bundle = json_cards.read(tmp_path / "all.json")
    (card,) = bundle.cards()
    assert set(card.media) == set(FORMS)
    assert not bundle.lost


def test_json_says_what_shows_no_picture(root: Path, tmp_path: Path) -> None:
    write(root, "![](two words.png) <img src=no.png>", "x")
    report = exported(Collection.open(root, AT), tmp_path / "all.json")
    (lost,) = report.lost
    assert "two words.png" in str(lost)
