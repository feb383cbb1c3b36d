"""`python -m tui` is `deltadeck`, for a checkout that is not installed."""

import sys

from tui.main import entry_point

sys.exit(entry_point())
