"""What the templates draw: no answer is lost from the back, and none is given away on the front."""

from __future__ import annotations

import pytest

from deck.exchange.anki.html import to_markdown
from deck.exchange.anki.notes import sides

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


def test_a_hint_is_drawn_after_a_click() -> None:
    made = sides("{{F}} {{hint:E}}{{hint:N}}", "{{FrontSide}}<hr id=answer>{{B}}", FIELDS)
    front = to_markdown(made.front)
    assert (front.text, [(t, m.text) for t, m in front.hidden]) == ("front", [("E", "more")])
    assert made.drawn == {"F", "E", "N", "B"}
    made = sides("{{F}}{{#E}}{{hint:kanji:E}}{{/E}}", "{{kana:B}}", FIELDS)
    assert [(t, m.text) for t, m in to_markdown(made.front).hidden] == [("E", "more")]
