"""`deltadeck doctor`: what works here, and what is wrong with a folder or its journal."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.sandbox.confine import TRIES, version
from tests.engine.sandbox import without
from tests.paths import ROOT
from tests.program.shell import Shell
from tests.tui.driving import write
from tui.commands.doctor import LAYERS, functions, terminal
from tui.main import main


def test_it_says_of_every_layer_what_it_does_and_of_every_promise_that_it_was_tried() -> None:
    found = {finding.name: finding for finding in functions()}
    assert list(found) == [*LAYERS, "refused", "time", "memory"]
    assert found["process"].status == "ok"
    assert found["refused"].said.endswith(", ".join(list(TRIES)[:-1]))
    assert "It took too long, and was stopped" in found["time"].said
    assert "more memory than it may have" in found["memory"].said


@pytest.mark.skipif(not version(), reason="this kernel has no Landlock to take away")
@pytest.mark.parametrize(
    ("lacks", "refused", "left"),
    [
        ("landlock", "reading files, writing or deleting files", ""),
        ("seccomp", "reading files, writing or deleting files", "using the network"),
        ("landlock,seccomp", "leaving processes behind", "reading files, writing or deleting"),
    ],
)
def test_what_is_not_refused_is_a_warning_and_a_layer_that_is_not_needed_a_note(
    folder: Path, lacks: str, refused: str, left: str
) -> None:
    command = without.command(lacks, "-m", "tui", "doctor", str(folder), "--json")
    done = subprocess.run(command, capture_output=True, cwd=ROOT, text=True)
    told = json.loads(done.stdout)["findings"]
    found = {f["name"]: f for f in told if f["about"] == "functions"}
    assert all(found[layer]["said"].startswith("missing: ") for layer in lacks.split(","))
    assert refused in found["refused"]["said"]
    assert not any(f["status"] == "warning" for f in found.values() if f["name"] != "not refused")
    if left:
        assert left in found["not refused"]["said"]
        assert found["not refused"]["status"] == "warning"
        assert "you are asked before each function runs" in found["not refused"]["hint"]
    else:
        assert "not refused" not in found


def test_a_good_collection_is_fine(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--folder", str(folder)]) in (0, 1)
    said = capsys.readouterr().out
    for word in ("Python", "numpy", "textual", "landlock", "1 card"):
        assert word in said


def test_the_folder_is_named_as_for_lint_and_sync(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", str(folder)]) in (0, 1)
    assert "1 card" in capsys.readouterr().out


def test_its_json_is_the_same_findings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    returned = main(["doctor", "--folder", str(folder), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told["code"] == returned
    assert {f["about"] for f in told["findings"]} == {
        *("versions", "functions", "terminal", "cards", "journal")
    }


def test_a_card_that_cannot_be_read_is_a_warning(
    empty: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(empty, "half", "---\nid: [half\n---\n# Question\n")
    assert main(["doctor", "--folder", str(empty)]) == 1
    assert "half.md" in capsys.readouterr().out


def test_two_cards_of_one_import_are_named_and_a_learners_own_source_is_not(
    empty: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, source in [("a", "anki:k1"), ("b", "anki:k1"), ("c", "page 12"), ("d", "page 12")]:
        write(empty, name, f"---\nid: {name}\nsource: {source}\n---\n# Question\nWhy?\n")
    assert main(["doctor", "--folder", str(empty), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["findings"]
    twice = [each for each in found if "are one card" in each["said"]]
    assert [Path(each["name"]).name for each in twice] == ["b.md"]
    assert "a.md" in twice[0]["said"]
    assert "deltadeck edit" in twice[0]["command"]


def test_a_folder_that_is_not_there_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", "--folder", str(tmp_path / "nowhere")]) == 2
    assert "✗ folder" in capsys.readouterr().out


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


def test_where_no_terminal_is_that_is_no_fault() -> None:
    assert {finding.status for finding in terminal({})} <= {"ok", "note"}


ITEM = "ssu_batch4_004"


def wrong(shell: Shell, folder: Path) -> list[dict[str, str]]:
    """The findings of folder and journal that are a warning or an error."""
    found = json.loads(shell("doctor", "--json", "-C", folder).stdout)["findings"]
    about = [each for each in found if each["about"] in ("cards", "journal")]
    return [each for each in about if each["status"] in ("warning", "error")]


def as_file(folder: Path) -> None:
    (folder / ".deltadeck").write_text("no folder")


def as_dead_link(folder: Path) -> None:
    (folder / ".deltadeck").symlink_to("nowhere")


def as_second_journal(folder: Path) -> None:
    (folder / ".deltadeck" / "journal (1)").mkdir(parents=True)


def as_stray(folder: Path) -> None:
    path = folder / ".deltadeck" / "journal" / "2026-11.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("")


def as_no_device(folder: Path) -> None:
    path = folder / ".deltadeck" / "journal" / "desk"
    path.parent.mkdir(parents=True)
    path.write_text("no folder")


@pytest.mark.parametrize("make", [as_file, as_dead_link, as_second_journal, as_stray, as_no_device])
def test_each_place_where_reviews_are_missing_is_told_once(
    folder: Path, shell: Shell, make: Callable[[Path], None]
) -> None:
    make(folder)
    (finding,) = wrong(shell, folder)
    assert finding["about"] == "journal"
    assert finding["hint"]


def test_an_unfinished_restore_is_told_once_with_the_command_that_puts_it_back(
    folder: Path, shell: Shell
) -> None:
    (folder / ".deltadeck" / ".restoring-x").mkdir(parents=True)
    (finding,) = wrong(shell, folder)
    assert "`deltadeck doctor --repair`" in finding["hint"]
    assert "`deltadeck doctor --repair`" in shell("due", "-C", folder).stderr
    shell(*shlex.split(finding["command"])[1:])
    assert wrong(shell, folder) == []


#: The program as a user for whom permissions hold.  Of root, a user namespace without a mapping
#: takes the right to ignore them away.
ORDINARY = """
import ctypes, os, sys
if os.geteuid() == 0 and ctypes.CDLL(None).unshare(0x10000000):
    sys.exit(77)
