"""tui: what does the learner see and press?  The only room that imports textual."""

from __future__ import annotations

VERSION = "0.1.0"
