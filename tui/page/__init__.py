"""A card's Markdown as rows of styled text.  No Textual here: screens and commands share it.

read(markdown) -> Document                what the Markdown says, parsed once (read.py)
Page(document).at(width) -> PageLayout    rows for a width, kept by width (page.py, layout.py)
printed(layout, ...) -> str               rows for a terminal or a pipe (output.py)
copied(layout, start, end) -> str         what a selection puts on the clipboard (output.py)
"""
