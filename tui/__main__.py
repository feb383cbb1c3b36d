"""`python -m tui` is `deltadeck`, for a checkout that is not installed."""

import sys

from tui.front import main

sys.exit(main())
