"""A known wrong rule: its name, and the sentence that mends it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mistake:
    name: str
    teaching: str
