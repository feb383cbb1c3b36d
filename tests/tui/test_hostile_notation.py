"""Controls and marks of direction that a card only spells: none of them reaches the terminal."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards import parse_card
from deck.collection import Collection
from tests.deck.exchange.exporting import exported
from tests.tui.pages import sheet
from tui.main import main
from tui.page.output import printed
from tui.page.read import Context
from tui.widgets.item_list import title

HOSTILE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]"
)
SIGNS = [chr(code) for code in range(0x2070) if HOSTILE.match(chr(code))] + ["\ufeff"]
NAMED = {"\u200e": "&lrm;", "\u200f": "&rlm;"}
#: How a code point can be written in a card.
NOTATIONS = (
    lambda sign: sign,
    lambda sign: f"&#{ord(sign)};",
    lambda sign: f"&#x{ord(sign):x};",
    lambda sign: f"&#X{ord(sign):05X};",
    lambda sign: f"&amp;#{ord(sign)};",
    lambda sign: f"\\&#{ord(sign)};",
    lambda sign: NAMED.get(sign, "&NewLine;&shy;&zwj;"),
    lambda sign: f'$\\char"{ord(sign):04X}$',
    lambda sign: f'$\\symbol{{"{ord(sign):04X}}}\\text{{{sign}&#{ord(sign)};}}$',
    lambda sign: f"$\\hidden \\x{{{sign}}}$",
)
PLACES = (
    "a {} b",
    "# {}",
    "**{}** *{}* ~~{}~~",
    "`{}`",
    "```{}py\n{}\n```",
    "    {}",
    '[a{}](https://x.example/{} "{}")',
    "<https://x.example/{}>",
    '![a{}](b{}.png "{}")',
    "words ![a{}](b.png) words",
    "[[a{}|b{}]] ![[c{}]]",
    '[r]\n\n[r]: https://x.example/{} "{}"',
    "a[^1]\n\n[^1]: {}",
    "| {} | b |\n|---|---|\n| {} | c |",
    "> [!note] {}\n> {}",
    "- [ ] {}\n  1. {}",
    "<b>{}</b>",
    "{{{{c1::{}::{}}}}}",
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    def written(_: re.Match[str]) -> str:
        sign, notation = draw(st.sampled_from(SIGNS)), draw(st.sampled_from(NOTATIONS))
        return f"x{notation(sign)}y"

    places = draw(st.lists(st.sampled_from(PLACES), min_size=1, max_size=4))
    return "\n\n".join(re.sub(r"\{\}", written, place) for place in places)


@given(texts(), st.sampled_from(SIGNS), st.integers(4, 60))
def test_no_row_holds_what_a_terminal_would_obey(text: str, sign: str, width: int) -> None:
    found = sheet(text, width, Context({"hidden": f"\\text{{a{sign}b}}"}, addresses=True))
    for row in found.rows:
        assert not HOSTILE.search(row.text)
        assert "\n" not in row.text
    assert not HOSTILE.search(printed(found, styled=False).replace("\n", ""))


@given(texts(), st.sampled_from(SIGNS))
def test_no_title_and_no_field_holds_it(text: str, sign: str) -> None:
    escape = f"\\u{ord(sign):04x}"
    head = f'course: "a{escape}b"\ntags: ["t{escape}u"]\ntitle: "t{escape}"\ntype: basic'
    card = parse_card(f"---\nid: a\n{head}\n---\n# Question\n{text}\n# Solution\n{text}")
    for each in (title(card), card.course, *card.tags):
        assert not HOSTILE.search(each)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A deck with hostile names, frontmatter and texts."""
    deck = tmp_path_factory.mktemp("hostile") / "deck"
    folder = deck / "sub\u202e\x9b"
    folder.mkdir(parents=True)
    spelled = "".join(f"&#{ord(sign)};" for sign in SIGNS)
    escaped = "".join(f"\\u{ord(sign):04x}" for sign in SIGNS)
    body = "\n\n".join(place.replace("{}", spelled) for place in PLACES[:-1])
    heads = {
        "good": f'course: "c{escaped}"\ntags: ["t{escaped}"]\ntitle: "t{escaped}"',
        "bad": f'type: "x{escaped}"\ndifficulty: "{escaped}"\nexercise: {{layer: "{escaped}"}}',
        f'"id{escaped}"': "type: basic",
    }
    for number, (name, head) in enumerate(heads.items()):
        text = f"---\nid: {name}\n{head}\n---\n# Question\n{body}\n\n# Solution\n{body}\n"
        (folder / f"{number}\u202e\x1b[31m\x9b.md").write_text(text)
    return deck


def test_an_exported_page_does_not_hold_it(hostile: Path, tmp_path: Path) -> None:
    exported(Collection.open(hostile, datetime(2026, 11, 21).astimezone()), tmp_path / "a.html")
    assert not HOSTILE.search((tmp_path / "a.html").read_text("utf-8"))


@pytest.mark.parametrize("command", [
    ("list",), ("list", "--json"), ("due",), ("due", "--json"), ("lint", "--json"), ("lint",),
    ("show", "--search", ""), ("show", "--search", "", "--json"), ("search", "x"),
    ("search", "--json", "x"), ("show", "--source", "--search", ""), ("doctor", "--json"),
    ("show", "none\u202e\x9b"), ("search", "course:\u202e\x9b("), ("list", "-C", "no\u202e\x9b"),
    ("edit", "good", "--file", "GOOD"), ("edit", "good", "--file", "GOOD", "--json"),
])  # fmt: skip
def test_no_command_prints_it(
    hostile: Path, command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    (hostile / "GOOD").write_text("---\nid: good\n---\n# Question\nWhy?\n# Solution\nSo.\n")
    words = [str(hostile / word) if word == "GOOD" else word for word in command]
    main([*words, *([] if "-C" in words else ["-C", str(hostile)])])
    out, err = capsys.readouterr()
    assert out + err
    assert not HOSTILE.search((out + err).replace("\n", ""))