from tui.main import entry_point
sys.exit(entry_point())
"""


def ordinary(shell: Shell, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", ORDINARY, *map(str, arguments)]
    done = subprocess.run(
        command, cwd=ROOT, env=shell.env, capture_output=True, text=True, timeout=60, check=False
    )
    if done.returncode == 77:
        pytest.skip("root may write anywhere here, and cannot be made an ordinary user")
    assert "Traceback" not in done.stderr
    return done


def refusing(shell: Shell, folder: Path) -> list[dict[str, str]]:
    done = ordinary(shell, "doctor", "--json", "-C", folder)
    found = json.loads(done.stdout)["findings"]
    errors = [each for each in found if each["status"] == "error"]
    assert (done.returncode == 2) is bool(errors)
    return errors


@pytest.fixture
def strict(folder: Path, shell: Shell) -> Path:
    """The folder, where one answer was given."""
    assert shell("review", ITEM, "good", "-C", folder).returncode == 0
    return folder


def forbid(*places: Path) -> None:
    for place in places:
        place.chmod(0o555 if place.is_dir() else 0o444)


@pytest.mark.parametrize("what", ["all", "lock", "month", "device", "unmade"])
def test_where_no_answer_can_be_recorded_the_doctor_says_so_and_its_command_mends_it(
    strict: Path, shell: Shell, what: str
) -> None:
    private = strict / ".deltadeck"
    [month] = private.glob("journal/*/*.jsonl")
    every = [*strict.rglob("*"), strict]
    places = {"all": every, "lock": [private / "lock"], "month": [month], "device": [month.parent]}
    if what == "device":
        month.unlink()
    if what == "unmade":
        private.rename(strict.parent / "elsewhere")
    assert refusing(shell, strict) == []
    forbid(*places.get(what, [strict]))
    assert ordinary(shell, "review", ITEM, "good", "-C", strict).returncode == 2
    (finding,) = refusing(shell, strict)
    assert (finding["about"], finding["name"]) == ("journal", "this folder")
    assert "no answer can be recorded" in finding["said"]
    subprocess.run(shlex.split(finding["command"]), check=True)
    assert refusing(shell, strict) == []
    assert ordinary(shell, "review", ITEM, "good", "-C", strict).returncode == 0


def test_where_the_device_s_name_cannot_be_kept_the_doctor_says_so(
    folder: Path, shell: Shell
) -> None:
    data = Path(shell.env["XDG_DATA_HOME"])
    data.mkdir(parents=True, exist_ok=True)
    forbid(data)
    done = ordinary(shell, "review", ITEM, "good", "-C", folder)
    assert done.returncode == 2
    assert "let XDG_DATA_HOME name one that is" in done.stderr
    (finding,) = refusing(shell, folder)
    assert finding["name"] == "this device's name"
    assert "XDG_DATA_HOME" in finding["hint"]
    shown = ordinary(shell, "doctor", "-C", folder).stdout
    assert "All is well" not in shown
    assert f"`{finding['command']}`" in shown
    subprocess.run(shlex.split(finding["command"]), check=True)
    assert refusing(shell, folder) == []
    assert ordinary(shell, "review", ITEM, "good", "-C", folder).returncode == 0


def test_a_device_s_name_that_cannot_be_read_is_an_error(strict: Path, shell: Shell) -> None:
    [name] = Path(shell.env["XDG_DATA_HOME"]).rglob("device")
    name.chmod(0)
    (finding,) = refusing(shell, strict)
    assert finding["command"] == f"chmod u+rwX {name}"
    subprocess.run(shlex.split(finding["command"]), check=True)
    assert refusing(shell, strict) == []


def test_to_look_writes_nothing(folder: Path, shell: Shell) -> None:
    before = sorted(folder.rglob("*"))
    assert refusing(shell, folder) == []
    assert sorted(folder.rglob("*")) == before
    assert not list(Path(shell.env["XDG_DATA_HOME"]).rglob("device"))
