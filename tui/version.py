"""The version, as a literal: importlib.metadata costs 20 ms of every start.

A test holds it equal to pyproject.toml's.
"""

VERSION = "0.1.0"
