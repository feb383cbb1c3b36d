"""What holds for every format: which one a file is, what comes in, what is said, who reads it."""

from __future__ import annotations

import contextlib
import gc
import json
import subprocess
import sys
from collections.abc import Generator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards import parse_card
from cards.links import embeds
from deck.collection import Collection
from deck.exchange import readers
from deck.exchange.model import ExchangeError
from deck.exchange.readers import reader_of
from tests.deck.exchange.exporting import AT, PNG, exported
from tests.deck.exchange.foreign import FILES, imported, read, reviewed, saved, tree
from tests.deck.exchange.packages import Made, package
from tests.deck.exchange.test_hashcards import CAPITAL, GEOGRAPHY, database
from tests.deck.exchange.test_json import RECORD, own
from tests.deck.exchange.test_obsidian import BIOLOGY
from tests.deck.exchange.test_org import ANSWERS, DEMO

TABLE = """\
id;question;answer;deck;options;correct;status
one;What is $x$?;A letter;Letters;;;
two;Which?;So.;Letters;first|second;B;suspended
three;Is it {{c1::here}}?;;Letters;;;
"""


@pytest.fixture
def sources(tmp_path: Path) -> dict[str, Path]:
    """A file or a folder of each format."""
    folder = tmp_path / "theirs"
    (folder / "obsidian" / ".obsidian").mkdir(parents=True)
    saved(folder, "", GEOGRAPHY, "hashcards/Geography.md")
    database(folder / "hashcards", (CAPITAL, "2026-11-01T08:00:30", "good", "2026-11-30"))
    saved(folder, "", BIOLOGY, "obsidian/Biology.md")
    saved(folder, "", DEMO, "org/Demo.org")
    saved(folder, "", ANSWERS, "org/org-fc-reviews.tsv")
    return {
        **{name: folder / name for name in ("hashcards", "obsidian", "org")},
        "table": saved(folder, "table", TABLE.encode("utf-16")),
        "json": own(folder / "all.json", [RECORD], {"x.png": b"\x89PNG"}),
    }


#: Items with the day on which they are due, and their interval.
DUE = {
    "hashcards": [("what_is_the_capital_of_france", date(2026, 11, 30), 29)],
    "obsidian": [("front/r", date(2024, 2, 3), 30)],
    "org": [  # at 01:01, in the night that ends the day
        ("cloze_a_cloze_deletion_has_frac_a_b/c1", date(2020, 4, 6), 5),
        ("cloze_a_cloze_deletion_has_frac_a_b/c2", date(2020, 4, 6), 8),
    ],
}


@pytest.mark.parametrize(
    ("name", "cards", "answers", "suspended"),
    [
        ("hashcards", 4, 1, []),
        ("obsidian", 5, 5, []),
        ("org", 4, 6, ["double_one_side", "double_one_side/r"]),
        ("table", 3, 0, ["two"]),
        ("json", 1, 2, ["pool"]),
    ],
)
def test_an_import_keeps_due_days_is_done_once_and_changes_nothing_there(
    sources: dict[str, Path],
    tmp_path: Path,
    root: Path,
    name: str,
    cards: int,
    answers: int,
    suspended: list[str],
) -> None:
    before = tree(tmp_path / "theirs")
    assert reader_of(sources[name]).name == name
    deck, first = imported(sources[name], root)
    assert (first.new, first.reviews) == (cards, answers)
    assert not deck.problems
    assert sorted(filter(deck.is_suspended, deck.search("", AT))) == suspended
    for item, due, interval in DUE.get(name, []):
        state = reviewed(deck, item)
        assert (state.due_day, state.interval) == (due, interval)
    again = imported(sources[name], root)[1]
    assert (again.new, again.changed, again.unchanged, again.reviews) == (0, 0, cards, 0)
    assert tree(tmp_path / "theirs") == before


def test_a_table_s_choices_are_choices(sources: dict[str, Path], root: Path) -> None:
    deck, _ = imported(sources["table"], root)
    card = deck.cards["two"]
    assert [(each.letter, each.text) for each in card.options] == [("A", "first"), ("B", "second")]
    assert card.correct_letters == ("B",)
    sources["table"].write_text(TABLE.replace("A letter", "An unknown"))
    deck, summary = imported(sources["table"], root)
    assert (summary.new, summary.changed) == (0, 1)
    assert deck.cards["one"].solution == "An unknown"


