"""docs/card-format.md: every rule's example, read by the program, is what the page says."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from tests.docs.card_facts import unlike
from tests.docs.pages import DOCS, PAGES, Block, blocks, code, rows

_PAGE = DOCS / "card-format.md"
_AROUND = {
    "frontmatter": "---\nid: example\n{}\n---\n# Question\nWhy?\n\n# Solution\nBecause.\n",
    "the question begins": "---\nid: example\n---\n# Question\n{}\n\n# Solution\nBecause.\n",
    "the solution says": "---\nid: example\ntype: multiple_choice\n---\n# Question\nWhich?\n\n"
    "## Options\nA) one\nB) two\nC) three\n\n# Solution\n{}\n",
    "the identity": "---\n{}\n---\n# Question\nWhy?\n\n# Solution\nBecause.\n",
    "the heading": "---\nid: example\n---\n{}\nWhy?\n\n# Solution\nBecause.\n",
    "the text": "---\nid: example\n---\n# Question\n{}\n\n# Solution\nBecause.\n",
}


def _examples() -> list[tuple[Block, str]]:
    """Cards, each with the JSON that stands right behind it, or with none."""
    found = []
    for page in PAGES:
        every = [*blocks(page), Block(page, 0, "", "")]
        for block, after in pairwise(every):
            if block.language == "markdown" and block.text.startswith("---"):
                found.append((block, after.text if after.language == "json" else "{}"))
    return found


@pytest.mark.parametrize(
    ("block", "said"), _examples(), ids=lambda value: getattr(value, "place", "")
)
def test_a_card_reads_as_the_page_says_and_without_problems_that_it_does_not_name(
    block: Block, said: str
) -> None:
    assert unlike(json.loads(said), block.text) == {}


@pytest.mark.parametrize("kind", _AROUND)
def test_the_tables_of_variants_hold(kind: str) -> None:
    wrong = {}
    examples = rows(_PAGE, kind)
    assert examples
    for written, read, *_ in examples:
        text = _AROUND[kind].format(code(written).replace("⏎", "\n"))
        if found := unlike(json.loads(code(read)), text):
            wrong[written] = found
    assert not wrong
