"""What a field becomes, and the pictures, sounds and addresses in it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import quote, unquote

from deck.exchange.anki.inline import escaped

WEB = re.compile(r"(?:https?|mailto):(?:[^\s<>\"\\]| )*", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
IN_ADDRESSES = "/:?=&#%@+,;~!$'*.-_"


@dataclass(slots=True)
class Converted:
    """A field, or a side of a card, as Markdown."""

    text: str
    media: dict[str, None] = field(default_factory=dict)
    """Names of the pictures and sounds that it shows."""
    lost: list[str] = field(default_factory=list)
    """Sentences."""
    hidden: list[tuple[str, Converted]] = field(default_factory=list)
    """What a browser does not draw, or only after a click; with the words to click on, or ""."""


def medium(made: Converted, tag: str, attributes: dict[str, str]) -> str:
    """A picture, or a link to a sound, as Markdown, which `made` then counts among its own."""
    source = attributes.get("src", "").strip()
    label = re.sub(r"[\[\]\\`<>]", "", " ".join(attributes.get("alt", "").split()))[:200]
    if not source:
        return ""
    if source.lower().startswith(("http:", "https:")):
        shown = tag == "img" and WEB.fullmatch(source)
        return f"![{label}]({quote(source, safe=IN_ADDRESSES)})" if shown else ""
    if _SCHEME.match(source):
        kind = source.partition(":")[0].lower()
        what = f"A picture or sound that is written into the text ({kind}:) was left out."
        made.lost.append(what)
        return ""
    name = unquote(source)
    made.media[name] = None
    target = quote(name, safe="/-_.~!,;=@+$*'&")
    if tag == "img":
        return f"![{label}]({target})"
    return f" [{escaped(' '.join(name.split()))}]({target}) "


@lru_cache(maxsize=64)
def words(text: str) -> str:
    """The words of a Markdown text, a space around each."""
    return f" {' '.join(_WORD.findall(text.replace(chr(92), '')))} "


def is_said(text: str, told: Iterable[str]) -> bool:
    """Whether the words of a text stand in one of the others, in their order."""
    said = words(text)
    return any(said in words(each) if said.strip() else text in each for each in told)
