"""The three types of notes that our cards become, as Anki keeps them."""

from __future__ import annotations

from typing import Any

BASIC, REVERSED, CLOZE = 1763000000001, 1763000000002, 1763000000003
"""Their ids: the same for good, so that a second import finds them again."""

_MADE = 1763000000
#: Anki's own preamble, for whoever writes `[latex]` into such a note.
_PRE = (
    "\\documentclass[12pt]{article}\n\\special{papersize=3in,5in}\n\\usepackage{amssymb,amsmath}\n"
    "\\pagestyle{empty}\n\\setlength{\\parindent}{0in}\n\\begin{document}\n"
)
_POST = "\\end{document}"
_CSS = """\
.card { font-family: Georgia, serif; font-size: 20px; text-align: left; max-width: 46rem;
  margin: 0 auto; padding: 0 1rem; }
.options { list-style: none; padding-left: 0.5em; }
.options p { display: inline; margin: 0; }
.missing { font-style: italic; opacity: 0.7; }
table { border-collapse: collapse; }
th, td { border: 1px solid; padding: 0.2em 0.5em; }
pre { white-space: pre-wrap; }
img { max-width: 100%; }
.cloze { font-weight: bold; color: #06c; }
.nightMode .cloze { color: #6bf; }
"""
_REST = "{{FrontSide}}\n\n<hr id=answer>\n\n"


def notetypes(deck: int) -> dict[str, Any]:
    """The column `models`; `deck`: where a new note goes."""
    question, answer = "{{Front}}", f"{_REST}{{{{Back}}}}"
    basic = _kind(BASIC, "deltadeck", ("Front", "Back"), [("Card 1", question, answer)], deck)
    there_and_back = [
        ("Card 1", question, answer),
        ("Card 2", "{{Back}}", f"{_REST}{{{{Front}}}}"),
    ]
    turned = _kind(REVERSED, "deltadeck reversed", ("Front", "Back"), there_and_back, deck)
    shown = "{{cloze:Text}}"
    cloze = _kind(
        CLOZE,
        "deltadeck cloze",
        ("Text", "Back Extra"),
        [("Cloze", shown, f"{shown}<br>\n{{{{Back Extra}}}}")],
        deck,
    )
    return {str(kind["id"]): kind for kind in (basic, turned, cloze | {"type": 1})}


def _kind(
    number: int,
    name: str,
    fields: tuple[str, ...],
    templates: list[tuple[str, str, str]],
    deck: int,
) -> dict[str, Any]:
    return {
        "id": number,
        "name": name,
        "type": 0,
        "mod": _MADE,
        "usn": -1,
        "sortf": 0,
        "did": deck,
        "flds": [_field(index, each) for index, each in enumerate(fields)],
        "tmpls": [_template(index, *each) for index, each in enumerate(templates)],
        "css": _CSS,
        "latexPre": _PRE,
        "latexPost": _POST,
        "latexsvg": False,
        "req": [[index, "any", [index]] for index in range(len(templates))],
        "tags": [],
        "vers": [],
    }


def _field(index: int, name: str) -> dict[str, Any]:
    look = {"font": "Arial", "size": 20, "rtl": False, "sticky": False, "media": []}
    return {"name": name, "ord": index, **look}


def _template(index: int, name: str, question: str, answer: str) -> dict[str, Any]:
    rest = {"bqfmt": "", "bafmt": "", "did": None, "bfont": "", "bsize": 0}
    return {"name": name, "ord": index, "qfmt": question, "afmt": answer, **rest}
