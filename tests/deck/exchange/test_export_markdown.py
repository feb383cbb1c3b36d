"""One Markdown file: it splits into the card files that it was made of."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deck.exchange.bundle import ExchangeError
from deck.exchange.export.markdown_file import CardFile, joined, split
from tests.deck.exchange.exporting import CARDS, exported, make

_TEXTS = st.lists(
    st.sampled_from(
        ["---", "id: a", "```", "````yaml", "# Question", "", "x", "--- ", "a: |", "  ```", "\r"]
    )
).map("\n".join)


def test_the_file_splits_into_the_cards_files(root: Path, tmp_path: Path) -> None:
    deck = make(root)
    exported(deck, tmp_path / "all.md")
    text = (tmp_path / "all.md").read_bytes().decode()
    found = {card.path: card.text for card in split(text)}
    assert found == {name: (root / name).read_bytes().decode() for name in CARDS}
    assert "```yaml\nid: chain" in text


@given(st.lists(st.tuples(st.text(st.characters(codec="utf-8"), min_size=1), _TEXTS)))
def test_any_cards_split_again(cards: list[tuple[str, str]]) -> None:
    files = [CardFile(path, text) for path, text in cards]
    assert list(split("".join(map(joined, files)))) == files


@given(_TEXTS)
def test_a_card_that_holds_such_a_file_stays_one(text: str) -> None:
    inner = CardFile("b.md", joined(CardFile("a.md", text)))
    assert list(split(joined(inner))) == [inner]


def test_a_file_that_was_cut_is_refused() -> None:
    text = joined(CardFile("a.md", "---\nid: a\n---\n# Question\nx\n"))
    with pytest.raises(ExchangeError, match=r"a\.md should have"):
        list(split(text[:-12]))
    with pytest.raises(ExchangeError, match="was changed"):
        list(split(text.replace('"lines": ', '"lines": x')))
