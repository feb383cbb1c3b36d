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
    "the file": "{}",
}
#: Of the rules that the page says in words, examples that it has no room for.
_FURTHER: dict[str, dict[str, dict[str, Any]]] = {
    "frontmatter": {
        "course: 2016_001": {"course": "2016_001"},
        "course: no": {"course": "no"},
        "course: 1e3": {"course": "1e3"},
        'course: "Optimal: and robust"': {"course": "Optimal: and robust"},
        "course: ~": {"course": "~"},
        "course: [a, b]": {"course": "", "problems": ["warning 3: `course` is not a text."]},
        "tags: [no, on, 2026-01-06]": {"tags": ["no", "on", "2026-01-06"]},
        "tags: [nn::cnn, pooling]": {"tags": ["nn::cnn", "pooling"]},
        "tags: nn cnn": {"tags": ["nn", "cnn"]},
        "tags: neural networks, cnn": {"tags": ["neural networks", "cnn"]},
        'tags: ["#cnn", cnn]': {"tags": ["cnn"]},
        "type: Multiple Choice": {
            "type": "multiple_choice",
            "problems": [
                "warning 3: `type` is read as `multiple_choice`.",
                "warning 9: A multiple-choice card has fewer than two options.",
            ],
        },
        "type: essay": {
            "type": "basic",
            "problems": ["warning 3: I do not know the type `essay`; it is read as `basic`."],
        },
        "difficulty: 3": {"difficulty": 3},
        "difficulty: hard": {
            "difficulty": None,
            "problems": ["warning 3: `difficulty` is not a number from 1 to 5."],
        },
        'macros:⏎  R: "\\\\mathbb{R}"⏎  KL: D_{p}(#1 \\,\\|\\, #2)    # a comment': {
            "macros": {"\\R": "\\mathbb{R}", "\\KL": "D_{p}(#1 \\,\\|\\, #2)"}
        },
    },
    "the identity": {
        "id: 1e3": {"id": "1e3"},
        "id: Über uns": {"id": "Über uns"},
        "id: a/b": {"problems": ["error 2: The id `a/b` holds a slash."]},
        "id: .hidden": {"problems": ["error 2: The id `.hidden` begins with a dot."]},
        "course: none": {"problems": ["error 1: The card has no `id`."]},
    },
    "the heading": {
        "# Question": {"question": "Why?"},
        "Question⏎===": {"question": "Why?"},
        "Question⏎---": {"question": "Why?"},
        "#Question": {
            "question": "Why?",
            "problems": ["warning 4: `#Question` is read as a heading."],
        },
        "# Frage": {
            "problems": [
                "error 3: The card has no `# Question`.",
                "warning 5: This text above the question is not shown.",
            ]
        },
    },
    "the text": {
        "$$⏎x⏎---⏎y⏎$$": {"question": "$$\nx\n---\ny\n$$", "solution": "Because."},
        "$$⏎# Solution⏎$$": {
            "question": "$$\n# Solution\n$$",
            "solution": "Because.",
            "problems": ["warning 6: formula: # stands for an argument outside a macro."],
        },
        "$$⏎x⏎⏎# Solution⏎Then $5.": {
            "question": "$$\nx",
            "solution": "Then $5.\n\n# Solution\nBecause.",
            "problems": [
                "warning 5: `$$` is opened and never closed.",
                "warning 11: There is a second heading `Solution`; the first counts.",
            ],
        },
        "\\[⏎⏎# Solution⏎\\]": {
            "question": "\\[",
            "solution": "\\]\n\n# Solution\nBecause.",
            "problems": ["warning 10: There is a second heading `Solution`; the first counts."],
        },
        "Head⏎--⏎text": {"sections": [[1, "Question"], [2, "Head"], [1, "Solution"]]},
        "- item⏎--⏎text": {"sections": [[1, "Question"], [1, "Solution"]]},
        "Why?⏎⏎## Options⏎Take one.⏎A) x⏎B) y⏎⏎---⏎More": {
            "type": "basic",
            "question": "Why?\n\nTake one.\n\nMore",
            "options": {"A": "x", "B": "y"},
            "problems": ["warning 16: The solution names no option as the correct answer."],
        },
        "Why?⏎⏎## Options⏎words": {"type": "basic", "question": "Why?\n\nwords", "options": {}},
        "See [[chain_rule]].": {"question": "See [[chain_rule]]."},
        "![[window.png]]": {"question": "![[window.png]]"},
        "![](../../secret.png)": {
            "problems": [
                "warning 5: The embed to `../../secret.png` leaves the collection; "
                "it is not opened."
            ]
        },
        "It costs $5, not $6.": {"question": "It costs $5, not $6."},
        "$\\frac{a}{b$": {"problems": ["warning 5: formula: This brace is never closed."]},
    },
    "the question begins": {
        "(5p) Why?": {"points": 5.0, "question": "Why?"},
        "(2,5 b): Why?": {"points": 2.5, "question": "Why?"},
        "(5) Why?": {"points": None, "question": "(5) Why?"},
        "Why? (5p)": {"points": None, "question": "Why? (5p)"},
    },
    "the solution says": {
        "**Correct Answer:** B": {"correct_letters": ["B"]},
        "Correct answers: A, C": {"correct_letters": ["A", "C"]},
        "Correct Answer: A and C": {"correct_letters": ["A", "C"]},
        "Correct Answer: AC": {"correct_letters": ["A", "C"]},
        "Correct Answer: A (one)": {"correct_letters": ["A"]},
        "Correct Answer: Option B; (C)": {"correct_letters": ["B", "C"]},
        "Correct Answer: b": {"correct_letters": ["B"]},
        "Correct Answer: B) because of the sum": {"correct_letters": ["B"]},
        "Correct Answer: A (two)": {
            "correct_letters": ["A"],
            "problems": ["warning 14: The correct answer A has the text of another option."],
        },
        "Correct Answer: A gradient": {
            "correct_letters": [],
            "problems": ["warning 14: The solution names no option as the correct answer."],
        },
        "Correct Answer: D": {
            "correct_letters": [],
            "problems": ["warning 14: The correct answer D is not among the options."],
        },
        "It depends.": {
            "correct_letters": [],
            "problems": ["warning 14: The solution names no option as the correct answer."],
        },
    },
    "the file": {
        "---⏎id: reversed_order⏎---⏎# Solution⏎Because.⏎⏎# Question⏎Why?⏎": {
            "question": "Why?",
            "solution": "Because.",
        },
        "---⏎id: dashes⏎---⏎# Question⏎One⏎---⏎two⏎# Solution⏎~~~python⏎# no heading⏎~~~⏎": {
            "question": "One\n\n---\ntwo",
            "solution": "~~~python\n# no heading\n~~~",
            "sections": [[1, "Question"], [1, "Solution"]],
            "problems": ["warning 6: `---` stands right under a paragraph."],
        },
        "---⏎id: capital⏎type: reversed⏎---⏎# Question⏎France⏎⏎# Solution⏎Paris⏎": {
            "items": {"capital": ["France", "Paris"], "capital/r": ["Paris", "France"]}
        },
        "---⏎id: rate⏎type: numeric⏎answer: 0.03⏎tolerance: 5%⏎---⏎# Question⏎r?⏎# Solution⏎x⏎": {
            "correct": "0.03",
            "tolerance": "5%",
        },
    },
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
def test_the_examples_of_each_rule_hold(kind: str) -> None:
    on_the_page = {code(row[0]): json.loads(code(row[1])) for row in rows(_PAGE, kind)}
    assert on_the_page or kind in ("the identity", "the file")
    wrong = {}
    for written, read in (on_the_page | _FURTHER[kind]).items():
        text = _AROUND[kind].format(written.replace("⏎", "\n"))
        if found := unlike(read, text):
            wrong[written] = found
    assert not wrong
