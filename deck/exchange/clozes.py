r"""Hidden texts of other programs in the notation of cards: `{{c1::text::hint}}`.

What is hidden may hold what means something there: `std::vector`, or a brace that nothing closes.
"""

from __future__ import annotations

import re

from cards import cloze
from cards.spans import spans

_OPENING = re.compile(r"\{\{(?=c\d+::)")
#: More numbers a card does not have (`cards.cloze`).
MOST = 999


def hidden(number: int, text: str, hint: str = "", math: bool = False) -> str:
    """A cloze that reads back as these; `math` says that it stands within a formula."""
    text = protected(text, math)
    hint = re.sub(r"[{}]", "", protected(hint, math)).strip()
    written = f"{{{{c{number}::{text}{f'::{hint}' if hint else ''}}}}}"
    if reads_back(written, number):
        return written
    # A brace that nothing closes: an entity shows the same, and is no brace.
    text = text.replace("{", "&#123;").replace("}", "&#125;")
    return f"{{{{c{number}::{text}{f'::{hint}' if hint else ''}}}}}"


def reads_back(written: str, number: int) -> bool:
    """Whether a text is one whole cloze of this number."""
    found = cloze.find(written)
    whole = found.found[0] if len(found.found) == 1 and not found.unclosed else None
    return whole is not None and whole.number == number and whole.end == len(written)


def protected(text: str, math: bool = False) -> str:
    r"""`text` without a `::` that would end it: in words `:\:`, in a formula `:{}:`.

    In code there is no such way: the one sign U+2237 stands for it.
    """
    if "::" not in text:
        return text
    if math:
        return text.replace("::", ":{}:")
    parts, at = [], 0
    for span in spans(text):
        inner = ":{}:" if span.math else "∷"
        parts += [text[at : span.start].replace("::", r":\:")]
        parts += [text[span.start : span.end].replace("::", inner)]
        at = span.end
    return "".join([*parts, text[at:].replace("::", r":\:")])


def plain(text: str) -> str:
    """A text that hides nothing here: `{{c1::` in it is shown as it is."""
    return _OPENING.sub(r"{\\{", text)
