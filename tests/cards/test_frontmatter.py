r"""Frontmatter: texts stay texts, macros stay LaTeX, and every fault has a place and a way out."""

from __future__ import annotations

import frontmatter
import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from cards import Card, CardError, Problem, lint_card, parse_card
from cards.frontmatter import CardHandler, read_header
from cards.model import Diagnostics
from tests.cards.builders import card_text, warnings_of

BODY = "# Question\nWhy?\n\n---\n# Solution\nBecause.\n"


def problem_of(text: str) -> Problem:
    with pytest.raises(CardError) as caught:
        parse_card(text)
    assert caught.value.problem.severity == "error"
    assert caught.value.problem.hint
    return caught.value.problem


def with_header(header: str) -> Card:
    return parse_card(card_text(header))


@pytest.mark.parametrize("written", ["2016_001", "1e3", "0x1f", "no", "2026-01-06", "007", "null"])
def test_an_id_is_the_text_that_was_written(written: str) -> None:
    assert parse_card(f"---\nid: {written}\n---\n{BODY}").id == written


@pytest.mark.parametrize(
    ("written", "tags"),
    [
        ("[no, on, 1e3]", ("no", "on", "1e3")),
        ("[]", ()),
        ("", ()),
        ("cnn", ("cnn",)),
        ("cnn max-pooling", ("cnn", "max-pooling")),
        ("fuzzy logika, cnn", ("fuzzy logika", "cnn")),
        ("[cnn, cnn, '#cnn']", ("cnn",)),
        ("\n  - a\n  - b c", ("a", "b c")),
    ],
)
def test_tags_are_a_list_or_a_text(written: str, tags: tuple[str, ...]) -> None:
    assert with_header(f"tags: {written}").tags == tags


@pytest.mark.parametrize(
    ("header", "field", "value"),
    [
        (
            "source: exam 2016\nnested: {a: [1, no]}",
            "extra",
            {"source": "exam 2016", "nested": {"a": ["1", "no"]}},
        ),
        (
            "exercise: {kernel: 3, padding: [1, 0]}",
            "exercise",
            {"kernel": "3", "padding": ["1", "0"]},
        ),
        ("type: numeric\nanswer: 0.03 m/s", "correct", "0.03 m/s"),
        ("type: numeric\nanswer: 0.03\ntolerance: 5%", "tolerance", "5%"),
    ],
)
def test_values_are_kept_as_written(header: str, field: str, value: object) -> None:
    card = with_header(header)
    assert (getattr(card, field), warnings_of(card)) == (value, ())


@pytest.mark.parametrize("written", ["Multiple Choice", "multiple-choice", "MULTIPLE_CHOICE"])
def test_a_type_in_other_letters_is_read_with_a_warning(written: str) -> None:
    card = parse_card(
        card_text(f"type: {written}", options="A) a\nB) b", solution="Correct answer: A")
    )
    assert card.type == "multiple_choice"
    assert [(w.line, w.severity) for w in warnings_of(card)] == [(3, "warning")]


@pytest.mark.parametrize(
    ("header", "field", "value"),
    [
        ("type: essay", "type", "basic"),
        ("status: done", "status", "to_learn"),
        ("difficulty: 6", "difficulty", None),
        ("difficulty: hard", "difficulty", None),
        ("course: [a]", "course", ""),
        ("macros: [a]", "macros", {}),
        ("macros: {R: [a]}", "macros", {}),
        ("macros: {'a b': c}", "macros", {}),
        ("macros: text", "macros", {}),
    ],
)
def test_a_value_that_does_not_fit_is_a_warning_at_its_place(
    header: str, field: str, value: object
) -> None:
    card = with_header(header)
    assert getattr(card, field) == value
    (warning,) = warnings_of(card)
    assert (warning.line, warning.column) == (3, len(field) + 3)
    assert warning.hint


@pytest.mark.parametrize(
    ("header", "place"), [("course: a", (1, 1)), ("id:", (2, 1)), ("id: a/b", (2, 5))]
)
def test_an_id_must_be_there_and_safe(header: str, place: tuple[int, int]) -> None:
    problem = problem_of(f"---\n{header}\n---\n{BODY}")
    assert "id" in problem.message
    assert (problem.line, problem.column) == place


