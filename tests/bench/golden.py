"""What the program says today, recorded, so that a change of its insides can be held to it.

    python -m tests.bench.golden inputs INPUTS              the answers, fuzzed ones among them
    python -m tests.bench.golden record INPUTS FILE [PART]  verdicts, pages, states, commands
    python -m tests.bench.golden compare BEFORE AFTER       exit code 1 where they differ

It asks public faces only, so the same file runs beside an older or a newer version.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import yaml

from tests.paths import MATERIAL, ROOT, STARTER

CARDS: Final = [STARTER, *(material.cards for material in MATERIAL)]
FUZZED: Final = 5_000
HISTORIES: Final = 2_000
_TOKEN: Final = re.compile(r"\\[A-Za-z]+|[A-Za-z_]+|\d+(?:\.\d+)?|\s+|\S")


# The answers: (exercise, text, language).


def inputs() -> list[tuple[Any, str, str]]:
    """Listed answers and mutants, and of each kind of exercise and language 5,000 fuzzed ones."""
    known = [(ex, text, _language(text)) for ex, text in dict.fromkeys(_listed())]
    kinds: dict[tuple[bool, str], list[tuple[Any, str]]] = {}
    for exercise, text, language in known:
        kinds.setdefault((exercise == "max-pool", language), []).append((exercise, text))
    rng = random.Random(17)
    fuzzed = []
    for (_, language), base in sorted(kinds.items()):
        tokens = [token for _, text in base for token in _TOKEN.findall(text)]
        for _ in range(FUZZED if len(base) > 4 else 0):
            exercise, text = rng.choice(base)
            fuzzed.append((exercise, _edited(text, tokens, rng), language))
    return known + fuzzed


def _listed() -> Iterator[tuple[str, str]]:
    """The answers of the tests' tables, with their exercises as JSON."""
    from tests.engine.brute.mutants import mutants
    from tests.engine.cases import TABLES, listed, table

    for path in sorted(TABLES.glob("*.yaml")):
        groups = table(path.stem)
        for group in groups if isinstance(groups, list) else ():
            if isinstance(group, dict) and "exercise" in group:
                exercise = group["exercise"]
                keys = exercise if isinstance(exercise, str) else json.dumps(exercise)
                texts = [text for text, _, _ in listed(group)]
                texts += [*group.get("right", ()), *group.get("mistaken", ())]
                yield from ((keys, text.replace("@", "")) for text in texts)
            elif isinstance(group, dict):
                yield from map(tuple, group.get("answers", ()))
    for material in MATERIAL:
        for group in yaml.load(material.answers.read_text("utf-8"), yaml.BaseLoader).values():
            yield from (("max-pool", each["answer"]) for each in group)
    yield from (("max-pool", mutant.text) for mutant in mutants(3))


def _language(text: str) -> str:
    if "\\" in text:
        return "latex"
    return "numpy" if re.search(r"^\s*def \w+\(|\breturn\b", text, re.M) else "formula"


def _edited(text: str, tokens: list[str], rng: random.Random) -> str:
    found = _TOKEN.findall(text)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at = rng.randrange(len(found) or 1)
        match rng.randrange(5):
            case 0:
                del found[at : at + 1]
            case 1:
                found.insert(at, rng.choice(tokens))
            case 2:
                found[at : at + 1] = [rng.choice(tokens)]
            case 3:
                found[at : at + 2] = found[at : at + 2][::-1]
            case 4:
                found[at:at] = found[at : at + 3]
    return "".join(found)


# What is recorded.


def verdicts(file: Path) -> Iterator[tuple[str, Any]]:
    from engine import check, exercise_for

    made: dict[str, Any] = {}
    for exercise, text, language in json.loads(file.read_text()):
        if exercise not in made:
            asked = (
                json.loads(exercise)
                if exercise.startswith(("{", "[", '"'))
                else {"layer": exercise}
            )
            try:
                made[exercise] = exercise_for(asked, (), "derivation")
            except (ValueError, TypeError) as error:
                made[exercise] = str(error)
        if made[exercise] is None or isinstance(made[exercise], str):
            yield exercise, made[exercise]
            continue
        try:
            said = asdict(check(text, made[exercise]))
        except Exception as error:  # noqa: BLE001  # a fault, and recorded as one
            said = {"raised": repr(error)}
        case = json.dumps([said.pop("counterexample", None), said.pop("trace", None)], default=str)
        said["case"] = hashlib.sha1(case.encode()).hexdigest()[:10]
        yield f"{language} | {exercise} | {text}", json.loads(json.dumps(said, default=str))


def pages(_: Path) -> Iterator[tuple[str, Any]]:
    for folder in CARDS:
        for width in (40, 80, 120):
            for how in ([], ["--question"]):
                with _Copy(folder) as place:
                    for path in sorted(place.rglob("*.md")):
                        words = ["show", path.stem, "--width", str(width), *how]
                        yield (
                            f"{folder.parent.name}/{folder.name} {' '.join(words)}",
                            _run(words, place),
                        )


