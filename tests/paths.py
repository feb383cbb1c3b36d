"""Where the tests find what is not theirs: the project's root, and the folder shared beside it."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
STARTER = ROOT / "cards" / "starter"
SEED = STARTER / "ssu_batch4_004.md"
