r"""`macros:` in the frontmatter: LaTeX, taken as it is written."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards import CardError, parse_card
from cards.diagnostics import Report
from cards.frontmatter import read_header

CARD = "---\nid: a\nmacros:\n{}course: Pooling\n---\n# Question\nq\n\n# Solution\ns\n"


def macros(*lines: str) -> dict[str, str]:
    card = parse_card(CARD.format("".join(f"  {line}\n" for line in lines)))
    assert card.course == "Pooling"
    assert card.warnings == ()
    return dict(card.macros)


@pytest.mark.parametrize(
    ("line", "body"),
    [
        (r"K: \mathbb{R}", r"\mathbb{R}"),
        (r"K: D_{\mathrm{KL}}(#1 \,\|\, #2)", r"D_{\mathrm{KL}}(#1 \,\|\, #2)"),
        (r"K: {#1 : #2}", "{#1 : #2}"),
        (r"K: [#1]", "[#1]"),
        (r"K: & #1", "& #1"),
        (r"K: *", "*"),
        (r"K: |", "|"),
        (r"K: \mathbb{R}  # the reals", r"\mathbb{R}"),
        (r'K: "\\mathbb{R}"', r"\mathbb{R}"),
        (r"K: 'it''s'  # quoted", "it's"),
        (r"\K: x", "x"),
        ("K: |\n    x #1\n    y", "x #1\ny\n"),
    ],
)
def test_a_macro_is_the_rest_of_its_line(line: str, body: str) -> None:
    assert macros(line, "Z: z") == {"\\K": body, "\\Z": "z"}


def test_comments_and_blank_lines_part_macros() -> None:
    assert macros("# of this card", "K: x", "", "# more", "Z: y") == {"\\K": "x", "\\Z": "y"}


def test_a_flow_mapping_is_yaml() -> None:
    text = CARD.format("").replace("macros:\n", "macros: {K: '#1 #2'}\n")
    assert dict(parse_card(text).macros) == {"\\K": "#1 #2"}


@settings(max_examples=100)
@given(st.text(alphabet="macros: \n\r\t#'\"|{}K1\\", max_size=60))
def test_macros_move_no_offset_of_what_follows(table: str) -> None:
    text = f"---\nid: a\nmacros:\n{table}\nzzz: z\n---\n"
    try:
        fields = read_header(Report(text, None)).fields
    except CardError:
        return
    for each in fields.values():
        assert text[each.key_at :].strip("'\"").startswith(each.key[:1])
    if "zzz" in fields and fields["zzz"].value == "z":
        assert text[fields["zzz"].start : fields["zzz"].end] == "z"
