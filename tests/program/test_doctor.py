"""`deltadeck doctor`, `backup`, `restore`: what works here, what is wrong, and how it is mended."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.sandbox.confine import TRIES, version
from tests.engine.sandbox import without
from tests.paths import ROOT
from tests.program.apart import Apart
from tests.program.shell import ITEM, Shell
from tests.tui.driving import write
from tui.commands.doctor import LAYERS, functions, terminal


def test_it_says_of_every_layer_what_it_does_and_of_every_promise_that_it_was_tried() -> None:
    found = {finding.name: finding for finding in functions()}
    assert list(found) == [*LAYERS, "refused", "time", "memory"]
    assert found["process"].status == "ok"
    assert found["refused"].said.endswith(", ".join(list(TRIES)[:-1]))
    assert "It took too long and was stopped" in found["time"].said
    assert "too much memory" in found["memory"].said


@pytest.mark.skipif(not version(), reason="this kernel has no Landlock to take away")
@pytest.mark.parametrize(
    ("lacks", "refused", "left"),
    [
        ("landlock", "reading files, writing or deleting files", ""),
        ("seccomp", "reading files, writing or deleting files", "using the network"),
        ("landlock,seccomp", "leaving processes behind", "reading files, writing or deleting"),
    ],
)
def test_what_is_not_refused_is_a_warning(
    folder: Path, lacks: str, refused: str, left: str
) -> None:
    command = without.command(lacks, "-m", "tui", "doctor", str(folder), "--json")
    done = subprocess.run(command, capture_output=True, cwd=ROOT, text=True)
    told = json.loads(done.stdout)["findings"]
    found = {f["name"]: f for f in told if f["about"] == "functions"}
    assert all(found[layer]["said"].startswith("missing: ") for layer in lacks.split(","))
    assert refused in found["refused"]["said"]
    assert not any(f["status"] == "warning" for f in found.values() if f["name"] != "not refused")
    assert left in found.get("not refused", {"said": ""})["said"]
    assert ("not refused" in found) is bool(left)
    if left:
        assert found["not refused"]["status"] == "warning"
        assert "you are asked before each function runs" in found["not refused"]["hint"]


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"TERM": "xterm"}, "16"),
        ({"TERM": "xterm-256color"}, "256"),
        ({"COLORTERM": "truecolor"}, "16 million"),
        ({"COLORTERM": "truecolor", "NO_COLOR": "1"}, "none, as NO_COLOR asks"),
    ],
)
def test_colours_are_what_the_terminal_says(environment: dict[str, str], said: str) -> None:
    found = {finding.name: finding for finding in terminal(environment)}
    assert found["colours"].said == said
    assert {finding.status for finding in found.values()} <= {"ok", "note"}


def wrong(seed: Shell) -> list[dict[str, str]]:
    """The findings of folder and journal that are a warning or an error."""
    found = seed.json("doctor")["findings"]
    about = [each for each in found if each["about"] in ("cards", "journal")]
    return [each for each in about if each["status"] in ("warning", "error")]


def test_a_good_collection_is_fine_and_its_json_is_the_same_findings(seed: Shell) -> None:
    """The folder may be named as for lint and sync."""
    done, told = Shell(seed.home)("doctor", seed.folder), seed.json("doctor")
    assert done.returncode in (0, 1)
    for word in ("Python", "numpy", "textual", "landlock", "1 card"):
        assert word in done.stdout
    assert told["code"] == done.returncode
    about = {f["about"] for f in told["findings"]}
    assert about == {"versions", "functions", "terminal", "cards", "journal"}
    assert wrong(seed) == []


def test_the_exit_code_is_that_of_the_worst_finding(bare: Shell) -> None:
    write(bare.folder, "half", "---\nid: [half\n---\n# Question\n")
    done = bare("doctor")
    assert (done.returncode, "half.md" in done.stdout) == (1, True)
    done = Shell(bare.home, bare.folder / "nowhere")("doctor")
    assert (done.returncode, "✗ folder" in done.stdout) == (2, True)


def test_two_cards_of_one_import_are_named_and_a_learners_own_source_is_not(bare: Shell) -> None:
    for name, source in [("a", "anki:k1"), ("b", "anki:k1"), ("c", "page 12"), ("d", "page 12")]:
        write(bare.folder, name, f"---\nid: {name}\nsource: {source}\n---\n# Question\nWhy?\n")
    twice = [each for each in wrong(bare) if "are one card" in each["said"]]
    assert [Path(each["name"]).name for each in twice] == ["b.md"]
    assert "a.md" in twice[0]["said"]
    assert "deltadeck edit" in twice[0]["command"]


#: Where something lies in the place of reviews, and what: text, a link to nowhere, or a folder.
MISPLACED = {
    ".deltadeck": "no folder",
    ".deltadeck ": "-> nowhere",
    ".deltadeck/journal (1)": "",
    ".deltadeck/journal/2026-11.jsonl": "\n",
    ".deltadeck/journal/desk": "no folder",
}


@pytest.mark.parametrize("name", MISPLACED)
def test_each_place_where_reviews_are_missing_is_told_once(seed: Shell, name: str) -> None:
    path, held = seed.folder / name.strip(), MISPLACED[name]
    path.parent.mkdir(parents=True, exist_ok=True)
    if held.startswith("-> "):
        path.symlink_to(held[3:])
    elif held:
        path.write_text(held.strip())
    else:
        path.mkdir()
    (finding,) = wrong(seed)
    assert finding["about"] == "journal"
    assert finding["hint"]


def test_an_unfinished_restore_is_told_once_with_the_command_that_puts_it_back(seed: Shell) -> None:
    (seed.folder / ".deltadeck" / ".restoring-x").mkdir(parents=True)
    (finding,) = wrong(seed)
    assert "`deltadeck doctor --repair`" in finding["hint"]
    assert "`deltadeck doctor --repair`" in seed("due").stderr
    Shell(seed.home)(*shlex.split(finding["command"])[1:])
    assert wrong(seed) == []


# Where no answer could be recorded.


#: The process of a user for whom permissions hold.  Of root, a user namespace without a mapping
#: takes the right to ignore them away.
ORDINARY = """
import ctypes, os, runpy, sys
if os.geteuid() == 0 and ctypes.CDLL(None).unshare(0x10000000):
    sys.exit()