@pytest.mark.parametrize(
    ("text", "line", "column", "word"),
    [
        ("", 1, 1, "empty"),
        ("\ufeff\n \n", 1, 1, "empty"),
        (BODY, 1, 1, "no frontmatter"),
        (f"---\nid: a\n{BODY.replace('---', '***')}", 1, 1, "never closed"),
        (f"---\n- a\n- b\n---\n{BODY}", 2, 1, "key: value"),
        (f"---\njust text\n---\n{BODY}", 2, 1, "key: value"),
        (f"---\nid: a\nid: b\n---\n{BODY}", 3, 1, "lines 2 and 3"),
        (f"---\r\nid: a\r\nid: b\r\n---\r\n{BODY}", 3, 1, "lines 2 and 3"),
        (f"---\nid: a: b\n---\n{BODY}", 2, 6, "YAML"),
        (f"---\nid: a\ntags: [a\n---\n{BODY}", 3, 7, "YAML"),
        (f"---\nid: a\n\tx: 1\n---\n{BODY}", 3, 1, "YAML"),
        (f"---\nid: a\n? [b]\n: c\n---\n{BODY}", 3, 3, "not a text"),
        (f"---\nid: a\n...\nb: c\n---\n{BODY}", 4, 1, "YAML"),
    ],
)
def test_broken_frontmatter_names_its_place(text: str, line: int, column: int, word: str) -> None:
    problem = problem_of(text)
    assert word in problem.message
    assert (problem.line, problem.column) == (line, column)


@pytest.mark.parametrize(
    ("header", "place", "message", "hint"),
    [
        ("tags: [a, b\ncourse: c", (3, 7), "a bracket is not closed", "`]`"),
        ("exercise: {kernel: 3\ncourse: c", (3, 11), "a bracket is not closed", "`}`"),
        ("course: 'half\ntags: a", (3, 9), "a quote is never closed", "quote"),
        ('course: "half\ntags: a', (3, 9), "a quote is never closed", "quote"),
        ("tags: a\nno colon\ncourse: c", (4, 1), "a line has no colon", "key: value"),
        (r'course: "\d"', (3, 10), "a backslash", "single quotes"),
        ("macros:\n\tR: x", (4, 1), "a tab", "spaces"),
        ("tags: a\n\tcourse: c", (4, 1), "a tab", "spaces"),
        ("course: a: b", (3, 10), "a colon stands inside a value", "double quotes"),
        ("tags: a\n course: b", (4, 8), "a colon stands inside a value", "do not indent"),
        ("course: 'don't'", (3, 14), "follows a value", "Close quotes"),
        ("tags: [a]]", (3, 10), "follows a value", "brackets"),
        ("course: @a", (3, 9), "cannot start", "begins with a sign"),
        ("course: a\ncourse: b", (4, 1), "is written twice", "Keep one"),
    ],
)
def test_each_kind_of_yaml_error_has_its_place_and_its_own_way_out(
    header: str, place: tuple[int, int], message: str, hint: str
) -> None:
    problem = problem_of(f"---\nid: x\n{header}\n---\n{BODY}")
    assert message in problem.message
    assert hint in problem.hint
    assert (problem.line, problem.column) == place


def test_an_alias_bomb_is_refused_at_the_first_alias() -> None:
    bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"
    problem = problem_of(f"---\nid: x\n{bomb}---\n{BODY}")
    assert "aliases" in problem.message
    assert (problem.line, problem.column) == (4, 8)


@pytest.mark.parametrize("deep", ["[" * 100_000, "{a: " * 50_000, "- " * 50_000], ids="[{-")
def test_deep_nesting_is_refused(deep: str) -> None:
    assert "deep" in problem_of(f"---\nid: x\na:\n  {deep}\n---\n{BODY}").message


def test_blank_lines_inside_and_above_the_frontmatter() -> None:
    assert warnings_of(parse_card(f"---\nid: a\n\n---\n{BODY}")) == ()
    (warning,) = warnings_of(parse_card(f"\n\n---\nid: a\n---\n{BODY}"))
    assert warning.line == 3


def test_every_error_of_a_card_is_listed_by_lint() -> None:
    problems = lint_card("---\ncourse: a\ntype: essay\n---\nno headings\n")
    assert [p.severity for p in problems] == ["error", "warning", "error", "error"]


