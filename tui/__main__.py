"""`python -m tui` is `deltadeck`, for a checkout that is not installed."""

import sys

from tui.cli import main

sys.exit(main())
