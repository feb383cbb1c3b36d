"""What the plugin was told to look for: its `data.json` in the vault, or what it does untold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from deck.exchange.bundle import Lost

PLUGIN = Path(".obsidian/plugins/obsidian-spaced-repetition/data.json")
_LARGEST = 50_000_000
#: Opening sign -> the older setting that turns it on.
_CLOZES = {
    "==": "convertHighlightsToClozes",
    "**": "convertBoldTextToClozes",
    "{{": "convertCurlyBracketsToClozes",
}


@dataclass(frozen=True, slots=True)
class Settings:
    """Tags without their `#`; the signs that part a question from its answer."""

    tags: tuple[str, ...] = ("flashcards",)
    review_tags: tuple[str, ...] = ("review",)
    folders_are_decks: bool = False
    ignored: tuple[str, ...] = ()
    """Patterns of paths."""
    line: str = "::"
    line_both: str = ":::"
    lines: str = "?"
    lines_both: str = "??"
    end: str = ""
    """A line that ends a card of several lines; "" for a blank one."""
    clozes: tuple[str, ...] = ("==", "**", "{{")
    """The signs that open what is hidden.  Without settings all that the plugin knows; it turns
    on the first alone, but a vault that uses another has said so in settings we do not see."""
    known: bool = False
    """Whether the vault's own settings were read."""


def vault_of(path: Path) -> Path | None:
    """The vault a folder or note lies in, or None."""
    folder = path if path.is_dir() else path.parent
    for each in (folder, *folder.absolute().parents):
        if (each / ".obsidian").is_dir():
            return each
    return None


def settings_of(vault: Path | None, lost: list[Lost]) -> Settings:
    """The vault's settings; the usual ones where there are none that can be read."""
    path = vault / PLUGIN if vault else None
    if path is None or not path.is_file():
        return Settings()
    try:
        if path.stat().st_size > _LARGEST:
            raise ValueError("it is too large")
        found = json.loads(path.read_text(encoding="utf-8-sig"))
        told = found.get("settings", found) if isinstance(found, dict) else None
        if not isinstance(told, dict):
            raise ValueError("it holds no settings")
    except (OSError, ValueError, RecursionError) as error:
        what = f"The plugin's settings cannot be read ({error}); the usual ones were taken."
        lost.append(Lost(PLUGIN.as_posix(), what))
        return Settings()
    return _read(told, lost)


def _read(told: Mapping[str, Any], lost: list[Lost]) -> Settings:
    usual = Settings(known=True, clozes=_clozes(told, lost))

    def text(name: str, otherwise: str) -> str:
        value = told.get(name)
        return value.strip() if isinstance(value, str) and value.strip() else otherwise

    return replace(
        usual,
        tags=_tags(told.get("flashcardTags"), usual.tags),
        review_tags=_tags(told.get("tagsToReview"), usual.review_tags),
        folders_are_decks=told.get("convertFoldersToDecks") is True,
        ignored=_texts(told.get("noteFoldersToIgnore")),
        line=text("singleLineCardSeparator", usual.line),
        line_both=text("singleLineReversedCardSeparator", usual.line_both),
        lines=text("multilineCardSeparator", usual.lines),
        lines_both=text("multilineReversedCardSeparator", usual.lines_both),
        end=text("multilineCardEndMarker", ""),
    )


def _clozes(told: Mapping[str, Any], lost: list[Lost]) -> tuple[str, ...]:
    patterns = told.get("clozePatterns")
    if not isinstance(patterns, list):
        usual = {"convertHighlightsToClozes": True}
        return tuple(sign for sign, name in _CLOZES.items() if told.get(name, usual.get(name)))
    known = []
    for pattern in _texts(patterns):
        if pattern[:2] in _CLOZES:
            known.append(pattern[:2])
        else:
            what = f"Clozes of the form {pattern!r} are not read; those in ==, ** and {{{{ are."
            lost.append(Lost(PLUGIN.as_posix(), what))
    return tuple(dict.fromkeys(known))


def _tags(value: object, otherwise: tuple[str, ...]) -> tuple[str, ...]:
    texts = value.split() if isinstance(value, str) else _texts(value)
    found = tuple(tag.strip().lstrip("#").strip("/") for tag in texts)
    return tuple(tag for tag in found if tag) or otherwise


def _texts(value: object) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()
