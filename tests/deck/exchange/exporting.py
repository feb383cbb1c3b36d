"""What the tests of exports are given: a small collection with a past, and an export of it."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from deck.collection import Collection
from deck.events import Practised, Reset
from deck.exchange.export.formats import export, format_of
from deck.exchange.export.source import ExportReport, ExportSource
from deck.fsrs import Rating
from tests.deck.given import NOON, configure

#: When the exports are made.
AT = NOON
#: The smallest PNG.
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c63f8cfc0f01f000500010179a55e1c0000000049454e44ae426082"
)
CARDS = {
    "ML/chain.md": (
        "id: chain\ncourse: ML\ntags: [cnn, 'two words']\ntype: derivation\ndifficulty: 2\n"
        "exercise: {layer: relu}  # kept\nmacros: {R: '\\mathbb{R}', n: '\\lVert #1 \\rVert_\\R'}",
        "(3p) For $x \\in \\R$ give $\\n{x} < 1$ of ![[figs/plot.png|a plot]].",
        "$$\n\\delta_x = \\begin{cases} 1 & x > 0 \\\\ 0 & \\text{else} \\end{cases}\n$$\n\n"
        "See [[pair]] and [site](https://example.org/a?b=1&c=2).",
    ),
    "choice.md": (
        "id: choice\ncourse: ML\ntype: multiple_choice",
        "Which $f$?\n\n## Options\nA) $x < y$\nB) <b>two</b>\nC) N/A",
        "**Correct Answer:** B\n\n## Explanation\nBecause | of it.",
    ),
    "Words/gaps.md": (
        "id: gaps\ntype: cloze",
        "The {{c1::**stride**::hint}} of `{{c2::f{x}}}` is ${{c1::\\frac{1}{m}}}$, {{c3::std::x}}.",
        "More.",
    ),
    "pair.md": ("id: pair\ncourse: Words\ntype: reversed", "there", "back"),
    "count.md": ("id: count\ntype: numeric\nanswer: 0.03\ntolerance: 5%", "How much?", "So."),
}


def make(root: Path) -> Collection:
    """A collection of every type; `chain` was answered often, `pair/r` is put aside, `count` was
    made new again, `gaps/c2` is in a learning step, and `gaps/c3` was only practised."""
    for name, (header, question, solution) in CARDS.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = f"---\n{header}\n---\n\n# Question\n{question}\n\n---\n\n# Solution\n{solution}\n"
        path.write_text(text, "utf-8")
    (root / "ML" / "figs").mkdir()
    (root / "ML" / "figs" / "plot.png").write_bytes(PNG)
    configure(root, 'desired_retention = 0.85\nlearning_steps = ["10m"]\nwrite_status = false\n')
    deck = Collection.open(root, ago(days=26), "desk")
    deck.rate("chain", Rating.GOOD, ago(days=25), 4000)
    deck.rate("chain", Rating.GOOD, ago(days=25, minutes=-11), 4000)
    deck.rate("pair", Rating.EASY, ago(days=24), 1500)
    deck.rate("count", Rating.EASY, ago(days=24), 1500)
    deck.rate("pair/r", Rating.EASY, ago(days=23), 1500)
    deck.record("count", Reset(), ago(days=23))
    deck.suspend("pair/r", ago(days=22))
    deck.rate("chain", Rating.EASY, ago(days=22), 4000)
    deck.record("gaps/c3", Practised(Rating.GOOD, 700), ago(days=20))
    deck.rate("gaps/c1", Rating.GOOD, ago(days=19), 900)
    deck.undo(ago(days=18))
    deck.rate("chain", Rating.AGAIN, ago(days=5), 4000)
    deck.rate("chain", Rating.GOOD, ago(days=5, minutes=-11), 4000)
    deck.rate("chain", Rating.HARD, ago(days=1), 4000)
    deck.rate("gaps/c2", Rating.AGAIN, ago(minutes=2), 900)
    return deck


def ago(**span: float) -> datetime:
    return AT - timedelta(**span)


def exported(
    deck: Collection, path: Path, items: tuple[str, ...] | None = None, name: str | None = None
) -> ExportReport:
    source = ExportSource(deck, AT, items)
    return export(source, path, format_of(path, name), lambda *_: None, True)