@pytest.mark.parametrize(
    ("name", "text", "format_name"),
    [
        ("a.md", "Q: What?\nA: That.\n", "hashcards"),
        ("a.md", "C: It is [that].\n", "hashcards"),
        ("a.md", "#flashcards/x\nQ::A\n", "obsidian"),
        ("a.md", "#flashcards\nQ: What?\n?\nThat.\n", "obsidian"),
        ("a.org", "* What? :fc:\n", "org"),
        ("a.txt", "front\tback\nA\tB\n", "table"),
        ("a", "#separator:tab\nA\tB\n", "table"),
        ("a.data", '[{"question": "A"}]', "json"),
        ("in/a.md", "Q: What?\nA: That.\n", "hashcards"),
        ("in/a.md", "# Q: no\n", None),
        ("in/.obsidian/x", "", "obsidian"),
        ("in/a.md", "Only::prose\n", None),
        ("in/a.org", "* No card\n", None),
    ],
)
def test_a_format_is_told(tmp_path: Path, name: str, text: str, format_name: str | None) -> None:
    path = saved(tmp_path, "", text, name)
    path = tmp_path / "in" if name.startswith("in/") else path
    if format_name is not None:
        assert reader_of(path).name == format_name
    else:
        with pytest.raises(ExchangeError, match="no format that can be imported"):
            reader_of(path)


_ORG_CLOZE = "* A :fc:\n:PROPERTIES:\n:FC_TYPE: cloze\n"


@pytest.mark.parametrize(
    ("program", "text", "left", "place", "words"),
    [
        ("hashcards", "Q: One?\nQ: Two?\nA: 2\n", 1, "a.md:1", "no answer"),
        ("hashcards", "A: stray\nQ: Two?\nA: 2\n", 1, "a.md:1", "no question"),
        ("hashcards", "Q: Two?\nA: 2\nA: 3\n", 1, "a.md:3", "second answer"),
        ("hashcards", "C: hides nothing\n\nQ: Two?\nA: 2\n", 1, "a.md:1", "hides nothing"),
        ("hashcards", "Q: Two?\nA: 2\n\nQ: Two?\nA: 2\n", 1, "a.md:4", "a.md:1 again"),
        ("hashcards", "---\nname = bare\n---\nQ: Two?\nA: 2\n", 1, "a.md:1", "not TOML"),
        ("hashcards", "Q: \x00Two?\nA: 2\n", 1, "a.md:1", "control characters"),
        ("obsidian", "Q::A\n<!--SR:!soon,4,270-->\n", 1, "a.md:1", "cannot be read"),
        ("obsidian", "Q::A\n<!--SR:!2023-10-16,4,1!2023-10-16,4,1-->\n", 1, "a.md:1", "1 sched"),
        ("obsidian", "#flashcards\nQ::A\n\n<!--SR:!2023-10-16,4,1-->", 1, "a.md:4", "no card"),
        ("obsidian", "---\ntags: [a\n---\n#flashcards\nQ::A\n", 1, "a.md:1", "frontmatter"),
        ("obsidian", "#flashcards\n==ash;;x== y\n", 1, "a.md:1", "order"),
        ("obsidian", "---\nsr-due: never\n---\nQ::A #flashcards\n", 1, "a.md:1", "sr-due"),
        ("org", "* A :fc:\n:PROPERTIES:\n:FC_TYPE: vocab\n:END:\n", 0, "a.org:1", "vocab"),
        ("org", f"{_ORG_CLOZE}:END:\nno\n", 0, "a.org:1", "no hole"),
        ("org", "* A :fc:\n:PROPERTIES:\n:ID: x\n", 1, "a.org:1", "never closed"),
        ("org", "* A :fc:\n:REVIEW_DATA:\n|position|due|\n|front|soon|\n:END:", 1, "a.org:1", "so"),
        ("org", "* A :fc:\n[[attachment:x.png]]\n", 1, "a.org:1", "attachment"),
        ("org", f"{_ORG_CLOZE}:FC_CLOZE_TYPE: single\n:END:\n{{{{a}}@0}}", 1, "a.org:1", "single"),
        ("table", "question,answer\nA,B,C\nD,E\n", 1, "a.csv:2", "3 cells"),
        ("table", "question,answer\nD,E\n,F\n", 1, "a.csv:3", "no question"),
        ("table", 'question,answer\nD,E\n"A,B\nC,D\n', 1, "a.csv:3", "never closed: 2 lines"),
        ("table", "question,answer,difficulty\nD,E,hard\n", 1, "a.csv:2", "difficulty"),
        ("table", "question,answer,points\nD,E,many\n", 1, "a.csv:2", "points"),
        ("table", "question,answer,type\nD,E,magic\n", 1, "a.csv:2", "magic"),
        ("table", "question,answer,type\nD,E,cloze\n", 1, "a.csv:2", "hides nothing"),
        ("table", "id,question\nx,D\nx,E\n", 2, "a.csv:3", "line 2"),
        ("table", "id,question\na/b,D\n", 1, "a.csv:2", "slash"),
        ("table", "question,answer\nD\x00,E\n", 1, "a.csv:2", "control"),
        ("table", "question,answer\nD,![](no.png)\n", 1, "a.csv:2", "no.png"),
        ("table", f"question,answer\nA,{'x' * 2_000_000}\nB,C\n", 1, "a.csv:2", "2.0 MB"),
        ("json", '["text"]', 0, "a.json, card 1", "no object"),
        ("json", '[{"answer": "4"}]', 0, "a.json, card 1", "no question"),
        ("json", f'[{{"question": 1, "x": {"[" * 14}1{"]" * 14}}}]', 1, "a.json, card 1", "deeply"),
        ("json", '[{"question": 1, "items": [{"suffix": "/c9"}]}]', 1, "a.json, card 1", "no item"),
        ("json", '[{"question": 1, "due": "0001-01-01"}]', 1, "a.json, card 1", "0001-01-01"),
        ("json", '[{"question": 1, "due": "9999-12-31T23:00-05:00"}]', 1, "a.json, card 1", "9999"),
    ],
)
def test_a_loss_is_named(
    tmp_path: Path, program: str, text: str, left: int, place: str, words: str
) -> None:
    cards, found = read(saved(tmp_path, program, text), program)
    assert len(cards) == left
    assert {lost.where for lost in found.lost} - {"a.md", "a.org"} == {place}
    assert any(words in lost.what for lost in found.lost)


