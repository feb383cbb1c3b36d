"""One file, whole or not at all; names of pictures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import IO

import pytest

from deck.collection import Collection
from deck.exchange.export.formats import export, format_of, whole_file
from deck.exchange.export.source import MediaNames, Pictures, Source, media_name
from deck.exchange.model import ExchangeError
from tests.deck.exchange.exporting import AT, PNG, exported, make
from tests.deck.given import NOON, write_card


def test_what_stops_half_way_leaves_nothing(tmp_path: Path) -> None:
    def write(file: IO[bytes]) -> None:
        file.write(b"half")
        raise RuntimeError

    path = tmp_path / "a.json"
    path.write_text("before")
    with pytest.raises(RuntimeError), whole_file(path, force=True) as file:
        write(file)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_there_stays(root: Path, tmp_path: Path) -> None:
    deck = make(root)
    path = tmp_path / "a.json"
    path.write_text("mine")
    source = Source(deck, AT)
    with pytest.raises(ExchangeError, match="--force"):
        export(source, path, format_of(path), lambda *_: None)
    assert path.read_text() == "mine"
    with pytest.raises(ExchangeError, match="is a folder"):
        export(source, tmp_path, format_of(path), lambda *_: None, force=True)
    with pytest.raises(ExchangeError, match="there is no folder"):
        export(source, tmp_path / "no" / "a.csv", format_of(path), lambda *_: None)
    with pytest.raises(ExchangeError, match="taken for one"):
        export(source, root / "all.md", format_of(path), lambda *_: None)


def test_the_draft_of_a_package_goes_away(root: Path, tmp_path: Path) -> None:
    exported(make(root), tmp_path / "a.apkg")
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ""] == ["a.apkg"]
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_pictures_are_looked_for_beside_the_card_then_anywhere(root: Path) -> None:
    card = root / "a" / "card.md"
    for place in ("a/one.png", "one.png", "b/c/two.png", ".hidden/three.png"):
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_bytes(PNG)
    pictures = Pictures(root)
    assert pictures.find("one.png", card).path == root / "a" / "one.png"
    assert pictures.find("b/c/two.png", card).path == root / "b" / "c" / "two.png"
    assert pictures.find("TWO.png#right", card).path == root / "b" / "c" / "two.png"
    assert pictures.find("three.png", card).path is None


@pytest.mark.parametrize(
    "target",
    [
        "../secret.png", "/etc/passwd", "%2e%2e/secret.png", "file:///etc/passwd", "~/x.png", "",
        "https://example.org/x.png", "//example.org/x.png", "data:image/png;base64,AA", "a\0b",
    ],
)  # fmt: skip
def test_nothing_outside_is_taken(root: Path, target: str) -> None:
    (root.parent / "secret.png").write_bytes(PNG)
    found = Pictures(root).find(target, root / "card.md")
    assert found.path is None
    assert found.why


def test_a_link_does_not_carry_a_private_file_away(root: Path, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("private")
    (root / "plot.png").symlink_to(tmp_path / "key")
    write_card(root, "a", "![](plot.png)")
    for name in ("a.html", "a.json", "a.apkg"):
        report = exported(Collection.open(root, NOON), tmp_path / name)
        assert "leaves the collection" in report.lost[0].what
        assert b"private" not in (tmp_path / name).read_bytes()


def test_names_of_media_are_flat_safe_and_told_apart(root: Path) -> None:
    names = MediaNames()
    first, second = names.name(root / "a" / "x.png"), names.name(root / "b" / "X.png")
    assert first == "x.png"
    assert second != first
    assert second.endswith(".png")
    assert names.name(root / "b" / "X.png") == second
    assert media_name('a/b\\c:d"e.png') == "a_b_c_d_e.png"
    assert len(media_name("é" * 300 + ".png").encode()) <= 120
    assert media_name("...") == "picture"


def test_an_unreadable_card_is_told_and_the_rest_is_there(root: Path, tmp_path: Path) -> None:
    write_card(root, "a")
    (root / "bad.md").write_text("---\nid: [\n---\n# Question\nx\n")
    report = exported(Collection.open(root, NOON), tmp_path / "a.csv")
    assert report.counts == {"cards": 1}
    assert [lost.where for lost in report.lost] == ["bad.md"]


def test_a_refusal_names_the_file_that_was_asked_for(root: Path, tmp_path: Path) -> None:
    path = tmp_path / ("x" * 245 + ".json")  # its draft has too long a name, to be made or removed
    with pytest.raises(ExchangeError, match="^" + re.escape(f"{path}: it cannot be written")):
        exported(make(root), path)
