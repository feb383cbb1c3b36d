"""What the templates draw: no answer is lost from the back, and none is given away on the front."""

from __future__ import annotations

import pytest

from deck.exchange.anki.html import to_markdown
from deck.exchange.anki.templates import cloze_sides, sides

FIELDS = {"F": "front", "B": "back", "E": "more", "P": '<img src="p.png">', "N": ""}
_RULE = "<hr id=answer>"


def both(front: str, back: str) -> tuple[str, str]:
    made = sides(front, back, FIELDS)
    return to_markdown(made.front).text, to_markdown(made.back).text


@pytest.mark.parametrize(
    ("front", "back", "solution"),
    [
        ("{{F}}", "{{FrontSide}}\n\n<hr id=answer>\n\n{{B}}", "back"),
        ("{{F}}", "<div class=q>{{FrontSide}}</div><hr class=x id='answer'/>{{B}}", "back"),
        ("<b>{{F}}</b>", '<div>{{F}}</div><br><hr id="answer">{{B}}', "back"),
        ("{{F}}{{type:B}}", "{{F}}<hr id=answer>{{type:B}}", "back"),
        ("{{F}}", f"{{{{B}}}}{_RULE}{{{{FrontSide}}}}", "back"),
        ("{{F}}", f"<b>{{{{B}}}}</b>{_RULE}{{{{E}}}}", "**back**\n\n* * *\n\nmore"),
        ("{{F}}", f"<b>{{{{B}}}}</b>{_RULE}{{{{N}}}}", "**back**"),
        ("{{F}}", f"{{{{FrontSide}}}}<p>{{{{B}}}}</p>{_RULE}{{{{E}}}}", "back\n\n* * *\n\nmore"),
        ("{{F}}", f"{{{{P}}}}{_RULE}{{{{B}}}}", "![](p.png)\n\n* * *\n\nback"),
        ("{{F}}", f"{{{{F}}}}{_RULE}{{{{B}}}}{_RULE}{{{{E}}}}", "back\n\n* * *\n\nmore"),
        ("{{F}}", f"{{{{F}}}}{{{{#N}}}}{_RULE}{{{{N}}}}{{{{/N}}}}", "front"),
        ("{{F}}", f"{{{{F}}}}{{{{#E}}}}{_RULE}{{{{B}}}}{{{{/E}}}}", "back"),
        ("{{F}}", f"<!-- {{{{FrontSide}}}}{_RULE} -->{{{{B}}}}", "back"),
        ("{{F}}", "{{FrontSide}}<br>{{B}}", "back"),
        ("{{F}}", "", ""),
    ],
)
def test_only_the_front_is_cut_from_the_back(front: str, back: str, solution: str) -> None:
    assert both(front, back)[1] == solution


def test_a_hint_waits_for_the_solution() -> None:
    assert both("{{F}} {{hint:B}}", "{{FrontSide}}<hr id=answer>{{B}}") == ("front", "back")
    made = both("{{F}} {{hint:E}}{{hint:N}}", "{{FrontSide}}<hr id=answer>{{B}}")
    assert made == ("front", "back\n\nE: more")
    assert both("{{F}}", "{{hint:B}}") == ("front", "back")
    assert both("{{F}}{{#E}}{{hint:kanji:E}}{{/E}}", "{{B}}") == ("front", "back\n\nE: more")
    cloze = cloze_sides("{{cloze:F}}{{hint:B}}", "{{cloze:F}}{{hint:B}}", FIELDS)
    assert (cloze.front, cloze.back) == ("front", "back")
