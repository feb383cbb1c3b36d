"""Bad packages: a sentence, and nothing is unpacked that could do harm."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from deck.exchange.anki.notes import read
from deck.exchange.model import ExchangeError
from tests.deck.exchange.packages import BASIC, NOW, Given, Made, altered, package, zstd

#: Made by Anki 26.09 itself: the same collection in its present format, and in the older one.
REAL = Path(__file__).parent / "anki"


def refused(path: Path) -> str:
    with pytest.raises(ExchangeError) as found:
        list(read(path).cards())
    said = str(found.value)
    assert said.startswith(str(path))
    return said


@pytest.mark.parametrize("name", ["current", "legacy"])
def test_any_damage_is_a_sentence_or_does_no_harm(tmp_path: Path, name: str) -> None:
    data = (REAL / f"{name}.apkg").read_bytes()
    path = tmp_path / "a.apkg"
    for cut in range(0, len(data), len(data) // 12):
        path.write_bytes(data[:cut])
        refused(path)
    for at in range(50, len(data), len(data) // 60):
        path.write_bytes(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])
        try:
            bundle = read(path)
            list(bundle.cards())
            for opened in bundle.media.values():
                with opened() as file:
                    file.read()
        except ExchangeError:
            continue


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "a.apkg"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("collection.anki2", "w", force_zip64=True) as file,
    ):
        for _ in range(600):
            file.write(bytes(1_000_000))
    assert "could fill the disk" in refused(path)


def test_a_bomb_within_is_refused_while_it_is_unpacked(tmp_path: Path) -> None:
    compressed = io.BytesIO()
    with zstd.ZstdFile(compressed, "w") as file:
        for _ in range(600):
            file.write(bytes(1_000_000))
    path = tmp_path / "a.apkg"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("collection.anki21b", compressed.getvalue())
    assert "could fill the disk" in refused(path)


def test_a_medium_that_is_larger_than_its_list_says_is_not_copied(tmp_path: Path) -> None:
    path = package(tmp_path / "a.apkg", [], {"x": b"1234"}, new=True)
    other = tmp_path / "b.apkg"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(other, "w") as new:
        for name in old.namelist():
            new.writestr(name, zstd.compress(bytes(9999)) if name == "0" else old.read(name))
    with read(other).media["x"]() as file, pytest.raises(ExchangeError, match="more than it"):
        file.read()


def test_a_password_is_a_sentence(tmp_path: Path) -> None:
    path = package(tmp_path / "a.apkg", [Made("a", ("q", "a"))])
    data = bytearray(path.read_bytes())
    at = 0
    while (at := data.find(b"PK\x01\x02", at)) >= 0:
        data[at + 8] |= 1
        at += 4
    path.write_bytes(data)
    assert "password" in refused(path)


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE revlog",
        "DELETE FROM col",
        "UPDATE col SET models = '[1'",
        "UPDATE cards SET nid = 'x'",
        "UPDATE col SET crt = 'soon'",
        "UPDATE col SET crt = 99999999999999999",
        "UPDATE col SET crt = 1e300",
        "UPDATE cards SET ord = 'x'",
        "DROP TABLE cards; CREATE VIEW cards AS SELECT load_extension('x') AS nid",
        "DROP TABLE notes; CREATE VIRTUAL TABLE notes USING fts5(id, guid, mid, tags, flds)",
    ],
)
def test_a_strange_database_is_a_sentence(tmp_path: Path, sql: str) -> None:
    path = package(tmp_path / "a.apkg", [Made("a", ("q", "a"), answers={0: [Given(3)]})])
    refused(altered(path, sql))


_SCHEDULE = ("did", "mod", "type", "queue", "due", "ivl", "odue", "odid", "flags")
_ANSWERED = ("cid", "ease", "ivl", "factor", "time", "type")


@pytest.mark.parametrize("value", ["'abc'", "x'ff'", "NULL", "1e300", "-9e999", "0.5"])
def test_a_column_that_holds_no_number_costs_no_other_note(tmp_path: Path, value: str) -> None:
    columns = [
        *((f"cards SET {name}", "nid") for name in _SCHEDULE),
        *((f"revlog SET {name}", "cid / 100") for name in _ANSWERED),
        *(("notes SET guid", "id"), ("notes SET tags", "id")),
    ]
    card = {"type": 2, "queue": 2, "due": 700, "ivl": 20}
    notes = [
        Made(f"g{n}", (f"q{n}", "a"), answers={0: [Given(5)] * (n % 2)}, cards={0: card})
        for n in range(2 * len(columns))
    ]
    updates = [
        f"UPDATE {column} = {value} WHERE {key} IN ({2 * place + 1}, {2 * place + 2});"
        for place, (column, key) in enumerate(columns)
    ]
    bundle = read(altered(package(tmp_path / "a.apkg", notes), "".join(updates)))
    made = list(bundle.cards())
    assert len(made) == len(notes)
    for card_ in made:
        assert all(0 < (review.days or 1) <= 36_500 for review in card_.items[0].reviews)
    if value == "'abc'":
        said = " ".join(lost.what for lost in bundle.lost)
        assert all(f"can be: {name}." in said for name in ["deck", *_SCHEDULE[1:]])
        assert said.count("1 of its answers hold") == 5


@pytest.mark.parametrize("days", ["99999999999", "9223372036854775807", "1e300"])
def test_an_interval_without_end_ends(tmp_path: Path, days: str) -> None:
    note = Made("a", ("q", "a"), cards={0: {"type": 2, "queue": 2, "due": 700, "ivl": 20}})
    bundle = read(altered(package(tmp_path / "a.apkg", [note]), f"UPDATE cards SET ivl = {days}"))
    (card,) = bundle.cards()
    assert card.items[0].due is not None
    assert ["ivl" in lost.what for lost in bundle.lost] == [True]


def test_times_that_cannot_be_are_left_out(tmp_path: Path) -> None:
    far = (datetime(2999, 1, 1, tzinfo=UTC) - NOW) / timedelta(days=1)
    note = Made("a", ("q", "a"), BASIC, answers={0: [Given(-2 * far), Given(3, 3, 5)]},
                cards={0: {"type": 2, "due": 10**8, "ivl": 5, "mod": -5}})  # fmt: skip
    item = next(iter(read(package(tmp_path / "a.apkg", [note])).cards())).items[0]
    assert [review.days for review in item.reviews] == [5]
    assert item.due is None
