"""Small cards for the tests of this folder."""

from __future__ import annotations


def card_text(
    header: str = "", question: str = "Why?", solution: str = "Because.", options: str = ""
) -> str:
    """A card whose id is `x`; `header` adds lines to its frontmatter."""
    fields = "id: x\n" + (header.rstrip("\n") + "\n" if header else "")
    below = f"\n## Options\n{options}\n" if options else ""
    return f"---\n{fields}---\n\n# Question\n{question}\n{below}\n---\n# Solution\n{solution}\n"
