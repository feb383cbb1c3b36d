"""The page for printing."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from zipfile import ZipFile

import pytest

from deck.collection import Collection
from tests.deck.exchange.exporting import AT, exported, make
from tests.deck.given import NOON, write_card

#: Attributes that make a browser ask for something.
_ASKING = {"src", "href", "srcset", "action", "data", "poster", "background", "formaction"}
_VOID = {"meta", "img", "br", "hr"}


class Seen(HTMLParser):
    """What a page holds, and that each element is closed where it was opened."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.asked: list[str] = []
        self.words: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.open += [] if tag in _VOID else [tag]
        for name, value in attrs:
            assert not name.startswith("on"), (tag, name)
            if name in _ASKING:
                self.asked.append(value or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def page(deck: Collection, path: Path) -> Seen:
    exported(deck, path)
    seen = Seen()
    seen.feed(path.read_text("utf-8"))
    seen.close()
    assert not seen.open
    return seen


def test_the_page_holds_all_cards_and_asks_nobody(root: Path, tmp_path: Path) -> None:
    seen = page(make(root), tmp_path / "all.html")
    assert not {"script", "link", "iframe", "object", "embed", "form", "base"} & set(seen.tags)
    assert all(asked.startswith(("data:image/", "#")) for asked in seen.asked)
    assert seen.tags.count("article") == 5
    assert "math" in seen.tags
    assert "img" in seen.tags
    words = " ".join("".join(seen.words).split())
    for text in ("<b>two</b>", "(3 p)", "0.03 (± 5%)", "pair", "<https://example.org/a?b=1&c=2>"):
        assert text in words
    assert "N/A" not in words
    assert "default-src 'none'" in (tmp_path / "all.html").read_text("utf-8")


def test_clozes_are_gaps_above_and_filled_in_below(root: Path, tmp_path: Path) -> None:
    deck = make(root)
    exported(deck, tmp_path / "gaps.html", ("gaps/c1",))
    question, _, solution = (tmp_path / "gaps.html").read_text("utf-8").partition("<h3>Solution")
    assert "[hint]" in question
    assert "stride" not in question
    assert "<strong>stride</strong>" in solution
    assert "{{c" not in question + solution


def test_the_cards_of_a_deck_stand_together(root: Path, tmp_path: Path) -> None:
    write_card(root, "a", course="One")
    write_card(root, "b", course="Two")
    write_card(root, "c", course="One")
    exported(Collection.open(root, NOON), tmp_path / "all.html")
    text = (tmp_path / "all.html").read_text("utf-8")
    assert [text.count(f"<h2>{name}</h2>") for name in ("One", "Two")] == [1, 1]


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1)) [y](data:text/html,<script>) <javascript:alert(1)>",
        "![x](https://example.org/spy.png) ![](//example.org/spy.png)",
        "![x](../../../etc/passwd) ![[/etc/passwd]] ![](file:///etc/passwd)",
        "$\\href{javascript:alert(1)}{x} \\text{<script>} \\color{red;background:url(x)} y$",
        '```"><script>\nx\n```',
        "[a]: https://example.org 'x\"><script>'\n[a]",
        "x[^1]\n\n[^1]: <script>",
    ],
)
def test_a_hostile_card_stays_text(root: Path, tmp_path: Path, hostile: str) -> None:
    write_card(root, "a", hostile)
    seen = page(Collection.open(root, NOON), tmp_path / "all.html")
    assert "script" not in seen.tags
    assert "img" not in seen.tags
    assert all(asked.startswith("#") for asked in seen.asked)
    assert "url(" not in (tmp_path / "all.html").read_text("utf-8").partition("</style>")[2]


def test_what_is_missing_is_said(root: Path, tmp_path: Path) -> None:
    write_card(root, "a", "![gone](gone.png) and $\\nosuch$")
    report = exported(Collection.open(root, NOON), tmp_path / "all.html")
    assert [lost.where for lost in report.lost] == ["a", "a"]
    assert "no such file" in report.lost[0].what
    assert "nosuch" in report.lost[1].what


def test_a_formula_may_define_macros_for_later_ones(root: Path, tmp_path: Path) -> None:
    write_card(root, "a", "$\\newcommand{\\q}{\\alpha} x$ and $\\q$")
    report = exported(Collection.open(root, NOON), tmp_path / "all.html")
    assert not report.lost
    assert "<mi>α</mi>" in (tmp_path / "all.html").read_text("utf-8")
    assert f"{AT:%Y-%m-%d}" in (tmp_path / "all.html").read_text("utf-8")


@pytest.mark.parametrize("name", ["a.html", "a.apkg"])
def test_line_breaks_that_stay_are_exported(root: Path, tmp_path: Path, name: str) -> None:
    write_card(root, "a", "One\ntwo", line_breaks="true")
    write_card(root, "b", "three\nfour")
    exported(Collection.open(root, NOON), tmp_path / name)
    html = (tmp_path / name).read_bytes()
    if name == "a.apkg":
        (tmp_path / "db").write_bytes(ZipFile(tmp_path / name).read("collection.anki2"))
        with closing(sqlite3.connect(tmp_path / "db")) as db:
            html = "".join(row[0] for row in db.execute("SELECT flds FROM notes")).encode()
    assert b"One<br />\ntwo" in html
    assert b"three\nfour" in html
