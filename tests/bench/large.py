"""Large collections: cards of the seed's size with ten reviews each, the same in every run.

And a million reviews folded anew, as after a change of the parameters.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from statistics import median

from deck.config import Config
from deck.events import RANDOM_BYTES, Event, Interval, Reviewed, next_id, write_line
from deck.fsrs import MODEL, Rating
from deck.replay import replay
from tests.bench.figures import Figure, times_ms
from tests.paths import SEED

#: The day on which the cards are studied is this one (`environment` has the zone of it).
NOW = datetime.combine(datetime.now(UTC), time(12), UTC)
#: Of so many cards one is new; the others fall due on the days from -1 to +30.
_NEW = 20
_REVIEWS = 10
_PARAMETERS = Config().parameters_hash
_WORDS = (
    *("gradient", "jacobian", "softmax", "einsum", "backprop", "message", "matrix", "norm"),
    *("layer", "attention", "residual", "kernel", "stride", "batch", "loss", "chain", "rule"),
    *("adjoint", "tensor", "trace"),
)


def make(root: Path, count: int, due: float = 2 / 32) -> None:
    """Writes `count` cards in 50 folders of 10 courses, and their journal, into `root`; of those
    that were reviewed, a share is `due`."""
    chance = random.Random(1)
    body = SEED.read_text("utf-8").split("---", 2)[2]
    for number in range(count):
        folder = root / f"course{number % 10}" / f"t{number % 50:02d}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"card{number:06d}.md").write_text(_card(number, body, chance), "utf-8")
    _write_journal(root, sorted(_answers(count, chance, due)))


def _card(number: int, body: str, chance: random.Random) -> str:
    tags = [
        f"course{number % 10}",
        f"topic::t{number % 50}",
        *(["rare"] if number % 100 == 0 else []),
    ]
    one, two, three = (chance.choice(_WORDS) for _ in range(3))
    question = f"(3p) Q{number}: derive the {one} of the {two} {three} $x_{{{number}}}$. "
    return (
        f"---\nid: card{number:06d}\ncourse: course{number % 10}\ntags: [{', '.join(tags)}]\n"
        f"difficulty: {number % 5 + 1}\ntype: derivation\nstatus: to_learn\n---"
        + body.replace("# Question\n", f"# Question\n{question}", 1)
    )


def _answers(count: int, chance: random.Random, due: float) -> list[tuple[datetime, int, int, int]]:
    """(when, card, rating, days until the next) of every review."""
    found = []
    for number in range(count):
        if number % _NEW == 0:
            continue
        ago = sorted(chance.sample(range(40, 700), _REVIEWS - 1), reverse=True)
        ago.append(chance.randint(1, 30))
        following = [*ago[1:], -chance.randint(*((-1, 0) if chance.random() < due else (1, 30)))]
        for days, after in zip(ago, following, strict=True):
            at = NOW - timedelta(days=days, seconds=chance.randint(0, 20_000))
            found.append((at, number, chance.choice([1, 2, 3, 3, 3, 3, 4]), max(days - after, 1)))
    return found


def _write_journal(root: Path, answers: list[tuple[datetime, int, int, int]]) -> None:
    folder = root / ".deltadeck/journal/desk"
    folder.mkdir(parents=True)
    months: dict[str, list[bytes]] = {}
    for count, (at, number, rating, days) in enumerate(answers):
        event_id = next_id("", at, count.to_bytes(RANDOM_BYTES))
        event = _review(event_id, f"card{number:06d}", at, rating, days)
        months.setdefault(f"{at:%Y-%m}", []).append(write_line(event))
    for month, lines in months.items():
        (folder / f"{month}.jsonl").write_bytes(b"".join(lines))


def _review(event_id: str, item: str, at: datetime, rating: int, days: int) -> Event:
    what = Reviewed(Rating(rating), 5000, MODEL, _PARAMETERS, "reviewing", None, Interval(days))
    return Event(event_id, item, at, 0, at.date(), what)


#: Journals are folded one after the other: a million events at once would fill a gigabyte.
_ITEMS, _EACH = 20_000, 10


def fold_figures(reviews: int = 1_000_000) -> Iterator[Figure]:
    """Each journal seven times."""
    took, config, items = 0.0, Config(), min(reviews // _EACH, _ITEMS)
    for seed in range(reviews // (items * _EACH)):
        events = list(_reviews(random.Random(seed), items))
        assert len(replay(events, config)) == items
        took += median(times_ms(lambda: replay(events, config), 7)) / 1000  # noqa: B023
    yield Figure(f"{reviews:,} reviews folded", took, 2 * reviews / 1_000_000, "s")


def _reviews(chance: random.Random, items: int) -> Iterator[Event]:
    """Each item answered ten times, in the order of time."""
    seen = ""
    for number in range(_EACH):
        at = NOW - timedelta(days=20 * (_EACH - number))
        for item in range(items):
            seen = next_id(seen, at, item.to_bytes(RANDOM_BYTES))
            yield _review(seen, f"card{item:05d}", at, chance.choice((1, 2, 3, 3, 3, 4)), 20)


if __name__ == "__main__":
    make(Path(sys.argv[1]), int(sys.argv[2]), *map(float, sys.argv[3:]))
