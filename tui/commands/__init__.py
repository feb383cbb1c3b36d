"""The command line: for each command, `configure_NAME(parser)` and `run_NAME(args) -> exit code`.

`tui.main` has the table of commands and their modules.  Exit codes: 0 done (or: the answer is
correct), 1 done with findings (or: the answer is not correct), 2 bad input.  The modules import
the collection, the engine and the app inside functions, so that `--help`, and completion at the
tab, cost none of them.
"""


class UsageError(Exception):
    """Bad input: its text is a sentence that names the place and the way out (exit code 2)."""
