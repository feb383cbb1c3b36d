r"""Cloze deletions in Anki's notation, `{{c1::text::hint}}`, and the items of a card.

Clozes may stand inside LaTeX: braces are balanced while reading, so that `{{c1::\frac{a}{b}}}` ends
where a reader sees it end; a brace behind a backslash counts for nothing.  And they may stand in
one another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from cards.model import Card, Item
from cards.spans import in_math, math_spans, spans

_TOKEN = re.compile(r"\\.|\{\{c([1-9]\d{0,2})::|::|\{|\}", re.DOTALL)
_FORMULA = re.compile(r"\$([^$\n]+)\$")
#: Beside these, stars would become a part of a link, a tag or another emphasis.
_TAKEN = frozenset('*_~`[]<>|/="')
_MAX_NESTING = 8


@dataclass(frozen=True, slots=True)
class Cloze:
    """Offsets into the text: the whole, and the hidden text; the hint is empty for none."""

    number: int
    start: int
    end: int
    text: tuple[int, int]
    hint: str
    math: bool
    """Whether it stands inside a formula."""
    inner: tuple[Cloze, ...]


@dataclass(frozen=True, slots=True)
class Clozes:
    """The outermost clozes of a text, in order, and the offsets of openings that nothing closes."""

    found: tuple[Cloze, ...]
    unclosed: tuple[int, ...] = ()

    @property
    def numbers(self) -> list[int]:
        """Every number that is asked, ascending."""
        return sorted(_numbers(self.found))


def _numbers(clozes: tuple[Cloze, ...]) -> set[int]:
    return {c.number for c in clozes}.union(*(_numbers(c.inner) for c in clozes))


@dataclass(slots=True)
class _OpenCloze:
    """A cloze that is not closed yet, and how many plain braces are open inside it."""

    start: int
    number: int
    text_at: int
    hint_at: int | None = None
    braces: int = 0
    inner: list[Cloze] = field(default_factory=list)


def find(text: str) -> Clozes:
    """Every cloze of a text, in one pass."""
    formulas = math_spans(text)
    stack = [_OpenCloze(0, 0, 0)]
    skip_to = 0
    for token in _TOKEN.finditer(text):
        top, at = stack[-1], token.start()
        if at < skip_to:
            continue
        if token[1]:
            if len(stack) <= _MAX_NESTING:
                stack.append(_OpenCloze(at, int(token[1]), token.end()))
            else:
                top.braces += 2
        elif token[0] == "{":
            top.braces += 1
        elif token[0] == "::" and top.hint_at is None and not top.braces:
            top.hint_at = at
        elif token[0] == "}" and top.braces:
            top.braces -= 1
        elif token[0] == "}" and top.number and text.startswith("}}", at):
            stack.pop()
            stack[-1].inner.append(_close(text, top, at, in_math(formulas, top.start)))
            skip_to = at + 2
    found = [cloze for each in stack for cloze in each.inner]
    return Clozes(tuple(found), tuple(each.start for each in stack[1:]))


def _close(text: str, top: _OpenCloze, at: int, math: bool) -> Cloze:
    text_end = at if top.hint_at is None else top.hint_at
    hint = "" if top.hint_at is None else text[top.hint_at + 2 : at].strip()
    inner = tuple(cloze for cloze in top.inner if cloze.end <= text_end)
    return Cloze(top.number, top.start, at + 2, (top.text_at, text_end), hint, math, inner)


def rewritten(
    text: str,
    clozes: Iterable[Cloze],
    write: Callable[[Cloze], str | None],
    at: int = 0,
    end: int | None = None,
) -> str:
    """The text between two offsets with what `write` makes of each cloze in its place; where that
    is None, with the cloze's own text, rewritten too."""
    parts: list[str] = []
    for cloze in clozes:
        new = write(cloze)
        inner = rewritten(text, cloze.inner, write, *cloze.text) if new is None else new
        parts += [text[at : cloze.start], inner]
        at = cloze.end
    return "".join([*parts, text[at:end]])


