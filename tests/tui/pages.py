"""Pages for the tests: Markdown to the rows that are drawn."""

from __future__ import annotations

from rich.cells import cell_len

from tui.page.output import SelectionEnd, copied, printed
from tui.page.page import Page, PageLayout
from tui.page.read import Context, read


def sheet(markdown: str, width: int = 40, context: Context | None = None) -> PageLayout:
    return Page(read(markdown, context or Context())).at(width)


def rows(markdown: str, width: int = 40, context: Context | None = None) -> list[str]:
    """The text of each row, blanks at its end left out."""
    return [row.text.rstrip() for row in sheet(markdown, width, context).rows]


def shown(markdown: str, width: int = 40, context: Context | None = None) -> str:
    return "\n".join(rows(markdown, width, context))


def plain(markdown: str, width: int = 40) -> str:
    """As a pipe gets it."""
    return printed(sheet(markdown, width), styled=False)


def styles(markdown: str, word: str, width: int = 40, context: Context | None = None) -> set[str]:
    """The styles of the spans that hold a word."""
    found = sheet(markdown, width, context)
    return {span.style for row in found.rows for span in row.spans if word in span.text}


def copy_all(markdown: str, width: int = 40) -> str:
    found = sheet(markdown, width)
    last = len(found.rows) - 1
    if last < 0:
        return ""
    return copied(found, SelectionEnd(0, 0), SelectionEnd(last, len(found.rows[last].text)))


def widths_are_right(found: PageLayout) -> bool:
    """Whether every row says its width, and only what scrolls is wider than the page."""
    return all(
        cell_len(row.text) == row.width and (row.wide >= 0 or row.width <= found.width)
        for row in found.rows
    )
