"""`deltadeck doctor`: what works on this machine, and what each layer promises."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from engine.sandbox.confine import TRIES, version
from tests.engine.sandbox import without
from tests.paths import ROOT
from tests.tui.driving import write
from tui.commands.doctor import LAYERS, Finding, code, colours, functions, terminal
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
    seed: Path, lacks: str, refused: str, left: str
) -> None:
    command = without.command(lacks, "-m", "tui", "doctor", str(seed), "--json")
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


def test_a_good_collection_is_fine(seed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--folder", str(seed)]) in (0, 1)
    said = capsys.readouterr().out
    for word in ("Python", "numpy", "textual", "landlock", "1 card"):
        assert word in said


def test_the_folder_is_named_as_for_lint_and_sync(
    seed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", str(seed)]) in (0, 1)
    assert "1 card" in capsys.readouterr().out


def test_its_json_is_the_same_findings(seed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    returned = main(["doctor", "--folder", str(seed), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told["code"] == returned
    assert {f["about"] for f in told["findings"]} == {
        *("versions", "functions", "terminal", "cards", "journal")
    }


def test_a_card_that_cannot_be_read_is_a_warning(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, "half", "---\nid: [half\n---\n# Question\n")
    assert main(["doctor", "--folder", str(folder)]) == 1
    assert "half.md" in capsys.readouterr().out


def test_two_cards_of_one_import_are_named_and_a_learners_own_source_is_not(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, source in [("a", "anki:k1"), ("b", "anki:k1"), ("c", "page 12"), ("d", "page 12")]:
        write(folder, name, f"---\nid: {name}\nsource: {source}\n---\n# Question\nWhy?\n")
    assert main(["doctor", "--folder", str(folder), "--json"]) == 1
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
    ("statuses", "expected"),
    [(("ok", "note"), 0), (("ok", "warning"), 1), (("warning", "error"), 2)],
)
def test_the_exit_code_is_that_of_the_worst_finding(
    statuses: tuple[str, ...], expected: int
) -> None:
    found = [Finding("versions", "", "", status) for status in statuses]  # type: ignore[arg-type]
    assert code(found) == expected


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
    assert colours(environment) == said


def test_where_no_terminal_is_that_is_no_fault() -> None:
    assert {finding.status for finding in terminal({})} <= {"ok", "note"}