def states(_: Path) -> Iterator[tuple[str, Any]]:
    """What is folded from random histories: the state of each item, and what is exported."""
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as name:
        place = Path(name) / "deck"
        journal = place / ".deltadeck" / "journal" / "golden" / "2026-01.jsonl"
        journal.parent.mkdir(parents=True)
        items = [f"item{n}" for n in range(HISTORIES)]
        for item in items:
            head = f"---\nid: {item}\ntype: basic\ncourse: c{int(item[4:]) % 7}\n---\n"
            body = f"\n# Question\n\nQ {item}\n\n# Solution\n\nA\n"
            (place / f"{item}.md").write_text(head + body)
        lines = sorted(line for item in items for line in _history(item, rng))
        journal.write_text("".join(line + "\n" for _, line in lines))
        for words in (
            ["list", "--json"], ["due", "--json"], ["stats", "--json"], ["lint", "--json"],
            ["export", "--format", "items"], ["export", "--format", "json"],
            ["search", "--json", "is:due"], ["search", "difficulty>=5"],
            ["search", "r<0.9 -is:new"], ["search", "is:leech or is:suspended"],
            ["search", "rated:300"], ["search", "item1*"],
        ):  # fmt: skip
            yield " ".join(words), _run(words, place)


def _history(item: str, rng: random.Random) -> Iterator[tuple[str, str]]:
    """(id, line) of events at random, as docs/journal-format.md has them."""
    at = datetime(2026, 1, 1, 12, tzinfo=UTC) + timedelta(seconds=rng.randrange(86400 * 20))
    reviews: list[str] = []
    for _ in range(rng.randrange(12)):
        at += timedelta(
            seconds=rng.choice((30, 600, 7200, 86400, 86400 * 3, 86400 * 20)) * (1 + rng.random())
        )
        ms = int(at.timestamp() * 1000)
        text = f"{ms:012x}7{rng.randrange(4096):03x}{rng.getrandbits(62) | 1 << 63:016x}"
        id_ = "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
        head = {"v": 1, "id": id_, "kind": "review", "item": item,
                "at": f"{at:%Y-%m-%dT%H:%M:%S}.{ms % 1000:03d}Z",
                "offset": 60, "day": f"{at + timedelta(hours=-3):%Y-%m-%d}"}  # fmt: skip
        kind = rng.choices(
            ("review", "import", "undo", "suspend", "bury", "reset", "move", "check", "cram"),
            (60, 8, 6, 5, 4, 3, 4, 4, 3),
        )[0]
        if kind in ("review", "import"):
            head |= {"rating": rng.choice((1, 2, 3, 3, 3, 4)), "ms": rng.randrange(60000),
                     "model": "FSRS-6" if kind == "review" else "import:anki",
                     "params": "d757f3c8" if kind == "review" else ""}  # fmt: skip
            if rng.random() < 0.7:
                head["next"] = rng.choice((1, 3, 10, 45, [0, 60], [1, 600]))
            if rng.random() < 0.2:
                head["check"] = {
                    "verdict": "wrong",
                    "slips": 1,
                    "hints": 0,
                    "by_hand": False,
                    "seed": 3,
                }
            reviews.append(id_)
        elif kind == "undo" and reviews:
            head |= {"kind": "undo", "target": rng.choice(reviews)}
        else:
            more: dict[str, dict[str, Any]] = {
                "suspend": {"on": rng.random() < 0.5},
                "bury": {"until": "2026-11-30"},
                "reset": {},
                "move": {"due": {item: "2026-12-05"}, "interval": 12},
                "cram": {"rating": 3, "ms": 5},
                "check": {"data": {"verdict": "correct", "answer": "dx"}},
                "undo": {"target": id_},
            }
            head |= {"kind": kind} | more[kind]
        yield id_, json.dumps(head, separators=(",", ":"))


def commands(_: Path) -> Iterator[tuple[str, Any]]:
    """Every command, with its help, on the starter deck and on cards with faults."""
    helps = _run(["--help"], ROOT)["out"]
    names = re.findall(r"^    ([a-z]+)(?:  |$)", helps, re.M)
    for name in names:
        yield f"{name} --help", _run([name, "--help"], ROOT)
    for folder in CARDS:
        with _Copy(folder) as place:
            first = sorted(path.stem for path in place.rglob("*.md"))[0]
            for number, line in enumerate(_LINES):
                words = [w.replace("FIRST", first).replace("@", " ") for w in line.split()]
                yield f"{folder.parent.name}/{folder.name} {number} {line}", _run(words, place)
            kept = sorted(
                path for path in place.rglob("*") if path.suffix in (".md", ".toml", ".html")
            )
            yield (
                f"{folder.parent.name}/{folder.name} files",
                {str(p.relative_to(place)): _steady(p.read_text(), place) for p in kept},
            )


