"""Where the tests find what is not theirs: the project's root, and material to be tried on."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
STARTER = ROOT / "cards" / "starter"
SEED = STARTER / "ssu_batch4_004.md"
#: A folder beside the checkout: more material, and tools of benches.  It need not be there.
SHARED = ROOT.parent / "shared"
#: A zone in which it is noon: no study day ends while a test runs.
NOON_ZONE = f"NOON{datetime.now(UTC).hour - 12:+d}"


class Material(NamedTuple):
    """Cards, formulas and answers to max pooling."""

    name: str
    cards: Path
    formulas: Path
    answers: Path


OWN = Material(
    "own",
    *(ROOT / "tests" / "material" / name for name in ("cards", "formulas.jsonl", "answers.yaml")),
)
MATERIAL: Final = [
    each
    for each in (
        OWN,
        Material(
            "shared",
            SHARED / "cards",
            SHARED / "math" / "formulas.jsonl",
            SHARED / "answers" / "maxpool.yaml",
        ),
    )
    if each is OWN or all(path.exists() for path in each[1:])
]
"""The project's own material, and the shared one where it is there."""
