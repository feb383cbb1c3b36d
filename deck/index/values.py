"""The values that a statement names, so that none is written into its text."""

from __future__ import annotations

import json
from collections.abc import Iterable


class Values:
    """Gathered while the statement is made."""

    def __init__(self, given: dict[str, object]) -> None:
        self.given = given

    def one(self, value: object) -> str:
        """The name of a value."""
        name = f"v{len(self.given)}"
        self.given[name] = value
        return f":{name}"

    def any(self, values: Iterable[object]) -> str:
        """What a column may be IN."""
        return f"(SELECT value FROM json_each({self.one(json.dumps(list(values)))}))"
