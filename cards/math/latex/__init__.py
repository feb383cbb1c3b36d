"""LaTeX to the tree of a formula."""

from __future__ import annotations