_LINES: Final = """
due
due --json
list
list --json
list --ids
search is:new
search --json tag:*
search nothing-like-this
search difficulty>>
show FIRST
show FIRST --json
show FIRST --source
show nowhere
lint
lint --json
review FIRST good --seconds 9
review FIRST again --seconds 10 --json
review ssu_batch4_004 easy
review pool_cloze good
review FIRST nonsense
review --undo
review nowhere 3
due --json
suspend FIRST
list is:suspended
suspend FIRST --off
bury FIRST
list is:buried
bury FIRST --off
reset FIRST
raise --new 5 --reviews 5
raise
stats
stats --json
stats --days 30
stats --plot nowhere
exam
config exam 2027-01-20
exam
exam --json
exam --plan
optimize
layers
layers --json
check ssu_batch4_004 --answer dx[i,j]=0
check ssu_batch4_004 --answer sum(delta[k,l]*[(i,j)==argmax(k,l)]for@k,l) --json
check ssu_batch4_004 --answer sum(delta[k,l]for@k,l) --json
check ssu_batch4_004 --answer sum(
check FIRST --answer x
check FIRST
config
config --json
config daily.new 3
config new_per_day 3
config desired_retention 2
config nowhere 3
export --format csv
export --format items
export --format json
export --format journal
export --format html --to page.html
export --format html --to page.html
export --format apkg --to deck.apkg
export --format json --to deck.json
export --to nowhere.xyz
import nowhere.apkg
import deck.json --dry-run
import deck.apkg --dry-run
import deck.apkg --into again
import deck.apkg --into again
list --ids
doctor
doctor --json
backup
restore
sync
lint --fix
math \\frac{a}{b}+\\sqrt{x}
math \\frac{a
completion bash
completion zsh
completion fish
add --id fresh --type basic --course c
add --file nowhere.md
sync --init
sync
study --plain --limit 1
nonsense
""".strip().splitlines()


class _Copy:
    """A copy of a folder of cards, with a home of its own."""

    def __init__(self, folder: Path) -> None:
        self._name = Path(tempfile.mkdtemp())
        self._folder = folder

    def __enter__(self) -> Path:
        place = self._name / "deck"
        if self._folder.exists():
            shutil.copytree(self._folder, place)
        else:
            place.mkdir()
        return place

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._name)


def _run(words: list[str], place: Path) -> dict[str, Any]:
    home = place.parent / "home"
    env = {
        "PATH": os.environ["PATH"], "HOME": str(home), "XDG_DATA_HOME": str(home / "data"),
        "XDG_CACHE_HOME": str(home / "cache"), "XDG_CONFIG_HOME": str(home / "config"),
        "TZ": "NOON-1", "COLUMNS": "100", "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8",
    }  # fmt: skip
    command = [sys.executable, "-m", "tui", *words]
    got = subprocess.run(
        command,
        cwd=place,
        env=env,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=300,
    )
    found: dict[str, Any] = {
        "code": got.returncode,
        "out": _steady(got.stdout, place),
        "err": _steady(got.stderr, place),
    }
    if len(found["out"]) > 50_000:
        found["out"] = hashlib.sha1(found["out"].encode()).hexdigest()
    return found


def _steady(text: str, place: Path) -> str:
    """Without what is another at each run: folders, ids, moments."""
    text = text.replace(str(place.parent), "HOME").replace(str(ROOT), "ROOT")
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "ID", text)
    text = re.sub(
        r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:\d\d)?", "MOMENT", text
    )
    text = re.sub(r"\b\d+(\.\d+)? ?(ms|MB|GB|KB|s)\b", "AMOUNT", text)
    text = re.sub(r"device-[0-9a-f]{8}|deck-[0-9a-f]{12}", "DEVICE", text)
    return re.sub(r"\b20\d{6}T?-?\d{6}\S*|\b\d\d:\d\d\b", "MOMENT", text)


PARTS: Final[dict[str, Callable[[Path], Iterator[tuple[str, Any]]]]] = {
    "verdicts": verdicts, "pages": pages, "states": states, "commands": commands,
}  # fmt: skip


def compare(before: Path, after: Path) -> int:
    old, new = (json.loads(path.read_text()) for path in (before, after))
    counts: Counter[str] = Counter()
    for part in old:
        for key, was in old[part].items():
            now = new.get(part, {}).get(key, "missing")
            counts[f"{part}: the same" if was == now else f"{part}: other"] += 1
            if was != now and counts[f"{part}: other"] <= 25:
                print(f"{part} {key[:300]}")
                for field in was if isinstance(was, dict) and isinstance(now, dict) else ():
                    if was[field] != now.get(field):
                        print(f"    {field}:\n      - {was[field]!s:.600}")
                        print(f"      + {now.get(field)!s:.600}")
    print(*(f"{count:7} {what}" for what, count in sorted(counts.items())), sep="\n")
    return int(any(what.endswith("other") for what in counts))


def main(words: list[str]) -> int:
    match words:
        case ["inputs", file]:
            Path(file).write_text(json.dumps(inputs(), indent=0, ensure_ascii=False))
        case ["record", file, out, *parts]:
            found = {part: dict(PARTS[part](Path(file))) for part in parts or PARTS}
            Path(out).write_text(json.dumps(found, indent=0, ensure_ascii=False))
        case ["compare", before, after]:
            return compare(Path(before), Path(after))
        case _:
            print(__doc__)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
