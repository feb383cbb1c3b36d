"""Names that the program itself gives: settings, figures, formats, layers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def named(
    command: str, argument: str, current: str, key: str, words: Sequence[str]
) -> Iterable[tuple[str, str]]:
    """What `argument` of a command takes; `key` is the setting that `config` is about."""
    match command, argument:
        case "config", "key":
            return _settings()
        case "config", "value":
            return ((value, "") for value in _taken(key))
        case "stats", "plot":
            return _figures(current)
        case "export", "format":
            from deck.exchange.export.formats import FORMATS

            return ((each.name, each.title) for each in FORMATS)
        case "import", "format":
            from deck.exchange.readers import READERS

            return ((each.name, "") for each in READERS)
        case "layers", "layer":
            from engine.exercise import layers

            return ((name, "") for name in layers())
        case "completion", "shell" if not words:
            return ((shell, "") for shell in ("bash", "zsh", "fish"))
    return ()


def _settings() -> Iterable[tuple[str, str]]:
    from deck.settings import GROUPS, THEME

    known = {each.key: each.help for group in GROUPS for each in group.settings}
    return ((name, said) for name, said in sorted(known.items()) if name != THEME)


def _taken(key: str) -> Sequence[str]:
    from deck.settings import GROUPS

    found = (each for group in GROUPS for each in group.settings if each.key == key)
    setting = next(found, None)
    return setting.offered if setting else ()


def _figures(current: str) -> Iterable[tuple[str, str]]:
    """Names with commas between."""
    from tui.plots.catalogue import ENTRIES

    head = current.rpartition(",")[0]
    given = head.split(",")
    for entry in ENTRIES:
        if entry.name not in given:
            yield (f"{head},{entry.name}" if head else entry.name), entry.title
