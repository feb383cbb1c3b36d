"""What is said of the pictures of a card."""

from __future__ import annotations

from pathlib import Path

from deck.collection import Collection
from tests.deck.given import NOON, write_card
from tui.commands.lint import Checker

THERE = ("sp ace.png", "a_(1).png", "br.png", "r.png")


def said(root: Path, question: str) -> list[str]:
    write_card(root, "a", question=question, type="basic")
    deck = Collection.open(root, NOON)
    return [problem.message for problem in Checker(deck).problems(deck.cards["a"], None)]


def test_no_picture_that_is_there_is_missed(tmp_path: Path) -> None:

    for name in THERE:
        (tmp_path / name).write_bytes(b"")
    shown = "![](<sp ace.png>) ![x](a_(1).png 't') ![a [b]](br.png) ![r][ref]\n\n[ref]: r.png"
    assert not said(tmp_path, shown)


def test_one_that_is_not_is_named_whole(tmp_path: Path) -> None:
    messages = said(tmp_path, "![](<no ne.png>) ![](two words.png) <img src=x.png>")
    assert "There is no picture `no ne.png`." in messages
    assert any("`two words.png` is not read" in message for message in messages)
    assert len(messages) == 2
