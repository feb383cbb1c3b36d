"""The command line: a file a command, each with `configure(parser)` and `run(args) -> exit code`.

Exit codes: 0 done (or: the answer is correct), 1 done with findings (or: the answer is not
correct), 2 bad input.  The modules import what they need inside `run`, so that `--help` and
`--version` cost neither Textual nor NumPy.
"""
