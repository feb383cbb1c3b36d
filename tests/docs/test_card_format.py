"""docs/card-format.md: every rule's example, read by the program, is what the page says."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from cards.lint import lint_card
from cards.model import Card
from cards.parse import analyse
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


def facts(text: str) -> dict[str, Any]:
    """All that an example may say of a card; of one that cannot be read, only its problems."""
    card, _ = analyse(text)
    said = [f"{p.severity} {p.line}: {p.message}" for p in lint_card(text)]
    return {"problems": said} | (_read(card) if card else {})


def _read(card: Card) -> dict[str, Any]:
    return {
        "id": card.id,
        "course": card.course,
        "tags": list(card.tags),
        "difficulty": card.difficulty,
        "type": card.type,
        "status": card.status,
        "points": card.points,
        "question": card.question,
        "solution": card.solution,
        "options": {o.letter: o.text for o in card.options if not o.placeholder},
        "correct": card.correct,
        "correct_letters": list(card.correct_letters),
        "tolerance": card.tolerance,
        "sections": [[s.level, s.title] for s in card.sections],
        "related": list(card.related),
        "exercise": card.exercise,
        "macros": dict(card.macros),
        "extra": dict(card.extra),
        "items": {item.id: [item.prompt, item.answer] for item in card.items},
    }


def unlike(expected: dict[str, Any], text: str) -> dict[str, Any]:
    """What an example says that is not so, with what is; no problems are expected unsaid."""
    found, wanted = facts(text), {"problems": [], **expected}
    return {key: found.get(key) for key, value in wanted.items() if found.get(key) != value}


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
def test_a_card_reads_as_the_page_says_and_with_no_other_problems(block: Block, said: str) -> None:
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
