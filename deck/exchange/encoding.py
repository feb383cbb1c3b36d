"""Which encoding a text file is in: found by its bytes, never by the machine's settings."""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from dataclasses import dataclass

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins like UTF-16's
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_PAGES = {"cp1250": "Windows-1250", "cp1252": "Windows-1252"}
#: Bytes that are no character in each of the two code pages.
_UNDEFINED = {
    "cp1250": frozenset(b"\x81\x83\x88\x90\x98"),
    "cp1252": frozenset(b"\x81\x8d\x8f\x90\x9d"),
}
#: How much a byte speaks for Windows-1250 (the languages between Germany and Russia), or below 0
#: for Windows-1252: what is a common letter in one is a rarity in the other.
_SPEAKS = (
    dict.fromkeys(b"\xb9\xb3\x9f\x9d\x8d\xbe", 3)  # ą ł ź ť Ť ľ against ¹ ³ Ÿ, nothing, ¾
    | dict.fromkeys(b"\x9a\x9e\x8a\x8e\xec\xcc\x9c", 2)  # š ž Š Ž ě Ě ś against œ, ì
    | dict.fromkeys(b"\xe0\xe5\xe3\xfb\x92", -2)  # à å ã û against ŕ ĺ ă ű; a curly apostrophe
    | dict.fromkeys(b"\xea\xe6\xf1", -1)  # ê æ ñ against ę ć ń
)
#: UTF-16 without a mark: this share of one half of the bytes is 0.
_ZEROS = 0.3


@dataclass(frozen=True, slots=True)
class Encoding:
    """`name` as `open` takes it; `guess` is its usual name where it is only likely, else ""."""

    name: str
    guess: str = ""

    @property
    def notice(self) -> str:
        """A sentence for the reader's report, or ""."""
        if not self.guess:
            return ""
        return (
            f"The file is not UTF-8; it was read as {self.guess}. "
            "If letters came out wrong, save it as UTF-8 and import it again."
        )


class NotTextError(ValueError):
    """The bytes are those of no text; the message is a sentence."""


def encoding_of(chunks: Iterable[bytes]) -> Encoding:
    """The encoding of a file, given as its bytes in pieces.

    UTF-8, UTF-16 and UTF-32 are known for certain, the first two also without a mark; else it is
    one of the Windows code pages of Europe, by its letters.

    Raises:
        NotTextError: they are no text.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    seen = [0] * 256
    head, is_utf8, size = b"", True, 0
    for chunk in chunks:
        if not head:
            head = chunk
            marked = next((name for bom, name in _BOMS if chunk.startswith(bom)), None)
            if marked and marked != "utf-8-sig":
                return Encoding(marked)
        size += len(chunk)
        if is_utf8:
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError:
                is_utf8 = False
        if not is_utf8 or b"\0" in chunk:
            for byte in set(chunk):
                seen[byte] += chunk.count(byte)
    if is_utf8:
        try:
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            is_utf8 = False
            seen = [head.count(byte) for byte in range(256)]
    if wide := _unmarked_wide(head):
        return Encoding(wide)
    if is_utf8:
        _refuse_zeros(seen, size)
        return Encoding("utf-8-sig")
    return _code_page(seen, size)


def _unmarked_wide(head: bytes) -> str:
    sample = head[:4096]
    if len(sample) < 8:
        return ""
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if odd > _ZEROS * half and even <= half // 50:
        return "utf-16-le"
    if even > _ZEROS * half and odd <= half // 50:
        return "utf-16-be"
    return ""


def _refuse_zeros(seen: list[int], size: int) -> None:
    controls = sum(seen[byte] for byte in range(32) if byte not in b"\t\n\r\f\x0b\x1b")
    if controls > max(8, size // 100):
        raise NotTextError("This is no text file, but a program's own data.")


def _code_page(seen: list[int], size: int) -> Encoding:
    _refuse_zeros(seen, size)
    score = sum(weight * seen[byte] for byte, weight in _SPEAKS.items())
    order = ("cp1250", "cp1252") if score > 0 else ("cp1252", "cp1250")
    for name in order:
        if not any(seen[byte] for byte in _UNDEFINED[name]):
            return Encoding(name, _PAGES[name])
    raise NotTextError("Its bytes are no text in UTF-8, UTF-16 or a Windows code page.")
