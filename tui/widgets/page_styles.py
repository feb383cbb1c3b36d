"""What the roles of a page look like on the screen: colours of the theme, nothing else."""

from __future__ import annotations

from textual.color import Color, ColorParseError
from textual.style import Style
from textual.widget import Widget

_LOOKS = {
    "heading1": "color: $text-primary; text-style: bold;",
    "heading2": "color: $text-primary; text-style: bold;",
    "heading3": "color: $text-primary; text-style: bold;",
    "heading4": "text-style: bold italic;",
    "heading5": "text-style: italic;",
    "heading6": "color: $text-muted; text-style: italic;",
    "head": "text-style: bold;",
    "callout": "color: $text-primary; text-style: bold;",
    "math": "color: $text-accent;",
    "code": "color: $text-secondary;",
    "codeblock": "background: $surface;",
    "link": "color: $text-primary; text-style: underline;",
    "missing": "color: $text-muted; text-style: italic;",
    "mark": "color: $text-primary;",
    "chosen": "color: $text-primary; text-style: bold;",
    "right": "color: $text-success; text-style: bold;",
    "wrong": "color: $text-error; text-style: bold;",
    "quote": "color: $text-primary;",
    "rule": "color: $text-disabled;",
    "fold": "color: $text-muted;",
    "picture": "color: $text-muted;",
    "warning": "color: $text-error; text-style: underline;",
    "edge": "color: $text-warning; text-style: bold;",
    "found": "color: $text-warning; text-style: bold underline;",
    "lit": "background: $warning-muted;",
    "picked": "color: $block-cursor-foreground; background: $block-cursor-background;",
    "syntax-comment": "color: $text-muted; text-style: italic;",
    "syntax-keyword": "color: $text-accent;",
    "syntax-string": "color: $text-success;",
    "syntax-number": "color: $text-warning;",
    "syntax-name": "color: $text-primary;",
    "syntax-builtin": "color: $text-secondary;",
}
#: Of what the views of a card scroll in: for each view by itself, styling a new screen took
#: three times as long.
PAGE_CLASSES = {f"page--{role}" for role in _LOOKS}
PAGE_CSS = "".join(f"CardScroll > .page--{role} {{ {look} }}\n" for role, look in _LOOKS.items())
# The terminal's own colours have no pale one to lay under words.
PAGE_CSS += """
CardScroll:ansi > .page--lit { background: initial; text-style: reverse; }
CardScroll:ansi > .page--picked { text-style: reverse; }
"""

#: How much of the text's own colour is in a formula's.
_PLAIN = 0.5
_ATTRIBUTES = {
    "bold": Style(bold=True),
    "italic": Style(italic=True),
    "underline": Style(underline=True),
    "strike": Style(strike=True),
    "dim": Style(dim=True),
    "reverse": Style(reverse=True),
}
#: An author's red is the theme's: it can be read on its background.
_THEMED = {
    "red": "error",
    "green": "success",
    "blue": "primary",
    "orange": "warning",
    "yellow": "warning",
    "purple": "secondary",
    "violet": "secondary",
    "magenta": "accent",
    "cyan": "primary",
    "teal": "success",
    "gray": "muted",
    "grey": "muted",
}


def style_of(widget: Widget, words: str) -> Style:
    """The style of a span's words on a widget in a `CardScroll`."""
    found = words.split()
    roles = [f"page--{word}" for word in found if word in _LOOKS]
    scroll = widget.parent
    assert isinstance(scroll, Widget)
    style = scroll.get_visual_style(*roles) if roles else widget.get_visual_style()
    if any(scroll.get_component_styles(role).text_style.reverse for role in roles):
        style += Style(reverse=True)  # which the toolkit leaves out
    if "math" in found and style.foreground is not None:
        # A hint of the colour: a page may be half formulas, and they are read like its text.
        plain = widget.get_visual_style().foreground or style.foreground
        style += Style(foreground=style.foreground.blend(plain, _PLAIN))
    for word in found:
        if word in _ATTRIBUTES:
            style += _ATTRIBUTES[word]
        elif word.startswith(("color:", "background:")):
            style += _authors(widget, word)
    return style


def _authors(widget: Widget, word: str) -> Style:
    """A colour that the author of a formula asked for."""
    kind, _, name = word.partition(":")
    variables = widget.app.theme_variables
    front = kind == "color"
    if name in _THEMED:
        key = f"text-{_THEMED[name]}" if front else f"{_THEMED[name]}-muted"
        name = variables.get(key, name)
    try:
        color = Color.parse(name)
    except ColorParseError:
        return Style()
    return Style(foreground=color) if front else Style(background=color)
