"""A reader that another program wrote from docs/card-format.md comes to our parts of a card."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from cards.outline import markdown, parts_of, scan, sections_of
from cards.text import split_lines
from tests.docs.card_outline import Body, read

_LINES = (
    *("# Question", "## **solution:**", "Question"),
    *("# Solution", "#Solution", "# Other ##", "# C#"),
    *("---", "--", "-", "===", " ---", "    ---", "", "", " ", "words", "more"),
    *("- item", "> quote"),
    *("$$", "$$x$$", "`$$`", r"\$$", "a $$", r"\[", r"\]", r"> \[", r"\[ x \]", r"a \["),
    *(r"\begin{align}", r"- \begin{align}", r"\end{align}", r"\begin{a} \end{a}", r"\end{a}"),
    *("```", "~~~", "- ```python", "````", "``` a ```", "    # no", "#", "# "),
)  # fmt: skip


def _ours(lines: list[str]) -> Body:
    outline = scan(split_lines("\n".join(lines)))
    parts = parts_of(outline)
    headings = [(section.level, section.title) for section in sections_of(outline)]
    question, solution = (
        None if part is None else markdown(outline, part)
        for part in (parts.question, parts.solution)
    )
    return Body(headings, question, solution)


@given(st.lists(st.sampled_from(_LINES), max_size=16))
@example(["# Question", "$$", "", "# Solution", "$$", "# Solution", "b"])
@example(["# Question", r"\[", "# Solution", r"\]", "", "# Solution", "b"])
@example(["# Question", "a", "---", "# Solution", "b", "---", "c"])
def test_the_page_alone_leads_to_our_parts(lines: list[str]) -> None:
    theirs, ours = read(lines), _ours(lines)
    assert theirs.headings == ours.headings
    for found, expected in ((theirs.question, ours.question), (theirs.solution, ours.solution)):
        assert (found and found.rstrip()) == expected