@pytest.mark.parametrize(
    ("program", "data", "words"),
    [
        ("hashcards", b"# Only words\n", "no card was found"),
        ("obsidian", b"Only::prose\n", "#flashcards"),
        ("org", b"* No card\n", ":fc:"),
        ("table", b"one,two\n1,2\n", "found 'one', 'two'"),
        ("table", b"", "no column"),
        ("table", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40, "no text"),
        ("table", b"PK\x03\x04" + bytes(500), "no text"),
        ("table", b"item,prompt,rating\n", "items or answers"),
        ("json", b"[1, 2", r"a\.json:1:6"),
        ("json", b"", r"a\.json:1:1"),
        ("json", b"[" * 100_000, "nested too deeply"),
        ("json", b'{"a": 1}', "no list of cards"),
        ("json", b"3", "no list of cards"),
        ("json", b'{"question": "a"}\n{oops}\n', r"a\.json:2"),
        ("json", b'{"format": "deltadeck", "version": 2, "cards": [\n', "later version"),
        ("json", b'{"format":"deltadeck","version":99,"cards":[]}', r"wrote it\. Update"),
    ],
)
def test_the_unreadable_is_refused(tmp_path: Path, program: str, data: bytes, words: str) -> None:
    with pytest.raises(ExchangeError, match=words):
        read(saved(tmp_path, program, data), program)


_SIGNS = {
    "hashcards": "QAC:[]!\\-\n {}$é\x00",
    "json": '[]{}:,"question answer1\\\n',
    "obsidian": ":?=*{}[]!#<>-$`\\ \nab1flashcSR,",
    "org": "*/_+=~[]{}@0:|-#\\$()<> \nabfc:END",
    "table": 'question,answr;\t"\\\n\r\x00é{c1:}#sep=',
}
_BEGIN = {"obsidian": "#flashcards\n", "org": "* T :fc:\n", "table": "question,answer\n"}
_ORG_KINDS = [f":PROPERTIES:\n:FC_TYPE: {kind}\n:END:\n" for kind in ("double", "cloze")]


@pytest.mark.parametrize("program", FILES)
@given(data=st.data())
def test_any_text_is_cards_or_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, program: str, data: st.DataObject
) -> None:
    text = _BEGIN.get(program, "")
    if program == "org":
        text += data.draw(st.sampled_from(["", *_ORG_KINDS]))
    text += data.draw(st.text(_SIGNS[program]))
    folder = tmp_path_factory.getbasetemp() / program
    with contextlib.suppress(ExchangeError):
        cards, found = read(saved(folder, program, text), program)
        assert cards or found.lost or program in ("json", "table")
        assert all(card.question for card in cards)


# Pictures that notes show.

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
QUESTION, DEFINED = " ".join(FORMS.values()), "Because.\n\n[ref]: r.png"
_QUOTED = QUESTION.replace('"', '""')
SHOWN = {
    "hashcards": f"Q: {QUESTION}\nA: {DEFINED}\n",
    "json": json.dumps([{"question": QUESTION, "answer": DEFINED}]),
    "obsidian": f"#flashcards\n{QUESTION}\n?\nBecause.\n\n[ref]: r.png\n",
    "table": f'question,answer\n"{_QUOTED}","{DEFINED}"\n',
}


def pictured(folder: Path, program: str) -> Path:
    for name in FORMS:
        saved(folder, "", PNG, name)
    return saved(folder, program, SHOWN[program])