runpy.run_module("tests.program.apart", run_name="__main__")
"""


@pytest.fixture(scope="module")
def _ordinary() -> Iterator[Apart]:
    apart = Apart([sys.executable, "-c", ORDINARY], Path())
    yield apart
    apart.end()


@pytest.fixture
def ordinary(_ordinary: Apart, shell: Shell) -> Apart:
    """The program of a user for whom permissions hold."""
    _ordinary.home = shell.home
    return _ordinary


def answer(ordinary: Apart, seed: Shell) -> subprocess.CompletedProcess[str]:
    return ordinary("review", ITEM, "good", "-C", seed.folder)


def errors(ordinary: Apart, seed: Shell) -> list[dict[str, Any]]:
    """What the doctor finds that keeps answers from being recorded."""
    done = ordinary("doctor", "--json", "-C", seed.folder)
    found = json.loads(done.stdout)["findings"]
    errors = [each for each in found if each["status"] == "error"]
    assert (done.returncode == 2) is bool(errors)
    return errors


@pytest.mark.parametrize("what", ["all", "lock", "month", "device", "unmade"])
def test_it_says_where_nothing_is_recorded(seed: Shell, ordinary: Apart, what: str) -> None:
    assert seed("review", ITEM, "good").returncode == 0
    private = seed.folder / ".deltadeck"
    [month] = private.glob("journal/*/*.jsonl")
    every = [*seed.folder.rglob("*"), seed.folder]
    places = {"all": every, "lock": [private / "lock"], "month": [month], "device": [month.parent]}
    if what == "device":
        month.unlink()
    if what == "unmade":
        private.rename(seed.folder.parent / "elsewhere")
    for place in places.get(what, [seed.folder]):
        place.chmod(0o555 if place.is_dir() else 0o444)
    assert answer(ordinary, seed).returncode == 2
    (finding,) = errors(ordinary, seed)
    assert (finding["about"], finding["name"]) == ("journal", "this folder")
    assert "no answer can be recorded" in finding["said"]
    subprocess.run(shlex.split(finding["command"]), check=True)
    assert answer(ordinary, seed).returncode == 0


def test_a_device_name_that_cannot_be_kept_or_read_is_said(seed: Shell, ordinary: Apart) -> None:
    data, before = Path(seed.env["XDG_DATA_HOME"]), sorted(seed.folder.rglob("*"))
    assert errors(ordinary, seed) == []
    assert sorted(seed.folder.rglob("*")) == before
    assert not list(data.rglob("device"))
    data.mkdir(parents=True, exist_ok=True)
    data.chmod(0o555)
    done = answer(ordinary, seed)
    assert done.returncode == 2
    assert "let XDG_DATA_HOME name one that is" in done.stderr
    (finding,) = errors(ordinary, seed)
    assert finding["name"] == "this device's name"
    assert "XDG_DATA_HOME" in finding["hint"]
    shown = ordinary("doctor", "-C", seed.folder).stdout
    assert "All is well" not in shown
    assert f"`{finding['command']}`" in shown
    subprocess.run(shlex.split(finding["command"]), check=True)
    assert answer(ordinary, seed).returncode == 0
    [name] = data.rglob("device")
    name.chmod(0)
    (finding,) = errors(ordinary, seed)
    assert finding["command"] == f"chmod u+rwX {name}"
    subprocess.run(shlex.split(finding["command"]), check=True)
    assert errors(ordinary, seed) == []


# The journal is repaired, backed up and taken back.


@pytest.fixture
def studied(seed: Shell) -> Shell:
    assert seed("review", ITEM, "easy").returncode == 0
    return seed


def journal_of(studied: Shell) -> Path:
    [path] = studied.folder.glob(".deltadeck/journal/*/*.jsonl")
    return path


def test_a_torn_line_is_a_finding_with_the_command_that_mends_it(studied: Shell) -> None:
    path = journal_of(studied)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"v":1,"torn')
    told = studied("doctor")
    assert told.returncode == 1
    findings = told.stdout[told.stdout.index("1 finding\n") :]
    assert f"1. {path}:2: " in findings
    assert f"`deltadeck doctor --repair --folder {studied.folder}`" in findings
    assert path.read_bytes() != whole

    value = studied.json("doctor", "--repair")
    assert [each["lines"] for each in value["repaired"]] == [1]
    assert path.read_bytes() == whole
    assert Path(value["repaired"][0]["aside"]).read_bytes().startswith(b'{"v":1,"torn')
    lines = [found for found in value["findings"] if found["about"] == "journal"]
    assert [found["said"] for found in lines] == ["every line is whole"]


def test_a_backup_is_made_once_for_each_state_and_taken_back(studied: Shell) -> None:
    first = journal_of(studied).read_bytes()
    assert studied.json("restore") == []
    made = studied.json("backup")
    assert made["made"] is True
    assert "Nothing changed" in studied("backup").stdout
    studied("review", "--undo")
    listed = studied("restore").stdout
    assert Path(made["backup"]["path"]).name in listed
    assert "changed" in studied("restore", "1").stdout
    assert journal_of(studied).read_bytes() == first
    again = studied("restore", made["backup"]["path"]).stdout
    assert again == "The journal and the settings are the same.\n"


def test_only_what_is_lost_comes_back(studied: Shell) -> None:
    studied("backup")
    path = journal_of(studied)
    lost = path.read_bytes()
    path.unlink()
    studied("review", ITEM, "hard")
    found = studied.json("restore", "1", "--missing")
    assert (found["lines"], found["aside"]) == (1, None)
    files = [file.read_bytes() for file in studied.folder.glob(".deltadeck/journal/*/*.jsonl")]
    assert b"".join(files).count(b"\n") == 2
    assert lost in files


def test_a_backup_that_there_is_not_is_refused(studied: Shell, tmp_path: Path) -> None:
    assert "there are none yet" in studied.refused("restore", "3")
    assert "is no file" in studied.refused("restore", "nowhere.zip")
    (tmp_path / "other.zip").write_bytes(b"no backup")
    assert "cannot be used" in studied.refused("restore", tmp_path / "other.zip")
    assert "needs a backup" in studied.refused("restore", "--missing")
    assert "is not a folder" in Shell(studied.home, tmp_path / "nowhere").refused("backup")