def render(text: str, clozes: Clozes, asked: int | None) -> str:
    """The text with cloze number `asked` hidden and every other one shown (None: all shown)."""
    return rewritten(
        text, clozes.found, lambda cloze: _hidden(cloze) if cloze.number == asked else None
    )


def render_answer(text: str, clozes: Clozes, asked: int | None) -> str:
    """The text with every cloze shown; what number `asked` hid (None: each) is bold, in a formula
    boxed.

    Not where Markdown would take the stars for something else: in code, beside other stars, over
    several lines, or with a sign at an end that stands beside a letter.
    """
    code = [(span.start, span.end) for span in spans(text) if not span.math]

    def told(cloze: Cloze) -> str | None:
        if asked not in (None, cloze.number):
            return None
        shown = rewritten(text, cloze.inner, lambda _: None, *cloze.text)
        around = text[cloze.start - 1 : cloze.start], text[cloze.end : cloze.end + 1]
        return _told(shown, cloze.math, in_math(code, cloze.start), around)

    return rewritten(text, clozes.found, told)


def _told(shown: str, math: bool, in_code: bool, around: tuple[str, str] = ("", "")) -> str:
    if math:
        # Of an alignment's cell or a row a box would be torn.
        return shown if "&" in shown or r"\\" in shown else rf"\boxed{{{shown}}}"
    if formula := _FORMULA.fullmatch(shown):
        return shown if in_code else f"${_told(formula[1], math=True, in_code=False)}$"
    if in_code or shown != shown.strip() or not shown or "\n" in shown or set(shown) & set("*_`|"):
        return shown
    ends = zip((shown[0], shown[-1]), around, strict=True)
    sound = all(
        near not in _TAKEN and (inside.isalnum() or not near.isalnum()) for inside, near in ends
    )
    return f"**{shown}**" if sound else shown


def _hidden(cloze: Cloze) -> str:
    if not cloze.math:
        return f"[{cloze.hint or '...'}]"
    # A bare "[" could become the optional argument of the command before it.
    plain = re.fullmatch(r"[\w\s,.;:!?'()/+=-]+", cloze.hint)
    inside = rf"\text{{{cloze.hint}}}" if plain else cloze.hint.replace("$", "") or r"\ldots"
    return rf"\boxed{{{inside}}}"


# Items: one, one for each cloze number, or one for each direction

# Every number repeats the whole text; a hostile card must not turn 1 MB into a gigabyte.
MAX_CLOZE_CHARACTERS = 4_000_000


def items_of(card_id: str, kind: str, question: str, solution: str) -> tuple[Item, ...]:
    """The items of a card; `id`, `id/c1` (cloze) and `id/r` (reversed) are their ids.

    A cloze item's answer is the text with everything shown, and the solution where there is one.
    """
    if kind == "cloze":
        clozes = find(question)
        shown = _answer(render(question, clozes, None), solution)
        return tuple(
            Item(f"{card_id}/c{number}", render(question, clozes, number), shown)
            for number in clozes.numbers
        )
    forth = Item(card_id, question, solution)
    if kind == "reversed":
        return (forth, Item(f"{card_id}/r", solution, question))
    return (forth,)


def revealed(card: Card) -> str:
    """The question as a page shows it: of a cloze card with nothing hidden."""
    if card.type != "cloze" or not card.items:
        return card.question
    # Every item's answer is that text with the solution behind it: nothing is parsed again.
    return card.items[0].answer.removesuffix(card.solution).rstrip()


def told(card: Card, item: Item | None = None) -> tuple[str, str]:
    """The question as it stands after a reveal, and the answer that is shown behind it.

    A cloze is filled in, with what the item asks for marked (what any item asks, for None).
    """
    if card.type != "cloze":
        return (item.prompt, item.answer) if item else (card.question, card.solution)
    number = int(item.id.removeprefix(f"{card.id}/c")) if item else None
    return render_answer(card.question, find(card.question), number), card.solution


def _answer(shown: str, solution: str) -> str:
    return "\n\n".join(part for part in (shown, solution) if part)
