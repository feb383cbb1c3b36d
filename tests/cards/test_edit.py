"""Edits change what they must and no other byte."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cards import CardError, parse_card
from cards.edit import with_field, with_section
from cards.frontmatter import read_header
from cards.model import Diagnostics
from tests.cards.builders import card_text
from tests.material import CARDS
from tests.paths import STARTER

SOURCES = [path.read_bytes().decode() for path in [*CARDS, *STARTER.glob("*.md")]]
SOURCES += [source.replace("\n", "\r\n") for source in SOURCES[:3]] + ["\ufeff" + SOURCES[0]]
STYLED = (
    "---\r\nid: 'x'  # keep\r\nstatus:   \"to_learn\" \t# me  \r\ntags: [a,  b]\r\n\r\n---  \r\n"
    "# Question\r\nWhy?\r\n# Solution\r\nSo.  "
)
VALUES = st.text(max_size=12) | st.sampled_from(
    ["a: b", "- a", "#a", "no", "'", '"', "[x]", "a #b", " a", "é", "{", "&a", "%", "a:", "?"]
)


def fields(text: str) -> dict[str, object]:
    return {key: f.value for key, f in read_header(Diagnostics(text, None)).fields.items()}


def lines_changed(before: str, after: str) -> list[int]:
    pairs = zip(before.split("\n"), after.split("\n"), strict=True)
    return [index for index, (old, new) in enumerate(pairs) if old != new]


@settings(deadline=None)
@given(st.sampled_from([*SOURCES, STYLED]), st.sampled_from(["status", "id"]), VALUES)
def test_a_field_is_set_by_changing_exactly_one_line(source: str, key: str, value: str) -> None:
    changed = with_field(source, key, value)
    assert fields(changed) == fields(source) | {key: value}
    assert len(lines_changed(source, changed)) == (fields(source)[key] != value)


@settings(deadline=None)
@given(st.sampled_from([*SOURCES, STYLED]), st.sampled_from(["learning", "mastered", "new one"]))
def test_setting_and_setting_back_gives_the_same_bytes(source: str, value: str) -> None:
    old = parse_card(source).status
    assert with_field(with_field(source, "status", value), "status", old) == source


@settings(deadline=None)
@given(st.sampled_from(SOURCES), VALUES)
def test_a_new_field_is_one_line_above_the_closing_dashes(source: str, value: str) -> None:
    changed = with_field(source, "fresh", value)
    ending = "\r\n" if "\r\n" in source else "\n"
    at = changed.index("fresh: ")
    end = changed.index(ending, at) + len(ending)
    assert changed[:at] + changed[end:] == source
    assert changed[end:].startswith("---")
    assert fields(changed)["fresh"] == value


def test_comments_quotes_order_and_endings_stay() -> None:
    changed = with_field(STYLED, "status", "learning")
    assert changed == STYLED.replace("to_learn", "learning")
    assert with_field(STYLED, "tags", ["c", "d e"]) == STYLED.replace("[a,  b]", "[c, d e]")


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("status:", "status: learning"),
        ("status:   # later", "status: learning   # later"),
        ("status: ''", "status: learning"),
        ("'status': reviewing", "'status': learning"),
        ("status : reviewing", "status : learning"),
        ("status: reviewing #", "status: learning #"),
        ("status: {a: b} # c", "status: learning # c"),
    ],
)
def test_values_in_odd_clothes(line: str, changed: str) -> None:
    assert with_field(card_text(line), "status", "learning") == card_text(changed)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("value", "changed"),
    [
        ("\n  - a\n  - b", " [c, d e]"),
        ("\n- a\n- b", " [c, d e]"),
        (" # mine\n  - a", " [c, d e] # mine"),
        (" #\n\n  - a\n\n# about what follows", " [c, d e] #\n\n# about what follows"),
        (" [a,\n  b] # kept", " [c, d e] # kept"),
        (" [a,\n\n  b]\n\n# kept", " [c, d e]\n\n# kept"),
        (" |\n  a # no comment\n  # nor this", " [c, d e]"),
        (" >-\n  a\n\n  b\n", " [c, d e]\n"),
        ("\n  # first\n  - a", "\n  # first\n  [c, d e]"),
        (" a\n  b", " [c, d e]"),
        (" 'a # no comment\n  b' # kept", " [c, d e] # kept"),
        ("\n  one: a\n  two:\n    - b", " [c, d e]"),
        (" !!seq\n  - a", " [c, d e]"),
    ],
)
@pytest.mark.parametrize("after", ["", "\ncourse: x", "\ncourse:\n  - y # z"])
def test_a_value_that_spans_lines_becomes_one_line_and_all_else_stays(
    value: str, changed: str, after: str, ending: str
) -> None:
    before, expected = (
        card_text(f"tags:{text}{after}").replace("\n", ending) for text in (value, changed)
    )
    assert with_field(before, "tags", ["c", "d e"]) == expected
    assert fields(expected) == fields(before) | {"tags": ["c", "d e"]}


@pytest.mark.parametrize(
    "value",
    [
        "\n  - a # why\n  - b",
        "\n# first\n- a",
        "\n  - a\n  # last",
        " [a, # why\n  b]",
        " | # why\n  a",
        "\n  - |\n    # a heading",
    ],
)
def test_a_comment_among_the_lines_of_a_value_is_left_to_its_author(value: str) -> None:
    text = card_text(f"tags:{value}\nstatus: to_learn")
    with pytest.raises(CardError, match=r"with a comment in them|without touching others"):
        with_field(text, "tags", ["c"])
    assert with_field(text, "status", "learning") == text.replace("to_learn", "learning")


NEW_LINES = ["\n", "\n  ", "\n- ", "\n  - "]
YAML = st.lists(
    st.sampled_from([*"|>a:[]{}'\"\\,", " # c\n", "\n# d\n", "#e", " b", ": ", "!t ", *NEW_LINES]),
    max_size=8,
).map("".join)


@settings(deadline=None)
@given(YAML, YAML)
def test_whatever_the_frontmatter_holds_comments_and_other_values_stay(
    value: str, other: str
) -> None:
    text = card_text(f"# top\ntags: {value}\nother: {other}\n# end")
    try:
        before = fields(text)
        changed = with_field(text, "tags", "new")
    except CardError:
        return
    assert fields(changed) == before | {"tags": "new"}
    assert changed.startswith(text[: text.index("tags")])
    assert changed.endswith(text[text.rindex("# end") :])


def test_a_frontmatter_in_braces_takes_a_value_but_no_line() -> None:
    text = "---\n{id: x, status: to_learn}\n---\n# Question\nq\n# Solution\ns\n"
    assert "{id: x, status: learning}" in with_field(text, "status", "learning")
    with pytest.raises(CardError, match="one `"):
        with_field(text, "fresh", "a")


BODIES = st.text(st.characters(categories=["L", "N", "Zs"]) | st.just("\n"), max_size=40).map(
    lambda body: body.strip()
)


@settings(deadline=None)
@given(st.sampled_from([s for s in SOURCES if "type: cloze" not in s]), st.data(), BODIES)
def test_replacing_a_section_leaves_all_else(source: str, data: st.DataObject, body: str) -> None:
    sections = parse_card(source).sections
    index = data.draw(st.integers(0, len(sections) - 1))
    title = sections[index].title
    changed = with_section(source, title, body)
    after = parse_card(changed).sections if body else ()
    assume(body)
    assert [s.title for s in after] == [s.title for s in sections]
    assert after[index].body.split() == body.split()
    for old, new in zip(sections, after, strict=True):
        assert old.title == title or old.body == new.body
    head = changed.index(body.split("\n")[0])
    assert source.startswith(changed[:head].rstrip("\r\n"))
    assert ("\r\n" in source) == ("\r\n" in changed)
    assert "\n" not in changed.replace("\r\n", "") or "\r\n" not in source


def test_a_section_goes_and_comes_back() -> None:
    source = STYLED
    changed = with_section(source, "question", "One.\nTwo.")
    assert "# Question\r\nOne.\r\nTwo.\r\n# Solution" in changed
    assert with_section(changed, "Question", "Why?") == source


def test_an_empty_section_is_filled_below_its_heading() -> None:
    text = card_text(solution="S\n\n## Notes\n\n## Related Concepts")
    changed = with_section(text, "Notes", "One.")
    assert "## Notes\nOne.\n\n## Related Concepts" in changed


@pytest.mark.parametrize(
    ("solution", "title", "body", "word"),
    [
        ("S", "Nowhere", "x", "`Question`, `Solution`"),
        ("S", "Question", "```\nx", "parts around it"),
        ("S\n## Notes\na\n## Notes\nb", "notes", "c", "lines 11 and 13"),
    ],
)
def test_a_section_that_cannot_be_replaced(solution: str, title: str, body: str, word: str) -> None:
    with pytest.raises(CardError, match=word):
        with_section(card_text(solution=solution), title, body)


def test_a_formula_that_is_left_open_swallows_no_section() -> None:
    assert parse_card(with_section(card_text(), "Question", "$$\nx\n")).solution == "Because."
