"""`python -m tui` is `deltadeck`, for a checkout that is not installed."""

import sys

from tui.main import front_main

sys.exit(front_main())
