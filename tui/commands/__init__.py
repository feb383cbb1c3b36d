"""The command line: `arguments` has the table of commands, `parser` reads a line, and each command
is a function `run_NAME(args) -> exit code` in the module that the table names.

Only the module of the command that is asked for is loaded, and it imports what it needs at its top.
Exit codes: 0 done (or: the answer is correct), 1 done with findings (or: the answer is not
correct), 2 bad input.
"""


class UsageError(Exception):
    """Bad input: its text is a sentence that names the place and the way out (exit code 2)."""