@pytest.mark.parametrize("program", SHOWN)
def test_every_form_of_a_picture_comes_in(tmp_path: Path, root: Path, program: str) -> None:
    path = pictured(tmp_path / "in", program)
    (card,), found = read(path, program)
    assert set(card.media) == set(found.media) == set(FORMS)
    assert [each.name for each in embeds(card.question)] == list(FORMS)
    assert "![of it](h.png)" in card.question
    with found.media["h.png"]() as file:
        assert file.read() == PNG
    assert not found.lost
    imported(path, root)
    (written,) = [path for path in root.rglob("*.md") if ".deltadeck" not in path.parts]
    names = [each.name for each in embeds(parse_card(written.read_text("utf-8")).question)]
    assert len(names) == len(FORMS)
    assert all((written.parent / name).is_file() or (root / name).is_file() for name in names)


@pytest.mark.parametrize(
    "text", ["![](two words.png)", "![a][nowhere]", '<img src="https://example.org/a.png">']
)
def test_what_is_no_picture_is_said(tmp_path: Path, text: str) -> None:
    written = text.replace('"', '""')
    (card,), found = read(saved(tmp_path, "table", f'question,answer\n"{written}",a\n'))
    assert (card.question, [lost.where for lost in found.lost]) == (text, ["a.csv:2"])


def test_pictures_are_found_by_name_anywhere_and_two_of_one_name_are_two(root: Path) -> None:
    saved(root, "", b"1", "img/x.png")
    saved(root, "", b"2", "notes/img/x.png")
    text = "#flashcards\nWhat is ![[x.png|300]]?::![[img/x.png]] and ![[Other note]]\n"
    saved(root, "", text, "notes/a.md")
    (card,), found = read(root, "obsidian")
    assert card.question == "What is ![](x.png)?"
    with found.media["x.png"]() as first, found.media["x-2.png"]() as second:
        assert (first.read(), second.read()) == (b"1", b"2")
    assert any("'Other note'" in lost.what for lost in found.lost)


def test_json_takes_every_form_along(root: Path, tmp_path: Path) -> None:
    pictured(root, "json")
    text = "---\nid: all\n---\n\n# Question\n{}\n\n---\n\n# Solution\n{}\n"
    saved(root, "", text.format(QUESTION, DEFINED), "all.md")
    assert not exported(Collection.open(root, AT), tmp_path / "all.json").lost
    (card,), found = read(tmp_path / "all.json")
    assert set(card.media) == set(FORMS)
    assert not found.lost
    saved(root, "", text.format("![](two words.png) <img src=no.png>", "x"), "all.md")
    (lost,) = exported(Collection.open(root, AT), tmp_path / "all.json").lost
    assert "two words.png" in str(lost)


def test_links_out_of_the_folder_are_named_and_not_followed(root: Path, tmp_path: Path) -> None:
    saved(root, "hashcards", GEOGRAPHY)
    (root / "out.md").symlink_to(saved(tmp_path, "", "Q: secret\nA: secret\n", "secret.md"))
    (root / "round").symlink_to(root)
    cards, found = read(root, "hashcards")
    assert (len(cards), [lost.where for lost in found.lost]) == (4, ["out.md"])


# Reading in a process of its own.


@pytest.fixture
def big(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two messages of cards, of which the first fills a pipe, and two losses."""
    monkeypatch.setattr(readers, "_MANY", 1)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    texts = ["a" * (2_000_000 if n % 150 == 0 else 9000 if n % 10 == 0 else 1) for n in range(250)]
    notes = [Made(f"g{n}", (f"q{n}<br>b", text)) for n, text in enumerate(texts)]
    return package(tmp_path / "a.apkg", notes)


def test_another_process_reads_the_same(big: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader, start = reader_of(big), subprocess.Popen
    cards, found = read(big)
    there = readers.read_ahead(reader, big)
    assert list(there.cards()) == cards
    assert there.lost == found.lost
    assert len(there.lost) == 2
    started: list[subprocess.Popen[bytes]] = []

    def kept(*words: Any, **more: Any) -> subprocess.Popen[bytes]:
        started.append(start(*words, **more))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", kept)
    stopped = readers.read_ahead(reader, big).cards()
    first = next(stopped)
    started[0].kill()
    assert [first, *stopped] == cards
    idle = [sys.executable, "-c", "pass"]
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: start(idle, stdout=subprocess.PIPE))
    assert list(readers.read_ahead(reader, big).cards()) == cards


def test_no_copy_stays_however_it_ends_and_an_error_there_is_the_error_here(
    big: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    bundle = readers.read_ahead(reader_of(big), big)
    cards = bundle.cards()
    assert isinstance(cards, Generator)
    next(cards)
    assert len(list(folder.rglob("*.sqlite"))) == 2
    cards.close()
    big.write_bytes(big.read_bytes()[:300])
    with pytest.raises(ExchangeError, match="damaged"):
        list(bundle.cards())
    del cards, bundle
    gc.collect()
    assert list(folder.iterdir()) == []