def test_a_numeric_card_without_its_numbers_is_said() -> None:
    card = parse_card(card_text("type: numeric", solution="**Correct Answer:** 0.03"))
    assert (card.correct, warnings_of(card)) == ("0.03", ())
    for header, word in (("", "no number"), ("\nanswer: 1\ntolerance: wide", "tolerance")):
        assert word in warnings_of(with_header(f"type: numeric{header}"))[0].message


def test_python_frontmatter_reads_cards_through_the_handler() -> None:
    post = frontmatter.loads(card_text("difficulty: 2"), handler=CardHandler())
    assert post.metadata == {"id": "x", "difficulty": "2"}


SIGNS = "ab1_ .:,[]-/+()#'\"{}|>%@`?~\t\r\n=é"
WORDS = st.sampled_from(["a", "nn::cnn", "3x3", "no", "2016_001", "1.5", "a-b", "x:y", "(a)"])
TEXTS = st.one_of(st.lists(WORDS, min_size=1, max_size=3).map(" ".join), st.text(SIGNS, max_size=6))
LISTS = st.lists(TEXTS, max_size=3).map(lambda texts: f"[{', '.join(texts)}]")
LINES = st.tuples(
    st.sampled_from(["id", "tags", "a-b", "course", "_x", "exercise"]),
    st.sampled_from([": ", ":  ", ":", " : "]),
    st.one_of(TEXTS, LISTS),
    st.sampled_from(["", " ", " # so"]),
).map("".join)


@given(st.one_of(st.lists(LINES, max_size=4).map("\n".join), st.text(SIGNS, max_size=30)))
@example("id: a\ntags: [nn::cnn, a b , c]  \ncourse: Linear  Algebra")
@example("tags: []\nid: [ ]")
@example("id: a:")
@example("id: a\n  b")
def test_a_header_that_reads_says_what_yaml_without_types_says(block: str) -> None:
    text = f"---\n{block}\n---\n# Question\n"
    try:
        header = read_header(Diagnostics(text, None))
    except CardError:
        return
    written = text[header.start : header.closing]
    fields = header.fields.values()
    assert {f.key: f.value for f in fields} == (yaml.load(written, yaml.BaseLoader) or {})
    for each in fields:
        assert header.start <= each.key_at < each.start <= each.end <= header.closing
        if each.form == "scalar" and not each.quote and "\n" not in text[each.start : each.end]:
            assert text[each.start : each.end].rstrip() == each.value


PLAIN_SIGNS = "ab1_ .:,[]-/+()#'=éČ²*&%!?\u2028"
PLAIN = st.one_of(LINES, st.text(PLAIN_SIGNS, max_size=12).map("b: {}".format))


@given(st.lists(PLAIN, max_size=4).map("\n".join))
def test_the_quick_way_through_a_plain_header_reads_what_yaml_reads(block: str) -> None:
    """A comment below it makes it YAML's business."""
    said = []
    for text in (f"---\n{block}\n---\n", f"---\n{block}\n# so\n---\n"):
        try:
            said.append(read_header(Diagnostics(text, None)).fields)
        except CardError:
            said.append({})
    assert said[0] == said[1]


CARD = "---\nid: a\nmacros:\n{}course: Pooling\n---\n# Question\nq\n\n# Solution\ns\n"


def macros(*lines: str) -> dict[str, str]:
    card = parse_card(CARD.format("".join(f"  {line}\n" for line in lines)))
    assert card.course == "Pooling"
    assert warnings_of(card) == ()
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


def test_comments_and_blank_lines_part_macros_and_a_flow_mapping_is_yaml() -> None:
    assert macros("# of this card", "K: x", "", "# more", "Z: y") == {"\\K": "x", "\\Z": "y"}
    text = CARD.format("").replace("macros:\n", "macros: {K: '#1 #2'}\n")
    assert dict(parse_card(text).macros) == {"\\K": "#1 #2"}


@given(st.text(alphabet="macros: \n\r\t#'\"|{}K1\\", max_size=60))
def test_macros_move_no_offset_of_what_follows(table: str) -> None:
    text = f"---\nid: a\nmacros:\n{table}\nzzz: z\n---\n"
    try:
        fields = read_header(Diagnostics(text, None)).fields
    except CardError:
        return
    for each in fields.values():
        assert text[each.key_at :].strip("'\"").startswith(each.key[:1])
    if "zzz" in fields and fields["zzz"].value == "z":
        assert text[fields["zzz"].start : fields["zzz"].end] == "z"
