"""Texts that are often written in a card: `:` and a name at the start of a line."""

from __future__ import annotations

from typing import Final

#: Where the cursor goes.
CURSOR: Final = "‸"

#: Name, what it is, and its text.
SNIPPETS: Final = (
    ("question", "the question's heading", "# Question\n‸\n"),
    ("solution", "a rule and the solution's heading", "---\n# Solution\n‸\n"),
    ("options", "four options to choose from", "## Options\nA) ‸\nB) \nC) \nD) \n"),
    ("answer", "which option is right, and why", "**Correct Answer:** ‸\n\n## Explanation\n"),
    ("steps", "a derivation, step by step", "## Steps / Derivation\n1. ‸\n"),
    ("related", "links to other cards", "## Related Concepts\n- [[‸]]\n"),
    ("cloze", "hidden words", "{{c1::‸}}"),
    ("math", "a formula on lines of its own", "$$\n‸\n$$\n"),
    (
        "aligned",
        "equations under each other",
        "$$\n\\begin{aligned}\n‸ &= \\\\\n &= \n\\end{aligned}\n$$\n",
    ),
    (
        "cases",
        "a definition by cases",
        "$$\n\\begin{cases}\n‸ & \\text{if } \\\\\n & \\text{otherwise}\n\\end{cases}\n$$\n",
    ),
    ("matrix", "a matrix", "$$\n\\begin{pmatrix}\n‸ &  \\\\\n & \n\\end{pmatrix}\n$$\n"),
    ("table", "a table", "| ‸ | |\n|---|---|\n| | |\n"),
    ("code", "a block of Python", "```python\n‸\n```\n"),
    ("note", "a note beside the text", "> [!note]\n> ‸\n"),
    ("footnote", "a footnote", "[^1]: ‸\n"),
)

#: What a key of the frontmatter begins with.
KEYS: Final = (
    ("id", "names the card", "id: ‸"),
    ("course", "the course it belongs to", "course: ‸"),
    ("tags", "words to find it by", "tags: [‸]"),
    ("difficulty", "1 to 5", "difficulty: ‸"),
    ("type", "derivation, basic, cloze, ...", "type: ‸"),
    ("status", "where it stands", "status: ‸"),
    ("exercise", "a layer's name", "exercise: ‸"),
    ("given", "a forward message of your own", "exercise:\n  given: |\n    ‸\n  find: dL/dx"),
    ("answer", "the number, of a numeric card", "answer: ‸"),
    ("tolerance", "how far off it may be", "tolerance: ‸1%"),
    ("macros", "LaTeX commands of this card", "macros:\n  ‸: "),
)


def inserted(text: str) -> tuple[str, int]:
    """What a snippet puts in, and how many characters of it stand before the cursor."""
    before, mark, after = text.partition(CURSOR)
    return before + after, len(before) if mark else len(text)
