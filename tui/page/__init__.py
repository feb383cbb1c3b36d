"""A card's Markdown as rows of styled text.  No Textual here: screens and commands share it.

read(markdown) -> Document          what the Markdown says, parsed once (tui/page/read.py)
Page(document).at(width) -> Sheet   rows for a width, kept by width (tui/page/page.py)
printed(sheet, ...) -> str          rows for a terminal or a pipe (tui/page/output.py)
copied(sheet, start, end) -> str    what a selection puts on the clipboard (tui/page/output.py)
"""
