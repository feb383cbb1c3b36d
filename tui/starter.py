"""The cards that come with the program."""

from __future__ import annotations

from pathlib import Path


def copy_starter(folder: Path) -> int:
    """Copies the starter cards that are not there yet; how many.  Nothing is overwritten.

    Raises CardError where one cannot be written.
    """
    import cards
    from cards import save_card

    sources = sorted((Path(cards.__file__).parent / "starter").glob("*.md"))
    missing = [source for source in sources if not (folder / source.name).exists()]
    for source in missing:
        # Through save_card, not a file copy: atomic, and writable whatever the source's mode is.
        save_card(folder / source.name, source.read_bytes().decode("utf-8"), None)
    return len(missing)
