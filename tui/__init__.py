"""tui: what does the learner see and press?  The only room that imports textual."""

#: A literal, for importlib.metadata costs 20 ms of every start.  A test holds it equal to
#: pyproject.toml's.
VERSION = "0.1.0"
