"""How Sphinx builds the pages (`make docs`).  The navigation is what docs/index.md lists.

The pages are plain CommonMark with tables, read by MyST; nothing in them is Sphinx's own, so that
they read the same where they are not built.  The source folder is the project's root, so that the
pages there (CONTRIBUTING.md and the like) belong to the site under the links that they have.
"""

import re
import tomllib
from pathlib import Path

from sphinx.application import Sphinx

_ROOT = Path(__file__).resolve().parents[1]
_PROJECT = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["project"]
_SECTION = re.compile(r"^## (?P<title>.+)$|^- \[[^\]]*\]\((?P<page>[^):]+)\.md\)", re.MULTILINE)

project = _PROJECT["name"]
release = version = _PROJECT["version"]
project_copyright = ""
extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = ["docs/*.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
exclude_patterns = [".*", "cards", "deck", "dist", "engine", "study", "tests", "tui"]
myst_heading_anchors = 4
smartquotes = False  # "--" in an option is two signs
# An example that leaves something out (…) is not what its language calls correct.
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "alabaster"
html_theme_options = {
    "description": _PROJECT["description"],
    "fixed_sidebar": True,
    "font_family": "system-ui, sans-serif",
    "page_width": "72rem",
    "sidebar_width": "17rem",
    "show_powered_by": False,
}
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_copyright = False
html_show_sourcelink = False


def navigation(text: str) -> str:
    """A hidden table of contents for each section of the index: the pages that it lists."""
    parts: list[tuple[str, list[str]]] = []
    for found in _SECTION.finditer(text):
        if found["title"]:
            parts.append((found["title"], []))
        else:
            parts[-1][1].append(found["page"])
    trees = (
        "\n".join(["```{toctree}", ":hidden:", f":caption: {title}", "", *pages, "```"])
        for title, pages in parts
        if pages
    )
    return "\n\n" + "\n\n".join(trees) + "\n"


def _complete(_app: Sphinx, name: str, source: list[str]) -> None:
    if name == root_doc:
        source[0] += navigation(source[0])


def setup(app: Sphinx) -> None:
    app.connect("source-read", _complete)
