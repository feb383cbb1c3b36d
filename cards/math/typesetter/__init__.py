"""The tree of a formula to a box of cells."""

from __future__ import annotations
