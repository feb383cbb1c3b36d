"""The path of a file below the collection's folder as one value that sorts as its parts do."""

from __future__ import annotations


def path_key(parts: tuple[str, ...]) -> bytes:
    """A path below the root; keys sort as the parts do.  NUL is in no file's name."""
    return "\0".join(parts).encode("utf-8", "surrogatepass")


def key_parts(key: bytes) -> tuple[str, ...]:
    return tuple(key.decode("utf-8", "surrogatepass").split("\0"))
