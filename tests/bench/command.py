"""The command as it is typed, and as a module where it is not installed beside the interpreter."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

_INSTALLED = Path(sys.executable).with_name("deltadeck")

DELTADECK: Final = [str(_INSTALLED)] if _INSTALLED.is_file() else [sys.executable, "-m", "tui"]
