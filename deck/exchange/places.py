"""Names from outside made safe for folders and files of every system."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from hashlib import blake2b

from cards.text import one_line
from deck.exchange.bundle import ExchangeError

#: Signs that some system forbids in a name, or that mean something in a link of Markdown.
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*#%\[\]^]')
_LINKS = re.compile(r"[\s()]+")
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\..*)?", re.IGNORECASE)
#: Bytes of a name; most systems take 255, and a suffix may follow.
_LONGEST = 120


@lru_cache(4096)
def folder_name(name: str) -> str:
    """A deck's name as a folder's: never hidden, never a way up, never a device of Windows."""
    name = unicodedata.normalize("NFC", one_line(name))
    name = _shortened(_FORBIDDEN.sub("_", name).strip(" ."))
    return _no_device(name or "_")


def file_name(name: str) -> str:
    """A medium's name: the last part of a path, without what a link would have to escape.

    One that had to be changed gets a digest of the original, so that two stay two.
    """
    last = re.split(r"[/\\]", name)[-1]
    safe = unicodedata.normalize("NFC", one_line(last))
    safe = _LINKS.sub("_", _FORBIDDEN.sub("_", safe)).strip(" .")
    stem, dot, suffix = safe.rpartition(".")
    if not dot or len(suffix) > 10:
        stem, suffix = safe, ""
    if suffix.lower() == "md":  # it would be read as a card
        suffix = "txt"
    stem = _no_device(_shortened(stem.strip(" .")) or "file")
    safe = f"{stem}.{suffix}" if suffix else stem
    if safe == name:
        return safe
    return tagged(safe, blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest())


def tagged(name: str, tag: str) -> str:
    """The name with a tag before its suffix."""
    stem, dot, suffix = name.rpartition(".")
    return f"{stem}-{tag}.{suffix}" if dot else f"{name}-{tag}"


def folders_of(path: str) -> tuple[str, ...]:
    """The folders of `--into`.  Raises ExchangeError where they would leave the collection."""
    parts = [part for part in re.split(r"[/\\]", path) if part not in ("", ".")]
    absolute = path.startswith(("/", "\\", "~")) or re.match(r"[A-Za-z]:", path)
    hidden = any(part.startswith(".") for part in parts)
    if absolute or hidden or any(folder_name(part) != part for part in parts):
        raise ExchangeError(
            f"{path!a} is no folder inside the collection: give a path below it, "
            "such as Languages/Czech, without '..' and hidden folders."
        )
    return tuple(parts)


def _shortened(name: str) -> str:
    data = name.encode("utf-8", "replace")
    return data[:_LONGEST].decode("utf-8", "ignore").rstrip(" .")


def _no_device(name: str) -> str:
    return f"_{name}" if _DEVICES.fullmatch(name) else name
