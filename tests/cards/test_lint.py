"""What `lint` says of formulas, and what `--fix` mends: only what can be meant in one way."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards import CardError, lint_card, parse_card
from cards.lint import Fixed, fix
from cards.parse import analyse

HEAD = "---\nid: a\nmacros:\n  own: x #1\n---\n# Question\n"


def said(question: str, macros: dict[str, str] | None = None) -> list[tuple[int, int, str]]:
    problems = lint_card(f"{HEAD}{question}\n\n# Solution\ns\n", None, macros)
    assert all(problem.hint for problem in problems)
    return [(problem.line, problem.column, problem.severity) for problem in problems]


@pytest.mark.parametrize(
    ("question", "places"),
    [
        ("so $\\frac{1}{2$ it", [(7, 13)]),
        ("so\n\n$$\n\\foo + 1\n$$", [(10, 1)]),
        ("> - \\(a^2 \\foo\\)", [(7, 11)]),
        ("| a |\n|---|\n| $\\foo$ |", [(9, 4)]),
        ("\\begin{align}\na &= \\foo\n\\end{align}", [(8, 6)]),
        ("```math\n\\foo\n```", [(8, 1)]),
        ("`$\\foo$`\n\n```\n$\\foo$\n```\n\n\\$\\foo$", []),
        ("$\\own{y}$ and $$\\def\\later{1}$$ and $\\later$", []),
        ("{{c1::$\\frac12$}} $x = {{c2::\\frac{1}{2}::hint}}$", []),
    ],
)
def test_a_formula_that_cannot_be_read_is_said_with_its_place(
    question: str, places: list[tuple[int, int]]
) -> None:
    assert said(question) == [(line, column, "warning") for line, column in places]


def test_the_collections_macros_count() -> None:
    assert said("$\\mine$") == [(7, 2, "warning")]
    assert said("$\\mine$", {"\\mine": "\\mathbb{R}"}) == []


def test_an_invisible_character_is_a_hint() -> None:
    assert said("a\u200bb\u00ad") == [(7, 2, "hint")]


PATH = Path("a deck/max pool.md")
WHOLE = "---\nid: one\ntags: [x]\n---\n# Question\nWhy?\n\n---\n# Solution\nBecause.\n"
SAID = ("question", "solution", "options", "tags", "type", "status", "course", "correct", "points")


def test_a_whole_card_stays() -> None:
    assert fix(WHOLE, PATH) == fix(fix(WHOLE, PATH).text, PATH)
    assert fix(WHOLE, PATH).done == ()


@pytest.mark.parametrize(
    ("broken", "mended"),
    [
        ("---\ntags: [x]\n---\n", "---\nid: max_pool\ntags: [x]\n---\n"),
        ("---\nid:\ntags: [x]\n---\n", "---\nid: max_pool\ntags: [x]\n---\n"),
        ("---\n---\n", "---\nid: max_pool\n---\n"),
        ("---\n{id: , tags: [x]}\n---\n", "---\n{id: max_pool, tags: [x]}\n---\n"),
        ("", "---\nid: max_pool\n---\n"),
        ("\ufeff", "\ufeff---\nid: max_pool\n---\n"),
        ("id: one\ntags: [x]\n---\n", "---\nid: one\ntags: [x]\n---\n"),
        ("id: one\ntags: [x]\n\n", "---\nid: one\ntags: [x]\n---\n\n"),
        ("\ufeffid: one\n", "\ufeff---\nid: one\n---\n"),
        ("id: one\n\ncourse: X\n\nFig.\n\n", "---\nid: one\n\ncourse: X\n---\n\nFig.\n\n"),
        ("id: one\n# n\ntags:\n- x\n# A\n", "---\nid: one\n# n\ntags:\n- x\n---\n# A\n"),
        ("course: X\n\n", "---\nid: max_pool\ncourse: X\n---\n\n"),
        ("---\nid: one\ntags:\n  - x\n\n", "---\nid: one\ntags:\n  - x\n\n---\n"),
        ("\n \n---\nid: one\n---\n", "---\nid: one\n---\n"),
        ("---\nid: one\ntype: Basic # a note\n---\n", "---\nid: one\ntype: basic # a note\n---\n"),
        ("---\nid: one\n   ---\n", "---\nid: one\n---\n"),
        ("\n   ---\ntype: basic\n   ---\n", "---\nid: max_pool\ntype: basic\n---\n"),
        ("id: one\n ---\n\n", "---\nid: one\n---\n\n"),
        (
            "---\n# Question\ntype: BASIC\n---\n",
            "---\nid: max_pool\n# Question\ntype: basic\n---\n",
        ),
        ("id: one\n# Question\ntype: basic\n---\n", "---\nid: one\n# Question\ntype: basic\n---\n"),
    ],
)
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_frontmatter(broken: str, mended: str, ending: str) -> None:
    body = "# Question\nWhy?\n\n---\n# Solution\nBecause."

    def whole(head: str) -> str:
        return (head + body).replace("\n", ending)

    assert fix(whole(broken), PATH).text == whole(mended)


@pytest.mark.parametrize(
    ("broken", "mended"),
    [
        ("#Question\nWhy?\n\n---\n# Solution\nB.\n", "# Question\nWhy?\n\n---\n# Solution\nB.\n"),
        ("# Question\nWhy?\n# Solution\nB.\n", "# Question\nWhy?\n\n---\n# Solution\nB.\n"),
        ("# Question\nWhy?\n\n# Solution\nB.", "# Question\nWhy?\n\n---\n# Solution\nB."),
        ("# Question\nW?\n---\n# Solution\nB.", "# Question\nW?\n\n---\n# Solution\nB."),
        (
            "# Question\nA\n---\nB\n\n---\n# Solution\nC\n",
            "# Question\nA\n\n---\nB\n\n---\n# Solution\nC\n",
        ),
    ],
)
def test_separators_and_headings(broken: str, mended: str) -> None:
    head = "---\nid: one\n---\n"
    for ending in ("\n", "\r\n", "\r"):
        text, whole = ((head + body).replace("\n", ending) for body in (broken, mended))
        assert fix(text, PATH).text == whole


def test_a_line_is_ended_as_the_line_above_it_is() -> None:
    text = WHOLE.replace("Why?\n\n---\n", "Why?\r---\n")
    assert fix(text, PATH).text == WHOLE.replace("Why?\n\n---\n", "Why?\r\r---\n")


@pytest.mark.parametrize(
    "text",
    [
        "Notes, and no card.\n",
        "id: one\nand words of the card\n\n# Question\nWhy?\n\n---\n# Solution\nB.\n",
        "words\nid: one\n\n# Question\nWhy?\n\n---\n# Solution\nB.\n",
        "---\ntags: [x]\n---\nid: one\n\n# Question\nWhy?\n\n---\n# Solution\nB.\n",
        "---\nid: one\nSome words of the card\n# Question\nWhy?\n# Solution\nB.\n",
        "---\nid: one\nnote: |\n   ---\n# Question\nWhy?\n\n# Solution\nB.\n",
        "---\nid: one\n ---\n ---\n# Question\nWhy?\n\n# Solution\nB.\n",
        "---\nid: [a\n---\n# Question\nWhy?\n\n---\n# Solution\nB.\n",
        "---\nid: a/b\n---\n# Question\nWhy?\n\n---\n# Solution\nB.\n",
        "---\nid: one\n---\n# Solution\nB.\n\n# Question\nWhy?\n",
        "---\nid: one\n---\n# Question\n```\n#Solution\n---\n```\n\n---\n# Solution\nB.\n",
    ],
)
def test_what_only_its_author_knows_stays(text: str) -> None:
    assert fix(text, PATH).text == text


def test_no_id_is_given_twice() -> None:
    text = WHOLE.replace("id: one\n", "")
    assert "id: max_pool_3\n" in fix(text, PATH, {"max_pool", "max_pool_2"}).text
    for name, made in (
        ("…", "card"),
        (".hidden", "hidden"),
        ("Část 1", "Část_1"),
        ("a" * 400, "a" * 190),
    ):
        card = parse_card(fix(text, Path(f"{name}.md")).text)
        assert card.id == made


_LINES = [
    "---", "id: one", "id:", "tags: [a]", "type: Cloze", "type: basic", "#Question", "# Question",
    "## Options", "A) x", "**Correct Answer:** A", "# Solution", "#Solution", "words", "",
    "$$", "```", "    code", "{{c1::x}}", "===", "- item", "# ", "\ufeff",
    "---\t", "key: value # note", "  ---", "status: TO LEARN", "note: |", "  ", "\\[", "\\]",
]  # fmt: skip
#: What most cards have, in order; a strategy leaves parts out and puts lines between.
_PLAN = ("---", "id: one", "type: basic", "---", "# Question", "Why?", "---", "# Solution", "B.")


@st.composite
def _texts(draw: st.DrawFn) -> str:
    """Lines of a card in any order, or of a card with some too many, too few or bent."""
    lines = draw(st.lists(st.sampled_from(_LINES), max_size=14))
    if draw(st.booleans()):
        bends: tuple[list[str], ...] = (
            [],
            ["{}"],
            ["{}"],
            ["{}"],
            ["  {}"],
            [draw(st.sampled_from(_LINES)), "{}"],
        )
        bent = [(line, draw(st.sampled_from(bends))) for line in _PLAN]
        lines = [each.replace("{}", line) for line, shape in bent for each in shape]
    endings = draw(st.sampled_from((["\n"], ["\r\n"], ["\r"], ["\n", "\r", "\r\n"])))
    text = "".join(line + draw(st.sampled_from(endings)) for line in lines)
    return text if draw(st.booleans()) else text.rstrip("\r\n")


@given(text=_texts())
def test_a_mend_never_changes_what_a_card_says_and_is_done_once(text: str) -> None:
    mended = fix(text, PATH)
    assert (mended.text == text) == (not mended.done)
    assert fix(mended.text, PATH) == Fixed(mended.text, ())
    before, _ = analyse(text)
    if before is None:
        return
    after = parse_card(mended.text)
    assert [getattr(after, name) for name in SAID] == [getattr(before, name) for name in SAID]
    assert after.id == before.id


@given(text=st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    mended = fix(text, PATH)
    assert (mended.text == text) == (not mended.done)


def test_a_card_that_read_reads_afterwards() -> None:
    text = WHOLE.replace("\n\n---\n# Solution", "\n# Solution")
    try:
        parse_card(fix(text, PATH).text)
    except CardError as error:
        pytest.fail(str(error))
